//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Up to 32 code points that take two bytes at most are lanes of 16 bits, others lanes of 32: each lane becomes its bytes
//! all at once, and `compress` drops those that it does not have.

use std::arch::x86_64::*;

use super::{
    EVERY_FOURTH, EVERY_SECOND, GROUPS, Lengths, OR_AND, OR_OR, ascii_bytes, bytes_32, bytes_64, fetch_ahead,
    halves_32, low_16, low_32, low_64, put_bytes, put_sequences, units_16, units_32,
};
use crate::form::{LEADS, Range, TRAILS};
use crate::kernels::simd::copy;
use crate::kernels::{Output, Spelt, Stretch, Text};
use crate::spelling::{Lacking, Spelling};

/// Up to 32 code points below U+10000.
struct Units {
    points: __m512i,
    /// How many were read; if not all, the kernel stops behind them.
    read: usize,
    /// The lanes that are written.
    valid: u32,
    /// Lanes of at least two bytes, and of at least three.
    lengths: [u32; 2],
    /// Lanes that are written as their low byte.
    escapes: u32,
}

/// Up to 16 code points.
struct Points {
    points: __m512i,
    read: usize,
    valid: u16,
    escapes: u16,
    /// Lanes that are written as a surrogate pair.
    splits: u16,
}

