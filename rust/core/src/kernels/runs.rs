//! Runs of what a form shares with UTF-8, and ill-formed units between them, read sequence by sequence: branches decide
//! how much of a word counts. Other stretches are read in the blocks of `decode`.

#![expect(unsafe_code, reason = "a loop does not look for room for each word")]

use std::mem::MaybeUninit;

use super::kind::Unit;
use super::measured::Width;
use super::output::Output;
use super::source::Source;
use super::words::{self, Shared, WORD};
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

/// A source as runs are read of it.
#[derive(Clone, Copy)]
pub struct Runs<'a> {
    source: Source<'a>,
    answer: Answer,
    shared: Shared,
}

impl<'a> Runs<'a> {
    /// Those of a source.
    #[must_use]
    pub fn new(source: &Source<'a>) -> Self {
        Runs { source: *source, answer: source.answer(), shared: Shared::new(source.agreement) }
    }

    /// The same, to be written as a kind of str.
    #[must_use]
    pub fn within<T: Unit>(source: &Source<'a>) -> Self {
        let runs = Runs::new(source);
        Runs { shared: runs.shared.within::<T>(), ..runs }
    }

    /// The width of the sequence at an offset, if it is one of those that are read by words.
    #[must_use]
    pub fn width_at(&self, at: usize) -> Option<Width> {
        match self.source.layout.piece(&window(self.source.data, at)) {
            Piece::Value(code_point, _) if self.shared.has(self.source.data[at]) => Some(Width::of(code_point)),
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
        self.source.write_words(self.shared, self.answer, [start, limit], out)
    }

    /// Read runs of sequences of three or of four bytes and the ill-formed units before and between, and return where
    /// they end.
    #[inline(always)]
    pub fn read(&self, [start, limit]: [usize; 2], out: &mut impl Runner) -> usize {
        let (layout, data) = (self.source.layout, self.source.data);
        let mut at = start;
        while let Some(&first) = data[..limit].get(at) {
            if first >= words::THREE {
                at += out.run(&data[at..limit], self.shared);
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
            let Some(length) = answer_unit(self.answer, byte, length, out) else { break };
            out.answered(at, length);
            at += length;
        }
        at
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

impl Source<'_> {
    /// Write what is shared with UTF-8 and what is read by itself, from an offset up to a limit, until something is
    /// neither; return where that is. Branches decide how much of a word counts, which are foreseen where text is short
    /// or has few lengths.
    ///
    /// # Panics
    /// There is no room for as many values as bytes.
    #[inline(always)]
    pub fn write_words<T: Unit>(
        &self,
        shared: Shared,
        answer: Answer,
        [start, limit]: [usize; 2],
        out: &mut Output<'_, T>,
    ) -> usize {
        let (at, is_done) = out.extend_within(limit - start, |mut place| {
            let (words, mut at) = (&self.data[..limit], start);
            while let Some(&word) = words.get(at..).and_then(<[u8]>::first_chunk) {
                // SAFETY: so far there are no more values than bytes, and at least as many bytes are left as a word
                // has.
                let mut length = unsafe { shared.write_word(u64::from_le_bytes(word), &mut place) };
                if length == 0 {
                    let Some(other) = self.other(answer, at, T::MOST) else { return ((at, true), place) };
                    // What is written below relies on it.
                    assert!(other.length >= 1 && other.count <= 1, "more values than bytes");
                    // SAFETY: as above.
                    unsafe { place.put([T::of(other.point)], other.count) };
                    length = other.length;
                }
                at += length;
            }
            ((at, false), place)
        });
        if is_done { at } else { self.write_tail(shared, answer, [at, limit], out) }
    }

    /// As [`Source::write_words`], of less than a word.
    #[inline(never)]
    fn write_tail<T: Unit>(
        &self,
        shared: Shared,
        answer: Answer,
        [start, limit]: [usize; 2],
        out: &mut Output<'_, T>,
    ) -> usize {
        let mut at = start;
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
