//! Well-formed text of any form that has a layout, written as code points. Nothing is checked, since it was measured.
//!
//! UTF-8 is the layout of which nothing must be known: what `None` and `false` stand for here is compiled out.

use super::points::{
    Block, Meaning, Window, begin_pairs, continuing_behind, put_ascii_ucs1, put_ascii_ucs2, put_ascii_ucs4, surrogates,
};
use super::{Bytes, Place, Room, fetch_ahead, low_64, no_copy};
use crate::kernels::Output;
use crate::layout::Layout;

/// Write text of U+0000 to U+00FF as bytes.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs1(text: &[u8], shift: Option<&Layout>, out: &mut Output<'_, u8>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u8>| meaning.put_ucs1(window, block, room);
    write(text, false, out, |window, room| put_ascii_ucs1(window, room), put);
}

/// Write text of U+0000 to U+FFFF as 16-bit units.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs2(text: &[u8], shift: Option<&Layout>, out: &mut Output<'_, u16>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u16>| meaning.put_ucs2::<()>(window, block, room);
    write(text, false, out, |window, room| put_ascii_ucs2(window, room), put);
}

/// Write text as 32-bit units; where `pairs_join`, a surrogate pair as its supplementary code point.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs4(text: &[u8], shift: Option<&Layout>, pairs_join: bool, out: &mut Output<'_, u32>) {
    let meaning = &Meaning::new(shift, None);
    let put = |window: &Window, block: &Block, room: &mut Room<u32>| meaning.put_ucs4::<()>(window, block, room);
    write(text, pairs_join, out, |window, room| put_ascii_ucs4(window, room), put);
}

/// Block by block, the last of which is copied, with 0 behind it.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn write<T: Copy>(
    text: &[u8],
    pairs_join: bool,
    out: &mut Output<'_, T>,
    put_ascii: impl Fn(&Window, &mut Room<T>),
    put_block: impl Fn(&Window, &Block, &mut Room<T>),
) {
    let (mut carry, mut copy, mut last) = (0, no_copy(), [0; 72]);
    for at in (0..text.len()).step_by(64) {
        let (rest, left) = (&text[at..], text.len() - at);
        fetch_ahead(text, at);
        let window = rest.first_chunk().unwrap_or_else(|| {
            last = [0; 72];
            last[..left].copy_from_slice(rest);
            &last
        });
        if Bytes::of(window, 0).are_ascii() && carry == 0 && left >= 64 {
            let mut place = Place::new(out, 64, &mut copy);
            put_ascii(window, place.room());
            place.finish();
            continue;
        }
        let block = block(window, left, carry, pairs_join);
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put_block(window, &block, place.room());
        place.finish();
        carry = block.carry;
    }
}

/// What begins in the first bytes of a window; in the lanes of `carry` nothing does.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn block(window: &Window, left: usize, carry: u64, pairs_join: bool) -> Block {
    let bytes = Bytes::of(window, 0);
    let mut block = Block {
        bytes,
        begins: !(bytes.continuations() | carry) & low_64(left),
        ill: 0,
        pairs: 0,
        carry: low_64(continuing_behind(window).trailing_ones() as usize),
        length: left.min(64),
        goes_on: left > 64,
    };
    let surrogates = if pairs_join { surrogates(window, bytes) } else { 0 };
    if surrogates != 0 {
        block.add_pairs(begin_pairs(window, surrogates & !carry));
    }
    block
}
