//! A scan for faults, which returns them one by one or counts them by kind. `fault` names them.

use crate::chunk::{LOOK_AHEAD, WINDOW_BYTES, window_after};
use crate::derive::verdict::{Verdict, Verdicts};
use crate::form::Form;
use crate::kernels::{Faults, LANES, Reader, Units, tally as tally_in_blocks, tally_units};
use crate::policy::{Answer, OnFault};
use crate::read::fault::Fault;
use crate::read::pass::{Halt, Pass, Sink};
use crate::read::sequence::Step;
use crate::tables::Kind;

/// Bytes that must follow the first fault to make up for building the table by which the kernels count a form's faults:
/// a quarter of a millisecond, once.
const BLOCKS_BYTES: usize = 1 << 14;

/// Bytes that the kernels count at once: some milliseconds of work.
const BLOCKS_AT_ONCE: usize = 1 << 22;

/// Where the next fault is nearer than this, twice as much is looked at block by block before the kernels are tried
/// again, and again where that has faults.
const LOOKED_BYTES: usize = 256;
const MOST_LOOKS: usize = 128;

/// Bytes in which the next fault is looked for one sequence at a time, before the kernels look for it: they take as
/// long to begin. Where one code point in ten is a fault, listing the faults takes less than half the time.
const NEAR_BYTES: usize = 32;
/// The same of a form that shares all of UTF-8, which is skipped in less time, and ASCII in even less.
const NEAR_UTF8_BYTES: usize = 512;
const MOST_ASCII_BYTES: usize = 1 << 14;
/// ASCII that is skipped at once.
const ASCII_BYTES: usize = 64;

/// The number of faults of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: [u64; Kind::COUNT],
}

impl Tally {
    /// The kinds that occurred, each with its count.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u64)> {
        Kind::all().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// Count what was found, if it is a fault.
    #[inline(always)]
    fn count(&mut self, found: Option<Kind>) {
        if let Some(kind) = found {
            self.counts[kind.index()] += 1;
        }
    }

    /// Add the counts of another tally.
    pub fn add(&mut self, other: &Tally) {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
    }
}

/// A scan of bytes for the faults that begin in a part of them.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'a> {
    /// The form.
    pub form: &'a Form,
    /// The input.
    pub data: &'a [u8],
    /// Whether nothing follows the input.
    pub is_final: bool,
    /// The current offset.
    pub at: usize,
    /// Where the part ends: at the end of the input, or at a cut.
    pub limit: usize,
}

