//! ASCII: checks, and copies that check while they copy.
//!
//! Checking first and copying then reads everything twice, and loses to the interpreter where the text is larger than
//! the cache. Nothing else is known here.

#![expect(unsafe_code, reason = "vectors are loaded and stored, and what is written is counted")]

use std::mem::MaybeUninit;

use super::ascii_prefix::copy_ascii_prefix;
use super::fetch::{fetch_block, outgrows_caches};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::level::Level;
use super::output::Output;
#[cfg(target_arch = "x86_64")]
use super::x86::avx512;

/// The bytes of a block, for which there is one branch: whole vectors on any machine.
const BLOCK: usize = 256;
/// The bytes of four words.
const SHORT: usize = 32;
const WORD: usize = 8;
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; WORD]);

/// Bytes that are ASCII. Only [`Ascii::new`] and [`Ascii::around`] make them.
#[derive(Clone, Copy, Debug)]
pub struct Ascii<'a>(&'a [u8]);

impl<'a> Ascii<'a> {
    /// Some bytes, if all are ASCII.
    #[inline]
    #[must_use]
    pub fn new(data: &'a [u8]) -> Option<Self> {
        is_ascii(data).then_some(Ascii(data))
    }

    /// Some bytes without what lies between those that are ASCII: `end_of` returns where that ends which begins at an
    /// offset. None where it returns None.
    ///
    /// # Panics
    /// There is less memory than bytes.
    pub fn around(
        data: &[u8],
        memory: &'a mut [MaybeUninit<u8>],
        mut end_of: impl FnMut(usize) -> Option<usize>,
    ) -> Option<Self> {
        assert!(memory.len() >= data.len());
        let (mut out, mut at) = (Output::new(memory), 0);
        loop {
            at += copy_ascii_prefix(&data[at..], &mut out);
            if at == data.len() {
                return Some(Ascii(out.into_written()));
            }
            at = end_of(at)?;
        }
    }

    /// The bytes.
    #[inline]
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }
}

/// Whether all bytes are ASCII.
#[inline]
#[must_use]
pub fn is_ascii(data: &[u8]) -> bool {
    if data.len() <= SHORT { is_ascii_short(data) } else { is_ascii_long(data) }
}

/// Check a few words, of which the last may overlap the one before: no call, no loop, and no vectors to clear.
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
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::ascii::is_ascii(data) };
    }
    !data.chunks(BLOCK).any(|block| has(block, is_high))
}

/// Whether a byte is 00.
#[must_use]
pub fn has_nul(data: &[u8]) -> bool {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if Level::current() >= Level::VECTORS {
        // SAFETY: the machine has the instructions.
        return unsafe { has_nul_by_vectors(data) };
    }
    data.chunks(BLOCK).any(|block| has(block, is_nul))
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[eightfold_features::vectors]
fn has_nul_by_vectors(data: &[u8]) -> bool {
    data.chunks(BLOCK).any(|block| has(block, is_nul))
}

/// How many bytes are not ASCII.
#[must_use]
pub fn count_beyond_ascii(data: &[u8]) -> usize {
    // Counts of a few bytes fit in a byte, of which many are added at once.
    data.chunks(BLOCK / 2).map(|block| usize::from(block.iter().map(|&byte| byte >> 7).sum::<u8>())).sum()
}

/// Write bytes as code points of four bytes to memory that others may write to, so that nothing refers to it.
///
/// # Safety
/// So many code points have room there; they need not be aligned.
pub unsafe fn write_points(data: &[u8], place: *mut u8) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if Level::current() >= Level::VECTORS {
        // SAFETY: the machine has the instructions; else the contract of this function.
        return unsafe { write_points_by_vectors(data, place) };
    }
    // SAFETY: the contract of this function.
    unsafe { write_each_point(data, place) };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[eightfold_features::vectors]
unsafe fn write_points_by_vectors(data: &[u8], place: *mut u8) {
    // SAFETY: the contract of `write_points`.
    unsafe { write_each_point(data, place) };
}

/// As [`write_points`]: a loop of which the compiler makes vectors.
#[inline(always)]
unsafe fn write_each_point(data: &[u8], place: *mut u8) {
    let place = place.cast::<u32>();
    for (at, &byte) in data.iter().enumerate() {
        // SAFETY: the contract of `write_points`.
        unsafe { place.add(at).write_unaligned(byte.into()) };
    }
}

/// Copy bytes while they are ASCII, and return how many were copied: all, or some of those before the first that is not
/// ASCII, which is less than a block further on.
///
/// # Panics
/// There is no room for all of them.
pub fn copy_ascii(from: &[u8], out: &mut Output<'_, u8>) -> usize {
    copy_by_lines(from, out, copy_up_to_high)
}

/// The same while they are not 00 either.
///
/// # Panics
/// As [`copy_ascii`].
pub fn copy_without_nul(from: &[u8], out: &mut Output<'_, u8>) -> usize {
    copy_by_lines(from, out, copy_up_to_nul)
}

/// Copy by a function: first to where a line of the cache begins, then the rest.
#[inline]
fn copy_by_lines(
    from: &[u8],
    out: &mut Output<'_, u8>,
    copy: impl Fn(&[u8], &mut [MaybeUninit<u8>]) -> usize,
) -> usize {
    let head = out.before_line(from.len());
    let place = &mut out.spare()[..from.len()];
    let mut copied = if head > 0 { copy(&from[..head], &mut place[..head]) } else { 0 };
    if copied == head {
        copied += copy(&from[head..], &mut place[head..]);
    }
    // SAFETY: so many have just been written.
    unsafe { out.advance(copied) };
    copied
}

#[inline]
fn copy_up_to_high(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::ascii::copy_ascii(from, out) };
    }
    copy_until(from, out, is_high)
}

