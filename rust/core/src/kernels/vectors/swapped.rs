//! Units in the other byte order: a loop that is compiled for vectors.

use eightfold_features::vectors;

/// Swap the bytes of units.
#[vectors]
pub fn swap_bytes(units: &mut [u16]) {
    units.iter_mut().for_each(|unit| *unit = unit.swap_bytes());
}
