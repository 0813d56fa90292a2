//! Bytes of any form that has a layout, measured and written as code points.
//!
//! Each lane is decoded as if a sequence began there; lanes in which none begins are dropped.

use eightfold_features::vectors;

use super::clean::Followed;
use super::fours::Wide;
use super::machine::*;
use super::points::{Block, Meaning, Window, put_ascii_ucs1, put_ascii_ucs2, put_ascii_ucs4};
use super::reader::{Reader, Takers};
use super::{Bytes, Place, Room, clean, no_copy, pairs, part, put, utf8};
use crate::derive::layout::{Layout, PAIR, Pairs};
use crate::kernels::lanes::{low_64, put_escaped};
use crate::kernels::masks::window_at;
use crate::kernels::measured::{Prefix, Width};
use crate::kernels::output::Output;
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
        let [low, high] = block.bytes.0;
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
            let [low, high] = block.bytes.0;
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
    let only_fours_are_wider = !reader.answer.is_ascii() && layout.borders[2][0] >= 0xF0;
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
                // Clean ones too: among faulty blocks, a note costs less than the end of a clean run. A block in which nothing
                // begins has nothing to write.
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
    fn border(&self) -> usize {
        self.begins.trailing_zeros() as usize
    }

    /// The note of a block at an offset.
    fn note(&self, at: usize) -> Note {
        let length = if self.goes_on { 64 + self.carry.count_ones() as usize } else { self.length };
        Note::new([self.begins, self.ill, self.pairs | self.fours], at, length)
    }

    /// The block of a note, in a form that joins pairs or not.
    #[inline]
    #[vectors]
    fn of(note: &Note, window: &Window, joins: bool) -> Self {
        let (bytes, goes_on) = (Bytes::of(window, 0), note.length() >= 64);
        let fours = if joins { note.odd & bytes.at_least(0xF0) } else { note.odd };
        Block {
            bytes,
            high: bytes.high(),
            begins: note.begins,
            ill: note.ill,
            pairs: note.odd & !fours,
            fours,
            carry: low_64(note.length().saturating_sub(64)),
            length: note.length(),
            goes_on,
        }
    }
}

/// Who writes a block: each has code of its own, which is inlined.
enum By<const ESCAPES: bool, const IS_NOTED: bool> {}

/// Write from an offset to a limit, or to where the kernel stops, as bytes, and return the end. With `ESCAPES`, ill-formed
/// bytes are answered with backslashes, else with one value each.
#[vectors]
pub fn write_ucs1<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u8>,
) -> usize {
    let put_clean = |text: Followed<'_>, out: &mut Output<'_, u8>| clean::write_ucs1(text, source.layout.shift(), out);
    if let Some(text) = source.known(start, limit) {
        put_clean(Followed::by_nothing(text), out);
        return limit;
    }
    // SAFETY: that is what these write.
    unsafe {
        write::<_, ESCAPES>(
            source,
            (start, limit),
            out,
            put_clean,
            |window, room| put_ascii_ucs1(window, room),
            |meaning, window, _, block, room| meaning.put_ucs1(window, block, room),
            |meaning, window, block, room| meaning.put_ucs1(window, block, room),
        )
    }
}

/// The same as 16-bit units.
#[vectors]
pub fn write_ucs2<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u16>,
) -> usize {
    let put_clean = |text: Followed<'_>, out: &mut Output<'_, u16>| clean::write_ucs2(text, source.layout.shift(), out);
    if let Some(text) = source.known(start, limit) {
        put_clean(Followed::by_nothing(text), out);
        return limit;
    }
    // SAFETY: that is what these write.
    unsafe {
        write::<_, ESCAPES>(
            source,
            (start, limit),
            out,
            put_clean,
            |window, room| put_ascii_ucs2(window, room),
            |meaning, window, _, block, room| meaning.put_ucs2::<By<ESCAPES, true>>(window, block, room),
            |meaning, window, block, room| meaning.put_ucs2::<By<ESCAPES, false>>(window, block, room),
        )
    }
}

/// The same as 32-bit units.
#[vectors]
pub fn write_ucs4<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u32>,
) -> usize {
    let joins = source.layout.pairs == Pairs::Joined;
    let put_clean =
        |text: Followed<'_>, out: &mut Output<'_, u32>| clean::write_ucs4(text, source.layout.shift(), joins, out);
    if let Some(text) = source.known(start, limit) {
        put_clean(Followed::by_nothing(text), out);
        return limit;
    }
    // SAFETY: that is what these write.
    unsafe {
        write::<_, ESCAPES>(
            source,
            (start, limit),
            out,
            put_clean,
            |window, room| put_ascii_ucs4(window, room),
            |meaning, window, wide, block, room| {
                if !wide.is_some_and(|wide| meaning.put_fours_apart(wide, block, room)) {
                    meaning.put_mixed::<By<ESCAPES, true>>(window, block, room);
                }
            },
            |meaning, window, block, room| meaning.put_ucs4::<By<ESCAPES, false>>(window, block, room),
        )
    }
}