impl Scan<'_> {
    /// Whether the rest of the part has no fault. Otherwise a fault is next, or more input could change the answer.
    pub fn is_clean(&mut self) -> bool {
        self.stops_at_fault(&mut ());
        self.at == self.limit
    }

    /// Advance to the next fault, and return whether there is one. The sink keeps nothing; one that refuses to make
    /// room ends the scan, whose offset then means nothing.
    pub fn stops_at_fault(&mut self, sink: &mut impl Sink) -> bool {
        let is_final = self.is_final || self.limit < self.data.len();
        let data = &self.data[..self.limit];
        let pass = Pass { form: self.form, data, is_final, largest: u32::MAX, on_fault: OnFault::Stop };
        let halt = pass.run(self.at, sink);
        if let Halt::Fault { start: at, .. } | Halt::End(at) = halt {
            self.at = at;
        }
        matches!(halt, Halt::Fault { .. })
    }

    /// As `next`, with a sink as for [`Scan::stops_at_fault`].
    pub fn next_fault(&mut self, sink: &mut impl Sink) -> Option<Fault> {
        if self.stops_at_fault(sink) { self.pass_fault() } else { None }
    }

    /// The next fault, if it begins within the next few bytes and few bytes decide. None otherwise: it is still to be
    /// found. The first call for a form that does not share UTF-8 takes up to some milliseconds.
    pub fn near_fault(&mut self) -> Option<Fault> {
        if self.form.agreement.is_total() {
            return self.near_fault_in_utf8();
        }
        let verdicts = self.form.verdicts();
        let end = self.limit.min(self.at + NEAR_BYTES);
        while self.at < end {
            let (next, kind) = self.step::<false>(verdicts)?;
            if kind.is_some() {
                return self.pass_fault();
            }
            self.at = next;
        }
        None
    }

    fn near_fault_in_utf8(&mut self) -> Option<Fault> {
        self.skip_ascii();
        let end = self.limit.min(self.at + NEAR_UTF8_BYTES);
        while self.at < end {
            self.at += self.data[self.at..end].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
            if self.at == end {
                break;
            }
            // A fault, or what the form has besides UTF-8, or text that is cut.
            match self.form.sequence_at(self.data, self.at, self.is_final) {
                Step::Unit { .. } => return self.pass_fault(),
                Step::Value { end, .. } => self.at = end,
                Step::Wait => break,
            }
        }
        None
    }

    /// The fault that is next, which is passed.
    fn pass_fault(&mut self) -> Option<Fault> {
        let fault = self.fault()?;
        self.at = fault.end;
        Some(fault)
    }

    /// Advance over ASCII in the next bytes, some at once.
    fn skip_ascii(&mut self) {
        let end = self.limit.min(self.at + MOST_ASCII_BYTES);
        let chunks = self.data[self.at..end].chunks_exact(ASCII_BYTES);
        self.at += ASCII_BYTES * chunks.take_while(|chunk| chunk.is_ascii()).count();
    }

    /// Count the faults; afterwards the scan is at the end of its part, or where more input could change the answer.
    /// The sink is as for [`Scan::stops_at_fault`].
    pub fn tally(&mut self, sink: &mut impl Sink) -> Tally {
        let mut tally = Tally::default();
        self.tally_blocks(&mut tally, sink);
        let (mut start, mut window) = (self.at, WINDOW_BYTES);
        while self.stops_at_fault(sink) {
            let fault = self.at;
            window = window_after(fault - start, window);
            if fault - start < LOOKED_BYTES {
                // Now and then the kernels are tried, and a signal is heard.
                (0..MOST_LOOKS).all(|_| self.tally_looking(self.limit.min(self.at + 2 * LOOKED_BYTES), &mut tally));
            }
            if !self.tally_to(self.limit.min(self.at + window), &mut tally) || sink.reserve(self.at - fault).is_err() {
                break;
            }
            start = self.at;
        }
        tally
    }

    /// Count faults almost up to an offset block by block, if the form has a layout: masks show where they begin, and
    /// the verdicts which they are. Return whether it has found some and can go on.
    fn tally_looking(&mut self, end: usize, tally: &mut Tally) -> bool {
        let (form, data) = (self.form, self.data);
        let pass = Pass { form, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Replace };
        let Some(source) = pass.source() else { return false };
        let mut has_faults = false;
        let (verdicts, reader) = (form.verdicts(), Reader::new(&source));
        while self.at + LANES <= end
            && let Some(window) = data[self.at..].first_chunk()
        {
            let (base, block) = (self.at, reader.look(window, LANES));
            let mut ill = block.lanes.ill;
            has_faults |= ill != 0;
            while ill != 0 {
                let start = base + ill.trailing_zeros() as usize;
                ill &= ill - 1;
                // A fault may be longer than the unit that is answered.
                if start >= self.at {
                    self.at = start;
                    let Some((next, kind)) = self.step::<true>(verdicts) else { return false };
                    self.at = next;
                    tally.count(kind);
                }
            }
            let read = base + block.length;
            self.at = self.at.max(read);
            // What masks do not show is asked for, unless a fault took it already.
            if block.length < LANES && self.at == read {
                let Some((next, kind)) = self.step::<true>(verdicts) else { return false };
                self.at = next;
                tally.count(kind);
            }
        }
        has_faults
    }

    /// Count faults with the kernels, if they can, almost to the end of the input.
    fn tally_blocks(&mut self, tally: &mut Tally, sink: &mut impl Sink) {
        let end = self.limit.min(self.data.len().saturating_sub(LOOK_AHEAD));
        if !self.stops_at_fault(sink) || end.saturating_sub(self.at) < BLOCKS_BYTES {
            return;
        }
        let mut window = WINDOW_BYTES;
        while let Some(stop) = self.tally_by_kernels(end.min(self.at + BLOCKS_AT_ONCE), tally) {
            if sink.reserve(stop - self.at).is_err() {
                return;
            }
            window = window_after(stop - self.at, window);
            self.at = stop;
            let walked_to = stop + window;
            if walked_to > end || !self.tally_to(walked_to, tally) {
                return;
            }
        }
    }

    /// Count what the kernels can before a limit, and return where they stopped; None if they cannot count this form.
    fn tally_by_kernels(&self, limit: usize, tally: &mut Tally) -> Option<usize> {
        if let Some(wide) = self.form.wide {
            let units = Units { wide, answer: Answer::Stop, data: self.data };
            let kinds = self.form.wide_kinds()?;
            let mut counts = [0; 2];
            let [surrogates, beyond] = &mut counts;
            let stop = tally_units(&units, self.at, limit, [surrogates, beyond])?;
            kinds.into_iter().zip(counts).for_each(|(kind, count)| tally.counts[kind.index()] += count);
            return Some(stop);
        }
        let (layout, table) = self.form.layout.as_ref().zip(self.form.fault_table())?;
        tally_in_blocks(&Faults { layout, table, data: self.data }, self.at, limit, &mut tally.counts)
    }

    /// Count faults one by one up to an offset; returns false if more input could change the answer.
    fn tally_to(&mut self, end: usize, tally: &mut Tally) -> bool {
        let verdicts = self.form.verdicts();
        while self.at < end {
            let Some((next, kind)) = self.step::<true>(verdicts) else { return false };
            self.at = next;
            tally.count(kind);
        }
        true
    }

    /// The end of what comes next, and its kind if it is a fault; None if more input could change the answer, or if
    /// only the diagnosis knows and `ASKED` is false.
    #[inline]
    fn step<const ASKED: bool>(&self, verdicts: &Verdicts) -> Option<(usize, Option<Kind>)> {
        // A constant step of one does not wait for a load: the next byte is independent of this one's verdict.
        match verdicts.alone(self.data[self.at]) {
            Some(Verdict::Sequence(1)) => Some((self.at + 1, None)),
            Some(Verdict::Fault(kind, 1)) => Some((self.at + 1, Some(kind))),
            _ => self.decided::<ASKED>(verdicts),
        }
    }

    /// As [`Scan::step`], where several units decide.
    #[inline]
    fn decided<const ASKED: bool>(&self, verdicts: &Verdicts) -> Option<(usize, Option<Kind>)> {
        let end = |units: u8| self.at + usize::from(units) * self.form.tables.unit_bytes;
        match verdicts.at(&self.form.tables, self.data, self.at) {
            Verdict::Sequence(units) => Some((end(units), None)),
            Verdict::Fault(kind, units) => Some((end(units), Some(kind))),
            Verdict::Unknown | Verdict::Node(_) if ASKED => self.found_out(),
            Verdict::Unknown | Verdict::Node(_) => None,
        }
    }

    #[cold]
    fn found_out(&self) -> Option<(usize, Option<Kind>)> {
        match self.form.sequence_at(self.data, self.at, self.is_final) {
            Step::Wait => None,
            Step::Value { end, .. } => Some((end, None)),
            Step::Unit { .. } => self.fault().map(|fault| (fault.end, Some(fault.kind))),
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.form.fault_at(self.data, self.at, self.is_final)
    }
}

impl Iterator for Scan<'_> {
    type Item = Fault;

    /// The next fault; None at the end of the part, or where more input could change the answer.
    fn next(&mut self) -> Option<Fault> {
        self.next_fault(&mut ())
    }
}
