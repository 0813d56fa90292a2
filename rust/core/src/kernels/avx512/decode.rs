//! Bytes of any form that has a layout, measured and written as code points.
//!
//! Each byte of a block is treated as if a sequence began there, all at once: masks say which lanes begin a sequence, which
//! of them are ill-formed, and where the layout does not tell. Then `compress` drops the lanes where nothing begins.

use std::arch::x86_64::*;

use super::{OR_AND, bytes_64, each_place, low_64, put_16, put_32, put_bytes, sequences_at, store_64, values_of};
use crate::form::{LEADS, TRAILS};
use crate::kernels::Output;
use crate::kernels::source::{Answer, Extent, Source};
use crate::kernels::utf8::Width;
use crate::layout::{Layout, Pairs, Table};

/// A block of 64 bytes and the eight behind it, of which a sequence that begins in the block can need seven. Behind the
/// end of the data they are 0.
type Window = [u8; 72];

/// The window at an offset, in the data or in `copy`. A vector is copied, since a call would cost all registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn window<'a>(data: &'a [u8], at: usize, copy: &'a mut Window) -> &'a Window {
    if let Some(window) = data[at..].first_chunk() {
        return window;
    }
    store_64(bytes_64(data, at), copy);
    for (place, byte) in copy[64..].iter_mut().enumerate() {
        *byte = data.get(at + 64 + place).copied().unwrap_or(0);
    }
    copy
}

/// The tables of a layout and the few facts that each block asks for.
struct Reader<'a> {
    layout: &'a Layout,
    kinds: Lookup,
    second_low: Lookup,
    second_span: Lookup,
    answer: Answer,
    /// What an ill-formed lane becomes: 0 and the byte, or this alone.
    escape: Option<u32>,
}

#[derive(Clone, Copy)]
struct Lookup(__m512i, __m512i);

/// What is known of 64 bytes and of those behind them.
struct Block {
    /// The bytes, and those one, two and three further.
    bytes: [__m512i; 4],
    /// Where something begins that is read.
    begins: u64,
    /// Where of that an ill-formed unit begins.
    ill: u64,
    /// Where of that a surrogate pair begins.
    pairs: u64,
    /// Where a sequence of at least three bytes begins.
    three: u64,
    /// Where sequences begin of at least two bytes.
    two: u64,
    /// Lanes of the next block in which nothing begins.
    carry: u64,
    /// How many bytes of the block were read.
    length: usize,
    /// Whether reading goes on behind the block.
    goes_on: bool,
}

impl Lookup {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn new(table: &Table) -> Self {
        Lookup(bytes_64(&table.0, 0), bytes_64(&table.0, 64))
    }

    /// The entries of bytes from 80 on; of others something.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn of(self, bytes: __m512i) -> __m512i {
        _mm512_permutex2var_epi8(self.0, bytes, self.1)
    }
}

/// 64 bytes of a window, from one of its first nine on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn bytes_of(window: &Window, from: usize) -> __m512i {
    bytes_64(&window[from..], 0)
}

/// Which of the last 8 bytes of a window are continuation bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn continuing_8(window: &Window) -> u64 {
    let last = _mm512_castsi512_si128(last_8(window));
    _mm_cmplt_epi8_mask(last, _mm_set1_epi8(0xC0_u8 as i8)).into()
}

