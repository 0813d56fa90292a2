//! Bytes that a caller gives, and offsets into them.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::names;

/// Bytes as they are; a snapshot of what any other object exports, which others may be writing to.
pub fn bytes_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match data.cast_exact::<PyBytes>() {
        Ok(bytes) => Ok(bytes.clone()),
        Err(_) => Ok(view_of(data)?.call_method0(intern!(data.py(), "tobytes"))?.cast_into()?),
    }
}

/// An offset in bytes, checked.
pub fn offset_in(data: &[u8], at: usize) -> PyResult<usize> {
    let beyond = || PyIndexError::new_err(format!("offset {at} is beyond the {} bytes", data.len()));
    if at <= data.len() { Ok(at) } else { Err(beyond()) }
}

/// A view of any bytes-like object.
pub fn view_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMemoryView>> {
    let py = data.py();
    PyMemoryView::from(data).or_else(|error| {
        let has_none = error.is_instance_of::<PyTypeError>(py);
        Err(if has_none { PyErr::from_value(names::wants_bytes(py)?.call1((data,))?) } else { error })
    })
}
