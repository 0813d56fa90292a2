//! The sequence that begins at an offset: the longest matching row or decoding unit, otherwise the maximal subpart.
//! Naming what is ill-formed is left to `fault`.

use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SURROGATES, TRAILS, holds, joined};
use crate::derive::automaton::{DEAD, NONE};
use crate::derive::layout::Layout;
use crate::derive::piece::{Piece, window};
use crate::derive::wide::Wide;
use crate::form::Form;
use crate::kernels::run_length;
use crate::tables::FaultRow;

/// The start and the end of a span.
pub type Span = (usize, usize);
/// No known span inside a unit without a fixed length.
pub const NO_RUN: Span = (0, 0);

/// One step of decoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// More input could change the answer.
    Wait,
    /// A well-formed sequence.
    Value {
        /// The offset where it ends.
        end: usize,
        /// Its value.
        code_point: u32,
    },
    /// An ill-formed decoding unit.
    Unit {
        /// The offset where it ends.
        end: usize,
    },
}

impl Form {
    /// As [`Form::sequence_at`], which it calls where the first units do not decide.
    #[inline(always)]
    pub(crate) fn step_at(&self, data: &[u8], start: usize, is_final: bool, run: Span) -> Step {
        let quick = match (self.wide, &self.layout) {
            (Some(wide), _) => self.wide_step(wide, data, start, is_final),
            (None, Some(layout)) => self.piece_step(layout, data, start, is_final),
            _ => None,
        };
        quick.unwrap_or_else(|| self.sequence_within(data, start, is_final, run))
    }

    /// The step of a form that has a layout; None where the layout does not decide.
    #[inline(always)]
    fn piece_step(&self, layout: &Layout, data: &[u8], start: usize, is_final: bool) -> Option<Step> {
        // The layout does not know that more input may follow, nor that a surrogate must be seen whole. Where nothing
        // follows, the zeros of a window continue no sequence.
        let window = match data[start..].first_chunk() {
            Some(window) => *window,
            None if is_final => window(data, start),
            None => return None,
        };
        match layout.piece(&window) {
            Piece::Value(code_point, length) => Some(Step::Value { end: start + length, code_point }),
            Piece::IllFormed(length) => match layout.escape.filter(|_| window[0] >= 0x80) {
                Some(base) => Some(Step::Value { end: start + 1, code_point: base + u32::from(window[0]) }),
                None => is_final.then_some(Step::Unit { end: start + length }),
            },
            Piece::Parting => None,
        }
    }

    /// The step of wide units; None where it must wait for input or the input ends too soon.
    #[inline(always)]
    fn wide_step(&self, wide: Wide, data: &[u8], start: usize, is_final: bool) -> Option<Step> {
        let (unit, end) = (self.tables.unit_at(data, start)?, start + wide.unit_bytes);
        if wide.unit_bytes == 2 && holds(LEADS, unit) {
            let next = self.tables.unit_at(data, end)?;
            if holds(TRAILS, next) {
                return Some(Step::Value { end: end + 2, code_point: joined(unit, next) });
            }
        }
        let is_value = unit <= LARGEST_IN_STR && (wide.has_surrogates || !holds(SURROGATES, unit));
        if is_value { Some(Step::Value { end, code_point: unit }) } else { is_final.then_some(Step::Unit { end }) }
    }

    /// The sequence that begins at an offset below the length. With `is_final`, the step is never `Wait`.
    #[inline]
    #[must_use]
    pub fn sequence_at(&self, data: &[u8], start: usize, is_final: bool) -> Step {
        self.sequence_within(data, start, is_final, NO_RUN)
    }

    /// As [`Form::sequence_at`], with a known span in which each unit continues the unit without a fixed length.
    #[inline]
    pub(crate) fn sequence_within(&self, data: &[u8], start: usize, is_final: bool, run: Span) -> Step {
        let automaton = &self.automaton;
        let (mut state, mut at) = (0u16, start);
        let mut whole = (NONE, start);
        loop {
            let Some(unit) = self.tables.unit_at(data, at) else {
                return self.at_end(data, start, state, whole, (is_final, run));
            };
            let next = automaton.next(state, unit);
            if next == DEAD {
                break;
            }
            state = next;
            at += self.tables.unit_bytes;
            let reached = &automaton.states[usize::from(state)];
            if reached.accept != NONE {
                whole = (reached.accept, at);
            }
            if !reached.goes_on {
                break;
            }
        }
        if whole.0 != NONE {
            return self.whole(data, start, whole, (is_final, run));
        }
        let subpart = usize::from(automaton.states[usize::from(state)].subpart);
        self.ill_formed(data, start, start + subpart * self.tables.unit_bytes, is_final)
    }

    /// The step if the input ended before the automaton did.
    #[cold]
    fn at_end(&self, data: &[u8], start: usize, state: u16, whole: (u16, usize), beyond: (bool, Span)) -> Step {
        if !beyond.0 {
            return Step::Wait;
        }
        if whole.0 != NONE {
            return self.whole(data, start, whole, beyond);
        }
        let reached = &self.automaton.states[usize::from(state)];
        // A partial code unit belongs to the sequence that it would have continued.
        let cut = state == 0 || reached.row_goes_on;
        Step::Unit { end: if cut { data.len() } else { start + usize::from(reached.subpart) * self.tables.unit_bytes } }
    }

