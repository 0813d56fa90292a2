//! UTF-16 and UTF-32 validated, and measured to be written as another of the encodings of Unicode: by masks, without a
//! branch on what a unit is.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::units::ordered;
use super::{fetch_ahead, units_16, units_32};
use crate::code_point::{LARGEST_IN_STR, LEADS, SURROGATES, TRAILS};
use crate::kernels::validated::{Counts, PIECE};

/// As [`crate::kernels::validated::utf16`].
#[avx512]
pub fn utf16<const EIGHT: bool>(units: &[u16], is_swapped: bool) -> Option<Counts> {
    // Where units are swapped, so is what they are compared with.
    let each = |value: u32| {
        let value = value as u16;
        _mm512_set1_epi16((if is_swapped { value.swap_bytes() } else { value }) as i16)
    };
    let [beyond_one, beyond_two] = [each(!0x7F), each(!0x7FF)];
    let [upper, lead, trail] = [!(LEADS.1 - LEADS.0), LEADS.0, TRAILS.0].map(each);
    let (mut counts, mut before, mut is_paired) = (Counts { pairs: 0, bytes: units.len() }, 0, false);
    for piece in units.chunks(PIECE) {
        let (whole, rest) = piece.as_chunks::<32>();
        let blocks = || {
            let whole = whole.iter().map(|block| {
                fetch_ahead(block, 0);
                units_32(block, 0)
            });
            whole.chain((!rest.is_empty()).then(|| units_32(rest, 0)))
        };
        let count = |block| {
            let [twos, threes] = [beyond_one, beyond_two].map(|ones| _mm512_test_epi16_mask(block, ones));
            if EIGHT { (twos.count_ones() + threes.count_ones()) as usize } else { 0 }
        };
        // What follows a piece with pairs has some too.
        if !is_paired {
            let larger = |most, block| _mm512_max_epu16(most, ordered::<2>(block, is_swapped));
            let largest = blocks().fold(_mm512_setzero_si512(), larger);
            let reaches = |least: u32| _mm512_cmpge_epu16_mask(largest, _mm512_set1_epi16(least as i16)) != 0;
            if before == 0 && !reaches(SURROGATES.0) {
                counts.bytes += if EIGHT && reaches(0x80) { blocks().map(count).sum() } else { 0 };
                continue;
            }
        }
        let (mut ill, mut pairs) = (0, 0);
        blocks().for_each(|block| {
            let upper = _mm512_and_si512(block, upper);
            let [leads, trails] = [lead, trail].map(|half| _mm512_cmpeq_epi16_mask(upper, half));
            ill |= trails ^ (leads << 1 | before);
            before = leads >> 31;
            pairs += trails.count_ones() as usize;
            counts.bytes += count(block);
        });
        if ill != 0 {
            return None;
        }
        counts.pairs += pairs;
        is_paired = pairs > 0;
    }
    (before == 0).then_some(counts.without_halves())
}

/// As [`crate::kernels::validated::utf32`].
#[avx512]
pub fn utf32<const EIGHT: bool>(units: &[u32]) -> Option<usize> {
    // By this the surrogates become the largest numbers.
    const TURN: u32 = u32::MAX - SURROGATES.1;
    let (mut length, mut is_wide) = (units.len(), false);
    for piece in units.chunks(PIECE) {
        let (whole, rest) = piece.as_chunks::<16>();
        let blocks = || {
            let whole = whole.iter().map(|block| {
                fetch_ahead(block, 0);
                units_16(block, 0)
            });
            whole.chain((!rest.is_empty()).then(|| units_16(rest, 0)))
        };
        let beyond = |block, ones: u32| _mm512_test_epi32_mask(block, _mm512_set1_epi32(!ones as i32)).count_ones();
        let more = |block| if EIGHT { (beyond(block, 0x7F) + beyond(block, 0x7FF)) as usize } else { 0 };
        let none = _mm512_setzero_si512();
        // What follows a piece with code points beyond U+FFFF has some too.
        if !is_wide {
            let largest = blocks().fold(none, |most, block| _mm512_max_epu32(most, block));
            let reaches = |least: u32| _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(least as i32)) != 0;
            if !reaches(SURROGATES.0) {
                length += if EIGHT && reaches(0x80) { blocks().map(more).sum() } else { 0 };
                continue;
            }
        }
        let [mut largest, mut turned] = [none; 2];
        let mut pairs = 0;
        blocks().for_each(|block| {
            largest = _mm512_max_epu32(largest, block);
            turned = _mm512_max_epu32(turned, _mm512_add_epi32(block, _mm512_set1_epi32(TURN as i32)));
            pairs += beyond(block, 0xFFFF) as usize;
            length += more(block);
        });
        let is_surrogate = _mm512_reduce_max_epu32(turned) >= SURROGATES.0 + TURN;
        if is_surrogate || _mm512_reduce_max_epu32(largest) > LARGEST_IN_STR {
            return None;
        }
        length += pairs;
        is_wide = pairs > 0;
    }
    Some(length)
}
