//! Encoding and decoding into memory of the caller. The results are made first, chunk by chunk, and then copied
//! there, so that nothing of ours reads or writes memory that others may be writing to, but for that copy.

#![expect(unsafe_code, reason = "what has been made is copied to memory of others")]

use std::mem::MaybeUninit;

use eightfold_core::kernels::{is_ascii, write_points};
use eightfold_core::{Form, Missing, ShortBytes, Text};
use pyo3::buffer::{Element, PyUntypedBuffer};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::cutting::{fit, lacking};
use crate::encode::text_object;
use crate::encoded::encoded;
use crate::given::{self, Optional, bytes_of};
use crate::handle::{Errors, Handle, shares_ascii};
use crate::made::Made;
use crate::memory::Aligned;
use crate::names;
use crate::reader::Reader;
use crate::released::released;
use crate::running::Run;
use crate::str_object::{ascii_of, text_length, text_of};

/// Code points that are made, or written, and then copied: they stay in the first-level cache meanwhile.
const MADE_POINTS: usize = 1 << 12;
/// Bytes of ASCII that are looked at together: as many as stay in the first-level cache.
const ASCII_BYTES: usize = 1 << 14;
/// Bytes of ASCII that are looked at before they are written, by themselves.
const BLOCK: usize = 64;

/// A buffer of the caller that can be written to, which cannot be resized until this is dropped.
struct Place(PyUntypedBuffer);

impl Place {
    /// The memory of an object that can be written to, contiguous, and of items in a native format: see
    /// `eightfold.buffers.writable`.
    fn of_bytes(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Place::of(object, |_| true, names::writable)
    }

    /// The same of integers of four bytes: see `eightfold.buffers.items`.
    fn of_points(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let are_integers = |buffer: &PyUntypedBuffer| {
            buffer.item_size() == 4 && format_of(buffer).first().is_some_and(|format| b"IiLl".contains(format))
        };
        Place::of(object, are_integers, names::items)
    }

    /// What has more dimensions or none, and what is refused, is left to the function of Python.
    fn of<'py>(
        object: &Bound<'py, PyAny>,
        is_meant: impl Fn(&PyUntypedBuffer) -> bool,
        refusing: impl Fn(Python<'py>) -> PyResult<&'py Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        // Nothing at all is contiguous for the interpreter, whatever its strides, and not for a memoryview.
        let is_row =
            |buffer: &PyUntypedBuffer| buffer.dimensions() == 1 && buffer.is_c_contiguous() && buffer.len_bytes() > 0;
        let is_native =
            |buffer: &PyUntypedBuffer| !buffer.readonly() && matches!(format_of(buffer), [item] if *item != b'O');
        let buffer = PyUntypedBuffer::get(object).ok();
        if let Some(buffer) = buffer.filter(|buffer| is_row(buffer) && is_native(buffer) && is_meant(buffer)) {
            return Ok(Place(buffer));
        }
        let view = refusing(object.py())?.call1((object,))?;
        Ok(Place(PyUntypedBuffer::get(&view.call_method1("cast", ("B",))?)?))
    }

    /// How many bytes have room.
    fn len(&self) -> usize {
        self.0.len_bytes()
    }

    /// Write items from an index on. They need not be aligned there.
    ///
    /// # Panics
    /// There is no room for them.
    fn write<T: Element>(&self, start: usize, items: &[T]) {
        if let Some(place) = self.room(start * size_of::<T>(), size_of_val(items)) {
            // SAFETY: the memory has room; what is written is ours, and elsewhere.
            unsafe { place.copy_from_nonoverlapping(items.as_ptr().cast(), size_of_val(items)) };
        }
    }

    /// Write bytes as items of four bytes from an index on, as [`Place::write`].
    fn write_points(&self, start: usize, bytes: &[u8]) {
        if let Some(place) = self.room(4 * start, 4 * bytes.len()) {
            // SAFETY: the memory has room.
            unsafe { write_points(bytes, place) };
        }
    }

    /// The memory from an offset on, which is contiguous and writable, has room for so many bytes, and stays where it
    /// is while this lives; None for no bytes.
    ///
    /// # Panics
    /// There is no room for them.
    fn room(&self, offset: usize, bytes: usize) -> Option<*mut u8> {
        assert!(offset <= self.len() && bytes <= self.len() - offset, "there is no room");
        // SAFETY: the offset is within the memory.
        (bytes > 0).then(|| unsafe { self.0.buf_ptr().cast::<u8>().add(offset) })
    }
}

/// The format of the items of a buffer, without the mark of the native ones.
fn format_of(buffer: &PyUntypedBuffer) -> &[u8] {
    let format = buffer.format().to_bytes();
    format.strip_prefix(b"@").unwrap_or(format)
}