/// Up to 64 code points below U+0100, all of which are written.
struct Bytes {
    points: __m512i,
    valid: u64,
    /// Lanes of two bytes.
    two: u64,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_8(points: __m512i, range: Range) -> u64 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFF) as u8);
    let index = _mm512_sub_epi8(points, _mm512_set1_epi8(first as i8));
    // A range beyond what a lane holds has none of them, though its ends come to the last.
    let reached = if range.0 <= 0xFF { !0 } else { 0 };
    _mm512_mask_cmple_epu8_mask(reached, index, _mm512_set1_epi8((last - first) as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_16(points: __m512i, range: Range) -> u32 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFFFF) as u16);
    let index = _mm512_sub_epi16(points, _mm512_set1_epi16(first as i16));
    // A range beyond what a lane holds has none of them, though its ends come to the last.
    let reached = if range.0 <= 0xFFFF { !0 } else { 0 };
    _mm512_mask_cmple_epu16_mask(reached, index, _mm512_set1_epi16((last - first) as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_32(points: __m512i, range: Range) -> u16 {
    let index = _mm512_sub_epi32(points, _mm512_set1_epi32(range.0 as i32));
    _mm512_cmple_epu32_mask(index, _mm512_set1_epi32((range.1 - range.0) as i32))
}

/// Lanes from a code point on, which is not the first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn from_8(points: __m512i, start: u32) -> u64 {
    _mm512_cmpgt_epu8_mask(points, _mm512_set1_epi8((start - 1).min(0xFF) as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn from_16(points: __m512i, start: u32) -> u32 {
    _mm512_cmpgt_epu16_mask(points, _mm512_set1_epi16((start - 1).min(0xFFFF) as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn from_32(points: __m512i, start: u32) -> u16 {
    _mm512_cmpgt_epu32_mask(points, _mm512_set1_epi32((start - 1) as i32))
}

/// A spelling, where a closer look is due, and what most forms do not need; those compile it out.
///
/// What is generic over a `Taker` is so that each caller has its own, into which it is inlined: a call would cost all
/// registers.
struct Speller<'a, const IS_PLAIN: bool> {
    spelling: &'a Spelling,
    starts: [u32; 3],
    /// Ranges that hold all code points that the form lacks. A range that is not needed holds one that can do no harm.
    odd: [Range; 2],
    nul_is_two: bool,
    splits: bool,
    is_shifted: bool,
    /// Where the form's are those.
    lengths: Lengths,
}

impl<'a, const IS_PLAIN: bool> Speller<'a, IS_PLAIN> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn new(spelling: &'a Spelling) -> Self {
        let mut odd = [(u32::MAX, u32::MAX); 2];
        for &range in &spelling.missing {
            // Those of the surrogates and beyond are close to each other.
            let place = &mut odd[usize::from(range.0 >= LEADS.0)];
            *place = if *place == (u32::MAX, u32::MAX) { range } else { (place.0.min(range.0), place.1.max(range.1)) };
        }
        Speller {
            spelling,
            starts: spelling.starts,
            odd,
            nul_is_two: spelling.nul_is_two,
            splits: spelling.splits,
            is_shifted: !IS_PLAIN && spelling.is_shifted(),
            lengths: Lengths::new(spelling.nul_is_two, spelling.splits),
        }
    }

    /// Up to 64 code points below U+0100, if none needs a closer look.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn bytes(&self, points: __m512i, left: usize) -> Option<Bytes> {
        let valid = low_64(left);
        let odd = if self.odd[0].0 <= 0xFF { within_8(points, self.odd[0]) } else { 0 };
        if odd & valid != 0 {
            return None;
        }
        let nul = if self.nul_is_two { _mm512_testn_epi8_mask(points, points) } else { 0 };
        Some(Bytes { points, valid, two: (from_8(points, self.starts[0]) | nul) & valid })
    }

    /// Twice 32 code points, if there are as many and all are written as they stand; `next` tells those one further.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn whole_units<Taker>(&self, text: &[u16], next: impl Fn(usize) -> __m512i) -> Option<[Units; 2]> {
        let block = text.first_chunk::<64>()?;
        let halves = [units_32(block, 0), units_32(block, 32)];
        let within = |range| within_16(halves[0], range) | within_16(halves[1], range);
        let pairs = |half: usize| within_16(halves[half], LEADS) & within_16(next(32 * half + 1), TRAILS);
        (!self.has_odd(within, pairs)).then(|| halves.map(|points| self.with_lengths_16::<Taker>(points, 32, !0)))
    }

    /// Up to 32 code points; what is behind them decides about a lead in the last.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn units<Taker>(&self, mut points: __m512i, next: __m512i, left: usize) -> Units {
        let pairs = if self.spelling.joins { within_16(points, LEADS) & within_16(next, TRAILS) } else { 0 };
        let odd = self.odd(pairs, |range| within_16(points, range));
        let read = left.min(odd.stops.trailing_zeros() as usize).min(32);
        points = _mm512_mask_mov_epi16(points, odd.marked, _mm512_set1_epi16(b'?'.into()));
        self.with_lengths_16::<Taker>(points, read, low_32(read) & !odd.dropped)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn with_lengths_16<Taker>(&self, points: __m512i, read: usize, valid: u32) -> Units {
        let escapes = if let Some(range) = self.spelling.escapes { within_16(points, range) } else { 0 };
        let nul = if self.nul_is_two { _mm512_testn_epi16_mask(points, points) } else { 0 };
        let (two, three) = (from_16(points, self.starts[0]) | nul, from_16(points, self.starts[1]));
        Units { points, read, valid, lengths: [two, three].map(|lanes| lanes & !escapes & valid), escapes }
    }

    /// Twice 16 code points, if there are as many and all are written as they stand; `next` tells those one further.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn whole_points<Taker>(&self, text: &[u32], next: impl Fn(usize) -> __m512i) -> Option<[Points; 2]> {
        let block = text.first_chunk::<32>()?;
        let halves = [units_16(block, 0), units_16(block, 16)];
        let within = |range| (within_32(halves[0], range) | within_32(halves[1], range)).into();
        let pairs = |half: usize| (within_32(halves[half], LEADS) & within_32(next(16 * half + 1), TRAILS)).into();
        (!self.has_odd(within, pairs)).then(|| halves.map(|points| self.with_splits::<Taker>(points, 16, !0)))
    }

    /// Up to 16 code points; what is behind them decides about a lead in the last.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn points<Taker>(&self, mut points: __m512i, next: __m512i, left: usize) -> Points {
        let pairs = if self.spelling.joins { within_32(points, LEADS) & within_32(next, TRAILS) } else { 0 };
        let odd = self.odd(pairs.into(), |range| within_32(points, range).into());
        let read = left.min(odd.stops.trailing_zeros() as usize).min(16);
        points = _mm512_mask_mov_epi32(points, odd.marked as u16, _mm512_set1_epi32(b'?'.into()));
        self.with_splits::<Taker>(points, read, low_16(read) & !odd.dropped as u16)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn with_splits<Taker>(&self, points: __m512i, read: usize, valid: u16) -> Points {
        let escapes = if let Some(range) = self.spelling.escapes { within_32(points, range) } else { 0 };
        let splits = if self.splits { from_32(points, 0x1_0000) } else { 0 };
        Points { points, read, valid, escapes, splits }
    }

    /// Lanes of at least two, three and four bytes, if they are no escapes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn longer(&self, block: &Points) -> [u16; 3] {
        let nul = if self.nul_is_two { _mm512_testn_epi32_mask(block.points, block.points) } else { 0 };
        let [two, three, four] = self.starts.map(|start| from_32(block.points, start));
        [two | nul, three, four]
    }

    /// How many bytes each of 16 code points takes; 0 where it is not written.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn bytes_of<Taker>(&self, block: &Points) -> __m512i {
        let one = _mm512_set1_epi32(1);
        let bytes = if IS_PLAIN {
            self.lengths.of(block.points)
        } else {
            let longer = self.longer(block);
            let bytes = longer.into_iter().fold(one, |bytes, lanes| _mm512_mask_add_epi32(bytes, lanes, bytes, one));
            _mm512_mask_mov_epi32(bytes, block.splits, _mm512_set1_epi32(6))
        };
        let bytes = _mm512_mask_mov_epi32(bytes, block.escapes, one);
        if block.valid == !0 { bytes } else { _mm512_maskz_mov_epi32(block.valid, bytes) }
    }

    /// Whether anything in two halves is not written as it stands; `pairs` begin in one of them.
    #[inline]
    fn has_odd(&self, within: impl Fn(Range) -> u32, pairs: impl Fn(usize) -> u32) -> bool {
        let mut odd = within(self.odd[1]);
        if self.odd[0].0 <= 0xFFFF {
            odd |= within(self.odd[0]);
        }
        if self.spelling.joins {
            odd |= pairs(0) | pairs(1);
        }
        odd != 0
    }

    /// What the form lacks and the pairs that it joins.
    #[inline]
    fn odd(&self, pairs: u32, within: impl Fn(Range) -> u32) -> Odd {
        let missing = self.spelling.missing.iter().fold(0, |missing, &range| missing | within(range));
        match self.spelling.lacking {
            Lacking::Stop => Odd { stops: pairs | missing, marked: 0, dropped: 0 },
            Lacking::Mark => Odd { stops: pairs, marked: missing, dropped: 0 },
            Lacking::Nothing => Odd { stops: pairs, marked: 0, dropped: missing },
        }
    }
}

