//! The faults of part of an input, each with its line and its column.

use std::collections::TryReserveError;
use std::sync::Arc;
use std::vec;

use eightfold_core::{Fault, Form, LinePlace, Scan};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::fault_object::fault_object;
use crate::faults::FAULTS_AHEAD;
use crate::given::{Truth, offset_in};
use crate::handle::Handle;
use crate::heard::Heard;
use crate::made::{Made, list};
use crate::names;
use crate::peeking::alone;
use crate::released::released;

/// Return the number of line feeds and the end of the last one: see `eightfold.reference.line_feeds`.
#[pyfunction]
pub fn line_feeds(form: &Bound<'_, PyAny>, data: &Bound<'_, PyBytes>) -> PyResult<Made<(usize, usize)>> {
    let handle = Handle::of(form)?;
    let (form, bytes) = (&handle.get().form, data.as_bytes());
    Ok(Made(released(data.py(), bytes.len(), || form.line_feeds(bytes))))
}

/// An offset into the whole input, with its line and column.
type Position = (usize, usize, usize);

/// Check a piece of a stream: see `eightfold.stream.checker.checked_piece`.
#[pyfunction]
pub fn checked_piece<'py>(
    form: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    data: &Bound<'py, PyBytes>,
    start: usize,
    position: Position,
    r#final: Truth,
) -> PyResult<Made<(Bound<'py, PyList>, usize, Position)>> {
    let (py, bytes) = (data.py(), data.as_bytes());
    let handle = Handle::of(form)?;
    let form = &handle.get().form;
    let mut scan = Scan { form, data: bytes, is_final: r#final.0, at: offset_in(bytes, start)?, limit: bytes.len() };
    let (offset, line, column) = position;
    let mut lines = Lines { passed: start, place: LinePlace { line, column } };
    let (name, before, faults) =
        (name.clone().unbind(), offset.wrapping_sub(start), list(py, [0_usize; 0].into_iter())?);
    loop {
        let found = found(py, &mut scan, &mut lines, FAULTS_AHEAD)?;
        let is_over = found.len() < FAULTS_AHEAD;
        // Making objects takes longer than finding faults.
        py.check_signals()?;
        for (fault, place) in found {
            faults.append(located(fault_object(data, before, &name, fault)?, place)?)?;
        }
        if is_over {
            let position = (before.wrapping_add(scan.at), lines.place.line, lines.place.column);
            return Ok(Made((faults, scan.at, position)));
        }
    }
}

/// How far lines have been counted.
#[derive(Clone, Copy)]
struct Lines {
    passed: usize,
    place: LinePlace,
}

impl Lines {
    const NONE: Lines = Lines { passed: 0, place: LinePlace::START };

    fn pass_to(&mut self, end: usize, scan: &Scan<'_>) -> LinePlace {
        self.place.pass_over(scan.form, &scan.data[self.passed..end]);
        self.passed = end;
        self.place
    }
}

/// Find up to `count` more faults, each with its place; if there are fewer, count lines up to the end of the scan.
fn found(py: Python<'_>, scan: &mut Scan<'_>, lines: &mut Lines, count: usize) -> PyResult<Vec<(Fault, LinePlace)>> {
    let mut nothing = ();
    let mut heard = Heard::new(&mut nothing);
    let left = scan.limit - lines.passed;
    let found = released(py, left, || {
        let mut found = Vec::new();
        while found.len() < count
            && let Some(fault) = scan.next_fault(&mut heard)
        {
            found.try_reserve(1)?;
            found.push((fault, lines.pass_to(fault.start, scan)));
        }
        Ok(found)
    });
    heard.result()?;
    let found = found.map_err(|_: TryReserveError| PyMemoryError::new_err(()))?;
    if found.len() < count {
        released(py, left, || lines.pass_to(scan.at, scan));
    }
    Ok(found)
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
    lines: Lines,
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
        let (lines, start, found) = (Lines::NONE, LinePlace::START, Vec::new().into_iter());
        Ok(Located { data: data.unbind(), form, found, at: 0, lines, name, offset: 0, start })
    }

    #[getter]
    fn length(&self, py: Python<'_>) -> Made<usize> {
        Made(self.data.as_bytes(py).len())
    }

    /// Find the first faults now and, if there are fewer than `count`, the place of the end.
    fn look_ahead(&mut self, py: Python<'_>, count: usize) -> PyResult<()> {
        self.find(py, count)
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
    fn end(&mut self, py: Python<'_>) -> PyResult<Made<(usize, usize)>> {
        if self.lines.passed < self.data.as_bytes(py).len() {
            self.find(py, 1)?;
        }
        let place = self.lines.place.behind(self.start);
        Ok(Made((place.line, place.column)))
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
            self.find(py, FAULTS_AHEAD)?;
        }
        let Some(&(fault, place)) = self.found.as_slice().first() else { return Ok(None) };
        let object = self.object(py, fault, place)?;
        self.found.next();
        Ok(Some(object))
    }

    fn find(&mut self, py: Python<'_>, count: usize) -> PyResult<()> {
        let data = self.data.as_bytes(py);
        let mut scan = Scan { form: &self.form, data, is_final: true, at: self.at, limit: data.len() };
        let mut lines = self.lines;
        self.found = found(py, &mut scan, &mut lines, count)?.into_iter();
        (self.at, self.lines) = (scan.at, lines);
        Ok(())
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
