//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Sixteen code points below U+10000 are lanes of 16 bits, others lanes of 32. Each lane becomes its bytes all at once; a
//! mask of their lengths is the index of a shuffle that drops the bytes that it does not have. A block that holds what
//! the form lacks, or a pair that it joins, goes one by one.

use std::arch::x86_64::*;

use super::{
    Bytes, Place, Room, halves, is_none, load_16, load_points, load_units, no_copy, packed_16, packed_32, store_16,
};
use crate::form::{LEADS, Range, TRAILS};
use crate::kernels::simd::copy;
use crate::kernels::{Output, Spelt, Stretch, Text, portable};
use crate::spelling::Spelling;

/// Code points that are looked at together.
const BLOCK: usize = 16;

/// Sixteen code points below U+10000, with the lanes that are written as one byte, and as two at most.
struct Units {
    points: __m256i,
    one: __m256i,
    up_to_two: __m256i,
}

/// Eight code points, with the lanes that are written as two or three bytes, as three at least, and as the most.
struct Points {
    points: __m256i,
    two_or_three: __m256i,
    three: __m256i,
    most: __m256i,
}

/// A range of code points, ready to be looked for.
struct Band {
    /// Whether there is any, and whether some are below U+10000.
    is_there: [bool; 2],
    first: u32,
    span: u32,
}

impl Band {
    fn new(range: Option<Range>) -> Self {
        let (first, last) = range.unwrap_or((u32::MAX, u32::MAX));
        Band { is_there: [range.is_some(), first <= 0xFFFF], first, span: last - first }
    }

    /// Sixteen code points of which some are in it.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn units(&self, points: __m256i) -> __m256i {
        if !self.is_there[1] {
            return _mm256_setzero_si256();
        }
        let index = _mm256_sub_epi16(points, _mm256_set1_epi16(self.first as i16));
        up_to_16(index, _mm256_set1_epi16(self.span.min(0xFFFF - self.first) as i16))
    }

    /// Eight code points of which some are in it.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn points(&self, points: __m256i) -> __m256i {
        if !self.is_there[0] {
            return _mm256_setzero_si256();
        }
        let index = _mm256_sub_epi32(points, _mm256_set1_epi32(self.first.cast_signed()));
        _mm256_cmpeq_epi32(_mm256_min_epu32(index, _mm256_set1_epi32(self.span.cast_signed())), index)
    }
}

/// Lanes up to those of another vector.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn up_to_16(points: __m256i, last: __m256i) -> __m256i {
    _mm256_cmpeq_epi16(_mm256_min_epu16(points, last), points)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn is_all(lanes: __m256i) -> bool {
    _mm256_testc_si256(lanes, _mm256_set1_epi8(-1)) != 0
}

/// A spelling, and what each block asks of it; what a plain one does not need is compiled out.
struct Speller<'a, const IS_PLAIN: bool> {
    spelling: &'a Spelling,
    /// The last code points of one, of two and of three bytes.
    lasts: [u32; 3],
    /// Ranges that hold what is missing; more than one there is taken for a block that holds some.
    missing: [Band; 2],
    joins: bool,
    leads: Band,
    trails: Band,
    escapes: Band,
    is_shifted: bool,
    beyond_gap: Band,
    /// Whether ASCII but U+0000 is written as it stands.
    keeps_ascii: bool,
}

/// Whether a spelling is that of UTF-8, but for what is missing, joined or split.
fn is_plain(spelling: &Spelling) -> bool {
    !spelling.nul_is_two && !spelling.is_shifted() && spelling.escapes.is_none()
}

impl<'a, const IS_PLAIN: bool> Speller<'a, IS_PLAIN> {
    fn new(spelling: &'a Spelling) -> Self {
        let [one, two, three] = spelling.starts.map(|start| start - 1);
        let hull = |ranges: &[Range]| Some((ranges.first()?.0, ranges.last()?.1));
        let (low, high) = spelling.missing.split_at(spelling.missing.partition_point(|range| range.0 < LEADS.0));
        Speller {
            spelling,
            lasts: [one, two, if spelling.splits { 0xFFFF } else { three }],
            missing: [low, high].map(|ranges| Band::new(hull(ranges))),
            joins: spelling.joins && !spelling.missing.iter().any(|range| range.0 <= LEADS.0 && LEADS.1 <= range.1),
            leads: Band::new(Some(LEADS)),
            trails: Band::new(Some(TRAILS)),
            escapes: Band::new(spelling.escapes),
            is_shifted: spelling.is_shifted(),
            beyond_gap: Band::new((spelling.gap.1 > 0).then_some((spelling.gap.0, u32::MAX))),
            keeps_ascii: one >= 0x7F && spelling.missing.iter().all(|range| range.0 >= 0x80),
        }
    }

