//! Calls of what may be code of Python.
//!
//! Before Python 3.14 the interpreter, when it exits, ends a daemon thread at its next instruction of Python by
//! unwinding its stack. That must not go through frames of Rust: it would end the process. The thread waits here
//! instead, as it does from 3.14 on.

#![expect(unsafe_code, reason = "functions of C are called as ones that may unwind")]

use std::hint::black_box;
use std::mem::{forget, transmute};
use std::{ptr, thread};

use pyo3::BoundObject;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A function of C as PyO3 declares it, and as it is: one that may unwind.
type Unary = unsafe extern "C" fn(*mut PyObject) -> *mut PyObject;
type UnwindingUnary = unsafe extern "C-unwind" fn(*mut PyObject) -> *mut PyObject;
type Call = unsafe extern "C" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;
type UnwindingCall = unsafe extern "C-unwind" fn(*mut PyObject, *mut PyObject, *mut PyObject) -> *mut PyObject;

/// Where unwinding ends: the thread waits for the end of the process.
struct Waits;

impl Drop for Waits {
    fn drop(&mut self) {
        while !thread::panicking() {
            thread::park();
        }
    }
}

/// What a call returns; where it unwinds, this waits.
#[inline(always)]
fn guarded<T>(call: impl FnOnce() -> T) -> T {
    let guard = Waits;
    let result = call();
    forget(guard);
    result
}

/// What a function of C returns, null where it has set an exception or, in an iterator, where nothing is left.
///
/// # Safety
/// The function takes such an object, and returns a new reference or null.
unsafe fn result_of(function: Unary, object: &Bound<'_, PyAny>) -> *mut PyObject {
    // SAFETY: both kinds of functions are called alike. The compiler must not see which one it is: it would rely on how
    // it was declared, and leave out what stops the unwinding.
    let function = black_box(unsafe { transmute::<Unary, UnwindingUnary>(function) });
    // SAFETY: the contract of this function; the object lives.
    guarded(|| unsafe { function(object.as_ptr()) })
}

/// What may run code of Python, asked of any object.
pub trait Run<'py> {
    /// Call it with these arguments.
    fn run(&self, given: impl IntoPyObject<'py, Target = PyTuple>) -> PyResult<Bound<'py, PyAny>>;
    /// The same with named arguments, too.
    fn run_with(
        &self,
        given: impl IntoPyObject<'py, Target = PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>>;
    /// `str` of it.
    fn run_str(&self) -> PyResult<Bound<'py, PyAny>>;
    /// `operator.index` of it.
    fn run_index(&self) -> PyResult<Bound<'py, PyAny>>;
    /// Its items.
    fn run_iter(&self) -> PyResult<Items<'py>>;
}

impl<'py> Run<'py> for Bound<'py, PyAny> {
    fn run(&self, given: impl IntoPyObject<'py, Target = PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        self.run_with(given, None)
    }

    fn run_with(
        &self,
        given: impl IntoPyObject<'py, Target = PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, given) = (self.py(), given.into_pyobject(self.py()).map_err(Into::into)?.into_bound());
        // SAFETY: as in `result_of`.
        let call = black_box(unsafe { transmute::<Call, UnwindingCall>(ffi::PyObject_Call) });
        let named = named.map_or(ptr::null_mut(), Bound::as_ptr);
        // SAFETY: objects that live, a tuple, and a dict or null.
        let result = guarded(|| unsafe { call(self.as_ptr(), given.as_ptr(), named) });
        // SAFETY: a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(py, result) }
    }

    fn run_str(&self) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the function takes any object, and returns a new reference, or null with an exception.
        unsafe { Bound::from_owned_ptr_or_err(self.py(), result_of(ffi::PyObject_Str, self)) }
    }

    fn run_index(&self) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: as above.
        unsafe { Bound::from_owned_ptr_or_err(self.py(), result_of(ffi::PyNumber_Index, self)) }
    }

    fn run_iter(&self) -> PyResult<Items<'py>> {
        // SAFETY: as above.
        unsafe { Bound::from_owned_ptr_or_err(self.py(), result_of(ffi::PyObject_GetIter, self)).map(Items) }
    }
}

/// The items of an iterable.
pub struct Items<'py>(Bound<'py, PyAny>);

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        let py = self.0.py();
        // SAFETY: `PyObject_GetIter` made it, so it is an iterator; the result is a new reference, or null.
        let item = unsafe { Bound::from_owned_ptr_or_opt(py, result_of(ffi::PyIter_Next, &self.0)) };
        item.map_or_else(|| PyErr::take(py).map(Err), |item| Some(Ok(item)))
    }
}
