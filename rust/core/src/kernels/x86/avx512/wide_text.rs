//! Text of any kind of str, measured and written as 16- and 32-bit units. Byte forms are written by `speller` and
//! `encode`.

use std::arch::x86_64::*;

use eightfold_features::avx512;

#[cfg(feature = "simdutf")]
use super::clean::each_points;
use super::units::{are_16, are_32, ordered};
use super::{EVERY_SECOND, OR_OR, bytes_32, low_32, put_bytes, units_16, units_32};
use crate::code_point::SURROGATES;
use crate::kernels::output::Output;
use crate::kernels::spelt::Stretch;
use crate::kernels::text::Text;
use crate::kernels::wide_text::WideText;
use crate::policy::Lacking;

/// The replacement for a code point that the form lacks, unless it is dropped.
const MARK: i16 = b'?' as i16;
/// The 16-bit lanes that are the lower halves of 32-bit lanes.
const LOWER: u32 = EVERY_SECOND as u32;

/// Up to 32 code points below U+10000, or 16 of any. Those to be written start at the first lane; if they are fewer
/// than requested, the kernel stops behind them.
struct Block {
    points: __m512i,
    read: usize,
    /// Which of the code points read are written.
    kept: u32,
}

impl Block {
    /// 32 code points of a str of one or two bytes each, of which `left` are to be written.
    #[inline]
    #[avx512]
    fn of_16<Taker>(from: &WideText<'_>, at: usize, left: usize) -> Block {
        let points = match from.text {
            Text::One(text) => _mm512_cvtepu8_epi16(bytes_32(text, at)),
            Text::Two(text) => units_32(text, at),
            Text::Four(_) => unreachable!("lanes are too narrow for them"),
        };
        let missing = if from.wide.has_surrogates { 0 } else { are_16(points, SURROGATES) };
        if missing == 0 {
            return Block { points, read: left, kept: low_32(left) };
        }
        let marked = _mm512_mask_mov_epi16(points, missing, _mm512_set1_epi16(MARK));
        Block::answered(from.lacking, [points, marked], left, missing)
    }

    /// 16 code points of a str of any kind, of which `left` are to be written.
    #[inline]
    #[avx512]
    fn of_32<Taker>(from: &WideText<'_>, at: usize, left: usize) -> Block {
        let points = match from.text {
            Text::One(text) => _mm512_cvtepu8_epi32(_mm256_castsi256_si128(bytes_32(text, at))),
            Text::Two(text) => _mm512_cvtepu16_epi32(_mm512_castsi512_si256(units_32(text, at))),
            Text::Four(text) => units_16(text, at),
        };
        let missing = if from.wide.has_surrogates { 0 } else { are_32(points, SURROGATES) };
        if missing == 0 {
            return Block { points, read: left, kept: low_32(left) };
        }
        let marked = _mm512_mask_mov_epi32(points, missing, _mm512_set1_epi32(MARK.into()));
        Block::answered(from.lacking, [points, marked], left, missing.into())
    }

    /// The same block in a form that lacks some of the code points.
    #[inline]
    #[avx512]
    fn answered(lacking: Lacking, [points, marked]: [__m512i; 2], left: usize, missing: u32) -> Block {
        match lacking {
            Lacking::Mark => Block { points: marked, read: left, kept: low_32(left) },
            Lacking::Nothing => Block { points, read: left, kept: !missing & low_32(left) },
            Lacking::Stop | Lacking::Escape => {
                let read = left.min(missing.trailing_zeros() as usize);
                Block { points, read, kept: low_32(read) }
            }
        }
    }

    /// The number of code points written.
    #[inline]
    fn count(&self) -> usize {
        self.kept.count_ones() as usize
    }
}

/// Pass `LANES` code points at a time to `take`, from an index to a limit. `take` returns how many of those left it
/// read; the function returns the end.
#[inline]
#[avx512]
fn each_block<const LANES: usize>(
    (start, limit): (usize, usize),
    mut take: impl FnMut(usize, usize) -> usize,
) -> usize {
    let mut at = start;
    while at < limit {
        let left = LANES.min(limit - at);
        let read = take(at, left);
        if read < left {
            return at + read;
        }
        // A constant, not the count: the next loads must not wait for the masks of this block.
        at += LANES;
    }
    limit
}

