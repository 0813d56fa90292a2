//! Text that is ASCII but for a fault here and there, under a policy whose answers have a known width, or for an
//! escape: it is written in one pass, without measuring first. If the text turns out to be otherwise, the pass says so,
//! and `pass` measures it first. On machines without instructions of ours, so is text in the beginning of which
//! something is beyond U+00FF, or is answered so: there, a second pass costs as much as the first.

use crate::chunk::CHUNK_BYTES;
use crate::kernels::{Input, Level, Output, Runs, Unit, Width, copy_ascii_prefix, count_beyond_ascii};
use crate::policy::OnFault;
use crate::read::one_by_one::{Attempt, first_beyond_ascii, greatest, likely};
use crate::read::pass::{Pass, Sink};

/// Faults next to each other are one cluster, a flock; this many flocks are always accepted.
const FLOCKS: usize = 8;

/// The same in text that is so short that most of it would be written when the attempt failed.
const FLOCKS_OF_LITTLE: usize = 32;
const LITTLE: usize = 8192;

/// The bytes in which a sequence beyond U+00FF is looked for.
const BEGINNING: usize = 512;

/// The lead byte of the last sequences up to U+00FF.
const LAST_NARROW_LEAD: u8 = 0xC3;

/// Sequences that are neither ASCII nor in a run are taken one by one; if these are more, the kernels are quicker.
const BYTES_AN_OTHER: usize = 64;

impl Pass<'_> {
    /// Write text that is ASCII but for faults here and there, or that begins beyond U+00FF: see
    /// [`OnePass::write`](super::one_pass::OnePass::write).
    pub(super) fn write_nearly_ascii<T: Unit>(
        &self,
        start: usize,
        begins_wide: bool,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let length = self.data.len();
        // Between ASCII and faults they would be looked for in vain.
        let runs = if start > 0 || begins_wide { self.runs::<T>() } else { None };
        let (mut at, mut flocks, mut others) = (start, 0, 0);
        let accepted = if length > LITTLE { FLOCKS } else { FLOCKS_OF_LITTLE };
        loop {
            let before = at;
            at += copy_ascii_prefix(&self.data[at..], out);
            if at == length {
                break;
            }
            flocks += 1;
            likely(flocks <= accepted + at / self.bytes_a_flock() && goes_on(at - before))?;
            let Some(runs) = &runs else {
                at = self.write_flock(at, out, &mut goes_on)?;
                continue;
            };
            let before = at;
            at = runs.write([at, length.min(at + CHUNK_BYTES)], out);
            if self.data.get(at).is_some_and(|&byte| byte >= 0x80) {
                others += 1;
                likely(others <= FLOCKS_OF_LITTLE + at / BYTES_AN_OTHER)?;
                at = self.write_other(at, out)?;
            }
            likely(goes_on(at - before))?;
        }
        let is_answered = flocks > 0 && runs.is_none() && !self.on_fault.answers_ascii();
        likely(is_answered || greatest(out) >= T::LEAST)
    }

    /// The width of the first sequence beyond U+00FF in the beginning, or of the answer to a fault there, where such
    /// text is not measured first.
    #[must_use]
    pub fn begun_width(&self) -> Option<Width> {
        let runs = self.runs::<u32>().filter(|_| !self.is_short())?;
        let beginning = &self.data[..self.data.len().min(BEGINNING)];
        let first = first_beyond_ascii(beginning)?;
        let leads = (first..beginning.len()).filter(|&at| beginning[at] > LAST_NARROW_LEAD);
        let begun = leads.filter_map(|at| runs.width_at(at)).find(|&width| width > Width::Latin1);
        // ASCII between few faults is copied in less time than words are looked at.
        let is_mixed = count_beyond_ascii(beginning) > BEGINNING / 16;
        begun.or_else(|| (is_mixed && self.answers_wide(&beginning[first..])).then_some(Width::Ucs2))
    }

    /// Whether something in some bytes is likely to be ill-formed, and answered beyond U+00FF. It is judged as UTF-8,
    /// which a form may only share in part; if nothing beyond U+00FF is written, the attempt fails.
    fn answers_wide(&self, bytes: &[u8]) -> bool {
        let is_answered = matches!(self.on_fault, OnFault::Replace | OnFault::SurrogateEscape) || self.has_escape();
        is_answered && str::from_utf8(bytes).is_err_and(|fault| fault.error_len().is_some())
    }

    /// The runs of the input, if they are not measured first.
    fn runs<T: Unit>(&self) -> Option<Runs<'_>> {
        if Level::current() != Level::Portable || !self.is_final || self.on_fault == OnFault::BackslashReplace {
            return None;
        }
        match self.input() {
            Some(Input::Bytes(source)) => Some(Runs::within::<T>(&source)),
            _ => None,
        }
    }

    /// Answer what begins at an offset up to the next ASCII, and return where that is.
    #[inline(always)]
    fn write_flock<T: Unit>(
        &self,
        start: usize,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<usize, Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let mut at = start;
        while self.data.get(at).is_some_and(|&byte| byte >= 0x80) {
            let next = self.answered(at, out.room(), out).ok_or(Attempt::Failed)?;
            likely(goes_on(next - at))?;
            at = next;
        }
        Ok(at)
    }

    /// Where flocks are closer together than this many bytes, the kernels are faster, if the machine has some.
    fn bytes_a_flock(&self) -> usize {
        match (self.on_fault, Level::current()) {
            // The kernels write the text between answers part by part.
            (OnFault::BackslashReplace, Level::Avx512) => 16,
            (OnFault::BackslashReplace, _) => 1,
            // Faults at irregular distances are as many mispredicted branches; from 130 to 160 bytes on these cost less
            // than masks.
            (_, Level::Avx512) => 128,
            // Single bytes gain by masks up to 47; truncated sequences lose by them from 40 on.
            (_, Level::Neon | Level::Avx2) => 40,
            (_, Level::Portable) => 1,
        }
    }
}
