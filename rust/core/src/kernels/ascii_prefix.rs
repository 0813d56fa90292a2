//! ASCII copied up to exactly the first byte that is not ASCII, where the caller continues.
//!
//! `ascii` copies text that is likely to be ASCII to its end, in whole blocks.

#![expect(unsafe_code, reason = "vectors are loaded, and what is written is counted")]

use std::mem::MaybeUninit;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::level::Level;
use super::masks::gathered;
use super::output::Output;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::vectors;

const BLOCK: usize = 64;
const WORD: usize = 8;
const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; WORD]);

/// Copy bytes while they are ASCII and there is room, and return how many.
pub(crate) fn copy_ascii_prefix<T: From<u8>>(from: &[u8], out: &mut Output<'_, T>) -> usize {
    let count = from.len().min(out.room());
    let copied = copy(&from[..count], &mut out.spare()[..count]);
    // SAFETY: so many have just been written.
    unsafe { out.advance(copied) };
    copied
}

fn copy<T: From<u8>>(from: &[u8], out: &mut [MaybeUninit<T>]) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if Level::current() >= Level::VECTORS {
        // SAFETY: the machine has the instructions.
        return unsafe { copy_vectors(from, out) };
    }
    copy_blocks(from, out, gathered)
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[eightfold_features::vectors]
fn copy_vectors<T: From<u8>>(from: &[u8], out: &mut [MaybeUninit<T>]) -> usize {
    copy_blocks(from, out, |block| vectors::high_bits(block))
}

/// Copy block by block, with one branch for each: its misprediction is nearly all that a fault costs.
#[inline(always)]
fn copy_blocks<T: From<u8>>(
    from: &[u8],
    out: &mut [MaybeUninit<T>],
    high_lanes: impl Fn(&[u8; BLOCK]) -> u64,
) -> usize {
    let mut at = 0;
    while let (Some(block), Some(place)) = (from[at..].first_chunk::<BLOCK>(), out[at..].first_chunk_mut::<BLOCK>()) {
        // Stored first, the block would be loaded twice.
        let high = high_lanes(block);
        *place = block.map(|byte| MaybeUninit::new(byte.into()));
        if high != 0 {
            return at + high.trailing_zeros() as usize;
        }
        at += BLOCK;
    }
    at + copy_words(&from[at..], &mut out[at..])
}

#[inline]
fn copy_words<T: From<u8>>(from: &[u8], out: &mut [MaybeUninit<T>]) -> usize {
    let mut at = 0;
    while let (Some(&word), Some(place)) = (from[at..].first_chunk::<WORD>(), out[at..].first_chunk_mut::<WORD>()) {
        *place = word.map(|byte| MaybeUninit::new(byte.into()));
        let high = u64::from_le_bytes(word) & HIGH_BITS;
        if high != 0 {
            return at + high.trailing_zeros() as usize / 8;
        }
        at += WORD;
    }
    for (&byte, place) in from[at..].iter().zip(&mut out[at..]) {
        if byte >= 0x80 {
            break;
        }
        place.write(byte.into());
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: From<u8> + Copy + PartialEq>(copy: impl Fn(&[u8], &mut [MaybeUninit<T>]) -> usize) {
        for length in 0..200 {
            for place in 0..=length {
                let data: Vec<u8> = (0..length).map(|at| if at < place { at as u8 & 0x7F } else { 0x80 }).collect();
                let mut out = vec![MaybeUninit::new(T::from(0xFF)); length];
                assert_eq!(copy(&data, &mut out), place);
                // SAFETY: all of it was made with a value.
                let same = |(out, &byte): (&MaybeUninit<T>, &u8)| unsafe { out.assume_init() } == byte.into();
                assert!(out.iter().zip(&data).take(place).all(same));
            }
        }
    }

    #[test]
    fn every_copy_ends_at_the_first_byte_that_is_no_ascii() {
        check::<u8>(|from, out| copy_blocks(from, out, gathered));
        check::<u16>(|from, out| copy_blocks(from, out, gathered));
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if vectors::are_available() {
            // SAFETY: the machine has the instructions.
            check::<u8>(|from, out| unsafe { copy_vectors(from, out) });
            // SAFETY: as above.
            check::<u16>(|from, out| unsafe { copy_vectors(from, out) });
        }
    }

    #[test]
    fn no_more_is_copied_than_there_is_room_for() {
        for room in 0..200 {
            let mut memory = vec![MaybeUninit::new(0xFF_u8); room];
            let mut out = Output::new(&mut memory);
            assert_eq!(copy_ascii_prefix(&[0x61; 300], &mut out), room);
            assert!(out.is_full());
        }
    }
}
