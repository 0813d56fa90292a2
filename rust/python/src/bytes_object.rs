//! Making bytes objects, which are filled where they will be seen.

#![expect(unsafe_code, reason = "the memory of bytes is written by address")]

use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

use eightfold_core::kernels::{self, Scalar};
use eightfold_core::{Form, Missing, Output, ShortBytes, Text};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::encoded::encoded;
use crate::memory::{Aligned, made, unseen, written};
use crate::released::released;

/// Make bytes of `count` bytes and let `fill` fill them; None where it has not written all of them.
#[inline(always)]
fn new_bytes<'py>(
    py: Python<'py>,
    count: usize,
    fill: impl FnOnce(&mut Output<'_, u8>),
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let length = ffi::Py_ssize_t::try_from(count).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: null asks for memory that is not written yet; the call returns a new bytes object or null.
    let object = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyBytes_FromStringAndSize(ptr::null(), length)) }?;
    let mut is_whole = true;
    if count > 0 {
        // SAFETY: the object is a bytes object.
        let start = unsafe { &raw mut (*object.as_ptr().cast::<ffi::PyBytesObject>()).ob_sval };
        // SAFETY: it is `count` bytes long and new, and the slice goes before it.
        let memory = unsafe { unseen(start.cast(), count) };
        is_whole = written(memory, |out| fill(out)) == count;
    }
    // SAFETY: `PyBytes_FromStringAndSize` makes nothing else than bytes.
    Ok(is_whole.then(|| unsafe { object.cast_into_unchecked() }))
}

/// Make bytes of bytes.
#[inline]
pub fn bytes_of_slice<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    made(new_bytes(py, data.len(), |out| released(py, data.len(), || out.copy(data)))?)
}

/// Make bytes of bytes of which none is 00; None where one is.
pub fn bytes_if_without_nul<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    new_bytes(py, data.len(), |out| _ = released(py, data.len(), || kernels::copy_without_nul(data, out)))
}

/// Make bytes of a size that is known; `write` fills them after `mark`.
pub fn bytes_of_size<'py>(
    py: Python<'py>,
    mark: &[u8],
    size: usize,
    write: impl FnOnce(&mut Output<'_, u8>) + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    // Else the bytes would be shown with parts that nobody wrote.
    Ok(bytes_if_written(py, mark, size, write)?.expect("the text is shorter than it was measured"))
}

/// The same; None where `write` has not written all of them.
pub fn bytes_if_written<'py>(
    py: Python<'py>,
    mark: &[u8],
    size: usize,
    write: impl FnOnce(&mut Output<'_, u8>) + Send,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    new_bytes(py, mark.len() + size, |out| {
        out.copy(mark);
        released(py, size, || write(out));
    })
}

/// Bytes that are being written; the interpreter's writer is given back when this is dropped.
struct Writer(*mut ffi::compat::PyBytesWriter);

impl Writer {
    /// A writer with room for so many bytes.
    fn new(py: Python<'_>, room: usize) -> PyResult<Self> {
        let length = ffi::Py_ssize_t::try_from(room).map_err(|_| PyMemoryError::new_err(()))?;
        // SAFETY: the call returns a new writer, or null with an exception.
        let writer = unsafe { ffi::compat::PyBytesWriter_Create(length) };
        if writer.is_null() { Err(PyErr::fetch(py)) } else { Ok(Self(writer)) }
    }

    /// The first `count` bytes.
    ///
    /// # Safety
    /// So many have been written.
    unsafe fn finish(self, py: Python<'_>, count: usize) -> PyResult<Bound<'_, PyBytes>> {
        let writer = ManuallyDrop::new(self).0;
        // SAFETY: the contract of this function; the call takes the writer, and returns new bytes, or null with an
        // exception.
        unsafe {
            let bytes = ffi::compat::PyBytesWriter_FinishWithSize(writer, count as ffi::Py_ssize_t);
            Ok(Bound::from_owned_ptr_or_err(py, bytes)?.cast_into_unchecked())
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // SAFETY: it has not been finished.
        unsafe { ffi::compat::PyBytesWriter_Discard(self.0) };
    }
}

/// Make bytes of as many of `room` bytes as `write` has written; None where it says that this is not all. They are cut
/// in place: to write other memory first and copy that takes as much memory once more, and its pages.
pub fn bytes_up_to<'py>(
    py: Python<'py>,
    room: usize,
    write: impl FnOnce(&mut Output<'_, u8>) -> bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let writer = Writer::new(py, room)?;
    // SAFETY: the writer has room for so many bytes, which are written before anybody else knows of them.
    let memory = unsafe { unseen(ffi::compat::PyBytesWriter_GetData(writer.0), room) };
    let (is_whole, written) = Output::written(memory, write);
    let count = written.len();
    // SAFETY: so many have been written.
    is_whole.then(|| unsafe { writer.finish(py, count) }).transpose()
}

/// Make bytes of parts one after the other, each of which is given back as soon as it is there.
pub fn bytes_of_parts<'py>(py: Python<'py>, parts: Vec<Vec<u8>>) -> PyResult<Bound<'py, PyBytes>> {
    bytes_of_size(py, b"", parts.iter().map(Vec::len).sum(), |out| {
        for part in parts {
            out.copy(&part);
        }
    })
}

/// Make bytes of a text after a mark: measured, then written once; None where the policy has no answer.
pub fn bytes_of_text<'py>(
    py: Python<'py>,
    how: (&Form, Missing),
    text: Text<'_>,
    mark: &[u8],
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let mut size = 0_usize;
    if encoded(py, how, (text, 0), &mut size)?.is_err() {
        return Ok(None);
    }
    let mut outcome = Ok(());
    let made = new_bytes(py, mark.len() + size, |out| {
        out.copy(mark);
        // Measuring has shown that writing meets no fault.
        outcome = encoded(py, how, (text, 0), out).map(|_| ());
    })?;
    outcome?;
    // Else the bytes would be shown with parts that nobody wrote.
    Ok(Some(made.expect("the text is shorter than it was measured")))
}

/// Make bytes of a short text in a form, as [`Form::write_short`].
#[inline]
pub fn bytes_of_short_text<'py>(
    py: Python<'py>,
    form: &Form,
    missing: Option<Missing>,
    text: Text<'_>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let mut memory: Aligned<ShortBytes> = Aligned([const { MaybeUninit::uninit() }; _]);
    form.write_short(text, missing, &mut memory.0).map(|bytes| bytes_of_slice(py, bytes)).transpose()
}

/// Make bytes of text without surrogates, as UTF-8.
pub fn bytes_of_scalar<'py>(py: Python<'py>, text: Scalar<'_>) -> PyResult<Bound<'py, PyBytes>> {
    let count = text.utf8_bytes();
    made(new_bytes(py, count, |out| released(py, count, || text.write_utf8(out)))?)
}
