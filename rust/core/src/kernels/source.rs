//! Bytes that the kernels read by a layout, and the result of measuring them.

#![expect(unsafe_code, reason = "notes are written into memory, and those that are written are counted")]

use std::hint;
use std::mem::MaybeUninit;

use super::masks::LANES;
use super::measured::Width;
use crate::derive::agreement::Agreement;
use crate::derive::fault_table::FaultTable;
use crate::derive::layout::Layout;
use crate::policy::Answer;

/// Bytes of a form that has a layout.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// What the form shares with UTF-8.
    pub agreement: &'a Agreement,
    /// What to do at ill-formed units.
    pub answer: Answer,
    /// Whether values beyond Unicode are ill-formed too, because a str cannot hold them.
    pub ends_with_unicode: bool,
    /// The bytes. Nothing follows them.
    pub data: &'a [u8],
    /// Notes that measuring made for writing.
    pub notes: Option<&'a Notes>,
}

/// Bytes whose faults are to be counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// The faults that can occur in it.
    pub table: &'a FaultTable,
    /// The bytes.
    pub data: &'a [u8],
}

/// A stretch of a source that has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The offset where it ends: at the given limit, slightly behind it, or where the kernels stopped.
    pub end: usize,
    /// The number of code points in it.
    pub count: usize,
    /// The narrowest kind of str that holds them.
    pub width: Width,
    /// Whether it has no ill-formed units.
    pub is_clean: bool,
}

impl Extent {
    /// An empty extent at an offset.
    #[must_use]
    pub fn none(at: usize) -> Self {
        Extent { end: at, count: 0, width: Width::Ascii, is_clean: true }
    }

    /// Whether each byte of it is a character of ASCII, given the offset where it begins: others are longer.
    #[must_use]
    pub fn is_ascii(&self, start: usize) -> bool {
        self.is_clean && self.width == Width::Ascii && self.count == self.end - start
    }

    /// This extent followed by another.
    #[must_use]
    pub fn and(self, next: Extent) -> Self {
        Extent {
            end: next.end,
            count: self.count + next.count,
            width: self.width.max(next.width),
            is_clean: self.is_clean && next.is_clean,
        }
    }
}

/// A block of 64 bytes, or the last, shorter one, that was examined closely: it may be clean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Note {
    /// Lanes in which something begins that is written, one bit for each byte.
    pub begins: u64,
    /// Those of them in which an ill-formed unit begins.
    pub ill: u64,
    /// Those of them in which something begins that is written apart, such as a pair; each instruction set has its own.
    pub odd: u64,
    /// The offset of the block, with the length of what begins in it in the lowest two bytes: an offset may need all
    /// bits of a `usize`.
    place: u64,
}

impl Note {
    /// The most bytes that a block and what begins in it can take.
    pub const MOST_BYTES: usize = 0xFFFF;

    /// A note about the block at `at`, with its lanes and the length of what begins in it.
    #[inline]
    pub fn new([begins, ill, odd]: [u64; 3], at: usize, length: usize) -> Self {
        Note { begins, ill, odd, place: (at as u64) << 16 | length as u64 }
    }

    /// The same block with other lanes in which something begins and in which ill-formed units do.
    #[inline]
    pub fn with(&self, begins: u64, ill: u64) -> Self {
        Note { begins, ill, ..*self }
    }

    /// Whether it is about nothing but one ill-formed unit, at the offset.
    #[inline]
    pub fn is_answer(&self) -> bool {
        self.begins == 1 && self.ill == 1
    }

    /// The offset of the block.
    #[inline]
    pub fn at(&self) -> usize {
        (self.place >> 16) as usize
    }

    /// The length of what begins in the block; it may reach behind the block, to more than 64 bytes.
    #[inline]
    pub fn length(&self) -> usize {
        self.place as usize & Note::MOST_BYTES
    }

    /// Whether each byte of a full block is a code point or an ill-formed unit of its own.
    #[inline]
    pub fn is_each(&self) -> bool {
        // Hidden from the compiler, which else may ask this first: whether the last sequence ends with its block is
        // chance, and mispredicted dirty text takes 20% more time.
        self.begins == !0 && hint::black_box(self.length()) == 64
    }
}

/// The most blocks that are noted: those of sixteen megabytes that are read closely everywhere, or of one where
/// assertions are on, so that tests reach what is behind them.
const MOST_NOTES: usize = if cfg!(debug_assertions) { 1 << 14 } else { 1 << 18 };

/// The initial capacity in blocks: where kernels keep stopping, each stretch has few notes.
const FIRST_NOTES: usize = 8;

