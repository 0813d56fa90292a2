//! Code points as the bytes of their sequences, stored one after the other.
//!
//! All lanes become bytes at once, each as if its sequence were the longest. A mask of the lengths is the index of a
//! shuffle that drops the bytes too many.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::speller::{Points, Speller, Units};
use super::{Place, Room, halves, is_none, load_16, no_copy, put, store_16, store_32};
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
    #[avx2]
    fn of(everywhere: __m256i, somewhere: __m256i) -> Self {
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
    #[avx2]
    pub fn write_units<Taker>(&self, units: Units, out: &mut Output<'_, u8>) -> usize {
        let units = self.as_far_as_whole_16(units);
        self.write_shaped::<Taker>(&units, Shape::of(units.up_to_two, units.up_to_two), out);
        units.written
    }

    /// Write two blocks of sixteen code points, both by the same branch: one for each would be mispredicted more often.
    #[inline]
    #[avx2]
    pub fn write_both(&self, first: &Units, second: &Units, out: &mut Output<'_, u8>) {
        let shape = Shape::of(
            _mm256_and_si256(first.up_to_two, second.up_to_two),
            _mm256_or_si256(first.up_to_two, second.up_to_two),
        );
        self.write_shaped::<[u8; 1]>(first, shape, out);
        self.write_shaped::<[u8; 2]>(second, shape, out);
    }

    /// Write sixteen code points, given what is known of their lengths.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[avx2]
    pub fn write_shaped<Taker>(&self, units: &Units, shape: Shape, out: &mut Output<'_, u8>) {
        let payloads = self.payloads_16(units);
        let leads = _mm256_or_si256(_mm256_srli_epi16::<12>(payloads), _mm256_set1_epi16(0xE0));
        let six = _mm256_set1_epi16(0x3F);
        let last = _mm256_slli_epi16::<8>(_mm256_and_si256(payloads, six));
        let before = _mm256_and_si256(_mm256_srli_epi16::<6>(payloads), six);
        let tails = _mm256_or_si256(last, before);
        if shape == Shape::Threes {
            let tails = _mm256_or_si256(tails, _mm256_set1_epi16(0x8080_u16 as i16));
            // SAFETY: sixteen times three bytes are written.
            return unsafe { put(out, 3 * SIXTEEN, |room| put_whole_threes(leads, tails, room)) };
        }
        // The lead byte of two bytes has one more bit set than a continuation byte.
        let lead = _mm256_and_si256(units.up_to_two, _mm256_set1_epi16(0x40));
        let marks = _mm256_or_si256(lead, _mm256_set1_epi16(0x8080_u16 as i16));
        let tails = _mm256_or_si256(tails, marks);
        // A lane of one byte, such as an escape, is its low byte.
        let tails = _mm256_blendv_epi8(tails, _mm256_slli_epi16::<8>(units.points), units.one);
        if shape == Shape::UpToTwo {
            let ones = _mm256_movemask_epi8(_mm256_packs_epi16(units.one, units.one)).cast_unsigned();
            let ones = [ones as u8, (ones >> 16) as u8];
            let shorter = (ones[0].count_ones() + ones[1].count_ones()) as usize;
            let count = SIXTEEN + units.written - shorter;
            // SAFETY: 32 bytes are written but one for each that is shorter, and no more than sixteen units are.
            return unsafe { put(out, count, |room| put_twos(tails, ones, room)) };
        }
        let lengths = lengths_16(units);
        let leads = _mm256_slli_epi16::<8>(leads);
        let halves = [_mm256_unpacklo_epi16(leads, tails), _mm256_unpackhi_epi16(leads, tails)];
        let count = units.written + lengths.count_ones() as usize;
        // SAFETY: a byte is written for each of sixteen lanes, and one for each bit of their lengths.
        unsafe { put(out, count, |room| put_threes(halves, lengths, room)) };
    }

    /// Write sixteen code points from U+10000 on, as UTF-8 does or as surrogate pairs: emoji without spaces.
    #[inline]
    #[avx2]
    pub fn write_supplementary(&self, points: [__m256i; 2], out: &mut Output<'_, u8>) {
        if self.spelling.splits {
            for eight in points {
                // SAFETY: eight times six bytes are written.
                unsafe { put(out, 6 * 8, |room| put_whole_pairs(eight, room)) };
            }
            return;
        }
        let marks = _mm256_set1_epi32(0x8080_80F0_u32.cast_signed());
        let [first, second] = points.map(|eight| _mm256_or_si256(groups_of_six(eight), marks));
        // SAFETY: sixteen times four bytes are written.
        unsafe {
            put(out, 4 * SIXTEEN, |room| {
                store_32(first, room, 0);
                store_32(second, room, 32);
            });
        }
    }

    /// Write eight code points, or those before the first that the form lacks, and return how many.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[avx2]
    pub fn write_points<Taker>(&self, block: Points, out: &mut Output<'_, u8>) -> usize {
        let block = &self.as_far_as_whole_32(block);
        let payloads = self.payloads_32(block);
        let groups = groups_of_six(payloads);
        let third = _mm256_andnot_si256(block.most, _mm256_set1_epi32(0x6000));
        let second = _mm256_andnot_si256(block.three, _mm256_set1_epi32(0x40_0000));
        let marks = _mm256_or_si256(_mm256_or_si256(second, third), _mm256_set1_epi32(0x8080_80F0_u32.cast_signed()));
        let bytes = _mm256_or_si256(groups, marks);
        let longer = _mm256_or_si256(block.two_or_three, block.three);
        let bytes = _mm256_blendv_epi8(_mm256_slli_epi32::<24>(block.points), bytes, longer);
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
#[avx2]
pub fn lengths_16(units: &Units) -> u32 {
    let low = _mm256_unpacklo_epi64(units.one, units.up_to_two);
    let high = _mm256_unpackhi_epi64(units.one, units.up_to_two);
    !_mm256_movemask_epi8(_mm256_packs_epi16(low, high)).cast_unsigned()
}

/// The lengths of eight sequences, by four two bytes: those of two or three bytes, those of three and more, and the
/// longest twice. There are as many bits as bytes beyond one, if the longest have four.
#[inline]
#[avx2]
fn lengths_32(block: &Points) -> u32 {
    let shorter = _mm256_packs_epi32(block.two_or_three, block.three);
    let most = _mm256_packs_epi32(block.most, block.most);
    _mm256_movemask_epi8(_mm256_packs_epi16(shorter, most)).cast_unsigned()
}

/// Store lanes of 16 bits; a mask marks those of one byte.
#[inline]
#[avx2]
fn put_twos(lanes: __m256i, ones: [u8; 2], room: &mut Room<u8>) {
    let [low, high] = ones.map(|ones| load_16(&TWOS[usize::from(ones)]));
    store_16(_mm_shuffle_epi8(_mm256_castsi256_si128(lanes), low), room, 0);
    let filled = 16 - ones[0].count_ones() as usize;
    store_16(_mm_shuffle_epi8(_mm256_extracti128_si256::<1>(lanes), high), room, filled);
}

#[inline]
#[avx2]
fn is_all(lanes: __m256i) -> bool {
    _mm256_testc_si256(lanes, _mm256_set1_epi8(-1)) != 0
}

/// Store sixteen sequences of three bytes: text without spaces. The lead bytes are low in their lanes.
#[inline]
#[avx2]
fn put_whole_threes(leads: __m256i, tails: __m256i, room: &mut Room<u8>) {
    let each = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, -1, -1, -1, -1));
    let fours = [_mm256_unpacklo_epi16(leads, tails), _mm256_unpackhi_epi16(leads, tails)];
    let [first, second] = fours.map(|four| halves(_mm256_shuffle_epi8(four, each)));
    for (place, four) in [first[0], second[0], first[1], second[1]].into_iter().enumerate() {
        store_16(four, room, 12 * place);
    }
}

