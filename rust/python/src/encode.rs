//! Encoding for Python: from str and code points to bytes. The loops are in the core.

use eightfold_core::{Form, Missing, Text};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use crate::ask::{Stalls, ask_encoding, encode_error};
use crate::bytes_object::{
    bytes_if_without_nul, bytes_if_written, bytes_of_scalar, bytes_of_short_text, bytes_of_slice, bytes_of_text,
    bytes_up_to,
};
use crate::convert::{Target, writer};
use crate::encoded::encoded;
use crate::faults::limit_of;
use crate::given::Truth;
use crate::handle::{Errors, Handle, Writing, shares_ascii, shares_ascii_but_nul};
use crate::heard::{Ear, Hears};
use crate::made::Made;
use crate::memory::append;
use crate::names;
use crate::once::intern;
use crate::peeking::{Ahead, Finder, peeking_methods};
use crate::policy_names::PolicyName;
use crate::released::{RELEASE_BYTES, released};
use crate::running::Run;
use crate::str_object::{ascii_of, text_length, text_of};

/// Code points that are written between two looks for signals.
const HEARD_POINTS: usize = 1 << 18;

/// Return the bytes that write a str in a form: see `eightfold.text.encode`.
#[pyfunction]
#[pyo3(signature = (text, form, errors=Errors::Strict), text_signature = "(text, form, errors='strict')")]
pub fn encode<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &errors)?;
    let text = text_object(text)?;
    if asked.is_plainly_strict(&errors) && !asked.is_signed() {
        // A text that the form can write completely needs no policy.
        return match clean_bytes(py, &asked.form, text)? {
            Some(bytes) => Ok(bytes),
            None => answered(py, &*asked.writing(py, &errors)?, text, b""),
        };
    }
    written(py, &*asked.writing(py, &errors)?, text, asked.mark())
}

/// The fast path of `encode`: text that the form writes as UTF-8 does; or a few code points, of which the policy
/// answers those that the form lacks.
#[inline]
pub fn short<'py>([text, form]: [&Bound<'py, PyAny>; 2], policy: Option<PolicyName>) -> Option<Bound<'py, PyAny>> {
    let text = text.cast_exact::<PyString>().ok()?;
    let (handle, py) = (Handle::known(form)?, form.py());
    if text_length(text) >= RELEASE_BYTES || !handle.takes(policy) {
        return None;
    }
    let form = &handle.form;
    let written = match ascii_of(text) {
        Some(ascii) if handle.shares_ascii => bytes_of_slice(py, ascii).map(Some),
        Some(ascii) if handle.is_plain => ascii_bytes(py, form, ascii),
        _ if handle.is_plain => Ok(None),
        _ => return None,
    };
    let written = match written.ok()? {
        None => {
            let missing = policy.map_or(Some(Missing::Stop), |policy| handle.missing(policy));
            let points = text_of(text).ok()?;
            let mut written = bytes_of_short_text(py, form, missing, points).ok()?;
            if let (None, Some(missing)) = (&written, missing) {
                written = bytes_at_once(py, (form, missing), points).ok()?;
            }
            match written {
                None => long_bytes(py, form, points).ok()?,
                written => written,
            }
        }
        written => written,
    };
    written.map(Bound::into_any)
}

pub(crate) fn text_object<'a, 'py>(text: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyString>> {
    let wrong = || PyResult::Ok(PyErr::from_value(names::wants_text(text.py())?.run((text,))?));
    text.cast::<PyString>().or_else(|_| Err(wrong()?))
}

/// How many code points are asked about at once. CPython's own handlers answer each by itself, with up to fifty
/// characters, so that part of a long unit at a time needs less memory.
fn most_asked(py: Python<'_>, writing: &Writing) -> PyResult<usize> {
    let handler = writing.handler.bind(py);
    let is_of_each = handler.is(names::xmlcharrefreplace_errors(py)?) || handler.is(names::namereplace_errors(py)?);
    Ok(if is_of_each && !writing.form.tables.joins_pairs { 1 << 16 } else { usize::MAX })
}

/// The bytes of a str after a signature.
pub fn written<'py>(
    py: Python<'py>,
    writing: &Writing,
    text: &Bound<'py, PyString>,
    mark: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    if mark.is_empty()
        && let Some(bytes) = clean_bytes(py, &writing.form, text)?
    {
        return Ok(bytes);
    }
    answered(py, writing, text, mark)
}

