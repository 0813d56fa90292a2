//! The header of a str: how wide its code points are, and whether they follow the header, all of them ASCII.
//!
//! PyO3 reads it up to CPython 3.13. From 3.14 on PyO3 only offers the interpreter's functions, and a call of one of
//! them is a tenth of what it takes to encode a short text. So the flags are read here, where
//! `Include/cpython/unicodeobject.h` of 3.14 and 3.15 puts them, and an import first compares them with what those
//! functions say. Where the place of a bit field depends on a compiler that this has not been tried with, the functions
//! are called.

#![expect(unsafe_code, reason = "the header of a str is read by address")]

#[cfg(not(Py_3_14))]
pub use before_3_14::*;
#[cfg(Py_3_14)]
pub use since_3_14::*;

#[cfg(not(Py_3_14))]
mod before_3_14 {
    use std::ffi::{c_uint, c_void};

    use pyo3::ffi;
    use pyo3::prelude::*;

    /// Whether a str is compact and ASCII.
    ///
    /// # Safety
    /// `text` is a str.
    #[inline(always)]
    pub unsafe fn is_ascii(text: *mut ffi::PyObject) -> bool {
        // SAFETY: the contract of this function.
        unsafe { ffi::PyUnicode_IS_COMPACT_ASCII(text) != 0 }
    }

    /// The kind and the code points of a str; None where they do not follow its header, and may have to be made first.
    ///
    /// # Safety
    /// `text` is a str.
    #[inline(always)]
    pub unsafe fn compact(text: *mut ffi::PyObject) -> Option<(c_uint, *mut c_void)> {
        // SAFETY: the contract of this function.
        unsafe {
            (ffi::PyUnicode_IS_COMPACT(text) != 0).then(|| (ffi::PyUnicode_KIND(text), ffi::PyUnicode_DATA(text)))
        }
    }

    /// PyO3 knows these layouts.
    pub fn check(_: Python<'_>) -> PyResult<()> {
        Ok(())
    }
}

#[cfg(Py_3_14)]
mod since_3_14 {
    use std::ffi::{c_uint, c_void};

    use pyo3::exceptions::PyImportError;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyString, PyType};

    /// The lowest three bits are the kind.
    const KIND: u8 = 0b111;
    const COMPACT: u8 = 1 << 3;
    const ASCII: u8 = 1 << 4;

    /// The flags of a str. They are `kind:3`, `compact:1`, `ascii:1` behind `interned`, which has two bits of the same
    /// byte, or in a free-threaded build a byte of its own.
    ///
    /// # Safety
    /// `text` is a str.
    #[cfg(all(target_endian = "little", not(all(Py_GIL_DISABLED, windows))))]
    #[inline(always)]
    unsafe fn flags(text: *mut ffi::PyObject) -> u8 {
        const FIRST_BIT: usize = if cfg!(Py_GIL_DISABLED) { 8 } else { 2 };
        // SAFETY: the contract of this function. The byte is never written to after the str was made, but for the bits
        // of `interned` where a lock protects them.
        unsafe {
            (&raw const (*text.cast::<ffi::PyASCIIObject>()).state).cast::<u8>().add(FIRST_BIT / 8).read()
                >> (FIRST_BIT % 8)
        }
    }

    /// The flags of a str, by the interpreter's functions.
    ///
    /// # Safety
    /// `text` is a str.
    #[cfg(not(all(target_endian = "little", not(all(Py_GIL_DISABLED, windows)))))]
    #[inline(always)]
    unsafe fn flags(text: *mut ffi::PyObject) -> u8 {
        // SAFETY: the contract of this function.
        unsafe { asked(text) }
    }

    /// The same by the interpreter's functions: code points that follow the header of ASCII are ASCII.
    ///
    /// # Safety
    /// `text` is a str.
    unsafe fn asked(text: *mut ffi::PyObject) -> u8 {
        // SAFETY: the contract of this function.
        let (kind, data) = unsafe { (ffi::PyUnicode_KIND(text), ffi::PyUnicode_DATA(text)) };
        let follow = |header: usize| data.addr() == text.addr() + header;
        let is_ascii = follow(size_of::<ffi::PyASCIIObject>());
        let is_compact = is_ascii || follow(size_of::<ffi::PyCompactUnicodeObject>());
        kind as u8 | if is_ascii { ASCII } else { 0 } | if is_compact { COMPACT } else { 0 }
    }

    /// Whether a str is compact and ASCII.
    ///
    /// # Safety
    /// `text` is a str.
    #[inline(always)]
    pub unsafe fn is_ascii(text: *mut ffi::PyObject) -> bool {
        // SAFETY: the contract of this function.
        unsafe { flags(text) & (COMPACT | ASCII) == COMPACT | ASCII }
    }

    /// The kind and the code points of a str; None where they do not follow its header.
    ///
    /// # Safety
    /// `text` is a str.
    #[inline(always)]
    pub unsafe fn compact(text: *mut ffi::PyObject) -> Option<(c_uint, *mut c_void)> {
        // SAFETY: the contract of this function.
        let flags = unsafe { flags(text) };
        let header = match flags & (COMPACT | ASCII) {
            COMPACT => size_of::<ffi::PyCompactUnicodeObject>(),
            0 | ASCII => return None,
            _ => size_of::<ffi::PyASCIIObject>(),
        };
        // SAFETY: the code points of a compact str are part of the same object, behind its header.
        Some((c_uint::from(flags & KIND), unsafe { text.byte_add(header).cast() }))
    }

    /// Refuse an interpreter in which the flags do not stand where they are read.
    pub fn check(py: Python<'_>) -> PyResult<()> {
        let class = py.get_type::<PyType>().call1(("str", (py.get_type::<PyString>(),), PyDict::new(py)))?;
        for sample in ["", "A", "ASCII", "\u{E9}", "caf\u{E9}", "\u{20AC}", "\u{20AC}uro", "\u{1F600}", "\u{1F600}!"] {
            let text = PyString::new(py, sample);
            for text in [text.clone().into_any(), class.call1((text,))?] {
                // SAFETY: both are instances of str.
                let (read, asked) = unsafe { (flags(text.as_ptr()), asked(text.as_ptr())) };
                // Only of a compact str can the functions say that it is ASCII.
                let checked = KIND | COMPACT | if read & COMPACT == 0 { 0 } else { ASCII };
                if read & checked != asked & checked {
                    return Err(PyImportError::new_err(
                        "this interpreter lays out a str in another way than the core was built for",
                    ));
                }
            }
        }
        Ok(())
    }
}