/// Four groups of six bits of each lane, the highest in the lowest byte.
#[inline]
#[avx2]
fn groups_of_six(payloads: __m256i) -> __m256i {
    let group = |moved, bits| _mm256_and_si256(moved, _mm256_set1_epi32(bits));
    _mm256_or_si256(
        _mm256_or_si256(
            group(_mm256_srli_epi32::<18>(payloads), 0x07),
            group(_mm256_srli_epi32::<4>(payloads), 0x3F00),
        ),
        _mm256_or_si256(
            group(_mm256_slli_epi32::<10>(payloads), 0x3F_0000),
            group(_mm256_slli_epi32::<24>(payloads), 0x3F00_0000),
        ),
    )
}

/// Store eight surrogate pairs.
#[inline]
#[avx2]
fn put_whole_pairs(points: __m256i, room: &mut Room<u8>) {
    let each = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, -1, -1, -1, -1));
    let [low, high] = halves(points).map(|four| halves(_mm256_shuffle_epi8(pairs_of(four), each)));
    for (place, two) in low.into_iter().chain(high).enumerate() {
        store_16(two, room, 12 * place);
    }
}

/// Store lanes of 32 bits, the first of them four of each half, by their lengths.
#[inline]
#[avx2]
fn put_threes([first, second]: [__m256i; 2], lengths: u32, room: &mut Room<u8>) {
    let fours = [
        _mm256_castsi256_si128(first),
        _mm256_castsi256_si128(second),
        _mm256_extracti128_si256::<1>(first),
        _mm256_extracti128_si256::<1>(second),
    ];
    let mut filled = 0;
    for (four, lengths) in fours.into_iter().zip(lengths.to_le_bytes()) {
        filled += store_four(four, lengths, room, filled);
    }
}

