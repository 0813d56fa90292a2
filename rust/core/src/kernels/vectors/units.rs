//! Bytes of 16- and 32-bit units, measured and written as code points.
//!
//! Whole blocks of code points as they stand, and of surrogate pairs among them; what else there is, and the last units
//! of an input, are read by the portable functions.

use eightfold_features::vectors;

use super::machine::*;
use super::{Bytes, Lane, Room, fetch_ahead, part, put, store, store_32};
use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SURROGATES, TRAILS};
use crate::kernels::fetch::outgrows_caches;
use crate::kernels::measured::Width;
use crate::kernels::output::Output;
use crate::kernels::source::Extent;
use crate::kernels::units;
use crate::kernels::units::Units;

/// A block of 64 bytes and the unit behind it.
type Window = [u8; 66];

/// 32 units of 16 bits, or 16 of 32 bits.
struct Block {
    units: [Vector; 2],
    /// Those one further, of 16 bits.
    nexts: [Vector; 2],
    /// Where a code point begins.
    begins: u32,
    /// Where of that a surrogate pair begins.
    pairs: u32,
}

/// 64 bytes of a window as units of the machine's order.
#[inline]
#[vectors]
fn loaded<const BYTES: usize>(window: &Window, at: usize, big_endian: bool) -> [Vector; 2] {
    Bytes::of(window, at).0.map(|bytes| ordered::<BYTES>(bytes, big_endian))
}

