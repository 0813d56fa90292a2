//! Error policies of both directions, what the kernels are told of them, and what stands for a fault.

use crate::code_point::Range;

/// What happens at a fault. A policy that has no answer stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFault {
    /// Hand it out: an error is raised, or a foreign handler called.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Ignore,
    /// U+DC80 to U+DCFF for each byte from 80 on.
    SurrogateEscape,
    /// The surrogate that the form's tables know there.
    SurrogatePass,
    /// `\xNN` for each byte.
    BackslashReplace,
}

impl OnFault {
    /// Whether what stands for a fault is ASCII, if anything does.
    #[must_use]
    pub fn answers_ascii(self) -> bool {
        matches!(self, OnFault::Ignore | OnFault::BackslashReplace)
    }
}

/// What happens at code points that the form lacks. A policy that has no answer stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Hand them out: an error is raised, or a foreign handler called.
    Stop,
    /// `?` for each.
    Replace,
    /// Nothing.
    Ignore,
    /// The byte that each of U+DC80 to U+DCFF stands for.
    SurrogateEscape,
    /// The bytes by which the form's own tables know a surrogate.
    SurrogatePass,
    /// `\xNN`, `\uNNNN` or `\UNNNNNNNN`.
    BackslashReplace,
}

/// What the kernels do at an ill-formed decoding unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They stop.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Drop,
    /// Each of its bytes and this; they stop at a byte below 80.
    Escape(u32),
    /// There is none: what is read was measured, is clean and whole.
    Never,
}

impl Answer {
    /// What they do under a policy, as far as they know it.
    pub(crate) fn under(policy: OnFault) -> Self {
        match policy {
            OnFault::Stop | OnFault::BackslashReplace | OnFault::SurrogatePass => Answer::Stop,
            OnFault::Replace => Answer::Replace,
            OnFault::Ignore => Answer::Drop,
            OnFault::SurrogateEscape => Answer::Escape(SURROGATE_ESCAPE),
        }
    }
}

/// What the kernels write for a code point that the form lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// They stop.
    Stop,
    /// `?`.
    Mark,
    /// Nothing.
    Nothing,
    /// Its escape with a backslash; they may stop at one that is not `\uNNNN`.
    Escape,
}

impl Lacking {
    /// What they write under a policy, as far as they know it.
    pub(crate) fn under(policy: Missing) -> Self {
        match policy {
            Missing::Replace => Lacking::Mark,
            Missing::Ignore => Lacking::Nothing,
            Missing::BackslashReplace => Lacking::Escape,
            _ => Lacking::Stop,
        }
    }
}

/// What `surrogateescape` adds to a byte.
pub(crate) const SURROGATE_ESCAPE: u32 = 0xDC00;

/// The code points by which `surrogateescape` keeps bytes.
pub(crate) const ESCAPED: Range = (0xDC80, 0xDCFF);

pub(crate) fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value & 15)]
}

/// How long an escape is at most.
pub(crate) const LONGEST_ESCAPE: usize = 10;

/// The escape of a code point in ASCII, and how long it is: `\xNN`, `\uNNNN` or `\UNNNNNNNN`.
pub(crate) fn backslashed(code_point: u32) -> ([u8; LONGEST_ESCAPE], usize) {
    let (letter, digits) = match code_point {
        0..=0xFF => (b'x', 2),
        0x100..=0xFFFF => (b'u', 4),
        _ => (b'U', 8),
    };
    let mut escape = [b'\\', letter, 0, 0, 0, 0, 0, 0, 0, 0];
    for (place, digit) in escape[2..2 + digits].iter_mut().rev().enumerate() {
        *digit = hex_digit((code_point >> (4 * place)) as u8);
    }
    (escape, 2 + digits)
}
