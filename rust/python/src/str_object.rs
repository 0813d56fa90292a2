//! Making str objects, which are filled where they will be seen, and reading them.

#![expect(unsafe_code, reason = "the memory of a str is read and written by address")]

use std::mem::MaybeUninit;
use std::slice;

use eightfold_core::kernels::{self, Ascii, Unit};
use eightfold_core::{
    Attempt, LARGEST_IN_STR, Measured, OnePass, Output, Pass, SHORT_INPUT, Sink, Text, TextBuffer, Width,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::types::string::PyStringData;

use crate::header;
use crate::heard::{Ear, Hears};
use crate::memory::{made, unseen, written};
use crate::released::released;
use crate::surveyed::Surveyed;

/// The memory of a str that nobody has seen yet.
enum Unseen<'o, 'm> {
    One(&'o mut Output<'m, u8>),
    Two(&'o mut Output<'m, u16>),
    Four(&'o mut Output<'m, u32>),
}

/// Make a str of `count` code points and let `fill` fill it; None where it has not written all of it.
///
/// # Safety
/// What `fill` writes are code points up to the largest of the width.
#[inline]
unsafe fn new_str<'py>(
    py: Python<'py>,
    count: usize,
    width: Width,
    fill: impl FnOnce(Unseen<'_, '_>),
) -> PyResult<Option<Bound<'py, PyString>>> {
    // SAFETY: the contract of this function.
    let (text, written) = unsafe { partial_str(py, count, width, fill) }?;
    Ok((written == count).then_some(text))
}

/// The same with how many code points have been written: nobody may see the others.
///
/// # Safety
/// As [`new_str`].
#[inline(always)]
unsafe fn partial_str<'py>(
    py: Python<'py>,
    count: usize,
    width: Width,
    fill: impl FnOnce(Unseen<'_, '_>),
) -> PyResult<(Bound<'py, PyString>, usize)> {
    if count == 1 && width <= Width::Latin1 {
        return one_character(py, fill);
    }
    let length = ffi::Py_ssize_t::try_from(count).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: the call returns a new reference or null with an exception set.
    let text = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_New(length, width.largest())) }?;
    let written = if count == 0 {
        0
    } else {
        // SAFETY: the object is a str, and nobody else has it.
        let data = unsafe { ffi::PyUnicode_DATA(text.as_ptr()) };
        // SAFETY: it is compact, of `count` code points of the width asked for, and the slice goes before the str.
        unsafe {
            match width {
                Width::Ascii | Width::Latin1 => written(unseen(data, count), |out| fill(Unseen::One(out))),
                Width::Ucs2 => written(unseen(data, count), |out| fill(Unseen::Two(out))),
                Width::Ucs4 => written(unseen(data, count), |out| fill(Unseen::Four(out))),
            }
        }
    };
    // SAFETY: `PyUnicode_New` makes nothing else than a str.
    Ok((unsafe { text.cast_into_unchecked() }, written))
}

/// The str of one character up to U+00FF, of which the interpreter has one each.
#[cold]
fn one_character<'py>(py: Python<'py>, fill: impl FnOnce(Unseen<'_, '_>)) -> PyResult<(Bound<'py, PyString>, usize)> {
    let mut memory = [MaybeUninit::uninit()];
    let ((), written) = Output::written(&mut memory, |out| fill(Unseen::One(out)));
    let character = written.first().copied().unwrap_or(0);
    // SAFETY: the call returns a new reference or null with an exception set.
    let text = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_FromOrdinal(character.into())) }?;
    // SAFETY: `PyUnicode_FromOrdinal` makes nothing else than a str.
    Ok((unsafe { text.cast_into_unchecked() }, written.len()))
}

/// A str of which only the first characters have been written.
///
/// # Safety
/// The reference is the only one, and the str has at least `count` characters.
unsafe fn shortened<'py>(text: Bound<'py, PyString>, count: usize) -> PyResult<Bound<'py, PyString>> {
    let (py, mut object) = (text.py(), text.into_ptr());
    // SAFETY: the contract of this function.
    let status = unsafe { ffi::PyUnicode_Resize(&raw mut object, count as ffi::Py_ssize_t) };
    // SAFETY: the call has left a reference to a str of the first `count` in its place, or has set an exception and
    // left it as it was.
    let text = unsafe { Bound::from_owned_ptr(py, object) };
    if status != 0 {
        return Err(PyErr::fetch(py));
    }
    // SAFETY: it is a str.
    Ok(unsafe { text.cast_into_unchecked() })
}

