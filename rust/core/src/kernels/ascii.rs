//! ASCII: whether it is all, and a copy that looks while it copies.
//!
//! Checking first and copying then reads everything twice, and loses to the interpreter where the text is larger than
//! the cache. Other text is not known here.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Bytes that one decision is made for by the portable functions; whole vectors of any machine.
const BLOCK: usize = 128;
/// Bytes that four words hold.
const SHORT: usize = 32;
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);

/// Whether all bytes are ASCII.
#[inline]
#[must_use]
pub fn is_ascii(data: &[u8]) -> bool {
    if data.len() <= SHORT { is_ascii_short(data) } else { is_ascii_long(data) }
}

/// A few words in a row, of which the last may overlap the one before: no call, no loop, and no vectors to clear.
#[inline]
fn is_ascii_short(data: &[u8]) -> bool {
    let word = |at: usize| data[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
    match data.len() {
        0..8 => data.iter().fold(0, |all, &byte| all | byte) < 0x80,
        8..=16 => (word(0) | word(data.len() - 8)) & HIGH_BITS == 0,
        _ => (word(0) | word(8) | word(data.len() - 16) | word(data.len() - 8)) & HIGH_BITS == 0,
    }
}

fn is_ascii_long(data: &[u8]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512bw") {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::is_ascii(data) };
    }
    data.chunks(BLOCK).all(is_ascii_block)
}

/// Copy bytes to memory of the same length as far as they are ASCII, and return how many are written; what follows is
/// none of them or begins, at most a block on, with one that is not ASCII.
#[must_use]
pub fn copy_ascii(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    assert_eq!(from.len(), out.len());
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx512bw") {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::copy(from, out) };
    }
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx2") {
        // SAFETY: the machine has the instructions.
        return unsafe { copy_avx2(from, out) };
    }
    copy(from, out)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn copy_avx2(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    copy(from, out)
}

#[inline(always)]
fn copy(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    let mut copied = 0;
    for (block, place) in from.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        if !is_ascii_block(block) {
            break;
        }
        for (place, &byte) in place.iter_mut().zip(block) {
            place.write(byte);
        }
        copied += block.len();
    }
    copied
}

/// No branch on what a byte is: the compiler makes vectors of it.
#[inline(always)]
fn is_ascii_block(block: &[u8]) -> bool {
    block.iter().fold(0, |all, &byte| all | byte) < 0x80
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8,
        _mm512_movepi8_mask, _mm512_or_si512, _mm512_storeu_si512,
    };
    use std::mem::MaybeUninit;

    /// How many vectors ahead what follows is fetched: text larger than the caches is otherwise waited for.
    const AHEAD: usize = 64;

    /// The first bytes as a vector, 64 at most, with the mask of their places; the other places are 0.
    #[inline]
    #[target_feature(enable = "avx512bw")]
    fn first(data: &[u8]) -> (__m512i, u64) {
        let mask = if data.len() >= 64 { !0 } else { (1 << data.len()) - 1 };
        // SAFETY: a masked load touches only the bytes of its mask, and as many are there.
        (unsafe { _mm512_maskz_loadu_epi8(mask, data.as_ptr().cast()) }, mask)
    }

    #[target_feature(enable = "avx512bw")]
    pub fn is_ascii(data: &[u8]) -> bool {
        data.chunks(64).all(|block| _mm512_movepi8_mask(first(block).0) == 0)
    }

    #[target_feature(enable = "avx512bw")]
    pub fn copy(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
        let mut at = 0;
        for (block, place) in from.chunks_exact(4 * 64).zip(out.chunks_exact_mut(4 * 64)) {
            let (from, out) = (block.as_ptr().cast::<__m512i>(), place.as_mut_ptr().cast::<__m512i>());
            // SAFETY: four vectors are there in both. Where nothing is, a fetch does no harm.
            unsafe {
                for step in 0..4 {
                    _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(AHEAD + step).cast());
                    _mm_prefetch::<_MM_HINT_T0>(out.wrapping_add(AHEAD + step).cast());
                }
                let each = [0, 1, 2, 3].map(|step| _mm512_loadu_si512(from.add(step)));
                let all = _mm512_or_si512(_mm512_or_si512(each[0], each[1]), _mm512_or_si512(each[2], each[3]));
                if _mm512_movepi8_mask(all) != 0 {
                    break;
                }
                for (step, vector) in each.into_iter().enumerate() {
                    _mm512_storeu_si512(out.add(step), vector);
                }
            }
            at += block.len();
        }
        for (block, place) in from[at..].chunks(64).zip(out[at..].chunks_mut(64)) {
            let (vector, mask) = first(block);
            if _mm512_movepi8_mask(vector) != 0 {
                break;
            }
            // SAFETY: a masked store touches only the bytes of its mask, and as many are there.
            unsafe { _mm512_mask_storeu_epi8(place.as_mut_ptr().cast(), mask, vector) };
            at += block.len();
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of ASCII, but for one at a place.
    fn spoilt(length: usize, place: usize) -> Vec<u8> {
        (0..length).map(|at| if at == place { 0x80 } else { (at % 127) as u8 }).collect()
    }

    fn check(copy: impl Fn(&[u8], &mut [MaybeUninit<u8>]) -> usize) {
        for length in 0..600 {
            for place in 0..=length {
                let data = spoilt(length, place);
                let mut out = vec![MaybeUninit::new(0xFF); length];
                let copied = copy(&data, &mut out);
                assert!(copied <= place && copied + BLOCK > place.min(length));
                assert!(copied == length || place < length);
                let written = out.iter().zip(&data).take(copied);
                // SAFETY: all of it was made with a value.
                assert!(written.clone().all(|(place, &byte)| unsafe { place.assume_init() } == byte));
                assert_eq!(is_ascii(&data), place == length);
            }
        }
    }

    #[test]
    fn every_copy_ends_where_ascii_does() {
        check(copy_ascii);
        check(copy);
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has the instructions.
            check(|from, out| unsafe { copy_avx2(from, out) });
        }
    }
}
