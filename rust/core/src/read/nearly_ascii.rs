//! Text that is ASCII but for a fault here and there, under a policy whose answers have a known width, or for an
//! escape: it is written in one pass, without measuring first. If the text turns out to be otherwise, the pass says so,
//! and `pass` measures it first. On machines without instructions of ours, so is text in the beginning of which
//! something is beyond U+00FF, or is answered so: there, a second pass costs as much as the first.

use crate::chunk::CHUNK_BYTES;
use crate::kernels::{Input, LANES, Level, Output, Runs, Unit, Width, copy_ascii_prefix, count_beyond_ascii};
use crate::policy::{BACKSLASHED_BYTE, OnFault};
use crate::read::pass::{Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};
use crate::read::short::high_lanes;

/// Faults next to each other are one cluster, a flock; this many flocks are always accepted.
const FLOCKS: usize = 8;

/// The same in text that is so short that most of it would be written when the attempt failed.
const FLOCKS_OF_LITTLE: usize = 32;
const LITTLE: usize = 8192;

/// Bytes from which the room for the answers in the rest is estimated.
const SAMPLE_BYTES: usize = 8192;

/// The bytes in which a sequence beyond U+00FF is looked for.
const BEGINNING: usize = 512;

/// The lead byte of the last sequences up to U+00FF.
const LAST_NARROW_LEAD: u8 = 0xC3;

/// Sequences that are neither ASCII nor in a run are taken one by one; if these are more, the kernels are quicker.
const BYTES_AN_OTHER: usize = 64;

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

/// What is known of the beginning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// It is likely to be ASCII but for faults.
    Ascii,
    /// It is beyond U+00FF, or answered so.
    Wide,
    /// It has been measured: faults and escapes are everywhere.
    Dirty,
}

/// An input to be written in one pass: text that is likely to be ASCII but for faults, or that begins beyond U+00FF or
/// dirty.
#[derive(Clone, Copy, Debug)]
pub struct OnePass<'a> {
    /// The pass that would measure it first.
    pub pass: &'a Pass<'a>,
    /// How many code points have to have room.
    pub room: usize,
    /// The width of the text, unless the attempt fails or it turns out to be wider.
    pub width: Width,
    pub(super) begins: Beginning,
}

impl OnePass<'_> {
    /// Write all that the input gives from an offset on, in a form that shares ASCII. It stops if that holds much else,
    /// if there are so many faults that the kernels are faster, if the room does not suffice, or if `goes_on` says so,
    /// which is called now and then with the bytes since the last time.
    ///
    /// # Panics
    /// There is less room than that.
    pub fn write<T: Unit>(&self, start: usize, out: &mut Output<'_, T>, goes_on: impl FnMut(usize) -> bool) -> Attempt
    where
        for<'o> Output<'o, T>: Sink,
    {
        self.try_writing(start, out, goes_on).err().unwrap_or(Attempt::Done)
    }

    fn try_writing<T: Unit>(
        &self,
        start: usize,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        if let Some(source) = self.pass.dirty().filter(|_| T::LEAST > 0) {
            return self.write_dirty(&source, start, out, goes_on);
        }
        let (pass, length) = (self.pass, self.pass.data.len());
        // Between ASCII and faults they would be looked for in vain.
        let runs = if start > 0 || self.begins == Beginning::Wide { pass.runs::<T>() } else { None };
        let (mut at, mut flocks, mut others) = (start, 0, 0);
        let accepted = if length > LITTLE { FLOCKS } else { FLOCKS_OF_LITTLE };
        loop {
            let before = at;
            at += copy_ascii_prefix(&pass.data[at..], out);
            if at == length {
                break;
            }
            flocks += 1;
            likely(flocks <= accepted + at / pass.bytes_a_flock() && goes_on(at - before))?;
            let Some(runs) = &runs else {
                at = pass.write_flock(at, out, &mut goes_on)?;
                continue;
            };
            let before = at;
            at = runs.write([at, length.min(at + CHUNK_BYTES)], out);
            if pass.data.get(at).is_some_and(|&byte| byte >= 0x80) {
                others += 1;
                likely(others <= FLOCKS_OF_LITTLE + at / BYTES_AN_OTHER)?;
                at = pass.write_other(at, out)?;
            }
            likely(goes_on(at - before))?;
        }
        let is_answered = flocks > 0 && runs.is_none() && !pass.on_fault.answers_ascii();
        likely(is_answered || greatest(out) >= T::LEAST)
    }
}

/// Whether an attempt is to go on.
pub(super) fn likely(is_so: bool) -> Result<(), Attempt> {
    if is_so { Ok(()) } else { Err(Attempt::Failed) }
}

