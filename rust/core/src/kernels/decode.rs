//! Bytes of a form measured and written as code points: by the kernels of the machine, else in blocks. What is shared
//! with UTF-8 is written as that is; masks of `reader` tell what begins in other blocks.

use super::kind::Unit;
use super::level::Level;
use super::masks::{Window, gathered, window_at};
use super::measured::Width;
use super::output::Output;
use super::plain;
use super::put::{answer, first, kept, put};
use super::reader::{Block, Lanes, Reader};
use super::runs::{Points, Runner, Runs, answer_unit};
use super::source::{Extent, Note, Notes, Source};
use super::units::Units;
use super::validity::BLOCK;
use super::words::{self, Shared};
use super::{dispatch, validity};
use crate::derive::layout::Pairs;
use crate::derive::piece::Piece;
use crate::policy::{Answer, BACKSLASHED_BYTE};

/// So much ASCII at the beginning of a block is taken by itself.
const ASCII: usize = 16;

/// A place for what is read.
trait Place: Runner {
    /// Take what some bytes of a source begin with that are runs with ill-formed units between: see [`Runs::read`].
    fn runs(&mut self, runs: &Runs<'_>, within: [usize; 2]) -> usize;
    /// Take the first bytes of a block, which are ASCII.
    fn ascii(&mut self, block: &[u8; BLOCK], length: usize);
    /// Take what begins in a block of UTF-8 and ends there, given its largest byte, and return where that ends.
    fn shared(&mut self, block: &[u8; BLOCK], largest: u8) -> usize;
    /// Take what begins in the block at an offset.
    fn block(&mut self, reader: &Reader<'_>, window: &Window, block: &Block, at: usize);
    /// Take text.
    fn text(&mut self, text: &str);
}

/// A place that counts code points, and notes ill-formed blocks.
struct Counter<'n> {
    extent: Extent,
    notes: Option<&'n mut Notes>,
}

impl Points for Counter<'_> {
    #[inline]
    fn put(&mut self, code_point: u32) {
        self.extent.count += 1;
        self.extent.width = self.extent.width.max(Width::of(code_point));
    }
}

impl Runner for Counter<'_> {
    #[inline(always)]
    fn run(&mut self, data: &[u8], shared: Shared) -> usize {
        let length = shared.read(data, |_, _| ());
        if length > 0 {
            self.extent.count += words::count(data[0], length);
            self.extent.width = self.extent.width.max(Width::of_largest(data[0]));
        }
        length
    }

    #[inline(always)]
    fn holds(&self, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn answered(&mut self, at: usize, length: usize) {
        self.extent.is_clean = false;
        if let Some(notes) = self.notes.as_mut() {
            notes.add(Note::new([1, 1, 0], at, length), at);
        }
    }
}

impl Place for Counter<'_> {
    #[inline(never)]
    fn runs(&mut self, runs: &Runs<'_>, within: [usize; 2]) -> usize {
        runs.read(within, self)
    }

    fn ascii(&mut self, _: &[u8; BLOCK], length: usize) {
        self.extent.count += length;
    }

    fn shared(&mut self, block: &[u8; BLOCK], largest: u8) -> usize {
        let end = if largest < 0x80 { BLOCK } else { plain::whole_end(block) };
        // A sequence that is cut may be the one with the largest byte.
        let largest = if end < BLOCK { validity::largest(&block[..end]) } else { largest };
        self.extent.count += if largest < 0x80 { end } else { validity::count(&block[..end]) };
        self.extent.width = self.extent.width.max(Width::of_largest(largest));
        end
    }

    fn block(&mut self, reader: &Reader<'_>, window: &Window, block: &Block, at: usize) {
        let Lanes { begins, ill, pairs, .. } = block.lanes;
        let kept = kept(reader, begins, ill);
        let more = if reader.answer == Answer::Backslash { BACKSLASHED_BYTE - 1 } else { 0 };
        self.extent.count += kept.count_ones() as usize + more * ill.count_ones() as usize;
        self.extent.is_clean &= ill == 0;
        let answered = if ill == 0 || reader.answer.is_ascii() { Width::Ascii } else { Width::Ucs2 };
        let paired = if pairs == 0 { Width::Ascii } else { Width::Ucs4 };
        let known = self.extent.width.max(answered).max(paired);
        let borders = reader.layout.borders.iter().skip(known as usize);
        let reached = borders.take_while(|&&border| reader.reaches(window, begins & !ill, border)).count();
        self.extent.width = Width::of_class(known as usize + reached);
        if let Some(notes) = self.notes.as_mut().filter(|_| ill != 0) {
            notes.add(Note::new([begins, ill, pairs], at, block.length), at + first(begins));
        }
    }

    fn text(&mut self, text: &str) {
        self.extent.count += text.chars().count();
        self.extent.width = self.extent.width.max(Width::of_largest(validity::largest(text.as_bytes())));
    }
}