    /// Whether ASCII code points are written as they stand; `has_nul` tells whether U+0000 is among them.
    #[inline]
    fn keeps(&self, has_nul: impl Fn() -> bool) -> bool {
        self.keeps_ascii && (self.spelling.nul_is_one || !has_nul())
    }

    /// Sixteen code points, and those one further; None where a closer look is due.
    ///
    /// No branch on what a lane holds but that: such a branch would be guessed wrong as often as not.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn units<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Units> {
        let mut apart = _mm256_or_si256(self.missing[0].units(points), self.missing[1].units(points));
        if self.joins {
            let pairs = _mm256_and_si256(self.leads.units(points), self.trails.units(next()?));
            apart = _mm256_or_si256(apart, pairs);
        }
        if !is_none(apart) {
            return None;
        }
        let [mut one, mut up_to_two, _] =
            self.lasts.map(|last| up_to_16(points, _mm256_set1_epi16(last.min(0xFFFF) as i16)));
        if !IS_PLAIN {
            let escapes = self.escapes.units(points);
            (one, up_to_two) = (_mm256_or_si256(one, escapes), _mm256_or_si256(up_to_two, escapes));
            if self.spelling.nul_is_two {
                one = _mm256_andnot_si256(_mm256_cmpeq_epi16(points, _mm256_setzero_si256()), one);
            }
        }
        Some(Units { points, one, up_to_two })
    }

    /// Eight code points, and those one further; None where a closer look is due.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn points<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Points> {
        let mut apart = _mm256_or_si256(self.missing[0].points(points), self.missing[1].points(points));
        if self.joins {
            let pairs = _mm256_and_si256(self.leads.points(points), self.trails.points(next()?));
            apart = _mm256_or_si256(apart, pairs);
        }
        if !is_none(apart) {
            return None;
        }
        let [mut two, mut three, mut most] =
            self.lasts.map(|last| _mm256_cmpgt_epi32(points, _mm256_set1_epi32(last.min(0x7FFF_FFFF).cast_signed())));
        if !IS_PLAIN {
            let escapes = self.escapes.points(points);
            [two, three, most] = [two, three, most].map(|lanes| _mm256_andnot_si256(escapes, lanes));
            if self.spelling.nul_is_two {
                two = _mm256_or_si256(two, _mm256_cmpeq_epi32(points, _mm256_setzero_si256()));
            }
        }
        Some(Points { points, two_or_three: _mm256_xor_si256(two, most), three, most })
    }

    /// The payload bits of sixteen code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn payloads_16(&self, units: &Units) -> __m256i {
        if IS_PLAIN || !self.is_shifted {
            return units.points;
        }
        let [two, three] = [0, 1].map(|at| _mm256_set1_epi16(self.spelling.offsets[at] as i16));
        let offsets = _mm256_andnot_si256(units.one, _mm256_blendv_epi8(three, two, units.up_to_two));
        let beyond = self.beyond_gap.units(units.points);
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi16(self.spelling.gap.1 as i16));
        _mm256_sub_epi16(_mm256_sub_epi16(units.points, offsets), gaps)
    }

    /// The payload bits of eight code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn payloads_32(&self, block: &Points) -> __m256i {
        if IS_PLAIN || !self.is_shifted {
            return block.points;
        }
        let [two, three, four] = self.spelling.offsets.map(|offset| _mm256_set1_epi32(offset.cast_signed()));
        let offsets = _mm256_blendv_epi8(_mm256_and_si256(two, block.two_or_three), three, block.three);
        let offsets = _mm256_blendv_epi8(offsets, four, block.most);
        let beyond = self.beyond_gap.points(block.points);
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi32(self.spelling.gap.1.cast_signed()));
        _mm256_sub_epi32(_mm256_sub_epi32(block.points, offsets), gaps)
    }

    /// Write sixteen code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_units<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let payloads = self.payloads_16(units);
        let six = _mm256_set1_epi16(0x3F);
        let last = _mm256_slli_epi16::<8>(_mm256_and_si256(payloads, six));
        let before = _mm256_and_si256(_mm256_srli_epi16::<6>(payloads), six);
        // The lead byte of two is marked by one bit more than a continuation byte.
        let lead = _mm256_and_si256(units.up_to_two, _mm256_set1_epi16(0x40));
        let marks = _mm256_or_si256(lead, _mm256_set1_epi16(0x8080_u16 as i16));
        let tails = _mm256_or_si256(_mm256_or_si256(last, before), marks);
        // What is one byte, an escape too, is its low byte.
        let tails = _mm256_blendv_epi8(tails, _mm256_slli_epi16::<8>(units.points), units.one);
        let mut copy = no_copy();
        if is_all(units.up_to_two) {
            let ones = _mm256_movemask_epi8(_mm256_packs_epi16(units.one, units.one)).cast_unsigned();
            let ones = [ones as u8, (ones >> 16) as u8];
            let shorter = (ones[0].count_ones() + ones[1].count_ones()) as usize;
            let mut place = Place::new(out, 2 * BLOCK - shorter, &mut copy);
            put_twos(tails, ones, place.room());
            return place.finish();
        }
        let lengths = lengths_16(units);
        let leads = _mm256_and_si256(_mm256_srli_epi16::<4>(payloads), _mm256_set1_epi16(0x0F00));
        let leads = _mm256_or_si256(leads, _mm256_set1_epi16(0xE000_u16 as i16));
        let halves = [_mm256_unpacklo_epi16(leads, tails), _mm256_unpackhi_epi16(leads, tails)];
        let mut place = Place::new(out, BLOCK + lengths.count_ones() as usize, &mut copy);
        put_threes(halves, lengths, place.room());
        place.finish();
    }

    /// Write eight code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_points(&self, block: &Points, out: &mut Output<'_, u8>) {
        let payloads = self.payloads_32(block);
        // Four groups of six bits in each lane, the highest in the lowest byte; then the marks of each.
        let group = |moved, bits| _mm256_and_si256(moved, _mm256_set1_epi32(bits));
        let groups = _mm256_or_si256(
            _mm256_or_si256(
                group(_mm256_srli_epi32::<18>(payloads), 0x07),
                group(_mm256_srli_epi32::<4>(payloads), 0x3F00),
            ),
            _mm256_or_si256(
                group(_mm256_slli_epi32::<10>(payloads), 0x3F_0000),
                group(_mm256_slli_epi32::<24>(payloads), 0x3F00_0000),
            ),
        );
        let third = _mm256_andnot_si256(block.most, _mm256_set1_epi32(0x6000));
        let second = _mm256_andnot_si256(block.three, _mm256_set1_epi32(0x40_0000));
        let marks = _mm256_or_si256(_mm256_or_si256(second, third), _mm256_set1_epi32(0x8080_80F0_u32.cast_signed()));
        let bytes = _mm256_or_si256(groups, marks);
        let longer = _mm256_or_si256(block.two_or_three, block.three);
        let bytes = _mm256_blendv_epi8(_mm256_slli_epi32::<24>(block.points), bytes, longer);
        let lengths = lengths_32(block);
        let mut copy = no_copy();
        let mut place = Place::new(out, self.points_bytes(lengths), &mut copy);
        let eight = [lengths as u8, (lengths >> 16) as u8];
        if self.spelling.splits && !is_none(block.most) {
            put_pairs(bytes, block, eight, place.room());
        } else {
            put_fours(bytes, eight, place.room());
        }
        place.finish();
    }

    /// How many bytes eight code points take.
    #[inline]
    fn points_bytes(&self, lengths: u32) -> usize {
        // Two bits for each of the longest sequences.
        let most = if self.spelling.splits { (lengths & 0xFF00_FF00).count_ones() } else { 0 };
        (8 + lengths.count_ones() + most) as usize
    }
}

