//! UTF-8 measured (valid, how many code points, how wide) and converted to the three kinds of str, and these to UTF-8.

#![expect(unsafe_code, reason = "what has been measured here is said to be")]

use super::find::has_point;
use super::level::Level;
use super::measured::{Measured, Prefix, Scalar, Width};
use super::output::Output;
use super::text::Text;
use super::{bulk, dispatch};
use crate::chunk::NEAR_BYTES;
use crate::code_point::SURROGATES;
use crate::derive::agreement::Agreement;

/// Bytes that are measured together: they stay in the first-level cache for the three scans.
const BLOCK: usize = 16384;

/// Where a kernel for blocks stops so many bytes before the end or more, it is at a fault: otherwise it leaves nothing
/// but a block and a sequence that are not whole.
const OPEN_BYTES: usize = 64 + 3;

/// The first bytes of some, which have been found to be valid UTF-8, a stretch after the other.
struct Valid<'a> {
    data: &'a [u8],
    end: usize,
}

impl<'a> Valid<'a> {
    /// As many as are measured quicker by blocks than by [`Valid::extend`] and what else measures, and what was
    /// measured.
    fn measured(data: &'a [u8]) -> (Self, Prefix) {
        let prefix = dispatch::measure_blocks(data);
        (Valid { data, end: prefix.end }, prefix)
    }

    /// Where they end.
    fn end(&self) -> usize {
        self.end
    }

    /// Those that follow, up to a limit, as far as they are valid: they count from now on.
    fn extend(&mut self, limit: usize) -> &'a str {
        let text = bulk::valid_prefix(&self.data[self.end..limit]);
        self.end += text.len();
        text
    }

    /// All of them.
    fn text(&self) -> &'a str {
        let text = &self.data[..self.end];
        debug_assert!(str::from_utf8(text).is_ok(), "a kernel takes what is ill-formed");
        // SAFETY: texts of valid UTF-8 side by side are valid UTF-8, and the two functions above have found them.
        unsafe { str::from_utf8_unchecked(text) }
    }
}

