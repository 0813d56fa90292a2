//! What begins in the lanes of a block, written as code points.

use super::escaped::put_escaped;
use super::kind::{self, LONGEST, Unit};
use super::masks::{LANES, Window};
use super::output::{Output, Values};
use super::reader::{Lanes, Reader};
use super::words;
use crate::code_point::joined;
use crate::derive::layout::Layout;
use crate::policy::Answer;

/// The lanes of which something is written.
pub fn kept(reader: &Reader<'_>, begins: u64, ill: u64) -> u64 {
    if reader.answer == Answer::Drop { begins & !ill } else { begins }
}

/// The first lane in which something begins: at the border behind what was read before.
pub fn first(begins: u64) -> usize {
    begins.trailing_zeros() as usize
}

/// Write what begins in a block: anything, ill-formed units, joined pairs.
#[inline(never)]
pub fn put<T: Unit>(reader: &Reader<'_>, window: &Window, lanes: Lanes, out: &mut Output<'_, T>) {
    let Lanes { begins, ill, pairs, .. } = lanes;
    if reader.answer == Answer::Backslash && ill != 0 {
        put_parts(reader, window, lanes, out);
    } else if pairs != 0 || reader.layout.shift().is_some() {
        put_each(kept(reader, begins, ill), out, |lane| match ill >> lane & 1 {
            0 => value(reader.layout, window, lane, pairs),
            _ => answer(reader, window[lane]),
        });
    } else {
        put_plain(reader, window, lanes, out);
    }
}

/// As [`put`], with escapes between.
fn put_parts<T: Unit>(reader: &Reader<'_>, window: &Window, lanes: Lanes, out: &mut Output<'_, T>) {
    put_escaped([lanes.begins, lanes.ill], window, out, |begins, out| {
        put(reader, window, Lanes { begins, ill: 0, pairs: lanes.pairs & begins, ..lanes }, out);
    });
}

/// Write the values of some lanes one by one.
#[inline(always)]
fn put_each<T: Unit>(lanes: u64, out: &mut Output<'_, T>, value: impl Fn(usize) -> u32) {
    let mut rest = lanes;
    out.go_on(|out| {
        while rest != 0 {
            out.push(T::of(value(first(rest) % LANES)));
            rest &= rest - 1;
        }
    });
}

/// As [`put`], of a layout whose values are those of UTF-8, without pairs and escapes.
#[inline(always)]
pub fn put_plain<T: Unit>(reader: &Reader<'_>, window: &Window, lanes: Lanes, out: &mut Output<'_, T>) {
    let kept = kept(reader, lanes.begins, lanes.ill);
    let [long, fours] = lanes.leads.map(|leads| leads & lanes.begins & !lanes.ill);
    let mut values: Values<T> = [T::default(); _];
    if kept & !lanes.ill & !long != 0 {
        read(window, &mut values, kind::read_narrow);
    } else if long != fours {
        read(window, &mut values, kind::read_three);
    }
    if T::IS_WIDE {
        together::<16>(fours, |lane| {
            let bytes = window[lane..].first_chunk().expect("a window is a block and more");
            let [value, _] = words::values::<4>(u32::from_le_bytes(*bytes).into());
            values[lane] = T::of(value);
        });
    }
    together::<4>(lanes.ill & kept, |lane| values[lane] = T::of(answer(reader, window[lane])));
    out.extend_kept(&values, kept, |value| value);
}

/// What each lane means if a sequence up to U+FFFF begins there.
#[inline(always)]
pub fn read<T: Unit>(window: &Window, values: &mut Values<T>, read: impl Fn([u8; LONGEST]) -> u16) {
    // In a loop of their own twice as many fit in a vector.
    let narrow: [u16; LANES] = std::array::from_fn(|lane| read([window[lane], window[lane + 1], window[lane + 2], 0]));
    for (value, narrow) in values.iter_mut().zip(narrow) {
        *value = T::of(narrow.into());
    }
}

/// Take some lanes, so many together, and the one behind the block if there are not as many left: so it is foreseen how
/// often that is done.
#[inline(always)]
fn together<const MANY: usize>(lanes: u64, mut take: impl FnMut(usize)) {
    let mut rest = lanes;
    while rest != 0 {
        for _ in 0..MANY {
            take(first(rest));
            rest &= rest.wrapping_sub(1);
        }
    }
}

/// The answer to an ill-formed unit.
#[inline(always)]
pub fn answer(reader: &Reader<'_>, byte: u8) -> u32 {
    match reader.answer {
        Answer::Escape(base) => base + u32::from(byte),
        _ => 0xFFFD,
    }
}

/// What a sequence that begins in a lane means.
fn value(layout: &Layout, window: &Window, lane: usize, pairs: u64) -> u32 {
    let bytes = &window[lane..];
    match Layout::length(bytes[0]) {
        _ if pairs >> lane & 1 != 0 => joined(layout.sequence(bytes, 3), layout.sequence(&bytes[3..], 3)),
        Some(length) => layout.sequence(bytes, length),
        None => bytes[0].into(),
    }
}