/// The lengths of sixteen sequences, by four a byte: those of two bytes and more, and those of three. There are as many
/// bits as bytes beyond one.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn lengths_16(units: &Units) -> u32 {
    let low = _mm256_unpacklo_epi64(units.one, units.up_to_two);
    let high = _mm256_unpackhi_epi64(units.one, units.up_to_two);
    !_mm256_movemask_epi8(_mm256_packs_epi16(low, high)).cast_unsigned()
}

/// The lengths of eight sequences, by four two bytes: those of two or three bytes, those of three and more, and the
/// longest twice. There are as many bits as bytes beyond one, if the longest have four.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn lengths_32(block: &Points) -> u32 {
    let shorter = _mm256_packs_epi32(block.two_or_three, block.three);
    let most = _mm256_packs_epi32(block.most, block.most);
    _mm256_movemask_epi8(_mm256_packs_epi16(shorter, most)).cast_unsigned()
}

/// Store lanes of 16 bits of which a mask tells those of one byte.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_twos(lanes: __m256i, ones: [u8; 2], room: &mut Room<u8>) {
    let [low, high] = ones.map(|ones| load_16(&TWOS[usize::from(ones)]));
    store_16(_mm_shuffle_epi8(_mm256_castsi256_si128(lanes), low), room, 0);
    let filled = 16 - ones[0].count_ones() as usize;
    store_16(_mm_shuffle_epi8(_mm256_extracti128_si256::<1>(lanes), high), room, filled);
}

