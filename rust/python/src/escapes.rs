//! The escapes of unpaired surrogates in JSON as Python objects, each with its place and its path.

use std::sync::Arc;

use eightfold_core::{Form, LinePlace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::bytes_object::bytes_of_slice;
use crate::fault_object::SLOTS;
use crate::handle::Handle;
use crate::json::{ESCAPE_BYTES, Unpaired};
use crate::located::located;
use crate::made::{Made, Make};
use crate::names;
use crate::once::{intern, once};
use crate::slotted::Slotted;

/// The class EscapedSurrogateFault: its slots are those of a Fault and the path.
fn escape_class(py: Python<'_>) -> PyResult<&Slotted<{ SLOTS.len() + 1 }>> {
    static CLASS: PyOnceLock<Slotted<{ SLOTS.len() + 1 }>> = PyOnceLock::new();
    once(py, &CLASS, || {
        let mut slots = ["json_path"; SLOTS.len() + 1];
        slots[..SLOTS.len()].copy_from_slice(&SLOTS);
        Slotted::new(names::escape_fault_type(py)?.cast()?, slots)
    })
}

/// See `eightfold.files.read.escapes.EscapesLocated`.
#[pyclass(module = "eightfold._native")]
pub struct EscapesLocated {
    data: Py<PyBytes>,
    form: Arc<Form>,
    severity: Py<PyString>,
    /// What fault objects report: the name of the form, and where the segment begins.
    name: Py<PyString>,
    offset: usize,
    start: LinePlace,
    /// The offset up to which lines have been counted, and the place there.
    passed: usize,
    place: LinePlace,
}

#[pymethods]
impl EscapesLocated {
    #[new]
    fn new(
        form: &Bound<'_, PyAny>,
        data: Py<PyBytes>,
        severity: Py<PyString>,
        start: (Py<PyString>, usize, usize, usize),
    ) -> PyResult<Self> {
        let form = Handle::of(form)?.get().form.clone();
        let (name, offset, line, column) = start;
        let start = LinePlace { line, column };
        Ok(EscapesLocated { data, form, severity, name, offset, start, passed: 0, place: LinePlace::START })
    }

    fn of<'py>(
        &mut self,
        py: Python<'py>,
        found: Vec<Unpaired>,
        paths: Vec<Bound<'py, PyString>>,
    ) -> PyResult<Made<Vec<Bound<'py, PyAny>>>> {
        let each = found.into_iter().zip(paths);
        let located = each.map(|((at, code_point, _), path)| self.located(py, at, code_point, path));
        located.collect::<PyResult<_>>().map(Made)
    }
}

impl EscapesLocated {
    fn located<'py>(
        &mut self,
        py: Python<'py>,
        at: usize,
        code_point: u32,
        path: Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let unit = self.form.tables.unit_bytes;
        let (start, end) = (at.saturating_mul(unit), at.saturating_add(ESCAPE_BYTES).saturating_mul(unit));
        let data = self.data.as_bytes(py);
        let (Some(units), Some(before)) = (data.get(start..end), data.get(self.passed..start)) else {
            return Err(PyValueError::new_err("escapes are not in the data, or not in order"));
        };
        self.place.pass_over(&self.form, before);
        self.passed = start;
        let fault = self.fault(bytes_of_slice(py, units)?, self.offset + start, code_point, path)?;
        located(fault, self.place.behind(self.start))
    }

    fn fault<'py>(
        &self,
        units: Bound<'py, PyBytes>,
        start: usize,
        code_point: u32,
        path: Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = units.py();
        let end = start + units.as_bytes().len();
        let values = [
            intern!(py, "escaped-surrogate").clone().into_any(),
            self.name.bind(py).clone().into_any(),
            start.make(py)?,
            end.make(py)?,
            units.into_any(),
            code_point.make(py)?,
            intern!(py, "source").clone().into_any(),
            self.severity.bind(py).clone().into_any(),
            PyBool::new(py, false).to_owned().into_any(),
            path.into_any(),
        ];
        escape_class(py)?.instance(py, values)
    }
}