/// Lanes at which the kernel stops, that are written as `?`, and that are not written.
struct Odd {
    stops: u32,
    marked: u32,
    dropped: u32,
}

/// Hand over a text of one byte each block by block, from an index to a limit or to where the kernel stops; the end is returned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_of_one<S, const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    text: &[u8],
    (start, limit): (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, &[u8]),
    take_bytes: impl Fn(&mut S, &Bytes),
    take_units: impl Fn(&mut S, &Units),
) -> usize {
    let mut at = start;
    while at < limit {
        let left = limit - at;
        fetch_ahead(text, at);
        if let Some(block) = speller.bytes(bytes_64(text, at), left) {
            let count = if block.two == 0 { ascii_bytes(&text[at..limit], speller.spelling.nul_is_one) } else { 0 };
            if count > 0 {
                take_ascii(state, &text[at..at + count]);
                at += count;
            } else {
                take_bytes(state, &block);
                at += 64;
            }
            continue;
        }
        let block = speller.units::<u8>(_mm512_cvtepu8_epi16(bytes_32(text, at)), _mm512_setzero_si512(), left);
        take_units(state, &block);
        if block.read < 32.min(left) {
            return at + block.read;
        }
        // A number, not what was counted: the next loads must not wait for the masks of this block.
        at += 32;
    }
    limit
}

/// Hand over a text of two bytes each block by block, from an index to a limit or to where the kernel stops; the end is returned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_of_two<S, const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    text: &[u16],
    (start, limit): (usize, usize),
    state: &mut S,
    take_whole: impl Fn(&mut S, &[Units; 2]),
    take: impl Fn(&mut S, &Units),
) -> usize {
    let mut at = start;
    while at < limit {
        fetch_ahead(text, at);
        fetch_ahead(text, at + 32);
        let left = limit - at;
        if let Some(whole) = speller.whole_units::<S>(&text[at..limit], |behind| units_32(text, at + behind)) {
            take_whole(state, &whole);
            at += 64;
            continue;
        }
        let block = speller.units::<u16>(units_32(text, at), units_32(text, at + 1), left);
        take(state, &block);
        if block.read < 32.min(left) {
            return at + block.read;
        }
        // A number, not what was counted: the next loads must not wait for the masks of this block.
        at += 32;
    }
    limit
}

