//! Bytes of any form that has a layout, measured: how many code points there are, and the widest. Where sequences begin
//! is noted for blocks that are read closely.

use eightfold_features::vectors;

use super::block::{Block, Window};
use super::machine::*;
use super::reader::{Reader, Takers};
use super::{Bytes, pairs, utf8};
use crate::derive::layout::{Layout, PAIR};
use crate::kernels::measured::{Prefix, Width};
use crate::kernels::source::{Extent, Note, Notes, Source};
use crate::policy::{Answer, BACKSLASHED_BYTE};

/// The counts so far.
struct Counted<'a> {
    layout: &'a Layout,
    count: usize,
    /// Lane by lane, the largest lead byte.
    largest: Vector,
    /// The least width known, where lead bytes alone do not determine it.
    fine: Width,
    pairs: u64,
    ills: u64,
    /// Whether only sequences of four bytes are wider than the answers to ill-formed units.
    only_fours_are_wider: bool,
    /// Whether a lead byte is known to make the str as wide as any: no larger one matters.
    is_widest: bool,
}

impl Counted<'_> {
    /// Add a run of pairs of so many bytes, and return these.
    fn add_pairs(&mut self, length: usize) -> usize {
        if length > 0 {
            (self.count, self.pairs) = (self.count + length / PAIR.len(), !0);
        }
        length
    }

    /// Add a block without ill-formed units.
    #[inline]
    #[vectors]
    fn add_regular(&mut self, window: &Window, block: &Block) {
        self.count += block.begins.count_ones() as usize;
        self.pairs |= block.pairs;
        // Continuation bytes are smaller than any lead byte.
        let [low, high] = Bytes::of(window, 0).0;
        self.largest = max_8(self.largest, max_8(low, high));
        self.add_width(window, block);
    }

    #[inline]
    #[vectors]
    fn add(&mut self, window: &Window, block: &Block, dropped: u64) {
        self.count += (block.begins & !(block.ill & dropped)).count_ones() as usize;
        (self.pairs, self.ills) = (self.pairs | block.pairs, self.ills | block.ill);
        let is_answer_as_wide = self.ills != 0 && self.only_fours_are_wider && block.has_no_fours();
        if !(is_answer_as_wide || self.is_widest) {
            let whole = block.begins & !block.ill;
            let [low, high] = Bytes::of(window, 0).0;
            let low = and(low, lanes_8(whole as u32));
            let high = and(high, lanes_8((whole >> 32) as u32));
            self.largest = max_8(self.largest, max_8(low, high));
            self.is_widest = self.layout.lead_decides && self.reaches(self.layout.borders[2][0]);
        }
        self.add_width(window, block);
    }

    #[inline]
    #[vectors]
    fn add_width(&mut self, window: &Window, block: &Block) {
        if !self.layout.lead_decides && self.fine < Width::Ucs4 {
            let whole = block.begins & !block.ill & block.high;
            self.fine = self.fine.max(width(self.layout, window, whole, self.fine));
        }
    }

    /// Whether some lead byte is `lead` or above.
    #[inline]
    #[vectors]
    fn reaches(&self, lead: u8) -> bool {
        let least = each_8(lead);
        !is_none(at_least_8(self.largest, least))
    }

    /// The width of all that was counted; `answer` is what was done at ill-formed units.
    #[inline]
    #[vectors]
    fn width(&self, answer: Answer) -> Width {
        let by_lead = self.layout.borders.iter().filter(|&&[lead, ..]| self.layout.lead_decides && self.reaches(lead));
        let of_ill = if self.ills == 0 || answer.is_ascii() { Width::Ascii } else { Width::Ucs2 };
        let of_pairs = if self.pairs == 0 { Width::Ascii } else { Width::Ucs4 };
        Width::of_class(by_lead.count()).max(self.fine).max(of_ill).max(of_pairs)
    }
}

/// The width of complete sequences whose lead bytes alone do not determine it, if it exceeds the width known.
#[inline]
#[vectors]
fn width(layout: &Layout, window: &Window, whole: u64, known: Width) -> Width {
    let unknown = layout.borders.iter().skip(known as usize);
    let reached = unknown.take_while(|&&[lead, second, third]| {
        let bytes = Bytes::of(window, 0);
        let leads = whole & bytes.at_least(lead);
        let seconds = || {
            let [b1, b2] = [1, 2].map(|at| Bytes::of(window, at));
            b1.at_least(second) & (!b1.equal(second) | b2.at_least(third))
        };
        leads != 0 && leads & (!bytes.equal(lead) | seconds()) != 0
    });
    Width::of_class(known as usize + reached.count())
}

/// Measure from an offset to a limit, or to where the kernel stops.
#[vectors]
pub fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    measure_noting(source, start, limit, &mut Notes::none())
}

/// As [`measure`], with notes of the blocks that were read closely.
#[vectors]
pub fn measure_noting(source: &Source<'_>, start: usize, limit: usize, notes: &mut Notes) -> Extent {
    notes.begin(start);
    let reader = Reader::new(source);
    let layout = source.layout;
    // For most texts this is all.
    let shared = match layout.lead_decides {
        true => utf8::measure_shared(&source.data[start..limit], source.agreement),
        false => Prefix::NONE,
    };
    let largest = each_8(shared.largest);
    let only_fours_are_wider = !reader.answer.is_ascii() && layout.only_fours_are_wide();
    let (count, fine) = (shared.count, Width::Ascii);
    let counted = Counted { layout, count, largest, fine, pairs: 0, ills: 0, only_fours_are_wider, is_widest: false };
    let mut state = (counted, notes);
    let (dropped, escapes) = (reader.dropped(), reader.answer == Answer::Backslash);
    let end = reader.each_block(
        source.data,
        (start + shared.end, limit),
        &mut state,
        Takers {
            ascii: |(counted, _): &mut State, _: &Window| counted.count += 64,
            pairs: |(counted, _): &mut State, text: &[u8]| counted.add_pairs(pairs::length(text)),
            regular: |(counted, _): &mut State, window: &Window, block: &Block| counted.add_regular(window, block),
            other: |(counted, notes): &mut State, window: &Window, block: Block, at: usize| {
                counted.add(window, &block, dropped);
                if escapes {
                    counted.count += (BACKSLASHED_BYTE - 1) * block.ill.count_ones() as usize;
                }
                // Clean ones too: among faulty blocks, a note costs less than the end of a clean run. A block in which
                // nothing begins has nothing to write.
                if block.begins != 0 {
                    notes.add(block.note(at), at + block.border());
                }
            },
        },
    );
    let (counted, notes) = state;
    notes.finish(end);
    Extent { end, count: counted.count, width: counted.width(reader.answer), is_clean: counted.ills == 0 }
}

/// What is counted, and noted.
type State<'a, 'n> = (Counted<'a>, &'n mut Notes);

impl Block {
    /// The lane of the first thing that begins, behind what began before the block.
    pub fn border(&self) -> usize {
        self.begins.trailing_zeros() as usize
    }

    /// The note of a block at an offset.
    pub fn note(&self, at: usize) -> Note {
        let length = if self.goes_on { 64 + self.carry.count_ones() as usize } else { self.length };
        Note::new([self.begins, self.ill, self.pairs | self.fours], at, length)
    }
}
