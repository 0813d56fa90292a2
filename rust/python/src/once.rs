//! What is looked up or made once, at its first use.
//!
//! No other thread runs while a cell is being filled. With `PyOnceLock::get_or_init` others do, and the child of a
//! process that one of them forks meanwhile would wait for ever at its first use of the cell.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// What a cell keeps. Where it is empty, `make` is called first, by each thread that finds it so; one result is kept.
#[inline]
pub fn once<'a, T, E>(
    py: Python<'_>,
    cell: &'a PyOnceLock<T>,
    make: impl FnOnce() -> Result<T, E>,
) -> Result<&'a T, E> {
    if let Some(kept) = cell.get(py) {
        return Ok(kept);
    }
    let made = make()?;
    // Another thread may have been faster.
    _ = cell.set(py, made);
    Ok(cell.get(py).expect("it is set"))
}

/// The one str of a text, as `pyo3::intern`.
macro_rules! intern {
    ($py:expr, $text:expr) => {{
        static CELL: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::types::PyString>> = pyo3::sync::PyOnceLock::new();
        let py = $py;
        let make = || Ok::<_, std::convert::Infallible>(pyo3::types::PyString::intern(py, $text).unbind());
        let Ok(text) = $crate::once::once(py, &CELL, make);
        text.bind(py)
    }};
}

pub(crate) use intern;