/// Hand over a text of four bytes each block by block, from an index to a limit or to where the kernel stops; the end is returned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_of_four<S, const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    text: &[u32],
    (start, limit): (usize, usize),
    state: &mut S,
    take_whole: impl Fn(&mut S, &[Points; 2]),
    take: impl Fn(&mut S, &Points),
) -> usize {
    let mut at = start;
    while at < limit {
        fetch_ahead(text, at);
        fetch_ahead(text, at + 16);
        let left = limit - at;
        if let Some(whole) = speller.whole_points::<S>(&text[at..limit], |behind| units_16(text, at + behind)) {
            take_whole(state, &whole);
            at += 32;
            continue;
        }
        let block = speller.points::<u32>(units_16(text, at), units_16(text, at + 1), left);
        take(state, &block);
        if block.read < 16.min(left) {
            return at + block.read;
        }
        // A number, not what was counted: the next loads must not wait for the masks of this block.
        at += 16;
    }
    limit
}

/// Whether sequences are as long as those of UTF-8, but for U+0000 and what is split, and have its payload.
fn is_plain(spelling: &Spelling) -> bool {
    let is_four = spelling.starts[2] == 0x1_0000 || (spelling.splits && spelling.starts[2] == u32::MAX);
    spelling.starts[..2] == [0x80, 0x800] && is_four && !spelling.is_shifted()
}

