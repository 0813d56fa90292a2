//! Text with faults or escapes throughout, or so many between ASCII: kernels write it in less time than it takes to
//! measure it.

use crate::chunk::CHUNK_BYTES;
use crate::kernels::{Input, Level, Output, Source, Unit, copy_ascii_prefix};
use crate::policy::Answer;
use crate::read::one_by_one::{Attempt, first_beyond_ascii, greatest, likely};
use crate::read::pass::{Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};
use crate::read::short::SHORT_INPUT;

/// The most bytes of faults next to each other that are answered one by one.
const FEW: usize = 16;

/// So many sequences that stop kernels are always accepted, and one more for so many bytes.
const OTHERS: usize = 2;
const BYTES_AN_OTHER: usize = 512;

/// So many faults in a row that are close make it worth while to begin with masks.
const NEAR: usize = 3;

/// So many bytes of text that is clean are taken at once.
const CLEAN_STRETCH: usize = 8 * CHUNK_BYTES;

/// So many values have room as long as more bytes are left: not more bytes are taken at once than values have room, and
/// nothing may be written for them.
const LEAST_ROOM: usize = 512;

/// In more bytes than these, so much of the beginning, but not more than some faults and sequences, shows whether so
/// many are faults for each sequence.
const LITTLE: usize = 8192;
const BEGINNING: usize = 512;
const LOOKED_AT: usize = 8;
const FAULTS_AN_OTHER: usize = 4;

/// How ASCII with faults is written.
struct Pace {
    /// Where faults are further apart than this many bytes, ASCII is copied between them: mispredicted branches cost
    /// less than masks. For faults of a byte, and of more.
    apart: [usize; 2],
    /// Where they are closer, kernels write as many bytes first, then twice as many each time.
    stretch: usize,
}

impl Pace {
    fn of(answer: Answer) -> Self {
        match Level::current() {
            Level::Avx512 => Pace { apart: [128; 2], stretch: 2048 },
            _ if answer.is_by_byte() => Pace { apart: [40; 2], stretch: 2048 },
            // Truncated sequences lose by masks earlier.
            _ => Pace { apart: [40, 16], stretch: 512 },
        }
    }
}

impl Pass<'_> {
    /// Whether kernels write the input in one pass, however dirty it is.
    #[inline]
    #[must_use]
    pub fn takes_dirty(&self) -> bool {
        self.dirty().is_some()
    }

    /// The input, if kernels write it in one pass. None if it is short: asking takes a tenth of the time of reading it.
    #[inline]
    pub(super) fn dirty(&self) -> Option<Source<'_>> {
        if self.data.len() <= SHORT_INPUT { None } else { self.long_dirty() }
    }

    #[inline(never)]
    fn long_dirty(&self) -> Option<Source<'_>> {
        self.source().filter(|source| self.is_final && source.takes_dirty())
    }

    /// Whether most of what is not ASCII in the beginning is a fault or an escape. Of little, that is seen while it is
    /// written.
    pub(super) fn begins_with_ascii_and_faults(&self) -> bool {
        let (mut at, mut faults, mut others) = (0, 0, 0);
        let beginning = if self.data.len() <= LITTLE { &[] } else { &self.data[..BEGINNING] };
        while faults + others < LOOKED_AT && at < beginning.len() {
            let Some(first) = first_beyond_ascii(&beginning[at..]) else { break };
            at += first;
            match self.form.step_at(self.data, at, self.is_final, NO_RUN) {
                Step::Value { end, .. } if end > at + 1 => (at, others) = (end, others + 1),
                Step::Value { end, .. } | Step::Unit { end } => (at, faults) = (end, faults + 1),
                Step::Wait => break,
            }
        }
        FAULTS_AN_OTHER * others <= faults
    }

    /// Write text that is dirty throughout.
    // In a function of its own, as the next one is: what writes short text is generic too, and small.
    #[inline(never)]
    pub(super) fn write_dirty<T: Unit>(
        &self,
        source: &Source<'_>,
        start: usize,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let (mut at, mut others, length) = (start, 0, self.data.len());
        while at < length {
            likely(out.room() >= LEAST_ROOM.min(length - at))?;
            let before = at;
            at = take(source, at, CHUNK_BYTES, source.is_dirty_before(at), out);
            if at == before {
                others += 1;
                likely(others <= OTHERS + at / BYTES_AN_OTHER)?;
                at = self.write_other(at, out)?;
            }
            likely(goes_on(at - before))?;
        }
        Ok(())
    }

    /// Write text that is ASCII but for faults.
    #[inline(never)]
    pub(super) fn write_dirty_ascii<T: Unit>(
        &self,
        source: &Source<'_>,
        start: usize,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let (data, pace) = (self.data, Pace::of(source.answer()));
        let (mut at, mut stretch, mut is_answered, mut others) = (start, pace.stretch, false, 0);
        let mut near = 0;
        loop {
            let before = at;
            at += copy_ascii_prefix(&data[at..], out);
            let first = at;
            while at < first + FEW
                && data.get(at).is_some_and(|&byte| byte >= 0x80)
                && let Some(next) = self.answered(at, out.room(), out)
            {
                at = next;
            }
            is_answered |= at > first;
            if at == data.len() {
                break;
            }
            let is_far = first - before >= pace.apart[usize::from(at > first + 1)];
            near = if is_far { 0 } else { near + 1 };
            if at > first && near < NEAR {
                stretch = pace.stretch;
            } else {
                let next = take(source, at, stretch, at > first || source.is_dirty_before(at), out);
                others += usize::from(next == at);
                likely(others <= OTHERS + at / BYTES_AN_OTHER)?;
                at = if next == at { self.write_other(at, out)? } else { next };
                stretch = (2 * stretch).min(CHUNK_BYTES);
            }
            likely(goes_on(at - before))?;
        }
        // What is answered makes the str as wide as a kind of two bytes, unless answers to faults are ASCII or none.
        let is_wide = is_answered && T::LEAST <= 0xFFFF && !self.on_fault.answers_ascii();
        likely(is_wide || greatest(out) >= T::LEAST)
    }
}

/// Take so many bytes of dirty text from an offset on, or what is before where the kernels stop, and return where that
/// ends. What is behind clean text is likely to be clean too: more of it is taken, and measured first.
fn take<T: Unit>(source: &Source<'_>, start: usize, bytes: usize, is_dirty: bool, out: &mut Output<'_, T>) -> usize
where
    for<'o> Output<'o, T>: Sink,
{
    let limit = |bytes: usize| source.data.len().min(start + bytes.min(out.room()));
    if is_dirty {
        return out.take_dirty(source, start, limit(bytes));
    }
    let taken = Input::Bytes(*source).each_chunk(start, limit(CLEAN_STRETCH), |extent, input, (from, to)| {
        let fits = extent.width.largest() <= T::MOST;
        if fits && out.take(input, from, to).is_ok() { Ok(()) } else { Err(from) }
    });
    // What does not fit is taken up to where it does not.
    taken.unwrap_or_else(|from| out.take_dirty(source, from, source.data.len().min(from + bytes.min(out.room()))))
}
