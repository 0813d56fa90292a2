//! Searches for the first of a few bytes, and for a few bytes in a row.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::load_32;
use crate::kernels::class::Class;

/// Bytes in a vector.
pub const LANES: usize = 32;

/// The length of a beginning in which none of these bytes is: to the first of them, or to less than a vector before the
/// end.
#[avx2]
pub fn before_any(data: &[u8], meant: [u8; 3]) -> usize {
    let meant = meant.map(|byte| _mm256_set1_epi8(byte.cast_signed()));
    let mut at = 0;
    while let Some(bytes) = data[at..].first_chunk::<LANES>() {
        let bytes = load_32(bytes);
        let [first, second, third] = meant.map(|byte| _mm256_cmpeq_epi8(bytes, byte));
        let found = _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(first, second), third));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LANES;
    }
    at
}

/// How many bytes of whole vectors have a value, and the end of the last one: 0 if there is none.
#[avx2]
pub fn count(vectors: &[[u8; LANES]], meant: u8) -> (usize, usize) {
    let meant = _mm256_set1_epi8(meant.cast_signed());
    let (mut count, mut end) = (0, 0);
    for (index, bytes) in vectors.iter().enumerate() {
        let found = _mm256_movemask_epi8(_mm256_cmpeq_epi8(load_32(bytes), meant)).cast_unsigned();
        if found != 0 {
            count += found.count_ones() as usize;
            end = (index + 1) * LANES - found.leading_zeros() as usize;
        }
    }
    (count, end)
}

/// The length of a beginning in which no row of bytes of these classes begins: to the first one, or to less than a vector
/// and a row before the end.
#[avx2]
pub fn before_row(data: &[u8], classes: &[Class; 4]) -> usize {
    let mut at = 0;
    while data.len() - at >= LANES + classes.len() {
        let mut found = _mm256_set1_epi8(-1);
        for (place, class) in classes.iter().enumerate() {
            let bytes = data[at + place..].first_chunk::<LANES>().expect("as many are left");
            found = _mm256_and_si256(found, are_in(load_32(bytes), class));
        }
        let found = _mm256_movemask_epi8(found);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LANES;
    }
    at
}

/// The bytes of a vector that are of a class, all their bits set.
#[inline]
#[avx2]
fn are_in(bytes: __m256i, class: &Class) -> __m256i {
    let all = |byte: u8| _mm256_set1_epi8(byte.cast_signed());
    let distance = _mm256_sub_epi8(_mm256_and_si256(bytes, all(class.mask)), all(class.low));
    _mm256_cmpeq_epi8(_mm256_min_epu8(distance, all(class.high - class.low)), distance)
}