/// Store lanes of 32 bits, the first of them four of each half, by their lengths.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_threes([first, second]: [__m256i; 2], lengths: u32, room: &mut Room<u8>) {
    let fours = [
        _mm256_castsi256_si128(first),
        _mm256_castsi256_si128(second),
        _mm256_extracti128_si256::<1>(first),
        _mm256_extracti128_si256::<1>(second),
    ];
    if lengths == !0 {
        // Text without spaces: nothing waits for its lengths.
        for (place, four) in fours.into_iter().enumerate() {
            store_16(_mm_shuffle_epi8(four, load_16(&FOURS[0xFF].0)), room, 12 * place);
        }
        return;
    }
    let mut filled = 0;
    for (four, lengths) in fours.into_iter().zip(lengths.to_le_bytes()) {
        filled += store_four(four, lengths, room, filled);
    }
}

/// Store lanes of 32 bits by their lengths.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_fours(lanes: __m256i, [low, high]: [u8; 2], room: &mut Room<u8>) {
    let filled = store_four(_mm256_castsi256_si128(lanes), low, room, 0);
    store_four(_mm256_extracti128_si256::<1>(lanes), high, room, filled);
}

/// The same where the longest are surrogate pairs.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn store_four(four: __m128i, lengths: u8, room: &mut Room<u8>, at: usize) -> usize {
    let (shuffle, length) = &FOURS[usize::from(lengths)];
    store_16(_mm_shuffle_epi8(four, load_16(shuffle)), room, at);
    usize::from(*length)
}

/// Store two sequences, each at the end of the lower half of its lane of 64 bits, or a surrogate pair at its beginning.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
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

/// Hand over a text block by block; `take` takes some code points from an index on, at least a block of which is there,
/// or none. The end is returned.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn each_block<S: portable::Bytes>(
    spelt: &Spelt<'_>,
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, usize) -> usize,
) -> usize {
    let mut at = start;
    while at < limit {
        let end = limit.min(at + BLOCK);
        let taken = if end - at == BLOCK { take(state, at) } else { 0 };
        if taken == 0 {
            let reached = portable::spell(spelt, at, end, state);
            if reached < end {
                return reached;
            }
            at = end;
        } else {
            at += taken;
        }
    }
    limit
}

/// Hand over a text of one byte each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn each_of_one<S: portable::Bytes, const IS_PLAIN: bool>(
    spelt: &Spelt<'_>,
    text: &[u8],
    span: (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, &[u8]),
    take: impl Fn(&mut S, &Speller<'_, IS_PLAIN>, &Units),
) -> usize {
    let speller = &Speller::<IS_PLAIN>::new(spelt.spelling);
    each_block(spelt, span, state, |state, at| {
        let ascii = ascii_of_one(speller, &text[at..span.1]);
        if !ascii.is_empty() {
            take_ascii(state, ascii);
            return ascii.len();
        }
        let points = _mm256_cvtepu8_epi16(load_16(text[at..].first_chunk().expect("a block")));
        let Some(units) = speller.units::<S>(points, || Some(_mm256_setzero_si256())) else { return 0 };
        take(state, speller, &units);
        BLOCK
    })
}

