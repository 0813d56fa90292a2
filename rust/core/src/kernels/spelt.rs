//! Text that the kernels write by a spelling.

use super::text::Text;
use super::{Output, dispatch as simd, find_point, portable};
use crate::chunk::{NEAR_BYTES, WINDOW_BYTES};
use crate::derive::agreement::Agreement;
use crate::derive::spelling::Spelling;

/// Code points of a str, for a form that has a spelling.
#[derive(Clone, Copy, Debug)]
pub struct Spelt<'a> {
    /// The spelling.
    pub spelling: &'a Spelling,
    /// What the form shares with UTF-8.
    pub agreement: &'a Agreement,
    /// The code points, none beyond Unicode.
    pub text: Text<'a>,
}

/// A stretch of text that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The index where it ends: the limit, or where the form lacks a code point or joins a pair.
    pub end: usize,
    /// How many bytes it takes.
    pub bytes: usize,
}

impl Spelt<'_> {
    /// Measure from an index to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        simd::spelt_bytes(self, start, limit).unwrap_or_else(|| {
            let mut bytes = 0;
            let end = self.by_chunks(start, limit, &mut bytes);
            Stretch { end, bytes }
        })
    }

    /// Write what [`Spelt::measure`] measured, with the same limit; the end is returned.
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        simd::write_spelt(self, start, limit, out).unwrap_or_else(|| self.by_chunks(start, limit, out))
    }

    /// What is shared with UTF-8 in bulk, and the rest one by one.
    fn by_chunks(&self, start: usize, limit: usize, out: &mut impl portable::Bytes) -> usize {
        let (mut at, mut reach) = (start, NEAR_BYTES);
        while at < limit {
            let near = limit.min(at + reach);
            let piece = self.text.slice(at, near);
            let shared = if self.agreement.is_worthwhile() {
                find_point(piece, &self.agreement.apart).unwrap_or(near - at)
            } else {
                0
            };
            if let Some(scalar) = self.text.slice(at, at + shared).scalar().filter(|_| shared > 0) {
                out.text(&scalar);
                at += shared;
            }
            // Whole scans look far ahead only while that pays.
            reach = if at < near { NEAR_BYTES } else { reach.saturating_mul(4).min(1 << 16) };
            let window = limit.min(at + WINDOW_BYTES);
            let end = if at < near { portable::spell(self, at, window, out) } else { at };
            if at < near && end < window {
                return end;
            }
            at = end;
        }
        at
    }
}
