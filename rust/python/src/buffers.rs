//! Encoding and decoding into memory of the caller. The results are made first, code points chunk by chunk, and then copied
//! there, so that nothing of ours reads or writes memory that others may be writing to, but for that copy.

use eightfold_core::{Form, Missing};
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyString};

use crate::cutting::{fit, lacking, size_of};
use crate::encode::text_object;
use crate::given::bytes_of;
use crate::handle::{Errors, Handle};
use crate::made::Made;
use crate::memory::{encoded, text_length, text_of};
use crate::names;
use crate::reader::Reader;
use crate::released::released;

/// Code points that are made and then copied: they stay in the second-level cache meanwhile.
const MADE_POINTS: usize = 1 << 14;

/// A buffer of the caller, which cannot be resized until this is dropped.
struct Place<'py> {
    items: Bound<'py, PyAny>,
}

impl<'py> Place<'py> {
    /// The bytes of a view that can be written to.
    fn of(view: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Place { items: cast(view, intern!(view.py(), "B"))? })
    }

    /// The same as code points.
    fn of_points(view: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(Place { items: cast(&Place::of(view)?.items, intern!(view.py(), "I"))? })
    }

    /// How many items have room.
    fn len(&self) -> PyResult<usize> {
        self.items.len()
    }

    /// Write items from an index on, for which there is room.
    fn write<T: Element>(&self, start: usize, items: &[T]) -> PyResult<()> {
        let py = self.items.py();
        let part = PySlice::new(py, start as isize, (start + items.len()) as isize, 1);
        PyBuffer::<T>::get(&self.items.get_item(part)?)?.copy_from_slice(py, items)
    }
}

/// A view as one of items of another format.
fn cast<'py>(view: &Bound<'py, PyAny>, format: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    view.call_method1(intern!(view.py(), "cast"), (format,))
}

/// Encode as much of a str as fits into a buffer: see `eightfold.buffers.encode_into`.
#[pyfunction]
#[pyo3(signature = (text, form, buffer, start=None), text_signature = "(text, form, buffer, start=0)")]
pub fn encode_into<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    buffer: &Bound<'py, PyAny>,
    start: Option<&Bound<'py, PyAny>>,
) -> PyResult<Made<(usize, usize)>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let text = text_object(text)?;
    let begin = start.map_or(Ok(0), |start| size_of(start, "start"))?;
    let length = text_length(text);
    if begin > length {
        let message = format!("start must be at most {length}, the length of the text, not {}", start.unwrap());
        return Err(PyValueError::new_err(message));
    }
    let form = asked.strictly_written(py)?;
    let place = Place::of(&names::writable(py)?.call1((buffer,))?)?;
    let mark = if begin == 0 { asked.mark() } else { b"" };
    let fit = fit(py, &form, text, begin, place.len()?.saturating_sub(mark.len()))?;
    if let Some(span) = fit.missing.filter(|_| fit.end == begin) {
        return Err(lacking(asked, text, span));
    }
    if place.len()? < mark.len() || fit.end == begin && begin < length {
        return Ok(Made((0, 0)));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(fit.bytes).map_err(|_| PyMemoryError::new_err(()))?;
    let points = text_of(text)?.slice(begin, fit.end);
    let written = encoded(py, (&form, Missing::Stop), (points, 0), &mut bytes)?;
    assert!(written.is_ok() && bytes.len() == fit.bytes, "the text takes other bytes than it was measured to");
    place.write(0, mark)?;
    place.write(mark.len(), &bytes)?;
    Ok(Made((fit.end - begin, mark.len() + bytes.len())))
}

/// Decode as many code points as fit into a buffer: see `eightfold.buffers.decode_code_points_into`.
#[pyfunction]
pub fn decode_code_points_into<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    buffer: &Bound<'py, PyAny>,
) -> PyResult<Made<(usize, usize)>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let content = bytes_of(data)?;
    let length = content.as_bytes().len();
    let opened = asked.opened(content)?;
    let reading = asked.reading(py, opened.plain, &Errors::Strict, false)?;
    let place = Place::of_points(&names::items(py)?.call1((buffer,))?)?;
    let data = opened.content.as_bytes();
    let (end, count) = fill(py, &reading.form, (data, opened.skipped), &place)?;
    let (is_nothing, cut) = (count == 0 && opened.skipped < data.len(), length - data.len());
    if is_nothing && place.len()? > 0 {
        // The data begin with a fault: this raises.
        Reader::new(reading, opened.content, opened.skipped, u32::MAX).next(true, &mut Vec::new())?;
    }
    if is_nothing {
        return Ok(Made((0, 0)));
    }
    Ok(Made((end + cut, count)))
}

/// Write code points from an offset on, until the data end, the place is full or a fault comes; return where that is and
/// how many they are.
fn fill(py: Python<'_>, form: &Form, (data, start): (&[u8], usize), place: &Place<'_>) -> PyResult<(usize, usize)> {
    let (most, mut at, mut count) = (place.len()?, start, 0);
    while at < data.len() && count < most {
        let next_most = MADE_POINTS.min(most - count);
        let found = released(py, data.len() - at, || form.first_points(data, at, next_most));
        let (points, end) = found.map_err(|_| PyMemoryError::new_err(()))?;
        if points.is_empty() {
            break;
        }
        place.write(count, &points)?;
        (at, count) = (end, count + points.len());
    }
    Ok((at, count))
}