/// Hand over a text of two bytes each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn each_of_two<S: portable::Bytes, const IS_PLAIN: bool>(
    spelt: &Spelt<'_>,
    text: &[u16],
    span: (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, &Speller<'_, IS_PLAIN>, &[u16; 2 * BLOCK]) -> bool,
    take: impl Fn(&mut S, &Speller<'_, IS_PLAIN>, &Units),
) -> usize {
    let speller = &Speller::<IS_PLAIN>::new(spelt.spelling);
    let load = |at: usize| text[at..].first_chunk().map(|units| load_units(units));
    each_block(spelt, span, state, |state, at| {
        if text[at..span.1].first_chunk().is_some_and(|units| take_ascii(state, speller, units)) {
            return 2 * BLOCK;
        }
        let Some(units) = speller.units::<(S, u16)>(load(at).expect("a block"), || load(at + 1)) else { return 0 };
        take(state, speller, &units);
        BLOCK
    })
}

/// Hand over a text of four bytes each, in the lanes that it needs.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn each_of_four<S: portable::Bytes, const IS_PLAIN: bool>(
    spelt: &Spelt<'_>,
    text: &[u32],
    span: (usize, usize),
    state: &mut S,
    take_units: impl Fn(&mut S, &Speller<'_, IS_PLAIN>, &Units),
    take_points: impl Fn(&mut S, &Speller<'_, IS_PLAIN>, &Points),
) -> usize {
    let speller = &Speller::<IS_PLAIN>::new(spelt.spelling);
    let load = |at: usize| text[at..].first_chunk().map(|points| load_points(points));
    each_block(spelt, span, state, |state, at| {
        let eights = [0, 8].map(|half| load(at + half).expect("half a block"));
        if _mm256_testz_si256(_mm256_or_si256(eights[0], eights[1]), _mm256_set1_epi32(!0xFFFF)) != 0 {
            let next = || Some(packed_32([load(at + 1)?, load(at + 9)?]));
            let Some(units) = speller.units::<(S, u32)>(packed_32(eights), next) else { return 0 };
            take_units(state, speller, &units);
            return BLOCK;
        }
        for (half, points) in [0, 8].into_iter().zip(eights) {
            let Some(points) = speller.points::<S>(points, || load(at + half + 1)) else { return half };
            take_points(state, speller, &points);
        }
        BLOCK
    })
}

/// The ASCII that a text begins with and that is written as it stands, if it is long: else whether there is any would be
/// guessed wrong as often as not.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ascii_of_one<'a, const IS_PLAIN: bool>(speller: &Speller<'_, IS_PLAIN>, text: &'a [u8]) -> &'a [u8] {
    let is_kept = |bytes: &&[u8; 64]| {
        let bytes = Bytes::of(bytes, 0);
        bytes.are_ascii() && speller.keeps(|| bytes.equal(0) != 0)
    };
    &text[..64 * text.as_chunks().0.iter().take_while(is_kept).count()]
}

/// The same of 32 code points of two bytes each, as bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ascii_of_two<const IS_PLAIN: bool>(speller: &Speller<'_, IS_PLAIN>, units: &[u16; 32]) -> Option<__m256i> {
    let [low, high] = [0, 16].map(|at| load_units(units[at..].first_chunk().expect("half of them")));
    if _mm256_testz_si256(_mm256_or_si256(low, high), _mm256_set1_epi16(!0x7F)) == 0 {
        return None;
    }
    let bytes = packed_16([low, high]);
    let has_nul = || !is_none(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
    speller.keeps(has_nul).then_some(bytes)
}

/// How many bytes code points of one byte each take, by what needs no other look than which take two; None where some of
/// these could need one.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn bytes_of_one(spelling: &Spelling, text: &[u8]) -> Option<usize> {
    let is_missing = spelling.missing.first().is_some_and(|range| range.0 <= 0xFF);
    let first = u8::try_from(spelling.starts[0]).ok()?;
    if is_missing || spelling.starts[1] <= 0xFF || spelling.escapes.is_some_and(|range| range.0 <= 0xFF) {
        return None;
    }
    let nul_is_two = spelling.nul_is_two;
    let (blocks, rest) = text.as_chunks::<64>();
    let longer = blocks.iter().map(|block| {
        let bytes = Bytes::of(block, 0);
        let nul = if nul_is_two { bytes.equal(0) } else { 0 };
        (bytes.at_least(first) | nul).count_ones() as usize
    });
    let of_rest = rest.iter().filter(|&&byte| byte >= first || (byte == 0 && nul_is_two)).count();
    Some(text.len() + longer.sum::<usize>() + of_rest)
}