impl<'a> Measured<'a> {
    /// Measure the longest valid prefix; it is all of the data exactly when they are valid UTF-8.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Measured::from_prefix(Valid::measured(data))
    }

    /// Measure all of the data; None, as soon as that is known, where not all of them are valid UTF-8.
    #[must_use]
    pub fn whole(data: &'a [u8]) -> Option<Self> {
        let (valid, prefix) = Valid::measured(data);
        if dispatch::measures_to_a_fault(data) && data.len() - valid.end() >= OPEN_BYTES {
            return None;
        }
        Some(Measured::from_prefix((valid, prefix))).filter(|measured| measured.text().len() == data.len())
    }

    /// Measure what follows valid bytes too.
    fn from_prefix((mut valid, prefix): (Valid<'a>, Prefix)) -> Self {
        let (data, Prefix { mut count, mut largest, .. }) = (valid.data, prefix);
        while valid.end() < data.len() {
            let end = sequence_border(data, valid.end(), data.len().min(valid.end() + BLOCK));
            let text = valid.extend(end);
            count += bulk::utf8_points(text.as_bytes());
            largest = largest.max(largest_byte(text.as_bytes()));
            if valid.end() < end {
                break;
            }
        }
        // SAFETY: the text has just been counted, and its largest byte found.
        unsafe { Measured::known(valid.text(), count, Width::of_largest(largest)) }
    }

    /// Measure short bytes, if it takes less time to measure and write them than to read them in one pass; None if they
    /// are not valid UTF-8, or a form parts from it there. Where they are not likely to be, less time is taken to find
    /// out.
    #[must_use]
    pub fn of_short(data: &'a [u8], agreement: &Agreement, is_likely: bool) -> Option<Self> {
        if !agreement.is_worthwhile() || agreement.parts_at_twos() {
            return None;
        }
        let Prefix { end, count, largest } = dispatch::measure_short(data);
        let measured = if end == data.len() {
            // SAFETY: all of the text has just been found to be valid, and counted.
            unsafe { Measured::known(Valid { data, end }.text(), count, Width::of_largest(largest)) }
        } else if is_likely && agreement.is_total() && Level::current() == Level::VECTORS {
            Measured::whole(data)?
        } else {
            return None;
        };
        agreement.shares(&measured).then_some(measured)
    }

    /// The text up to an offset, where a code point begins, and the rest. No part is wider than the whole, or is said
    /// to be narrower.
    ///
    /// # Panics
    /// No code point begins there.
    #[cfg(feature = "simdutf")]
    pub(super) fn split(&self, at: usize) -> (Self, Self) {
        let (text, rest) = self.text().split_at(at);
        let count = bulk::utf8_points(text.as_bytes());
        // SAFETY: these are the numbers of code points of valid UTF-8, and each fits where all of them fit.
        [(text, count), (rest, self.count() - count)]
            .map(|(text, count)| unsafe { Measured::known(text, count, self.width()) })
            .into()
    }

    /// Write the code points as bytes.
    ///
    /// # Panics
    /// One takes more than a byte, or there is no room for them.
    pub fn write_latin1(&self, out: &mut Output<'_, u8>) {
        if self.width() == Width::Ascii {
            out.copy(self.text().as_bytes());
        } else {
            self.checked(out, dispatch::to_latin1);
        }
    }

    /// Write the code points as 16-bit units.
    ///
    /// # Panics
    /// One takes more than that, or there is no room for them.
    pub fn write_ucs2(&self, out: &mut Output<'_, u16>) {
        self.checked(out, dispatch::to_ucs2);
    }

    /// Write the code points as 32-bit units.
    ///
    /// # Panics
    /// There is no room for them.
    pub fn write_ucs4(&self, out: &mut Output<'_, u32>) {
        self.checked(out, dispatch::to_ucs4);
    }

    fn checked<T>(&self, out: &mut Output<'_, T>, write: impl FnOnce(&Self, &mut Output<'_, T>)) {
        let end = out.filled() + self.count();
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
    let (mut at, mut piece) = (dispatch::valid_pieces(data), NEAR_BYTES);
    while at < data.len() {
        let end = sequence_border(data, at, data.len().min(at + piece));
        at += bulk::valid_prefix(&data[at..end]).len();
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

impl<'a> Text<'a> {
    /// Measure how many bytes of UTF-8 the text takes; None where it holds a surrogate or a value beyond Unicode.
    #[must_use]
    pub fn scalar(self) -> Option<Scalar<'a>> {
        let is_scalar = match self {
            Text::One(_) => true,
            Text::Two(_) => !has_point(self, &[SURROGATES]),
            Text::Four(_) => self.first_of(|point| char::from_u32(point).is_none()).is_none(),
        };
        // SAFETY: there is no surrogate and nothing beyond Unicode in the text, and its length has just been found.
        is_scalar.then(|| unsafe { Scalar::known(self, bulk::utf8_bytes(self)) })
    }

    /// The same of text that a form writes as UTF-8 does; None too where it takes no less time to write it by the
    /// form's own blocks: with AVX-512, and beyond U+FFFF, where many forms part from UTF-8.
    #[must_use]
    pub fn shared(self, agreement: &Agreement) -> Option<Scalar<'a>> {
        if agreement.is_total() {
            return self.scalar();
        }
        let is_tried = agreement.is_worthwhile() && Level::current() != Level::Avx512 && !matches!(self, Text::Four(_));
        let is_shared = is_tried && !has_point(self, agreement.apart());
        // SAFETY: surrogates and what is beyond Unicode are apart in each form.
        is_shared.then(|| unsafe { Scalar::known(self, bulk::utf8_bytes(self)) })
    }
}

impl Scalar<'_> {
    /// Write the text as UTF-8.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn write_utf8(&self, out: &mut Output<'_, u8>) {
        let end = out.filled() + self.utf8_bytes();
        dispatch::to_utf8(self, out);
        assert_eq!(out.filled(), end, "the text takes another number of bytes than it was measured to");
    }
}
