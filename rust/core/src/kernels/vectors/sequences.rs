//! Code points as the bytes of their sequences, stored one after the other.
//!
//! All lanes become bytes at once, each as if its sequence were the longest. A mask of the lengths is the index of a
//! shuffle that drops the bytes too many.

use eightfold_features::vectors;

use super::machine::*;
use super::speller::{Points, Speller, Units};
use super::{Place, Room, no_copy, put, store_16, store_32};
use crate::kernels::kept::NIL;
use crate::kernels::output::Output;

/// The lanes of 16 bits in a vector.
const SIXTEEN: usize = 16;

/// What is known of the lengths of sequences.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    UpToTwo,
    Threes,
    Mixed,
}

impl Shape {
    /// Given whether all lanes, and whether some lanes, take two bytes at most.
    #[inline]
    #[vectors]
    fn of(everywhere: Vector, somewhere: Vector) -> Self {
        match (is_all(everywhere), is_none(somewhere)) {
            (true, _) => Shape::UpToTwo,
            (_, true) => Shape::Threes,
            _ => Shape::Mixed,
        }
    }
}

impl<const IS_PLAIN: bool, const ANSWERS: bool> Speller<'_, IS_PLAIN, ANSWERS> {
    /// Write sixteen code points, or those before the first that the form lacks, and return how many.
    #[inline]
    #[vectors]
    pub fn write_units<Taker>(&self, units: Units, out: &mut Output<'_, u8>) -> usize {
        let units = self.as_far_as_whole_16(units);
        self.write_shaped::<Taker>(&units, Shape::of(units.up_to_two, units.up_to_two), out);
        units.written
    }

    /// Write two blocks of sixteen code points, both by the same branch: one for each would be mispredicted more often.
    #[inline]
    #[vectors]
    pub fn write_both(&self, first: &Units, second: &Units, out: &mut Output<'_, u8>) {
        let shape = Shape::of(and(first.up_to_two, second.up_to_two), or(first.up_to_two, second.up_to_two));
        self.write_shaped::<[u8; 1]>(first, shape, out);
        self.write_shaped::<[u8; 2]>(second, shape, out);
    }

    /// Write sixteen code points, given what is known of their lengths.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[vectors]
    pub fn write_shaped<Taker>(&self, units: &Units, shape: Shape, out: &mut Output<'_, u8>) {
        let payloads = self.payloads_16(units);
        let leads = or(right_16::<12>(payloads), each_16(0xE0));
        let six = each_16(0x3F);
        let last = left_16::<8>(and(payloads, six));
        let before = and(right_16::<6>(payloads), six);
        let tails = or(last, before);
        if shape == Shape::Threes {
            let tails = or(tails, each_16(0x8080));
            // SAFETY: sixteen times three bytes are written.
            return unsafe { put(out, 3 * SIXTEEN, |room| put_whole_threes(leads, tails, room)) };
        }
        // The lead byte of two bytes has one more bit set than a continuation byte.
        let lead = and(units.up_to_two, each_16(0x40));
        let marks = or(lead, each_16(0x8080));
        let tails = or(tails, marks);
        // A lane of one byte, such as an escape, is its low byte.
        let tails = blend(tails, left_16::<8>(units.points), units.one);
        if shape == Shape::UpToTwo {
            let ones = mask_16(units.one);
            let shorter = (ones[0].count_ones() + ones[1].count_ones()) as usize;
            let count = SIXTEEN + units.written - shorter;
            // SAFETY: 32 bytes are written but one for each that is shorter, and no more than sixteen units are.
            return unsafe { put(out, count, |room| put_twos(tails, ones, room)) };
        }
        let lengths = lengths_16(units);
        let leads = left_16::<8>(leads);
        let halves = [zip_low_16(leads, tails), zip_high_16(leads, tails)];
        let count = units.written + lengths.count_ones() as usize;
        // SAFETY: a byte is written for each of sixteen lanes, and one for each bit of their lengths.
        unsafe { put(out, count, |room| put_threes(halves, lengths, room)) };
    }

    /// Write sixteen code points from U+10000 on, as UTF-8 does or as surrogate pairs: emoji without spaces.
    #[inline]
    #[vectors]
    pub fn write_supplementary(&self, points: [Vector; 2], out: &mut Output<'_, u8>) {
        if self.spelling.splits {
            for eight in points {
                // SAFETY: eight times six bytes are written.
                unsafe { put(out, 6 * 8, |room| put_whole_pairs(eight, room)) };
            }
            return;
        }
        let marks = each_32(0x8080_80F0);
        let [first, second] = points.map(|eight| or(groups_of_six(eight), marks));
        // SAFETY: sixteen times four bytes are written.
        unsafe {
            put(out, 4 * SIXTEEN, |room| {
                store_32(first, room, 0);
                store_32(second, room, 32);
            });
        }
    }

    /// Write eight code points, given the lanes of four bytes; the others are written as their lowest byte.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[vectors]
    pub fn write_fours<Taker>(&self, points: Vector, fours: Vector, out: &mut Output<'_, u8>) {
        let long = or(groups_of_six(points), each_32(0x8080_80F0));
        let bytes = blend(left_32::<24>(points), long, fours);
        let mask = mask_32(fours);
        let mut copy = no_copy();
        let mut place = Place::new(out, 8 + 3 * mask.count_ones() as usize, &mut copy);
        put_fours(bytes, [mask << 4, mask & 0xF0], place.room());
        // SAFETY: a byte is written for each of eight lanes, and three more for those of four.
        unsafe { place.finish() };
    }

    /// Write eight code points, or those before the first that the form lacks, and return how many.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[vectors]
    pub fn write_points<Taker>(&self, block: Points, out: &mut Output<'_, u8>) -> usize {
        let block = &self.as_far_as_whole_32(block);
        let payloads = self.payloads_32(block);
        let groups = groups_of_six(payloads);
        let third = not_and(block.most, each_32(0x6000));
        let second = not_and(block.three, each_32(0x40_0000));
        let marks = or(or(second, third), each_32(0x8080_80F0));
        let bytes = or(groups, marks);
        let longer = or(block.two_or_three, block.three);
        let bytes = blend(left_32::<24>(block.points), bytes, longer);
        let lengths = lengths_32(block);
        let count = block.written + self.bytes_beyond_one(lengths);
        let eight = [lengths as u8, (lengths >> 16) as u8];
        // Not by closures: these would store two bytes and load them as one value, which waits for the stores.
        let mut copy = no_copy();
        let mut place = Place::new(out, count, &mut copy);
        if self.spelling.splits && !is_none(block.most) {
            put_pairs(bytes, block, eight, place.room());
        } else {
            put_fours(bytes, eight, place.room());
        }
        // SAFETY: a byte is written for each of eight lanes, and those that are counted for their lengths.
        unsafe { place.finish() };
        block.written
    }

    /// The bytes that eight code points take beyond one each.
    #[inline]
    fn bytes_beyond_one(&self, lengths: u32) -> usize {
        // The longest sequences have two bits each.
        let most = if self.spelling.splits { (lengths & 0xFF00_FF00).count_ones() } else { 0 };
        (lengths.count_ones() + most) as usize
    }
}

