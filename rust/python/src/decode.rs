//! Bytes to str and to code points.

use std::mem::MaybeUninit;

use eightfold_core::kernels::{Ascii, count_beyond_ascii, has_nul};
use eightfold_core::{Form, LARGEST_IN_STR, Measured, OnFault, Pass, SHORT_INPUT, ShortAscii, ShortPoints, TextBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::given::bytes_of;
use crate::handle::{Errors, Handle, shares_ascii, shares_ascii_but_nul};
use crate::memory::Aligned;
use crate::names;
use crate::once::intern;
use crate::policy_names::PolicyName;
use crate::reader::{Event, Reader, put_all};
use crate::released::{RELEASE_BYTES, released};
use crate::str_object::{
    str_if_ascii, str_if_guessed, str_in_one_pass, str_of_ascii, str_of_buffer, str_of_measured, str_of_pass,
    str_of_points,
};
use crate::surveyed::Surveyed;

/// How much of an input says that all of it may be ASCII, which is then checked while it is copied.
const PROBE_BYTES: usize = 64;
/// Up to this size all is looked at first where faults are dropped.
const DROPPING_BYTES: usize = SHORT_INPUT + SHORT_INPUT / 2;
/// Up to this size all is looked at first: what turns out not to be ASCII would have been given memory for nothing.
const SHORT_BYTES: usize = 256;
/// Where no more than one in so many bytes of a short input is not ASCII, these are likely to be faults.
const BYTES_A_FAULT: usize = 16;
const BYTES_A_DROPPED_FAULT: usize = 8;
/// So few bytes are read in one pass in less time than it takes to look whether they are ASCII with faults.
const LITTLE_BYTES: usize = 128;

/// Return the str that bytes of a form hold: see `eightfold.text.decode`.
#[pyfunction]
#[pyo3(signature = (data, form, errors=Errors::Strict), text_signature = "(data, form, errors='strict')")]
pub fn decode<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
) -> PyResult<Bound<'py, PyString>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &errors)?;
    let opened = asked.opened(bytes_of(data)?)?;
    let data = &opened.content.as_bytes()[opened.skipped..];
    if asked.is_plainly_strict(&errors) {
        // No policy is made for an input that has no fault.
        if let Some(text) = clean_text(py, &asked.plain(opened.plain).form, data)? {
            return Ok(text);
        }
    }
    let reading = asked.reading(py, opened.plain, &errors, false)?;
    if !asked.is_plainly_strict(&errors) {
        let pass = pass_of(&reading.form, data, reading.on_fault);
        if let Some(text) = clean_text(py, &reading.form, data)? {
            return Ok(text);
        }
        if let Some(text) = nearly_ascii_text(py, &pass)? {
            return Ok(text);
        }
        if let Some(text) = dirty_text(py, &pass)? {
            return Ok(text);
        }
    }
    let mut reader = Reader::new(reading, opened.content, opened.skipped, LARGEST_IN_STR);
    if let Some(surveyed) = reader.measured()? {
        return str_of_pass(py, &surveyed);
    }
    let mut buffer = TextBuffer::default();
    while let Event::Points { points, .. } = reader.next(true, &mut buffer)? {
        put_all(&mut buffer, &points)?;
    }
    str_of_buffer(py, &buffer)
}

/// The short way of `decode`: bytes that hold no fault, or faults that the policy answers.
#[inline]
pub fn short<'py>([data, form]: [&Bound<'py, PyAny>; 2], policy: Option<PolicyName>) -> Option<Bound<'py, PyAny>> {
    let data = data.cast_exact::<PyBytes>().ok()?.as_bytes();
    let (handle, py) = (Handle::known(form)?, form.py());
    if !handle.is_plain || data.len() >= RELEASE_BYTES || !handle.takes(policy) {
        return None;
    }
    let policy = policy.filter(|policy| !policy.is_strict());
    // The general way makes the policy, which then is known.
    let pass = pass_of(&handle.form, data, policy.map_or(Some(OnFault::Stop), |policy| handle.answer(policy))?);
    // Under a policy, what would be copied in vain up to a fault is looked at first.
    let looked_at = match policy {
        None => SHORT_BYTES,
        Some(_) if pass.is_short() => data.len(),
        Some(_) => most_looked_at(&pass),
    };
    if handle.shares_ascii {
        let text =
            if is_written_at_once(&pass) { nearly_ascii_text(py, &pass) } else { ascii_text(py, data, looked_at) };
        if let Some(text) = text.ok()? {
            return Some(text.into_any());
        }
    }
    if let Some(text) = text_in_one_pass(py, &pass).ok()? {
        return Some(text.into_any());
    }
    if pass.begun_width().is_some()
        && let Some(text) = nearly_ascii_text(py, &pass).ok()?
    {
        return Some(text.into_any());
    }
    let text = if handle.shares_utf8 { measured_text(py, data) } else { clean_text(py, &handle.form, data) };
    let text = match text.ok()? {
        // The form may have more text than UTF-8 has, all of which it shares.
        None if handle.shares_utf8 && policy.is_none() => clean_pass(py, &handle.form, data).ok()?,
        None => answered_text(py, pass),
        text => text,
    };
    text.map(Bound::into_any)
}

