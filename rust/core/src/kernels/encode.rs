//! Code points measured and written as bytes of a form: by the kernels of the machine, else in blocks, or one by one
//! where a spelling has too much that is odd.

use super::masks::LANES;
use super::output::Output;
use super::replaced::Replaced;
use super::short::write_by_points;
use super::speller::Speller;
use super::spelt::{Spelt, Stretch};
use super::wide_text::WideText;
use super::{dispatch, portable};

impl Spelt<'_> {
    /// Measure from an index to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        if let Some(replaced) = Replaced::new(self, start, limit) {
            return Stretch { end: limit, bytes: replaced.bytes() };
        }
        dispatch::spelt_bytes(self, start, limit).unwrap_or_else(|| match Speller::new(self) {
            Some(speller) => speller.measure(start, limit),
            None => {
                let mut bytes = 0;
                let end = portable::spell(self, start, limit, &mut bytes);
                Stretch { end, bytes }
            }
        })
    }

    /// Write what [`Spelt::measure`] measured, with the same limit; the end is returned.
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        if let Some(replaced) = Replaced::new(self, start, limit) {
            replaced.write(out);
            return limit;
        }
        dispatch::write_spelt(self, start, limit, out).unwrap_or_else(|| match Speller::new(self) {
            Some(speller) => speller.write(start, limit, out),
            None => portable::spell(self, start, limit, out),
        })
    }

    /// As [`Spelt::write`], without having measured: there is room for the longest sequence of each. What the kernels
    /// stop at is written one by one, with what follows it, if it is known what becomes of it.
    pub fn write_at_once(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        let mut at = start;
        loop {
            at = self.write(at, limit, out);
            if at == limit {
                return limit;
            }
            let end = self.text.whole_up_to(limit.min(at + LANES));
            at += write_by_points(self.text.slice(at, end), &self.spelling.instead, out);
            if at < end {
                return at;
            }
        }
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
        dispatch::write_wide(self, start, limit, out).unwrap_or_else(|| self.write_portably(start, limit, out))
    }
}