/// The lengths of sixteen sequences, by four a byte: those of two bytes and more, and those of three. There are as many
/// bits as bytes beyond one.
#[inline]
#[vectors]
pub fn lengths_16(units: &Units) -> u32 {
    let low = zip_low_64(units.one, units.up_to_two);
    let high = zip_high_64(units.one, units.up_to_two);
    !mask(pack_lanes_16(low, high))
}

/// The lengths of eight sequences, by four two bytes: those of two or three bytes, those of three and more, and the
/// longest twice. There are as many bits as bytes beyond one, if the longest have four.
#[inline]
#[vectors]
fn lengths_32(block: &Points) -> u32 {
    let shorter = pack_lanes_32(block.two_or_three, block.three);
    let most = pack_lanes_32(block.most, block.most);
    mask(pack_lanes_16(shorter, most))
}

/// Store lanes of 16 bits; a mask marks those of one byte.
#[inline]
#[vectors]
fn put_twos(lanes: Vector, ones: [u8; 2], room: &mut Room<u8>) {
    let [low, high] = ones.map(|ones| load_16(&TWOS[usize::from(ones)]));
    store_16(shuffle_half(halves(lanes)[0], low), room, 0);
    let filled = 16 - ones[0].count_ones() as usize;
    store_16(shuffle_half(halves(lanes)[1], high), room, filled);
}

/// Store sixteen sequences of three bytes: text without spaces. The lead bytes are low in their lanes.
#[inline]
#[vectors]
fn put_whole_threes(leads: Vector, tails: Vector, room: &mut Room<u8>) {
    let each = twice(load_16(&[0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, NIL, NIL, NIL, NIL]));
    let fours = [zip_low_16(leads, tails), zip_high_16(leads, tails)];
    let [first, second] = fours.map(|four| halves(shuffle(four, each)));
    for (place, four) in [first[0], second[0], first[1], second[1]].into_iter().enumerate() {
        store_16(four, room, 12 * place);
    }
}

/// Four groups of six bits of each lane, the highest in the lowest byte.
#[inline]
#[vectors]
fn groups_of_six(payloads: Vector) -> Vector {
    let group = |moved, bits| and(moved, each_32(bits));
    or(
        or(group(right_32::<18>(payloads), 0x07), group(right_32::<4>(payloads), 0x3F00)),
        or(group(left_32::<10>(payloads), 0x3F_0000), group(left_32::<24>(payloads), 0x3F00_0000)),
    )
}

/// Store eight surrogate pairs.
#[inline]
#[vectors]
fn put_whole_pairs(points: Vector, room: &mut Room<u8>) {
    let each = twice(load_16(&[0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, NIL, NIL, NIL, NIL]));
    let [low, high] = halves(points).map(|four| halves(shuffle(pairs_of(four), each)));
    for (place, two) in low.into_iter().chain(high).enumerate() {
        store_16(two, room, 12 * place);
    }
}

