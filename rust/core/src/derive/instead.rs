//! What is written instead of surrogates, of a form that shares all scalar values of a text with UTF-8.

use crate::code_point::{Range, SURROGATES};
use crate::derive::spelling::Spelling;
use crate::policy::Lacking;

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

impl Instead {
    /// What a spelling says.
    pub(crate) fn of(spelling: &Spelling) -> Instead {
        let lacks_all = !spelling.joins && spelling.missing == [SURROGATES];
        match (spelling.lacking, spelling.escapes) {
            (Lacking::Mark, _) if lacks_all => Instead::Mark,
            (Lacking::Nothing, _) if lacks_all => Instead::Nothing,
            (Lacking::Escape, _) if lacks_all => Instead::Escape,
            (_, Some(range)) if !spelling.joins && SURROGATES.0 <= range.0 && range.1 <= SURROGATES.1 => {
                Instead::Byte(range)
            }
            (_, None) if spelling.missing.is_empty() && spelling.writes_surrogates() => {
                Instead::Sequence { but_pairs: spelling.joins }
            }
            _ => Instead::Stop,
        }
    }
}
