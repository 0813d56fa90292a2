//! Runs of what a form shares with UTF-8, and ill-formed units between them, read sequence by sequence: branches decide
//! how much of a word counts. Other stretches are read in blocks, here or in `decode`.

#![expect(unsafe_code, reason = "a loop does not look for room for each word")]

use std::mem::MaybeUninit;

use super::kind::Unit;
use super::masks::{LANES, window_at};
use super::measured::Width;
use super::output::{Output, Place};
use super::put::{first, put_plain};
use super::reader::Reader;
use super::source::Source;
use super::words::{self, FOUR, Shared, WORD};
use crate::derive::piece::{Piece, window};
use crate::policy::{Answer, backslashed_byte};

/// A place for code points.
pub trait Points {
    /// Take one.
    fn put(&mut self, code_point: u32);
}

impl<T: Unit> Points for Output<'_, T> {
    #[inline]
    fn put(&mut self, code_point: u32) {
        self.push(T::of(code_point));
    }
}

/// A place for runs.
pub trait Runner: Points {
    /// Take the run of sequences of three or of four bytes with which some bytes begin, and return its length.
    fn run(&mut self, data: &[u8], shared: Shared) -> usize;
    /// Whether a code point has room in it.
    fn holds(&self, code_point: u32) -> bool;
    /// Notice that an ill-formed unit of so many bytes was answered at an offset.
    fn answered(&mut self, at: usize, length: usize);
}

impl<T: Unit> Runner for Output<'_, T> {
    #[inline(always)]
    fn run(&mut self, data: &[u8], shared: Shared) -> usize {
        shared.read(data, |values, count| self.extend_first(&values.map(T::of), count))
    }

    #[inline(always)]
    fn holds(&self, code_point: u32) -> bool {
        code_point <= T::MOST
    }

    fn answered(&mut self, _: usize, _: usize) {}
}

/// How words are read.
#[derive(Clone, Copy)]
pub struct Words {
    /// What is shared with UTF-8.
    pub shared: Shared,
    /// What to do at ill-formed units.
    pub answer: Answer,
    /// Whether words end where much is read by itself, for blocks of which the values are those of UTF-8, and which
    /// know no escapes. Text beyond the BMP goes on in words, which take no more time there.
    pub end_at_many: bool,
}

/// A source as runs are read of it.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    source: Source<'a>,
    words: Words,
}

impl<'a> Runs<'a> {
    /// Those of a source.
    #[must_use]
    pub fn new(source: &Source<'a>) -> Self {
        let (shared, answer) = (Shared::new(source.agreement), source.answer());
        let end_at_many = source.layout.shift().is_none() && answer != Answer::Backslash;
        let words = Words { shared, answer, end_at_many };
        Runs { source: *source, words }
    }

    /// The same, to be written as a kind of str.
    #[must_use]
    pub fn within<T: Unit>(source: &Source<'a>) -> Self {
        let runs = Runs::new(source);
        Runs { words: Words { shared: runs.words.shared.within::<T>(), ..runs.words }, ..runs }
    }

    /// The width of the sequence at an offset, if it is one of those that are read by words.
    #[must_use]
    pub fn width_at(&self, at: usize) -> Option<Width> {
        match self.source.layout.piece(&window(self.source.data, at)) {
            Piece::Value(code_point, _) if self.words.shared.has(self.source.data[at]) => Some(Width::of(code_point)),
            _ => None,
        }
    }

    /// Write text and the answers to the ill-formed units in it, which begin before a limit, up to what is neither, or
    /// has no room in the kind of str; return where that is. Each byte gives at most one code point, but for
    /// `Answer::Backslash`.
    ///
    /// # Panics
    /// There is no room for as many.
    #[inline(never)]
    pub fn write<T: Unit>(&self, [start, limit]: [usize; 2], out: &mut Output<'_, T>) -> usize {
        let mut at = start;
        loop {
            let (end, are_many) = self.source.write_words(self.words, [at, limit], out);
            if !are_many {
                return end;
            }
            let goes_on;
            (at, goes_on) = self.write_blocks([end, limit], out);
            if !goes_on {
                return at;
            }
        }
    }

    /// Write text within the BMP in blocks, from an offset up to a limit, to one in which nothing is ill-formed, or to
    /// something else; return where that is, and whether it goes on with words.
    #[inline(never)]
    fn write_blocks<T: Unit>(&self, [start, limit]: [usize; 2], out: &mut Output<'_, T>) -> (usize, bool) {
        let (reader, data) = (Reader::new(&self.source), self.source.data);
        let (mut at, mut copy) = (start, [0; _]);
        while at < limit {
            let window = window_at(data, at, &mut copy);
            let block = reader.look(window, limit - at);
            let [_, fours] = block.lanes.leads;
            let stop = first(fours & !block.lanes.ill | block.lanes.pairs);
            let lanes = block.lanes.before(stop);
            put_plain(&reader, window, lanes, out);
            if stop < LANES {
                return (at + stop, false);
            }
            at += block.length;
            if !block.goes_on || lanes.ill == 0 {
                return (at, block.goes_on && at < limit);
            }
        }
        (at, false)
    }

