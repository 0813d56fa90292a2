//! Bytes of any form that has a layout, written as code points.
//!
//! Each lane is decoded as if a sequence began there; lanes in which none begins are dropped.

use eightfold_features::vectors;

use super::block::{Block, Window, shaped_as_fours};
use super::clean::Followed;
use super::points::{Meaning, put_ascii_ucs1, put_ascii_ucs2, put_ascii_ucs4};
use super::reader::{Reader, Takers};
use super::{Bytes, Place, Room, clean, no_copy, put};
use crate::derive::layout::Pairs;
use crate::kernels::escaped::put_escaped;
use crate::kernels::lanes::low_64;
use crate::kernels::masks::window_at;
use crate::kernels::output::Output;
use crate::kernels::source::{Note, Source};
use crate::policy::Answer;

impl Block {
    /// The block of a note, in a form that joins pairs or not.
    #[inline]
    #[vectors]
    pub fn of(note: &Note, window: &Window, joins: bool) -> Self {
        let (bytes, goes_on) = (Bytes::of(window, 0), note.length() >= 64);
        let fours = if joins { note.odd & bytes.at_least(0xF0) } else { note.odd };
        Block {
            high: bytes.high(),
            begins: note.begins,
            ill: note.ill,
            pairs: note.odd & !fours,
            fours,
            false_fours: shaped_as_fours(window, bytes) & !fours,
            carry: low_64(note.length().saturating_sub(64)),
            length: note.length(),
            goes_on,
        }
    }
}

/// Who writes a block: each has code of its own, which is inlined.
enum By<const ESCAPES: bool, const IS_NOTED: bool> {}

/// Write from an offset to a limit, or to where the kernel stops, as bytes, and return the end. With `ESCAPES`,
/// ill-formed bytes are answered with backslashes, else with one value each.
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
            |meaning, window, block, room| meaning.put_ucs1(window, block, room),
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
            |meaning, window, block, room| meaning.put_ucs2::<By<ESCAPES, true>>(window, block, room),
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
            |meaning, window, block, room| meaning.put_examined::<By<ESCAPES, true>>(window, block, room),
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
    put_noted: impl Fn(&Meaning<'_>, &Window, &Block, &mut Room<T>),
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
            let window = window_at(source.data, at, &mut padded);
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
                put_noted(&reader.meaning, window, &block, place.room());
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