/// Store lanes of 32 bits by their lengths.
#[inline]
#[avx2]
fn put_fours(lanes: __m256i, [low, high]: [u8; 2], room: &mut Room<u8>) {
    let filled = store_four(_mm256_castsi256_si128(lanes), low, room, 0);
    store_four(_mm256_extracti128_si256::<1>(lanes), high, room, filled);
}

/// The same where the longest are surrogate pairs.
#[inline]
#[avx2]
fn put_pairs(lanes: __m256i, block: &Points, lengths: [u8; 2], room: &mut Room<u8>) {
    let points = halves(block.points).into_iter().zip(halves(block.most));
    let mut filled = 0;
    for ((lanes, (points, most)), lengths) in halves(lanes).into_iter().zip(points).zip(lengths) {
        let lanes = _mm256_cvtepu32_epi64(lanes);
        let lanes = _mm256_blendv_epi8(lanes, pairs_of(points), _mm256_cvtepi32_epi64(most));
        let [low, high] = [lengths & 3 | lengths >> 2 & 0xC, lengths >> 2 & 3 | lengths >> 4 & 0xC];
        filled += store_two(_mm256_castsi256_si128(lanes), low, room, filled);
        filled += store_two(_mm256_extracti128_si256::<1>(lanes), high, room, filled);
    }
}

/// The bytes of surrogate pairs, each at the beginning of its lane of 64 bits.
#[inline]
#[avx2]
fn pairs_of(points: __m128i) -> __m256i {
    let index = _mm256_cvtepu32_epi64(_mm_sub_epi32(points, _mm_set1_epi32(0x1_0000)));
    let group = |moved, bits| _mm256_and_si256(moved, _mm256_set1_epi64x(bits));
    let leads =
        _mm256_or_si256(group(_mm256_srli_epi64::<8>(index), 0x0F00), group(_mm256_slli_epi64::<6>(index), 0x3F_0000));
    let trails = _mm256_or_si256(
        group(_mm256_slli_epi64::<26>(index), 0x0F_0000_0000),
        group(_mm256_slli_epi64::<40>(index), 0x3F00_0000_0000),
    );
    let marks = _mm256_set1_epi64x(i64::from_le_bytes([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80, 0, 0]));
    _mm256_or_si256(_mm256_or_si256(leads, trails), marks)
}

/// Store four sequences, each at the end of its lane of 32 bits, and return how many bytes they are.
#[inline]
#[avx2]
fn store_four(four: __m128i, lengths: u8, room: &mut Room<u8>, at: usize) -> usize {
    let (shuffle, length) = &FOURS[usize::from(lengths)];
    store_16(_mm_shuffle_epi8(four, load_16(shuffle)), room, at);
    usize::from(*length)
}

/// Store two sequences, each at the end of the lower half of its lane of 64 bits, or a surrogate pair at its beginning.
#[inline]
#[avx2]
fn store_two(two: __m128i, lengths: u8, room: &mut Room<u8>, at: usize) -> usize {
    let (shuffle, length) = &PAIRS[usize::from(lengths)];
    store_16(_mm_shuffle_epi8(two, load_16(shuffle)), room, at);
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
