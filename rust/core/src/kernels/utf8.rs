//! UTF-8 measured (valid, how many code points, how wide) and converted to the three kinds of str, and these to UTF-8.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::find::find_point;
use super::measured::{Measured, Prefix, Scalar, Width};
use super::output::copy;
use super::text::Text;
use super::{dispatch, simdutf};
use crate::chunk::NEAR_BYTES;
use crate::code_point::SURROGATES;

/// Bytes that are measured together: they stay in the first-level cache for the three scans.
const BLOCK: usize = 16384;

impl<'a> Measured<'a> {
    /// Measure the longest valid prefix; it is all of the data exactly when they are valid UTF-8.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        let Prefix { end: mut at, mut count, mut largest } = dispatch::measure_blocks(data);
        while at < data.len() {
            let end = sequence_border(data, at, data.len().min(at + BLOCK));
            let text = simdutf::valid_prefix(&data[at..end]);
            count += simdutf::count(text);
            largest = largest.max(largest_byte(text.as_bytes()));
            at += text.len();
            if at < end {
                break;
            }
        }
        let (text, width) = (dispatch::joined(data, at), Width::of_largest(largest));
        // SAFETY: the text has just been counted, and its largest byte found.
        unsafe { Measured::known(text, count, width) }
    }

    /// Write the code points as bytes. The output is as long as there are code points, and written whole.
    pub fn write_latin1(&self, out: &mut [MaybeUninit<u8>]) {
        assert!(out.len() == self.count() && self.width() <= Width::Latin1);
        if self.width() == Width::Ascii {
            copy(self.text().as_bytes(), out);
        } else {
            dispatch::to_latin1(self.text(), out);
        }
    }

    /// Write the code points as 16-bit units. The output is as long as there are code points, and written whole.
    pub fn write_ucs2(&self, out: &mut [MaybeUninit<u16>]) {
        assert!(out.len() == self.count() && self.width() <= Width::Ucs2);
        dispatch::to_ucs2(self.text(), out);
    }

    /// Write the code points as 32-bit units. The output is as long as there are code points, and written whole.
    pub fn write_ucs4(&self, out: &mut [MaybeUninit<u32>]) {
        assert!(out.len() == self.count());
        dispatch::to_ucs4(self.text(), out);
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
        at += simdutf::valid_prefix(&data[at..end]).len();
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
            Text::Two(_) => find_point(self, &[SURROGATES]).is_none(),
            Text::Four(_) => self.first_of(|point| char::from_u32(point).is_none()).is_none(),
        };
        // SAFETY: there is no surrogate and nothing beyond Unicode in the text, and its length has just been found.
        is_scalar.then(|| unsafe { Scalar::known(self, simdutf::utf8_bytes(self)) })
    }
}

impl Scalar<'_> {
    /// Write the text as UTF-8. The output is exactly as long as the text takes, and written whole.
    pub fn write_utf8(&self, out: &mut [MaybeUninit<u8>]) {
        assert_eq!(out.len(), self.utf8_bytes());
        dispatch::to_utf8(self.text(), out);
    }
}
