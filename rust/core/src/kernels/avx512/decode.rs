//! Bytes of any form that has a layout, measured and written as code points.
//!
//! What begins where is told by [`Reader`]; then `compress` drops the lanes where nothing begins.

use std::arch::x86_64::*;

use super::clean::{self, CHOICE, halves_at, joined_32, put_joined, shifted_16, shifted_32, surrogates};
use super::look::{Block, Reader, Window, bytes_of, continuations, is, is_at_least, last_8, window};
use super::{
    OR_AND, ascii_bytes, bytes_64, each_place, fetch_ahead, four_times, low_64, pairs, put_16, put_32, put_bytes,
    sequences_at, store_64, values_of,
};
use crate::kernels::Output;
use crate::kernels::source::{Answer, Extent, Source};
use crate::kernels::utf8::Width;
use crate::layout::{Layout, PAIR, Pairs};

/// What was counted so far.
struct Counted<'a> {
    layout: &'a Layout,
    count: usize,
    /// Lane by lane, the largest lead byte.
    largest: __m512i,
    /// What is known of the width, where lead bytes alone do not tell.
    fine: Width,
    pairs: u64,
    ills: u64,
}

impl Counted<'_> {
    /// Count what begins in some lanes, sequences of at least two bytes among it where `two` says so.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn add(&mut self, bytes: [__m512i; 3], begins: u64, two: u64) {
        self.count += begins.count_ones() as usize;
        self.largest = _mm512_max_epu8(self.largest, _mm512_maskz_mov_epi8(begins & two, bytes[0]));
        if !self.layout.lead_decides {
            self.fine = self.fine.max(width(self.layout, bytes, begins & two, self.fine));
        }
    }

    /// Count what begins in the first lanes of a clean block, and is whole there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn add_clean(&mut self, data: &[u8], block: &Clean, lanes: u64) {
        self.count += (block.begins & lanes).count_ones() as usize;
        // No continuation byte is as large as a lead byte.
        self.largest = _mm512_mask_max_epu8(self.largest, lanes, self.largest, block.bytes);
        self.pairs |= block.joined & lanes;
        if !self.layout.lead_decides {
            let [b0, b1, b2] = [0, 1, 2].map(|from| bytes_64(data, block.at + from));
            let leads = block.begins & lanes & is_at_least(b0, 0xC0);
            self.fine = self.fine.max(width(self.layout, [b0, b1, b2], leads, self.fine));
        }
    }

    /// Count surrogate pairs that are joined, by their bytes.
    #[inline]
    fn add_pairs(&mut self, bytes: usize) {
        (self.count, self.pairs) = (self.count + bytes / PAIR.len(), !0);
    }

    /// The width of all that was counted; `answer` is what was done at ill-formed units.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn width(&self, answer: Answer) -> Width {
        let mut copy = [0; 72];
        store_64(self.largest, &mut copy);
        let largest = copy[..64].iter().copied().max().unwrap_or(0);
        let by_lead = self.layout.borders.iter().filter(|&&[lead, ..]| self.layout.lead_decides && largest >= lead);
        let of_ill = if self.ills == 0 || answer == Answer::Drop { Width::Ascii } else { Width::Ucs2 };
        let of_pairs = if self.pairs == 0 { Width::Ascii } else { Width::Ucs4 };
        Width::of_class(by_lead.count()).max(self.fine).max(of_ill).max(of_pairs)
    }
}

/// Measure from an offset to a limit, or to where the kernel stops.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    let reader = Reader::new(source);
    let mut counted = Counted {
        layout: source.layout,
        count: 0,
        largest: _mm512_setzero_si512(),
        fine: Width::Ascii,
        pairs: 0,
        ills: 0,
    };
    let is_plain = source.layout.has_nul && source.layout.pairs == Pairs::Apart;
    let mut at = start;
    while at < limit {
        at = if is_plain {
            reader.count_clean::<true>(source.data, (at, limit), &mut counted)
        } else {
            reader.count_clean::<false>(source.data, (at, limit), &mut counted)
        };
        let (end, goes_on) = reader.count_dirty(source.data, (at, limit), &mut counted);
        at = end;
        if !goes_on {
            break;
        }
    }
    Extent { end: at, count: counted.count, width: counted.width(reader.answer), is_clean: counted.ills == 0 }
}