    /// Read runs of sequences of three or of four bytes and the ill-formed units before and between, and return where
    /// they end.
    #[inline(always)]
    pub fn read(&self, [start, limit]: [usize; 2], out: &mut impl Runner) -> usize {
        let (layout, data) = (self.source.layout, self.source.data);
        let mut at = start;
        while let Some(&first) = data[..limit].get(at) {
            if first >= words::THREE {
                at += out.run(&data[at..limit], self.words.shared);
            }
            // What is next is no run, so that is not asked.
            let Some(&byte) = data[..limit].get(at) else { break };
            if byte < 0x80 {
                break;
            }
            let length = match layout.piece(&window(data, at)) {
                Piece::IllFormed(length) => length,
                Piece::Value(code_point, length) if length > 2 && out.holds(code_point) => {
                    out.put(code_point);
                    at += length;
                    continue;
                }
                _ => break,
            };
            let Some(length) = answer_unit(self.words.answer, byte, length, out) else { break };
            out.answered(at, length);
            at += length;
        }
        at
    }
}

/// Whether bytes seem to end in sequences of four bytes, so that behind a fault more of them are likely.
fn is_behind_fours(bytes: &[u8]) -> bool {
    matches!(bytes, [.., FOUR..=0xFF, _, _, _, FOUR..=0xFF, _, _, _])
}

/// What is read by itself among words: the offset of the first, and how many more are within a block of it.
struct Others {
    first: usize,
    more: usize,
}

impl Others {
    /// So many more are many: then blocks take less time than branches that are not foreseen.
    const MANY: usize = 3;

    /// Whether they are many with the one at an offset.
    // It is apart, so that the registers are left to those who read words.
    #[inline(never)]
    fn are_many(&mut self, at: usize) -> bool {
        (self.first, self.more) = if at - self.first < LANES { (self.first, self.more + 1) } else { (at, 0) };
        self.more == Others::MANY
    }
}

/// What stands for something that is read by itself.
#[derive(Clone, Copy)]
struct Other {
    /// How many bytes it has.
    length: usize,
    /// The code point, and how often it is written: once, or not at all.
    point: u32,
    count: usize,
}

/// The answers to ill-formed units above ASCII, as numbers: no branch depends on what is ill-formed.
#[derive(Clone, Copy)]
struct Answers {
    /// The code point for a byte is the sum of this number and of the bits of the byte that count.
    base: u32,
    bits: u8,
    /// Whether each byte is answered by itself. Behind the first of a unit, they are continuation bytes, with which
    /// nothing begins.
    by_byte: bool,
    /// How many code points there are for a unit otherwise: one, or none.
    count: usize,
}

impl Answers {
    /// The most bytes of a unit.
    const MOST: usize = 3;

    /// None if an answer is more than a code point, or if there is none.
    fn of(answer: Answer) -> Option<Self> {
        let (base, bits, count) = match answer {
            Answer::Replace => (0xFFFD, 0, 1),
            Answer::Drop => (0, 0, 0),
            Answer::Escape(base) => (base, !0, 1),
            Answer::Backslash | Answer::Stop | Answer::Never => return None,
        };
        Some(Answers { base, bits, by_byte: answer.is_by_byte(), count })
    }

    /// Write the answers to a unit of so many bytes.
    ///
    /// # Safety
    /// The place has room for [`Answers::MOST`] values.
    #[inline(always)]
    unsafe fn put<T: Unit>(self, [first, second, third, ..]: [u8; WORD], length: usize, place: &mut Place<T>) {
        debug_assert!(length <= Answers::MOST);
        let values = [first, second, third].map(|byte| T::of(self.base + u32::from(byte & self.bits)));
        // SAFETY: the contract of this function.
        unsafe { place.put(values, if self.by_byte { length } else { self.count }) };
    }
}

