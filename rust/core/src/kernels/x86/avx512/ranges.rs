//! Which lanes hold code points of a range.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use crate::code_point::Range;

#[inline]
#[avx512]
pub fn within_8(points: __m512i, range: Range) -> u64 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFF) as u8);
    let index = _mm512_sub_epi8(points, _mm512_set1_epi8(first as i8));
    // A range beyond the values of a lane contains none of them, even though its saturated ends equal the last.
    let reached = if range.0 <= 0xFF { !0 } else { 0 };
    _mm512_mask_cmple_epu8_mask(reached, index, _mm512_set1_epi8((last - first) as i8))
}

#[inline]
#[avx512]
pub fn within_16(points: __m512i, range: Range) -> u32 {
    let [first, last] = [range.0, range.1].map(|point| point.min(0xFFFF) as u16);
    let index = _mm512_sub_epi16(points, _mm512_set1_epi16(first as i16));
    // A range beyond the values of a lane contains none of them, even though its saturated ends equal the last.
    let reached = if range.0 <= 0xFFFF { !0 } else { 0 };
    _mm512_mask_cmple_epu16_mask(reached, index, _mm512_set1_epi16((last - first) as i16))
}

#[inline]
#[avx512]
pub fn within_32(points: __m512i, range: Range) -> u16 {
    let index = _mm512_sub_epi32(points, _mm512_set1_epi32(range.0 as i32));
    _mm512_cmple_epu32_mask(index, _mm512_set1_epi32((range.1 - range.0) as i32))
}

/// Lanes that hold `start` or a later code point; `start` must not be 0.
#[inline]
#[avx512]
pub fn from_8(points: __m512i, start: u32) -> u64 {
    _mm512_cmpgt_epu8_mask(points, _mm512_set1_epi8((start - 1).min(0xFF) as i8))
}

#[inline]
#[avx512]
pub fn from_16(points: __m512i, start: u32) -> u32 {
    _mm512_cmpgt_epu16_mask(points, _mm512_set1_epi16((start - 1).min(0xFFFF) as i16))
}

#[inline]
#[avx512]
pub fn from_32(points: __m512i, start: u32) -> u16 {
    _mm512_cmpgt_epu32_mask(points, _mm512_set1_epi32((start - 1) as i32))
}
