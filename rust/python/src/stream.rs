//! A piece of a stream, decoded as far as is certain or encoded.

use eightfold_core::{Form, LARGEST_IN_STR, Step, TextBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyInt, PyString};

use crate::bytes_object::bytes_of_slice;
use crate::decode::{clean_piece, clean_text};
use crate::encode::{self, text_object, written};
use crate::given::{Truth, offset_in};
use crate::handle::{Errors, Handle, shares_ascii};
use crate::made::{Made, Make};
use crate::policy_names::PolicyName;
use crate::reader::{Event, Reader, put_all};
use crate::released::RELEASE_BYTES;
use crate::str_object::{str_of_buffer, str_of_pass};
use crate::surveyed::Surveyed;

type Piece<'py> = (Bound<'py, PyString>, Bound<'py, PyBytes>, bool);

/// Decode a piece of a stream as far as is certain: see `eightfold.pieces.decoded_piece`.
#[pyfunction]
#[pyo3(
    signature = (form, errors, data, start=0, chosen=0, in_run=false, r#final=Truth(false)),
    text_signature = "(form, errors, data, start=0, chosen=0, in_run=False, final=False)"
)]
pub fn decoded_piece<'py>(
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
    data: Bound<'py, PyBytes>,
    start: usize,
    chosen: usize,
    in_run: bool,
    r#final: Truth,
) -> PyResult<Made<Piece<'py>>> {
    let (py, start) = (data.py(), offset_in(data.as_bytes(), start)?);
    let reading = Handle::of(form)?.get().reading(py, chosen, &errors, false)?;
    let mut reader = Reader::of_piece(reading, data, start, LARGEST_IN_STR, in_run);
    let text = text_of(py, &mut reader, r#final.0)?;
    let held = bytes_of_slice(py, &reader.input.as_bytes()[reader.at..])?;
    Ok(Made((text, held, reader.in_run)))
}

/// The short way of `decoded_piece`: bytes without a fault, of a form that begins with no mark.
#[inline]
pub fn short_decoded<'py>(given: [&Bound<'py, PyAny>; 7]) -> Option<Bound<'py, PyAny>> {
    let [form, errors, data, start, chosen, in_run, is_final] = given;
    let (py, data) = (form.py(), data.cast_exact::<PyBytes>().ok()?.as_bytes());
    let handle = Handle::known(form)?;
    let is_whole = !is_true(in_run)? && is_zero(start)? && is_zero(chosen)?;
    if !handle.is_plain
        || !PolicyName::of(errors).is_some_and(PolicyName::is_plain)
        || !is_whole
        || data.len() >= RELEASE_BYTES
    {
        return None;
    }
    let end = certain_end(&handle.form, data, is_true(is_final)?)?;
    // Other forms have sequences beside UTF-8, which may continue after the end.
    let clean = if handle.is_utf8 { clean_piece } else { clean_text };
    let text = clean(py, &handle.form, &data[..end]).ok()??;
    let held = bytes_of_slice(py, &data[end..]).ok()?;
    (text, held, false).make(py).ok()
}

fn is_true(given: &Bound<'_, PyAny>) -> Option<bool> {
    given.cast_exact::<PyBool>().ok().map(|given| given.is_true())
}

fn is_zero(given: &Bound<'_, PyAny>) -> Option<bool> {
    given.cast_exact::<PyInt>().ok().and_then(|given| given.is_truthy().ok()).map(|is_other| !is_other)
}

/// What a pass gives, measured and then written once; where a handler must be asked, or a sequence without a fixed
/// length may go on, it is gathered.
fn text_of<'py>(py: Python<'py>, reader: &mut Reader<'py>, is_final: bool) -> PyResult<Bound<'py, PyString>> {
    if reader.has_run() {
        return gathered(py, reader, is_final);
    }
    let (pass, start) = (reader.pass(is_final), reader.at);
    if let Some(end) = certain_end(pass.form, &pass.data[start..], is_final)
        && let Some(text) = clean_text(py, pass.form, &pass.data[start..][..end])?
    {
        reader.at = start + end;
        return Ok(text);
    }
    if let Some(surveyed) = Surveyed::new(py, pass, start)? {
        let (text, end) = (str_of_pass(py, &surveyed)?, surveyed.end());
        reader.at = end;
        return Ok(text);
    }
    gathered(py, reader, is_final)
}

fn gathered<'py>(py: Python<'py>, reader: &mut Reader<'py>, is_final: bool) -> PyResult<Bound<'py, PyString>> {
    let mut buffer = TextBuffer::default();
    while let Event::Points { points, .. } = reader.next(is_final, &mut buffer)? {
        put_all(&mut buffer, &points)?;
    }
    str_of_buffer(py, &buffer)
}

/// Where text ends that nothing behind it can change, if that is known without reading it.
fn certain_end(form: &Form, data: &[u8], is_final: bool) -> Option<usize> {
    if is_final || (shares_ascii(form) && form.ascii_only_opens && data.last().is_none_or(u8::is_ascii)) {
        return Some(data.len());
    }
    if !form.agreement.is_total() {
        return None;
    }
    let last = data.iter().rposition(|&byte| byte & 0xC0 != 0x80)?;
    match form.sequence_at(data, last, false) {
        Step::Wait => Some(last),
        Step::Value { end, .. } if end == data.len() => Some(end),
        _ => None,
    }
}

/// Encode a piece of a stream, without a signature: see `eightfold.pieces.encoded_piece`.
#[pyfunction]
pub fn encoded_piece<'py>(
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
    text: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (handle, py) = (Handle::of(form)?, form.py());
    written(py, &*handle.get().writing(py, &errors)?, text_object(text)?, b"")
}

/// The short way of `encoded_piece`.
#[inline]
pub fn short_encoded<'py>([form, errors, text]: [&Bound<'py, PyAny>; 3]) -> Option<Bound<'py, PyAny>> {
    if PolicyName::of(errors).is_some_and(PolicyName::is_plain) { encode::short([text, form], None) } else { None }
}
