//! What is written instead of code points that are rare in text: surrogates, and escapes for bytes. All others of a
//! text the form shares with UTF-8.

use crate::code_point::{LARGEST_IN_STR, Range, SURROGATES};

/// Surrogates and the private use area of the BMP: what is written instead of something else is within.
pub const RARE: Range = (SURROGATES.0, 0xF8FF);

/// What is written instead of a surrogate, or of an escape.
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
    /// The lowest byte of those in a range; the text ends at other surrogates.
    Byte(Range),
    /// The sequence of generalized UTF-8.
    Sequence {
        /// Whether a surrogate pair becomes that of its code point.
        joins: bool,
    },
}

impl Instead {
    /// Whether it is known what becomes of all code points in some ranges, but for surrogates.
    #[must_use]
    pub fn covers(self, ranges: &[Range]) -> bool {
        let is_covered = |&range: &Range| match self {
            _ if range == SURROGATES || range.0 > LARGEST_IN_STR => true,
            Instead::Byte(escapes) => range == escapes,
            _ => false,
        };
        ranges.iter().all(is_covered)
    }

    /// Whether it is about scalar values too.
    #[must_use]
    pub fn is_of_scalars(self) -> bool {
        matches!(self, Instead::Byte(range) if range.0 > SURROGATES.1)
    }
}