/// The findings of measuring, so that writing need not look again: in each noted stretch, all blocks but the noted ones
/// are clean.
#[derive(Clone, Debug)]
pub struct Notes {
    stretches: Vec<Noted>,
    blocks: Vec<Note>,
    /// Whether no more can be noted.
    is_full: bool,
    most: usize,
}

/// A stretch whose blocks are noted.
#[derive(Clone, Copy, Debug)]
struct Noted {
    /// The offset where measuring started.
    start: usize,
    /// The offset where it ended, or where there was no room for more notes.
    end: usize,
    /// The number of blocks noted before it.
    first: usize,
}

impl Default for Notes {
    fn default() -> Self {
        Notes { stretches: Vec::new(), blocks: Vec::new(), is_full: false, most: MOST_NOTES }
    }
}

impl Notes {
    /// No room for notes.
    pub(super) fn none() -> Self {
        Notes { most: 0, ..Notes::default() }
    }

    /// Forget all.
    pub(crate) fn clear(&mut self) {
        self.stretches.clear();
        self.blocks.clear();
        self.is_full = false;
    }

    /// Begin a stretch at an offset.
    pub(super) fn begin(&mut self, start: usize) {
        self.is_full |= self.stretches.len() >= self.most || self.stretches.try_reserve(1).is_err();
        if !self.is_full {
            self.stretches.push(Noted { start, end: start, first: self.blocks.len() });
        }
    }

    /// Add a block; before it, reading had reached `border`.
    #[inline]
    pub(super) fn add(&mut self, note: Note, border: usize) {
        // After a gap in the notes, the rest must not be taken for clean.
        if !self.is_full && (self.blocks.len() < self.blocks.capacity() || self.grows(1, border)) {
            self.blocks.push(note);
        }
    }

    /// Memory for the notes of some blocks; before them, reading had reached `border`. None if there is no more.
    #[inline]
    pub(super) fn room(&mut self, blocks: usize, border: usize) -> Option<&mut [MaybeUninit<Note>]> {
        let is_there = self.blocks.capacity() - self.blocks.len() >= blocks;
        if self.is_full || !(is_there || self.grows(blocks, border)) {
            return None;
        }
        self.blocks.spare_capacity_mut().get_mut(..blocks)
    }

    /// Add what has been written to that memory.
    ///
    /// # Safety
    /// So many notes have been written to the beginning of what [`Notes::room`] returned last.
    #[inline]
    pub(super) unsafe fn add_written(&mut self, blocks: usize) {
        // SAFETY: the contract of this function.
        unsafe { self.blocks.set_len(self.blocks.len() + blocks) };
    }

    /// Make room for some blocks at least, or end the stretch at `border` if there is none.
    #[cold]
    fn grows(&mut self, least: usize, border: usize) -> bool {
        let more = self.most.saturating_sub(self.blocks.len()).min(self.blocks.len().max(FIRST_NOTES).max(least));
        let grown = more >= least && self.blocks.try_reserve_exact(more).is_ok();
        if !grown {
            self.finish(border);
            self.is_full = true;
        }
        grown
    }

    /// End the stretch where measuring did.
    pub(super) fn finish(&mut self, end: usize) {
        if let Some(last) = self.stretches.last_mut().filter(|_| !self.is_full) {
            last.end = end;
        }
    }

    /// Whether the blocks noted are at least as many as so many bytes take.
    pub(super) fn cover(&self, bytes: usize) -> bool {
        self.blocks.len() * LANES >= bytes
    }

    /// Whether the last stretch may have ended for lack of room.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The end of the stretch that starts at an offset, and its blocks.
    pub(super) fn stretch(&self, start: usize) -> Option<(usize, &[Note])> {
        let at = self.stretches.binary_search_by_key(&start, |stretch| stretch.start).ok()?;
        let behind = self.stretches.get(at + 1).map_or(self.blocks.len(), |next| next.first);
        let Noted { end, first, .. } = self.stretches[at];
        Some((end, &self.blocks[first..behind]))
    }
}

impl Source<'_> {
    /// What to do at an ill-formed unit, given that the form may have a row for stray bytes.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let escape = self.layout.escape.filter(|_| self.answer != Answer::Never);
        escape.map_or(self.answer, Answer::Escape)
    }

    /// The bytes from an offset to a limit, if they are known to be clean.
    pub(super) fn known(&self, start: usize, limit: usize) -> Option<&[u8]> {
        (self.answer == Answer::Never).then(|| &self.data[start..limit])
    }
}
