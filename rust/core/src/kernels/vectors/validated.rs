//! UTF-16 and UTF-32 validated and measured: the loops of `validated`, compiled for vectors.

use eightfold_features::vectors;

use crate::kernels::validated::{self, Counts};

/// As [`validated::utf16`].
#[vectors]
pub fn utf16<const EIGHT: bool>(units: &[u16], is_swapped: bool) -> Option<Counts> {
    validated::utf16::<EIGHT>(units, is_swapped)
}

/// As [`validated::utf32`].
#[vectors]
pub fn utf32<const EIGHT: bool>(units: &[u32]) -> Option<usize> {
    validated::utf32::<EIGHT>(units)
}
