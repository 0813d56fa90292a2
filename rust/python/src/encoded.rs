//! Writing a text to a place, while other threads run and signals are heard.

use eightfold_core::{Form, Missing, Place, Text, TextFault, encode_text};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::heard::Heard;
use crate::released::released;

/// Write a text from an index on to a place, and let other threads run if it is long.
///
/// # Errors
/// The handler of a signal raised, or there is no memory.
pub fn encoded(
    py: Python<'_>,
    (form, missing): (&Form, Missing),
    (text, start): (Text<'_>, usize),
    place: &mut (impl Place + Send),
) -> PyResult<Result<(), (usize, usize)>> {
    let mut heard = Heard::new(place);
    let result = released(py, text.len(), || encode_text(form, text, start, missing, &mut heard));
    heard.result()?;
    match result {
        Ok(()) => Ok(Ok(())),
        Err(TextFault::Missing { start, end }) => Ok(Err((start, end))),
        Err(TextFault::OutOfMemory) => Err(PyMemoryError::new_err(())),
    }
}
