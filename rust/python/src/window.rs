//! The part of its input that a scan sees: all of a bytes object, otherwise a copy of one piece at a time.
//!
//! Only the interpreter reads memory that others may write to, each byte once, into bytes of our own. A scan thus takes
//! as much memory for a large input as for a small one, and sees each byte either before or after a concurrent change.

use pyo3::exceptions::PyMemoryError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};

use crate::bytes_object::bytes_of_slice;
use crate::given::view_of;
use crate::once::intern;

/// Bytes to copy at a time: enough to make the cost of calls negligible, few enough for the second-level cache.
const PIECE_BYTES: usize = 1 << 18;

/// A part of the input; nothing before it matters any more.
pub struct Window {
    /// The bytes of the part.
    pub data: Py<PyBytes>,
    /// Its offset in the input.
    pub offset: usize,
    /// The object from which to read the rest; None if there is no rest.
    rest: Option<Py<PyAny>>,
}

impl Window {
    /// The beginning of any bytes-like object, longer than any signature if the object is.
    pub fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(bytes) = data.cast_exact::<PyBytes>() {
            return Ok(Window { data: bytes.clone().unbind(), offset: 0, rest: None });
        }
        let nothing = PyBytes::new(data.py(), b"").unbind();
        let mut window = Window { data: nothing, offset: 0, rest: Some(data.clone().unbind()) };
        window.slide(data.py(), 0)?;
        Ok(window)
    }

    /// Whether the input ends where this part does.
    pub fn is_final(&self) -> bool {
        self.rest.is_none()
    }

    /// Show the collector the object that is read.
    pub fn visited(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.rest)
    }

    /// Drop what precedes an offset and read more: a piece, or as much as is kept if that is more, so that the cost
    /// stays linear.
    pub fn slide(&mut self, py: Python<'_>, start: usize) -> PyResult<()> {
        py.check_signals()?;
        // It is kept until the rest has been read: after an error the input does not end where this part does.
        let Some(source) = &self.rest else { return Ok(()) };
        let kept = &self.data.as_bytes(py)[start..];
        let from = self.offset + self.data.as_bytes(py).len();
        let (read, is_all) = read(source.bind(py), from, PIECE_BYTES.max(kept.len()))?;
        let count = kept.len().checked_add(read.as_bytes().len()).ok_or_else(|| PyMemoryError::new_err(()))?;
        let data = PyBytes::new_with(py, count, |out| {
            out[..kept.len()].copy_from_slice(kept);
            out[kept.len()..].copy_from_slice(read.as_bytes());
            Ok(())
        })?;
        self.data = data.unbind();
        self.offset += start;
        if is_all {
            self.rest = None;
        }
        Ok(())
    }
}

/// A copy of some bytes of an object, and whether they reach its end. Objects that are not contiguous are copied whole.
fn read<'py>(source: &Bound<'py, PyAny>, from: usize, count: usize) -> PyResult<(Bound<'py, PyBytes>, bool)> {
    let py = source.py();
    let view = view_of(source)?;
    let to_bytes = intern!(py, "tobytes");
    let size: usize = view.getattr(intern!(py, "nbytes"))?.extract()?;
    if size <= count || !view.getattr(intern!(py, "c_contiguous"))?.is_truthy()? {
        let all = view.call_method0(to_bytes)?.cast_into::<PyBytes>()?;
        let from = from.min(all.as_bytes().len());
        return Ok((if from == 0 { all } else { bytes_of_slice(py, &all.as_bytes()[from..])? }, true));
    }
    let bytes = view.call_method1(intern!(py, "cast"), (intern!(py, "B"),))?;
    let end = from.saturating_add(count);
    let piece = bytes.get_item(PySlice::new(py, from as isize, end as isize, 1))?.call_method0(to_bytes)?;
    Ok((piece.cast_into()?, end >= size))
}
