//! What is written instead of surrogates, of a form that shares all scalar values of a text with UTF-8.

use crate::code_point::Range;

/// What is written instead of a surrogate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instead {
    /// It is not known: the text ends there.
    Stop,
    /// Nothing.
    Nothing,
    /// `?`.
    Mark,
    /// A backslash escape.
    Escape,
    /// The lowest byte of those in a range; the text ends at others.
    Byte(Range),
    /// The sequence of generalized UTF-8.
    Sequence {
        /// Whether the text ends at a surrogate pair.
        but_pairs: bool,
    },
}