/// The str of bytes that are ASCII. Of more bytes than `looked_at`, the first say whether they may be, and then they
/// are checked while they are copied.
#[inline]
fn ascii_text<'py>(py: Python<'py>, data: &[u8], looked_at: usize) -> PyResult<Option<Bound<'py, PyString>>> {
    let probed = if data.len() <= looked_at { data } else { &data[..PROBE_BYTES] };
    match Ascii::new(probed) {
        Some(ascii) if probed.len() == data.len() => str_of_ascii(py, ascii).map(Some),
        Some(_) => str_if_ascii(py, data),
        None => Ok(None),
    }
}

/// The str of bytes that are short, or ASCII but for faults; None where the form has no layout, or the policy does not
/// answer a fault by itself.
#[inline(never)]
fn text_in_one_pass<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let is_short = pass.is_short() && pass.form.layout.is_some();
    let bytes_a_fault = if pass.on_fault == OnFault::Ignore { BYTES_A_DROPPED_FAULT } else { BYTES_A_FAULT };
    let probe = &pass.data[..pass.data.len().min(SHORT_BYTES)];
    let is_likely = || count_beyond_ascii(probe) <= probe.len() / bytes_a_fault;
    let is_little = pass.data.len() <= LITTLE_BYTES && pass.on_fault != OnFault::Ignore;
    if !is_short || !is_little && is_likely() {
        let text = dirty_ascii_text(py, pass)?;
        if !is_short || text.is_some() {
            return Ok(text);
        }
    }
    if let Some(measured) = Measured::of_short(pass.data, &pass.form.agreement, pass.on_fault == OnFault::Stop) {
        return str_of_measured(py, measured).map(Some);
    }
    str_of_short(py, pass)
}

/// The str of short bytes.
// In a function of its own its memory is no part of other frames: each page of one costs a nanosecond.
#[inline(never)]
fn str_of_short<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let mut memory: Aligned<ShortPoints> = Aligned([const { MaybeUninit::uninit() }; _]);
    pass.read_short(&mut memory.0).map(|points| str_of_points(py, points)).transpose()
}

/// The str of bytes that hold no fault: measured, then written once into memory of the exact kind.
pub fn clean_text<'py>(py: Python<'py>, form: &Form, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let text = clean_ascii(py, form, data)?;
    if text.is_some() { Ok(text) } else { clean_other(py, form, data) }
}

/// As [`clean_text`], of bytes that are likely to be few: it reads sequences too that are not UTF-8.
pub fn clean_piece<'py>(py: Python<'py>, form: &Form, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    if let Some(text) = clean_ascii(py, form, data)? {
        return Ok(Some(text));
    }
    let text = text_in_one_pass(py, &pass_of(form, data, OnFault::Stop))?;
    if text.is_some() { Ok(text) } else { clean_other(py, form, data) }
}

/// The str of bytes that are ASCII, in a form that shares it. If the form lacks the byte 00, much is looked through for
/// it afterwards, which takes a fraction of the time of measuring.
fn clean_ascii<'py>(py: Python<'py>, form: &Form, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let may_have_nul = shares_ascii(form);
    if !may_have_nul && (data.len() <= SHORT_BYTES || !shares_ascii_but_nul(form)) {
        return Ok(None);
    }
    let text = ascii_text(py, data, SHORT_BYTES)?;
    Ok(text.filter(|_| may_have_nul || !released(py, data.len(), || has_nul(data))))
}

fn clean_other<'py>(py: Python<'py>, form: &Form, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    if form.agreement.is_total() {
        return measured_text(py, data);
    }
    // Where stray bytes are escapes.
    let text = nearly_ascii_text(py, &pass_of(form, data, OnFault::Stop))?;
    if text.is_some() { Ok(text) } else { clean_pass(py, form, data) }
}

fn pass_of<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: LARGEST_IN_STR, on_fault }
}

/// The str of bytes with faults that the policy answers by itself.
fn answered_text<'py>(py: Python<'py>, pass: Pass<'_>) -> Option<Bound<'py, PyString>> {
    if !pass.on_fault.answers_alone() {
        return None;
    }
    if pass.begun_width().is_some()
        && let Some(text) = nearly_ascii_text(py, &pass).ok()?
    {
        return Some(text);
    }
    if let Some(text) = dirty_text(py, &pass).ok()? {
        return Some(text);
    }
    let surveyed = Surveyed::new(py, pass, 0).ok()??;
    str_of_pass(py, &surveyed).ok()
}

