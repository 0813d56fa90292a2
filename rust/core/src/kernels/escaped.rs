//! Blocks whose ill-formed bytes are answered with backslashes, which takes more code points than bytes.

use super::lanes::parts;
use super::output::Output;
use crate::policy::backslashed_byte;

/// Write what begins in lanes, in their order: `put` those between ill-formed lanes, and for each of these the escape
/// of its byte in the window.
#[inline(always)]
pub fn put_escaped<'o, T: From<u8>>(
    [begins, ill]: [u64; 2],
    window: &[u8],
    out: &mut Output<'o, T>,
    mut put: impl FnMut(u64, &mut Output<'o, T>),
) {
    for (begins, escape) in parts(begins, ill) {
        put(begins, out);
        if let Some(lane) = escape {
            out.extend(&backslashed_byte(window[lane]));
        }
    }
}
