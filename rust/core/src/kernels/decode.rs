//! Bytes of a form measured and written as code points: by the kernels of the machine, else in bulk what is shared with
//! UTF-8, and the rest one by one.

use super::dispatch;
use super::measured::Measured;
use super::output::Output;
use super::portable::{Counter, Points};
use super::source::{Extent, Notes, Source};
use super::units::Units;
use crate::chunk::{CHUNK_BYTES, NEAR_BYTES, WINDOW_BYTES};

/// A place for code points, many of which may be shared with UTF-8.
trait Shared: Points {
    /// Take text that is UTF-8.
    fn text(&mut self, text: Measured<'_>);
}

impl Shared for Counter {
    fn text(&mut self, text: Measured<'_>) {
        self.0.count += text.count();
        self.0.width = self.0.width.max(text.width());
    }
}

macro_rules! shared {
    ($($unit:ty => $write:ident),*) => {
        $(impl Shared for Output<'_, $unit> {
            fn text(&mut self, text: Measured<'_>) {
                text.$write(self);
            }
        })*
    };
}

shared!(u8 => write_latin1, u16 => write_ucs2, u32 => write_ucs4);

/// Measure from an offset to a limit, or to where the layout does not apply.
fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    let mut counter = Counter(Extent::none(start));
    let (end, is_clean) = source.read(start, limit, &mut counter);
    Extent { end, is_clean, ..counter.0 }
}

/// Write from an offset to a limit, or to where the layout does not apply, and return the end.
fn write(source: &Source<'_>, start: usize, limit: usize, out: &mut impl Shared) -> usize {
    source.read(start, limit, out).0
}

impl Source<'_> {
    /// Measure from an offset to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Extent {
        dispatch::measure(self, start, limit).unwrap_or_else(|| self::measure(self, start, limit))
    }

    /// The same, and note what writing needs.
    pub fn measure_noting(&self, start: usize, limit: usize, notes: &mut Notes) -> Extent {
        dispatch::measure_noting(self, start, limit, notes).unwrap_or_else(|| self::measure(self, start, limit))
    }

    /// Write what [`Source::measure`] measured, with the same limit; the end is returned.
    pub fn write_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_ucs1(self, start, limit, out).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        dispatch::write_ucs2(self, start, limit, out).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        dispatch::write_ucs4(self, start, limit, out).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// What is shared with UTF-8 in bulk, and the rest one by one: where reading ended, and whether all was well-formed.
    fn read(&self, start: usize, limit: usize, out: &mut impl Shared) -> (usize, bool) {
        let (mut at, mut is_clean, mut reach) = (start, true, NEAR_BYTES);
        while at < limit {
            let near = limit.min(at + reach);
            let shared = self.agreement.before_parting(&self.data[at..near]);
            let measured = Measured::new(&self.data[at..at + shared]);
            if !measured.text().is_empty() {
                out.text(measured);
                at += measured.text().len();
            }
            // Whole scans look far ahead only while that pays.
            reach = if at < near { NEAR_BYTES } else { CHUNK_BYTES.min(reach * 4) };
            if at < near {
                let window = limit.min(at + WINDOW_BYTES);
                let (end, clean) = self.read_each(at, window, out);
                (at, is_clean) = (end, is_clean && clean);
                if end < window {
                    break;
                }
            }
        }
        (at, is_clean)
    }
}

impl Units<'_> {
    /// As [`Source::measure`].
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Extent {
        dispatch::measure_units(self, start, limit).unwrap_or_else(|| self.measure_rest(start, limit))
    }

    /// As [`Source::write_ucs1`].
    pub fn write_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_units_ucs1(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// As [`Source::write_ucs2`].
    pub fn write_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        dispatch::write_units_ucs2(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// As [`Source::write_ucs4`].
    pub fn write_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        dispatch::write_units_ucs4(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// Write 16-bit units as the code points that they are, and return them or-ed. None where one takes more than a byte
    /// (then only part is written), or where the machine has nothing that is quicker than measuring first.
    pub fn copy_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> Option<u32> {
        dispatch::copy_units_ucs1(self, start, limit, out)?
    }

    /// The same, where they are no pairs and nothing that the form lacks.
    pub fn copy_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<u32> {
        dispatch::copy_units_ucs2(self, start, limit, out)?
    }
}