/// The same of a text that the form may not write completely.
fn answered<'py>(
    py: Python<'py>,
    writing: &Writing,
    text: &Bound<'py, PyString>,
    mark: &[u8],
) -> PyResult<Bound<'py, PyBytes>> {
    let points = text_of(text)?;
    let (form, missing) = (&writing.form, writing.missing);
    if mark.is_empty() {
        if let Some(bytes) = bytes_of_short_text(py, form, Some(missing), points)? {
            return Ok(bytes);
        }
        if let Some(bytes) = bytes_at_once(py, (form, missing), points)? {
            return Ok(bytes);
        }
    }
    if let Some(bytes) = bytes_of_text(py, (form, missing), points, mark)? {
        return Ok(bytes);
    }
    let mut out = mark.to_vec();
    let (mut at, mut stalls) = (0, Stalls::default());
    loop {
        match encoded(py, (form, missing), (points, at), &mut out)? {
            Ok(()) => return bytes_of_slice(py, &out),
            Err((mut start, end)) => loop {
                let end_of_asked = end.min(start.saturating_add(most_asked(py, writing)?));
                at = ask_encoding(writing, text, (start, end_of_asked), &mut stalls, &mut out)?;
                // What is left of the unit is a unit again. Its end is known and must not be searched for again: the
                // text may be long.
                if !(start < at && at < end && form.lacks(points, at)) {
                    break;
                }
                start = at;
            },
        }
    }
}

/// The bytes of a str that the form writes as UTF-8 does; measured, then written once.
fn clean_bytes<'py>(
    py: Python<'py>,
    form: &Form,
    text: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if let Some(ascii) = ascii_of(text)
        && let Some(bytes) = ascii_bytes(py, form, ascii)?
    {
        return Ok(Some(bytes));
    }
    let points = text_of(text)?;
    match bytes_of_short_text(py, form, Some(Missing::Stop), points)? {
        None => long_bytes(py, form, points),
        written => Ok(written),
    }
}

/// The bytes of ASCII text that a form shares. They are copied; if the form lacks U+0000, the copy looks for it.
fn ascii_bytes<'py>(py: Python<'py>, form: &Form, ascii: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if shares_ascii(form) {
        bytes_of_slice(py, ascii).map(Some)
    } else if shares_ascii_but_nul(form) {
        bytes_if_without_nul(py, ascii)
    } else {
        Ok(None)
    }
}

/// The bytes of a str that the form can write completely.
fn long_bytes<'py>(py: Python<'py>, form: &Form, points: Text<'_>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if let Some(bytes) = bytes_unit_by_unit(py, form, points)? {
        return Ok(Some(bytes));
    }
    if let Some(shared) = released(py, points.len(), || points.shared(&form.agreement)) {
        return bytes_of_scalar(py, shared).map(Some);
    }
    if form.agreement.is_total() {
        return Ok(None);
    }
    let written = bytes_at_once(py, (form, Missing::Stop), points)?;
    if written.is_some() { Ok(written) } else { bytes_of_text(py, (form, Missing::Stop), points, b"") }
}

/// Make bytes of a text of which each code point is a unit of the form; None where one is not, or there is no memory
/// for as many units.
fn bytes_unit_by_unit<'py>(py: Python<'py>, form: &Form, text: Text<'_>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let Some((script, size)) = form.unit_by_unit(text) else { return Ok(None) };
    let (mut at, mut ear) = (0, Ear::default());
    let bytes = bytes_if_written(py, b"", size, |out| {
        let mut goes_on = true;
        while goes_on && at < text.len() {
            let (start, limit) = (at, text.len().min(at + HEARD_POINTS));
            at = script.write(start, limit, out);
            goes_on = at == limit && ear.goes_on(limit - start);
        }
    });
    ear.result()?;
    Ok(bytes.ok().flatten())
}

/// Make bytes of a text in one pass; None where that takes no less time, or there is no memory for what it may become.
fn bytes_at_once<'py>(
    py: Python<'py>,
    (form, missing): (&Form, Missing),
    text: Text<'_>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let Some(script) = form.at_once(text, missing) else { return Ok(None) };
    let mut ear = Ear::default();
    let bytes = bytes_up_to(py, script.room(), |out| {
        released(py, text.len(), || script.write(out, |points| ear.goes_on(points)))
    });
    ear.result()?;
    Ok(bytes.ok().flatten())
}

/// Say whether a form has bytes for each code point of a str: see `eightfold.text.is_encodable`.
#[pyfunction]
pub fn is_encodable<'py>(py: Python<'py>, text: &Bound<'py, PyAny>, form: &Bound<'py, PyAny>) -> PyResult<bool> {
    let points = text_of(text_object(text)?)?;
    let handle = Handle::of(form)?;
    let plain = handle.get().written_form();
    Ok(encoded(py, (&plain.form, Missing::Stop), (points, 0), &mut 0_usize)?.is_ok())
}

/// The fast path of `is_encodable`.
pub fn short_is_encodable<'py>([text, form]: [&Bound<'py, PyAny>; 2]) -> Option<Bound<'py, PyAny>> {
    let points = text_of(text.cast_exact::<PyString>().ok()?).ok()?;
    let handle = Handle::known(form)?;
    if !handle.is_plain || points.len() >= RELEASE_BYTES {
        return None;
    }
    let is_encodable = handle.form.next_missing(points, 0).is_none();
    Some(PyBool::new(form.py(), is_encodable).to_owned().into_any())
}

