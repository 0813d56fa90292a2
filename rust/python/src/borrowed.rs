//! Memory of buffers that others own: the one module that reads it in place.
//!
//! Buffers of Arrow are written once, before anybody else sees them; so its specification has it, and so all its
//! libraries take it. Whoever writes to one that is being read breaks that contract. Even then nothing here is read or
//! written out of place: places are checked whenever they are used, and what is converted is copied first.

#![expect(unsafe_code, reason = "the memory of buffers is read by address")]

use std::slice;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

/// A buffer that is kept; empty where there is none.
pub struct Borrowed(Option<PyUntypedBuffer>);

impl Borrowed {
    /// Keep an object's buffer. None has no bytes.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_none() {
            return Ok(Borrowed(None));
        }
        let buffer = PyUntypedBuffer::get(object)?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not contiguous"));
        }
        Ok(Borrowed(Some(buffer)))
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        let Some(buffer) = self.0.as_ref().filter(|buffer| buffer.len_bytes() > 0) else { return &[] };
        // SAFETY: the exporter keeps so many bytes in one piece there until the buffer is released, which `self` does;
        // that nobody writes to them meanwhile is the contract above.
        unsafe { slice::from_raw_parts(buffer.buf_ptr().cast(), buffer.len_bytes()) }
    }
}
