//! What begins in the lanes of a block, as code points of any size next to each other.
//!
//! A function of the caller makes eight sequences code points: it gets bytes, for each sequence the places of its first
//! four bytes among them, the first highest, and masks of those that are surrogate pairs and that are ill-formed.

use eightfold_features::vectors;

use super::block::{Block, Window};
use super::machine::*;
use super::{Room, part, store, store_four};
use crate::kernels::kept::kept;

/// Write what begins in a block.
#[inline]
#[vectors]
pub fn put(window: &Window, block: &Block, room: &mut Room<u32>, points: impl Fn(Vector, Vector, [u8; 2]) -> Vector) {
    if are_sparse(block.begins) {
        put_sparse(window, block, room, points);
    } else {
        put_dense(window, block, room, points);
    }
}

/// Whether at most four of each eight lanes are set.
#[inline]
fn are_sparse(lanes: u64) -> bool {
    // Count the bits of two, four and eight lanes in place.
    let twos = lanes - (lanes >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    (eights + 0x7B7B_7B7B_7B7B_7B7B) & 0x8080_8080_8080_8080 == 0
}

/// Store what begins in each eight lanes at once.
#[inline]
#[vectors]
fn put_dense(window: &Window, block: &Block, room: &mut Room<u32>, points: impl Fn(Vector, Vector, [u8; 2]) -> Vector) {
    // Each sequence in its lane.
    let each =
        load_32(&[3, 2, 1, 0, 4, 3, 2, 1, 5, 4, 3, 2, 6, 5, 4, 3, 7, 6, 5, 4, 8, 7, 6, 5, 9, 8, 7, 6, 10, 9, 8, 7]);
    let mut filled = 0;
    for (eight, mask) in block.begins.to_le_bytes().into_iter().enumerate() {
        let bytes = twice(load_16(part(window, 8 * eight)));
        let few = [block.pairs, block.ill].map(|lanes| (lanes >> (8 * eight)) as u8);
        store(kept_points(points(bytes, each, few), mask), room, filled);
        filled += mask.count_ones() as usize;
    }
}

/// Store what begins in each sixteen lanes at once, four code points from each half.
#[inline]
#[vectors]
fn put_sparse(
    window: &Window,
    block: &Block,
    room: &mut Room<u32>,
    points: impl Fn(Vector, Vector, [u8; 2]) -> Vector,
) {
    // One by one: the compiler does not unroll a loop so long, whose places then are no constants.
    let filled = put_sixteen::<0>(window, block, (room, 0), &points);
    let filled = put_sixteen::<16>(window, block, (room, filled), &points);
    let filled = put_sixteen::<32>(window, block, (room, filled), &points);
    put_sixteen::<48>(window, block, (room, filled), &points);
}

/// The same of sixteen lanes, behind what has been stored; return how much that is then.
#[inline]
#[vectors]
fn put_sixteen<const AT: usize>(
    window: &Window,
    block: &Block,
    (room, filled): (&mut Room<u32>, usize),
    points: &impl Fn(Vector, Vector, [u8; 2]) -> Vector,
) -> usize {
    let bytes_of = |lanes: u64| [(lanes >> AT) as u8, (lanes >> (AT + 8)) as u8];
    let bytes = joined(load_16(part(window, AT)), load_16(part(window, AT + 8)));
    let begins = bytes_of(block.begins);
    let [low, high] = begins.map(|mask| load_16(&FIRST_FOUR[usize::from(mask)]));
    let few = [block.pairs, block.ill].map(|lanes| {
        let [low, high] = bytes_of(lanes);
        if lanes == 0 { 0 } else { bits_at(low, begins[0]) | bits_at(high, begins[1]) << 4 }
    });
    let [low, high] = halves(points(bytes, joined(low, high), few));
    let middle = filled + begins[0].count_ones() as usize;
    store_four(low, room, filled);
    store_four(high, room, middle);
    middle + begins[1].count_ones() as usize
}

/// For each mask of eight lanes, the four bytes from each of its first four lanes on, the first of them highest.
static FIRST_FOUR: [[u8; 16]; 256] = first_four();

const fn first_four() -> [[u8; 16]; 256] {
    let (lanes, mut table) = (kept(), [[0; 16]; 256]);
    let mut mask = 0;
    while mask < 256 {
        let mut byte = 0;
        while byte < 4 * (mask as u8).count_ones() as usize && byte < 16 {
            table[mask][byte] = lanes[mask][byte / 4] + 3 - byte as u8 % 4;
            byte += 1;
        }
        mask += 1;
    }
    table
}
