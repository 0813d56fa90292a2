//! Searches for the first of a few bytes, and for a few bytes in a row.

use eightfold_features::vectors;

use super::machine::*;
use crate::kernels::class::Class;

/// Bytes in a vector.
pub const LANES: usize = 32;

/// The length of a beginning in which none of these bytes is: to the first of them, or to less than a vector before the
/// end.
#[vectors]
pub fn before_any(data: &[u8], meant: [u8; 3]) -> usize {
    let meant = meant.map(|byte| each_8(byte));
    let mut at = 0;
    while let Some(bytes) = data[at..].first_chunk::<LANES>() {
        let bytes = load_32(bytes);
        let [first, second, third] = meant.map(|byte| equal_8(bytes, byte));
        let found = mask(or(or(first, second), third));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LANES;
    }
    at
}

/// How many bytes of whole vectors have a value, and the end of the last one: 0 if there is none.
#[vectors]
pub fn count(vectors: &[[u8; LANES]], meant: u8) -> (usize, usize) {
    let meant = each_8(meant);
    let (mut count, mut end) = (0, 0);
    for (index, bytes) in vectors.iter().enumerate() {
        let found = mask(equal_8(load_32(bytes), meant));
        if found != 0 {
            count += found.count_ones() as usize;
            end = (index + 1) * LANES - found.leading_zeros() as usize;
        }
    }
    (count, end)
}

/// The length of a beginning in which no row of bytes of these classes begins: to the first one, or to less than a
/// vector and a row before the end.
#[vectors]
pub fn before_row(data: &[u8], classes: &[Class; 4]) -> usize {
    let mut at = 0;
    while data.len() - at >= LANES + classes.len() {
        let mut found = each_8(0xFF);
        for (place, class) in classes.iter().enumerate() {
            let bytes = data[at + place..].first_chunk::<LANES>().expect("as many are left");
            found = and(found, are_in(load_32(bytes), class));
        }
        let found = mask(found);
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LANES;
    }
    at
}

/// The bytes of a vector that are of a class, all their bits set.
#[inline]
#[vectors]
fn are_in(bytes: Vector, class: &Class) -> Vector {
    let all = |byte: u8| each_8(byte);
    let distance = sub_8(and(bytes, all(class.mask)), all(class.low));
    at_most_8(distance, all(class.high - class.low))
}
