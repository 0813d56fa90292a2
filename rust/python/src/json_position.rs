//! A place in JSON text, which need not be valid: the containers around it. No objects are built.

use std::mem::take;
use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::memory::released;

/// What Python knows too: `eightfold._engine.compare` finds a difference.
pub const DEEPEST: usize = 1024;
pub const KEY_BYTES: usize = 1024;
pub const CUT_KEY_BYTES: usize = 100;
const END_STEPS: usize = 16;
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
const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;

/// A step of the way to a place: an index, or a key as written.
#[derive(Clone, IntoPyObject)]
enum Step<'py> {
    Index(usize),
    Key(Bound<'py, PyBytes>),
}

/// None is an object before its first key.
type Steps<'py> = Vec<Option<Step<'py>>>;

enum Holder {
    Array(usize),
    /// With the last key, which is empty before the first one.
    Object(Vec<u8>),
}

impl Holder {
    fn step<'py>(&self, py: Python<'py>) -> Option<Step<'py>> {
        match self {
            Holder::Array(index) => Some(Step::Index(*index)),
            Holder::Object(key) => (!key.is_empty()).then(|| Step::Key(PyBytes::new(py, key))),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum String {
    None,
    Value,
    Key,
}

/// See `eightfold.jsonpath.JsonPosition`.
#[pyclass(module = "eightfold._native")]
pub struct JsonPosition {
    way: Vec<Holder>,
    /// How many containers are open beyond the deepest that are kept.
    beyond: usize,
    string: String,
    /// Whether the last byte was a backslash in a string.
    escaped: bool,
    /// The key that the place is in, as far as it has been read and is kept.
    key: Vec<u8>,
    tokens: usize,
}

#[pymethods]
impl JsonPosition {
    #[new]
    fn new() -> Self {
        let (way, key) = (Vec::new(), Vec::new());
        JsonPosition { way, beyond: 0, string: String::None, escaped: false, key, tokens: 0 }
    }

    /// The number of strings, brackets and commas so far.
    #[getter]
    fn tokens(&self) -> usize {
        self.tokens
    }

    #[getter]
    fn in_string(&self) -> bool {
        self.string != String::None
    }

    #[pyo3(signature = (text, start = 0, end = None))]
    fn pass_over(&mut self, text: &Bound<'_, PyBytes>, start: usize, end: Option<usize>) {
        let data = text.as_bytes();
        let end = end.unwrap_or(data.len()).min(data.len());
        let data = &data[start.min(end)..end];
        released(text.py(), data.len(), || self.pass(data));
    }

    fn way<'py>(&self, rest: &Bound<'py, PyBytes>) -> (Steps<'py>, usize, Steps<'py>, bool) {
        let (depth, in_key) = (self.way.len(), self.string == String::Key);
        let steps = |range: Range<usize>| -> Steps<'py> {
            let mut steps: Steps<'py> = self.way[range.clone()].iter().map(|holder| holder.step(rest.py())).collect();
            if let Some(last) = steps.last_mut().filter(|_| in_key && range.end == depth) {
                *last = Some(Step::Key(PyBytes::new(rest.py(), &self.whole_key(rest.as_bytes()))));
            }
            steps
        };
        if self.beyond > 0 {
            (steps(0..END_STEPS), depth - END_STEPS + self.beyond, Vec::new(), false)
        } else if depth > 2 * END_STEPS {
            (steps(0..END_STEPS), depth - 2 * END_STEPS, steps(depth - END_STEPS..depth), in_key)
        } else {
            (steps(0..depth), 0, Vec::new(), in_key)
        }
    }
}

impl JsonPosition {
    fn pass(&mut self, text: &[u8]) {
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            at += if self.string == String::None { self.pass_structure(rest) } else { self.pass_string(rest) };
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
        self.string = if begins_key { String::Key } else { String::Value };
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
        if self.string == String::Key {
            keep(&mut self.key, &text[..length]);
        }
        if is_ended {
            if let (String::Key, Some(Holder::Object(key))) = (self.string, self.way.last_mut()) {
                shorten(&mut self.key);
                key.extend_from_slice(&self.key);
                self.key.clear();
            }
            self.string = String::None;
        }
        length
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
        at += plain(&text[at..]);
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

/// How many bytes there are before the first quote, backslash or line feed.
fn plain(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(bytes) = text[at..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let found = zeros(word ^ (LOW * 0x22)) | zeros(word ^ (LOW * 0x5C)) | zeros(word ^ (LOW * 0x0A));
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += bytes.len();
    }
    at + text[at..].iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | b'\n')).count()
}

/// A word whose lowest bit that is set is in the lowest byte that is zero.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}
