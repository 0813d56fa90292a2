//! A scan for faults: one after the other, or how many there are of each kind.

use crate::fault::{Fault, Kind};
use crate::form::Form;
use crate::pass::{Halt, OnFault, Pass};
use crate::sequence::Step;
use crate::verdict::{Verdict, Verdicts};

/// How many bytes are looked at one sequence after the other behind a fault: where there is one, more are near.
const FLOCK_BYTES: usize = 16;

/// How many faults there are of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: [u64; Kind::COUNT],
}

impl Tally {
    /// The kinds that occurred, each with its number.
    pub fn counts(&self) -> impl Iterator<Item = (Kind, u64)> {
        Kind::all().zip(self.counts).filter(|&(_, count)| count > 0)
    }

    /// Count those of another too.
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
    /// Where the scan is.
    pub at: usize,
    /// Where the part ends: at the end of the input, or at a cut.
    pub limit: usize,
}

impl Scan<'_> {
    /// Whether the part was scanned to its end; else a fault is next, or more input could change the answer.
    pub fn is_clean(&mut self) -> bool {
        self.stops_at_fault();
        self.at == self.limit
    }

    /// Go on to the next fault, and say whether there is one.
    pub fn stops_at_fault(&mut self) -> bool {
        let is_final = self.is_final || self.limit < self.data.len();
        let data = &self.data[..self.limit];
        let pass = Pass { form: self.form, data, is_final, largest: u32::MAX, on_fault: OnFault::Stop };
        let halt = pass.run(self.at, &mut ());
        match halt {
            Halt::Fault { start: at, .. } | Halt::End(at) => self.at = at,
            // A sink that keeps nothing takes everything.
            Halt::Unwritten(_) | Halt::OutOfMemory => unreachable!(),
        }
        matches!(halt, Halt::Fault { .. })
    }

    /// Count the faults; then the scan is at the end of its part, or where more input could change the answer.
    pub fn tally(&mut self) -> Tally {
        let mut tally = Tally::default();
        while self.stops_at_fault() && self.tally_flock(&mut tally) {}
        tally
    }

    /// Count faults as long as one follows the other closely; false says that more input could change the answer.
    fn tally_flock(&mut self, tally: &mut Tally) -> bool {
        let verdicts = self.form.verdicts();
        let mut end = self.at + FLOCK_BYTES;
        while self.at < end.min(self.limit) {
            // A step of one that is no number in memory: the next byte need not wait for what this one is.
            let (next, kind) = match verdicts.alone(self.data[self.at]) {
                Some(Verdict::Sequence(1)) => (self.at + 1, None),
                Some(Verdict::Fault(kind, 1)) => (self.at + 1, Some(kind)),
                _ => match self.told(verdicts) {
                    Some(told) => told,
                    None => return false,
                },
            };
            self.at = next;
            if let Some(kind) = kind {
                tally.counts[kind.index()] += 1;
                end = next + FLOCK_BYTES;
            }
        }
        true
    }

    /// The end of what is next, and its kind if it is a fault.
    #[inline]
    fn told(&self, verdicts: &Verdicts) -> Option<(usize, Option<Kind>)> {
        let end = |units: u8| self.at + usize::from(units) * self.form.tables.unit_bytes;
        match verdicts.at(self.form, self.data, self.at) {
            Verdict::Sequence(units) => Some((end(units), None)),
            Verdict::Fault(kind, units) => Some((end(units), Some(kind))),
            Verdict::Unknown | Verdict::Node(_) => self.found_out(),
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

    /// The next fault; None where the part ends, or where more input could change the answer.
    fn next(&mut self) -> Option<Fault> {
        let fault = if self.stops_at_fault() { self.fault() } else { None }?;
        self.at = fault.end;
        Some(fault)
    }
}