/// Yield the places of a str that a form cannot write: see `eightfold.text.encode_faults`.
#[pyfunction]
#[pyo3(
    signature = (text, form, limit=None, *, warnings=Truth(false)),
    text_signature = "(text, form, limit=None, *, warnings=False)"
)]
pub fn encode_faults<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    limit: Option<&Bound<'py, PyAny>>,
    warnings: Truth,
) -> PyResult<Bound<'py, PyAny>> {
    let text = text_object(text)?.clone().unbind();
    let handle = Handle::of(form)?;
    let writing = handle.get().writing(py, &Errors::Strict)?;
    let tells_pairs = warnings.0 && names::joins(py)?.run((&writing.object,))?.is_truthy()?;
    let pair = if tells_pairs { Next::From(0) } else { Next::Nowhere };
    let (left, handle) = (limit_of(limit)?, handle.unbind());
    let found = EncodeFaults { text, writing, handle, missing: Next::From(0), pair, left, peeked: Ahead::new() };
    Ok(Bound::new(py, found)?.into_any())
}

/// The next occurrence of something in a text.
#[derive(Clone, Copy)]
enum Next<T> {
    /// Not searched for yet, from this index on.
    From(usize),
    /// Found.
    At(T),
    /// There are no more.
    Nowhere,
}

impl<T: Copy> Next<T> {
    /// Search for it, if that has not been done.
    fn find(&mut self, find: impl FnOnce(usize) -> PyResult<Option<T>>) -> PyResult<Option<T>> {
        if let Next::From(start) = *self {
            *self = find(start)?.map_or(Next::Nowhere, Next::At);
        }
        Ok(match *self {
            Next::At(found) => Some(found),
            _ => None,
        })
    }
}

/// The first unit of error from an index on.
fn next_missing(py: Python<'_>, form: &Form, points: Text<'_>, start: usize) -> PyResult<Option<(usize, usize)>> {
    Ok(encoded(py, (form, Missing::Stop), (points, start), &mut 0_usize)?.err())
}

/// The faults of a str, in order.
#[pyclass(module = "eightfold._native", weakref)]
pub struct EncodeFaults {
    text: Py<PyString>,
    writing: std::sync::Arc<Writing>,
    /// Kept alive because its reference count releases what `writing` keeps.
    handle: Py<Handle>,
    missing: Next<(usize, usize)>,
    /// A pair that the form joins: its index and its code point.
    pair: Next<(usize, u32)>,
    left: usize,
    peeked: Ahead,
}

peeking_methods!(EncodeFaults);

impl Finder for EncodeFaults {
    fn ahead(&mut self) -> &mut Ahead {
        &mut self.peeked
    }

    fn find<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.left == 0 {
            return Ok(None);
        }
        // Whoever collects all of them in one call hears no signal.
        py.check_signals()?;
        let text = self.text.bind(py);
        let points = text_of(text)?;
        let form = &self.writing.form;
        let missing = self.missing.find(|start| next_missing(py, form, points, start))?;
        let pair =
            self.pair.find(|start| Ok(released(py, points.len() - start, || form.next_joined(points, start))))?;
        // Where one of these calls fails, the iterator stays where it was.
        let found = if let Some((at, code_point)) = pair.filter(|&(at, _)| missing.is_none_or(|(start, _)| at < start))
        {
            let place = (&self.writing.name, Made(at), Made(at + 2), Made(code_point), intern!(py, "text"));
            let found = names::joined_pair(py)?.run(place)?;
            self.pair = Next::From(at + 2);
            found
        } else {
            let Some((start, end)) = missing else { return Ok(None) };
            let found = encode_error(&self.writing, text, (start, end))?.getattr(intern!(py, "fault"))?;
            self.missing = Next::From(end);
            found
        };
        self.left -= 1;
        Ok(Some(found))
    }

    fn visited(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.text)?;
        visit.call(&self.handle)
    }
}

/// Return the bytes that write code points: see `eightfold.text.encode_code_points`.
#[pyfunction]
#[pyo3(signature = (points, form, errors=Errors::Strict), text_signature = "(points, form, errors='strict')")]
pub fn encode_code_points<'py>(
    py: Python<'py>,
    points: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &errors)?;
    let offered = ["strict", "replace", "ignore"];
    if !offered.iter().any(|name| errors.is(name)) {
        let [strict, replace, ignore] = offered;
        names::check_offered(py)?.run((errors.object(py), strict, replace, ignore))?;
    }
    let writing = asked.writing(py, &errors)?;
    let source = intern!(py, "code points").clone();
    let target = Target::new(&writing, source.into_any(), '?');
    let mut writer = writer(&writing, '?', asked.mark().to_vec());
    for (index, point) in points.run_iter()?.enumerate() {
        if index.is_multiple_of(HEARD_POINTS) {
            py.check_signals()?;
        }
        let point = point?.run_index()?;
        if let Ok(value) = point.extract::<u32>() {
            target.put(&mut writer, value, index, index + 1)?;
            continue;
        }
        // No form has this code point, but it completes a lead before it.
        target.finish(&mut writer)?;
        let bytes = target.ask(point, index, index + 1)?;
        append(&mut writer.out, bytes.as_bytes())?;
    }
    target.finish(&mut writer)?;
    bytes_of_slice(py, &writer.out)
}
