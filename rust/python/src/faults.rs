//! The faults of bytes, with the kinds that people read.

use std::sync::Arc;

use eightfold_core::{Fault, Form, Halt, OnFault, Pass, Step};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::handle::Handle;
use crate::known::Key;
use crate::memory::{RELEASE_BYTES, released};
use crate::names;
use crate::window::Window;

/// How many bytes of its span a fault keeps, as `eightfold.faults.UNITS_KEPT`.
const UNITS_KEPT: usize = 64;

fn passing<'a>(form: &'a Form, data: &'a [u8], is_final: bool) -> Pass<'a> {
    Pass { form, data, is_final, largest: u32::MAX, on_fault: OnFault::Stop }
}

/// Where the first ill-formed decoding unit from an offset on starts, or where more input could change the answer; and
/// whether it is the former.
fn first_stop(py: Python<'_>, form: &Form, data: &[u8], start: usize, is_final: bool) -> (usize, bool) {
    match released(py, data.len() - start, || passing(form, data, is_final).run(start, &mut ())) {
        Halt::Fault { start, .. } => (start, true),
        Halt::End(at) => (at, false),
        // A sink that keeps nothing takes everything.
        Halt::Unwritten(_) | Halt::OutOfMemory => unreachable!(),
    }
}

/// How many bytes the longest sequence of fixed length has.
fn longest_sequence(form: &Form) -> usize {
    let (rows, units) = (form.tables.rows.iter(), form.tables.units.iter());
    let lengths = rows.map(|row| row.ranges.len()).chain(units.map(|unit| unit.ranges.len()));
    lengths.max().unwrap_or(1) * form.tables.unit_bytes
}

/// The Fault for a fault of data that begin at an offset of the input.
fn fault_object<'py>(
    data: &Bound<'py, PyBytes>,
    offset: usize,
    name: &Py<PyString>,
    fault: Fault,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let units = &data.as_bytes()[fault.start..fault.end.min(fault.start + UNITS_KEPT)];
    let given = (
        (fault.kind.name(), name, offset + fault.start, offset + fault.end, PyBytes::new(py, units), fault.code_point),
        ("source", "error", fault.at_end),
    );
    let ((kind, form, start, end, units, code_point), (side, severity, at_end)) = given;
    names::fault_type(py)?.call1((kind, form, start, end, units, code_point, side, severity, at_end))
}

/// Say whether bytes follow the definition of a form: see `eightfold.text.is_well_formed`.
#[pyfunction]
pub fn is_well_formed(data: &Bound<'_, PyAny>, form: &Bound<'_, PyAny>) -> PyResult<bool> {
    let handle = Handle::of(form)?;
    let (mut window, py) = (Window::new(data)?, data.py());
    let (plain, mut at) = handle.get().announced(window.data.as_bytes(py));
    let form = &handle.get().plain(plain).form;
    loop {
        let seen = window.data.as_bytes(py);
        let (stop, is_fault) = first_stop(py, form, seen, at, window.is_final());
        // What goes on for longer than any sequence is an ill-formed one without a fixed length.
        if is_fault || window.is_final() || seen.len() - stop > longest_sequence(form) {
            return Ok(stop == seen.len());
        }
        window.slide(py, stop)?;
        at = 0;
    }
}

/// The short way of `is_well_formed`.
pub fn short_is_well_formed<'py>([data, form]: [&Bound<'py, PyAny>; 2]) -> Option<Bound<'py, PyAny>> {
    let data = data.cast_exact::<PyBytes>().ok()?.as_bytes();
    let handle = Key::of(form)?.handle()?.get();
    if !handle.is_plain || data.len() >= RELEASE_BYTES {
        return None;
    }
    let is_well_formed = first_stop(form.py(), &handle.form, data, 0, true).0 == data.len();
    Some(PyBool::new(form.py(), is_well_formed).to_owned().into_any())
}

/// Yield the faults of bytes, in order: see `eightfold.text.faults`.
#[pyfunction]
#[pyo3(signature = (data, form, limit=None), text_signature = "(data, form, limit=None)")]
pub fn faults<'py>(
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    limit: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let handle = Handle::of(form)?;
    let window = Window::new(data)?;
    let asked = handle.get();
    let (plain, at) = asked.announced(window.data.as_bytes(py));
    let form = asked.plain(plain).form.clone();
    let faults = Faults { window, form, name: asked.name.clone_ref(py), at };
    names::islice(py)?.call1((Bound::new(py, faults)?, limit))
}

#[pyclass(module = "eightfold._native")]
struct Faults {
    window: Window,
    form: Arc<Form>,
    name: Py<PyString>,
    /// Where to go on in the window.
    at: usize,
}

#[pymethods]
impl Faults {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let (data, is_final) = (self.window.data.bind(py), self.window.is_final());
            let (stop, is_fault) = first_stop(py, &self.form, data.as_bytes(), self.at, is_final);
            self.at = stop;
            if is_fault && let Some(fault) = self.form.fault_at(data.as_bytes(), stop, is_final) {
                self.at = fault.end;
                return fault_object(data, self.window.offset, &self.name, fault).map(Some);
            }
            if is_final {
                return Ok(None);
            }
            self.window.slide(py, stop)?;
            self.at = 0;
        }
    }
}

/// Return where the first unit starts that is ill-formed or not yet certain: see `eightfold.run.well_formed_end`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final), text_signature = "(form, data, start, *, final)")]
pub fn well_formed_end(
    form: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    start: usize,
    r#final: bool,
) -> PyResult<usize> {
    Ok(first_stop(data.py(), &Handle::of(form)?.get().form, data.as_bytes(), start, r#final).0)
}

/// Return the fault at an ill-formed decoding unit: see `eightfold.reference.fault_at`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final=true), text_signature = "(form, data, start, *, final=True)")]
pub fn fault_at<'py>(
    form: &Bound<'py, PyAny>,
    data: &Bound<'py, PyBytes>,
    start: usize,
    r#final: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let handle = Handle::of(form)?;
    let fault = handle.get().form.fault_at(data.as_bytes(), start, r#final);
    fault.map(|fault| fault_object(data, 0, &handle.get().name, fault)).transpose()
}

/// Return the sequence at an offset, its end and its code point: see `eightfold.reference.sequence_at`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final=true), text_signature = "(form, data, start, *, final=True)")]
pub fn sequence_at(
    form: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    start: usize,
    r#final: bool,
) -> PyResult<Option<(usize, Option<u32>)>> {
    Ok(match Handle::of(form)?.get().form.sequence_at(data.as_bytes(), start, r#final) {
        Step::Wait => None,
        Step::Value { end, code_point } => Some((end, Some(code_point))),
        Step::Unit { end } => Some((end, None)),
    })
}
