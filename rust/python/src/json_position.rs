//! A place in JSON text, which need not be valid: the containers around it. No objects are built.

use std::fmt::Write;
use std::mem::take;
use std::ops::Range;

use eightfold_core::kernels::{find_any, find_last};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::bytes_object::bytes_of_slice;
use crate::made::Made;
use crate::names;
use crate::released::released;
use crate::running::Run;

/// What Python knows too: `eightfold._engine.compare` finds a difference.
pub const DEEPEST: usize = 1024;
pub const KEY_BYTES: usize = 1024;
pub const CUT_KEY_BYTES: usize = 100;
const END_STEPS: usize = 16;
const PLAIN_KEY_BYTES: usize = 64;
const ELLIPSIS: &[u8] = "…".as_bytes();
const STRUCTURAL: [bool; 256] = {
    let (mut table, mut at) = ([false; 256], 0);
    let bytes = *br#"[]{},""#;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};
/// What may end a run of plain characters of a string.
const ENDS: [u8; 3] = *b"\"\\\n";

enum Holder {
    Array(usize),
    /// With the last key, which is empty before the first one.
    Object(Vec<u8>),
}

impl Holder {
    /// Write the step to a place in it; an object before its first key has none.
    fn show(&self, py: Python<'_>, path: &mut String) -> PyResult<()> {
        match self {
            Holder::Array(index) => write!(path, "[{index}]").expect("a String takes everything"),
            Holder::Object(key) if key.is_empty() => {}
            Holder::Object(key) => show_key(py, key, path)?,
        }
        Ok(())
    }
}

/// Write the step that a key is; all but the plainest keys are written by Python.
fn show_key(py: Python<'_>, key: &[u8], path: &mut String) -> PyResult<()> {
    match identifier(key) {
        Some(name) => path.extend([".", name]),
        None => path.push_str(names::shown_key(py)?.run((bytes_of_slice(py, key)?,))?.cast::<PyString>()?.to_str()?),
    }
    Ok(())
}

/// A key without its quotes, if it is an identifier of ASCII that is written without escapes, and not long.
fn identifier(key: &[u8]) -> Option<&str> {
    let [b'"', name @ .., b'"'] = key else { return None };
    let begins = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    let is_plain = name.len() <= PLAIN_KEY_BYTES
        && name.first().is_some_and(begins)
        && name.iter().all(|byte| begins(byte) || byte.is_ascii_digit());
    is_plain.then_some(name).and_then(|name| str::from_utf8(name).ok())
}

#[derive(Clone, Copy, Default, PartialEq)]
enum InString {
    #[default]
    No,
    Value,
    Key,
}

/// See `eightfold.jsonpath.JsonPosition`.
#[pyclass(module = "eightfold._native")]
pub struct JsonPosition {
    place: Place,
    /// Whether each line is a text of its own.
    lines: bool,
}

#[derive(Default)]
struct Place {
    way: Vec<Holder>,
    /// How many containers are open beyond the deepest that are kept.
    beyond: usize,
    string: InString,
    /// Whether the last byte was a backslash in a string.
    escaped: bool,
    /// The key that the place is in, as far as it has been read and is kept.
    key: Vec<u8>,
    tokens: usize,
}

#[pymethods]
impl JsonPosition {
    #[new]
    #[pyo3(signature = (*, lines = false))]
    fn new(lines: bool) -> Self {
        JsonPosition { place: Place::default(), lines }
    }

    /// The number of strings, brackets and commas so far.
    #[getter]
    fn tokens(&self) -> Made<usize> {
        Made(self.place.tokens)
    }

    #[getter]
    fn in_string(&self) -> bool {
        self.place.string != InString::No
    }

    #[pyo3(signature = (text, start = 0, end = None))]
    fn pass_over(&mut self, text: &Bound<'_, PyBytes>, start: usize, end: Option<usize>) {
        let data = text.as_bytes();
        let end = end.unwrap_or(data.len()).min(data.len());
        let data = &data[start.min(end)..end];
        released(text.py(), data.len(), || self.pass(data));
    }

    fn path(&self, rest: &Bound<'_, PyBytes>) -> PyResult<Made<String>> {
        self.place.path(rest.py(), || Ok(rest.clone())).map(Made)
    }

    fn paths(
        &mut self,
        text: &Bound<'_, PyBytes>,
        start: usize,
        offsets: Vec<usize>,
        rest: &Bound<'_, PyAny>,
    ) -> PyResult<Made<Vec<String>>> {
        let mut passed = start;
        let mut path_at = |offset: usize| {
            self.pass_over(text, passed, Some(offset));
            passed = offset;
            self.place.path(text.py(), || Ok(rest.run((Made(offset),))?.cast_into()?))
        };
        offsets.into_iter().map(&mut path_at).collect::<PyResult<_>>().map(Made)
    }
}

impl JsonPosition {
    fn pass(&mut self, text: &[u8]) {
        match self.lines.then(|| find_last(text, b'\n')).flatten() {
            Some(end) => {
                self.place = Place::default();
                self.place.pass(&text[end + 1..]);
            }
            None => self.place.pass(text),
        }
    }
}

impl Place {
    fn pass(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            at += if self.string == InString::No { self.pass_structure(rest) } else { self.pass_string(rest) };
        }
    }

    /// Pass over text outside strings, to the first quote at most.
    fn pass_structure(&mut self, text: &[u8]) -> usize {
        let mut at = 0;
        while let Some(next) = text[at..].iter().position(|byte| STRUCTURAL[usize::from(*byte)]) {
            at += next + 1;
            self.tokens += 1;
            match text[at - 1] {
                b'"' => {
                    self.open_string();
                    return at;
                }
                b'[' => self.open(Holder::Array(0)),
                b'{' => self.open(Holder::Object(Vec::new())),
                b',' => self.go_on(),
                _ => self.close(),
            }
        }
        text.len()
    }

    fn open_string(&mut self) {
        let begins_key = self.beyond == 0 && matches!(self.way.last(), Some(Holder::Object(key)) if key.is_empty());
        self.string = if begins_key { InString::Key } else { InString::Value };
        if begins_key {
            self.key.push(b'"');
        }
    }

    fn open(&mut self, holder: Holder) {
        if self.way.len() < DEEPEST { self.way.push(holder) } else { self.beyond += 1 }
    }

    fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else {
            self.way.pop();
        }
    }

    fn go_on(&mut self) {
        match self.way.last_mut() {
            _ if self.beyond > 0 => {}
            Some(Holder::Array(index)) => *index += 1,
            Some(Holder::Object(key)) => key.clear(),
            None => {}
        }
    }

    fn pass_string(&mut self, text: &[u8]) -> usize {
        let (length, is_ended) = string_end(text, &mut self.escaped);
        if self.string == InString::Key {
            keep(&mut self.key, &text[..length]);
        }
        if is_ended {
            if let (InString::Key, Some(Holder::Object(key))) = (self.string, self.way.last_mut()) {
                shorten(&mut self.key);
                key.extend_from_slice(&self.key);
                self.key.clear();
            }
            self.string = InString::No;
        }
        length
    }

    /// The path to the place; the rest of the text is asked for in a key only.
    fn path<'py>(&self, py: Python<'py>, rest: impl FnOnce() -> PyResult<Bound<'py, PyBytes>>) -> PyResult<String> {
        let (depth, in_key) = (self.way.len(), self.string == InString::Key);
        let mut path = String::from("$");
        let (first, last) = self.ends();
        self.way[first.clone()].iter().try_for_each(|holder| holder.show(py, &mut path))?;
        let between = depth - first.len() - last.len() + self.beyond;
        if between > 0 {
            let steps = if between == 1 { "step" } else { "steps" };
            write!(path, " ... {between} {steps} ... ").expect("a String takes everything");
        }
        self.way[last].iter().try_for_each(|holder| holder.show(py, &mut path))?;
        path.truncate(path.trim_end().len());
        if in_key {
            show_key(py, &self.whole_key(rest()?.as_bytes()), &mut path)?;
            path.push_str(" (key)");
        }
        Ok(path)
    }

    /// The steps that a path lists: the first ones, and the last ones if it lists not all.
    fn ends(&self) -> (Range<usize>, Range<usize>) {
        match self.way.len() {
            depth if self.beyond > 0 => (0..END_STEPS, depth..depth),
            depth if depth > 2 * END_STEPS => (0..END_STEPS, depth - END_STEPS..depth),
            depth => (0..depth, depth..depth),
        }
    }

    /// The key that the place is in, to its end as far as that is in the rest.
    fn whole_key(&self, rest: &[u8]) -> Vec<u8> {
        let rest = &rest[..rest.len().min(KEY_BYTES)];
        let (length, is_ended) = string_end(rest, &mut self.escaped.clone());
        let mut key = self.key.clone();
        keep(&mut key, &rest[..length]);
        if is_ended || key.len() > KEY_BYTES {
            shorten(&mut key);
        } else {
            key.extend_from_slice(ELLIPSIS);
        }
        key
    }
}