/// Measure from an index to a limit, or to where the kernel stops.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    if is_plain(spelt.spelling) { count::<true>(spelt, (start, limit)) } else { count::<false>(spelt, (start, limit)) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn count<const IS_PLAIN: bool>(spelt: &Spelt<'_>, span: (usize, usize)) -> Stretch {
    let speller = Speller::<IS_PLAIN>::new(spelt.spelling);
    let mut bytes = 0;
    let of_block = |bytes: &mut usize, block: &Bytes| {
        *bytes += (block.valid.count_ones() + block.two.count_ones()) as usize;
    };
    let of_units = |bytes: &mut usize, block: &Units| {
        let longer = block.lengths.map(u32::count_ones);
        *bytes += (block.valid.count_ones() + longer[0] + longer[1]) as usize;
    };
    let of_whole = |bytes: &mut usize, [lower, upper]: &[Units; 2]| {
        let longer = [0, 1].map(|place| u64::from(lower.lengths[place]) << 32 | u64::from(upper.lengths[place]));
        *bytes += 64 + (longer[0].count_ones() + longer[1].count_ones()) as usize;
    };
    let add = |sums: &mut __m512i, bytes: __m512i| {
        *sums = _mm512_add_epi64(*sums, _mm512_sad_epu8(bytes, _mm512_setzero_si512()));
    };
    let of_points = |sums: &mut __m512i, block: &Points| add(sums, speller.bytes_of::<()>(block));
    let of_both = |sums: &mut __m512i, [lower, upper]: &[Points; 2]| {
        add(sums, _mm512_add_epi8(speller.bytes_of::<u8>(lower), speller.bytes_of::<u16>(upper)));
    };
    let of_ascii = |bytes: &mut usize, ascii: &[u8]| *bytes += ascii.len();
    let end = match spelt.text {
        Text::One(text) => each_of_one(&speller, text, span, &mut bytes, of_ascii, of_block, of_units),
        Text::Two(text) => each_of_two(&speller, text, span, &mut bytes, of_whole, of_units),
        Text::Four(text) => {
            let mut sums = _mm512_setzero_si512();
            let end = each_of_four(&speller, text, span, &mut sums, of_both, of_points);
            bytes = _mm512_reduce_add_epi64(sums) as usize;
            end
        }
    };
    Stretch { end, bytes }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if is_plain(spelt.spelling) {
        write::<true>(spelt, (start, limit), out)
    } else {
        write::<false>(spelt, (start, limit), out)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn write<const IS_PLAIN: bool>(spelt: &Spelt<'_>, span: (usize, usize), out: &mut Output<'_, u8>) -> usize {
    let speller = Speller::<IS_PLAIN>::new(spelt.spelling);
    match spelt.text {
        Text::One(text) => each_of_one(
            &speller,
            text,
            span,
            out,
            |out, ascii| out.fill(ascii.len(), |place| copy(ascii, place)),
            |out, block| speller.put_block(block, out),
            |out, units| speller.put_one_or_two::<()>(units, out),
        ),
        Text::Two(text) => each_of_two(
            &speller,
            text,
            span,
            out,
            |out, whole| speller.put_whole(whole, out),
            |out, units| speller.put_units(units, out),
        ),
        Text::Four(text) => each_of_four(
            &speller,
            text,
            span,
            out,
            |out, whole| whole.iter().for_each(|points| speller.put_points::<[u32; 2]>(points, out)),
            |out, points| speller.put_points::<u32>(points, out),
        ),
    }
}

impl<const IS_PLAIN: bool> Speller<'_, IS_PLAIN> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_block(&self, block: &Bytes, out: &mut Output<'_, u8>) {
        if block.two == 0 {
            return put_bytes(out, block.points, block.valid.count_ones() as usize);
        }
        let mut block = Bytes { ..*block };
        for _ in 0..2 {
            let points = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(block.points));
            let lengths = [block.two as u32, 0];
            let units = Units { points, read: 32, valid: block.valid as u32, lengths, escapes: 0 };
            self.put_one_or_two::<u8>(&units, out);
            let points = _mm512_shuffle_i64x2::<0b10_11_10>(block.points, block.points);
            block = Bytes { points, valid: block.valid >> 32, two: block.two >> 32 };
        }
    }

    /// Write 64 code points: one decision for all of them costs less than a wrong guess for each half.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_whole(&self, whole: &[Units; 2], out: &mut Output<'_, u8>) {
        let [two, three] = [0, 1].map(|place| whole[0].lengths[place] | whole[1].lengths[place]);
        for units in whole {
            match (two, three) {
                (0, 0) => put_bytes(out, _mm512_castsi256_si512(_mm512_cvtepi16_epi8(units.points)), 32),
                (_, 0) => self.put_one_or_two::<[u16; 2]>(units, out),
                _ => self.put_halves::<[u16; 2]>(units, out),
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_units(&self, units: &Units, out: &mut Output<'_, u8>) {
        match units.lengths {
            [_, 0] => self.put_one_or_two::<u16>(units, out),
            _ => self.put_halves::<u16>(units, out),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_one_or_two<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let (two, valid) = (units.lengths[0], units.valid);
        let mut payload = units.points;
        if self.is_shifted {
            payload = _mm512_mask_sub_epi16(payload, two, payload, _mm512_set1_epi16(self.spelling.offsets[0] as i16));
            // Nothing here is as far as that, as a rule.
            if self.spelling.gap.0 < self.starts[1] {
                let beyond = within_16(units.points, (self.spelling.gap.0, u32::MAX));
                payload =
                    _mm512_mask_sub_epi16(payload, beyond, payload, _mm512_set1_epi16(self.spelling.gap.1 as i16));
            }
        }
        let second = _mm512_and_si512(_mm512_slli_epi16::<8>(payload), _mm512_set1_epi16(0x3F00));
        let marks = _mm512_set1_epi16(0x80C0_u16 as i16);
        let sequences = _mm512_ternarylogic_epi32::<OR_OR>(second, _mm512_srli_epi16::<6>(payload), marks);
        // A lane of one byte, an escape too, is its low byte.
        let bytes = _mm512_mask_mov_epi16(units.points, two, sequences);
        let kept = _pdep_u64(valid.into(), EVERY_SECOND) | _pdep_u64(two.into(), EVERY_SECOND << 1);
        put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
    }

    /// Write lanes of 16 bits as lanes of 32.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_halves<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let (mut valid, mut escapes) = (units.valid, units.escapes);
        for points in halves_32(units.points) {
            let (valid_here, escapes_here) = (valid as u16, escapes as u16);
            let block = Points { points, read: 16, valid: valid_here, escapes: escapes_here, splits: 0 };
            self.put_points::<Taker>(&block, out);
            (valid, escapes) = (valid >> 16, escapes >> 16);
        }
    }

    /// Write up to 16 lanes of 32 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_points<Taker>(&self, block: &Points, out: &mut Output<'_, u8>) {
        let mut sequences = if IS_PLAIN { self.lengths.sequences(block.points) } else { self.sequences(block) };
        if block.escapes != 0 {
            sequences = _mm512_mask_and_epi32(sequences, block.escapes, block.points, _mm512_set1_epi32(0xFF));
        }
        if block.splits != 0 {
            return put_pairs(sequences, block, out);
        }
        let among = if block.valid == !0 { !0 } else { _pdep_u64(block.valid.into(), EVERY_FOURTH) * 0x0F };
        put_sequences(sequences, among, out);
    }

    /// As [`Lengths::sequences`], whatever the lengths are.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn sequences(&self, block: &Points) -> __m512i {
        let longer = self.longer(block);
        let [two, three, four] = longer;
        let mut payload = block.points;
        if self.is_shifted {
            payload = shifted(self.spelling, payload, longer);
        }
        // Each as if it had four bytes: then what it does not have is shifted out.
        let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(GROUPS), payload);
        let groups = _mm512_and_si512(groups, _mm512_set1_epi32(0x3F3F_3FFF));
        let mut sequences = _mm512_slli_epi32::<24>(payload);
        let mut beyond = _mm512_set1_epi32(24);
        for (lanes, marks) in [(two, 0x80C0_0000), (three, 0x8080_E000), (four, 0x8080_80F0_u32)] {
            sequences = _mm512_mask_or_epi32(sequences, lanes, groups, _mm512_set1_epi32(marks as i32));
            beyond = _mm512_mask_sub_epi32(beyond, lanes, beyond, _mm512_set1_epi32(8));
        }
        _mm512_srlv_epi32(sequences, beyond)
    }
}

