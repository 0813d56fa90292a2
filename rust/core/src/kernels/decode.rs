//! Bytes of a form measured and written as code points: by the kernels of the machine, else in blocks what is shared with
//! UTF-8, and the rest one by one.

use super::measured::Width;
use super::output::Output;
use super::plain::{self, Unit};
use super::portable::{Counter, Points};
use super::source::{Extent, Notes, Source};
use super::units::Units;
use super::validity::BLOCK;
use super::{dispatch, validity};

/// A place for code points, many of which may be shared with UTF-8.
trait Shared: Points {
    /// Take what begins in a block of UTF-8 and ends there, given its largest byte, and return where that ends.
    fn block(&mut self, block: &[u8; BLOCK], largest: u8) -> usize;
}

impl Shared for Counter {
    fn block(&mut self, block: &[u8; BLOCK], largest: u8) -> usize {
        let end = if largest < 0x80 { BLOCK } else { plain::whole_end(block) };
        // A sequence that is cut may be the one with the largest byte.
        let largest = if end < BLOCK { validity::largest(&block[..end]) } else { largest };
        self.0.count += validity::count(&block[..end]);
        self.0.width = self.0.width.max(Width::of_largest(largest));
        end
    }
}

impl<T: Unit> Shared for Output<'_, T>
where
    Self: Points,
{
    fn block(&mut self, block: &[u8; BLOCK], largest: u8) -> usize {
        plain::decode_block(block, largest, self)
    }
}

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

    /// Write what [`Source::measure`] measured, with the same limit, or with its end if it was clean; return the end.
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

    /// What is shared with UTF-8 in blocks, and the rest one by one: where reading ended, and whether all was well-formed.
    fn read(&self, start: usize, limit: usize, out: &mut impl Shared) -> (usize, bool) {
        let (mut at, mut is_clean) = (start, true);
        while at < limit {
            if let Some((block, largest)) = self.shared_block(at, limit) {
                at += out.block(block, largest);
                continue;
            }
            let window = limit.min(at + BLOCK);
            let (end, clean) = self.read_each(at, window, out);
            (at, is_clean) = (end, is_clean && clean);
            if end < window {
                if let Some(text) = self.shared_rest(at, limit) {
                    text.chars().for_each(|each| out.put(each.into()));
                    at = limit;
                }
                break;
            }
        }
        (at, is_clean)
    }

    /// What is left, shorter than a block, if it is UTF-8 that means the same in the form. The layout may part where that
    /// is so: what was measured in a block must be written as well if it ends where the block has not ended yet.
    fn shared_rest(&self, at: usize, limit: usize) -> Option<&str> {
        let rest = self.data.get(at..limit).filter(|rest| rest.len() < BLOCK)?;
        let text = str::from_utf8(rest).ok()?;
        (self.agreement.before_parting(rest) == rest.len()).then_some(text)
    }

    /// The next block, with its largest byte, if it is UTF-8 that means the same in the form.
    #[inline]
    fn shared_block(&self, at: usize, limit: usize) -> Option<(&[u8; BLOCK], u8)> {
        let block = self.data[at..limit].first_chunk()?;
        let largest = validity::largest_if_clean(block)?;
        (self.agreement.before_parting(block) == BLOCK).then_some((block, largest))
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