/// The last 8 bytes of a window.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn last_8(window: &Window) -> __m512i {
    let bytes: [u8; 8] = *window.last_chunk().expect("a window is longer");
    _mm512_castsi128_si512(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn is_at_least(bytes: __m512i, least: u8) -> u64 {
    _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(least as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn is(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn continuations(bytes: __m512i) -> u64 {
    _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8))
}

impl<'a> Reader<'a> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn new(source: &Source<'a>) -> Self {
        let layout = source.layout;
        let answer = source.answer();
        Reader {
            layout,
            kinds: Lookup::new(&layout.kinds),
            second_low: Lookup::new(&layout.second_low),
            second_span: Lookup::new(&layout.second_span),
            answer,
            escape: if let Answer::Escape(base) = answer { Some(base) } else { None },
        }
    }

    /// Whether 64 bytes are code points as they stand, and nothing is due before them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn is_ascii(&self, bytes: __m512i, carry: u64, left: usize) -> bool {
        left >= 64
            && carry | _mm512_movepi8_mask(bytes) == 0
            && (self.layout.has_nul || _mm512_testn_epi8_mask(bytes, bytes) == 0)
    }

    /// Look at the block of a window, of which `left` are to be read; in the first `carry` lanes nothing begins.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn block<Taker>(&self, window: &Window, left: usize, carry: u64) -> Block {
        let bytes = [0, 1, 2, 3].map(|from| bytes_of(window, from));
        let [b0, b1, b2, b3] = bytes;
        if let Some(block) = self.well_formed::<Taker>(window, bytes, left, carry) {
            return block;
        }
        let high = _mm512_movepi8_mask(b0);
        let kinds = self.kinds.of(b0);
        let has = |bit: u8| _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(bit as i8)) & high;
        let second = _mm512_sub_epi8(b1, self.second_low.of(b0));
        let takes = _mm512_cmple_epu8_mask(second, self.second_span.of(b0));
        let two = has(Layout::TWO) & takes;
        let (is_three, is_four) = (has(Layout::THREE), has(Layout::FOUR));
        let three = two & is_three & continuations(b2);
        let four = three & is_four & continuations(b3);
        let whole = (two & !is_three) | (three & !is_four) | four;
        let taken = if self.escape.is_some() { [whole, whole & is_three, four] } else { [two, three, four] };
        let mut absorbed = carry | taken[0] << 1 | taken[1] << 2 | taken[2] << 3;
        let mut next_carry = taken[0] >> 63 | taken[1] >> 62 | taken[2] >> 61;

        let mut stops = if self.layout.parts { self.parting::<Taker>(b0, b1, kinds, high) } else { 0 };
        let mut pairs = 0;
        if self.layout.pairs != Pairs::Apart {
            let surrogates = is(b0, 0xED) & is_at_least(b1, 0xA0);
            if surrogates & two != 0 {
                pairs = self.pairs::<Taker>(window, surrogates & three, b1, b3);
                match self.layout.pairs {
                    Pairs::Joined => {
                        absorbed |= pairs << 3 | pairs << 4 | pairs << 5;
                        next_carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
                        stops |= if self.layout.unpaired_part { surrogates & two & !pairs } else { 0 };
                    }
                    _ => stops |= pairs,
                }
            }
        }
        let mut ill = high & !whole;
        if !self.layout.has_nul {
            ill |= _mm512_testn_epi8_mask(b0, b0);
        }
        match self.answer {
            Answer::Stop => stops |= ill,
            Answer::Escape(_) => stops |= ill & !high,
            _ => {}
        }
        let begins = !absorbed & low_64(left);
        let stop = (stops & begins).trailing_zeros() as usize;
        let read = begins & low_64(stop);
        // Behind the limit, lanes in which nothing begins belong to what was read.
        let behind = (u128::from(next_carry) << 64 | u128::from(absorbed)) >> left.min(64);
        let length = match (stop, left) {
            (0..64, _) => stop,
            (_, 0..=64) => left + behind.trailing_ones() as usize,
            _ => 64,
        };
        Block {
            bytes,
            begins: read,
            ill: ill & read,
            pairs: pairs & read,
            three: three & read,
            two: two & read,
            carry: next_carry,
            length,
            goes_on: stop == 64 && left > 64,
        }
    }

    /// The block, if all that begins in it is well-formed and as the layout has it: what is due is there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn well_formed<Taker>(&self, window: &Window, bytes: [__m512i; 4], left: usize, carry: u64) -> Option<Block> {
        let [b0, b1, _, b3] = bytes;
        let continuing = continuations(b0);
        let (two, three, four) = (is_at_least(b0, 0xC0), is_at_least(b0, 0xE0), is_at_least(b0, 0xF0));
        let due = two << 1 | three << 2 | four << 3;
        let due_behind = two >> 63 | three >> 62 | four >> 61;
        let second = _mm512_sub_epi8(b1, self.second_low.of(b0));
        let fails = two & _mm512_cmpgt_epu8_mask(second, self.second_span.of(b0));
        let missing = (due | (carry & continuing)) ^ continuing | due_behind & !continuing_8(window) | fails;
        let is_nul = !self.layout.has_nul && _mm512_testn_epi8_mask(b0, b0) != 0;
        if missing != 0 || is_nul || left <= 64 {
            return None;
        }
        let mut block = Block {
            bytes,
            begins: !(continuing | carry),
            ill: 0,
            pairs: 0,
            three,
            two,
            carry: due_behind,
            length: 64,
            goes_on: true,
        };
        if self.layout.pairs != Pairs::Apart {
            let surrogates = is(b0, 0xED) & is_at_least(b1, 0xA0);
            if surrogates != 0 {
                let pairs = self.pairs::<Taker>(window, surrogates & !carry, b1, b3);
                let joined = pairs << 3;
                if self.layout.pairs == Pairs::Parting && pairs != 0
                    || self.layout.unpaired_part && surrogates & !(pairs | joined | carry) != 0
                {
                    return None;
                }
                block.pairs = pairs;
                block.begins &= !joined;
                block.carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
            }
        }
        Some(block)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn parting<Taker>(&self, b0: __m512i, b1: __m512i, kinds: __m512i, high: u64) -> u64 {
        let has = |bit: u8| _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(bit as i8)) & high;
        let seconds = has(Layout::SECOND_PARTS);
        let parts = has(Layout::PARTS);
        if seconds == 0 {
            return parts;
        }
        let second = _mm512_sub_epi8(b1, Lookup::new(&self.layout.parting_low).of(b0));
        parts | (seconds & _mm512_cmple_epu8_mask(second, Lookup::new(&self.layout.parting_span).of(b0)))
    }

    /// Which of the surrogate byte sequences begin a pair.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn pairs<Taker>(&self, window: &Window, surrogates: u64, b1: __m512i, b3: __m512i) -> u64 {
        let (b4, b5) = (bytes_of(window, 4), bytes_of(window, 5));
        let leads = surrogates & !is_at_least(b1, 0xB0);
        leads & is(b3, 0xED) & is_at_least(b4, 0xB0) & continuations(b4) & continuations(b5)
    }
}

