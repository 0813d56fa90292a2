//! Text with ill-formed units or escapes throughout. Kernels write it in one pass: measuring it first takes longer than
//! writing it.

use super::dispatch;
use super::level::Level;
use super::measured::Measured;
use super::output::Output;
use super::source::{Extent, Notes, Source};
use crate::code_point::is_continuation;
use crate::derive::layout::Pairs;
use crate::policy::Answer;

/// So few bytes are measured in little time.
const LITTLE: usize = 8192;
/// The parts of a text that show how dirty it is: one that is likely to hold a fault if it is, and what is measured if
/// there is one.
const PROBED_PART: usize = 64;
const MEASURED_PART: usize = 16;
const MOST_BYTES: usize = 2048;
/// In fewer bytes it is looked for a fault one by one.
const FEW: usize = 512;
/// The bytes that show whether text is still dirty.
const RECENT: usize = 1024;
/// The most bytes of a sequence that may be cut.
const CUT: usize = 3;

/// Whether there is something in bytes that is not UTF-8. A form may share it in part.
fn has_fault(bytes: &[u8]) -> bool {
    if bytes.len() < FEW {
        str::from_utf8(bytes).is_err_and(|fault| fault.error_len().is_some())
    } else {
        Measured::new(bytes).text().len() + CUT < bytes.len()
    }
}

impl Source<'_> {
    /// Whether there are kernels that write it in one pass.
    #[must_use]
    pub fn takes_dirty(&self) -> bool {
        let is_plain = self.layout.has_nul && self.layout.pairs == Pairs::Apart && !self.layout.has_runs;
        let is_answered = matches!(self.answer(), Answer::Escape(_) | Answer::Replace | Answer::Drop);
        // Of sequences, kernels of 16-bit units stop at those of four bytes only.
        is_plain && self.layout.only_fours_are_wide() && is_answered && Level::current() > Level::Portable
    }

    /// What the beginning comes to, if so many of its blocks have to be read closely that measuring first takes more
    /// time: a twelfth with AVX-512; else a fifth, or a quarter where most sequences have four bytes.
    #[must_use]
    pub fn dirty_beginning(&self) -> Option<Extent> {
        let length = self.data.len();
        let part = |of: usize| (length / of).min(MOST_BYTES);
        if length < LITTLE || !has_fault(&self.data[..part(PROBED_PART)]) {
            return None;
        }
        let (limit, mut notes) = (part(MEASURED_PART), Notes::default());
        let extent = self.measure_noting(0, limit, &mut notes);
        let are_fours = extent.end > 3 * extent.count;
        let least = match Level::current() {
            Level::Avx512 => limit / 12,
            _ if are_fours => limit / 4,
            _ => limit / 5,
        };
        (extent.end >= limit && !extent.is_clean && notes.cover(least)).then_some(extent)
    }

    /// Whether there is a fault in the last bytes before an offset; so it is said where there are not as many.
    #[must_use]
    pub fn is_dirty_before(&self, at: usize) -> bool {
        let Some(start) = at.checked_sub(RECENT) else { return true };
        let cut = self.data[start..at].iter().take(CUT).take_while(|&&byte| is_continuation(byte)).count();
        has_fault(&self.data[start + cut..at])
    }

    /// Write a source that [`Source::takes_dirty`] from an offset to a limit, or to where something begins that is
    /// neither text up to U+FFFF nor answered, and return where that is.
    ///
    /// # Panics
    /// There is less room than bytes.
    #[must_use]
    pub fn write_dirty_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        dispatch::write_dirty_ucs2(self, start, limit, out).unwrap_or(start)
    }

    /// The same of text up to U+10FFFF.
    ///
    /// # Panics
    /// As [`Source::write_dirty_ucs2`].
    #[must_use]
    pub fn write_dirty_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        dispatch::write_dirty_ucs4(self, start, limit, out).unwrap_or(start)
    }
}
