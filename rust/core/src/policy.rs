//! Error policies for decoding and encoding, their simplified versions for the kernels, and the text that replaces a
//! fault. Nothing here finds a fault.

use crate::code_point::Range;

/// What to do at a fault. A policy that has no answer to it stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFault {
    /// Stop and report it: the caller raises an error or calls a foreign handler.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Ignore,
    /// U+DC80 to U+DCFF for each byte from 80 up.
    SurrogateEscape,
    /// The surrogate that the form's tables know at this place.
    SurrogatePass,
    /// `\xNN` for each byte.
    BackslashReplace,
}

impl OnFault {
    /// All of them.
    pub const ALL: [OnFault; 6] = [
        OnFault::Stop,
        OnFault::Replace,
        OnFault::Ignore,
        OnFault::SurrogateEscape,
        OnFault::SurrogatePass,
        OnFault::BackslashReplace,
    ];

    /// Whether reading goes on behind each unit that is answered: a surrogate may stand for its beginning only.
    #[must_use]
    pub fn answers_whole_units(self) -> bool {
        !matches!(self, OnFault::SurrogateEscape | OnFault::SurrogatePass)
    }

    /// Whether every fault is answered without the form's tables; but `SurrogateEscape` stops at bytes below 80.
    #[must_use]
    pub fn answers_alone(self) -> bool {
        !matches!(self, OnFault::Stop | OnFault::SurrogatePass)
    }

    /// Whether every answer to a fault is ASCII or empty.
    #[must_use]
    pub fn answers_ascii(self) -> bool {
        matches!(self, OnFault::Ignore | OnFault::BackslashReplace)
    }
}

/// What to do at code points that the form lacks. A policy that has no answer to them stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Stop and report them: the caller raises an error or calls a foreign handler.
    Stop,
    /// `?` for each.
    Replace,
    /// Nothing.
    Ignore,
    /// For each of U+DC80 to U+DCFF, the byte that it stands for.
    SurrogateEscape,
    /// The bytes that the form's own tables assign to the surrogate.
    SurrogatePass,
    /// `\xNN`, `\uNNNN` or `\UNNNNNNNN`.
    BackslashReplace,
}

impl Missing {
    /// All of them, in their order.
    pub const ALL: [Missing; 6] = [
        Missing::Stop,
        Missing::Replace,
        Missing::Ignore,
        Missing::SurrogateEscape,
        Missing::SurrogatePass,
        Missing::BackslashReplace,
    ];
}

/// What the kernels do at an ill-formed decoding unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Stop.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Drop,
    /// Each byte plus this base; they stop at a byte below 80.
    Escape(u32),
    /// `\xNN` for each byte.
    Backslash,
    /// Never needed: the input was measured and found clean and complete.
    Never,
}

impl Answer {
    /// The kernels' part of a policy; [`Answer::Stop`] where they do not implement it.
    pub(crate) fn under(policy: OnFault) -> Self {
        match policy {
            OnFault::Stop | OnFault::SurrogatePass => Answer::Stop,
            OnFault::BackslashReplace => Answer::Backslash,
            OnFault::Replace => Answer::Replace,
            OnFault::Ignore => Answer::Drop,
            OnFault::SurrogateEscape => Answer::Escape(SURROGATE_ESCAPE),
        }
    }

    /// Whether each byte of an ill-formed unit is answered on its own.
    pub(crate) fn is_by_byte(self) -> bool {
        matches!(self, Answer::Escape(_) | Answer::Backslash)
    }

    /// Whether it answers in ASCII, if at all.
    pub(crate) fn is_ascii(self) -> bool {
        matches!(self, Answer::Drop | Answer::Backslash)
    }
}

/// The length of the escape of a byte, which is the longest answer for one.
pub(crate) const BACKSLASHED_BYTE: usize = 4;

/// The escape `\xNN` of a byte.
#[inline]
pub(crate) fn backslashed_byte(byte: u8) -> [u8; BACKSLASHED_BYTE] {
    [b'\\', b'x', hex_digit(byte >> 4), hex_digit(byte & 15)]
}

/// What the kernels write for a code point that the form lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// Stop.
    Stop,
    /// `?`.
    Mark,
    /// Nothing.
    Nothing,
    /// A backslash escape; they may stop where it is not `\uNNNN`.
    Escape,
}

impl Lacking {
    /// The kernels' part of a policy; [`Lacking::Stop`] where they do not implement it.
    pub(crate) fn under(policy: Missing) -> Self {
        match policy {
            Missing::Replace => Lacking::Mark,
            Missing::Ignore => Lacking::Nothing,
            Missing::BackslashReplace => Lacking::Escape,
            _ => Lacking::Stop,
        }
    }
}

/// The base that `surrogateescape` adds to a byte.
pub(crate) const SURROGATE_ESCAPE: u32 = 0xDC00;

/// The code points in which `surrogateescape` keeps bytes.
pub(crate) const ESCAPED: Range = (0xDC80, 0xDCFF);

pub(crate) fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value & 15)]
}

/// The length of the longest escape.
pub(crate) const LONGEST_ESCAPE: usize = 10;

/// The ASCII escape of a code point, `\xNN`, `\uNNNN` or `\UNNNNNNNN`, as a number, the first byte lowest, and its
/// length. A number does not wait for bytes that were stored one by one.
#[inline]
pub(crate) fn backslashed(code_point: u32) -> (u128, usize) {
    let (letter, digits) = match code_point {
        0..=0xFF => (b'x', 2),
        0x100..=0xFFFF => (b'u', 4),
        _ => (b'U', 8),
    };
    let begin = u16::from_le_bytes([b'\\', letter]);
    let last = hex_digits(code_point) >> (8 * (8 - digits));
    (u128::from(begin) | u128::from(last) << 16, 2 + digits)
}

/// The eight hexadecimal digits of a value, the first lowest.
#[inline]
fn hex_digits(value: u32) -> u64 {
    let bytes = u64::from(value.swap_bytes());
    let twos = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF;
    let ones = (twos | twos << 8) & 0x00FF_00FF_00FF_00FF;
    let digits = ones >> 4 & 0x000F_000F_000F_000F | (ones & 0x000F_000F_000F_000F) << 8;
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    digits + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'9' - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_python() {
        for value in (0..0x300).chain((0..0x11_0000).step_by(0x95)).chain([0xFFFF, 0x1_0000, 0x10_FFFF, u32::MAX]) {
            let expected = match value {
                0..=0xFF => format!("\\x{value:02x}"),
                0x100..=0xFFFF => format!("\\u{value:04x}"),
                _ => format!("\\U{value:08x}"),
            };
            let (escape, length) = backslashed(value);
            assert_eq!(&escape.to_le_bytes()[..length], expected.as_bytes());
            assert_eq!(&escape.to_le_bytes()[length..], &[0; 16][length..]);
        }
    }
}