/// Measure from an index to a limit, or to where the kernel stops.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    if let Text::One(text) = spelt.text
        && let Some(bytes) = bytes_of_one(spelt.spelling, &text[start..limit])
    {
        return Stretch { end: limit, bytes };
    }
    let mut bytes = 0;
    let end = if is_plain(spelt.spelling) {
        count::<true>(spelt, (start, limit), &mut bytes)
    } else {
        count::<false>(spelt, (start, limit), &mut bytes)
    };
    Stretch { end, bytes }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn count<const IS_PLAIN: bool>(spelt: &Spelt<'_>, span: (usize, usize), bytes: &mut usize) -> usize {
    let of_ascii = |bytes: &mut usize, ascii: &[u8]| *bytes += ascii.len();
    let of_units = |bytes: &mut usize, _: &Speller<'_, IS_PLAIN>, units: &Units| {
        *bytes += BLOCK + lengths_16(units).count_ones() as usize;
    };
    let of_points = |bytes: &mut usize, speller: &Speller<'_, IS_PLAIN>, block: &Points| {
        *bytes += speller.points_bytes(lengths_32(block));
    };
    match spelt.text {
        Text::One(text) => each_of_one(spelt, text, span, bytes, of_ascii, of_units),
        Text::Two(text) => each_of_two(spelt, text, span, bytes, |_, _, _| false, of_units),
        Text::Four(text) => each_of_four(spelt, text, span, bytes, of_units, of_points),
    }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if is_plain(spelt.spelling) {
        write::<true>(spelt, (start, limit), out)
    } else {
        write::<false>(spelt, (start, limit), out)
    }
}

/// Each kind of text has its own functions: a call of one that several share would cost all registers.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn write<const IS_PLAIN: bool>(spelt: &Spelt<'_>, span: (usize, usize), out: &mut Output<'_, u8>) -> usize {
    match spelt.text {
        Text::One(text) => each_of_one::<_, IS_PLAIN>(
            spelt,
            text,
            span,
            out,
            |out, ascii| out.fill(ascii.len(), |place| copy(ascii, place)),
            |out, speller, units| speller.write_units::<u8>(units, out),
        ),
        Text::Two(text) => each_of_two::<_, IS_PLAIN>(
            spelt,
            text,
            span,
            out,
            |out, speller, units| put_ascii(speller, units, out),
            |out, speller, units| speller.write_units::<u16>(units, out),
        ),
        Text::Four(text) => each_of_four::<_, IS_PLAIN>(
            spelt,
            text,
            span,
            out,
            |out, speller, units| speller.write_units::<u32>(units, out),
            |out, speller, block| speller.write_points(block, out),
        ),
    }
}

/// Write code points that are ASCII as they stand; false, and nothing written, where others are among them.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_ascii<const IS_PLAIN: bool>(
    speller: &Speller<'_, IS_PLAIN>,
    units: &[u16; 2 * BLOCK],
    out: &mut Output<'_, u8>,
) -> bool {
    let Some(ascii) = ascii_of_two(speller, units) else { return false };
    let mut copy = no_copy();
    let mut place = Place::new(out, 2 * BLOCK, &mut copy);
    store_16(_mm256_castsi256_si128(ascii), place.room(), 0);
    store_16(_mm256_extracti128_si256::<1>(ascii), place.room(), 16);
    place.finish();
    true
}
