//! Code points measured and written as bytes of a form: by the kernels of the machine, else in bulk what is shared with
//! UTF-8, and the rest one by one.

use super::find::find_point;
use super::measured::Scalar;
use super::output::Output;
use super::portable::Bytes;
use super::spelt::{Spelt, Stretch};
use super::units::WideText;
use super::{dispatch, portable};
use crate::chunk::{NEAR_BYTES, WINDOW_BYTES};

/// A place for bytes, many of which may be shared with UTF-8.
trait Shared: Bytes {
    /// Take text as UTF-8.
    fn text(&mut self, text: &Scalar<'_>);
}

impl Shared for usize {
    fn text(&mut self, text: &Scalar<'_>) {
        *self += text.utf8_bytes();
    }
}

impl Shared for Output<'_, u8> {
    fn text(&mut self, text: &Scalar<'_>) {
        text.write_utf8(self);
    }
}

impl Spelt<'_> {
    /// Measure from an index to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        dispatch::spelt_bytes(self, start, limit).unwrap_or_else(|| {
            let mut bytes = 0;
            let end = self.by_chunks(start, limit, &mut bytes);
            Stretch { end, bytes }
        })
    }

    /// Write what [`Spelt::measure`] measured, with the same limit; the end is returned.
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_spelt(self, start, limit, out).unwrap_or_else(|| self.by_chunks(start, limit, out))
    }

    /// What is shared with UTF-8 in bulk, and the rest one by one.
    fn by_chunks(&self, start: usize, limit: usize, out: &mut impl Shared) -> usize {
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

impl WideText<'_> {
    /// As [`Spelt::measure`].
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        dispatch::measure_wide(self, start, limit).unwrap_or_else(|| self.measure_rest(start, limit))
    }

    /// As [`Spelt::write`].
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_wide(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }
}
