//! The escapes of unpaired surrogates in JSON text. JSON is not parsed here.

use std::collections::TryReserveError;

use eightfold_core::kernels::{Class, find_row};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::given::Truth;
use crate::heard::{Ear, Hears};
use crate::made::Made;
use crate::released::released;

/// The length of an escape.
pub const ESCAPE_BYTES: usize = br"\uD800".len();
const DIGITS_AT: usize = br"\u".len();
/// How the escape of a surrogate begins, and few other things.
const BEGUN: [Class; 4] = [
    Class::byte(b'\\'),
    Class::byte(b'u'),
    Class { mask: !0x20, low: b'D', high: b'D' },
    Class { mask: u8::MAX, low: b'8', high: b'f' },
];

/// An escape: its offset, its code point, and whether it follows one with too few digits.
pub type Unpaired = (usize, u32, bool);

/// Return the first escapes of unpaired surrogates, and the offset up to which the text is decided: see
/// `eightfold.jsonescapes.unpaired_escapes`.
#[pyfunction]
#[pyo3(
    signature = (text, start = 0, limit = None, *, r#final = Truth(true)),
    text_signature = "(text, start=0, limit=None, *, final=True)"
)]
pub fn unpaired_escapes(
    text: &Bound<'_, PyBytes>,
    start: usize,
    limit: Option<usize>,
    r#final: Truth,
) -> PyResult<Made<(Vec<Unpaired>, usize)>> {
    let (data, mut ear) = (text.as_bytes(), Ear::default());
    let limit = limit.unwrap_or(usize::MAX);
    let found =
        released(text.py(), data.len().saturating_sub(start), || found(data, (start, limit), r#final.0, &mut ear));
    ear.result()?;
    found.map(Made).map_err(|_| PyMemoryError::new_err(()))
}

/// An escape is recognized wherever it stands, in a string or not: only the backslashes before it count.
fn found(
    data: &[u8],
    (start, limit): (usize, usize),
    is_final: bool,
    ear: &mut Ear,
) -> Result<(Vec<Unpaired>, usize), TryReserveError> {
    let start = start.min(data.len());
    let end = if is_final { data.len() } else { decided(data, start) };
    let (mut found, mut at) = (Vec::new(), start);
    while found.len() < limit {
        let Some(next) = find_row(&data[at..], &BEGUN).filter(|&next| at + next < end && ear.goes_on(1 + next)) else {
            return Ok((found, end));
        };
        at += next;
        at += match escape_at(&data[at..], true).filter(|_| begins_escape(data, start, at)) {
            Some(Escape::Unpaired(code_point)) => {
                found.try_reserve(1)?;
                found.push((at, code_point, cut_short_before(data, start, at).is_some()));
                ESCAPE_BYTES
            }
            Some(escape) => escape.length(),
            None => 1,
        };
    }
    Ok((found, at))
}

/// Whether a backslash begins an escape: there is an even number of them before it.
fn begins_escape(data: &[u8], start: usize, at: usize) -> bool {
    data[start..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

/// Where the escape begins that has too few digits and ends here.
fn cut_short_before(data: &[u8], start: usize, at: usize) -> Option<usize> {
    (DIGITS_AT..ESCAPE_BYTES).find_map(|length| {
        let begin = at.checked_sub(length).filter(|begin| *begin >= start)?;
        let is_cut_short = data[begin..].starts_with(br"\u") && DIGITS_AT + digits(&data[begin..at]) == length;
        (is_cut_short && begins_escape(data, start, begin)).then_some(begin)
    })
}

/// The offset from which on more bytes could change something.
fn decided(data: &[u8], start: usize) -> usize {
    let mut at = start.max(data.len().saturating_sub(2 * ESCAPE_BYTES));
    // The end of an escape that began before is none by itself, except that of a lead.
    while at < data.len() {
        if data[at] != b'\\' || !begins_escape(data, start, at) {
            at += 1;
            continue;
        }
        match escape_at(&data[at..], false) {
            Some(escape) => at += escape.length(),
            None => return cut_short_before(data, start, at).unwrap_or(at),
        }
    }
    data.len()
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