/// Write 16 sequences, those of supplementary code points as a surrogate pair of three bytes and three.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_pairs(sequences: __m512i, block: &Points, out: &mut Output<'_, u8>) {
    let index = _mm512_sub_epi32(block.points, _mm512_set1_epi32(0x1_0000));
    let [first, last] = [PAIR_FIRST, PAIR_LAST].map(|[groups, payloads, marks]| {
        let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(groups), index);
        _mm512_ternarylogic_epi32::<OR_AND>(_mm512_set1_epi64(marks), groups, _mm512_set1_epi64(payloads))
    });
    let first = _mm512_mask_mov_epi32(sequences, block.splits, first);
    let last = _mm512_maskz_mov_epi32(block.splits, last);
    let mut valid = block.valid;
    for places in [0, 8] {
        // The two parts of each side by side.
        let pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let bytes = _mm512_permutex2var_epi32(first, _mm512_add_epi32(pairs, _mm512_set1_epi32(places)), last);
        let used = _mm512_test_epi8_mask(bytes, bytes) | EVERY_EIGHTH;
        let used =
            if valid as u8 == !0 { used } else { used & (_pdep_u64((valid & 0xFF).into(), EVERY_EIGHTH) * 0xFF) };
        put_bytes(out, _mm512_maskz_compress_epi8(used, bytes), used.count_ones() as usize);
        valid >>= 8;
    }
}

const EVERY_EIGHTH: u64 = 0x0101_0101_0101_0101;
/// Where the payloads of the first four bytes of a surrogate pair begin in its index, what their bits are, and what marks
/// them; for each of two.
const PAIR_FIRST: [i64; 3] = [
    i64::from_le_bytes([0, 16, 10, 0, 32, 48, 42, 32]),
    i64::from_le_bytes([0, 0x0F, 0x3F, 0, 0, 0x0F, 0x3F, 0]),
    i64::from_le_bytes([0xED, 0xA0, 0x80, 0xED, 0xED, 0xA0, 0x80, 0xED]),
];
/// The same for the last two.
const PAIR_LAST: [i64; 3] = [
    i64::from_le_bytes([6, 0, 0, 0, 38, 32, 0, 0]),
    i64::from_le_bytes([0x0F, 0x3F, 0, 0, 0x0F, 0x3F, 0, 0]),
    i64::from_le_bytes([0xB0, 0x80, 0, 0, 0xB0, 0x80, 0, 0]),
];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn shifted(spelling: &Spelling, points: __m512i, [two, three, four]: [u16; 3]) -> __m512i {
    let beyond = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(spelling.gap.0 as i32));
    let mut payload = _mm512_mask_sub_epi32(points, beyond, points, _mm512_set1_epi32(spelling.gap.1 as i32));
    for (lanes, offset) in [two & !three, three & !four, four].into_iter().zip(spelling.offsets) {
        payload = _mm512_mask_sub_epi32(payload, lanes, payload, _mm512_set1_epi32(offset as i32));
    }
    payload
}
