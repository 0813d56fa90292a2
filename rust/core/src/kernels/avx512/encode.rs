//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Up to 32 code points that take two bytes at most are lanes of 16 bits, others lanes of 32: each lane becomes its bytes
//! all at once, and `compress` drops those that it does not have.

use std::arch::x86_64::*;

use super::{
    EVERY_SECOND, OR_OR, ascii_bytes, bytes_32, bytes_64, fetch_ahead, low_16, low_32, low_64, put_bytes, sequences,
    units_16, units_32,
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
}

/// Up to 16 code points.
struct Points {
    points: __m512i,
    read: usize,
    valid: u16,
    /// Lanes of at least two, three and four bytes.
    lengths: [u16; 3],
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_8(points: __m512i, range: Range) -> u64 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFF) as u8);
    let index = _mm512_sub_epi8(points, _mm512_set1_epi8(first as i8));
    // A range beyond what a lane holds has none of them, though its ends come to the last.
    let reached = if range.0 <= 0xFF { !0 } else { 0 };
    _mm512_mask_cmple_epu8_mask(reached, index, _mm512_set1_epi8((last - first) as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_16(points: __m512i, range: Range) -> u32 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFFFF) as u16);
    let index = _mm512_sub_epi16(points, _mm512_set1_epi16(first as i16));
    // A range beyond what a lane holds has none of them, though its ends come to the last.
    let reached = if range.0 <= 0xFFFF { !0 } else { 0 };
    _mm512_mask_cmple_epu16_mask(reached, index, _mm512_set1_epi16((last - first) as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_32(points: __m512i, range: Range) -> u16 {
    let index = _mm512_sub_epi32(points, _mm512_set1_epi32(range.0 as i32));
    _mm512_cmple_epu32_mask(index, _mm512_set1_epi32((range.1 - range.0) as i32))
}

/// Lanes from a code point on, which is not the first.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn from_8(points: __m512i, start: u32) -> u64 {
    _mm512_cmpgt_epu8_mask(points, _mm512_set1_epi8((start - 1).min(0xFF) as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn from_16(points: __m512i, start: u32) -> u32 {
    _mm512_cmpgt_epu16_mask(points, _mm512_set1_epi16((start - 1).min(0xFFFF) as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
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
    /// Ranges that hold all code points of which the first of each length alone do not tell how they are written. A range
    /// that is not needed holds one that can do no harm.
    odd: [Range; 2],
    nul_is_two: bool,
    splits: bool,
    is_shifted: bool,
}

impl<'a, const IS_PLAIN: bool> Speller<'a, IS_PLAIN> {
    fn new(spelling: &'a Spelling) -> Self {
        let mut odd = [(u32::MAX, u32::MAX); 2];
        let leads = spelling.joins.then_some(LEADS);
        for range in spelling.missing.iter().copied().chain(spelling.escapes).chain(leads) {
            // Those of the surrogates and beyond are close to each other.
            let place = &mut odd[usize::from(range.0 >= LEADS.0)];
            *place = if *place == (u32::MAX, u32::MAX) { range } else { (place.0.min(range.0), place.1.max(range.1)) };
        }
        Speller {
            spelling,
            starts: spelling.starts,
            odd,
            nul_is_two: !IS_PLAIN && spelling.nul_is_two,
            splits: !IS_PLAIN && spelling.splits,
            is_shifted: !IS_PLAIN && spelling.is_shifted(),
        }
    }

    /// Up to 64 code points below U+0100, if none needs a closer look.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn bytes(&self, points: __m512i, left: usize) -> Option<Bytes> {
        let valid = low_64(left);
        let odd = if self.odd[0].0 <= 0xFF { within_8(points, self.odd[0]) } else { 0 };
        if odd & valid != 0 {
            return None;
        }
        let nul = if self.nul_is_two { _mm512_testn_epi8_mask(points, points) } else { 0 };
        Some(Bytes { points, valid, two: (from_8(points, self.starts[0]) | nul) & valid })
    }

    /// Up to 32 code points; what is behind them decides about a lead in the last.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn units<Taker>(&self, mut points: __m512i, next: impl Fn() -> __m512i, left: usize) -> Units {
        let (mut read, mut dropped, mut escapes) = (left.min(32), 0, 0);
        let low = if self.odd[0].0 <= 0xFFFF { within_16(points, self.odd[0]) } else { 0 };
        if (low | within_16(points, self.odd[1])) & low_32(left) != 0 {
            let odd = self.odd(|range| within_16(points, range), |range| within_16(next(), range));
            read = read.min(odd.stops.trailing_zeros() as usize);
            dropped = odd.dropped;
            points = _mm512_mask_mov_epi16(points, odd.marked, _mm512_set1_epi16(b'?'.into()));
            escapes = self.spelling.escapes.map_or(0, |range| within_16(points, range));
        }
        let valid = low_32(read) & !dropped;
        let nul = if self.nul_is_two { _mm512_testn_epi16_mask(points, points) } else { 0 };
        let (two, three) = (from_16(points, self.starts[0]) | nul, from_16(points, self.starts[1]));
        Units { points, read, valid, lengths: [two, three].map(|lanes| lanes & !escapes & valid) }
    }

    /// Up to 16 code points; what is behind them decides about a lead in the last.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn points<Taker>(&self, mut points: __m512i, next: impl Fn() -> __m512i, left: usize) -> Points {
        let (mut read, mut dropped, mut escapes) = (left.min(16), 0, 0);
        let low = if self.odd[0].0 <= 0xFFFF { within_32(points, self.odd[0]) } else { 0 };
        if (low | within_32(points, self.odd[1])) & low_16(left) != 0 {
            let odd = self.odd(|range| within_32(points, range).into(), |range| within_32(next(), range).into());
            read = read.min(odd.stops.trailing_zeros() as usize);
            dropped = odd.dropped as u16;
            points = _mm512_mask_mov_epi32(points, odd.marked as u16, _mm512_set1_epi32(b'?'.into()));
            escapes = self.spelling.escapes.map_or(0, |range| within_32(points, range));
        }
        let valid = low_16(read) & !dropped;
        let nul = if self.nul_is_two { _mm512_testn_epi32_mask(points, points) } else { 0 };
        let [two, three, four] = self.starts.map(|start| from_32(points, start));
        let splits = if self.splits { from_32(points, 0x1_0000) & valid } else { 0 };
        Points { points, read, valid, lengths: [two | nul, three, four].map(|lanes| lanes & !escapes & valid), splits }
    }

    /// What the form lacks and the pairs that it joins.
    #[inline]
    fn odd(&self, within: impl Fn(Range) -> u32, next_within: impl Fn(Range) -> u32) -> Odd {
        let pairs = if self.spelling.joins { within(LEADS) & next_within(TRAILS) } else { 0 };
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
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
        let block = speller.units::<u8>(_mm512_cvtepu8_epi16(bytes_32(text, at)), || _mm512_setzero_si512(), left);
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_of_two<S, const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    text: &[u16],
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, &Units),
) -> usize {
    let mut at = start;
    while at < limit {
        let left = limit - at;
        fetch_ahead(text, at);
        let block = speller.units::<u16>(units_32(text, at), || units_32(text, at + 1), left);
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_of_four<S, const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    text: &[u32],
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, &Points),
) -> usize {
    let mut at = start;
    while at < limit {
        let left = limit - at;
        fetch_ahead(text, at);
        let block = speller.points::<u32>(units_16(text, at), || units_16(text, at + 1), left);
        take(state, &block);
        if block.read < 16.min(left) {
            return at + block.read;
        }
        // A number, not what was counted: the next loads must not wait for the masks of this block.
        at += 16;
    }
    limit
}

/// Whether the spelling of a form is that of UTF-8, but for what is missing, escaped or joined.
fn is_plain(spelling: &Spelling) -> bool {
    !spelling.nul_is_two && !spelling.splits && !spelling.is_shifted()
}

/// Measure from an index to a limit, or to where the kernel stops.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    let mut bytes = 0;
    let end = if is_plain(spelt.spelling) {
        count::<true>(spelt, (start, limit), &mut bytes)
    } else {
        count::<false>(spelt, (start, limit), &mut bytes)
    };
    Stretch { end, bytes }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn count<const IS_PLAIN: bool>(spelt: &Spelt<'_>, span: (usize, usize), bytes: &mut usize) -> usize {
    let speller = Speller::<IS_PLAIN>::new(spelt.spelling);
    let of_block = |bytes: &mut usize, block: &Bytes| {
        *bytes += (block.valid.count_ones() + block.two.count_ones()) as usize;
    };
    let of_units = |bytes: &mut usize, block: &Units| {
        let longer = block.lengths.map(u32::count_ones);
        *bytes += (block.valid.count_ones() + longer[0] + longer[1]) as usize;
    };
    let of_points = |bytes: &mut usize, block: &Points| {
        let longer = block.lengths.map(u16::count_ones);
        let splits = 3 * block.splits.count_ones();
        *bytes += (block.valid.count_ones() + longer[0] + longer[1] + longer[2] + splits) as usize;
    };
    let of_ascii = |bytes: &mut usize, ascii: &[u8]| *bytes += ascii.len();
    match spelt.text {
        Text::One(text) => each_of_one(&speller, text, span, bytes, of_ascii, of_block, of_units),
        Text::Two(text) => each_of_two(&speller, text, span, bytes, of_units),
        Text::Four(text) => each_of_four(&speller, text, span, bytes, of_points),
    }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if is_plain(spelt.spelling) {
        write::<true>(spelt, (start, limit), out)
    } else {
        write::<false>(spelt, (start, limit), out)
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
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
        Text::Two(text) => each_of_two(&speller, text, span, out, |out, units| speller.put_units(units, out)),
        Text::Four(text) => {
            each_of_four(&speller, text, span, out, |out, points| speller.put_points::<u32>(points, out))
        }
    }
}

impl<const IS_PLAIN: bool> Speller<'_, IS_PLAIN> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_block(&self, block: &Bytes, out: &mut Output<'_, u8>) {
        if block.two == 0 {
            return put_bytes(out, block.points, block.valid.count_ones() as usize);
        }
        let mut block = Bytes { ..*block };
        for _ in 0..2 {
            let points = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(block.points));
            let units = Units { points, read: 32, valid: block.valid as u32, lengths: [block.two as u32, 0] };
            self.put_one_or_two::<u8>(&units, out);
            let points = _mm512_shuffle_i64x2::<0b10_11_10>(block.points, block.points);
            block = Bytes { points, valid: block.valid >> 32, two: block.two >> 32 };
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_units(&self, units: &Units, out: &mut Output<'_, u8>) {
        match units.lengths {
            // Each is its low byte.
            [0, 0] if units.valid == !0 => {
                put_bytes(out, _mm512_castsi256_si512(_mm512_cvtepi16_epi8(units.points)), 32);
            }
            [_, 0] => self.put_one_or_two::<u16>(units, out),
            _ => self.put_halves(units, out),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_one_or_two<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let (two, valid) = (units.lengths[0], units.valid);
        let mut payload = units.points;
        if self.is_shifted {
            payload = _mm512_mask_sub_epi16(payload, two, payload, _mm512_set1_epi16(self.spelling.offsets[0] as i16));
            let beyond = within_16(units.points, (self.spelling.gap.0, u32::MAX));
            payload = _mm512_mask_sub_epi16(payload, beyond, payload, _mm512_set1_epi16(self.spelling.gap.1 as i16));
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_halves(&self, units: &Units, out: &mut Output<'_, u8>) {
        let (mut units, mut valid, [mut two, mut three]) = (units.points, units.valid, units.lengths);
        for _ in 0..2 {
            let points = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(units));
            let lengths = [two as u16, three as u16, 0];
            self.put_points::<u16>(&Points { points, read: 16, valid: valid as u16, lengths, splits: 0 }, out);
            units = _mm512_shuffle_i64x2::<0b10_11_10>(units, units);
            (valid, two, three) = (valid >> 16, two >> 16, three >> 16);
        }
    }

    /// Write up to 16 lanes of 32 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn put_points<Taker>(&self, points: &Points, out: &mut Output<'_, u8>) {
        let (bytes, kept) = self.sequences::<Taker>(points);
        if points.splits == 0 {
            return put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
        }
        let lower = (_mm512_castsi512_si256(bytes), _mm512_castsi512_si256(points.points));
        put_pairs(lower, kept as u32, points.splits as u8, out);
        let upper = (_mm512_extracti64x4_epi64::<1>(bytes), _mm512_extracti64x4_epi64::<1>(points.points));
        put_pairs(upper, (kept >> 32) as u32, (points.splits >> 8) as u8, out);
    }

    /// The sequences of 16 code points, at the ends of their lanes, and which bytes belong to them.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn sequences<Taker>(&self, points: &Points) -> (__m512i, u64) {
        let mut payload = points.points;
        if self.is_shifted {
            payload = shifted(self.spelling, payload, points.lengths);
        }
        sequences(payload, points.lengths, points.valid)
    }
}

/// Write eight sequences, those that `splits` tells as surrogate pairs of their points.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_pairs((sequences, points): (__m256i, __m256i), kept: u32, splits: u8, out: &mut Output<'_, u8>) {
    let index = _mm512_sub_epi64(_mm512_cvtepu32_epi64(points), _mm512_set1_epi64(0x1_0000));
    let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(PAIR_GROUPS), index);
    let payloads = _mm512_and_si512(groups, _mm512_set1_epi64(PAIR_PAYLOADS));
    let pairs = _mm512_or_si512(payloads, _mm512_set1_epi64(PAIR_MARKS));
    let bytes = _mm512_mask_mov_epi64(_mm512_cvtepu32_epi64(sequences), splits, pairs);
    let kept = _pdep_u64(kept.into(), 0x0F0F_0F0F_0F0F_0F0F) | (_pdep_u64(splits.into(), EVERY_EIGHTH) * 0x3F);
    put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
}

const EVERY_EIGHTH: u64 = 0x0101_0101_0101_0101;
/// Where the payloads of a surrogate pair begin in its index, how many bits they have, and what marks them: ED, and twice
/// four bits and six.
const PAIR_GROUPS: i64 = i64::from_le_bytes([0, 16, 10, 0, 6, 0, 0, 0]);
const PAIR_PAYLOADS: i64 = i64::from_le_bytes([0, 0x0F, 0x3F, 0, 0x0F, 0x3F, 0, 0]);
const PAIR_MARKS: i64 = i64::from_le_bytes([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80, 0, 0]);

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn shifted(spelling: &Spelling, points: __m512i, [two, three, four]: [u16; 3]) -> __m512i {
    let beyond = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(spelling.gap.0 as i32));
    let mut payload = _mm512_mask_sub_epi32(points, beyond, points, _mm512_set1_epi32(spelling.gap.1 as i32));
    for (lanes, offset) in [two & !three, three & !four, four].into_iter().zip(spelling.offsets) {
        payload = _mm512_mask_sub_epi32(payload, lanes, payload, _mm512_set1_epi32(offset as i32));
    }
    payload
}
