//! Well-formed text of any form that has a layout, written as code points. Measuring has checked it already.
//!
//! UTF-8 is the default: where an argument is `None` or `false`, the compiler drops what other layouts need.

use eightfold_features::vectors;

use super::block::{Block, Window, begin_pairs, continuing_behind, surrogates};
use super::points::{Meaning, put_ascii_ucs1, put_ascii_ucs2, put_ascii_ucs4};
use super::{Bytes, Place, Room, fetch_ahead, no_copy, pairs, put};
use crate::derive::layout::{Layout, PAIR};
use crate::kernels::lanes::low_64;
use crate::kernels::output::Output;

/// Text, and what follows it.
#[derive(Clone, Copy)]
pub struct Followed<'a> {
    /// Both of them.
    pub data: &'a [u8],
    /// How many bytes the text has.
    pub length: usize,
}

impl<'a> Followed<'a> {
    /// Text that nothing follows.
    pub fn by_nothing(text: &'a [u8]) -> Self {
        Followed { data: text, length: text.len() }
    }
}

/// Write text of U+0000 to U+00FF as bytes.
#[vectors]
pub fn write_ucs1(text: Followed<'_>, shift: Option<&Layout>, out: &mut Output<'_, u8>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u8>| meaning.put_ucs1(window, block, room);
    // SAFETY: that is what these two write.
    unsafe { write(text, None::<NoPairs<_>>, out, |window, room| put_ascii_ucs1(window, room), put) };
}

/// Write text of U+0000 to U+FFFF as 16-bit units.
#[vectors]
pub fn write_ucs2(text: Followed<'_>, shift: Option<&Layout>, out: &mut Output<'_, u16>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u16>| meaning.put_ucs2::<()>(window, block, room);
    // SAFETY: that is what these two write.
    unsafe { write(text, None::<NoPairs<_>>, out, |window, room| put_ascii_ucs2(window, room), put) };
}

/// Write text as 32-bit units; where `pairs_join`, a surrogate pair as its supplementary code point.
#[vectors]
pub fn write_ucs4(text: Followed<'_>, shift: Option<&Layout>, pairs_join: bool, out: &mut Output<'_, u32>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u32>| meaning.put_ucs4::<()>(window, block, room);
    let write_pairs = |text: &[u8], out: &mut Output<'_, u32>| pairs::write(text, out);
    // SAFETY: that is what these two write.
    unsafe { write(text, pairs_join.then_some(write_pairs), out, |window, room| put_ascii_ucs4(window, room), put) };
}

/// For text below U+10000, which has no pairs.
type NoPairs<T> = fn(&[u8], &mut T) -> usize;

/// Write a text block by block; what ends with the data, from a copy with 0 behind it. `pairs` writes the surrogate
/// pairs with which a text begins, and returns how many bytes they took.
///
/// # Safety
/// `put_ascii` writes the first 64 values of any room, and `put_block` as many as begin in its block.
#[inline]
#[vectors]
unsafe fn write<'o, T: Copy>(
    Followed { data, length }: Followed<'_>,
    pairs: Option<impl Fn(&[u8], &mut Output<'o, T>) -> usize>,
    out: &mut Output<'o, T>,
    put_ascii: impl Fn(&Window, &mut Room<T>),
    put_block: impl Fn(&Window, &Block, &mut Room<T>),
) {
    let (mut at, mut carry, mut copy, mut last) = (0, 0_u64, no_copy(), [0; 72]);
    let text = &data[..length];
    while at < length {
        if let Some(write_pairs) = &pairs {
            let border = text.len().min(at + carry.count_ones() as usize);
            let length =
                if text[border..].first() == Some(&(PAIR[0].0 as u8)) { write_pairs(&text[border..], out) } else { 0 };
            if length > 0 {
                (at, carry) = (border + length, 0);
                continue;
            }
        }
        let (rest, left) = (&data[at..], length - at);
        fetch_ahead(data, at);
        let window = rest.first_chunk().unwrap_or_else(|| {
            last = [0; 72];
            last[..rest.len()].copy_from_slice(rest);
            &last
        });
        if Bytes::of(window, 0).are_ascii() && carry == 0 && left >= 64 {
            // SAFETY: the contract of this function.
            unsafe { put(out, 64, |room| put_ascii(window, room)) };
            at += 64;
            continue;
        }
        let block = block(window, left, carry, pairs.is_some());
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put_block(window, &block, place.room());
        // SAFETY: the contract of this function.
        unsafe { place.finish() };
        (at, carry) = (at + 64, block.carry);
    }
}

/// The lanes of the first bytes of a window in which something begins; in those of `carry` nothing does.
#[inline]
#[vectors]
fn block(window: &Window, left: usize, carry: u64, pairs_join: bool) -> Block {
    let bytes = Bytes::of(window, 0);
    let begins = !(bytes.continuations() | carry) & low_64(left);
    let mut block = Block {
        high: bytes.high(),
        begins,
        ill: 0,
        pairs: 0,
        fours: bytes.at_least(0xF0) & begins,
        false_fours: 0,
        carry: low_64(continuing_behind(window).trailing_ones() as usize),
        length: left.min(64),
        goes_on: left > 64,
    };
    let surrogates = if pairs_join { surrogates(window, bytes) } else { 0 };
    if surrogates != 0 {
        // What follows the text may only begin as a trail does.
        block.add_pairs(begin_pairs(window, surrogates & !carry & low_64(left)));
    }
    block
}

/// Write valid UTF-8 of U+0000 to U+00FF as bytes.
#[vectors]
pub fn to_latin1(text: &[u8], out: &mut Output<'_, u8>) {
    out.go_on(|out| write_ucs1(Followed::by_nothing(text), None, out));
}

/// Write valid UTF-8 of U+0000 to U+FFFF as 16-bit units.
#[vectors]
pub fn to_ucs2(text: &[u8], out: &mut Output<'_, u16>) {
    out.go_on(|out| write_ucs2(Followed::by_nothing(text), None, out));
}

/// Write valid UTF-8 as 32-bit units.
#[vectors]
pub fn to_ucs4(text: &[u8], out: &mut Output<'_, u32>) {
    out.go_on(|out| write_ucs4(Followed::by_nothing(text), None, false, out));
}

/// Write ASCII as 32-bit units. Vectors that cross no line of the cache are stored in less time: a tenth to a fifth
/// less.
#[cfg(feature = "simdutf")]
#[vectors]
pub fn ascii_to_ucs4(text: &[u8], out: &mut Output<'_, u32>) {
    let (ahead, aligned) =
        text.split_at(out.spare().as_ptr().align_offset(size_of::<super::machine::Vector>()).min(text.len()));
    out.extend(ahead);
    out.extend(aligned);
}
