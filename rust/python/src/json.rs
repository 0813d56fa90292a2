//! The search of JSON text that `eightfold.jsontext` needs. JSON is not parsed here.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::memory::released;

const ESCAPE_BYTES: usize = br"\uD800".len();

/// Say whether the text may contain the escape of an unpaired surrogate: see `eightfold.jsontext.may_hold_unpaired`.
#[pyfunction]
pub fn may_hold_unpaired(text: &Bound<'_, PyBytes>) -> bool {
    let data = text.as_bytes();
    released(text.py(), data.len(), || holds_unpaired(data))
}

/// Escapes are recognized as inside a string, wherever they stand. Outside strings that may find too much, but never
/// too little, because the quote that begins a string is at most the second byte of an escape.
fn holds_unpaired(data: &[u8]) -> bool {
    let mut at = 0;
    while let Some(found) = eightfold_core::kernels::find_byte(&data[at..], &[(b'\\', b'\\')]) {
        at += found;
        at += match (half(&data[at..]), half(data.get(at + ESCAPE_BYTES..).unwrap_or_default())) {
            (None, _) => 2,
            (Some(Half::Lead), Some(Half::Trail)) => 2 * ESCAPE_BYTES,
            _ => return true,
        };
        if at >= data.len() {
            break;
        }
    }
    false
}

enum Half {
    Lead,
    Trail,
    /// Too few digits, or the end of the text.
    Broken,
}

/// Which half of a pair the escape that begins here is; None if it is neither.
fn half(data: &[u8]) -> Option<Half> {
    let half = match *data {
        [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'A' | b'B' | b'a' | b'b', ..] => Half::Lead,
        [b'\\', b'u', b'd' | b'D', b'C'..=b'F' | b'c'..=b'f', ..] => Half::Trail,
        _ => return None,
    };
    let is_whole = data.get(4..ESCAPE_BYTES).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    Some(if is_whole { half } else { Half::Broken })
}