/// Units of the machine's order as those of another, and back.
#[inline]
#[vectors]
pub fn ordered<const BYTES: usize>(bytes: Vector, big_endian: bool) -> Vector {
    if !big_endian {
        return bytes;
    }
    let of_32 = load_16(&[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
    let of_16 = load_16(&[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]);
    shuffle(bytes, twice(if BYTES == 2 { of_16 } else { of_32 }))
}

/// The lanes of a range whose ends differ in their lowest bits, all of them.
#[inline]
#[vectors]
fn are_16(units: Vector, (first, last): Range) -> Vector {
    let upper = and(units, each_16(!(last - first) as u16));
    equal_16(upper, each_16(first as u16))
}

/// As [`are_16`].
#[inline]
#[vectors]
fn are_32(units: Vector, (first, last): Range) -> Vector {
    let upper = and(units, each_32(!(last - first)));
    equal_32(upper, each_32(first))
}

/// Whether no bit is set of two vectors.
#[inline]
#[vectors]
fn are_none([low, high]: [Vector; 2]) -> bool {
    is_none(or(low, high))
}

/// The highest bit of each of 32 lanes of 16 bits.
#[inline]
#[vectors]
fn mask_of(lanes: [Vector; 2]) -> u32 {
    mask(signed_16(lanes))
}

/// A block of 16-bit units, of which the first is the trail of a pair if `consumed`; None where it is ill-formed.
#[inline]
#[vectors]
fn of_16(from: &Units<'_>, window: &Window, consumed: u32) -> Option<Block> {
    let units = loaded::<2>(window, 0, from.wide.big_endian);
    let surrogates = units.map(|units| are_16(units, SURROGATES));
    if are_none(surrogates) && consumed == 0 {
        return Some(Block { units, nexts: units, begins: !0, pairs: 0 });
    }
    let nexts = loaded::<2>(window, 2, from.wide.big_endian);
    let pairs = mask_of(units.map(|units| are_16(units, LEADS))) & mask_of(nexts.map(|units| are_16(units, TRAILS)));
    let trails = pairs << 1 | consumed;
    let is_well_formed = from.wide.has_surrogates || mask_of(surrogates) & !(pairs | trails) == 0;
    is_well_formed.then_some(Block { units, nexts, begins: !trails, pairs })
}

/// A block of 32-bit units; None where it is ill-formed.
#[inline]
#[vectors]
fn of_32(from: &Units<'_>, window: &Window) -> Option<Block> {
    let units = loaded::<4>(window, 0, from.wide.big_endian);
    let last = each_32(LARGEST_IN_STR);
    let [low, high] = units.map(|units| at_least_32(last, units));
    let is_unicode = is_all(and(low, high));
    let is_well_formed =
        is_unicode && (from.wide.has_surrogates || are_none(units.map(|units| are_32(units, SURROGATES))));
    is_well_formed.then_some(Block { units, nexts: units, begins: 0xFFFF, pairs: 0 })
}

/// Hand over whole blocks from an offset to a limit, as far as they are well-formed and wanted; the end is returned.
#[inline]
#[vectors]
fn each_block<const BYTES: usize, S>(
    units: &Units<'_>,
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, &Block) -> bool,
) -> usize {
    let (mut at, mut consumed) = (start, 0);
    while at + 64 <= limit {
        let Some(window) = units.data[at..].first_chunk() else { break };
        fetch_ahead(units.data, at);
        let block = if BYTES == 2 { of_16(units, window, consumed) } else { of_32(units, window) };
        let Some(block) = block else { break };
        if !take(state, &block) {
            break;
        }
        (at, consumed) = (at + 64, block.pairs >> 31);
    }
    at + consumed as usize * BYTES
}

/// As [`Units::measure`].
#[vectors]
pub fn measure(units: &Units<'_>, start: usize, limit: usize) -> Extent {
    // The bitwise or of all: the limits of the kinds are powers of two, so it gives the width as the largest would.
    let mut state = (0, zero(), 0);
    let span = (start, limit);
    let count = |(count, seen, pairs): &mut (usize, Vector, u32), block: &Block| {
        *count += block.begins.count_ones() as usize;
        *seen = or(*seen, or(block.units[0], block.units[1]));
        *pairs |= block.pairs;
        true
    };
    let end = if units.wide.unit_bytes == 2 {
        each_block::<2, _>(units, span, &mut state, count)
    } else {
        each_block::<4, _>(units, span, &mut state, count)
    };
    let (count, seen, pairs) = state;
    let seen = if units.wide.unit_bytes == 2 { or_of_16(seen) } else { or_of_32(seen) };
    let of_pairs = if pairs == 0 { Width::Ascii } else { Width::Ucs4 };
    let extent = Extent { end, count, width: Width::of(seen).max(of_pairs), is_clean: true };
    if end < limit { extent.and(units.measure_rest(end, limit)) } else { extent }
}

/// All units or-ed.
#[inline]
#[vectors]
fn or_of_32(units: Vector) -> u32 {
    let quarters = or_of_64(units);
    (quarters | quarters >> 32) as u32
}

/// As [`or_of_32`].
#[inline]
#[vectors]
fn or_of_16(units: Vector) -> u32 {
    let both = or_of_32(units);
    (both | both >> 16) & 0xFFFF
}

/// Write block by block, and the rest by the portable function.
///
/// # Safety
/// Of any room `put_16` writes as many of the first values as begin in its block of 32 units, and `put_32` the first
/// sixteen.
#[inline]
#[vectors]
unsafe fn write<'o, T: Copy>(
    units: &Units<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'o, T>,
    put_16: impl Fn(&Block, &mut Room<T>),
    put_32: impl Fn(&Block, &mut Room<T>),
) -> usize
where
    Output<'o, T>: units::Points,
{
    let end = if units.wide.unit_bytes == 2 {
        // SAFETY: the contract of this function.
        each_block::<2, _>(units, (start, limit), out, |out, block| unsafe { put_block(block, out, &put_16) })
    } else {
        // SAFETY: the contract of this function; sixteen begin in each block.
        each_block::<4, _>(units, (start, limit), out, |out, block| unsafe { put_block(block, out, &put_32) })
    };
    if end < limit { units.write_rest(end, limit, out) } else { end }
}

/// Write a block.
///
/// # Safety
/// `put_units` writes as many of the first values of any room as begin in the block.
#[inline]
#[vectors]
unsafe fn put_block<T: Copy>(block: &Block, out: &mut Output<'_, T>, put_units: impl Fn(&Block, &mut Room<T>)) -> bool {
    // SAFETY: the contract of this function.
    unsafe { put(out, block.begins.count_ones() as usize, |room| put_units(block, room)) };
    true
}