/// Make a str of ASCII.
#[inline]
pub fn str_of_ascii<'py>(py: Python<'py>, ascii: Ascii<'_>) -> PyResult<Bound<'py, PyString>> {
    let fill = |memory: Unseen<'_, '_>| {
        if let Unseen::One(out) = memory {
            out.copy(ascii.bytes());
        }
    };
    // SAFETY: what is written is ASCII.
    made(unsafe { new_str(py, ascii.bytes().len(), Width::Ascii, fill) }?)
}

/// Make a str of bytes that are all ASCII; None where one is not.
pub fn str_if_ascii<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let fill = |memory: Unseen<'_, '_>| {
        if let Unseen::One(out) = memory {
            released(py, data.len(), || kernels::copy_ascii(data, out));
        }
    };
    // SAFETY: what is written is ASCII.
    unsafe { new_str(py, data.len(), Width::Ascii, fill) }
}

/// Make a str of UTF-8 that has been measured.
pub fn str_of_measured<'py>(py: Python<'py>, text: Measured<'_>) -> PyResult<Bound<'py, PyString>> {
    let fill = |memory: Unseen<'_, '_>| {
        released(py, text.text().len(), || match memory {
            Unseen::One(out) => text.write_latin1(out),
            Unseen::Two(out) => text.write_ucs2(out),
            Unseen::Four(out) => text.write_ucs4(out),
        });
    };
    // SAFETY: what is written is the text that was measured.
    made(unsafe { new_str(py, text.count(), text.width(), fill) }?)
}

/// Make a str of a few code points, of which this is the narrowest kind for them.
pub fn str_of_points<'py>(py: Python<'py>, (points, width): (&[u32], Width)) -> PyResult<Bound<'py, PyString>> {
    let fill = |memory: Unseen<'_, '_>| match memory {
        Unseen::One(out) => out.extend_by(points, |point| point as u8),
        Unseen::Two(out) => out.extend_by(points, |point| point as u16),
        Unseen::Four(out) => {
            assert!(is_text(points), "no str holds this");
            out.copy(points);
        }
    };
    // SAFETY: the width is that of the points, and those of the widest kind have just been looked at.
    made(unsafe { new_str(py, points.len(), width, fill) }?)
}

/// Make a str of a buffer.
///
/// # Panics
/// It holds what is no code point.
pub fn str_of_buffer<'py>(py: Python<'py>, buffer: &TextBuffer) -> PyResult<Bound<'py, PyString>> {
    let text = buffer.text();
    let fill = |memory: Unseen<'_, '_>| {
        released(py, text.len(), || match (memory, text) {
            (Unseen::One(out), Text::One(points)) => out.copy(points),
            (Unseen::Two(out), Text::Two(points)) => out.copy(points),
            (Unseen::Four(out), Text::Four(points)) => {
                assert!(is_text(points), "no str holds this");
                out.copy(points);
            }
            // The width of a buffer is that of its points.
            _ => unreachable!(),
        });
    };
    // SAFETY: the width of a buffer is that of its points.
    made(unsafe { new_str(py, text.len(), buffer.width(), fill) }?)
}

/// Make a str of what a pass gives that has been measured.
pub fn str_of_pass<'py>(py: Python<'py>, surveyed: &Surveyed<'_>) -> PyResult<Bound<'py, PyString>> {
    let (pass, survey) = (surveyed.pass(), surveyed.survey());
    let mut outcome = Ok(());
    let fill = |memory: Unseen<'_, '_>| {
        outcome = released(py, pass.data.len(), || match (memory, surveyed.same()) {
            // One byte for each character: they are the same.
            (Unseen::One(out), Some(same)) => {
                out.copy(same);
                Ok(())
            }
            (Unseen::One(out), None) => surveyed.write(out),
            (Unseen::Two(out), _) => surveyed.write(out),
            (Unseen::Four(out), _) => {
                let outcome = surveyed.write(out);
                // Payload bits are in Unicode where a layout was made of them. What is added to those is looked at once
                // more.
                let is_moved = pass.form.layout.as_ref().is_some_and(|layout| layout.shift().is_some());
                assert!(!is_moved || is_text(out.values()), "a kernel wrote what no str holds");
                outcome
            }
        });
    };
    // SAFETY: what is written is what was measured, and else nobody sees it.
    let text = unsafe { new_str(py, survey.count, survey.width, fill) }?;
    outcome?;
    made(text)
}

