//! Iterators of faults that notebooks can show: what has been shown is still yielded.

use std::collections::VecDeque;

use pyo3::PyClass;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::False;
use pyo3::types::PyList;

use crate::given::size_of;
use crate::made::list;
use crate::names;

/// Faults that have been found for `peek`, and that nobody has taken yet.
pub type Ahead = VecDeque<Py<PyAny>>;

/// An iterator that finds one fault after the other.
pub trait Finder: PyClass<Frozen = False> {
    /// What has been found ahead.
    fn ahead(&mut self) -> &mut Ahead;

    /// Find the next fault.
    fn find<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>>;

    /// Show the collector what this keeps of the caller's, which may keep the iterator in turn.
    fn visited(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError>;
}

/// The state of an iterator, borrowed while one thread takes the next item: what runs without the GIL meanwhile owns
/// it.
pub fn alone<'py, T: PyClass<Frozen = False>>(iterator: &Bound<'py, T>) -> PyResult<PyRefMut<'py, T>> {
    let busy = |_| PyRuntimeError::new_err("this iterator is in use by another thread");
    iterator.try_borrow_mut().map_err(busy)
}

/// The next fault: the first of those found ahead, or a new one.
pub fn next<'py, T: Finder>(iterator: &Bound<'py, T>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (mut finder, py) = (alone(iterator)?, iterator.py());
    match finder.ahead().pop_front() {
        Some(fault) => Ok(Some(fault.into_bound(py))),
        None => finder.find(py),
    }
}

/// The next faults, at most so many, which stay in the iterator: see `eightfold.showing.Faults.peek`.
pub fn peek<'py, T: Finder>(iterator: &Bound<'py, T>, count: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let count = size_of(count, "count", 0)?;
    let (mut finder, py) = (alone(iterator)?, iterator.py());
    while finder.ahead().len() < count {
        // Before a fault is found: it would be lost.
        finder.ahead().try_reserve(1).map_err(|_| PyMemoryError::new_err(()))?;
        let Some(fault) = finder.find(py)? else { break };
        finder.ahead().push_back(fault.unbind());
    }
    list(py, finder.ahead().iter().take(count).map(|fault| fault.bind(py).clone()))
}

/// The next faults as a table of HTML: see `eightfold.showing.html_of`.
pub fn html<'py, T: Finder>(iterator: &Bound<'py, T>) -> PyResult<Bound<'py, PyAny>> {
    names::html_of(iterator.py())?.call1((iterator,))
}

/// The exception for copies, as `eightfold.showing.Faults` raises it.
pub fn uncopied() -> PyErr {
    PyTypeError::new_err("faults cannot be copied or pickled while they are being found: make a list of them")
}

/// The methods of an iterator of faults for Python.
macro_rules! peeking_methods {
    ($iterator:ident) => {
        #[pymethods]
        impl $iterator {
            fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
                slf
            }

            fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
                $crate::peeking::next(slf)
            }

            #[pyo3(signature = (count, /))]
            fn peek<'py>(
                slf: &Bound<'py, Self>,
                count: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, pyo3::types::PyList>> {
                $crate::peeking::peek(slf, count)
            }

            fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $crate::peeking::html(slf)
            }

            fn __reduce_ex__(&self, _protocol: &Bound<'_, PyAny>) -> PyResult<()> {
                Err($crate::peeking::uncopied())
            }

            fn __traverse__(&self, visit: pyo3::gc::PyVisit<'_>) -> Result<(), pyo3::gc::PyTraverseError> {
                $crate::peeking::Finder::visited(self, &visit)
            }
        }
    };
}

pub(crate) use peeking_methods;
