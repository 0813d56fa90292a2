//! Text that the kernels write by a spelling.

use super::text::Text;
use crate::derive::agreement::Agreement;
use crate::derive::spelling::Spelling;

/// Code points of a str, for a form that has a spelling.
#[derive(Clone, Copy, Debug)]
pub struct Spelt<'a> {
    /// The spelling.
    pub spelling: &'a Spelling,
    /// What the form shares with UTF-8.
    pub agreement: &'a Agreement,
    /// The code points, none beyond Unicode.
    pub text: Text<'a>,
}

/// A stretch of text that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The index where it ends: the limit, or where the form lacks a code point or joins a pair.
    pub end: usize,
    /// How many bytes it takes.
    pub bytes: usize,
}
