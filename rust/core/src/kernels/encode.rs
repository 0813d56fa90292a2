//! Code points measured and written as bytes of a form: by the kernels of the machine, else in blocks what is shared with
//! UTF-8, and the rest one by one.

use super::find::find_point;
use super::output::Output;
use super::portable::Bytes;
use super::spelt::{Spelt, Stretch};
use super::text::Text;
use super::units::WideText;
use super::{dispatch, plain, portable};
use crate::chunk::{WINDOW_POINTS, point_window_after};

/// Code points that are looked at together for those that are written otherwise than in UTF-8.
const LOOK_POINTS: usize = 256;

/// A place for bytes, many of which may be shared with UTF-8.
trait Shared: Bytes {
    /// Take text as UTF-8.
    fn text(&mut self, text: Text<'_>);
}

impl Shared for usize {
    fn text(&mut self, text: Text<'_>) {
        *self += plain::utf8_bytes(text);
    }
}

impl Shared for Output<'_, u8> {
    fn text(&mut self, text: Text<'_>) {
        plain::to_utf8(text, self);
    }
}

impl Spelt<'_> {
    /// Measure from an index to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        dispatch::spelt_bytes(self, start, limit).unwrap_or_else(|| {
            let mut bytes = 0;
            let end = self.by_blocks(start, limit, &mut bytes);
            Stretch { end, bytes }
        })
    }

    /// Write what [`Spelt::measure`] measured, with the same limit; the end is returned.
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_spelt(self, start, limit, out).unwrap_or_else(|| self.by_blocks(start, limit, out))
    }

    /// What is shared with UTF-8 in blocks, and the rest one by one.
    fn by_blocks(&self, start: usize, limit: usize, out: &mut impl Shared) -> usize {
        let (mut at, mut window) = (start, WINDOW_POINTS);
        while at < limit {
            let shared = self.shared(at, limit);
            out.text(self.text.slice(at, at + shared));
            at += shared;
            if shared < LOOK_POINTS && at < limit {
                window = point_window_after(shared, window);
                let end = limit.min(at + window);
                at = portable::spell(self, at, end, out);
                if at < end {
                    break;
                }
            }
        }
        at
    }

    /// How many of the next code points are written as UTF-8 writes them, as far as one look goes.
    fn shared(&self, at: usize, limit: usize) -> usize {
        if !self.agreement.is_worthwhile() {
            return 0;
        }
        let near = limit.min(at + LOOK_POINTS);
        find_point(self.text.slice(at, near), &self.agreement.apart).unwrap_or(near - at)
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