impl Pass<'_> {
    /// How the input is written in one pass; None under a policy that answers nothing, or answers by the form's tables,
    /// if no escape is first, and where so much is not ASCII that the attempt would be futile.
    #[must_use]
    pub fn in_one_pass(&self) -> Option<OnePass<'_>> {
        let begun = self.begun_width();
        if !(self.on_fault.answers_alone() || begun.is_some() || self.begins_with_escape()) {
            return None;
        }
        let is_ascii = self.on_fault.answers_ascii() && !self.has_escape();
        if !is_ascii && self.takes_dirty() && !self.begins_with_ascii_and_faults() {
            return None;
        }
        let answered = if is_ascii { Width::Ascii } else { Width::Ucs2 };
        let begins = if begun.is_some() { Beginning::Wide } else { Beginning::Ascii };
        Some(OnePass { pass: self, room: self.room()?, width: begun.unwrap_or(answered), begins })
    }

    fn room(&self) -> Option<usize> {
        let count = self.data.len();
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

    /// The width of the first sequence beyond U+00FF in the beginning, or of the answer to a fault there, where such
    /// text is not measured first.
    #[must_use]
    pub fn begun_width(&self) -> Option<Width> {
        let runs = self.runs::<u32>().filter(|_| !self.is_short())?;
        let beginning = &self.data[..self.data.len().min(BEGINNING)];
        let first = first_beyond_ascii(beginning)?;
        let leads = (first..beginning.len()).filter(|&at| beginning[at] > LAST_NARROW_LEAD);
        let begun = leads.filter_map(|at| runs.width_at(at)).find(|&width| width > Width::Latin1);
        // ASCII between few faults is copied in less time than words are looked at.
        let is_mixed = count_beyond_ascii(beginning) > BEGINNING / 16;
        begun.or_else(|| (is_mixed && self.answers_wide(&beginning[first..])).then_some(Width::Ucs2))
    }

    /// Whether something in some bytes is likely to be ill-formed, and answered beyond U+00FF. It is judged as UTF-8,
    /// which a form may only share in part; if nothing beyond U+00FF is written, the attempt fails.
    fn answers_wide(&self, bytes: &[u8]) -> bool {
        let is_answered = matches!(self.on_fault, OnFault::Replace | OnFault::SurrogateEscape) || self.has_escape();
        is_answered && str::from_utf8(bytes).is_err_and(|fault| fault.error_len().is_some())
    }

    /// Whether the first byte that is not ASCII is an escape.
    fn begins_with_escape(&self) -> bool {
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
    fn escape_at(&self, at: usize) -> Option<u32> {
        if !self.has_escape() {
            return None;
        }
        match self.form.step_at(self.data, at, self.is_final, NO_RUN) {
            Step::Value { end, code_point } if end == at + 1 => Some(code_point),
            _ => None,
        }
    }

    /// Whether stray bytes are escapes in the form.
    fn has_escape(&self) -> bool {
        self.form.layout.as_ref().is_some_and(|layout| layout.escape.is_some())
    }

    /// The runs of the input, if they are not measured first.
    fn runs<T: Unit>(&self) -> Option<Runs<'_>> {
        if Level::current() != Level::Portable || !self.is_final || self.on_fault == OnFault::BackslashReplace {
            return None;
        }
        match self.input() {
            Some(Input::Bytes(source)) => Some(Runs::within::<T>(&source)),
            _ => None,
        }
    }

    /// Answer what begins at an offset up to the next ASCII, and return where that is.
    #[inline(always)]
    fn write_flock<T: Unit>(
        &self,
        start: usize,
        out: &mut Output<'_, T>,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<usize, Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        let mut at = start;
        while self.data.get(at).is_some_and(|&byte| byte >= 0x80) {
            let next = self.answered(at, out.room(), out).ok_or(Attempt::Failed)?;
            likely(goes_on(next - at))?;
            at = next;
        }
        Ok(at)
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
            Step::Unit { end } => self.answer(at, end, None, out).map_err(|_| Attempt::Failed),
            _ => Err(Attempt::Failed),
        }
    }

    /// Where flocks are closer together than this many bytes, the kernels are faster, if the machine has some.
    fn bytes_a_flock(&self) -> usize {
        match (self.on_fault, Level::current()) {
            // The kernels write the text between answers part by part.
            (OnFault::BackslashReplace, Level::Avx512) => 16,
            (OnFault::BackslashReplace, _) => 1,
            // Faults at irregular distances are as many mispredicted branches; from 130 to 160 bytes on these cost less
            // than masks.
            (_, Level::Avx512) => 128,
            // Single bytes gain by masks up to 47; truncated sequences lose by them from 40 on.
            (_, Level::Neon | Level::Avx2) => 40,
            (_, Level::Portable) => 1,
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
        let needed = BACKSLASHED_BYTE * (end - at) + (self.data.len() - end);
        let has_room = self.on_fault != OnFault::BackslashReplace || room >= needed;
        if has_room { self.answer(at, end, None, out).ok() } else { None }
    }
}