/// Encode as much of a str as fits into a buffer: see `eightfold.buffers.encode_into`.
#[pyfunction]
#[pyo3(signature = (text, form, buffer, start=Optional::Absent), text_signature = "(text, form, buffer, start=0)")]
pub fn encode_into<'py>(
    py: Python<'py>,
    text: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    buffer: &Bound<'py, PyAny>,
    start: Optional<'py>,
) -> PyResult<Made<(usize, usize)>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &Errors::Strict)?;
    let text = text_object(text)?;
    let start = start.map_or(None, |start| start.run_index().map(Some))?;
    let begin = start.as_ref().map_or(Ok(0), |start| given::size_of(start, "start", 0))?;
    let length = text_length(text);
    if let Some(given) = start.filter(|_| begin > length) {
        // The number that was given may be larger than `begin` can be.
        let message = format!("start must be at most {length}, the length of the text, not {given}");
        return Err(PyValueError::new_err(message));
    }
    let form = asked.strictly_written(py)?;
    let place = Place::of_bytes(buffer)?;
    let mark = if begin == 0 { asked.mark() } else { b"" };
    let whole = match ascii_of(text).filter(|_| shares_ascii(&form)) {
        Some(ascii) => write_whole(&ascii[begin..], (&place, mark)),
        None => write_little(&form, text_of(text)?.slice(begin, length), (&place, mark)),
    };
    if let Some(filled) = whole {
        return Ok(Made((length - begin, filled)));
    }
    let fit = fit(py, &form, text, begin, place.len().saturating_sub(mark.len()))?;
    if let Some(span) = fit.missing.filter(|_| fit.end == begin) {
        return Err(lacking(asked, text, span));
    }
    if place.len() < mark.len() || fit.end == begin && begin < length {
        return Ok(Made((0, 0)));
    }
    place.write(0, mark);
    let filled = write_text(py, &form, text_of(text)?.slice(begin, fit.end), (&place, mark.len()))?;
    assert!(filled == mark.len() + fit.bytes, "the text takes other bytes than it was measured to");
    Ok(Made((fit.end - begin, filled)))
}

/// As [`write_whole`], a text that is short; None too if it is not, or the form lacks a part of it.
// In a function of its own its memory is no part of other frames: each page of one costs a nanosecond.
#[inline(never)]
fn write_little(form: &Form, text: Text<'_>, (place, mark): (&Place, &[u8])) -> Option<usize> {
    let mut memory: Aligned<ShortBytes> = Aligned([const { MaybeUninit::uninit() }; _]);
    write_whole(form.write_short(text, Some(Missing::Stop), &mut memory.0)?, (place, mark))
}

/// Write a mark and bytes, and return where they end; None if they have no room.
fn write_whole(bytes: &[u8], (place, mark): (&Place, &[u8])) -> Option<usize> {
    let end = mark.len() + bytes.len();
    if end > place.len() {
        return None;
    }
    place.write(0, mark);
    place.write(mark.len(), bytes);
    Some(end)
}

/// Write a text that has room from an offset of a place on, and return where it ends.
fn write_text(py: Python<'_>, form: &Form, text: Text<'_>, (place, start): (&Place, usize)) -> PyResult<usize> {
    let (mut bytes, mut at, mut filled) = (Vec::new(), 0, start);
    while at < text.len() {
        let limit = text.whole_up_to(text.len().min(at + MADE_POINTS));
        let written = encoded(py, (form, Missing::Stop), (text.slice(at, limit), 0), &mut bytes)?;
        assert!(written.is_ok(), "the text was measured");
        place.write(filled, &bytes);
        (at, filled) = (limit, filled + bytes.len());
        bytes.clear();
    }
    Ok(filled)
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
    let place = Place::of_points(buffer)?;
    let data = opened.content.as_bytes();
    let (end, count) = fill(py, &reading.form, (data, opened.skipped), &place)?;
    let (is_nothing, cut) = (count == 0 && opened.skipped < data.len(), length - data.len());
    if is_nothing && place.len() >= 4 {
        // The data begin with a fault: this raises.
        Reader::new(reading, opened.content, opened.skipped, u32::MAX).next(true, &mut Vec::new())?;
    }
    if is_nothing {
        return Ok(Made((0, 0)));
    }
    Ok(Made((end + cut, count)))
}

/// Write code points from an offset on, until the data end, the place is full or a fault comes; return where that is
/// and how many they are.
fn fill(py: Python<'_>, form: &Form, (data, start): (&[u8], usize), place: &Place) -> PyResult<(usize, usize)> {
    let (most, mut at, mut count) = (place.len() / 4, start, 0);
    let (mut points, shares_ascii) = (Vec::new(), shares_ascii(form));
    while at < data.len() && count < most {
        if shares_ascii {
            let near = &data[at..data.len().min(at + ASCII_BYTES.min(most - count))];
            let ascii = released(py, data.len() - at, || ascii_blocks(near));
            if !ascii.is_empty() {
                place.write_points(count, ascii);
                (at, count) = (at + ascii.len(), count + ascii.len());
                continue;
            }
        }
        points.clear();
        let next_most = MADE_POINTS.min(most - count);
        let end = released(py, data.len() - at, || form.append_points((data, at), next_most, &mut points));
        at = end.map_err(|_| PyMemoryError::new_err(()))?;
        if points.is_empty() {
            break;
        }
        place.write(count, &points);
        count += points.len();
    }
    Ok((at, count))
}

/// The blocks of ASCII with which some bytes begin.
fn ascii_blocks(data: &[u8]) -> &[u8] {
    let (blocks, _) = data.as_chunks::<BLOCK>();
    let count = blocks.iter().take_while(|block| is_ascii(*block)).count();
    blocks[..count].as_flattened()
}