/// A block that is well-formed, up to where its last sequence begins at least.
struct Clean {
    at: usize,
    bytes: __m512i,
    begins: u64,
    /// Where the trails of surrogate pairs begin that are joined.
    joined: u64,
}

impl Clean {
    /// No block: nothing begins in it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn none() -> Self {
        Clean { at: 0, bytes: _mm512_setzero_si512(), begins: 0, joined: 0 }
    }

    /// How many of the last bytes belong to the last sequence, which may go on behind them.
    #[inline]
    fn open(&self) -> usize {
        if self.begins == 0 { 0 } else { self.begins.leading_zeros() as usize + 1 }
    }
}

impl Reader<'_> {
    /// Count whole blocks, as long as they are well-formed and as the layout has it; return where a sequence begins from
    /// which on something else must look.
    ///
    /// A sequence is counted in the block where it begins, and seen to be whole in the next: so each block is counted
    /// when the next has been seen, and of the last only what is before its last sequence.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn count_clean<const IS_PLAIN: bool>(
        &self,
        data: &[u8],
        (start, limit): (usize, usize),
        counted: &mut Counted<'_>,
    ) -> usize {
        let mut at = start;
        // The first lanes of a block that must be continuation bytes, and those where a trail must or may begin.
        let (mut due, mut trails_due) = (0, 0);
        let (mut last, mut guess) = (Clean::none(), pairs::Guess::default());
        let has_nul = IS_PLAIN || self.layout.has_nul;
        let (joins, unpaired_part) = (self.layout.pairs == Pairs::Joined, self.layout.unpaired_part);
        while let Some(window) = data[..limit].get(at..).and_then(<[u8]>::first_chunk::<65>) {
            let b0 = bytes_64(window, 0);
            fetch_ahead(window, 0);
            let high = _mm512_movepi8_mask(b0);
            let is_nul = !has_nul && _mm512_testn_epi8_mask(b0, b0) != 0;
            if high | due | trails_due == 0 && !is_nul {
                counted.add_clean(data, &last, !0);
                last = Clean::none();
                let count = ascii_bytes(&data[at..limit], has_nul);
                (at, counted.count) = (at + count, counted.count + count);
                continue;
            }
            let b1 = bytes_64(&window[1..], 0);
            let continuing = continuations(b0);
            let (two, three, four) = (high & !continuing, is_at_least(b0, 0xE0), is_at_least(b0, 0xF0));
            let expected = due | two << 1 | three << 2 | four << 3;
            let second = _mm512_sub_epi8(b1, self.second_low.of_lead(b0));
            let fails = two & _mm512_cmpgt_epu8_mask(second, self.second_span.of_lead(b0));
            let mut wrong = expected ^ continuing | fails;
            let mut joined = 0;
            if !IS_PLAIN {
                let surrogates = surrogates(b0, b1);
                if joins && surrogates.leads != 0 && guess.is_run(surrogates.leads) {
                    let border = at - last.open();
                    let length = pairs::length(&data[border..limit]);
                    if length > 0 {
                        counted.add_clean(data, &last, low_64(64 - last.open()));
                        counted.add_pairs(length);
                        last = Clean::none();
                        (at, due, trails_due) = (border + length, 0, 0);
                        continue;
                    }
                }
                let after_leads = surrogates.leads << 3 | trails_due;
                let pairs = surrogates.trails & after_leads;
                joined = if joins { pairs } else { 0 };
                wrong |=
                    if joins { 0 } else { pairs } | if unpaired_part { surrogates.trails ^ after_leads } else { 0 };
                trails_due = surrogates.leads >> 61;
            }
            if wrong != 0 || is_nul {
                break;
            }
            counted.add_clean(data, &last, !0);
            last = Clean { at, bytes: b0, begins: !(continuing | joined), joined };
            due = two >> 63 | three >> 62 | four >> 61;
            at += 64;
        }
        counted.add_clean(data, &last, low_64(64 - last.open()));
        at - last.open()
    }

    /// Count blocks of any text until one is clean; return where that ends, and whether reading goes on there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn count_dirty(&self, data: &[u8], (start, limit): (usize, usize), counted: &mut Counted<'_>) -> (usize, bool) {
        let (mut at, mut carry, mut copy) = (start, 0, [0; 72]);
        while at < limit {
            fetch_ahead(data, at);
            let block = self.any_block::<()>(window(data, at, &mut copy), limit - at, carry);
            let dropped = if self.answer == Answer::Drop { block.ill } else { 0 };
            let [b0, b1, b2, _] = block.bytes;
            counted.add([b0, b1, b2], block.begins & !dropped, block.two & !block.ill);
            (counted.ills, counted.pairs) = (counted.ills | block.ill, counted.pairs | block.pairs);
            // Not `at + block.length`, which is the same: the next loads must not wait for the masks of this block.
            if !block.goes_on {
                return (at + block.length, false);
            }
            (at, carry) = (at + 64, block.carry);
            if block.ill == 0 {
                break;
            }
        }
        (at + carry.count_ones() as usize, true)
    }
}

