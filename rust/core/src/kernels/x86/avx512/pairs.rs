//! Consecutive surrogate pairs, ten at a time: emoji, in the forms that write them so.
//!
//! Ten pairs are 60 bytes, in which each byte has a fixed position, so nothing needs to be searched for.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{bytes_64, fetch_ahead};
use crate::kernels::lanes::low_64;

/// Pairs written at once.
const PAIRS: usize = 10;
/// The bytes of those pairs.
const BYTES: usize = 6 * PAIRS;

/// The bits of each byte that are the same in all pairs, and their values.
static BITS: [u8; 64] = repeated([0xFF, 0xF0, 0xC0, 0xFF, 0xF0, 0xC0]);
static MARKS: [u8; 64] = repeated([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]);
/// The positions of the bytes that [`joined_32`] takes; the lanes behind the tenth are arbitrary.
static PLACES: [u8; 64] = {
    let (mut places, mut at) = ([0; 64], 0);
    while at < 4 * PAIRS {
        places[at] = 6 * (at as u8 / 4) + [5, 4, 2, 1][at % 4];
        at += 1;
    }
    places
};

const fn repeated(pair: [u8; 6]) -> [u8; 64] {
    let (mut bytes, mut at) = ([0; 64], 0);
    while at < 64 {
        bytes[at] = pair[at % 6];
        at += 1;
    }
    bytes
}

/// A guess whether to look for a run of pairs: starting and ending one costs as much as reading a few blocks.
#[derive(Clone, Copy, Default)]
pub struct Guess {
    /// The leads of the last block, and its lanes in which something else ended or began.
    leads: u64,
    gaps: u64,
}

impl Guess {
    /// Whether a run is likely to start at the first sequence of the next block, whose leads are given. It must have
    /// some.
    #[inline]
    pub fn is_run(&mut self, leads: u64) -> bool {
        // In a run, each lead is six bytes behind the last, even across blocks. Two blocks are tested at once, without
        // a branch.
        let gaps = leads ^ (leads << 6 | self.leads >> 58);
        let both = gaps | self.gaps;
        *self = Guess { leads, gaps };
        both == 0
    }
}

/// The number of bytes at the beginning that are pairs, in multiples of ten pairs.
#[inline]
#[avx512]
pub fn length(data: &[u8]) -> usize {
    let mut at = 0;
    while are_pairs(bytes_64(data, at)) {
        fetch_ahead(data, at);
        at += BYTES;
    }
    at
}

/// Pass the pairs that a text begins with as code points, ten at a time, and return the number of bytes read.
#[inline]
#[avx512]
pub fn each(text: &[u8], put: &mut impl FnMut(__m512i, usize)) -> usize {
    let (mut at, places) = (0, bytes_64(&PLACES, 0));
    loop {
        let bytes = bytes_64(text, at);
        if !are_pairs(bytes) {
            return at;
        }
        fetch_ahead(text, at);
        put(joined_32(_mm512_permutexvar_epi8(places, bytes)), PAIRS);
        at += BYTES;
    }
}

#[inline]
#[avx512]
fn are_pairs(bytes: __m512i) -> bool {
    let wrong = _mm512_ternarylogic_epi32::<AND_XOR>(bytes, bytes_64(&BITS, 0), bytes_64(&MARKS, 0));
    _mm512_test_epi8_mask(wrong, wrong) & low_64(BYTES) == 0
}

/// `(a & b) ^ c`, bit by bit.
const AND_XOR: i32 = 0x6A;

/// The supplementary code points of surrogate pairs.
#[inline]
#[avx512]
pub fn joined_32(halves: __m512i) -> __m512i {
    // Four bits and six bits, twice, next to each other: first ten bits each, then the twenty bits of an index.
    let payloads = _mm512_and_si512(halves, _mm512_set1_epi32(0x0F3F_0F3F));
    let tens = _mm512_maddubs_epi16(payloads, _mm512_set1_epi16(0x4001));
    let index = _mm512_madd_epi16(tens, _mm512_set1_epi32(0x0400_0001));
    _mm512_add_epi32(index, _mm512_set1_epi32(0x1_0000))
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::kernels::output::Output;
    use crate::kernels::x86::avx512::{is_available, put_32};

    /// Consecutive pairs with all values of their payload bytes.
    fn text(pairs: usize) -> (Vec<u8>, Vec<u32>) {
        let points: Vec<u32> = (0..pairs as u32).map(|at| 0x1_0000 + at * 0x1_2345 % 0x10_0000).collect();
        let halves = points.iter().flat_map(|&point| [0xD800 + ((point - 0x1_0000) >> 10), 0xDC00 + (point & 0x3FF)]);
        let bytes = |half: u32| [0xED, 0x80 | (half >> 6 & 0x3F) as u8, 0x80 | (half & 0x3F) as u8];
        (halves.flat_map(bytes).collect(), points)
    }

    /// The length, checked against what is written.
    fn checked_length(data: &[u8], points: &[u32]) -> usize {
        let mut values = vec![MaybeUninit::new(0xA5_u32); points.len() + 16];
        // SAFETY: the caller has checked that the machine has the instructions.
        let lengths = unsafe {
            let length = length(data);
            let mut out = Output::new(&mut values[..length / 6]);
            (length, each(data, &mut |points, count| put_32(&mut out, points, count)))
        };
        assert_eq!(lengths.0, lengths.1);
        // SAFETY: every value was given one before.
        let values: Vec<u32> = values.iter().map(|value| unsafe { value.assume_init() }).collect();
        let (written, behind) = values.split_at(lengths.0 / 6);
        assert_eq!(written, &points[..written.len()]);
        assert!(behind.iter().all(|&value| value == 0xA5), "wrote behind its output");
        lengths.0
    }

    #[test]
    fn whole_tens_are_written_up_to_the_first_byte_that_is_wrong() {
        if !is_available() {
            println!("this machine has no AVX-512 VBMI2: nothing is tested here");
            return;
        }
        let (data, points) = text(500);
        for length in 0..=data.len() {
            assert_eq!(checked_length(&data[..length], &points), length / BYTES * BYTES);
        }
        for place in 0..4 * BYTES {
            for flip in 0..8 {
                let mut data = data[..4 * BYTES].to_vec();
                data[place] ^= 1 << flip;
                // A flipped bit may be payload.
                let is_marked = BITS[place % 6] >> flip & 1 != 0;
                if is_marked {
                    assert_eq!(checked_length(&data, &points), place / BYTES * BYTES, "{place} {flip}");
                } else {
                    // SAFETY: as above.
                    assert_eq!(unsafe { super::length(&data) }, 4 * BYTES, "{place} {flip}");
                }
            }
        }
    }

    #[test]
    fn a_run_is_guessed_behind_two_blocks_without_a_gap() {
        let leads = |from: u32| (from..64).step_by(6).fold(0_u64, |leads, at| leads | 1 << at);
        let mut guess = Guess::default();
        // Each block of 64 bytes begins four bytes further into a pair than the last.
        let found = [0, 2, 4, 0].map(|from| guess.is_run(leads(from)));
        assert_eq!(found, [false, false, true, true]);
        // Something stands between two pairs: within a block, or between two blocks.
        assert!(!guess.is_run(leads(2) & !(1 << 20)));
        assert_eq!([4, 0, 2].map(|from| guess.is_run(leads(from))), [false, true, true]);
        assert_eq!([5, 1, 3].map(|from| guess.is_run(leads(from))), [false, false, true]);
    }
}
