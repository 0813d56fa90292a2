//! UTF-8 measured (valid, how many code points, how wide) and converted to the three kinds of str.

use super::{Output, simd};
use crate::chunk::NEAR_BYTES;

/// The narrowest kind of str that holds a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Width {
    /// Up to U+007F.
    Ascii,
    /// Up to U+00FF.
    Latin1,
    /// Up to U+FFFF.
    Ucs2,
    /// All of Unicode.
    Ucs4,
}

/// The bytes from which on the largest of valid UTF-8 tells wider text.
pub(super) const WIDTH_BORDERS: [u8; 3] = [0x80, 0xC4, 0xF0];

impl Width {
    /// By the largest byte of valid UTF-8: C3 leads the last sequence up to U+00FF, F0 the first beyond U+FFFF.
    fn of_largest(byte: u8) -> Self {
        Width::of_class(WIDTH_BORDERS.into_iter().filter(|&border| byte >= border).count())
    }

    /// By how many of the borders U+0080, U+0100 and U+10000 the largest code point has reached.
    pub(crate) fn of_class(class: usize) -> Self {
        [Width::Ascii, Width::Latin1, Width::Ucs2, Width::Ucs4][class]
    }

    /// By a code point.
    #[inline]
    pub(crate) fn of(code_point: u32) -> Self {
        Width::of_class([0x80, 0x100, 0x1_0000].into_iter().filter(|&least| code_point >= least).count())
    }

    /// The largest code point of a str of this kind.
    #[must_use]
    pub fn largest(self) -> u32 {
        match self {
            Width::Ascii => 0x7F,
            Width::Latin1 => 0xFF,
            Width::Ucs2 => 0xFFFF,
            Width::Ucs4 => crate::LARGEST_IN_STR,
        }
    }
}

/// Valid UTF-8 of which the number of code points and the width are known. Only [`Measured::new`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a> {
    text: &'a str,
    count: usize,
    width: Width,
}

/// The first bytes of some, which are valid UTF-8.
pub(super) struct Prefix {
    /// Where they end, at the border of a sequence.
    pub end: usize,
    /// How many code points they are.
    pub count: usize,
    /// The largest byte above 7F, if there is one, or the largest of [`WIDTH_BORDERS`] up to it.
    pub largest: u8,
}

impl Prefix {
    /// No bytes.
    pub const NONE: Prefix = Prefix { end: 0, count: 0, largest: 0 };
}

/// Bytes that are measured together: they stay in the first-level cache for the three scans.
const BLOCK: usize = 16384;

impl<'a> Measured<'a> {
    /// Measure the longest valid prefix; it is all of the data exactly when they are valid UTF-8.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        let (mut valid, Prefix { mut count, mut largest, .. }) = simd::Valid::measured(data);
        while valid.end() < data.len() {
            let end = sequence_border(data, valid.end(), data.len().min(valid.end() + BLOCK));
            let text = valid.extend(end);
            count += simd::count(text);
            largest = largest.max(largest_byte(text.as_bytes()));
            if valid.end() < end {
                break;
            }
        }
        Measured { text: valid.text(), count, width: Width::of_largest(largest) }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// How many code points it has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The narrowest kind that holds it.
    #[must_use]
    pub fn width(&self) -> Width {
        self.width
    }

    /// Write the code points as bytes.
    ///
    /// # Panics
    /// One takes more than a byte, or there is no room for them.
    pub fn write_latin1(&self, out: &mut Output<'_, u8>) {
        if self.width == Width::Ascii {
            out.copy(self.text.as_bytes());
        } else {
            self.checked(out, simd::to_latin1);
        }
    }

    /// Write the code points as 16-bit units.
    ///
    /// # Panics
    /// One takes more than that, or there is no room for them.
    pub fn write_ucs2(&self, out: &mut Output<'_, u16>) {
        self.checked(out, simd::to_ucs2);
    }

    /// Write the code points as 32-bit units.
    ///
    /// # Panics
    /// There is no room for them.
    pub fn write_ucs4(&self, out: &mut Output<'_, u32>) {
        self.checked(out, simd::to_ucs4);
    }

    fn checked<T>(&self, out: &mut Output<'_, T>, write: impl FnOnce(&Self, &mut Output<'_, T>)) {
        let end = out.filled() + self.count;
        write(self, out);
        assert_eq!(out.filled(), end, "the text has another number of code points than it was measured to");
    }
}

/// The end of a block, moved back to the border of a sequence; three bytes at most, since more make no valid text.
fn sequence_border(data: &[u8], start: usize, end: usize) -> usize {
    if end == data.len() {
        return end;
    }
    let is_border = |at: &usize| data[*at] & 0xC0 != 0x80;
    (end.saturating_sub(3).max(start + 1)..=end).rev().find(is_border).unwrap_or(end)
}

fn largest_byte(data: &[u8]) -> u8 {
    data.iter().fold(0, |largest, &byte| largest.max(byte))
}

/// Bytes that are validated together, at most, where a fault costs a second look at those before it.
const LARGEST_PIECE: usize = 1 << 20;

/// The length of the longest prefix of bytes that is valid UTF-8.
#[must_use]
pub fn is_utf8_up_to(data: &[u8]) -> usize {
    let (mut at, mut piece) = (simd::valid_pieces(data), NEAR_BYTES);
    while at < data.len() {
        let end = sequence_border(data, at, data.len().min(at + piece));
        at += simd::valid_prefix(&data[at..end]).len();
        if at < end {
            break;
        }
        // Asking whether all is valid is quicker than asking how far, so what is asked of grows while that pays.
        piece = LARGEST_PIECE.min(piece * 16);
    }
    at
}

/// Whether bytes are valid UTF-8.
#[must_use]
pub fn is_utf8(data: &[u8]) -> bool {
    is_utf8_up_to(data) == data.len()
}
