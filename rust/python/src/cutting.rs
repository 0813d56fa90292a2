//! Cutting for Python: to a number of bytes, and at an offset. Where an input can be cut is decided in the core.

use eightfold_core::{Fit, Form, Part};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};

use crate::ask::encode_error;
use crate::bytes_object::bytes_of_slice;
use crate::encode::text_object;
use crate::given::{Optional, size_of};
use crate::handle::{Errors, Handle, shares_ascii};
use crate::heard::{Ear, Hears};
use crate::made::Made;
use crate::names;
use crate::once::intern;
use crate::released::released;
use crate::running::Run;
use crate::str_object::{ascii_of, beginning, text_of};

/// Bytes on each side of an offset that are looked at first; four times as many each time that they do not decide.
const NEAR_BYTES: usize = 1 << 10;

/// How much of a text fits into so many bytes, and what the form lacks if that stops it.
pub fn fit(py: Python<'_>, form: &Form, text: &Bound<'_, PyString>, start: usize, room: usize) -> PyResult<Fit> {
    if let Some(ascii) = ascii_of(text).filter(|_| shares_ascii(form)) {
        let end = ascii.len().min(start.saturating_add(room));
        return Ok(Fit { end, bytes: end - start, missing: None });
    }
    let points = text_of(text)?;
    let mut ear = Ear::default();
    let fit =
        released(py, room.min(points.len() - start), || form.fit(points, start, room, |count| ear.goes_on(count)));
    ear.result()?;
    Ok(fit)
}

/// The EncodeError for code points that a form lacks.
pub fn lacking(asked: &Handle, text: &Bound<'_, PyString>, span: (usize, usize)) -> PyErr {
    let writing = asked.writing(text.py(), &Errors::Strict);
    writing.and_then(|writing| encode_error(&writing, text, span)).map_or_else(|error| error, PyErr::from_value)
}

/// Return the longest beginning of a str that takes at most so many bytes: see `eightfold.cutting.truncate`.
#[pyfunction]
#[pyo3(
    signature = (text, limit, form, *, graphemes=None),
    text_signature = "(text, limit, form, *, graphemes=False)"
)]
pub fn truncate<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    graphemes: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyString>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let limit = size_of(limit, "limit", 0)?;
    let text = text_object(text)?;
    let Some(room) = limit.checked_sub(asked.mark().len()) else { return beginning(text, 0) };
    let fit = fit(py, &*asked.strictly_written(py)?, text, 0, room)?;
    if let Some(span) = fit.missing {
        return Err(lacking(asked, text, span));
    }
    let keeps_graphemes = graphemes.map_or(Ok(false), |given| given.is_truthy())?;
    let end = if keeps_graphemes { names::grapheme_end(py)?.run((text, Made(fit.end)))?.extract()? } else { fit.end };
    beginning(text, end)
}

/// Return the longest beginning of bytes that ends between sequences: see `eightfold.cutting.truncate_bytes`.
#[pyfunction]
pub fn truncate_bytes<'py>(
    data: &Bound<'py, PyAny>,
    limit: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let handle = Handle::of(form)?;
    let content = Content::of(handle.get(), data, size_of(limit, "limit", 0)?)?;
    let end = content.stops()?.0;
    match data.cast_exact::<PyBytes>() {
        Ok(bytes) if end == bytes.as_bytes().len() => Ok(bytes.clone()),
        Ok(bytes) => bytes_of_slice(data.py(), &bytes.as_bytes()[..end]),
        Err(_) => content.part(0, end),
    }
}

