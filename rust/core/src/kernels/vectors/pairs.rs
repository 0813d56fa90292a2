//! Consecutive surrogate pairs, eight at a time: emoji, in the forms that write them as pairs.
//!
//! Eight pairs are 48 bytes in which each byte has its place, so that no masks are needed.

use eightfold_features::vectors;

use super::machine::*;
use super::points::joined_32;
use super::{fetch_ahead, part, put, store};
use crate::kernels::kept::NIL;
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
#[vectors]
pub fn length(data: &[u8]) -> usize {
    let is_whole = |&(at, bytes): &(usize, &Pairs)| {
        fetch_ahead(data, 48 * at);
        are_pairs(bytes)
    };
    48 * data.as_chunks().0.iter().enumerate().take_while(is_whole).count()
}

#[inline]
#[vectors]
fn are_pairs(bytes: &Pairs) -> bool {
    // The sixteen bytes in the middle are checked twice.
    let wrong = [0, 16].map(|at| {
        let [bytes, bits, marks] = [bytes, &BITS, &MARKS].map(|bytes| load_32(part(bytes, at)));
        xor(and(bytes, bits), marks)
    });
    is_none(or(wrong[0], wrong[1]))
}

/// Write the code points of the pairs with which a text begins, eight at a time, and return how many bytes were read.
#[inline]
#[vectors]
pub fn write(text: &[u8], out: &mut Output<'_, u32>) -> usize {
    let (pairs, _) = text.as_chunks();
    for (at, bytes) in pairs.iter().enumerate() {
        fetch_ahead(text, 48 * at);
        if !are_pairs(bytes) {
            return 48 * at;
        }
        // SAFETY: eight lanes are written.
        unsafe { put(out, 8, |room| store(code_points(bytes), room, 0)) };
    }
    48 * pairs.len()
}

/// The code points of eight pairs.
#[inline]
#[vectors]
fn code_points(bytes: &Pairs) -> Vector {
    // The second and the third byte of each half, of two pairs in the lower and of two in the upper lanes; the last two
    // pairs are loaded with four bytes before them.
    let lower = twice(load_16(&[5, 4, 2, 1, 11, 10, 8, 7, NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL]));
    let upper = load_32(&[
        NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL, 5, 4, 2, 1, 11, 10, 8, 7, NIL, NIL, NIL, NIL, NIL, NIL, NIL, NIL, 9, 8,
        6, 5, 15, 14, 12, 11,
    ]);
    let [first, second, third, fourth] = [0, 12, 24, 32].map(|at| load_16(part(bytes, at)));
    let lower = shuffle(joined(first, third), lower);
    let upper = shuffle(joined(second, fourth), upper);
    joined_32(or(lower, upper))
}
