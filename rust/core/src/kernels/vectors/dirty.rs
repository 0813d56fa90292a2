//! Text with ill-formed units throughout, written in one pass: all blocks are examined closely, and nothing is counted
//! or noted.

use eightfold_features::vectors;

use super::points::{Block, Window};
use super::reader::Reader;
use super::strays::Strays;
use super::{Place, Room, fetch_ahead, no_copy, put};
use crate::kernels::lanes::low_64;
use crate::kernels::masks::window_at;
use crate::kernels::output::Output;
use crate::kernels::source::Source;

/// Who examines and writes blocks: each has code of its own, which is inlined.
enum By<const MOST: usize> {}

/// Write from an offset to a limit, or to where a sequence of four bytes begins or the kernel stops, as 16-bit units;
/// return the end.
#[vectors]
pub fn write_ucs2(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    let strays = Strays::new(source);
    let mut at = write_strays(&strays, source.data, (start, limit), out);
    if at == limit {
        return at;
    }
    let reader = Reader::new(source);
    let put = |window: &Window, block: &Block, room: &mut Room<u16>| {
        reader.meaning.put_ucs2::<By<3>>(window, block, room);
    };
    while at < limit {
        // SAFETY: that is what this writes.
        let (end, goes_on) = unsafe { write::<_, 3>(&reader, source.data, (at, limit), out, put) };
        if !goes_on {
            return end;
        }
        at = write_strays(&strays, source.data, (end, limit), out);
    }
    at
}

/// The same as 32-bit units, sequences of four bytes too.
#[vectors]
pub fn write_ucs4(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    let reader = Reader::new(source);
    let put = |window: &Window, block: &Block, room: &mut Room<u32>| {
        reader.meaning.put_ucs4::<By<4>>(window, block, room);
    };
    // SAFETY: as above.
    unsafe { write::<_, 4>(&reader, source.data, (start, limit), out, put) }.0
}

/// Write blocks from an offset to a limit, or to one in which a byte may not stand for itself; return the end.
#[vectors]
fn write_strays(strays: &Strays, data: &[u8], (start, limit): (usize, usize), out: &mut Output<'_, u16>) -> usize {
    let (mut at, mut padded) = (start, [0; 72]);
    while at < limit {
        fetch_ahead(data, at);
        let window = window_at(data, at, &mut padded);
        if !strays.are_all(window) {
            break;
        }
        let count = (limit - at).min(64);
        // SAFETY: 64 are written.
        unsafe { put(out, count, |room| strays.put_ucs2(window, room)) };
        at += count;
    }
    at
}

/// Write from an offset to a limit, or to where a sequence begins that is longer than `MOST` bytes or the kernel stops;
/// return the end. Where that is three bytes, it also ends behind a block in which each byte stands for itself, and
/// says so: more such blocks are likely.
///
/// # Safety
/// `put` writes to any room as many values as begin in a block.
#[inline]
#[vectors]
unsafe fn write<T: Copy, const MOST: usize>(
    reader: &Reader<'_>,
    data: &[u8],
    (start, limit): (usize, usize),
    out: &mut Output<'_, T>,
    put: impl Fn(&Window, &Block, &mut Room<T>),
) -> (usize, bool) {
    let (mut at, mut carry, mut padded) = (start, 0, [0; 72]);
    while at < limit {
        fetch_ahead(data, at);
        let window = window_at(data, at, &mut padded);
        let mut block = reader.block::<By<MOST>>(window, limit - at, carry);
        let are_strays = MOST < 4 && block.begins == !0 && block.carry == 0;
        let stop = if MOST < 4 { block.fours.trailing_zeros() as usize } else { 64 };
        block.begins &= low_64(stop) & !(block.ill & reader.dropped());
        let mut copy = no_copy();
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put(window, &block, place.room());
        // SAFETY: the contract of this function.
        unsafe { place.finish() };
        if stop < 64 {
            return (at + stop, false);
        }
        if !block.goes_on {
            return (at + block.length, false);
        }
        (at, carry) = (at + 64, block.carry);
        if are_strays {
            return (at, true);
        }
    }
    (at + carry.count_ones() as usize, false)
}