/// As [`WideText::measure`].
#[avx512]
pub fn measure(text: &WideText<'_>, start: usize, limit: usize) -> Stretch {
    let mut units = 0;
    if text.is_whole() {
        return Stretch { end: limit, bytes: (limit - start) * text.wide.unit_bytes };
    }
    let end = match text.text {
        Text::One(_) | Text::Two(_) => each_block::<32>((start, limit), |at, left| {
            let block = Block::of_16::<()>(text, at, left);
            units += block.count();
            block.read
        }),
        Text::Four(_) => each_block::<16>((start, limit), |at, left| {
            let block = Block::of_32::<()>(text, at, left);
            units += block.count();
            if text.wide.unit_bytes == 2 {
                units += (u32::from(supplementary(block.points)) & block.kept).count_ones() as usize;
            }
            block.read
        }),
    };
    Stretch { end, bytes: units * text.wide.unit_bytes }
}

/// As [`WideText::write`].
#[avx512]
pub fn write(text: &WideText<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if text.is_whole() {
        // On AMD's Zen 4 this takes half the time of blocks.
        return text.write_whole(start, limit, out);
    }
    out.go_on(|out| write_blocks(text, start, limit, out))
}

#[inline]
#[avx512]
fn write_blocks(text: &WideText<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    let big_endian = text.wide.big_endian;
    match (text.wide.unit_bytes, text.text) {
        (2, Text::Four(_)) => each_block::<16>((start, limit), |at, left| {
            let block = Block::of_32::<u16>(text, at, left);
            put_points(&block, big_endian, out);
            block.read
        }),
        (2, _) => each_block::<32>((start, limit), |at, left| {
            let block = Block::of_16::<u16>(text, at, left);
            let is_all = block.count() == block.read;
            let points = if is_all { block.points } else { _mm512_maskz_compress_epi16(block.kept, block.points) };
            put_bytes(out, ordered::<2>(points, big_endian), 2 * block.count());
            block.read
        }),
        _ => each_block::<16>((start, limit), |at, left| {
            let block = Block::of_32::<u32>(text, at, left);
            let is_all = block.count() == block.read;
            let points =
                if is_all { block.points } else { _mm512_maskz_compress_epi32(block.kept as u16, block.points) };
            put_bytes(out, ordered::<4>(points, big_endian), 4 * block.count());
            block.read
        }),
    }
}

/// Write valid UTF-8 as UTF-16.
#[cfg(feature = "simdutf")]
#[avx512]
pub fn from_utf8(text: &[u8], big_endian: bool, out: &mut Output<'_, u8>) {
    out.go_on(|out| {
        each_points(text, None, false, |points, count| {
            put_points(&Block { points, read: count, kept: low_32(count) }, big_endian, out);
        });
    });
}

#[inline]
#[avx512]
fn supplementary(points: __m512i) -> u16 {
    _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x1_0000))
}

/// Write up to 16 code points as 16-bit units, as surrogate pairs where needed.
#[inline]
#[avx512]
fn put_points(block: &Block, big_endian: bool, out: &mut Output<'_, u8>) {
    let points = block.points;
    let splits = supplementary(points) & block.kept as u16;
    if splits == 0 && block.count() == block.read {
        let units = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(points));
        return put_bytes(out, ordered::<2>(units, big_endian), 2 * block.read);
    }
    // The lead is below the trail. A lane that is not a pair has its unit below, and its upper half is dropped.
    let pairs = _mm512_mask_mov_epi32(points, splits, split_32(points));
    let kept = _pdep_u32(block.kept, LOWER) | _pdep_u32(splits.into(), LOWER << 1);
    let units = _mm512_maskz_compress_epi16(kept, pairs);
    put_bytes(out, ordered::<2>(units, big_endian), 2 * kept.count_ones() as usize);
}

/// The surrogate pairs of supplementary code points.
#[inline]
#[avx512]
fn split_32(points: __m512i) -> __m512i {
    let index = _mm512_sub_epi32(points, _mm512_set1_epi32(0x1_0000));
    let leads = _mm512_srli_epi32::<10>(index);
    let trails = _mm512_and_si512(_mm512_slli_epi32::<16>(index), _mm512_set1_epi32(0x03FF_0000));
    _mm512_ternarylogic_epi32::<OR_OR>(leads, trails, _mm512_set1_epi32(0xDC00_D800_u32 as i32))
}