/// Whether text that is likely to be ASCII is written with the answers to faults without looking whether it has any: it
/// stays ASCII, and is too long to be looked at twice.
fn is_written_at_once(pass: &Pass<'_>) -> bool {
    pass.on_fault.answers_ascii() && pass.data.len() > most_looked_at(pass) && !pass.is_short()
}

/// How many bytes are looked at first where a policy answers faults.
fn most_looked_at(pass: &Pass<'_>) -> usize {
    if pass.on_fault == OnFault::Ignore { DROPPING_BYTES } else { SHORT_INPUT }
}

/// The str of bytes of which the first that is not ASCII is a fault, if no more than faults are not; None where the
/// policy does not answer them by itself.
fn dirty_ascii_text<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    // That has been tried in vain.
    if is_written_at_once(pass) {
        return Ok(None);
    }
    if pass.may_be_ascii_around_faults() {
        return str_of_short_ascii(py, pass);
    }
    if pass.on_fault.answers_alone() && shares_ascii(pass.form) && pass.begins_with_fault() {
        return nearly_ascii_text(py, pass);
    }
    Ok(None)
}

/// The str of short bytes that are ASCII around faults to which nothing is answered.
// As `str_of_short`.
#[inline(never)]
fn str_of_short_ascii<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let mut memory: Aligned<ShortAscii> = Aligned([const { MaybeUninit::uninit() }; _]);
    pass.read_short_ascii(&mut memory.0).map(|ascii| str_of_ascii(py, ascii)).transpose()
}

/// The str of bytes that hold faults, if they are likely to be ASCII otherwise, and are. What holds none is tried
/// before: memory of which a part is given back is new from the system each time.
fn nearly_ascii_text<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let most = || match pass.on_fault {
        // No kernel is quicker.
        OnFault::BackslashReplace => PROBE_BYTES / 2,
        _ if pass.takes_dirty() && !pass.on_fault.answers_ascii() => PROBE_BYTES / 2,
        _ => PROBE_BYTES / 8,
    };
    let is_likely = |probe| count_beyond_ascii(probe) < most() || pass.begun_width().is_some();
    let is_likely = pass.data.len() <= SHORT_INPUT || is_likely(&pass.data[..PROBE_BYTES]);
    match pass.in_one_pass().filter(|_| is_likely && shares_ascii(pass.form)) {
        Some(once) => str_in_one_pass(py, &once),
        None => Ok(None),
    }
}

/// The str of bytes in which faults or escapes are everywhere, where kernels write such text in one pass.
fn dirty_text<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    match pass.in_one_pass_if_dirty() {
        Some(once) => str_in_one_pass(py, &once),
        None => Ok(None),
    }
}

fn clean_pass<'py>(py: Python<'py>, form: &Form, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let pass = pass_of(form, data, OnFault::Stop);
    if let Some(text) = dirty_text(py, &pass)? {
        return Ok(Some(text));
    }
    // What is measured first is read twice; a wrong guess costs as much.
    let text = str_if_guessed(py, &pass)?;
    if text.is_some() {
        return Ok(text);
    }
    Surveyed::new(py, pass, 0)?.map(|surveyed| str_of_pass(py, &surveyed)).transpose()
}

fn measured_text<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let measured = released(py, data.len(), || Measured::whole(data));
    measured.map(|measured| str_of_measured(py, measured)).transpose()
}

/// Return the code points of bytes: see `eightfold.text.decode_code_points`.
#[pyfunction]
#[pyo3(signature = (data, form, errors=Errors::Strict), text_signature = "(data, form, errors='strict')")]
pub fn decode_code_points<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    errors: Errors<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let handle = Handle::of(form)?;
    let asked = handle.get();
    asked.check(py, &errors)?;
    let opened = asked.opened(bytes_of(data)?)?;
    let reading = asked.reading(py, opened.plain, &errors, false)?;
    let mut reader = Reader::new(reading, opened.content, opened.skipped, u32::MAX);
    let mut points: Vec<u32> = Vec::new();
    while let Event::Points { points: given, .. } = reader.next(true, &mut points)? {
        put_all(&mut points, &given)?;
    }
    let bytes = PyBytes::new_with(py, points.len() * 4, |out| {
        for (place, point) in out.chunks_exact_mut(4).zip(&points) {
            place.copy_from_slice(&point.to_ne_bytes());
        }
        Ok(())
    })?;
    names::array_type(py)?.call1((intern!(py, "I"), bytes))
}
