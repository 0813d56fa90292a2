//! Which interpreter this is, and what becomes of threads when it exits. What is looked up once is kept for the
//! process, so one interpreter only can have it.

#![expect(unsafe_code, reason = "the interpreter is asked by its functions of C")]

use std::thread;

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Refuse a sub-interpreter.
pub fn check_main(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the thread is attached to an interpreter (the token says so), and both calls only read.
    let is_main = unsafe { ffi::PyInterpreterState_Get() == ffi::PyInterpreterState_Main() };
    if is_main { Ok(()) } else { Err(PyImportError::new_err("it is not made for sub-interpreters")) }
}

/// Do what may run code of Python.
///
/// Before Python 3.14 the interpreter, when it exits, ends a daemon thread at its next instruction of Python by
/// unwinding its stack. That must not go through frames of Rust: it would end the process. The thread waits here
/// instead, as it does from 3.14 on.
pub fn running<T>(work: impl FnOnce() -> T) -> T {
    let guard = Waits;
    let result = work();
    std::mem::forget(guard);
    result
}

struct Waits;

impl Drop for Waits {
    fn drop(&mut self) {
        while !thread::panicking() {
            thread::park();
        }
    }
}

/// Calls of what may be a function of Python: see [`running`].
pub trait Run<'py> {
    /// Call it with these arguments.
    fn run(&self, given: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>>;
}

impl<'py> Run<'py> for Bound<'py, PyAny> {
    fn run(&self, given: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
        running(|| self.call1(given))
    }
}
