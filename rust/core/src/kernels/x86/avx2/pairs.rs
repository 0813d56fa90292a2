//! Consecutive surrogate pairs, eight at a time: emoji, in the forms that write them as pairs.
//!
//! Eight pairs are 48 bytes in which each byte has its place, so that no masks are needed.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::points::joined_32;
use super::{fetch_ahead, is_none, load_16, load_32, part, put, store};
use crate::kernels::output::Output;

/// The bytes of eight pairs.
type Pairs = [u8; 48];

/// The bits of each byte that are the same in all pairs, and their values.
static BITS: Pairs = repeated([0xFF, 0xF0, 0xC0, 0xFF, 0xF0, 0xC0]);
static MARKS: Pairs = repeated([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]);

const fn repeated(pair: [u8; 6]) -> Pairs {
    let (mut bytes, mut at) = ([0; 48], 0);
    while at < 48 {
        bytes[at] = pair[at % 6];
        at += 1;
    }
    bytes
}

/// The bytes, from the first on, that are pairs, eight at a time.
#[inline]
#[avx2]
pub fn length(data: &[u8]) -> usize {
    let is_whole = |&(at, bytes): &(usize, &Pairs)| {
        fetch_ahead(data, 48 * at);
        are_pairs(bytes)
    };
    48 * data.as_chunks().0.iter().enumerate().take_while(is_whole).count()
}

#[inline]
#[avx2]
fn are_pairs(bytes: &Pairs) -> bool {
    // The sixteen bytes in the middle are checked twice.
    let wrong = [0, 16].map(|at| {
        let [bytes, bits, marks] = [bytes, &BITS, &MARKS].map(|bytes| load_32(part(bytes, at)));
        _mm256_xor_si256(_mm256_and_si256(bytes, bits), marks)
    });
    is_none(_mm256_or_si256(wrong[0], wrong[1]))
}

/// Write the code points of the pairs with which a text begins, eight at a time, and return how many bytes were read.
#[inline]
#[avx2]
pub fn write(text: &[u8], out: &mut Output<'_, u32>) -> usize {
    let (pairs, _) = text.as_chunks();
    for (at, bytes) in pairs.iter().enumerate() {
        fetch_ahead(text, 48 * at);
        if !are_pairs(bytes) {
            return 48 * at;
        }
        // SAFETY: eight lanes are written.
        unsafe { put(out, 8, |room| store(joined(bytes), room, 0)) };
    }
    48 * pairs.len()
}

/// The code points of eight pairs.
#[inline]
#[avx2]
fn joined(bytes: &Pairs) -> __m256i {
    // The second and the third byte of each half, of two pairs in the lower and of two in the upper lanes; the last two
    // pairs are loaded with four bytes before them.
    let lower = _mm256_broadcastsi128_si256(_mm_setr_epi8(5, 4, 2, 1, 11, 10, 8, 7, -1, -1, -1, -1, -1, -1, -1, -1));
    let upper = _mm256_setr_epi8(
        -1, -1, -1, -1, -1, -1, -1, -1, 5, 4, 2, 1, 11, 10, 8, 7, -1, -1, -1, -1, -1, -1, -1, -1, 9, 8, 6, 5, 15, 14,
        12, 11,
    );
    let [first, second, third, fourth] = [0, 12, 24, 32].map(|at| load_16(part(bytes, at)));
    let lower = _mm256_shuffle_epi8(_mm256_set_m128i(third, first), lower);
    let upper = _mm256_shuffle_epi8(_mm256_set_m128i(fourth, second), upper);
    joined_32(_mm256_or_si256(lower, upper))
}