/// Write short bytes as 32-bit units without measuring them first, and return whether they could all be read.
#[vectors]
pub fn write_short(source: &Source<'_>, out: &mut Output<'_, u32>) -> bool {
    enum Short {}
    let (reader, mut carry, mut padded) = (Reader::new(source), 0, [0; 72]);
    for at in (0..source.data.len()).step_by(64) {
        let (window, left) = (window_at(source.data, at, &mut padded), source.data.len() - at);
        let block = reader.block::<Short>(window, left, carry);
        if !block.goes_on && block.length < left {
            return false;
        }
        carry = block.carry;
        let put = |block: &Block, out: &mut Output<'_, u32>| {
            let mut copy = no_copy();
            let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
            reader.meaning.put_ucs4::<Short>(window, block, place.room());
            // SAFETY: as many begin in the block.
            unsafe { place.finish() };
        };
        if reader.answer == Answer::Backslash && block.ill != 0 {
            put_escaped([block.begins, block.ill], window, out, |begins, out| {
                put(&Block { begins, ill: 0, ..block }, out);
            });
        } else {
            put(&Block { begins: block.begins & !(block.ill & reader.dropped()), ..block }, out);
        }
    }
    true
}

/// Write block by block. `put_noted` and `put_block` write the lanes in which something begins, without gaps.
///
/// # Safety
/// `put_ascii` writes the first 64 values of any room, and the others as many as begin in their block.
#[inline]
#[vectors]
unsafe fn write<'o, T: Copy + From<u8>, const ESCAPES: bool>(
    source: &Source<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'o, T>,
    put_clean: impl Fn(Followed<'_>, &mut Output<'o, T>),
    put_ascii: impl Fn(&Window, &mut Room<T>),
    put_noted: impl Fn(&Meaning<'_>, &Window, Option<&Wide>, &Block, &mut Room<T>),
    put_block: impl Fn(&Meaning<'_>, &Window, &Block, &mut Room<T>),
) -> usize {
    let reader = Reader::new(source);
    let put_begun = |window: &Window, block: &Block, out: &mut Output<'o, T>| {
        let mut copy = no_copy();
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put_block(&reader.meaning, window, block, place.room());
        // SAFETY: the contract of this function.
        unsafe { place.finish() };
    };
    let put_parts = |window: &Window, block: &Block, out: &mut Output<'o, T>| {
        put_escaped([block.begins, block.ill], window, out, |begins, out| {
            put_begun(window, &Block { begins, ill: 0, ..*block }, out);
        });
    };
    let dropped = reader.dropped();
    let mut start = start;
    // Where notes ended for lack of room, reading goes on; in other blocks than before it could stop where it did not.
    let usable = source.notes.filter(|notes| !(source.layout.parts && notes.is_full()));
    if let Some((notes, (end, noted))) = usable.and_then(|notes| Some((notes, notes.stretch(start)?))) {
        let (joins, mut padded) = (source.layout.pairs == Pairs::Joined, [0; _]);
        for note in noted {
            let at = note.at();
            let wide: Option<&Wide> = source.data[at..].first_chunk();
            let window = wide.map_or_else(|| window_at(source.data, at, &mut padded), |wide| part(wide, 0));
            let mut block = Block::of(note, window, joins);
            let border = at + block.border();
            if border > start {
                put_clean(Followed { data: &source.data[start..], length: border - start }, out);
            }
            if ESCAPES {
                put_parts(window, &block, out);
            } else {
                block.begins &= !(block.ill & dropped);
                let mut copy = no_copy();
                let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
                put_noted(&reader.meaning, window, wide, &block, place.room());
                // SAFETY: the contract of this function.
                unsafe { place.finish() };
            }
            start = at + note.length();
        }
        put_clean(Followed { data: &source.data[start..], length: end - start }, out);
        if !notes.is_full() {
            return end;
        }
        start = end;
    }
    reader.each_block(
        source.data,
        (start, limit),
        out,
        Takers {
            // SAFETY: the contract of this function.
            ascii: |out: &mut Output<'o, T>, window: &Window| unsafe { put(out, 64, |room| put_ascii(window, room)) },
            pairs: |_: &mut Output<'o, T>, _: &[u8]| 0,
            regular: |out: &mut Output<'o, T>, window: &Window, block: &Block| put_begun(window, block, out),
            other: |out: &mut Output<'o, T>, window: &Window, mut block: Block, _: usize| {
                if ESCAPES {
                    put_parts(window, &block, out);
                } else {
                    block.begins &= !(block.ill & dropped);
                    put_begun(window, &block, out);
                }
            },
        },
    )
}