impl Source<'_> {
    /// Write what is shared with UTF-8 and what is read by itself, from an offset up to a limit, until something is
    /// neither or is one of many; return where that is, and whether it is the latter. Branches decide how much of a
    /// word counts, which are foreseen where text is short or has few lengths.
    ///
    /// # Panics
    /// There is no room for as many values as bytes.
    #[inline(always)]
    pub fn write_words<T: Unit>(
        &self,
        words: Words,
        [start, limit]: [usize; 2],
        out: &mut Output<'_, T>,
    ) -> (usize, bool) {
        let Words { shared, answer, end_at_many } = words;
        let (at, is_done, are_many) = out.extend_within(limit - start, |mut place| {
            let (bytes, mut at, mut others) = (&self.data[..limit], start, Others { first: start, more: 0 });
            while let Some(&word) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
                // SAFETY: so far there are no more values than bytes, and at least as many bytes are left as a word
                // has.
                let mut length = unsafe { shared.write_word(u64::from_le_bytes(word), &mut place) };
                if length == 0 && T::IS_WIDE && is_behind_fours(&bytes[..at]) {
                    // SAFETY: as above.
                    let written = unsafe { self.write_fours(&bytes[at..], words, place) };
                    (length, place) = written;
                }
                if length == 0 {
                    if T::IS_BMP && end_at_many && others.are_many(at) {
                        return ((at, true, true), place);
                    }
                    let Some(other) = self.other(answer, at, T::MOST) else { return ((at, true, false), place) };
                    // What is written below relies on it.
                    assert!(other.length >= 1 && other.count <= 1, "more values than bytes");
                    // SAFETY: as above.
                    unsafe { place.put([T::of(other.point)], other.count) };
                    length = other.length;
                }
                at += length;
            }
            ((at, false, false), place)
        });
        (if is_done { at } else { self.write_tail(words, [at, limit], out) }, are_many)
    }

    /// Write sequences of four bytes that are shared, and the answers to ill-formed units between them, up to what is
    /// neither, or is near the end; return how many bytes these are.
    ///
    /// # Safety
    /// The place has room for as many values as there are bytes.
    // It is apart, so that the registers are left to those who read words.
    #[inline(never)]
    unsafe fn write_fours<T: Unit>(&self, bytes: &[u8], words: Words, mut place: Place<T>) -> (usize, Place<T>) {
        let answers = Answers::of(words.answer).filter(|_| words.shared.has(FOUR));
        let (Some(answers), mut at) = (answers, 0) else { return (0, place) };
        loop {
            // SAFETY: the contract of this function; so far there are no more values than bytes.
            at += unsafe { Shared::write_fours(&bytes[at..], &mut place) };
            loop {
                let Some(window) = bytes[at..].first_chunk() else { return (at, place) };
                let length = if window[0] < 0x80 { 0 } else { self.layout.ill_length(window) };
                if length == 0 {
                    return (at, place);
                }
                // SAFETY: as above, and more bytes are left than a unit has.
                unsafe { answers.put(*window, length, &mut place) };
                at += length;
                if bytes.get(at).is_none_or(|&byte| byte >= FOUR) {
                    break;
                }
            }
        }
    }

    /// As [`Source::write_words`], of less than a word.
    #[inline(never)]
    fn write_tail<T: Unit>(&self, words: Words, [start, limit]: [usize; 2], out: &mut Output<'_, T>) -> usize {
        let (Words { shared, answer, .. }, mut at) = (words, start);
        while at < limit {
            // Behind the last byte, bytes of no sequence.
            let behind = u64::MAX << (8 * (limit - at));
            let word = u64::from_le_bytes(window(&self.data[..limit], at)) | behind;
            let length = if out.room() < WORD {
                let mut memory = [const { MaybeUninit::uninit() }; WORD];
                let (length, values) = Output::written(&mut memory, |out| shared.write_first(word, out));
                out.copy(values);
                length
            } else {
                shared.write_first(word, out)
            };
            at += length;
            if length == 0 {
                let Some(other) = self.other(answer, at, T::MOST) else { return at };
                (other.count > 0).then(|| out.push(T::of(other.point)));
                at += other.length;
            }
        }
        at
    }

    /// What is read by itself at an offset, with the answer to what is ill-formed; None if its code point is beyond the
    /// greatest, if it parts from the layout, or if the answer is not one code point.
    #[inline(always)]
    fn other(&self, answer: Answer, at: usize, most: u32) -> Option<Other> {
        let byte = self.data[at];
        match self.layout.piece(&window(self.data, at)) {
            Piece::IllFormed(length) if byte >= 0x80 => match answer {
                Answer::Replace => Some(Other { length, point: 0xFFFD, count: 1 }),
                Answer::Drop => Some(Other { length, point: 0, count: 0 }),
                Answer::Escape(base) => Some(Other { length: 1, point: base + u32::from(byte), count: 1 }),
                Answer::Backslash | Answer::Stop | Answer::Never => None,
            },
            Piece::Value(point, length) if point <= most => Some(Other { length, point, count: 1 }),
            _ => None,
        }
    }
}

/// Take the answer to an ill-formed unit of so many bytes that begins with one from 80 up, and return how many of them
/// it answers; None if there is none.
#[inline(always)]
pub fn answer_unit(answer: Answer, byte: u8, length: usize, out: &mut impl Points) -> Option<usize> {
    match answer {
        Answer::Replace => out.put(0xFFFD),
        Answer::Drop => {}
        Answer::Escape(base) => out.put(base + u32::from(byte)),
        Answer::Backslash => backslashed_byte(byte).into_iter().for_each(|each| out.put(each.into())),
        Answer::Stop | Answer::Never => return None,
    }
    Some(if answer.is_by_byte() { 1 } else { length })
}
