//! How many threads a caller allows.

use std::num::NonZeroUsize;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Inputs below this size are not worth the start of a thread.
pub const THREADS_BYTES: usize = 8 << 20;

/// How many pieces of a long input are worked on before the first of them is taken, for each thread.
pub const PIECES_AHEAD: usize = 4;

/// The argument `threads`: 1 where it is not given.
pub fn threads_of(threads: Option<&Bound<'_, PyAny>>) -> PyResult<NonZeroUsize> {
    let Some(threads) = threads else { return Ok(NonZeroUsize::MIN) };
    // What is no number raises here as it would in Python.
    if threads.lt(1)? {
        return Err(PyValueError::new_err(format!("threads must be 1 or more, not {threads}")));
    }
    let number =
        threads.extract().map_err(|_| PyTypeError::new_err(format!("threads must be an int, not {threads}")))?;
    Ok(NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN))
}