/// The width of whole sequences, where their lead bytes alone do not tell, if it is more than is known.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn width(layout: &Layout, [b0, b1, b2]: [__m512i; 3], whole: u64, known: Width) -> Width {
    let unknown = layout.borders.iter().skip(known as usize);
    let reached = unknown.take_while(|&&[lead, second, third]| {
        let leads = whole & is_at_least(b0, lead);
        let seconds = || is_at_least(b1, second) & (!is(b1, second) | is_at_least(b2, third));
        leads != 0 && leads & (!is(b0, lead) | seconds()) != 0
    });
    Width::of_class(known as usize + reached.count())
}

/// Write from an offset to a limit, or to where the kernel stops, as bytes; the end is returned.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs1(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs1(text, source.layout.shift(), out);
        return limit;
    }
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
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs2(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs2(text, source.layout.shift(), out);
        return limit;
    }
    let ascii = |bytes, out: &mut Output<'_, u16>| {
        put_16(out, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)), 32);
        put_16(out, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes)), 32);
    };
    write(source, start, limit, out, ascii, |reader, _, block, out| {
        if reader.has_plain_bytes() {
            return put_units(reader, block, out);
        }
        let [b0, b1, b2, _] = block.bytes;
        let lower = [b0, b1, b2].map(|bytes| _mm512_castsi512_si256(bytes));
        let upper = [b0, b1, b2].map(|bytes| _mm512_extracti64x4_epi64::<1>(bytes));
        put_half(reader, block, lower, 0, out);
        put_half(reader, block, upper, 32, out);
    })
}

