//! A fault as an object of Python.

use eightfold_core::{Fault, Kind};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::bytes_object::bytes_of_slice;
use crate::made::{Make, interned};
use crate::names;
use crate::once::{intern, once};
use crate::slotted::Slotted;

/// The number of bytes of its span that a fault keeps, as `eightfold.faults.UNITS_KEPT`.
pub const UNITS_KEPT: usize = 64;

/// The Fault object for a fault in data that begin at `offset` in the input.
pub fn fault_object<'py>(
    data: &Bound<'py, PyBytes>,
    offset: usize,
    name: &Py<PyString>,
    fault: Fault,
) -> PyResult<Bound<'py, PyAny>> {
    let units = &data.as_bytes()[fault.start..fault.end.min(fault.start + UNITS_KEPT)];
    let span = (offset + fault.start, offset + fault.end);
    let named = Named { kind: fault.kind, side: intern!(data.py(), "source"), span, at_end: fault.at_end };
    new_fault(&named, name, bytes_of_slice(data.py(), units)?, fault.code_point)
}

/// The attributes of a Fault other than its form, its units and its code point.
pub struct Named<'a, 'py> {
    /// The kind.
    pub kind: Kind,
    /// The side.
    pub side: &'a Bound<'py, PyString>,
    /// The start and the end.
    pub span: (usize, usize),
    /// Whether the end of the input cut the fault short.
    pub at_end: bool,
}

/// The one str of a kind's name.
pub fn kind_name(py: Python<'_>, kind: Kind) -> PyResult<&Bound<'_, PyString>> {
    static NAMES: [PyOnceLock<Py<PyString>>; Kind::COUNT] = [const { PyOnceLock::new() }; Kind::COUNT];
    let load = || Ok::<_, PyErr>(interned(py, kind.name())?.unbind());
    Ok(once(py, &NAMES[kind.index()], load)?.bind(py))
}

/// The slots of a Fault, as `eightfold.faults.Fault` lists them.
pub const SLOTS: [&str; 9] = ["kind", "form", "start", "end", "units", "code_point", "side", "severity", "at_end"];

/// The class Fault.
fn fault_class(py: Python<'_>) -> PyResult<&Slotted<{ SLOTS.len() }>> {
    static CLASS: PyOnceLock<Slotted<{ SLOTS.len() }>> = PyOnceLock::new();
    once(py, &CLASS, || Slotted::new(names::fault_type(py)?.cast()?, SLOTS))
}

/// A new Fault object.
pub fn new_fault<'py>(
    named: &Named<'_, 'py>,
    form: &Py<PyString>,
    units: Bound<'py, PyBytes>,
    code_point: Option<u32>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = units.py();
    let values = [
        kind_name(py, named.kind)?.clone().into_any(),
        form.bind(py).clone().into_any(),
        named.span.0.make(py)?,
        named.span.1.make(py)?,
        units.into_any(),
        code_point.make(py)?,
        named.side.clone().into_any(),
        intern!(py, "error").clone().into_any(),
        PyBool::new(py, named.at_end).to_owned().into_any(),
    ];
    fault_class(py)?.instance(py, values)
}
