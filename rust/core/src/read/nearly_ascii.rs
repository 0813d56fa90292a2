//! Text that is ASCII but for a fault here and there, under a policy whose answers have a known width: it is written in
//! one pass, without measuring first. If the text turns out to be otherwise, the pass says so, and `pass` measures it
//! first.

use crate::kernels::{Level, Output, copy_ascii_prefix, count_beyond_ascii};
use crate::policy::{BACKSLASHED_BYTE, OnFault};
use crate::read::pass::{Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};

/// Faults next to each other are one cluster, a flock; this many flocks are always accepted.
const FLOCKS: usize = 32;

/// Bytes from which the room for the answers in the rest is estimated.
const SAMPLE_BYTES: usize = 8192;

impl Pass<'_> {
    /// The room that [`Pass::write_nearly_ascii`] needs; None under a policy that answers nothing, or answers by the
    /// form's tables, and where so much is not ASCII that the attempt would be futile.
    #[must_use]
    pub fn nearly_ascii_room(&self) -> Option<usize> {
        let count = self.data.len();
        if !self.on_fault.answers_alone() {
            return None;
        }
        if self.on_fault != OnFault::BackslashReplace {
            return Some(count);
        }
        let sample = &self.data[..count.min(SAMPLE_BYTES)];
        let others = count_beyond_ascii(sample);
        if others > sample.len() / 2 {
            return None;
        }
        // Counting them all takes half as long as writing them where they are few. The estimate leaves room for twice
        // as many.
        let longer = 2 * (BACKSLASHED_BYTE - 1) * others;
        count.checked_add(longer.checked_mul(count.div_ceil(SAMPLE_BYTES))?)
    }

    /// Write all that the input gives, in a form that shares ASCII; returns false if it holds anything else, if there
    /// are so many faults that the kernels are faster, if the room does not suffice, or if `goes_on` says so, which is
    /// called for each fault with the bytes since the last one.
    ///
    /// # Panics
    /// There is less room than [`Pass::nearly_ascii_room`] says.
    pub fn write_nearly_ascii<T: From<u8>>(
        &self,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> bool
    where
        for<'o> Output<'o, T>: Sink,
    {
        let (mut at, mut flocks, mut answered) = (0, 0, 0);
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
                    Some(next) if goes_on(next - answered) => (at, answered) = (next, next),
                    _ => return false,
                }
            }
        }
    }

    /// Where flocks are closer together than this many bytes, the kernels are faster, if the machine has some.
    fn bytes_a_flock(&self) -> usize {
        match (self.on_fault, Level::current()) {
            // The kernels write the text between answers part by part.
            (OnFault::BackslashReplace, Level::Avx512) => 16,
            (OnFault::BackslashReplace, _) => 1,
            (_, Level::Avx512) => 128,
            (_, Level::Neon | Level::Avx2) => 32,
            (_, Level::Portable) => 1,
        }
    }

    /// Answer what begins at an offset and return the next offset; None if it is not a fault or there is no room.
    #[inline(always)]
    fn answered(&self, at: usize, room: usize, out: &mut impl Sink) -> Option<usize> {
        let Step::Unit { end } = self.form.step_at(self.data, at, self.is_final, NO_RUN) else { return None };
        let needed = BACKSLASHED_BYTE * (end - at) + (self.data.len() - end);
        let has_room = self.on_fault != OnFault::BackslashReplace || room >= needed;
        if has_room { self.answer(at, end, None, out).ok() } else { None }
    }
}
