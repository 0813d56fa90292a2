//! The faults of part of an input, each with its line and its column.

use std::sync::Arc;
use std::vec;

use eightfold_core::{Fault, Form, LinePlace, Scan};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::faults::{FAULTS_AHEAD, fault_object};
use crate::handle::Handle;
use crate::made::Made;
use crate::memory::released;
use crate::names;
use crate::peeking::alone;

/// Return the number of line feeds and the end of the last one: see `eightfold.reference.line_feeds`.
#[pyfunction]
pub fn line_feeds(form: &Bound<'_, PyAny>, data: &Bound<'_, PyBytes>) -> PyResult<Made<(usize, usize)>> {
    let handle = Handle::of(form)?;
    let (form, bytes) = (&handle.get().form, data.as_bytes());
    Ok(Made(released(data.py(), bytes.len(), || form.line_feeds(bytes))))
}

/// The faults of a segment: see `eightfold.files.read.scanning.Scan`.
#[pyclass(module = "eightfold._native", name = "Scan")]
pub struct Located {
    data: Py<PyBytes>,
    form: Arc<Form>,
    /// Faults found so far, with their places in the segment.
    found: vec::IntoIter<(Fault, LinePlace)>,
    /// The offset that the scan has reached.
    at: usize,
    /// The offset up to which lines have been counted, and the place there.
    passed: usize,
    place: LinePlace,
    /// What fault objects report: the name of the form, and where the segment begins.
    name: Py<PyString>,
    offset: usize,
    start: LinePlace,
}

#[pymethods]
impl Located {
    #[new]
    fn new(form: &Bound<'_, PyAny>, data: Bound<'_, PyBytes>) -> PyResult<Self> {
        let handle = Handle::of(form)?;
        let (form, name) = (handle.get().form.clone(), handle.get().name.clone_ref(data.py()));
        let (place, start, found) = (LinePlace::START, LinePlace::START, Vec::new().into_iter());
        Ok(Located { data: data.unbind(), form, found, at: 0, passed: 0, place, name, offset: 0, start })
    }

    #[getter]
    fn length(&self, py: Python<'_>) -> Made<usize> {
        Made(self.data.as_bytes(py).len())
    }

    /// Find the first faults now and, if there are fewer than `count`, the place of the end.
    fn look_ahead(&mut self, py: Python<'_>, count: usize) {
        self.find(py, count);
    }

    /// Report faults as those of a whole input in which the segment begins at this place.
    fn behind(
        mut slf: PyRefMut<'_, Self>,
        name: Py<PyString>,
        offset: usize,
        line: usize,
        column: usize,
    ) -> PyRefMut<'_, Self> {
        (slf.name, slf.offset, slf.start) = (name, offset, LinePlace { line, column });
        slf
    }

    /// The line and the column of the end, once all faults have been taken.
    fn end(&mut self, py: Python<'_>) -> Made<(usize, usize)> {
        if self.passed < self.data.as_bytes(py).len() {
            self.find(py, 1);
        }
        let place = self.place.behind(self.start);
        Made((place.line, place.column))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        alone(slf)?.next(slf.py())
    }
}

impl Located {
    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.found.len() == 0 && self.at < self.data.as_bytes(py).len() {
            self.find(py, FAULTS_AHEAD);
        }
        self.found.next().map(|(fault, place)| self.object(py, fault, place)).transpose()
    }

    /// Find up to `count` more faults, and count lines up to the last; if there are fewer, to the end.
    fn find(&mut self, py: Python<'_>, count: usize) {
        let (form, data) = (&self.form, self.data.as_bytes(py));
        let (mut place, mut passed) = (self.place, self.passed);
        let mut scan = Scan { form, data, is_final: true, at: self.at, limit: data.len() };
        let found = released(py, data.len() - passed, || {
            let mut pass_to = |end| {
                place.pass_over(form, &data[passed..end]);
                passed = end;
                place
            };
            let found: Vec<_> = scan.by_ref().take(count).map(|fault| (fault, pass_to(fault.start))).collect();
            if found.len() < count {
                pass_to(data.len());
            }
            found
        });
        (self.at, self.place, self.passed) = (scan.at, place, passed);
        self.found = found.into_iter();
    }

    fn object<'py>(&self, py: Python<'py>, fault: Fault, place: LinePlace) -> PyResult<Bound<'py, PyAny>> {
        let fault = fault_object(self.data.bind(py), self.offset, &self.name, fault)?;
        located(fault, place.behind(self.start))
    }
}

/// A fault with its place: see `eightfold.stream.Located`.
pub fn located(fault: Bound<'_, PyAny>, place: LinePlace) -> PyResult<Bound<'_, PyAny>> {
    let py = fault.py();
    let parts = (fault, place.line, place.column);
    names::new_tuple(py)?.call1((names::located_type(py)?, Made(parts)))
}
