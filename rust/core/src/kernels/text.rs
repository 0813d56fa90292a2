//! The code points of a str in its three kinds, measured and converted to UTF-8.

use super::{Output, find_point, simd};
use crate::form::SURROGATES;

/// The code points of a str, as it holds them.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// One byte each.
    One(&'a [u8]),
    /// Two bytes each; a lead and a trail side by side are two code points.
    Two(&'a [u16]),
    /// Four bytes each.
    Four(&'a [u32]),
}

impl<'a> Text<'a> {
    /// How many code points there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Text::One(points) => points.len(),
            Text::Two(points) => points.len(),
            Text::Four(points) => points.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The code point at an index below the length.
    #[inline]
    #[must_use]
    pub fn at(self, index: usize) -> u32 {
        match self {
            Text::One(points) => u32::from(points[index]),
            Text::Two(points) => u32::from(points[index]),
            Text::Four(points) => points[index],
        }
    }

    /// The code points from `start` to `end`.
    #[must_use]
    pub fn slice(self, start: usize, end: usize) -> Text<'a> {
        match self {
            Text::One(points) => Text::One(&points[start..end]),
            Text::Two(points) => Text::Two(&points[start..end]),
            Text::Four(points) => Text::Four(&points[start..end]),
        }
    }

    /// The index of the first code point for which something holds that holds for none up to U+00FF.
    #[inline]
    pub(super) fn first_of(self, is_meant: impl Fn(u32) -> bool) -> Option<usize> {
        match self {
            Text::One(_) => None,
            Text::Two(points) => super::find::first(points, |point| is_meant(point.into())),
            Text::Four(points) => super::find::first(points, is_meant),
        }
    }

    /// Measure how many bytes of UTF-8 the text takes; None where it holds a surrogate or a value beyond Unicode.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar<'a>> {
        let is_scalar = match self {
            Text::One(_) => true,
            Text::Two(_) => find_point(self, &[SURROGATES]).is_none(),
            Text::Four(_) => self.first_of(|point| char::from_u32(point).is_none()).is_none(),
        };
        is_scalar.then(|| Scalar { text: self, utf8_bytes: simd::utf8_bytes(self) })
    }
}

/// Text without surrogates, of which the length in UTF-8 is known. Only [`Text::scalar`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'a> {
    text: Text<'a>,
    utf8_bytes: usize,
}

impl<'a> Scalar<'a> {
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

    /// Write the text as UTF-8.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn write_utf8(&self, out: &mut Output<'_, u8>) {
        let end = out.filled() + self.utf8_bytes;
        simd::to_utf8(self, out);
        assert_eq!(out.filled(), end, "the text takes another number of bytes than it was measured to");
    }
}