#[inline]
fn copy_up_to_nul(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::ascii::copy_without_nul(from, out) };
    }
    copy_until(from, out, is_nul)
}

/// Copy up to a block with a byte that ends the copy.
fn copy_until(from: &[u8], out: &mut [MaybeUninit<u8>], ends: impl Fn(u8) -> bool) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx2 {
        // SAFETY: the machine has the instructions.
        return unsafe { copy_avx2(from, out, ends) };
    }
    copy(from, out, ends)
}

#[cfg(target_arch = "x86_64")]
#[eightfold_features::avx2]
fn copy_avx2(from: &[u8], out: &mut [MaybeUninit<u8>], ends: impl Fn(u8) -> bool) -> usize {
    copy(from, out, ends)
}

#[inline(always)]
fn copy(from: &[u8], out: &mut [MaybeUninit<u8>], ends: impl Fn(u8) -> bool) -> usize {
    assert_eq!(from.len(), out.len());
    let mut copied = copy_blocks::<BLOCK>(from, out, &ends);
    copied += copy_blocks::<SHORT>(&from[copied..], &mut out[copied..], &ends);
    if from.len() - copied >= SHORT {
        return copied;
    }
    // The last block overlaps what is copied already: copying a variable number of bytes takes a call.
    let is_copied = match (from.last_chunk::<SHORT>(), out.last_chunk_mut::<SHORT>()) {
        (Some(block), Some(place)) => copy_block(block, place, &ends),
        _ => copy_block(from, out, &ends),
    };
    if is_copied { from.len() } else { copied }
}

/// Copy whole blocks, and return their length.
#[inline(always)]
fn copy_blocks<const LENGTH: usize>(from: &[u8], out: &mut [MaybeUninit<u8>], ends: &impl Fn(u8) -> bool) -> usize {
    let (mut copied, is_large) = (0, outgrows_caches(from.len()));
    for (block, place) in from.as_chunks::<LENGTH>().0.iter().zip(out.as_chunks_mut::<LENGTH>().0) {
        if LENGTH == BLOCK && is_large {
            fetch_block(block);
            fetch_block(place);
        }
        if !copy_block(block, place, ends) {
            break;
        }
        copied += LENGTH;
    }
    copied
}

/// Copy a block if no byte in it ends the copy.
#[inline(always)]
fn copy_block(block: &[u8], place: &mut [MaybeUninit<u8>], ends: &impl Fn(u8) -> bool) -> bool {
    let is_copied = !has(block, ends);
    if is_copied {
        place.iter_mut().zip(block).for_each(|(place, &byte)| _ = place.write(byte));
    }
    is_copied
}

/// Whether a byte is among others. Without a branch for each, the compiler vectorizes it.
#[inline(always)]
fn has(block: &[u8], is_meant: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(false, |found, &byte| found | is_meant(byte))
}

#[inline(always)]
fn is_high(byte: u8) -> bool {
    byte >= 0x80
}

