//! Short text to UTF-8 in one pass, into memory large enough for any result.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::units::are_32;
use crate::code_point::{SURROGATES, TRAILS};
use crate::derive::instead::Instead;
use crate::kernels::instead::ANSWER;
use crate::kernels::output::Output;
use crate::kernels::text::Text;

const LANES: usize = 16;
/// The first byte of each lane.
const FIRST_BYTES: u64 = 0x1111_1111_1111_1111;

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
        put(sequences, _pdep_u64(kept, FIRST_BYTES) * 0xF, out);
        end as usize
    }
}

/// As [`write_short`](crate::kernels::write_short), with enough room.
#[avx512]
pub fn write(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    for at in (0..text.len()).step_by(LANES) {
        let block = Block::new(text, at);
        if are_32(block.points, SURROGATES) | block.ends != 0 {
            return write_from(text, at, *instead, out);
        }
        put(sequences(block.points), u64::MAX >> (64 - 4 * LANES.min(text.len() - at)), out);
    }
    text.len()
}

/// Write the same from an index on.
// Inlined, it would take registers from the loop that calls it.
#[inline(never)]
#[avx512]
fn write_from(text: Text<'_>, start: usize, instead: Instead, out: &mut Output<'_, u8>) -> usize {
    let mut at = start;
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

/// Write the bytes of those sequences whose lanes are used.
#[inline]
#[avx512]
fn put(sequences: __m512i, used: u64, out: &mut Output<'_, u8>) {
    // Bytes that are not part of a sequence are 0, and so is U+0000, which is the first byte of its own.
    let used = (_mm512_test_epi8_mask(sequences, sequences) | FIRST_BYTES) & used;
    let place = out.spare().first_chunk_mut::<64>().expect("room for more");
    // SAFETY: 64 bytes have room there.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(used, sequences)) };
    // SAFETY: 64 bytes have been written.
    unsafe { out.advance(used.count_ones() as usize) };
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