/// Measure from an offset to a limit, or to where the kernel stops.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    let reader = Reader::new(source);
    let (mut at, mut carry, mut count) = (start, 0, 0);
    let (mut largest, mut ills, mut pairs) = (_mm512_setzero_si512(), 0, 0);
    let (mut fine, mut copy) = (Width::Ascii, [0; 72]);
    while at < limit {
        let (window, left) = (window(source.data, at, &mut copy), limit - at);
        let first = bytes_of(window, 0);
        if reader.is_ascii(first, carry, left) {
            (at, count) = (at + 64, count + 64);
            continue;
        }
        let block = reader.block::<()>(window, left, carry);
        let dropped = if reader.answer == Answer::Drop { block.ill } else { 0 };
        count += (block.begins & !dropped).count_ones() as usize;
        let whole = block.begins & block.two & !block.ill;
        largest = _mm512_max_epu8(largest, _mm512_maskz_mov_epi8(whole, first));
        if !source.layout.lead_decides {
            fine = fine.max(width(source.layout, &block.bytes, whole, fine));
        }
        (ills, pairs) = (ills | block.ill, pairs | block.pairs);
        // Not `at + block.length`, which is the same: the next loads must not wait for the masks of this block.
        if !block.goes_on {
            at += block.length;
            break;
        }
        (at, carry) = (at + 64, block.carry);
    }
    store_64(largest, &mut copy);
    let largest = copy[..64].iter().copied().max().unwrap_or(0);
    let by_lead = source.layout.borders.iter().filter(|&&[lead, ..]| source.layout.lead_decides && largest >= lead);
    let of_ill = if ills == 0 || reader.answer == Answer::Drop { Width::Ascii } else { Width::Ucs2 };
    let of_pairs = if pairs == 0 { Width::Ascii } else { Width::Ucs4 };
    let width = Width::of_class(by_lead.count()).max(fine).max(of_ill).max(of_pairs);
    Extent { end: at, count, width, is_clean: ills == 0 }
}

