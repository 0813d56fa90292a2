//! Short text to UTF-8 in one pass, into memory large enough for any result.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use crate::kernels::output::Output;
use crate::kernels::text::Text;

const LANES: usize = 16;

/// Write a text for which there is room, up to the first code point that is no scalar value; return how many those are.
#[avx512]
pub fn write(text: Text<'_>, out: &mut Output<'_, u8>) -> usize {
    for at in (0..text.len()).step_by(LANES) {
        let count = (text.len() - at).min(LANES);
        let valid = u16::MAX >> (LANES - count);
        // SAFETY: masked loads touch only the code points of their mask, and as many are left.
        let points = unsafe {
            match text {
                Text::One(points) => _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(valid, points.as_ptr().add(at).cast())),
                Text::Two(points) => {
                    _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(valid, points.as_ptr().add(at).cast()))
                }
                Text::Four(points) => _mm512_maskz_loadu_epi32(valid, points.as_ptr().add(at).cast()),
            }
        };
        let block = _mm512_and_si512(points, _mm512_set1_epi32(!0x7FF));
        let surrogates = _mm512_cmpeq_epi32_mask(block, _mm512_set1_epi32(0xD800));
        let others = surrogates | _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x11_0000));
        let sequences = sequences(points);
        // Bytes that are not part of a sequence are 0, and so is U+0000, which is the first byte of its own.
        let used = _mm512_test_epi8_mask(sequences, sequences) | 0x1111_1111_1111_1111;
        let used = used & (u64::MAX >> (64 - 4 * count));
        if others != 0 {
            let count = others.trailing_zeros();
            put(sequences, used & !(u64::MAX << (4 * count)), out);
            return at + count as usize;
        }
        put(sequences, used, out);
    }
    text.len()
}

/// Write the bytes of sequences that are used.
#[inline]
#[avx512]
fn put(sequences: __m512i, used: u64, out: &mut Output<'_, u8>) {
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
