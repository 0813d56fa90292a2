//! Code points of any kind of str, measured and written as 16- and 32-bit units.
//!
//! Surrogate pairs are made here. All else is portable loops, which the compiler vectorizes for this instruction set.

use eightfold_features::vectors;

use super::machine::*;
use super::units::ordered;
use super::{Room, put, store_16};
use crate::code_point::{SURROGATES, holds};
use crate::kernels::output::Output;
use crate::kernels::spelt::Stretch;
use crate::kernels::text::Text;
use crate::kernels::wide_text::WideText;

/// The code points of a block.
const BLOCK: usize = 8;

/// As [`WideText::measure`].
#[vectors]
pub fn measure(text: &WideText<'_>, start: usize, limit: usize) -> Stretch {
    text.measure_rest(start, limit)
}

/// As [`WideText::write`].
#[vectors]
pub fn write(text: &WideText<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if text.is_whole() {
        return text.write_whole(start, limit, out);
    }
    let (Text::Four(points), 2) = (text.text, text.wide.unit_bytes) else {
        return text.write_rest(start, limit, out);
    };
    let (blocks, _) = points[start..limit].as_chunks::<BLOCK>();
    let is_whole = |block: &&[u32; BLOCK]| {
        text.wide.has_surrogates || !block.iter().fold(false, |found, &point| found | holds(SURROGATES, point))
    };
    let mut at = start;
    for block in blocks.iter().take_while(is_whole) {
        put_points(load_points(block), text.wide.big_endian, out);
        at += BLOCK;
    }
    text.write_rest(at, limit, out)
}

/// Write eight code points as 16-bit units, those that need it as a surrogate pair.
#[inline]
#[vectors]
fn put_points(points: Vector, big_endian: bool, out: &mut Output<'_, u8>) {
    let are_split = greater_32(points, each_32(0xFFFF));
    // The lead is the lower half and the trail the upper one; a lane without a pair has its unit in the lower half, and
    // the upper one is dropped.
    let units = ordered::<2>(blend(points, split_32(points), are_split), big_endian);
    let splits = mask_32(are_split);
    let put_units = |room: &mut Room<u8>| {
        let mut filled = 0;
        for (four, splits) in halves(units).into_iter().zip([splits & 0xF, splits >> 4]) {
            let kept = 0x55 | TRAILS[usize::from(splits)];
            store_16(kept_units(four, kept), room, filled);
            filled += 2 * kept.count_ones() as usize;
        }
    };
    // SAFETY: two bytes are written for each lane, and two more for each that is split.
    unsafe { put(out, 2 * (BLOCK + splits.count_ones() as usize), put_units) };
}

/// For a mask of four lanes of 32 bits, the upper half of each.
const TRAILS: [u8; 16] = {
    let mut table = [0; 16];
    let mut mask = 0;
    while mask < 16 {
        table[mask] = (mask & 1 | (mask & 2) << 1 | (mask & 4) << 2 | (mask & 8) << 3) as u8 * 2;
        mask += 1;
    }
    table
};

/// The surrogate pairs of supplementary code points.
#[inline]
#[vectors]
fn split_32(points: Vector) -> Vector {
    let index = sub_32(points, each_32(0x1_0000));
    let leads = right_32::<10>(index);
    let trails = and(left_32::<16>(index), each_32(0x03FF_0000));
    let marks = each_32(0xDC00_D800);
    or(or(leads, trails), marks)
}