/// The width of whole sequences, where their lead bytes alone do not tell, if it is more than is known.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn width(layout: &Layout, [b0, b1, b2, _]: &[__m512i; 4], whole: u64, known: Width) -> Width {
    let unknown = layout.borders.iter().skip(known as usize);
    let reached = unknown.take_while(|&&[lead, second, third]| {
        let leads = whole & is_at_least(*b0, lead);
        let seconds = || is_at_least(*b1, second) & (!is(*b1, second) | is_at_least(*b2, third));
        leads != 0 && leads & (!is(*b0, lead) | seconds()) != 0
    });
    Width::of_class(known as usize + reached.count())
}

/// Write from an offset to a limit, or to where the kernel stops, as bytes; the end is returned.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs1(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    let ascii = |bytes, out: &mut Output<'_, u8>| put_bytes(out, bytes, 64);
    write(source, start, limit, out, ascii, |reader, _, block, out| {
        // The values are ASCII, or the two bits of a lead byte and the six of what follows it.
        let [b0, b1, ..] = block.bytes;
        let upper = _mm512_and_si512(_mm512_slli_epi16::<6>(b0), _mm512_set1_epi8(0xC0_u8 as i8));
        let pair = _mm512_ternarylogic_epi32::<OR_AND>(upper, b1, _mm512_set1_epi8(0x3F));
        let pair = _mm512_add_epi8(pair, _mm512_set1_epi8(reader.layout.offsets[0] as i8));
        let points = _mm512_mask_mov_epi8(b0, block.two, pair);
        put_bytes(out, _mm512_maskz_compress_epi8(block.begins, points), block.begins.count_ones() as usize);
    })
}

/// The same as 16-bit units.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs2(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    let ascii = |bytes, out: &mut Output<'_, u16>| {
        put_16(out, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)), 32);
        put_16(out, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes)), 32);
    };
    write(source, start, limit, out, ascii, |reader, _, block, out| {
        let [b0, b1, b2, _] = block.bytes;
        let lower = [b0, b1, b2].map(|bytes| _mm512_castsi512_si256(bytes));
        let upper = [b0, b1, b2].map(|bytes| _mm512_extracti64x4_epi64::<1>(bytes));
        put_half(reader, block, lower, 0, out);
        put_half(reader, block, upper, 32, out);
    })
}

/// The same as 32-bit units: the places of what begins are compressed, sixteen of them take four bytes each, and those
/// become code points.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs4(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    let ascii = |bytes, out: &mut Output<'_, u32>| {
        put_32(out, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(bytes)), 16);
        put_32(out, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<1>(bytes)), 16);
        put_32(out, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<2>(bytes)), 16);
        put_32(out, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32::<3>(bytes)), 16);
    };
    write(source, start, limit, out, ascii, |reader, window, block, out| {
        let after = last_8(window);
        let mut places = _mm512_maskz_compress_epi8(block.begins, each_place());
        let (mut ill, mut pairs) = (_pext_u64(block.ill, block.begins), _pext_u64(block.pairs, block.begins));
        let mut left = block.begins.count_ones() as usize;
        while left > 0 {
            let at = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(places));
            let sequences = sequences_at(block.bytes[0], after, at);
            let mut points = values_of(sequences);
            if reader.layout.is_shifted() {
                points = shifted_32(reader.layout, sequences, points);
            }
            if pairs as u16 != 0 {
                let trails = sequences_at(block.bytes[0], after, _mm512_add_epi32(at, _mm512_set1_epi32(3)));
                points = _mm512_mask_mov_epi32(points, pairs as u16, joined_32(points, values_of(trails)));
            }
            if ill as u16 != 0 {
                let answers = match reader.escape {
                    Some(base) => _mm512_add_epi32(_mm512_srli_epi32::<24>(sequences), _mm512_set1_epi32(base as i32)),
                    None => _mm512_set1_epi32(0xFFFD),
                };
                points = _mm512_mask_mov_epi32(points, ill as u16, answers);
            }
            put_32(out, points, left.min(16));
            places = _mm512_alignr_epi32::<4>(_mm512_setzero_si512(), places);
            (ill, pairs, left) = (ill >> 16, pairs >> 16, left.saturating_sub(16));
        }
    })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn write<T>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, T>,
    put_ascii: impl Fn(__m512i, &mut Output<'_, T>),
    put_block: impl Fn(&Reader<'_>, &Window, &Block, &mut Output<'_, T>),
) -> usize {
    let reader = Reader::new(source);
    let (mut at, mut carry, mut copy) = (start, 0, [0; 72]);
    while at < limit {
        let (window, left) = (window(source.data, at, &mut copy), limit - at);
        let first = bytes_of(window, 0);
        if reader.is_ascii(first, carry, left) {
            put_ascii(first, out);
            at += 64;
            continue;
        }
        let mut block = reader.block::<T>(window, left, carry);
        if reader.answer == Answer::Drop {
            block.begins &= !block.ill;
        }
        put_block(&reader, window, &block, out);
        // Not `at + block.length`, which is the same: the next loads must not wait for the masks of this block.
        if !block.goes_on {
            at += block.length;
            break;
        }
        (at, carry) = (at + 64, block.carry);
    }
    at
}

