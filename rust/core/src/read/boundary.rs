//! The offsets between the sequences of an input, found near the place where they are asked for.
//!
//! A reader that starts at the beginning stops at an offset exactly if no sequence that it reads begins before the
//! offset and ends after it. If none of the places before the offset could begin such a sequence, whatever the reader
//! does earlier, then it stops there for certain. Otherwise that can only be decided further back, at the first place
//! that could. So the search goes backward until a stop is certain, and then forward by sequences.
//!
//! A sequence has a fixed length, so only as many places need a look; a unit without a fixed length is as long as the
//! run of its units, and the search goes back to the start of that run.

use crate::form::Form;
use crate::read::sequence::{NO_RUN, Span, Step};

/// A part of an input.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The bytes.
    pub data: &'a [u8],
    /// Where the first whole unit begins.
    pub start: usize,
    /// Whether a reader is known to stop there: at the beginning of the input.
    pub is_begun: bool,
    /// Whether nothing follows.
    pub is_final: bool,
}

impl Form {
    /// The last stop at or before an offset and the first at or after it, of a reader that begins at `start`.
    ///
    /// The cost is that of reading the longest sequence a few times; in a form with a unit without a fixed length, of
    /// the run around the offset; and in a form whose sequences can begin inside each other, at worst of all of the
    /// input before the offset.
    #[must_use]
    pub fn stops_around(&self, data: &[u8], start: usize, offset: usize) -> Span {
        self.stops_within(&Part { data, start, is_begun: true, is_final: true }, offset).expect("all of it is there")
    }

    /// As [`Form::stops_around`], in a part of an input; None if more of it must be seen.
    #[must_use]
    pub fn stops_within(&self, part: &Part<'_>, offset: usize) -> Option<Span> {
        if offset >= part.data.len() && part.is_final {
            return Some((part.data.len(), part.data.len()));
        }
        if offset <= part.start && part.is_begun {
            return Some((part.start, part.start));
        }
        let aligned = offset - (offset - part.start) % self.tables.unit_bytes;
        let mut at = self.certain_stop(part, aligned)?;
        loop {
            let end = if at < offset { self.end_at(part, at, NO_RUN)? } else { at };
            if end >= offset {
                return Some(if end == offset { (end, end) } else { (at, end) });
            }
            at = end;
        }
    }

    /// The last stop at or before an offset that is certain without a look at what is far before it.
    fn certain_stop(&self, part: &Part<'_>, offset: usize) -> Option<usize> {
        let reach = self.reach();
        let (mut stop, mut at) = (offset, offset);
        let mut run = self.run_around(part, stop);
        while at > part.start && at > run.0.min(stop).saturating_sub(reach) {
            at -= self.tables.unit_bytes;
            if self.end_at(part, at, run)? > stop {
                stop = at;
                if stop <= run.0 {
                    run = self.run_around(part, stop);
                }
            }
        }
        (part.is_begun || run.0.min(stop) >= part.start + reach).then_some(stop)
    }

    /// How many bytes before an offset a sequence can begin that goes on behind it, apart from a run.
    fn reach(&self) -> usize {
        let rows = self.tables.rows.iter().map(|row| row.ranges.len() - 1);
        let units = self.tables.units.iter().map(|unit| unit.ranges.len() - usize::from(unit.run.is_empty()));
        rows.chain(units).max().unwrap_or(0) * self.tables.unit_bytes
    }

    /// The span of units around an offset that continue the unit without a fixed length; empty if there is none.
    fn run_around(&self, part: &Part<'_>, offset: usize) -> Span {
        let Some(unit) = self.tables.run_unit() else { return (offset, offset) };
        let goes_on = |at: usize| self.tables.unit_at(part.data, at).is_some_and(|found| unit.runs_on(found));
        if !goes_on(offset) {
            return (offset, offset);
        }
        let mut begin = offset;
        while begin > part.start && goes_on(begin - self.tables.unit_bytes) {
            begin -= self.tables.unit_bytes;
        }
        (begin, self.run_end(part.data, offset))
    }

    /// Where the sequence ends that begins at an offset, or the ill-formed unit; None if more must be seen.
    fn end_at(&self, part: &Part<'_>, at: usize, run: Span) -> Option<usize> {
        match self.sequence_within(part.data, at, part.is_final, run) {
            Step::Value { end, .. } | Step::Unit { end } => Some(end),
            Step::Wait => None,
        }
    }
}
