//! Which interpreter this is. What is looked up once is kept for the process, so one interpreter only can have it.

#![expect(unsafe_code, reason = "the interpreter is asked by its functions of C")]

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Refuse a sub-interpreter.
pub fn check_main(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the thread is attached to an interpreter (the token says so), and both calls only read.
    let is_main = unsafe { ffi::PyInterpreterState_Get() == ffi::PyInterpreterState_Main() };
    if is_main { Ok(()) } else { Err(PyImportError::new_err("it is not made for sub-interpreters")) }
}
