//! Measuring for Python: how long results would be. The core counts.

use eightfold_core::{Count, Measured, Missing};
use pyo3::prelude::*;

use crate::convert::Target;
use crate::cutting::lacking;
use crate::encode::text_object;
use crate::encoded::encoded;
use crate::given::bytes_of;
use crate::handle::{Errors, Handle};
use crate::made::Made;
use crate::reader::{Event, Reader};
use crate::released::released;
use crate::str_object::{ascii_of, text_of};

/// Return how many bytes a str takes in a form: see `eightfold.measuring.encoded_length`.
#[pyfunction]
pub fn encoded_length<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
) -> PyResult<Made<usize>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let text = text_object(text)?;
    let (form, mark) = (asked.strictly_written(py)?, asked.mark().len());
    if let Some(ascii) = ascii_of(text)
        && let Some(length) = released(py, ascii.len(), || form.ascii_length(ascii))
    {
        return Ok(Made(mark + length));
    }
    let points = text_of(text)?;
    if form.agreement.is_total()
        && let Some(scalar) = released(py, points.len(), || points.scalar())
    {
        return Ok(Made(mark + scalar.utf8_bytes()));
    }
    let mut size = mark;
    match encoded(py, (&form, Missing::Stop), (points, 0), &mut size)? {
        Ok(()) => Ok(Made(size)),
        Err(span) => Err(lacking(asked, text, span)),
    }
}

/// Return how many bytes a conversion takes: see `eightfold.measuring.converted_length`.
#[pyfunction]
pub fn converted_length<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
) -> PyResult<Made<usize>> {
    let (source, target) = (Handle::of(source)?, Handle::of(target)?);
    let (from, to) = (source.get(), target.get());
    from.check_both(to, py, &Errors::Strict)?;
    let content = bytes_of(data)?;
    let (plain, skipped) = from.announced(content.as_bytes());
    let reading = from.reading(py, plain, &Errors::Strict, true)?;
    let writing = to.writing(py, &Errors::Strict)?;
    let target = Target::strict(&writing, from.name.bind(py).clone().into_any());
    let mut reader = Reader::new(reading, content, skipped, u32::MAX);
    Ok(Made(to.mark().len() + target.count(&mut reader)?))
}

/// Return how many code points bytes hold: see `eightfold.measuring.code_point_count`.
#[pyfunction]
pub fn code_point_count<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
) -> PyResult<Made<usize>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let opened = asked.opened(bytes_of(data)?)?;
    let reading = asked.reading(py, opened.plain, &Errors::Strict, false)?;
    if reading.form.agreement.is_total() {
        let data = &opened.content.as_bytes()[opened.skipped..];
        if let Some(measured) = released(py, data.len(), || Measured::whole(data)) {
            return Ok(Made(measured.count()));
        }
    }
    let mut reader = Reader::new(reading, opened.content, opened.skipped, u32::MAX);
    let mut count = Count::default();
    // Nothing but the end comes: `strict` raises at a fault, and the sink takes everything.
    while !matches!(reader.next(true, &mut count)?, Event::End) {}
    Ok(Made(count.code_points))
}