/// Store the code points of half a block, the lanes from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_half(reader: &Reader<'_>, block: &Block, bytes: [__m256i; 3], first: u32, out: &mut Output<'_, u16>) {
    let half = |mask: u64| (mask >> first) as u32;
    let [b0, b1, b2] = bytes.map(|bytes| _mm512_cvtepu8_epi16(bytes));
    let payload = _mm512_set1_epi16(0x3F);
    let two = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(b0), b1, payload);
    let three = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(two), b2, payload);
    let mut points = _mm512_mask_mov_epi16(b0, half(block.two), _mm512_and_si512(two, _mm512_set1_epi16(0x7FF)));
    points = _mm512_mask_mov_epi16(points, half(block.three), three);
    if reader.layout.is_shifted() {
        points = shifted_16(reader.layout, points, half(block.two), half(block.three));
    }
    if block.ill != 0 {
        let answer = match reader.escape {
            Some(base) => _mm512_add_epi16(b0, _mm512_set1_epi16(base as i16)),
            None => _mm512_set1_epi16(0xFFFD_u16 as i16),
        };
        points = _mm512_mask_mov_epi16(points, half(block.ill), answer);
    }
    let begins = half(block.begins);
    put_16(out, _mm512_maskz_compress_epi16(begins, points), begins.count_ones() as usize);
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn shifted_16(layout: &Layout, points: __m512i, two: u32, three: u32) -> __m512i {
    let points = _mm512_mask_add_epi16(points, two & !three, points, _mm512_set1_epi16(layout.offsets[0] as i16));
    let points = _mm512_mask_add_epi16(points, three, points, _mm512_set1_epi16(layout.offsets[1] as i16));
    let beyond = three & _mm512_cmpge_epu16_mask(points, _mm512_set1_epi16(layout.gap.0 as i16));
    _mm512_mask_add_epi16(points, beyond, points, _mm512_set1_epi16(layout.gap.1 as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn shifted_32(layout: &Layout, bytes: __m512i, points: __m512i) -> __m512i {
    // The upper half of the lead byte, which is the highest of its lane, tells the length.
    let [two, three, four] = layout.offsets.map(|offset| offset as i32);
    let offsets = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, two, two, three, four);
    let points = _mm512_add_epi32(points, _mm512_permutexvar_epi32(_mm512_srli_epi32::<28>(bytes), offsets));
    let beyond = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(layout.gap.0 as i32));
    _mm512_mask_add_epi32(points, beyond, points, _mm512_set1_epi32(layout.gap.1 as i32))
}

/// The supplementary code points of leads and trails.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn joined_32(leads: __m512i, trails: __m512i) -> __m512i {
    let base = 0x1_0000_u32.wrapping_sub(LEADS.0 << 10).wrapping_sub(TRAILS.0);
    _mm512_add_epi32(_mm512_add_epi32(_mm512_slli_epi32::<10>(leads), trails), _mm512_set1_epi32(base as i32))
}