#[inline(always)]
fn is_nul(byte: u8) -> bool {
    byte == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of ASCII but 00, but for one at a place.
    fn spoilt(length: usize, place: usize, by: u8) -> Vec<u8> {
        (0..length).map(|at| if at == place { by } else { (at % 127 + 1) as u8 }).collect()
    }

    fn check(by: u8, copy: impl Fn(&[u8], &mut [MaybeUninit<u8>]) -> usize) {
        for length in 0..600 {
            for place in 0..=length {
                let data = spoilt(length, place, by);
                let mut out = vec![MaybeUninit::new(0xFF); length];
                let copied = copy(&data, &mut out);
                assert!(copied <= place && copied + BLOCK > place.min(length));
                assert!(copied == length || place < length);
                let written = out.iter().zip(&data).take(copied);
                // SAFETY: all of it was made with a value.
                assert!(written.clone().all(|(place, &byte)| unsafe { place.assume_init() } == byte));
                assert_eq!(is_ascii(&data), place == length || by < 0x80);
                assert_eq!(has_nul(&data), place < length && by == 0);
            }
        }
    }

    #[test]
    fn every_copy_ends_where_ascii_does() {
        check(0x80, |from, out| copy_ascii(from, &mut Output::new(out)));
        check(0x80, |from, out| copy_until(from, out, is_high));
        check(0x80, |from, out| copy(from, out, is_high));
    }

    #[test]
    fn long_text_is_copied_wherever_a_line_of_the_cache_begins() {
        const LENGTH: usize = 4500;
        let places = || (0..130).chain([4095, 4096, 4400, LENGTH - 1, LENGTH]);
        for (behind, place) in (0..64).step_by(7).flat_map(|behind| places().map(move |place| (behind, place))) {
            let data = spoilt(LENGTH, place, 0x80);
            let mut memory = vec![MaybeUninit::uninit(); behind + LENGTH];
            let (copied, written) = Output::written(&mut memory[behind..], |out| copy_ascii(&data, out));
            assert_eq!(written, &data[..copied]);
            assert!(copied <= place && (copied == LENGTH || copied + BLOCK > place));
        }
    }

    #[test]
    fn points_are_written_at_any_place_and_nothing_beside_them() {
        for (length, before) in (0..150).flat_map(|length| [0, 1, 6, 33].map(|before| (length, before))) {
            let data: Vec<u8> = (0..length as u8).collect();
            let mut memory = vec![0xA5_u8; before + 4 * length + 40];
            // SAFETY: as many have room there.
            unsafe { write_points(&data, memory[before..].as_mut_ptr()) };
            let points: Vec<u8> = data.iter().flat_map(|&byte| u32::from(byte).to_ne_bytes()).collect();
            let (written, behind) = memory[before..].split_at(4 * length);
            assert_eq!(written, points);
            assert!(memory[..before].iter().chain(behind).all(|&byte| byte == 0xA5));
        }
    }

    #[test]
    fn around_others_all_ascii_is_kept_and_nothing_else() {
        for (length, step) in (0..200).flat_map(|length| (1..20).map(move |step| (length, step))) {
            let data: Vec<u8> = (0..length).map(|at| (at * at / step * 37) as u8).collect();
            let expected: Vec<u8> = data.iter().copied().filter(u8::is_ascii).collect();
            let mut memory = vec![MaybeUninit::uninit(); data.len()];
            let kept = Ascii::around(&data, &mut memory, |at| Some(at + 1)).map(Ascii::bytes);
            assert_eq!(kept, Some(&*expected), "{data:X?}");
            let last = data.iter().rposition(|byte| !byte.is_ascii());
            let stopped = Ascii::around(&data, &mut memory, |at| (Some(at) != last).then_some(at + 1));
            assert_eq!(stopped.is_none(), last.is_some(), "{data:X?}");
        }
    }

    #[test]
    fn every_copy_ends_before_nul() {
        check(0, |from, out| copy_without_nul(from, &mut Output::new(out)));
        check(0, |from, out| copy_until(from, out, is_nul));
        check(0, |from, out| copy(from, out, is_nul));
    }

    #[test]
    fn what_ends_one_copy_does_not_end_another() {
        for (by, copy) in [(0, copy_ascii as fn(&[u8], &mut Output<'_, u8>) -> usize), (0x80, copy_without_nul)] {
            let mut out = [MaybeUninit::uninit(); 600];
            assert_eq!(copy(&spoilt(600, 300, by), &mut Output::new(&mut out)), 600);
        }
    }
}