/// Store lanes of 32 bits, the first of them four of each half, by their lengths.
#[inline]
#[vectors]
fn put_threes([first, second]: [Vector; 2], lengths: u32, room: &mut Room<u8>) {
    let fours = [halves(first)[0], halves(second)[0], halves(first)[1], halves(second)[1]];
    let mut filled = 0;
    for (four, lengths) in fours.into_iter().zip(lengths.to_le_bytes()) {
        filled += store_four(four, lengths, room, filled);
    }
}

/// Store lanes of 32 bits by their lengths.
#[inline]
#[vectors]
fn put_fours(lanes: Vector, [low, high]: [u8; 2], room: &mut Room<u8>) {
    let filled = store_four(halves(lanes)[0], low, room, 0);
    store_four(halves(lanes)[1], high, room, filled);
}

/// The same where the longest are surrogate pairs.
#[inline]
#[vectors]
fn put_pairs(lanes: Vector, block: &Points, lengths: [u8; 2], room: &mut Room<u8>) {
    let points = halves(block.points).into_iter().zip(halves(block.most));
    let mut filled = 0;
    for ((lanes, (points, most)), lengths) in halves(lanes).into_iter().zip(points).zip(lengths) {
        let lanes = widened_32(lanes);
        let lanes = blend(lanes, pairs_of(points), widened_lanes_32(most));
        let [low, high] = [lengths & 3 | lengths >> 2 & 0xC, lengths >> 2 & 3 | lengths >> 4 & 0xC];
        filled += store_two(halves(lanes)[0], low, room, filled);
        filled += store_two(halves(lanes)[1], high, room, filled);
    }
}

/// The bytes of surrogate pairs, each at the beginning of its lane of 64 bits.
#[inline]
#[vectors]
fn pairs_of(points: Half) -> Vector {
    let index = sub_64(widened_32(points), each_64(0x1_0000));
    let group = |moved, bits| and(moved, each_64(bits));
    let leads = or(group(right_64::<8>(index), 0x0F00), group(left_64::<6>(index), 0x3F_0000));
    let trails = or(group(left_64::<26>(index), 0x0F_0000_0000), group(left_64::<40>(index), 0x3F00_0000_0000));
    let marks = each_64(u64::from_le_bytes([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80, 0, 0]));
    or(or(leads, trails), marks)
}

/// Store four sequences, each at the end of its lane of 32 bits, and return how many bytes they are.
#[inline]
#[vectors]
fn store_four(four: Half, lengths: u8, room: &mut Room<u8>, at: usize) -> usize {
    let (shuffle, length) = &FOURS[usize::from(lengths)];
    store_16(shuffle_half(four, load_16(shuffle)), room, at);
    usize::from(*length)
}

/// Store two sequences, each at the end of the lower half of its lane of 64 bits, or a surrogate pair at its beginning.
#[inline]
#[vectors]
fn store_two(two: Half, lengths: u8, room: &mut Room<u8>, at: usize) -> usize {
    let (shuffle, length) = &PAIRS[usize::from(lengths)];
    store_16(shuffle_half(two, load_16(shuffle)), room, at);
    usize::from(*length)
}

/// How many bytes a sequence has by two bits: of two or three bytes, and of three and more. The third are the longest.
const LENGTHS: [usize; 4] = [1, 2, 4, 3];

/// A shuffle, and how many bytes it keeps.
type Shuffle = ([u8; 16], u8);

/// For the lengths of four lanes of 32 bits what keeps the bytes of each, those at its end.
static FOURS: [Shuffle; 256] = shuffles::<256>(4, 4);

/// The same for two lanes of 64 bits, of which the bytes end in the middle; the longest have six bytes.
static PAIRS: [Shuffle; 16] = shuffles::<16>(2, 6);

const fn shuffles<const COUNT: usize>(lanes: usize, longest: usize) -> [Shuffle; COUNT] {
    let mut table = [([0x80; 16], 0); COUNT];
    let mut mask = 0;
    while mask < COUNT {
        let (mut lane, mut filled) = (0, 0);
        while lane < lanes {
            let bits = mask >> lane & 1 | (mask >> (lanes + lane) & 1) << 1;
            let length = if bits == 2 { longest } else { LENGTHS[bits] };
            let mut place = 4_usize.saturating_sub(length);
            let end = place + length;
            while place < end {
                table[mask].0[filled] = (16 / lanes * lane + place) as u8;
                filled += 1;
                place += 1;
            }
            lane += 1;
        }
        table[mask].1 = filled as u8;
        mask += 1;
    }
    table
}

/// For a mask of eight lanes of 16 bits what keeps the second byte of those, and both bytes of the others.
static TWOS: [[u8; 16]; 256] = twos();

const fn twos() -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut byte, mut filled) = (0, 0);
        while byte < 16 {
            if byte % 2 == 1 || mask >> (byte / 2) & 1 == 0 {
                table[mask][filled] = byte as u8;
                filled += 1;
            }
            byte += 1;
        }
        mask += 1;
    }
    table
}
