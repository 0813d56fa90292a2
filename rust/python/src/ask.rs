//! Calls to error handlers, and their answers: the part of `eightfold.policy` that the core does itself for the verbs.
//!
//! The exceptions are those that `eightfold.policy` raises, and an invalid answer fails as it does there.

use eightfold_core::kernels::is_ascii;
use eightfold_core::{Kind, Missing, Text};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{
    PyIndexError, PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError, PyUnicodeDecodeError,
    PyUnicodeEncodeError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::bytes_object::bytes_of_slice;
use crate::encoded::encoded;
use crate::fault_object::{Named, fault_object, new_fault};
use crate::handle::{Reading, Writing};
use crate::made::{Make, tuple};
use crate::memory::append;
use crate::names;
use crate::once::intern;
use crate::running::Run;
use crate::str_object::text_of;

/// The number of calls without progress allowed in a row, as `eightfold.policy.STALLS_ALLOWED`.
pub const STALLS_ALLOWED: usize = 1000;

/// A limit on calls to a handler: `eightfold.policy.Stalls`.
#[derive(Default)]
pub struct Stalls {
    /// The least input that was left at a fault; None before the first.
    least: Option<usize>,
    in_row: usize,
    in_all: usize,
    allowed: usize,
}

impl Stalls {
    /// Count a call to a handler; `left` is how much input is left where its fault begins.
    ///
    /// Signals are looked for too: a handler of Python's own, written in C, looks for none.
    pub fn note(&mut self, py: Python<'_>, left: usize) -> PyResult<()> {
        py.check_signals()?;
        let least = *self.least.get_or_insert_with(|| {
            self.allowed = STALLS_ALLOWED.saturating_add(left);
            usize::MAX
        });
        if left < least {
            (self.least, self.in_row) = (Some(left), 0);
            return Ok(());
        }
        (self.in_row, self.in_all) = (self.in_row + 1, self.in_all + 1);
        if self.in_row < STALLS_ALLOWED && self.in_all < self.allowed {
            return Ok(());
        }
        let (in_row, in_all) = (self.in_row, self.in_all);
        let message = format!("error handler makes no progress: {in_row} calls in a row, {in_all} in all");
        Err(PyRuntimeError::new_err(message))
    }
}

/// The answer to a fault of bytes.
pub struct Answer<'py> {
    /// The code points that replace the unit.
    pub points: Vec<u32>,
    /// The offset where to continue.
    pub position: usize,
    /// The bytes to continue in.
    pub data: Bound<'py, PyBytes>,
}

/// The faults of bytes about which a handler is asked, one after the other: `eightfold.run.Decoding`.
#[derive(Default)]
pub struct Asking {
    /// The last fault, and the end of its last unit: the fault may continue there.
    met: Option<(Py<PyAny>, usize)>,
    stalls: Stalls,
}

impl Asking {
    /// Ask about an ill-formed unit, or a value that no str can hold.
    pub fn ask<'py>(
        &mut self,
        reading: &Reading,
        data: &Bound<'py, PyBytes>,
        (start, end): (usize, usize),
        code_point: Option<u32>,
    ) -> PyResult<Answer<'py>> {
        let fault = match self.goes_on(data.py(), start)? {
            Some(fault) => fault,
            None => fault_of(reading, data, (start, end), code_point)?,
        };
        self.ask_about(reading, data, (start, end), fault)
    }

    /// Ask about a unit of a fault.
    pub fn ask_about<'py>(
        &mut self,
        reading: &Reading,
        data: &Bound<'py, PyBytes>,
        (start, end): (usize, usize),
        fault: Bound<'py, PyAny>,
    ) -> PyResult<Answer<'py>> {
        let py = data.py();
        self.stalls.note(py, data.as_bytes().len() - start)?;
        let reason = reason(reading, data.as_bytes(), (start, end), &fault)?;
        let place =
            [reading.name.bind(py).clone().into_any(), data.clone().into_any(), start.make(py)?, end.make(py)?, reason];
        let error = exception::<PyUnicodeDecodeError>(names::decode_error_type(py)?, &place, &fault)?;
        self.met = Some((fault.unbind(), end));
        let answer = reading.handler.bind(py).run((&error,))?;
        let wrong = || PyTypeError::new_err("decoding error handler must return (str, int) tuple");
        let [text, position] = parts(&answer)?.ok_or_else(wrong)?;
        let text = text.cast_into::<PyString>().map_err(|_| wrong())?;
        let position = index(&position)?;
        let given = error.getattr(intern!(py, "object"))?.cast_into::<PyBytes>();
        let given = given.map_err(|_| PyTypeError::new_err("object attribute must be bytes"))?;
        let position = within(position, given.as_bytes().len())?;
        if !given.is(data) {
            self.met = None;
        }
        Ok(Answer { points: points_of(&text)?, position, data: given })
    }

    /// The last fault, if it continues at an offset; None where a handler went back into a unit.
    fn goes_on<'py>(&self, py: Python<'py>, start: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((fault, _)) = self.met.as_ref().filter(|&&(_, end)| end == start) else { return Ok(None) };
        let fault = fault.bind(py);
        let end: usize = fault.getattr(intern!(py, "end"))?.extract()?;
        Ok((start < end).then(|| fault.clone()))
    }
}