    #[inline]
    fn whole(&self, data: &[u8], start: usize, (accept, end): (u16, usize), beyond: (bool, Span)) -> Step {
        let entry = &self.automaton.entries[usize::from(accept)];
        if let Some(unit) = entry.unit {
            return self.whole_unit(data, &self.tables.units[unit], end, beyond);
        }
        let (mut code_point, mut at) = (entry.base, start);
        for weight in &entry.weights {
            let unit = self.tables.unit_at(data, at).unwrap_or(0);
            code_point = code_point.wrapping_add(unit.wrapping_mul(*weight));
            at += self.tables.unit_bytes;
        }
        Step::Value { end, code_point }
    }

    #[cold]
    fn whole_unit(&self, data: &[u8], unit: &FaultRow, end: usize, (is_final, run): (bool, Span)) -> Step {
        if unit.run.is_empty() {
            return Step::Unit { end };
        }
        // Where a handler has gone back into the middle of a unit, the units from there on are others.
        let is_known = run.0 <= end && end < run.1 && (end - run.0).is_multiple_of(self.tables.unit_bytes);
        let known = if is_known { run.1.min(data.len()) } else { end };
        let end = self.run_end(data, known);
        if !is_final && data.len() - end < self.tables.unit_bytes { Step::Wait } else { Step::Unit { end } }
    }

    #[cold]
    fn ill_formed(&self, data: &[u8], start: usize, end: usize, is_final: bool) -> Step {
        // `surrogatepass` must see a surrogate whole, as CPython holds it.
        let held = !is_final && self.surrogates.as_ref().is_some_and(|ranges| self.matched(ranges, data, start).1);
        if held { Step::Wait } else { Step::Unit { end } }
    }

    /// The end of the units that continue the form's unit without a fixed length: `start` if there are none.
    #[must_use]
    pub fn run_end(&self, data: &[u8], start: usize) -> usize {
        let Some(row) = self.tables.run_unit() else {
            return start;
        };
        if self.tables.unit_bytes == 1 {
            return start + run_length(&data[start..], &row.run);
        }
        let mut at = start;
        while self.tables.unit_at(data, at).is_some_and(|unit| row.runs_on(unit)) {
            at += self.tables.unit_bytes;
        }
        at
    }

    /// The end, as far as the input has it, of the unit without a fixed length that begins at an offset; None if none
    /// does.
    #[must_use]
    pub fn run_at(&self, data: &[u8], start: usize) -> Option<usize> {
        let unit = self.tables.run_unit()?;
        let begun = start + unit.ranges.len() * self.tables.unit_bytes;
        let begins = self.matched(&unit.ranges, data, start).0 == unit.ranges.len();
        begins.then(|| self.run_end(data, begun))
    }

    /// The span, within a unit from `start` to `end`, of what continues the unit without a fixed length; None if the
    /// unit could be one of fixed length.
    #[must_use]
    pub fn run_in(&self, start: usize, end: usize) -> Option<Span> {
        let unit = self.tables.run_unit()?;
        let lengths = self.tables.units.iter().map(|unit| unit.ranges.len());
        let fixed = lengths.chain(self.tables.rows.iter().map(|row| row.ranges.len())).max().unwrap_or(0);
        let begun = start + unit.ranges.len() * self.tables.unit_bytes;
        (end > start + fixed * self.tables.unit_bytes).then_some((begun, end))
    }

    /// How many ranges the units from `start` on match, and whether the end of the input stopped the match.
    pub(crate) fn matched(&self, ranges: &[Range], data: &[u8], start: usize) -> (usize, bool) {
        for (count, &range) in ranges.iter().enumerate() {
            match self.tables.unit_at(data, start + count * self.tables.unit_bytes) {
                None => return (count, true),
                Some(unit) if !holds(range, unit) => return (count, false),
                Some(_) => {}
            }
        }
        (ranges.len(), false)
    }

    /// The code point of units that lie within `ranges`, the lowest of which mean `first`.
    // Inlined, it slows faults that have no code point.
    #[inline(never)]
    pub(crate) fn value(&self, first: u32, ranges: &[Range], data: &[u8], start: usize) -> u32 {
        let places = (start..).step_by(self.tables.unit_bytes);
        let rank = ranges.iter().zip(places).fold(0u32, |rank, (&(low, high), at)| {
            let unit = self.tables.unit_at(data, at).unwrap_or(0);
            rank.wrapping_mul((high - low).wrapping_add(1)).wrapping_add(unit.wrapping_sub(low))
        });
        first.wrapping_add(rank)
    }

    /// The surrogate that the form's own tables know at an offset, and its end.
    #[must_use]
    pub fn surrogate_at(&self, data: &[u8], start: usize) -> Option<(u32, usize)> {
        let ranges = self.surrogates.as_ref()?;
        let whole = self.matched(ranges, data, start).0 == ranges.len();
        let end = start + ranges.len() * self.tables.unit_bytes;
        whole.then(|| (self.value(SURROGATES.0, ranges, data, start), end))
    }
}
