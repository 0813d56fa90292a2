//! Text that is ASCII but for a fault here and there, under a policy that puts ASCII or nothing in its place: written in
//! one pass, before anything is measured. Where that is not so, the pass tells it, and `pass` measures first.

use crate::kernels::{Level, Output, copy_ascii_prefix};
use crate::pass::{OnFault, Pass};
use crate::sequence::Step;

/// Faults that stand together are one flock, and so many are always taken.
const FLOCKS: usize = 16;

/// What takes the place of a byte at most: `\xNN`.
const LONGEST_ANSWER: usize = 4;

impl Pass<'_> {
    /// How much room [`Pass::write_nearly_ascii`] must have; None under other policies.
    #[must_use]
    pub fn nearly_ascii_room(&self) -> Option<usize> {
        let count = self.data.len();
        match self.on_fault {
            OnFault::Ignore => Some(count),
            OnFault::BackslashReplace => count.checked_add(count / 4),
            _ => None,
        }
    }

    /// Write all that the input gives, in a form that has ASCII as it is; false where something else is in it, or faults
    /// are many.
    pub fn write_nearly_ascii(&self, out: &mut Output<'_, u8>) -> bool {
        let (mut at, mut flocks) = (0, 0);
        loop {
            at += copy_ascii_prefix(&self.data[at..], out);
            if at == self.data.len() {
                return true;
            }
            flocks += 1;
            if flocks > FLOCKS + at / self.bytes_a_flock() {
                return false;
            }
            while self.data.get(at).is_some_and(|&byte| byte >= 0x80) {
                match self.answered(at, out) {
                    Some(next) => at = next,
                    None => return false,
                }
            }
        }
    }

    /// Where flocks are nearer to each other than this, the kernels are quicker, or there is no room.
    fn bytes_a_flock(&self) -> usize {
        match (self.on_fault, Level::current()) {
            (OnFault::BackslashReplace, _) => 8,
            (_, Level::Avx512) => 128,
            _ => 32,
        }
    }

    /// Answer what begins at an offset, if that is a fault and there is room; then the next offset is returned.
    #[inline(always)]
    fn answered(&self, at: usize, out: &mut Output<'_, u8>) -> Option<usize> {
        let Step::Unit { end } = self.form.step_at(self.data, at, self.is_final) else { return None };
        let needed = LONGEST_ANSWER * (end - at) + (self.data.len() - end);
        let has_room = self.on_fault == OnFault::Ignore || out.room() >= needed;
        if has_room { self.answer(at, end, None, out).ok() } else { None }
    }
}