fn fault_of<'py>(
    reading: &Reading,
    data: &Bound<'py, PyBytes>,
    (start, end): (usize, usize),
    code_point: Option<u32>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(code_point) = code_point {
        let units = bytes_of_slice(data.py(), &data.as_bytes()[start..end])?;
        let named = Named {
            kind: Kind::UNREPRESENTABLE,
            side: intern!(data.py(), "source"),
            span: (start, end),
            at_end: false,
        };
        return new_fault(&named, &reading.name, units, Some(code_point));
    }
    // With the whole input present there is always an answer.
    let fault = reading.form.fault_of(data.as_bytes(), (start, end), true).expect("a fault");
    fault_object(data, 0, &reading.name, fault)
}

/// CPython's reason, if the form has one for this fault, otherwise the fault's sentence.
fn reason<'py>(
    reading: &Reading,
    data: &[u8],
    (start, end): (usize, usize),
    fault: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, form) = (fault.py(), &reading.form);
    if let Some(reasons) = reading.reasons.as_ref().map(|reasons| reasons.bind(py)) {
        let situation = match form.begins_row(data, start) {
            false => intern!(py, "start"),
            true if end == data.len() => intern!(py, "end"),
            true => intern!(py, "continuation"),
        };
        let kind = fault.getattr(intern!(py, "kind"))?;
        for name in [kind, situation.clone().into_any()] {
            if let Some(words) = found(reasons, &name)? {
                return Ok(words);
            }
        }
    }
    fault.run_str()
}

/// A mapping's value for a name.
fn found<'py>(reasons: &Bound<'py, PyAny>, name: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let words = reasons.call_method1(intern!(name.py(), "get"), (name,))?;
    Ok(if words.is_none() { None } else { Some(words) })
}

/// An exception of a class of `eightfold.faults` derived from `Base`. It skips the class's own `__init__`, which would
/// take a Python frame.
fn exception<'py, Base: PyTypeInfo>(
    class: &Bound<'py, PyAny>,
    place: &[Bound<'py, PyAny>; 5],
    fault: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let base = py.get_type::<Base>();
    let behind = |first: &Bound<'py, PyAny>| {
        let [name, object, start, end, reason] = place.clone();
        tuple(py, [first.clone(), name, object, start, end, reason])
    };
    let error = base.getattr(intern!(py, "__new__"))?.call1(behind(class)?)?;
    base.getattr(intern!(py, "__init__"))?.call1(behind(&error)?)?;
    error.setattr(intern!(py, "fault"), fault)?;
    Ok(error)
}

/// The two parts of a handler's answer; None if it is not a pair.
fn parts<'py>(answer: &Bound<'py, PyAny>) -> PyResult<Option<[Bound<'py, PyAny>; 2]>> {
    let pair = answer.cast::<PyTuple>().ok().filter(|parts| parts.len() == 2);
    pair.map(|pair| Ok([pair.get_item(0)?, pair.get_item(1)?])).transpose()
}

/// The second part of a handler's answer as a number.
fn index(position: &Bound<'_, PyAny>) -> PyResult<isize> {
    let position = position.run_index()?;
    let beyond = |_| PyOverflowError::new_err("Python int too large to convert to C ssize_t");
    position.extract::<isize>().map_err(beyond)
}

