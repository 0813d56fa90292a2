//! The diagnosis: the fault that begins at an ill-formed decoding unit. It is slow on purpose, because people read its
//! results one by one; fast counting uses `derive::verdict`.

use crate::code_point::{Range, holds};
use crate::form::Form;
use crate::policy::OnFault;
use crate::read::sequence::Step;
use crate::tables::FaultRow;
use crate::tables::Kind;

/// One place where the input is ill-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: Kind,
    /// The offset where it starts.
    pub start: usize,
    /// The offset where it ends.
    pub end: usize,
    /// The code point that the sequence was meant to write.
    pub code_point: Option<u32>,
    /// Whether the end of the input cut the sequence short.
    pub at_end: bool,
}

/// The fault row that names a fault, if one does, and how many units match it.
type Named<'a> = (Option<&'a FaultRow>, usize);

impl Form {
    /// The fault that begins at an ill-formed decoding unit; None if more input could change the answer.
    #[must_use]
    pub fn fault_at(&self, data: &[u8], start: usize, is_final: bool) -> Option<Fault> {
        match self.sequence_at(data, start, is_final) {
            Step::Wait => None,
            Step::Value { end, .. } | Step::Unit { end } => self.fault_of(data, (start, end), is_final),
        }
    }

    /// As [`Form::fault_at`], for a decoding unit whose end is known.
    #[must_use]
    pub fn fault_of(&self, data: &[u8], (start, unit_end): (usize, usize), is_final: bool) -> Option<Fault> {
        let (row, matched) = self.row_named(data, start, unit_end, is_final)?;
        let end = match row {
            None => unit_end,
            Some(_) => self.covered(data, unit_end, start + matched * self.tables.unit_bytes, is_final)?,
        };
        let (kind, code_point) = self.named(row, data, start, end);
        let at_end = kind == Kind::TRUNCATED && end == data.len();
        (is_final || !at_end).then_some(Fault { kind, start, end, code_point, at_end })
    }

    /// Whether a fault of this form may contain a unit that a policy answers followed by one that it does not. The
    /// error for the second must then report the fault that began with the first.
    #[must_use]
    pub fn is_answered_in_part(&self, on_fault: OnFault) -> bool {
        let longer =
            |least: usize| self.tables.names.iter().map(|name| &name.ranges).filter(move |name| name.len() > least);
        match on_fault {
            OnFault::SurrogateEscape => {
                let has_low = |unit: &Range| unit.0 < 0x80 || self.tables.unit_bytes > 1;
                longer(1).any(|name| name[1..].iter().any(has_low))
            }
            OnFault::SurrogatePass => self.surrogates.as_ref().is_some_and(|ranges| {
                longer(ranges.len())
                    .any(|name| name.iter().zip(ranges).all(|(one, other)| one.0 <= other.1 && other.0 <= one.1))
            }),
            OnFault::Stop | OnFault::Replace | OnFault::Ignore | OnFault::BackslashReplace => false,
        }
    }

    /// Whether some row begins with the code unit at an offset.
    #[must_use]
    pub fn begins_row(&self, data: &[u8], start: usize) -> bool {
        self.longest_prefix(data, start) > 0
    }

    /// The length of the longest prefix of a row that matches here, in units.
    fn longest_prefix(&self, data: &[u8], start: usize) -> usize {
        let (mut state, mut longest) = (0, 0);
        let units = (start..).step_by(self.tables.unit_bytes).map_while(|at| self.tables.unit_at(data, at));
        for (unit, depth) in units.zip(1..) {
            state = self.automaton.next(state, unit);
            let Some(reached) = self.automaton.states.get(usize::from(state)) else { break };
            longest = if reached.fits_row { depth } else { longest };
            if !reached.goes_on {
                break;
            }
        }
        longest
    }

    /// Whether a unit occurs in some row after the first place.
    fn continues_row(&self, unit: u32) -> bool {
        let at = self.later.partition_point(|range| range.0 <= unit);
        at > 0 && holds(self.later[at - 1], unit)
    }

    fn row_named(&self, data: &[u8], start: usize, unit_end: usize, is_final: bool) -> Option<Named<'_>> {
        let is_whole = |unit: &&FaultRow| self.matched(&unit.ranges, data, start).0 == unit.ranges.len();
        // The longest unit names the fault; among equally long ones, the first in the form's list.
        let whole = self.tables.units.iter().rev().filter(is_whole).max_by_key(|unit| unit.ranges.len());
        if whole.is_some() {
            return Some((whole, (unit_end - start) / self.tables.unit_bytes));
        }
        let (mut row, mut most) = (None, 0);
        for name in &self.tables.names {
            let (count, at_end) = self.matched(&name.ranges, data, start);
            if count > 0 && at_end && !is_final {
                return None;
            }
            if count > most {
                (row, most) = (Some(name), count);
            }
        }
        let outweighs = row.is_some_and(|row| self.outweighs(row, most, data, start, unit_end));
        Some(if outweighs { (row, most) } else { (None, 0) })
    }

    /// Whether a fault row says more than `truncated` does: it matches further, or is complete and the end of the input
    /// did not cut it.
    fn outweighs(&self, row: &FaultRow, matched: usize, data: &[u8], start: usize, unit_end: usize) -> bool {
        let prefix = self.longest_prefix(data, start);
        matched > prefix || (matched == row.ranges.len() && matched == prefix && unit_end < data.len())
    }

    /// The end of a fault: it covers whole ill-formed units only, as far as its name matches.
    fn covered(&self, data: &[u8], unit_end: usize, name_end: usize, is_final: bool) -> Option<usize> {
        let mut end = unit_end;
        while end < name_end {
            match self.sequence_at(data, end, is_final) {
                Step::Unit { end: next } if next <= name_end => end = next,
                // A run that is already longer than the name does not belong to a fault of that name, wherever it ends.
                Step::Wait if self.run_at(data, end).is_none_or(|run_end| run_end <= name_end) => return None,
                _ => break,
            }
        }
        Some(end)
    }

    fn named(&self, row: Option<&FaultRow>, data: &[u8], start: usize, end: usize) -> (Kind, Option<u32>) {
        let Some(row) = row else {
            return (self.kind_without_row(data, start), None);
        };
        let whole = end - start == row.ranges.len() * self.tables.unit_bytes;
        let first = row.meant.filter(|_| whole).map(|(first, _)| first);
        (row.kind, first.map(|first| self.value(first, &row.ranges, data, start)))
    }

    fn kind_without_row(&self, data: &[u8], start: usize) -> Kind {
        let Some(lead) = self.tables.unit_at(data, start) else {
            return Kind::ODD_LENGTH;
        };
        if self.begins_row(data, start) {
            return Kind::TRUNCATED;
        }
        if self.continues_row(lead) { Kind::UNEXPECTED_CONTINUATION } else { Kind::INVALID_BYTE }
    }
}
