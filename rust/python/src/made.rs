//! Objects of Python where memory may be out: PyO3 makes numbers, strings, tuples and lists or panics, and what is made
//! here is there or raises `MemoryError`. What is as long as the input, or made for each fault, is made here.

#![expect(unsafe_code, reason = "objects are made by the interpreter's functions of C")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString, PyTuple};

/// A value that becomes an object, where there is memory for it.
pub trait Make<'py> {
    /// The object.
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

/// A result or an argument that is made so.
pub struct Made<T>(pub T);

impl<'py, T: Make<'py>> IntoPyObject<'py> for Made<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        self.0.make(py)
    }
}

/// What a function of C has made.
///
/// # Safety
/// It is a new reference, or null with an exception set.
unsafe fn owned(py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: the contract of this function.
    unsafe { Bound::from_owned_ptr_or_err(py, object) }
}

impl<'py> Make<'py> for usize {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the call returns a new reference or null with an exception set.
        unsafe { owned(py, ffi::PyLong_FromSize_t(self)) }
    }
}

impl<'py> Make<'py> for u32 {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        (self as usize).make(py)
    }
}

impl<'py> Make<'py> for i32 {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: as above.
        unsafe { owned(py, ffi::PyLong_FromLong(self.into())) }
    }
}

impl<'py> Make<'py> for bool {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, self).to_owned().into_any())
    }
}

impl<'py> Make<'py> for &str {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let length = self.len() as ffi::Py_ssize_t;
        // SAFETY: there are so many bytes; the call returns a new reference or null with an exception set.
        unsafe { owned(py, ffi::PyUnicode_FromStringAndSize(self.as_ptr().cast(), length)) }
    }
}

impl<'py> Make<'py> for String {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_str().make(py)
    }
}

impl<'py, T> Make<'py> for Bound<'py, T> {
    fn make(self, _: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.into_any())
    }
}

impl<'py, T: Make<'py>> Make<'py> for Option<T> {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.map_or_else(|| Ok(py.None().into_bound(py)), |value| value.make(py))
    }
}

impl<'py, T: Make<'py>> Make<'py> for Vec<T> {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        list(py, self.into_iter()).map(Bound::into_any)
    }
}

impl<'py> Make<'py> for u64 {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the call returns a new reference or null with an exception set.
        unsafe { owned(py, ffi::PyLong_FromUnsignedLongLong(self)) }
    }
}

macro_rules! make_tuples {
    ($(($($name:ident),*);)*) => {$(
        impl<'py, $($name: Make<'py>),*> Make<'py> for ($($name,)*) {
            fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                #[expect(non_snake_case, reason = "a value is called as its type")]
                let ($($name,)*) = self;
                tuple(py, [$($name.make(py)?),*]).map(Bound::into_any)
            }
        }
    )*};
}

make_tuples! {
    (A, B);
    (A, B, C);
    (A, B, C, D);
    (A, B, C, D, E);
    (A, B, C, D, E, F, G);
}

/// A tuple of objects.
pub fn tuple<'py, const COUNT: usize>(
    py: Python<'py>,
    items: [Bound<'py, PyAny>; COUNT],
) -> PyResult<Bound<'py, PyTuple>> {
    // SAFETY: the call returns a new reference or null with an exception set.
    let tuple = unsafe { owned(py, ffi::PyTuple_New(COUNT as ffi::Py_ssize_t)) }?;
    for (at, item) in (0..).zip(items) {
        // SAFETY: a new tuple, a place in it that is empty, and a reference that it takes.
        unsafe { ffi::PyTuple_SET_ITEM(tuple.as_ptr(), at, item.into_ptr()) };
    }
    // SAFETY: `PyTuple_New` makes nothing else than a tuple.
    Ok(unsafe { tuple.cast_into_unchecked() })
}

/// A list of what values become.
pub fn list<'py, T: Make<'py>>(
    py: Python<'py>,
    values: impl ExactSizeIterator<Item = T>,
) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the call returns a new reference or null with an exception set.
    let list = unsafe { owned(py, ffi::PyList_New(values.len() as ffi::Py_ssize_t)) }?;
    for (at, value) in (0..).zip(values) {
        // SAFETY: a list, an index, and a reference that it takes; where there is no such place, this is an error.
        if unsafe { ffi::PyList_SetItem(list.as_ptr(), at, value.make(py)?.into_ptr()) } != 0 {
            return Err(PyErr::fetch(py));
        }
    }
    // SAFETY: `PyList_New` makes nothing else than a list.
    Ok(unsafe { list.cast_into_unchecked() })
}

/// The one str of a name.
pub fn interned<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyString>> {
    let mut object = name.make(py)?.into_ptr();
    // SAFETY: a reference to a str, in the place of which the call leaves one to a str.
    unsafe {
        ffi::PyUnicode_InternInPlace(&raw mut object);
        Ok(Bound::from_owned_ptr(py, object).cast_into_unchecked())
    }
}
