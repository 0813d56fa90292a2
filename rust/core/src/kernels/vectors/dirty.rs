//! Text with ill-formed units throughout, written in one pass: all blocks are examined closely, and nothing is counted
//! or noted.

use eightfold_features::vectors;

use super::block::Block;
use super::reader::Reader;
use super::strays::Strays;
use super::{Place, fetch_ahead, no_copy, put};
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
    while at < limit {
        let (end, goes_on) = write(&reader, source.data, (at, limit), out);
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
    let (reader, data) = (Reader::new(source), source.data);
    let (dropped, mut padded) = (reader.dropped(), [0; 72]);
    let (mut at, mut behind, mut block) = (start, start, Block::BEFORE);
    loop {
        // The next block is examined before this one is written, so that neither waits for the other: 8% less time.
        let mut next = Block::BEFORE;
        if block.goes_on {
            fetch_ahead(data, behind);
            let window = window_at(data, behind, &mut padded);
            next = reader.block::<By<4>>(window, limit - behind, block.carry);
            next.begins &= !(next.ill & dropped);
        }
        let mut copy = no_copy();
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        reader.meaning.put_examined::<By<4>>(window_at(data, at, &mut padded), &block, place.room());
        // SAFETY: as many begin in the block.
        unsafe { place.finish() };
        if !block.goes_on {
            return at + block.length;
        }
        (at, behind, block) = (behind, behind + 64, next);
    }
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

/// Write from an offset to a limit, or to where a sequence of four bytes begins or the kernel stops; return the end. It
/// also ends behind a block in which each byte stands for itself, and says so: more such blocks are likely.
#[inline]
#[vectors]
fn write(reader: &Reader<'_>, data: &[u8], (start, limit): (usize, usize), out: &mut Output<'_, u16>) -> (usize, bool) {
    let (mut at, mut carry, mut padded) = (start, 0, [0; 72]);
    while at < limit {
        fetch_ahead(data, at);
        let window = window_at(data, at, &mut padded);
        let mut block = reader.block::<By<3>>(window, limit - at, carry);
        let are_strays = block.are_bytes();
        let stop = block.fours.trailing_zeros() as usize;
        block.begins &= low_64(stop) & !(block.ill & reader.dropped());
        let mut copy = no_copy();
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        reader.meaning.put_ucs2::<By<3>>(window, &block, place.room());
        // SAFETY: as many begin in the block.
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
    (at, false)
}