/// Whether values are code points that a str holds.
fn is_text(values: &[u32]) -> bool {
    // A loop without a branch, which the compiler makes vectors of: the highest bit of no value is set, and that of
    // each is once what is just beyond is taken off.
    let (seen, below) = values
        .iter()
        .fold((0, u32::MAX), |(seen, below), value| (seen | value, below & value.wrapping_sub(LARGEST_IN_STR + 1)));
    seen.cast_signed() >= 0 && below.cast_signed() < 0
}

/// Make a str of text of a pass whose width is guessed; None where each guess is wrong.
pub fn str_if_guessed<'py>(py: Python<'py>, pass: &Pass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let mut next = pass.guess();
    while let Some(guess) = next {
        let mut width = None;
        let fill = |memory: Unseen<'_, '_>| {
            width = released(py, pass.data.len(), || match memory {
                Unseen::One(out) => pass.write_guessed_ucs1(&guess, out),
                Unseen::Two(out) => pass.write_guessed_ucs2(&guess, out),
                Unseen::Four(_) => None,
            });
        };
        // SAFETY: of one width is what was guessed, and else nobody sees it.
        let text = unsafe { new_str(py, guess.count, guess.width, fill) }?;
        if width == Some(guess.width) {
            return Ok(text);
        }
        next = pass.guess_after(&guess, width);
    }
    Ok(None)
}

/// Make a str of text in one pass; None where it turns out not to be such as is written so.
pub fn str_in_one_pass<'py>(py: Python<'py>, once: &OnePass<'_>) -> PyResult<Option<Bound<'py, PyString>>> {
    let &OnePass { pass, room, width, .. } = once;
    match width {
        Width::Ascii | Width::Latin1 if room <= SHORT_INPUT => return short_str_in_one_pass::<u8>(py, once),
        Width::Ucs2 if room <= SHORT_INPUT => return short_str_in_one_pass::<u16>(py, once),
        _ => {}
    }
    let (mut attempt, mut ear, bytes) = (Attempt::Failed, Ear::default(), pass.data.len());
    let fill = |memory: Unseen<'_, '_>| {
        let goes_on = |bytes| ear.goes_on(bytes);
        attempt = released(py, bytes, || match memory {
            Unseen::One(out) => once.write(0, out, goes_on),
            Unseen::Two(out) => once.write(0, out, goes_on),
            Unseen::Four(out) => once.write(0, out, goes_on),
        });
    };
    // SAFETY: what is written is ASCII, or has a character of this width, or nobody sees it.
    let made = unsafe { partial_str(py, room, width, fill) };
    // Where there is no memory for so much, what it is measured to need may be had.
    let made = match (made, attempt) {
        (Ok((text, count)), Attempt::Wider(at)) => {
            // SAFETY: as below.
            widened(once, at, &unsafe { shortened(text, count) }?, &mut ear)
        }
        (made, attempt) => made.ok().filter(|_| attempt == Attempt::Done),
    };
    ear.result()?;
    // SAFETY: nobody else has seen the str, of which so many characters have been written.
    made.map(|(text, count)| unsafe { shortened(text, count) }).transpose()
}

