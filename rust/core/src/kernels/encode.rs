//! Code points measured and written as bytes of a form: by the kernels of the machine, else in blocks, or one by one
//! where a spelling has too much that is odd.

use super::output::Output;
use super::replaced::Replaced;
use super::speller::Speller;
use super::spelt::{Spelt, Stretch};
use super::wide_text::WideText;
use super::{dispatch, portable};

impl Spelt<'_> {
    /// Measure from an index to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        if let Some(replaced) = Replaced::new(self) {
            return Stretch { end: limit, bytes: replaced.bytes(start, limit) };
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
        if let Some(replaced) = Replaced::new(self) {
            replaced.write(start, limit, out);
            return limit;
        }
        dispatch::write_spelt(self, start, limit, out).unwrap_or_else(|| match Speller::new(self) {
            Some(speller) => speller.write(start, limit, out),
            None => portable::spell(self, start, limit, out),
        })
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
