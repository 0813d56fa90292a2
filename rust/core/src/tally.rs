//! Counting faults by kind, without a record of each.

use crate::fault::Kind;
use crate::form::Form;
use crate::pass::{Halt, OnFault, Pass};
use crate::sequence::Step;
use crate::verdict::Verdict;

/// How many bytes are looked at one sequence after the other behind a fault: where there is one, more are near.
const FLOCK_BYTES: usize = 64;

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

    fn add(&mut self, kind: Kind) {
        self.counts[kind.index()] += 1;
    }
}

impl Form {
    /// Count the faults from an offset on, and return where the input ends or more of it could change the answer.
    pub fn tally(&self, data: &[u8], start: usize, is_final: bool, tally: &mut Tally) -> usize {
        let pass = Pass { form: self, data, is_final, largest: u32::MAX, on_fault: OnFault::Stop };
        let mut at = start;
        loop {
            match pass.run(at, &mut ()) {
                Halt::Fault { start, .. } => at = start,
                Halt::End(end) => return end,
                // A sink that keeps nothing takes everything.
                Halt::Unwritten(_) | Halt::OutOfMemory => unreachable!(),
            }
            match self.tally_flock(data, at, is_final, tally) {
                Ok(end) => at = end,
                Err(end) => return end,
            }
        }
    }

    /// Count faults as long as one follows the other closely; the error is where more input could change the answer.
    fn tally_flock(&self, data: &[u8], start: usize, is_final: bool, tally: &mut Tally) -> Result<usize, usize> {
        let (mut at, mut limit) = (start, start + FLOCK_BYTES);
        while at < limit.min(data.len()) {
            let (end, kind) = self.told(data, at, is_final).ok_or(at)?;
            if let Some(kind) = kind {
                tally.add(kind);
                limit = end + FLOCK_BYTES;
            }
            at = end;
        }
        Ok(at)
    }

    /// The end of what begins at an offset, and its kind if it is a fault.
    #[inline]
    fn told(&self, data: &[u8], start: usize, is_final: bool) -> Option<(usize, Option<Kind>)> {
        let end = |units: u8| start + usize::from(units) * self.tables.unit_bytes;
        match self.verdict_at(data, start) {
            Verdict::Sequence(units) => Some((end(units), None)),
            Verdict::Fault(kind, units) => Some((end(units), Some(kind))),
            Verdict::Unknown | Verdict::Node(_) => self.found_out(data, start, is_final),
        }
    }

    #[cold]
    fn found_out(&self, data: &[u8], start: usize, is_final: bool) -> Option<(usize, Option<Kind>)> {
        match self.sequence_at(data, start, is_final) {
            Step::Wait => None,
            Step::Value { end, .. } => Some((end, None)),
            Step::Unit { .. } => self.fault_at(data, start, is_final).map(|fault| (fault.end, Some(fault.kind))),
        }
    }
}