/// Store vectors of eight lanes one after the other.
#[inline]
fn store_all<T: Lane, const COUNT: usize>(eights: [T::Eight; COUNT], room: &mut Room<T>) {
    for (place, eight) in eights.into_iter().enumerate() {
        store(eight, room, 8 * place);
    }
}

/// 16-bit units up to FF as bytes.
#[inline]
#[vectors]
fn put_16_as_8(block: &Block, room: &mut Room<u8>) {
    let [low, high] = halves(packed_16(block.units)).map(|bytes| words(bytes));
    store_all([low[0], low[1], high[0], high[1]], room);
}

/// 16-bit units as they are. Text of this width holds no pair, so that what begins is as many units.
#[inline]
#[vectors]
fn put_16_as_16(block: &Block, room: &mut Room<u16>) {
    store_units(block.units, room);
}

/// Store vectors of 16-bit units one after the other.
#[inline]
fn store_units<const COUNT: usize>(units: [Vector; COUNT], room: &mut Room<u16>) {
    for (place, units) in units.into_iter().enumerate() {
        store_32(units, room, 16 * place);
    }
}

/// As [`Units::write_ucs1`].
#[vectors]
pub fn write_ucs1(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    let put_32 = |block: &Block, room: &mut Room<u8>| {
        store_all(words(narrowed_16(packed_32(block.units))), room);
    };
    // SAFETY: so many are written, and of 16 bits all that the block has.
    unsafe { write(units, (start, limit), out, |block, room| put_16_as_8(block, room), put_32) }
}

/// As [`Units::write_ucs2`].
#[vectors]
pub fn write_ucs2(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    let put_32 = |block: &Block, room: &mut Room<u16>| store_all(halves(packed_32(block.units)), room);
    // SAFETY: as in `write_ucs1`.
    unsafe { write(units, (start, limit), out, |block, room| put_16_as_16(block, room), put_32) }
}

/// As [`Units::write_ucs4`].
#[vectors]
pub fn write_ucs4(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    let put_16 = |block: &Block, room: &mut Room<u32>| {
        let mut filled = 0;
        let eights = |of: [Vector; 2]| {
            let [low, high] = of.map(|units| halves(units));
            [low[0], low[1], high[0], high[1]].map(|units| widened_16(units))
        };
        let masks = block.begins.to_le_bytes().into_iter().zip(block.pairs.to_le_bytes());
        for ((leads, trails), (begins, pairs)) in eights(block.units).into_iter().zip(eights(block.nexts)).zip(masks) {
            let points = blend(leads, joined_32(leads, trails), lanes_32(pairs));
            store(kept_points(points, begins), room, filled);
            filled += begins.count_ones() as usize;
        }
    };
    let put_32 = |block: &Block, room: &mut Room<u32>| store_all(block.units, room);
    // SAFETY: so many are written.
    unsafe { write(units, (start, limit), out, put_16, put_32) }
}

/// As [`Units::copy_ucs1`].
#[vectors]
pub fn copy_ucs1(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> Option<u32> {
    // SAFETY: all of the block is written.
    unsafe { copy(units, (start, limit), out, Width::Latin1, |block, room| put_16_as_8(block, room)) }
}

/// As [`Units::copy_ucs2`].
#[vectors]
pub fn copy_ucs2(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<u32> {
    let (at, seen) = copy_doubles(units, (start, limit), out);
    // SAFETY: all of the block is written.
    let rest = unsafe { copy(units, (at, limit), out, Width::Ucs2, |block, room| put_16_as_16(block, room)) };
    rest.map(|rest| seen | rest)
}

/// Copy units two blocks at a time, which share their checks: there is little else to do. Returned are the end of what
/// is one code point each, and all units or-ed.
#[inline]
#[vectors]
fn copy_doubles(units: &Units<'_>, (start, limit): (usize, usize), out: &mut Output<'_, u16>) -> (usize, u32) {
    let (mut at, mut seen) = (start, zero());
    loop {
        let more;
        (at, more) = copy_without_surrogates(units, (at, limit), out);
        seen = or(seen, more);
        let Some(more) = two_blocks(units, at, limit).and_then(|both| copy_double(units, both, out)) else {
            return (at, or_of_16(seen));
        };
        seen = or(seen, more);
        at += 128;
    }
}

/// Two blocks, and the unit behind them.
fn two_blocks<'a>(units: &Units<'a>, at: usize, limit: usize) -> Option<&'a [u8; 130]> {
    units.data.get(at..).and_then(<[u8]>::first_chunk).filter(|_| at + 128 <= limit)
}