/// As [`str_in_one_pass`], in little room: what is written on the stack first is copied in less time than a str is cut.
// Its memory is no part of other frames: each page of one costs a nanosecond.
#[inline(never)]
fn short_str_in_one_pass<'py, T: Unit>(py: Python<'py>, once: &OnePass<'_>) -> PyResult<Option<Bound<'py, PyString>>>
where
    for<'o> Output<'o, T>: Sink,
{
    let mut memory = [const { MaybeUninit::<T>::uninit() }; SHORT_INPUT];
    let (attempt, points) = Output::written(&mut memory[..once.room], |out| once.write(0, out, |_| true));
    if attempt != Attempt::Done {
        return Ok(None);
    }
    let fill = |memory: Unseen<'_, '_>| match memory {
        Unseen::One(out) => out.extend_by(points, |point| point.into() as u8),
        Unseen::Two(out) => out.extend_by(points, |point| point.into() as u16),
        Unseen::Four(_) => {}
    };
    // SAFETY: what is written is ASCII, or has a character of this width.
    unsafe { new_str(py, points.len(), once.width, fill) }
}

/// A str of four bytes for each character: what a pass gives, given that up to an offset, where a character begins that
/// takes so many. None where the rest must be measured first.
fn widened<'py>(
    once: &OnePass<'_>,
    at: usize,
    narrow: &Bound<'py, PyString>,
    ear: &mut Ear,
) -> Option<(Bound<'py, PyString>, usize)> {
    let Ok(Text::Two(written)) = text_of(narrow) else { return None };
    let (py, mut attempt, rest) = (narrow.py(), Attempt::Failed, once.pass.data.len() - at);
    let fill = |memory: Unseen<'_, '_>| {
        if let Unseen::Four(out) = memory {
            attempt = released(py, rest, || {
                out.extend(written);
                once.write(at, out, |bytes| ear.goes_on(bytes))
            });
        }
    };
    let room = (written.len() + rest).min(once.room);
    // SAFETY: what is written has a character of this width, or nobody sees it.
    let made = unsafe { partial_str(py, room, Width::Ucs4, fill) };
    made.ok().filter(|_| attempt == Attempt::Done)
}

/// The code points of a str. It is immutable, and must be kept alive by the caller's reference.
// As the result of a call it would be stored, and loaded by wider loads, which wait for the stores.
#[inline(always)]
pub fn text_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Text<'a>> {
    // SAFETY: the str is complete (it came from Python), is not changed any more, and outlives the slice. One that is
    // compact has its code points ready behind its header, as many of them and as wide as that says.
    unsafe {
        if let Some((kind, data)) = header::compact(text.as_ptr()) {
            let length = text_length(text);
            return Ok(match kind {
                ffi::PyUnicode_1BYTE_KIND => Text::One(slice::from_raw_parts(data.cast(), length)),
                ffi::PyUnicode_2BYTE_KIND => Text::Two(slice::from_raw_parts(data.cast(), length)),
                _ => Text::Four(slice::from_raw_parts(data.cast(), length)),
            });
        }
        Ok(match text.data()? {
            PyStringData::Ucs1(points) => Text::One(points),
            PyStringData::Ucs2(points) => Text::Two(points),
            PyStringData::Ucs4(points) => Text::Four(points),
        })
    }
}

/// The first code points of a str; the str itself where they are all of it.
pub fn beginning<'py>(text: &Bound<'py, PyString>, count: usize) -> PyResult<Bound<'py, PyString>> {
    let end = count.min(text_length(text)) as ffi::Py_ssize_t;
    // SAFETY: the object is a str; the call returns a new reference to a str or null with an exception set.
    unsafe {
        let part = ffi::PyUnicode_Substring(text.as_ptr(), 0, end);
        Ok(Bound::from_owned_ptr_or_err(text.py(), part)?.cast_into_unchecked())
    }
}

/// How many code points a str has.
#[inline]
pub fn text_length(text: &Bound<'_, PyString>) -> usize {
    // SAFETY: the object is a str, and the macro reads its header only.
    unsafe { ffi::PyUnicode_GET_LENGTH(text.as_ptr()) as usize }
}

/// The characters of a str that knows itself to be ASCII.
#[inline]
pub fn ascii_of<'a>(text: &'a Bound<'_, PyString>) -> Option<&'a [u8]> {
    // SAFETY: the object is a str; one that is compact and ASCII holds its characters, one byte each, behind its
    // header, is not changed any more, and outlives the slice.
    unsafe {
        let object = text.as_ptr();
        if !header::is_ascii(object) {
            return None;
        }
        let data = object.byte_add(size_of::<ffi::PyASCIIObject>()).cast();
        Some(slice::from_raw_parts(data, text_length(text)))
    }
}
