//! What a caller gives: bytes, offsets into them, numbers, and arguments that may be absent.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyInt, PyMemoryView};

use crate::names;
use crate::once::intern;
use crate::running::Run;

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
        Err(if has_none { PyErr::from_value(names::wants_bytes(py)?.run((data,))?) } else { error })
    })
}

/// An argument that may be absent. None is a value of it, and a wrong one.
pub enum Optional<'py> {
    /// It is absent.
    Absent,
    /// Its value.
    Value(Bound<'py, PyAny>),
}

impl<'py> Optional<'py> {
    /// What a function makes of the value, or what stands for it if it is absent.
    pub fn map_or<T>(&self, absent: T, make: impl FnOnce(&Bound<'py, PyAny>) -> PyResult<T>) -> PyResult<T> {
        match self {
            Optional::Absent => Ok(absent),
            Optional::Value(value) => make(value),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Optional<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Optional::Value(given.to_owned()))
    }
}

/// Whether an argument is true, whatever its type.
pub struct Truth(pub bool);

impl<'py> FromPyObject<'_, 'py> for Truth {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.is_truthy().map(Truth)
    }
}

/// The value of an int; None for another object, whose value is for Python to find, and to find once.
pub fn number_of(given: &Bound<'_, PyAny>) -> Option<usize> {
    given.cast::<PyInt>().ok()?.extract().ok()
}

/// The value of an argument that is a size, a limit or an offset: see `eightfold.arguments.size_of`. One that no object
/// can have is the largest.
pub fn size_of(given: &Bound<'_, PyAny>, name: &str, least: usize) -> PyResult<usize> {
    let py = given.py();
    match number_of(given) {
        Some(size) if size >= least => Ok(size),
        _ => {
            let options = [("least", least)].into_py_dict(py)?;
            Ok(names::size_of(py)?.run_with((given, name), Some(&options))?.extract().unwrap_or(usize::MAX))
        }
    }
}
