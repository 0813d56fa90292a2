//! The words of a verb's reference twin on the compiled function, so that they are written once.

#![expect(unsafe_code, reason = "a function of C is made by hand")]

use std::ffi::CString;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;

use crate::fastcall::{FLAGS, entrance};

/// Return a compiled function with the docstring and the module of its twin in Python, its own signature, and its short
/// way where it has one.
#[pyfunction]
pub fn documented<'py>(function: &Bound<'py, PyCFunction>, twin: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let name: String = function.getattr("__name__")?.extract()?;
    let signature: String = function.getattr("__text_signature__")?.extract()?;
    // With `python -OO` there are none.
    let words: Option<String> = twin.getattr("__doc__")?.extract()?;
    let words = words.unwrap_or_default();
    let doc = CString::new(format!("{name}{signature}\n--\n\n{words}"))?;
    let module = twin.getattr("__module__")?;
    // SAFETY: `function` is a built-in function, so the three calls give its parts; the definition is made of them and
    // is leaked with its strings, since the interpreter keeps pointers to it for as long as the function lives.
    unsafe {
        let code = ffi::PyCFunction_GetFunction(function.as_ptr());
        let Some(code) = code else { return Err(PyTypeError::new_err("a function without code")) };
        let flags = ffi::PyCFunction_GetFlags(function.as_ptr());
        let mut method = ffi::PyMethodDefPointer { PyCFunction: code };
        if flags == FLAGS
            && let Some(entrance) = entrance(&name, method.PyCFunctionFastWithKeywords)
        {
            method = ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: entrance };
        }
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: CString::new(name)?.into_raw(),
            ml_meth: method,
            ml_flags: flags,
            ml_doc: doc.into_raw(),
        }));
        let owner = ffi::PyCFunction_GetSelf(function.as_ptr());
        Bound::from_owned_ptr_or_err(py, ffi::PyCFunction_NewEx(definition, owner, module.as_ptr()))
    }
}