/// Return the nearest offset between sequences: see `eightfold.cutting.boundary`.
#[pyfunction]
#[pyo3(signature = (data, offset, form, side=Optional::Absent), text_signature = "(data, offset, form, side='left')")]
pub fn boundary(
    data: &Bound<'_, PyAny>,
    offset: &Bound<'_, PyAny>,
    form: &Bound<'_, PyAny>,
    side: Optional<'_>,
) -> PyResult<Made<usize>> {
    let handle = Handle::of(form)?;
    let offset = size_of(offset, "offset", 0)?;
    let is_left = side.map_or(true, |side| {
        let is_left = side.eq("left")?;
        if is_left || side.eq("right")? {
            return Ok(is_left);
        }
        Err(PyValueError::new_err(format!("side must be 'left' or 'right', not {}", side.repr()?)))
    })?;
    let (left, right) = Content::of(handle.get(), data, offset)?.stops()?;
    Ok(Made(if is_left { left } else { right }))
}

/// Bytes in which to find the stops around an offset. Only the neighbourhood is copied of an object that others may
/// write to.
struct Content<'a, 'py> {
    asked: &'a Handle,
    /// The bytes object, or a view of bytes.
    data: Bound<'py, PyAny>,
    length: usize,
    offset: usize,
}

impl<'a, 'py> Content<'a, 'py> {
    fn of(asked: &'a Handle, data: &Bound<'py, PyAny>, offset: usize) -> PyResult<Self> {
        let is_bytes = data.is_exact_instance_of::<PyBytes>();
        let data = if is_bytes { data.clone() } else { names::bytes_view(data.py())?.run((data,))? };
        let length = data.len()?;
        Ok(Content { asked, data, length, offset: offset.min(length) })
    }

    /// A copy of a part.
    fn part(&self, start: usize, end: usize) -> PyResult<Bound<'py, PyBytes>> {
        let py = self.data.py();
        let part = self.data.get_item(PySlice::new(py, start as isize, end as isize, 1))?;
        Ok(part.call_method0(intern!(py, "tobytes"))?.cast_into()?)
    }

    /// The last stop at or before the offset, and the first at or after it.
    fn stops(&self) -> PyResult<(usize, usize)> {
        let Ok(bytes) = self.data.cast_exact::<PyBytes>() else { return self.stops_in_view() };
        let (plain, start) = self.asked.announced(bytes.as_bytes());
        let stops = || self.asked.plain(plain).form.stops_around(bytes.as_bytes(), start, self.offset);
        Ok(self.in_signature(start).unwrap_or_else(stops))
    }

    fn stops_in_view(&self) -> PyResult<(usize, usize)> {
        let head = self.part(0, self.asked.longest_mark().min(self.length))?;
        let (plain, start) = self.asked.announced(head.as_bytes());
        if let Some(stops) = self.in_signature(start) {
            return Ok(stops);
        }
        let (form, mut near) = (&self.asked.plain(plain).form, NEAR_BYTES);
        loop {
            let low = start.max(self.offset.saturating_sub(near));
            let low = low - (low - start) % form.tables.unit_bytes;
            let high = self.length.min(self.offset.saturating_add(near));
            let copy = self.part(low, high)?;
            let data = copy.as_bytes();
            // Others may have made the object shorter.
            let offset = (self.offset - low).min(data.len());
            let is_final = high == self.length;
            let part = Part { data, start: 0, is_begun: low == start, is_final };
            if let Some((left, right)) = form.stops_within(&part, offset) {
                return Ok((low + left, low + right));
            }
            near = near.saturating_mul(4);
        }
    }

    /// The stops around an offset in a signature that ends at `start`.
    fn in_signature(&self, start: usize) -> Option<(usize, usize)> {
        (self.offset < start).then_some((0, if self.offset == 0 { 0 } else { start }))
    }
}

/// Return the last place to cut bytes above one offset and at most at another: see `eightfold.cutting.cut_before`.
#[pyfunction]
pub fn cut_before(
    form: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    near: usize,
    least: usize,
) -> PyResult<Made<usize>> {
    let (handle, data) = (Handle::of(form)?, data.as_bytes());
    Ok(Made(handle.get().form.cut_between(data, least, near.min(data.len())).unwrap_or(least)))
}