/// A position from a handler; a negative one counts from the end.
fn within(given: isize, length: usize) -> PyResult<usize> {
    let position = if given < 0 { given.wrapping_add_unsigned(length) } else { given };
    usize::try_from(position)
        .ok()
        .filter(|&position| position <= length)
        .ok_or_else(|| PyIndexError::new_err(format!("position {position} from error handler out of bounds")))
}

/// The exception for code points of a str that a form lacks: `eightfold.policy.encode_error`.
pub fn encode_error<'py>(
    writing: &Writing,
    text: &Bound<'py, PyString>,
    (start, end): (usize, usize),
) -> PyResult<Bound<'py, PyAny>> {
    let py = text.py();
    let named = Named { kind: Kind::UNREPRESENTABLE, side: intern!(py, "text"), span: (start, end), at_end: false };
    let code_point = text_of(text)?.at(start);
    let fault = new_fault(&named, &writing.name, bytes_of_slice(py, b"")?, Some(code_point))?;
    let words = match &writing.reasons {
        Some(reasons) => found(reasons.bind(py), intern!(py, "encode"))?,
        None => None,
    };
    let reason = words.map_or_else(|| fault.run_str(), Ok)?;
    let place =
        [writing.name.bind(py).clone().into_any(), text.clone().into_any(), start.make(py)?, end.make(py)?, reason];
    exception::<PyUnicodeEncodeError>(names::encode_error_type(py)?, &place, &fault)
}

/// Ask about code points of a str that a form lacks, write the answer, and return the index where to continue:
/// `eightfold.policy.ask_encoding`.
pub fn ask_encoding(
    writing: &Writing,
    text: &Bound<'_, PyString>,
    span: (usize, usize),
    stalls: &mut Stalls,
    out: &mut Vec<u8>,
) -> PyResult<usize> {
    let py = text.py();
    // A subclass of str may have a length of its own.
    let length = text_of(text)?.len();
    stalls.note(py, length.saturating_sub(span.0))?;
    let error = encode_error(writing, text, span)?;
    let answer = writing.handler.bind(py).run((&error,))?;
    let wrong = || PyTypeError::new_err("encoding error handler must return (str/bytes, int) tuple");
    let [replacement, position] = parts(&answer)?.ok_or_else(wrong)?;
    // CPython checks this part first in encoding, and the other first in decoding.
    let position = index(&position)?;
    if !(replacement.is_instance_of::<PyString>() || replacement.is_instance_of::<PyBytes>()) {
        return Err(wrong());
    }
    let position = within(position, length)?;
    if write(writing, &replacement, out)? {
        return Ok(position);
    }
    // The handler may have changed where the exception says that it is.
    let unchanged = encode_error(writing, text, span)?;
    for name in [intern!(py, "start"), intern!(py, "end"), intern!(py, "reason")] {
        error.setattr(name, unchanged.getattr(name)?)?;
    }
    Err(PyErr::from_value(error))
}

/// Write a replacement, which may be as long as its handler likes; return false if it cannot be encoded itself.
fn write(writing: &Writing, replacement: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<bool> {
    if let Ok(bytes) = replacement.cast::<PyBytes>() {
        append(out, bytes.as_bytes())?;
        return Ok(bytes.as_bytes().len().is_multiple_of(writing.form.tables.unit_bytes));
    }
    let text = text_of(replacement.cast::<PyString>()?)?;
    let is_ascii = matches!(text, Text::One(points) if is_ascii(points));
    if writing.reasons.is_some() && !is_ascii {
        return Ok(false);
    }
    Ok(encoded(replacement.py(), (&writing.form, Missing::Stop), (text, 0), out)?.is_ok())
}

/// The code points of an answer, which may be as long as its handler likes.
fn points_of(text: &Bound<'_, PyString>) -> PyResult<Vec<u32>> {
    let (text, mut points) = (text_of(text)?, Vec::new());
    points.try_reserve_exact(text.len()).map_err(|_| PyMemoryError::new_err(()))?;
    points.extend((0..text.len()).map(|at| text.at(at)));
    Ok(points)
}
