//! The Python functions and classes that the module calls back, each looked up once.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::once::once;

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident = $module:literal . $attribute:literal;)*) => {
        $(
            $(#[$doc])*
            pub fn $name<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyAny>> {
                static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                let load = || PyResult::Ok(py.import($module)?.getattr($attribute)?.unbind());
                Ok(once(py, &CELL, load)?.bind(py))
            }
        )*
    };
}

/// `tuple.__new__`, which makes a named tuple of its parts without a Python frame.
pub fn new_tuple(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static CELL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let load = || PyResult::Ok(py.get_type::<PyTuple>().getattr("__new__")?.unbind());
    Ok(once(py, &CELL, load)?.bind(py))
}

names! {
    form_named = "eightfold.forms" . "form";
    forms = "eightfold.forms" . "forms";
    shown_key = "eightfold.jsonpath" . "shown_key";
    fault_type = "eightfold.faults" . "Fault";
    escape_fault_type = "eightfold.faults" . "EscapedSurrogateFault";
    decode_error_type = "eightfold.faults" . "DecodeError";
    wants_bytes = "eightfold.faults" . "wants_bytes";
    wants_text = "eightfold.faults" . "wants_text";
    encode_error_type = "eightfold.faults" . "EncodeError";
    check_offered = "eightfold.policy" . "check_offered";
    check_policy = "eightfold.policy" . "check_policy";
    reading = "eightfold.policy" . "reading";
    writing = "eightfold.policy" . "writing";
    joins = "eightfold.pairs" . "joins";
    joined_pair = "eightfold.pairs" . "joined_pair";
    raise_conversion = "eightfold.policy" . "raise_conversion";
    is_built_in = "eightfold.policy" . "is_built_in";
    replaced = "eightfold.run" . "replaced";
    broken_column = "eightfold.columns.values" . "BrokenColumnError";
    strict_errors = "codecs" . "strict_errors";
    replace_errors = "codecs" . "replace_errors";
    ignore_errors = "codecs" . "ignore_errors";
    backslashreplace_errors = "codecs" . "backslashreplace_errors";
    xmlcharrefreplace_errors = "codecs" . "xmlcharrefreplace_errors";
    namereplace_errors = "codecs" . "namereplace_errors";
    array_type = "array" . "array";
    size_of = "eightfold.arguments" . "size_of";
    limit_of = "eightfold.arguments" . "limit_of";
    bytes_view = "eightfold.arguments" . "view_of";
    grapheme_end = "eightfold.graphemes" . "grapheme_end";
    writable = "eightfold.buffers" . "writable";
    items = "eightfold.buffers" . "items";
    html_of = "eightfold.showing" . "html_of";
    located_type = "eightfold.stream" . "Located";
}