impl<T: Unit> Place for Output<'_, T> {
    #[inline(never)]
    fn runs(&mut self, runs: &Runs<'_>, within: [usize; 2]) -> usize {
        self.go_on(|out| runs.read(within, out))
    }

    fn ascii(&mut self, block: &[u8; BLOCK], length: usize) {
        self.extend_first(&block.map(|byte| T::of(byte.into())), length);
    }

    fn shared(&mut self, block: &[u8; BLOCK], largest: u8) -> usize {
        plain::decode_block(block, largest, self)
    }

    fn block(&mut self, reader: &Reader<'_>, window: &Window, block: &Block, _: usize) {
        put(reader, window, block.lanes, self);
    }

    fn text(&mut self, text: &str) {
        text.chars().for_each(|char| self.push(T::of(char.into())));
    }
}

/// Measure from an offset to a limit, or to where the layout does not apply.
fn measure(source: &Source<'_>, start: usize, limit: usize, notes: Option<&mut Notes>) -> Extent {
    let mut counter = Counter { extent: Extent::none(start), notes };
    counter.extent.end = source.read(start, limit, &mut counter);
    counter.extent
}

/// Write from an offset to a limit, or to where the layout does not apply, and return the end.
fn write<T: Unit>(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, T>) -> usize {
    if source.is_plain()
        && let Some(text) = source.known(start, limit)
    {
        plain::decode(text, text.len(), out);
        return limit;
    }
    match source.noted(start) {
        Some((end, notes)) => {
            source.write_noted((start, end), notes, out);
            // Where measuring ended, what is next may begin as a run does; but it was not measured.
            if source.notes.is_some_and(Notes::is_full) { source.read(end, limit, out) } else { end }
        }
        None => source.read(start, limit, out),
    }
}

/// As [`Source::write_short`]: runs, and blocks of which the masks say what begins in them.
fn write_short(source: &Source<'_>, out: &mut Output<'_, u32>) -> bool {
    let (reader, runs, mut at, mut copy) = (Reader::new(source), Runs::new(source), 0, [0; _]);
    while at < source.data.len() {
        if source.data[at] >= words::THREE {
            let end = out.runs(&runs, [at, source.data.len()]);
            if end > at {
                at = end;
                continue;
            }
        }
        let (window, left) = (window_at(source.data, at, &mut copy), source.data.len() - at);
        let block = reader.look(window, left);
        if !block.goes_on && block.length < left {
            return false;
        }
        put(&reader, window, block.lanes, out);
        at += block.length;
    }
    true
}

/// Call a kernel that writes, in the kind for the answer to ill-formed units: each has code of its own, without a
/// branch for each block.
macro_rules! by_answer {
    ($source:expr, $write:ident($($argument:expr),*)) => {
        match $source.answer() {
            Answer::Backslash => dispatch::$write::<true>($source, $($argument),*),
            _ => dispatch::$write::<false>($source, $($argument),*),
        }
    };
}

