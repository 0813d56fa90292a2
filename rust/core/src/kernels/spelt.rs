//! Text that the kernels write by a spelling.

use super::text::Text;
use crate::derive::agreement::Agreement;
use crate::derive::spelling::Spelling;

/// Code points of a str, and the spelling in which to write them.
#[derive(Clone, Copy, Debug)]
pub struct Spelt<'a> {
    /// The spelling.
    pub spelling: &'a Spelling,
    /// What the form shares with UTF-8.
    pub agreement: &'a Agreement,
    /// The code points; none is beyond Unicode.
    pub text: Text<'a>,
}

/// A stretch of text that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The index where it ends: the limit, or a code point that the form lacks or joins with the next.
    pub end: usize,
    /// The number of bytes it takes.
    pub bytes: usize,
}
