//! How many threads a caller allows.

use std::num::NonZeroUsize;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Inputs below this size are not worth the start of a thread.
pub const THREADS_BYTES: usize = 8 << 20;

/// How many pieces of a long input are worked on before the first of them is taken, for each thread.
pub const PIECES_AHEAD: usize = 4;

/// No machine gains by more. What is worked on ahead grows with them, so that they are not without a limit.
const MOST_THREADS: usize = 256;

/// The argument `threads`: 1 where it is not given, [`MOST_THREADS`] where it is more.
pub fn threads_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<NonZeroUsize> {
    let Some(threads) = threads else { return Ok(NonZeroUsize::MIN) };
    // What is no number raises here as it would in Python.
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
