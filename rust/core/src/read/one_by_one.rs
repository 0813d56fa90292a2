//! What is written one by one in text that is written in one pass: faults, escapes, and sequences where other text is
//! expected.

use crate::kernels::{LANES, Output, Unit};
use crate::policy::{BACKSLASHED_BYTE, OnFault};
use crate::read::pass::{Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};
use crate::read::short::high_lanes;

/// How writing in one pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// All is written, and has a character for which the kind of str is made.
    Done,
    /// From this offset on, a wider kind of str is needed.
    Wider(usize),
    /// The input must be measured first.
    Failed,
}

/// Whether an attempt is to go on.
pub(super) fn likely(is_so: bool) -> Result<(), Attempt> {
    if is_so { Ok(()) } else { Err(Attempt::Failed) }
}

/// The greatest of some values; 0 if there are none.
pub(super) fn greatest<T: Unit>(out: &Output<'_, T>) -> u32 {
    if T::LEAST == 0 {
        return 0;
    }
    out.values().iter().fold(0, |most, &value| most.max(value.into()))
}

/// The offset of the first byte that is not ASCII.
pub(super) fn first_beyond_ascii(data: &[u8]) -> Option<usize> {
    let mut blocks = (0..).step_by(LANES).zip(data.chunks(LANES));
    blocks.find_map(|(at, block)| {
        let high = high_lanes(block);
        (high != 0).then(|| at + high.trailing_zeros() as usize)
    })
}

impl Pass<'_> {
    /// Whether the first byte that is not ASCII is an escape.
    pub(super) fn begins_with_escape(&self) -> bool {
        self.has_escape() && first_beyond_ascii(self.data).is_some_and(|at| self.escape_at(at).is_some())
    }

    /// Whether the first byte that is not ASCII begins something ill-formed.
    #[must_use]
    pub fn begins_with_fault(&self) -> bool {
        let is_fault = |at| matches!(self.form.step_at(self.data, at, self.is_final, NO_RUN), Step::Unit { .. });
        first_beyond_ascii(self.data).is_some_and(is_fault)
    }

    /// What an escape means that stands at an offset.
    #[inline(always)]
    pub(super) fn escape_at(&self, at: usize) -> Option<u32> {
        if !self.has_escape() {
            return None;
        }
        match self.form.step_at(self.data, at, self.is_final, NO_RUN) {
            Step::Value { end, code_point } if end == at + 1 => Some(code_point),
            _ => None,
        }
    }

    /// Whether stray bytes are escapes in the form.
    pub(super) fn has_escape(&self) -> bool {
        self.form.layout.as_ref().is_some_and(|layout| layout.escape.is_some())
    }

    /// Write what begins at an offset and is not in a run, and return the next offset. As many values as it has bytes
    /// have to have room.
    pub(super) fn write_other<T: Unit>(&self, at: usize, out: &mut Output<'_, T>) -> Result<usize, Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let step = self.form.step_at(self.data, at, self.is_final, NO_RUN);
        if let Step::Value { end, .. } | Step::Unit { end } = step {
            likely(end - at <= out.room())?;
        }
        match step {
            Step::Value { end, code_point } if code_point <= self.largest.min(T::MOST) => {
                out.push(T::of(code_point));
                Ok(end)
            }
            Step::Value { code_point, .. } if T::LEAST > 0 && code_point <= self.largest => Err(Attempt::Wider(at)),
            Step::Unit { end } => self.answered_fault(at, end, out.room(), out).ok_or(Attempt::Failed),
            _ => Err(Attempt::Failed),
        }
    }

    /// Answer what begins at an offset, which is not ASCII, and return the next offset; None if it is neither an escape
    /// nor a fault, or there is no room.
    #[inline(always)]
    pub(super) fn answered(&self, at: usize, room: usize, out: &mut impl Sink) -> Option<usize> {
        if let Some(code_point) = self.escape_at(at) {
            return out.put(code_point, at, at + 1).is_ok().then_some(at + 1);
        }
        let Step::Unit { end } = self.form.step_at(self.data, at, self.is_final, NO_RUN) else { return None };
        self.answered_fault(at, end, room, out)
    }

    /// Answer a fault, and return where to continue; None if the policy does not, or there is no room.
    #[inline(always)]
    fn answered_fault(&self, at: usize, end: usize, room: usize, out: &mut impl Sink) -> Option<usize> {
        let needed = BACKSLASHED_BYTE * (end - at) + (self.data.len() - end);
        let has_room = self.on_fault != OnFault::BackslashReplace || room >= needed;
        if has_room { self.answer(at, end, None, out).ok() } else { None }
    }
}
