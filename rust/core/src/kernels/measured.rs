//! What measuring comes to: of UTF-8, and of text that becomes UTF-8. The measuring itself is done in `utf8`.

#![expect(unsafe_code, reason = "what is known of a text is said by those who have measured it")]

use super::text::Text;
use crate::code_point::LARGEST_IN_STR;

/// The narrowest kind of str that holds a text. As a whole word it is moved without the bytes beside it, which would
/// have to be waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(usize)]
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

/// The least bytes that, as the largest of valid UTF-8, show wider text.
pub(super) const WIDTH_BORDERS: [u8; 3] = [0x80, 0xC4, 0xF0];

impl Width {
    /// By the largest byte of valid UTF-8: C3 leads the last sequence up to U+00FF, F0 the first beyond U+FFFF.
    pub(super) fn of_largest(byte: u8) -> Self {
        Width::of_class(WIDTH_BORDERS.into_iter().filter(|&border| byte >= border).count())
    }

    /// By how many of the borders U+0080, U+0100 and U+10000 the largest code point has reached.
    pub(crate) fn of_class(class: usize) -> Self {
        const WIDTHS: &[Width; 4] = &[Width::Ascii, Width::Latin1, Width::Ucs2, Width::Ucs4];
        WIDTHS[class]
    }

    /// By a code point.
    #[inline]
    pub(crate) fn of(code_point: u32) -> Self {
        Width::of_class(
            usize::from(code_point >= 0x80) + usize::from(code_point >= 0x100) + usize::from(code_point >= 0x1_0000),
        )
    }

    /// The largest code point of a str of this kind.
    #[must_use]
    pub fn largest(self) -> u32 {
        match self {
            Width::Ascii => 0x7F,
            Width::Latin1 => 0xFF,
            Width::Ucs2 => 0xFFFF,
            Width::Ucs4 => LARGEST_IN_STR,
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

impl<'a> Measured<'a> {
    /// A text that was measured.
    ///
    /// # Safety
    /// It has so many code points, and this kind of str holds them.
    pub(super) unsafe fn known(text: &'a str, count: usize, width: Width) -> Self {
        Measured { text, count, width }
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

/// The bytes at the end of valid text that belong to a sequence which continues behind it.
pub fn cut_bytes(text: &[u8]) -> usize {
    let is_cut = |&behind: &usize| text[text.len() - behind] >= [0xC0, 0xE0, 0xF0][behind - 1];
    (1..=text.len().min(3)).find(is_cut).unwrap_or(0)
}

/// Text without surrogates, of which the length in UTF-8 is known. Only [`Text::scalar`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'a> {
    text: Text<'a>,
    utf8_bytes: usize,
}

impl<'a> Scalar<'a> {
    /// A text that was measured.
    ///
    /// # Safety
    /// It holds no surrogate and no value beyond Unicode, and takes so many bytes of UTF-8.
    pub(super) unsafe fn known(text: Text<'a>, utf8_bytes: usize) -> Self {
        Scalar { text, utf8_bytes }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> Text<'a> {
        self.text
    }

    /// How many bytes of UTF-8 the text takes.
    #[must_use]
    pub fn utf8_bytes(&self) -> usize {
        self.utf8_bytes
    }
}
