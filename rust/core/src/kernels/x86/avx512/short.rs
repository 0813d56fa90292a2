//! Short text to UTF-8 in one pass, into memory large enough for any result.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::units::{are_16, are_32};
use super::{EVERY_FOURTH, bytes_32, halves_32, put_one_or_two, put_sequences, units_16, units_32};
use crate::code_point::{SURROGATES, TRAILS};
use crate::derive::instead::Instead;
use crate::kernels::instead::ANSWER;
use crate::kernels::lanes::low_64;
use crate::kernels::output::Output;
use crate::kernels::text::Text;

const LANES: usize = 16;
/// The code points below U+0800 of a block.
const UNITS: usize = 32;

/// Sixteen code points at most, and what becomes of each of them.
struct Block {
    points: __m512i,
    /// The lanes that are written.
    kept: u16,
    /// Those of them that are written as their lowest byte.
    single: u16,
    /// The lanes that end the text.
    ends: u16,
}

impl Block {
    /// The block at an index; its surrogates are written, until [`Block::answer`] says otherwise.
    #[inline]
    #[avx512]
    fn new(text: Text<'_>, at: usize) -> Self {
        let kept = u16::MAX >> (LANES - (text.len() - at).min(LANES));
        // SAFETY: masked loads touch only the code points of their mask, and as many are left.
        let points = unsafe {
            match text {
                Text::One(points) => _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(kept, points.as_ptr().add(at).cast())),
                Text::Two(points) => {
                    _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(kept, points.as_ptr().add(at).cast()))
                }
                Text::Four(points) => _mm512_maskz_loadu_epi32(kept, points.as_ptr().add(at).cast()),
            }
        };
        let ends = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x11_0000));
        Block { points, kept, single: 0, ends }
    }

    /// Write something instead of surrogates; where the text goes on behind the block, that may be a trail.
    #[inline]
    #[avx512]
    fn answer(&mut self, instead: Instead, goes_on: bool) {
        let surrogates = are_32(self.points, SURROGATES);
        match instead {
            Instead::Stop | Instead::Escape => self.ends |= surrogates,
            Instead::Nothing => self.kept &= !surrogates,
            Instead::Mark => {
                self.points = _mm512_mask_mov_epi32(self.points, surrogates, _mm512_set1_epi32(b'?'.into()));
            }
            Instead::Byte((first, last)) => {
                let first = _mm512_cmpge_epu32_mask(self.points, _mm512_set1_epi32(first as i32));
                let last = _mm512_cmple_epu32_mask(self.points, _mm512_set1_epi32(last as i32));
                self.single = surrogates & first & last;
                self.ends |= surrogates & !self.single;
            }
            Instead::Sequence { joins } => {
                let trails = are_32(self.points, TRAILS);
                let next = trails >> 1 | u16::from(goes_on) << (LANES - 1);
                self.ends |= if joins { surrogates & !trails & next } else { 0 };
            }
        }
    }

    /// Write it up to where it ends the text, and return how many code points that is.
    #[inline]
    #[avx512]
    fn put(&self, out: &mut Output<'_, u8>) -> usize {
        let end = (u32::from(self.ends) | 1 << LANES).trailing_zeros();
        let kept = u64::from(self.kept) & ((1 << end) - 1);
        let bytes = _mm512_and_si512(self.points, _mm512_set1_epi32(0xFF));
        let sequences = _mm512_mask_mov_epi32(sequences(self.points), self.single, bytes);
        put_sequences(sequences, _pdep_u64(kept, EVERY_FOURTH) * 0xF, out);
        end as usize
    }
}

/// As [`write_scalars`](crate::kernels::write_scalars), with enough room.
#[avx512]
pub fn write_scalars(text: Text<'_>, out: &mut Output<'_, u8>) -> usize {
    match text {
        Text::One(points) => {
            for block in points.chunks(UNITS) {
                put_one_or_two(_mm512_cvtepu8_epi16(bytes_32(block, 0)), block.len(), out);
            }
        }
        Text::Two(points) => {
            for (block, at) in points.chunks(UNITS).zip((0..).step_by(UNITS)) {
                let units = units_32(block, 0);
                if _mm512_cmpge_epu16_mask(units, _mm512_set1_epi16(0x800)) == 0 {
                    put_one_or_two(units, block.len(), out);
                    continue;
                }
                if are_16(units, SURROGATES) != 0 {
                    return at;
                }
                let [lower, upper] = halves_32(units);
                put_first(lower, block.len(), out);
                if block.len() > LANES {
                    put_first(upper, block.len() - LANES, out);
                }
            }
        }
        Text::Four(points) => {
            for (block, at) in points.chunks(LANES).zip((0..).step_by(LANES)) {
                let points = units_16(block, 0);
                let ends = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x11_0000));
                if are_32(points, SURROGATES) | ends != 0 {
                    return at;
                }
                put_first(points, block.len(), out);
            }
        }
    }
    text.len()
}

/// As [`write_short`](crate::kernels::write_short), with enough room.
#[avx512]
pub fn write(text: Text<'_>, instead: Instead, out: &mut Output<'_, u8>) -> usize {
    let mut at = 0;
    while at < text.len() {
        let count = (text.len() - at).min(LANES);
        let mut block = Block::new(text, at);
        block.answer(instead, at + count < text.len());
        let end = block.put(out);
        if end >= count {
            // Not to its end, for which the next block would have to wait.
            at += count;
            continue;
        }
        at += end;
        let Some((bytes, length)) = instead.at(text, at) else { return at };
        out.extend_loosely::<ANSWER>(&bytes.to_le_bytes(), length);
        at += 1;
    }
    text.len()
}

/// Write the first `count` of sixteen code points, or all.
#[inline]
#[avx512]
fn put_first(points: __m512i, count: usize, out: &mut Output<'_, u8>) {
    put_sequences(sequences(points), low_64(4 * count.min(LANES)), out);
}

/// The sequences of code points, each in its lane from the lowest byte up, padded with 0.
#[inline]
#[avx512]
fn sequences(points: __m512i) -> __m512i {
    let two = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x80));
    let three = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x800));
    let four = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x1_0000));
    // Place six bits in each byte, the highest first, as if each sequence had four bytes; then shift out those that are
    // missing.
    let each_six = _mm512_set1_epi64(i64::from_le_bytes([18, 12, 6, 0, 32 + 18, 32 + 12, 32 + 6, 32]));
    let payloads = _mm512_and_si512(_mm512_multishift_epi64_epi8(each_six, points), _mm512_set1_epi8(0x3F));
    let beyond = _mm512_mask_mov_epi32(_mm512_set1_epi32(16), three, _mm512_set1_epi32(8));
    let beyond = _mm512_mask_mov_epi32(beyond, four, _mm512_setzero_si512());
    let marks = _mm512_mask_mov_epi32(_mm512_set1_epi32(0x80C0), three, _mm512_set1_epi32(0x80_80E0));
    let marks = _mm512_mask_mov_epi32(marks, four, _mm512_set1_epi32(0x8080_80F0_u32.cast_signed()));
    _mm512_mask_or_epi32(points, two, _mm512_srlv_epi32(payloads, beyond), marks)
}
