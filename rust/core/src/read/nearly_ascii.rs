//! Text that is ASCII but for a fault here and there, under a policy that puts something of a known width in its place:
//! written in one pass, before anything is measured. Where that is not so, the pass tells it, and `pass` measures first.

use crate::kernels::{Level, Output, copy_ascii_prefix, count_beyond_ascii};
use crate::policy::OnFault;
use crate::read::pass::{Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};

/// Faults that stand together are one flock, and so many are always taken.
const FLOCKS: usize = 32;

/// What takes the place of a byte at most: `\xNN`.
const LONGEST_ANSWER: usize = 4;

/// How many bytes say how much room the answers of the rest may need.
const SAMPLE_BYTES: usize = 8192;

impl Pass<'_> {
    /// How much room [`Pass::write_nearly_ascii`] must have; None under a policy that answers nothing, or by the form's
    /// tables, and where so much is no ASCII that it would be in vain.
    #[must_use]
    pub fn nearly_ascii_room(&self) -> Option<usize> {
        let count = self.data.len();
        match self.on_fault {
            OnFault::Stop | OnFault::SurrogatePass => return None,
            OnFault::Replace | OnFault::Ignore | OnFault::SurrogateEscape => return Some(count),
            OnFault::BackslashReplace => {}
        }
        let sample = &self.data[..count.min(SAMPLE_BYTES)];
        let others = count_beyond_ascii(sample);
        if others > sample.len() / 2 {
            return None;
        }
        // To count them all takes half as long as writing them, where they are few. Twice as many have room.
        let longer = 2 * (LONGEST_ANSWER - 1) * others;
        count.checked_add(longer.checked_mul(count.div_ceil(SAMPLE_BYTES))?)
    }

    /// Write all that the input gives, in a form that has ASCII as it is; false where something else is in it, or faults
    /// are too many for the kernels to be slower, or for the room.
    ///
    /// # Panics
    /// There is less room than [`Pass::nearly_ascii_room`] says.
    pub fn write_nearly_ascii<T: From<u8>>(&self, out: &mut Output<'_, T>) -> bool
    where
        for<'o> Output<'o, T>: Sink,
    {
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
                match self.answered(at, out.room(), out) {
                    Some(next) => at = next,
                    None => return false,
                }
            }
        }
    }

    /// Where flocks are nearer to each other than this, the kernels are quicker, if there are some that know the policy.
    fn bytes_a_flock(&self) -> usize {
        match (self.on_fault, Level::current()) {
            (OnFault::BackslashReplace, _) => 1,
            (_, Level::Avx512) => 128,
            (_, Level::Avx2) => 32,
            (_, Level::Portable) => 1,
        }
    }

    /// Answer what begins at an offset, if that is a fault and there is room; then the next offset is returned.
    #[inline(always)]
    fn answered(&self, at: usize, room: usize, out: &mut impl Sink) -> Option<usize> {
        let Step::Unit { end } = self.form.step_at(self.data, at, self.is_final, NO_RUN) else { return None };
        let needed = LONGEST_ANSWER * (end - at) + (self.data.len() - end);
        let has_room = self.on_fault != OnFault::BackslashReplace || room >= needed;
        if has_room { self.answer(at, end, None, out).ok() } else { None }
    }
}