/// The same as 32-bit units: the places of what begins are compressed, sixteen of them take four bytes each, and those
/// become code points.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_ucs4(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs4(text, source.layout.shift(), source.layout.pairs == Pairs::Joined, out);
        return limit;
    }
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
        let mut replaced = if block.replaced == 0 { 0 } else { _pext_u64(block.replaced, block.begins) };
        let mut left = block.begins.count_ones() as usize;
        while left > 0 {
            let at = four_times(places);
            let sequences = sequences_at(block.bytes[0], after, at);
            let mut points = values_of(sequences);
            if let Some(layout) = reader.layout.shift() {
                points = shifted_32(layout, sequences, points);
            }
            if pairs as u16 != 0 {
                let halves = halves_at(block.bytes[0], after, at);
                points = _mm512_mask_mov_epi32(points, pairs as u16, joined_32(halves));
            }
            if ill as u16 != 0 {
                let answers = match reader.escape {
                    Some(base) => _mm512_add_epi32(_mm512_srli_epi32::<24>(sequences), _mm512_set1_epi32(base as i32)),
                    None => _mm512_set1_epi32(0xFFFD),
                };
                points = _mm512_mask_mov_epi32(points, ill as u16, answers);
                if replaced as u16 != 0 {
                    points = _mm512_mask_mov_epi32(points, replaced as u16, _mm512_set1_epi32(0xFFFD));
                }
            }
            put_32(out, points, left.min(16));
            places = _mm512_alignr_epi32::<4>(_mm512_setzero_si512(), places);
            (ill, replaced, pairs) = (ill >> 16, replaced >> 16, pairs >> 16);
            left = left.saturating_sub(16);
        }
    })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
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
    let mut expected = true;
    while at < limit {
        let (window, left) = (window(source.data, at, &mut copy), limit - at);
        let first = bytes_of(window, 0);
        fetch_ahead(window, 0);
        if expected && reader.is_ascii(first, carry, left) {
            put_ascii(first, out);
            at += 64;
            continue;
        }
        let mut block = reader.block::<T>(window, left, carry, expected);
        expected = block.ill == 0;
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

/// Store the code points of a block, byte by byte.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_units(reader: &Reader<'_>, block: &Block, out: &mut Output<'_, u16>) {
    let [b0, b1, b2, _] = block.bytes;
    // The last but one and the last byte of each sequence.
    let last = [_mm512_mask_mov_epi8(b0, block.three, b1), _mm512_mask_mov_epi8(b1, block.three, b2)];
    let two_bits = _mm512_slli_epi16::<6>(last[0]);
    let lower = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xC0_u8 as i8), two_bits, last[1]);
    let four_bits = _mm512_maskz_mov_epi8(block.three, _mm512_slli_epi16::<4>(b0));
    let middle = _mm512_srli_epi16::<2>(last[0]);
    let upper = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xF0_u8 as i8), four_bits, middle);
    let (lower, upper) = (_mm512_mask_mov_epi8(b0, block.two, lower), _mm512_maskz_mov_epi8(block.two, upper));
    let answer = match reader.escape {
        Some(base) => (b0, (base >> 8) as i8),
        None => (_mm512_set1_epi8(0xFD_u8 as i8), 0xFF_u8 as i8),
    };
    let mut lower = _mm512_mask_mov_epi8(lower, block.ill, answer.0);
    let mut upper = _mm512_mask_mov_epi8(upper, block.ill, _mm512_set1_epi8(answer.1));
    if block.replaced != 0 {
        lower = _mm512_mask_mov_epi8(lower, block.replaced, _mm512_set1_epi8(0xFD_u8 as i8));
        upper = _mm512_mask_mov_epi8(upper, block.replaced, _mm512_set1_epi8(-1));
    }
    put_joined(lower, upper, block.begins, out, |out, points, count| put_16(out, points, count));
}

/// Store the code points of half a block, the lanes from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_half(reader: &Reader<'_>, block: &Block, bytes: [__m256i; 3], first: u32, out: &mut Output<'_, u16>) {
    let half = |mask: u64| (mask >> first) as u32;
    let [b0, b1, b2] = bytes.map(|bytes| _mm512_cvtepu8_epi16(bytes));
    let payload = _mm512_set1_epi16(0x3F);
    let two = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(b0), b1, payload);
    let three = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(two), b2, payload);
    let mut points = _mm512_mask_mov_epi16(b0, half(block.two), _mm512_and_si512(two, _mm512_set1_epi16(0x7FF)));
    points = _mm512_mask_mov_epi16(points, half(block.three), three);
    if let Some(layout) = reader.layout.shift() {
        points = shifted_16(layout, points, half(block.two), half(block.three));
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
