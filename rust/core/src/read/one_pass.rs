//! Text that is written in one pass, without measuring it first: which is, and by whom.

use crate::kernels::{Extent, Output, Source, Unit, Width, count_beyond_ascii};
use crate::policy::{BACKSLASHED_BYTE, OnFault};
use crate::read::one_by_one::Attempt;
use crate::read::pass::{Pass, Sink};

/// Bytes from which the room for the answers in the rest is estimated.
const SAMPLE_BYTES: usize = 8192;

/// Values that have room in dirty text beyond those that are estimated.
const SPARE: usize = 512;

/// What is known of the beginning of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
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
    begins: Beginning,
    /// The input, if kernels write it however dirty it is.
    dirty: Option<Source<'a>>,
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
        goes_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Attempt>
    where
        for<'o> Output<'o, T>: Sink,
    {
        match (self.dirty.as_ref().filter(|_| T::LEAST > 0), self.begins) {
            (Some(source), Beginning::Dirty) => self.pass.write_dirty(source, start, out, goes_on),
            (Some(source), _) => self.pass.write_dirty_ascii(source, start, out, goes_on),
            (None, begins) => self.pass.write_nearly_ascii(start, begins == Beginning::Wide, out, goes_on),
        }
    }
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
        let dirty = if is_ascii { None } else { self.dirty() };
        if dirty.is_some() && !self.begins_with_ascii_and_faults() {
            return None;
        }
        let answered = if is_ascii { Width::Ascii } else { Width::Ucs2 };
        let begins = if begun.is_some() { Beginning::Wide } else { Beginning::Ascii };
        Some(OnePass { pass: self, room: self.room()?, width: begun.unwrap_or(answered), begins, dirty })
    }

    /// How the input is written in one pass because its beginning is dirty; None where it is not, or is narrow, or no
    /// kernel writes such text.
    #[must_use]
    pub fn in_one_pass_if_dirty(&self) -> Option<OnePass<'_>> {
        let dirty = self.dirty()?;
        let beginning = dirty.dirty_beginning().filter(|beginning| beginning.width >= Width::Ucs2)?;
        let room = room_of_dirty(self.data.len(), &beginning);
        Some(OnePass { pass: self, room, width: beginning.width, begins: Beginning::Dirty, dirty: Some(dirty) })
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
}

/// How many values have room for text of a length, given what its beginning came to: one for each byte, but where a
/// value takes four bytes not more than half as many again as if all were like the beginning. Memory that is not filled
/// costs less than text that is written again, but not nothing.
fn room_of_dirty(length: usize, beginning: &Extent) -> usize {
    if beginning.width < Width::Ucs4 {
        return length;
    }
    let alike = length / beginning.end * beginning.count;
    length.min(alike + alike / 2 + SPARE)
}
