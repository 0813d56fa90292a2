//! The escapes of unpaired surrogates in JSON text. JSON is not parsed here.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::memory::released;

const BACKSLASH: [(u8, u8); 1] = [(b'\\', b'\\')];
const ESCAPE_BYTES: usize = br"\uD800".len();
const DIGITS_AT: usize = br"\u".len();

/// An escape: its offset, its code point, and whether it follows one with too few digits.
type Unpaired = (usize, u32, bool);

/// Return the first escapes of unpaired surrogates, and the offset up to which the text is decided: see
/// `eightfold.jsonescapes.unpaired_escapes`.
#[pyfunction]
#[pyo3(signature = (text, start = 0, limit = None, *, r#final = true))]
pub fn unpaired_escapes(
    text: &Bound<'_, PyBytes>,
    start: usize,
    limit: Option<usize>,
    r#final: bool,
) -> (Vec<Unpaired>, usize) {
    let data = text.as_bytes();
    let limit = limit.unwrap_or(usize::MAX);
    released(text.py(), data.len().saturating_sub(start), || found(data, start, limit, r#final))
}

/// An escape is recognized wherever it stands, in a string or not: only the backslashes before it count.
fn found(data: &[u8], start: usize, limit: usize, is_final: bool) -> (Vec<Unpaired>, usize) {
    let mut found = Vec::new();
    let (mut at, mut cut_short) = (start.min(data.len()), None);
    while found.len() < limit {
        let Some(next) = eightfold_core::kernels::find_byte(&data[at..], &BACKSLASH) else {
            return (found, data.len());
        };
        let begun = match cut_short {
            Some(begun) if next == 0 => Some(begun),
            _ => None,
        };
        at += next;
        let Some(escape) = escape_at(&data[at..], is_final) else { return (found, begun.unwrap_or(at)) };
        cut_short = matches!(escape, Escape::CutShort(_)).then_some(at);
        if let Escape::Unpaired(code_point) = escape {
            found.push((at, code_point, begun.is_some()));
        }
        at += escape.length();
    }
    (found, at)
}

enum Escape {
    Unpaired(u32),
    Pair,
    CutShort(usize),
    Other(usize),
}

impl Escape {
    fn length(&self) -> usize {
        match *self {
            Escape::Unpaired(_) => ESCAPE_BYTES,
            Escape::Pair => 2 * ESCAPE_BYTES,
            Escape::CutShort(length) | Escape::Other(length) => length,
        }
    }
}

/// The escape that begins with this backslash; None if more text could change it.
fn escape_at(data: &[u8], is_final: bool) -> Option<Escape> {
    match data.get(1) {
        None if is_final => return Some(Escape::Other(1)),
        None => return None,
        Some(b'u') => {}
        Some(_) => return Some(Escape::Other(DIGITS_AT)),
    }
    let Some(unit) = code_unit(data) else {
        let length = DIGITS_AT + digits(data);
        return (is_final || length < data.len()).then_some(Escape::CutShort(length));
    };
    match unit {
        0xD800..0xDC00 => match &data[ESCAPE_BYTES..] {
            rest if code_unit(rest).is_some_and(|unit| (0xDC00..0xE000).contains(&unit)) => Some(Escape::Pair),
            rest if is_final || !begins_trail(rest) => Some(Escape::Unpaired(unit)),
            _ => None,
        },
        0xDC00..0xE000 => Some(Escape::Unpaired(unit)),
        _ => Some(Escape::Other(ESCAPE_BYTES)),
    }
}

/// The value of the escape `\uXXXX` that the data begin with.
fn code_unit(data: &[u8]) -> Option<u32> {
    let (br"\u", rest) = data.split_at_checked(DIGITS_AT)? else { return None };
    rest.get(..ESCAPE_BYTES - DIGITS_AT)?
        .iter()
        .try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}

fn digits(data: &[u8]) -> usize {
    data[DIGITS_AT..].iter().take(ESCAPE_BYTES - DIGITS_AT).take_while(|byte| byte.is_ascii_hexdigit()).count()
}

/// Whether data that end here could go on as the escape of a trail surrogate.
fn begins_trail(data: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at {
        0 => *byte == b'\\',
        1 => *byte == b'u',
        2 => matches!(byte, b'd' | b'D'),
        3 => matches!(byte, b'C'..=b'F' | b'c'..=b'f'),
        _ => byte.is_ascii_hexdigit(),
    };
    data.len() < ESCAPE_BYTES && data.iter().enumerate().all(fits)
}