/// As [`copy_doubles`], up to where a surrogate is.
// In a function of its own: beside calls, what has been seen would be kept in memory, which takes longer than all else.
#[inline(never)]
#[vectors]
fn copy_without_surrogates(
    units: &Units<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'_, u16>,
) -> (usize, Vector) {
    let is_large = outgrows_caches(units.data.len());
    let (mut at, mut seen) = (start, zero());
    while let Some(both) = two_blocks(units, at, limit)
        && let Some(room) = out.room_for()
    {
        if is_large {
            fetch_ahead(units.data, at);
            fetch_ahead(units.data, at + 64);
        }
        let [[a, b], [c, d]] = windows(both).map(|window| loaded::<2>(window, 0, units.wide.big_endian));
        let surrogates = [a, b, c, d].map(|units| are_16(units, SURROGATES));
        if !are_none([or(surrogates[0], surrogates[1]), or(surrogates[2], surrogates[3])]) {
            break;
        }
        seen = or(seen, or(or(a, b), or(c, d)));
        store_units([a, b, c, d], room);
        // SAFETY: four vectors are 64 units.
        unsafe { out.advance(64) };
        at += 128;
    }
    (at, seen)
}

/// Two blocks.
fn windows(both: &[u8; 130]) -> [&Window; 2] {
    [part(both, 0), part(both, 64)]
}

/// Copy two blocks, and return their units or-ed; None where they are not one code point each.
#[inline(never)]
#[vectors]
fn copy_double(units: &Units<'_>, both: &[u8; 130], out: &mut Output<'_, u16>) -> Option<Vector> {
    let windows = windows(both);
    let is_one_each = |window| of_16(units, window, 0).is_some_and(|block| block.pairs == 0);
    if !windows.into_iter().all(is_one_each) {
        return None;
    }
    let [[a, b], [c, d]] = windows.map(|window| loaded::<2>(window, 0, units.wide.big_endian));
    // SAFETY: four vectors are 64 units.
    unsafe { put(out, 64, |room| store_units([a, b, c, d], room)) };
    Some(or(or(a, b), or(c, d)))
}

/// Copy units that are code points up to a width; None where they are not. What they are or-ed is returned.
///
/// # Safety
/// That of [`put_block`].
#[inline]
#[vectors]
unsafe fn copy<'o, T: Copy>(
    units: &Units<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'o, T>,
    width: Width,
    put: impl Fn(&Block, &mut Room<T>),
) -> Option<u32>
where
    Output<'o, T>: units::Points,
{
    let beyond = each_16(!width.largest() as u16);
    let mut state = (&mut *out, zero());
    let end = each_block::<2, _>(units, (start, limit), &mut state, |(out, seen), block| {
        *seen = or(*seen, or(block.units[0], block.units[1]));
        // SAFETY: the contract of this function.
        block.pairs == 0 && is_none(and(*seen, beyond)) && unsafe { put_block(block, out, &put) }
    });
    if limit - end >= 128 {
        return None;
    }
    let (seen, rest) = (or_of_16(state.1), units.measure_rest(end, limit));
    if (rest.end, 2 * rest.count) != (limit, limit - end) || rest.width > width {
        return None;
    }
    units.write_rest(end, limit, out);
    Some(seen | rest.width.largest())
}

/// The supplementary code points of leads and trails.
#[inline]
#[vectors]
fn joined_32(leads: Vector, trails: Vector) -> Vector {
    let base = 0x1_0000_u32.wrapping_sub(LEADS.0 << 10).wrapping_sub(TRAILS.0);
    let sum = add_32(left_32::<10>(leads), trails);
    add_32(sum, each_32(base))
}
