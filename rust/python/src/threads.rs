//! The argument `threads`, and the sizes that depend on it.

use std::num::NonZeroUsize;

use pyo3::prelude::*;

use crate::given::{Optional, size_of};

/// Inputs below this size do not justify starting a thread.
pub const THREADS_BYTES: usize = 8 << 20;

/// Pieces of a long input that each thread may process before the first of them is consumed.
pub const PIECES_AHEAD: usize = 4;

/// More threads gain nothing on any machine, and the work done ahead grows with them.
const MOST_THREADS: usize = 256;

/// The value of the argument `threads`: 1 if it is absent, at most [`MOST_THREADS`].
pub fn threads_of(threads: &Optional<'_>) -> PyResult<NonZeroUsize> {
    let number = threads.map_or(1, |threads| size_of(threads, "threads", 1))?;
    Ok(NonZeroUsize::new(number.min(MOST_THREADS)).unwrap_or(NonZeroUsize::MIN))
}