/// Add bytes to a key, but no more than show that it is too long.
fn keep(key: &mut Vec<u8>, more: &[u8]) {
    let room = (KEY_BYTES + 1).saturating_sub(key.len());
    key.extend_from_slice(&more[..more.len().min(room)]);
}

/// Leave of a key that is too long its beginning, up to an ASCII byte.
fn shorten(key: &mut Vec<u8>) {
    if key.len() > KEY_BYTES {
        key.truncate(CUT_KEY_BYTES);
        while key.last().is_some_and(|byte| !byte.is_ascii()) {
            key.pop();
        }
        key.extend_from_slice(ELLIPSIS);
    }
}

/// Return how many bytes belong to a string, and whether it ends there: behind its quote, or before a line feed.
fn string_end(text: &[u8], escaped: &mut bool) -> (usize, bool) {
    let mut at = usize::from(take(escaped) && text.first().is_some_and(|byte| *byte != b'\n'));
    loop {
        at += find_any(&text[at..], ENDS).unwrap_or(text.len() - at);
        match (text.get(at), text.get(at + 1)) {
            (None, _) => return (at, false),
            (Some(b'"'), _) => return (at + 1, true),
            (Some(b'\\'), None) => {
                *escaped = true;
                return (at + 1, false);
            }
            (Some(b'\\'), Some(b'\n')) => at += 1,
            (Some(b'\\'), Some(_)) => at += 2,
            (Some(_), _) => return (at, true),
        }
    }
}
