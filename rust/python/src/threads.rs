//! The argument `threads`, and the sizes that depend on it.

use std::num::NonZeroUsize;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Inputs below this size do not justify starting a thread.
pub const THREADS_BYTES: usize = 8 << 20;

/// Pieces of a long input that each thread may process before the first of them is consumed.
pub const PIECES_AHEAD: usize = 4;

/// More threads gain nothing on any machine, and the work done ahead grows with them.
const MOST_THREADS: usize = 256;

/// The value of the argument `threads`: 1 if it is absent, at most [`MOST_THREADS`].
pub fn threads_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<NonZeroUsize> {
    let Some(threads) = threads else { return Ok(NonZeroUsize::MIN) };
    // An object that is not a number raises here as it would in Python.
    if threads.lt(1)? {
        return Err(PyValueError::new_err(format!("threads must be 1 or more, not {threads}")));
    }
    let is_int = |error: PyErr| match error.is_instance_of::<PyOverflowError>(threads.py()) {
        true => Ok(MOST_THREADS),
        false => Err(PyTypeError::new_err(format!("threads must be an int, not {threads}"))),
    };
    let number = threads.extract().or_else(is_int)?;
    Ok(NonZeroUsize::new(number.min(MOST_THREADS)).unwrap_or(NonZeroUsize::MIN))
}