impl<'a> Source<'a> {
    /// Measure from an offset to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Extent {
        dispatch::measure(self, start, limit).unwrap_or_else(|| self::measure(self, start, limit, None))
    }

    /// The same, and note what writing needs.
    pub fn measure_noting(&self, start: usize, limit: usize, notes: &mut Notes) -> Extent {
        dispatch::measure_noting(self, start, limit, notes).unwrap_or_else(|| {
            notes.begin(start);
            let extent = self::measure(self, start, limit, Some(notes));
            notes.finish(extent.end);
            extent
        })
    }

    /// Write what [`Source::measure`] measured, with the same limit, or with its end if it was clean; return the end.
    pub fn write_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        by_answer!(self, write_ucs1(start, limit, out)).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        by_answer!(self, write_ucs2(start, limit, out)).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        by_answer!(self, write_ucs4(start, limit, out)).unwrap_or_else(|| self::write(self, start, limit, out))
    }

    /// Write short bytes without measuring them first, and return whether they could all be read; what was written
    /// means nothing if not. There is room for four values a byte.
    pub fn write_short(&self, out: &mut Output<'_, u32>) -> bool {
        dispatch::write_short(self, out).unwrap_or_else(|| write_short(self, out))
    }

    /// Write the answer to the ill-formed unit that begins with some bytes, if the first is not ASCII, and return how
    /// many of them it answers; 0 if there is none, or no answer.
    #[inline(always)]
    pub fn write_unit(&self, bytes: [u8; 8], out: &mut Output<'_, u32>) -> usize {
        match self.layout.piece(&bytes) {
            Piece::IllFormed(length) if bytes[0] >= 0x80 => {
                answer_unit(self.answer(), bytes[0], length, out).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether well-formed text means what it would mean in UTF-8.
    fn is_plain(&self) -> bool {
        self.layout.shift().is_none() && self.layout.pairs != Pairs::Joined
    }

    /// The stretch that was noted from an offset on. What is not plain is read again in the same blocks: in others,
    /// reading could stop where it did not.
    fn noted(&self, start: usize) -> Option<(usize, &'a [Note])> {
        let notes = self.notes.filter(|notes| self.is_plain() && !(self.layout.parts && notes.is_full()))?;
        notes.stretch(start)
    }

    /// Write a stretch of which the blocks with something ill-formed are noted.
    fn write_noted<T: Unit>(&self, (start, end): (usize, usize), notes: &[Note], out: &mut Output<'_, T>) {
        let (reader, mut at, mut copy) = (Reader::new(self), start, [0; _]);
        for note in notes {
            plain::decode(&self.data[at..], note.at() + first(note.begins) - at, out);
            if note.is_answer() && reader.answer != Answer::Backslash {
                (reader.answer != Answer::Drop).then(|| out.push(T::of(answer(&reader, self.data[note.at()]))));
            } else {
                let window = window_at(self.data, note.at(), &mut copy);
                put(&reader, window, Lanes::of(window, [note.begins, note.ill, note.odd]), out);
            }
            at = note.at() + note.length();
        }
        plain::decode(&self.data[at..], end - at, out);
    }

    /// Read block by block, and return where that ended.
    fn read(&self, start: usize, limit: usize, out: &mut impl Place) -> usize {
        let (reader, parting) = (Reader::new(self), self.agreement.least_parting());
        let runs = Runs::new(self);
        let (mut at, mut copy, mut is_begun) = (start, [0; _], false);
        // One bit for each of the last blocks with something ill-formed: after two of them a third is likely.
        let mut dirty = 0_u8;
        while at < limit {
            if is_begun || self.data[at] >= words::THREE {
                let end = out.runs(&runs, [at, limit]);
                if end > at {
                    (at, is_begun) = (end, false);
                    continue;
                }
            }
            is_begun = false;
            if let Some(block) = self.data[at..limit].first_chunk() {
                let largest = validity::largest(block);
                if dirty & 1 != 0 && largest >= 0x80 && reader.layout.has_nul {
                    // Behind something ill-formed, what is next above ASCII is likely to be so too.
                    let ascii = gathered(block).trailing_zeros() as usize;
                    if ascii >= ASCII {
                        out.ascii(block, ascii);
                        (at, is_begun) = (at + ascii, true);
                        continue;
                    }
                }
                if self.is_shared(block, largest, parting, dirty & 3 == 3) {
                    at += out.shared(block, largest);
                    // A block of ASCII says nothing about other blocks.
                    dirty &= if largest < 0x80 { !0 } else { 0 };
                    continue;
                }
            }
            let window = window_at(self.data, at, &mut copy);
            let block = reader.look(window, limit - at);
            out.block(&reader, window, &block, at);
            if !block.goes_on {
                return self.end_behind(at + block.length, limit, out);
            }
            at += block.length;
            dirty = dirty << 1 | u8::from(block.lanes.ill != 0);
        }
        at
    }

    /// Where reading ends that ended with a block: behind what is left, shorter than a block, if that is UTF-8 that
    /// means the same in the form. The layout may part where that is so: what was measured in a block must be written
    /// as well if it ends where the block has not ended yet.
    fn end_behind(&self, at: usize, limit: usize, out: &mut impl Place) -> usize {
        let rest = self.data.get(at..limit).filter(|rest| rest.len() < BLOCK);
        let text = rest.and_then(|rest| str::from_utf8(rest).ok());
        match text.filter(|text| !text.is_empty() && self.agreement.before_parting(text.as_bytes()) == text.len()) {
            Some(text) => {
                out.text(text);
                limit
            }
            None => at,
        }
    }

    /// Whether a block, given its largest byte, is UTF-8 that means the same in the form; but for ASCII nothing that is
    /// likely to be something else.
    #[inline(always)]
    fn is_shared(&self, block: &[u8; BLOCK], largest: u8, parting: u8, is_unlikely: bool) -> bool {
        let is_utf8 = largest < 0x80 || !is_unlikely && validity::is_clean(block, largest);
        is_utf8 && (largest < parting || self.agreement.before_parting(block) == BLOCK)
    }
}

impl Units<'_> {
    /// As [`Source::measure`].
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Extent {
        dispatch::measure_units(self, start, limit).unwrap_or_else(|| self.measure_rest(start, limit))
    }

    /// As [`Source::write_ucs1`].
    pub fn write_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        dispatch::write_units_ucs1(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// As [`Source::write_ucs2`].
    pub fn write_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        dispatch::write_units_ucs2(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// As [`Source::write_ucs4`].
    pub fn write_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        dispatch::write_units_ucs4(self, start, limit, out).unwrap_or_else(|| self.write_rest(start, limit, out))
    }

    /// The widest text that is copied in less time than it is measured and written.
    pub fn widest_to_copy(&self) -> Width {
        let has_vectors = Level::current() > Level::Portable;
        if self.wide.unit_bytes == 4 && has_vectors { Width::Latin1 } else { Width::Ucs2 }
    }

    /// Write units as the code points that they are, and return them or-ed. None where one takes more than a byte;
    /// then only part is written.
    pub fn copy_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> Option<u32> {
        if self.wide.unit_bytes == 4 {
            return self.copy_wide(start, limit, Width::Latin1, out, |unit| unit as u8);
        }
        dispatch::copy_units_ucs1(self, start, limit, out)
            .unwrap_or_else(|| self.copy_rest(start, limit, Width::Latin1, out, |unit| unit as u8))
    }

    /// The same, where they are no pairs and nothing that the form lacks.
    pub fn copy_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<u32> {
        if self.wide.unit_bytes == 4 {
            return self.copy_wide(start, limit, Width::Ucs2, out, |unit| unit as u16);
        }
        let head = start + 2 * out.before_line((limit - start) / 2);
        let seen = if head > start { self.copy_units(start, head, out)? } else { 0 };
        Some(seen | self.copy_units(head, limit, out)?)
    }

    /// As [`Units::copy_ucs2`], of 16-bit units.
    fn copy_units(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<u32> {
        dispatch::copy_units_ucs2(self, start, limit, out)
            .unwrap_or_else(|| self.copy_rest(start, limit, Width::Ucs2, out, |unit| unit))
    }
}
