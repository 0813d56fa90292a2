//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Up to 32 code points that take two bytes at most are lanes of 16 bits, others lanes of 32: each lane becomes its bytes
//! all at once, and `compress` drops those that it does not have.

use std::arch::x86_64::*;

use super::{
    EVERY_FOURTH, EVERY_SECOND, GROUPS, OR_OR, bytes_32, bytes_64, low_16, low_32, put_bytes, units_16, units_32,
};
use crate::form::{LEADS, Range, TRAILS};
use crate::kernels::{Output, Spelt, Stretch, Text};
use crate::spelling::Spelling;

/// Up to 32 code points below U+10000.
struct Units {
    points: __m512i,
    /// The lanes that are written; where the others begin the kernel stops, if not the text.
    valid: u32,
    /// Lanes of at least two bytes, and of at least three.
    lengths: [u32; 2],
}

/// Up to 16 code points.
struct Points {
    points: __m512i,
    valid: u16,
    /// Lanes of at least two, three and four bytes.
    lengths: [u16; 3],
    /// Lanes that are written as a surrogate pair.
    splits: u16,
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_16(points: __m512i, range: Range) -> u32 {
    if range.0 > 0xFFFF {
        return 0;
    }
    let span = (range.1.min(0xFFFF) - range.0) as u16;
    let index = _mm512_sub_epi16(points, _mm512_set1_epi16(range.0 as i16));
    _mm512_cmple_epu16_mask(index, _mm512_set1_epi16(span as i16))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn within_32(points: __m512i, range: Range) -> u16 {
    let index = _mm512_sub_epi32(points, _mm512_set1_epi32(range.0 as i32));
    _mm512_cmple_epu32_mask(index, _mm512_set1_epi32((range.1 - range.0) as i32))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn at_least_16(points: __m512i, start: u32) -> u32 {
    if start > 0xFFFF { 0 } else { _mm512_cmpge_epu16_mask(points, _mm512_set1_epi16(start as i16)) }
}

/// The lanes of a block of 32; what is behind them decides about a lead in the last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn units(spelling: &Spelling, points: __m512i, next: __m512i, left: usize) -> Units {
    let mut stops = 0;
    for &range in &spelling.missing {
        stops |= within_16(points, range);
    }
    if spelling.joins {
        stops |= within_16(points, LEADS) & within_16(next, TRAILS);
    }
    let valid = low_32((stops & low_32(left)).trailing_zeros() as usize) & low_32(left);
    let escapes = spelling.escapes.map_or(0, |range| within_16(points, range));
    let mut two = at_least_16(points, spelling.starts[0]);
    if spelling.nul_is_two {
        two |= _mm512_testn_epi16_mask(points, points);
    }
    let three = at_least_16(points, spelling.starts[1]);
    Units { points, valid, lengths: [two, three].map(|lanes| lanes & !escapes & valid) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn points(spelling: &Spelling, points: __m512i, next: __m512i, left: usize) -> Points {
    let mut stops = 0;
    for &range in &spelling.missing {
        stops |= within_32(points, range);
    }
    if spelling.joins {
        stops |= within_32(points, LEADS) & within_32(next, TRAILS);
    }
    let stop = (u32::from(stops & low_16(left)) | 0x1_0000).trailing_zeros() as usize;
    let valid = low_16(stop) & low_16(left);
    let escapes = spelling.escapes.map_or(0, |range| within_32(points, range));
    let at_least = |start: u32| _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(start as i32));
    let [mut two, three, four] = spelling.starts.map(&at_least);
    if spelling.nul_is_two {
        two |= _mm512_testn_epi32_mask(points, points);
    }
    let lengths = [two, three, four].map(|lanes| lanes & !escapes & valid);
    let splits = if spelling.splits { at_least(0x1_0000) & valid } else { 0 };
    Points { points, valid, lengths, splits }
}

/// Whether 64 bytes are written as they stand.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn is_ascii(spelling: &Spelling, bytes: __m512i) -> bool {
    _mm512_movepi8_mask(bytes) == 0 && (spelling.nul_is_one || _mm512_testn_epi8_mask(bytes, bytes) == 0)
}

/// Hand over a text block by block, from an index to a limit or to where the kernel stops; the end is returned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn each_block<S>(
    spelt: &Spelt<'_>,
    (start, limit): (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, __m512i),
    take_units: impl Fn(&mut S, &Units),
    take_points: impl Fn(&mut S, &Points),
) -> usize {
    let (spelling, mut at) = (spelt.spelling, start);
    while at < limit {
        let left = limit - at;
        let (read, lanes) = match spelt.text {
            Text::One(text) => {
                let bytes = bytes_64(text, at);
                if left >= 64 && is_ascii(spelling, bytes) {
                    take_ascii(state, bytes);
                    at += 64;
                    continue;
                }
                let block = units(spelling, _mm512_cvtepu8_epi16(bytes_32(text, at)), _mm512_setzero_si512(), left);
                take_units(state, &block);
                (block.valid.count_ones() as usize, 32)
            }
            Text::Two(text) => {
                let block = units(spelling, units_32(text, at), units_32(text, at + 1), left);
                take_units(state, &block);
                (block.valid.count_ones() as usize, 32)
            }
            Text::Four(text) => {
                let block = points(spelling, units_16(text, at), units_16(text, at + 1), left);
                take_points(state, &block);
                (block.valid.count_ones() as usize, 16)
            }
        };
        if read < lanes {
            return at + read;
        }
        // A number, not what was counted: the next loads must not wait for the masks of this block.
        at += lanes;
    }
    at
}

/// Measure from an index to a limit, or to where the kernel stops.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    let mut bytes = 0;
    let count = |lanes: u32| lanes.count_ones() as usize;
    let end = each_block(
        spelt,
        (start, limit),
        &mut bytes,
        |bytes, _| *bytes += 64,
        |bytes, units| *bytes += count(units.valid) + count(units.lengths[0]) + count(units.lengths[1]),
        |bytes, points| {
            let longer = points.lengths.map(|lanes| lanes.count_ones() as usize);
            *bytes += count(points.valid.into()) + longer[0] + longer[1] + longer[2] + 3 * count(points.splits.into());
        },
    );
    Stretch { end, bytes }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    let spelling = spelt.spelling;
    each_block(
        spelt,
        (start, limit),
        out,
        |out, bytes| put_bytes(out, bytes, 64),
        |out, units| put_units(spelling, units, out),
        |out, points| {
            if points.splits == 0 {
                put_points(spelling, points, out);
            } else {
                put_halves(spelling, &split(spelling, points), out);
            }
        },
    )
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_units(spelling: &Spelling, units: &Units, out: &mut Output<'_, u8>) {
    let ([two, three], valid) = (units.lengths, units.valid);
    if three != 0 {
        return put_halves(spelling, units, out);
    }
    let mut payload =
        _mm512_mask_sub_epi16(units.points, two, units.points, _mm512_set1_epi16(spelling.offsets[0] as i16));
    if spelling.gap.1 > 0 {
        let beyond = at_least_16(units.points, spelling.gap.0);
        payload = _mm512_mask_sub_epi16(payload, beyond, payload, _mm512_set1_epi16(spelling.gap.1 as i16));
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
fn put_halves(spelling: &Spelling, units: &Units, out: &mut Output<'_, u8>) {
    let half = |points: __m256i, first: u32| Points {
        points: _mm512_cvtepu16_epi32(points),
        valid: (units.valid >> first) as u16,
        lengths: [(units.lengths[0] >> first) as u16, (units.lengths[1] >> first) as u16, 0],
        splits: 0,
    };
    put_points(spelling, &half(_mm512_castsi512_si256(units.points), 0), out);
    if units.valid > 0xFFFF {
        put_points(spelling, &half(_mm512_extracti64x4_epi64::<1>(units.points), 16), out);
    }
}

/// The 16-bit code units of code points.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn split(spelling: &Spelling, points: &Points) -> Units {
    let index = _mm512_sub_epi32(points.points, _mm512_set1_epi32(0x1_0000));
    let lead = _mm512_add_epi32(_mm512_srli_epi32::<10>(index), _mm512_set1_epi32(LEADS.0 as i32));
    let trail = _mm512_and_si512(index, _mm512_set1_epi32(0x3FF));
    let trail = _mm512_add_epi32(trail, _mm512_set1_epi32(TRAILS.0 as i32));
    let pair = _mm512_or_si512(lead, _mm512_slli_epi32::<16>(trail));
    let pairs = _mm512_mask_mov_epi32(points.points, points.splits, pair);
    let every_second = EVERY_SECOND as u32;
    let kept = _pdep_u32(points.valid.into(), every_second) | _pdep_u32(points.splits.into(), every_second << 1);
    let units = _mm512_maskz_compress_epi16(kept, pairs);
    let valid = low_32(kept.count_ones() as usize);
    let escapes = spelling.escapes.map_or(0, |range| within_16(units, range));
    let mut two = at_least_16(units, spelling.starts[0]);
    if spelling.nul_is_two {
        two |= _mm512_testn_epi16_mask(units, units);
    }
    let lengths = [two, at_least_16(units, spelling.starts[1])].map(|lanes| lanes & !escapes & valid);
    Units { points: units, valid, lengths }
}

/// Write up to 16 lanes of 32 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
fn put_points(spelling: &Spelling, points: &Points, out: &mut Output<'_, u8>) {
    let ([two, three, four], valid) = (points.lengths, points.valid);
    let mut payload = points.points;
    if spelling.is_shifted() {
        payload = shifted(spelling, payload, points.lengths);
    }
    // Four groups of six bits in each lane, the highest in the lowest byte; then the marks of a continuation.
    let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(GROUPS), payload);
    let marked = _mm512_or_si512(
        _mm512_and_si512(groups, _mm512_set1_epi32(0x3F3F_3F07)),
        _mm512_set1_epi32(0x8080_80F0_u32 as i32),
    );
    let bytes = _mm512_mask_or_epi32(marked, !four & three, marked, _mm512_set1_epi32(0x0000_E000));
    let bytes = _mm512_mask_or_epi32(bytes, !three & two, bytes, _mm512_set1_epi32(0x00C0_0000));
    let bytes = _mm512_mask_mov_epi32(bytes, !two, _mm512_slli_epi32::<24>(payload));
    let kept = _pdep_u64(valid.into(), EVERY_FOURTH << 3)
        | _pdep_u64(two.into(), EVERY_FOURTH << 2)
        | _pdep_u64(three.into(), EVERY_FOURTH << 1)
        | _pdep_u64(four.into(), EVERY_FOURTH);
    put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
}

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
