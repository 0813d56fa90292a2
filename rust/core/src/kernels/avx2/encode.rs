//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Sixteen code points below U+10000 are lanes of 16 bits, others lanes of 32. Each lane becomes its bytes all at once; a
//! mask of their lengths is the index of a shuffle that drops the bytes that it does not have. A block that holds what
//! the form lacks, or a pair that it joins, goes one by one.

use std::arch::x86_64::*;

use super::{Room, load_16, load_32, load_points, load_units, put, store_16};
use crate::form::{LEADS, Range, TRAILS};
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

/// Eight code points, with the lanes that are written as more than one, two and three bytes, and as a surrogate pair.
struct Points {
    points: __m256i,
    longer: [__m256i; 3],
    splits: __m256i,
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn within_16(points: __m256i, range: Range) -> __m256i {
    if range.0 > 0xFFFF {
        return _mm256_setzero_si256();
    }
    let [first, last] = [range.0, range.1.min(0xFFFF)].map(|point| point as u16);
    let index = _mm256_sub_epi16(points, _mm256_set1_epi16(first as i16));
    up_to_16(index, _mm256_set1_epi16((last - first) as i16))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn within_32(points: __m256i, range: Range) -> __m256i {
    let index = _mm256_sub_epi32(points, _mm256_set1_epi32(range.0.cast_signed()));
    let span = _mm256_set1_epi32((range.1 - range.0).cast_signed());
    _mm256_cmpeq_epi32(_mm256_min_epu32(index, span), index)
}

/// Lanes up to those of another vector.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn up_to_16(points: __m256i, last: __m256i) -> __m256i {
    _mm256_cmpeq_epi16(_mm256_min_epu16(points, last), points)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn is_none(lanes: __m256i) -> bool {
    _mm256_testz_si256(lanes, lanes) != 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn is_all(lanes: __m256i) -> bool {
    _mm256_testc_si256(lanes, _mm256_set1_epi8(-1)) != 0
}

/// A spelling, and what each block asks of it.
struct Speller<'a> {
    spelling: &'a Spelling,
    /// The last code points of one, two and three bytes.
    lasts: [u32; 3],
    /// Ranges that hold all code points of which the length alone does not tell how they are written.
    odd: [Range; 2],
    is_shifted: bool,
    /// Whether ASCII but U+0000 is written as it stands.
    keeps_ascii: bool,
}

impl<'a> Speller<'a> {
    fn new(spelling: &'a Spelling) -> Self {
        let odd = spelling.odd();
        Speller {
            spelling,
            lasts: spelling.starts.map(|start| start - 1),
            odd,
            is_shifted: spelling.is_shifted(),
            keeps_ascii: spelling.starts[0] >= 0x80 && odd[0].0 >= 0x80,
        }
    }

    /// Whether ASCII code points are written as they stand; `has_nul` tells whether U+0000 is among them.
    #[inline]
    fn keeps(&self, has_nul: impl Fn() -> bool) -> bool {
        self.keeps_ascii && (self.spelling.nul_is_one || !has_nul())
    }

    /// Sixteen code points, and those one further; None where a closer look is due.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn units<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Units> {
        let mut escapes = _mm256_setzero_si256();
        let odd = _mm256_or_si256(within_16(points, self.odd[0]), within_16(points, self.odd[1]));
        if !is_none(odd) {
            let within = |range| within_16(points, range);
            if self.is_apart(within, || next().map(|next| within_16(next, TRAILS))) {
                return None;
            }
            escapes = self.spelling.escapes.map_or(escapes, within);
        }
        let [one, up_to_two] = [self.lasts[0], self.lasts[1]].map(|last| {
            let lanes = up_to_16(points, _mm256_set1_epi16(last.min(0xFFFF) as i16));
            _mm256_or_si256(lanes, escapes)
        });
        let nul = _mm256_cmpeq_epi16(points, _mm256_setzero_si256());
        let one = if self.spelling.nul_is_two { _mm256_andnot_si256(nul, one) } else { one };
        Some(Units { points, one, up_to_two })
    }

    /// Eight code points, and those one further; None where a closer look is due.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn points<Taker>(&self, points: __m256i, next: impl Fn() -> Option<__m256i>) -> Option<Points> {
        let mut escapes = _mm256_setzero_si256();
        let odd = _mm256_or_si256(within_32(points, self.odd[0]), within_32(points, self.odd[1]));
        if !is_none(odd) {
            let within = |range| within_32(points, range);
            if self.is_apart(within, || next().map(|next| within_32(next, TRAILS))) {
                return None;
            }
            escapes = self.spelling.escapes.map_or(escapes, within);
        }
        let beyond = |last: u32| _mm256_cmpgt_epi32(points, _mm256_set1_epi32(last.min(0x7FFF_FFFF).cast_signed()));
        let mut longer = self.lasts.map(|last| _mm256_andnot_si256(escapes, beyond(last)));
        if self.spelling.nul_is_two {
            longer[0] = _mm256_or_si256(longer[0], _mm256_cmpeq_epi32(points, _mm256_setzero_si256()));
        }
        let splits = if self.spelling.splits { beyond(0xFFFF) } else { _mm256_setzero_si256() };
        Some(Points { points, longer, splits })
    }

    /// Whether the form lacks some of a block, or joins a pair in it.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn is_apart(&self, within: impl Fn(Range) -> __m256i, trails: impl Fn() -> Option<__m256i>) -> bool {
        let joins = || {
            let leads = within(LEADS);
            !is_none(leads) && trails().is_none_or(|trails| _mm256_testz_si256(leads, trails) == 0)
        };
        self.spelling.missing.iter().any(|&range| !is_none(within(range))) || (self.spelling.joins && joins())
    }

    /// The payload bits of sixteen code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn payloads_16(&self, units: &Units) -> __m256i {
        if !self.is_shifted {
            return units.points;
        }
        let [two, three] = [0, 1].map(|at| _mm256_set1_epi16(self.spelling.offsets[at] as i16));
        let offsets = _mm256_andnot_si256(units.one, _mm256_blendv_epi8(three, two, units.up_to_two));
        let gap = self.spelling.gap;
        let beyond = within_16(units.points, (gap.0, u32::MAX));
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi16(gap.1 as i16));
        _mm256_sub_epi16(_mm256_sub_epi16(units.points, offsets), gaps)
    }

    /// The payload bits of eight code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn payloads_32(&self, block: &Points) -> __m256i {
        if !self.is_shifted {
            return block.points;
        }
        let [two, three, four] = self.spelling.offsets.map(|offset| _mm256_set1_epi32(offset.cast_signed()));
        let offsets = _mm256_blendv_epi8(_mm256_and_si256(two, block.longer[0]), three, block.longer[1]);
        let offsets = _mm256_blendv_epi8(offsets, four, block.longer[2]);
        let gap = self.spelling.gap;
        let beyond = within_32(block.points, (gap.0, u32::MAX));
        let gaps = _mm256_and_si256(beyond, _mm256_set1_epi32(gap.1.cast_signed()));
        _mm256_sub_epi32(_mm256_sub_epi32(block.points, offsets), gaps)
    }

    /// Write sixteen code points and return how many bytes they are.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_units<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let masks = _mm256_movemask_epi8(_mm256_packs_epi16(units.one, units.up_to_two)).cast_unsigned();
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
        put(out, units_bytes(masks), |room| {
            if is_all(units.up_to_two) {
                let masks = [masks as u8, (masks >> 16) as u8];
                let eights = [_mm256_castsi256_si128(tails), _mm256_extracti128_si256::<1>(tails)];
                let mut filled = 0;
                for (eight, mask) in eights.into_iter().zip(masks) {
                    store_16(_mm_shuffle_epi8(eight, load_16(&TWOS[usize::from(mask)])), room, filled);
                    filled += 16 - mask.count_ones() as usize;
                }
                return;
            }
            let leads = _mm256_and_si256(_mm256_srli_epi16::<4>(payloads), _mm256_set1_epi16(0x0F00));
            let leads = _mm256_or_si256(leads, _mm256_set1_epi16(0xE000_u16 as i16));
            let low = _mm256_unpacklo_epi16(leads, tails);
            let high = _mm256_unpackhi_epi16(leads, tails);
            let mut filled = 0;
            for (half, masks) in [masks, masks >> 16].into_iter().enumerate() {
                for (fours, masks) in [(low, masks), (high, masks >> 4)] {
                    let four =
                        if half == 0 { _mm256_castsi256_si128(fours) } else { _mm256_extracti128_si256::<1>(fours) };
                    filled += store_four(four, (masks & 0xF | masks >> 4 & 0xF0) as u8, room, filled);
                }
            }
        });
    }

    /// Write eight code points.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn write_points<Taker>(&self, block: &Points, out: &mut Output<'_, u8>) {
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
        let [two, three, four] = block.longer;
        let third = _mm256_andnot_si256(four, _mm256_set1_epi32(0x6000));
        let second = _mm256_andnot_si256(three, _mm256_set1_epi32(0x40_0000));
        let marks = _mm256_or_si256(_mm256_or_si256(second, third), _mm256_set1_epi32(0x8080_80F0_u32.cast_signed()));
        let bytes = _mm256_or_si256(groups, marks);
        let bytes = _mm256_blendv_epi8(_mm256_slli_epi32::<24>(block.points), bytes, two);
        let [two, three, four] = [two, three, _mm256_or_si256(four, block.splits)].map(|lanes| mask_32(lanes));
        // One or the longest, and up to two: see `LENGTHS`.
        let (odd, short) = (!two | four, !three);
        put(out, points_bytes(block), |room| {
            let mut filled = 0;
            if is_none(block.splits) {
                let four = _mm256_castsi256_si128(bytes);
                filled += store_four(four, odd & 0xF | short << 4, room, filled);
                let four = _mm256_extracti128_si256::<1>(bytes);
                store_four(four, odd >> 4 | short & 0xF0, room, filled);
                return;
            }
            for half in 0..2 {
                let of_half = |lanes| {
                    if half == 0 { _mm256_castsi256_si128(lanes) } else { _mm256_extracti128_si256::<1>(lanes) }
                };
                let pairs = pairs_of(of_half(block.points));
                let splits = _mm256_cvtepi32_epi64(of_half(block.splits));
                let all = _mm256_blendv_epi8(_mm256_cvtepu32_epi64(of_half(bytes)), pairs, splits);
                let (odd, short) = (odd >> (4 * half), short >> (4 * half));
                filled += store_two(_mm256_castsi256_si128(all), odd & 3 | (short & 3) << 2, room, filled);
                let rest = odd >> 2 & 3 | short & 0xC;
                filled += store_two(_mm256_extracti128_si256::<1>(all), rest, room, filled);
            }
        });
    }
}

/// The highest bit of each lane.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn mask_32(lanes: __m256i) -> u8 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u8
}

/// How many bytes sixteen code points take, by the mask of the lanes of one byte and those up to two.
#[inline]
fn units_bytes(masks: u32) -> usize {
    3 * BLOCK - masks.count_ones() as usize
}

/// How many bytes eight code points take.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn points_bytes(block: &Points) -> usize {
    let longer = block.longer.map(|lanes| mask_32(lanes).count_ones() as usize);
    8 + longer[0] + longer[1] + longer[2] + 3 * mask_32(block.splits).count_ones() as usize
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

/// The lengths by two bits of a lane: whether it has one byte or is the longest, and whether it has up to two.
const LENGTHS: [usize; 4] = [3, 4, 2, 1];

/// A shuffle, and how many bytes it keeps.
type Shuffle = ([u8; 16], u8);

/// For the lengths of four lanes of 32 bits what keeps the bytes of each, those at its end.
static FOURS: [Shuffle; 256] = shuffles::<256>(4, LENGTHS[1]);

/// The same for two lanes of 64 bits, of which the bytes end in the middle; the longest have six bytes.
static PAIRS: [Shuffle; 16] = shuffles::<16>(2, 6);

const fn shuffles<const COUNT: usize>(lanes: usize, longest: usize) -> [Shuffle; COUNT] {
    let mut table = [([0x80; 16], 0); COUNT];
    let mut mask = 0;
    while mask < COUNT {
        let (mut lane, mut filled) = (0, 0);
        while lane < lanes {
            let bits = mask >> lane & 1 | (mask >> (lanes + lane) & 1) << 1;
            let length = if bits == 1 { longest } else { LENGTHS[bits] };
            let mut place = if length > 4 { 0 } else { 4 - length };
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

/// Hand over a text in the lanes that it needs.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn spell<S: portable::Bytes>(
    spelt: &Spelt<'_>,
    span: (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, __m256i),
    take_units: impl Fn(&mut S, &Speller<'_>, &Units),
    take_points: impl Fn(&mut S, &Speller<'_>, &Points),
) -> usize {
    let speller = &Speller::new(spelt.spelling);
    match spelt.text {
        Text::One(text) => each_block(spelt, span, state, |state, at| {
            if let Some(ascii) = text[at..span.1].first_chunk().and_then(|bytes| ascii_of_one(speller, bytes)) {
                take_ascii(state, ascii);
                return 2 * BLOCK;
            }
            let points = _mm256_cvtepu8_epi16(load_16(text[at..].first_chunk().expect("a block")));
            let Some(units) = speller.units::<u8>(points, || None) else { return 0 };
            take_units(state, speller, &units);
            BLOCK
        }),
        Text::Two(text) => each_block(spelt, span, state, |state, at| {
            if let Some(ascii) = text[at..span.1].first_chunk().and_then(|units| ascii_of_two(speller, units)) {
                take_ascii(state, ascii);
                return 2 * BLOCK;
            }
            let load = |at: usize| text[at..].first_chunk().map(|units| load_units(units));
            let Some(units) = speller.units::<u16>(load(at).expect("a block"), || load(at + 1)) else { return 0 };
            take_units(state, speller, &units);
            BLOCK
        }),
        Text::Four(text) => each_block(spelt, span, state, |state, at| {
            let load = |at: usize| text[at..].first_chunk().map(|points| load_points(points));
            let eights = [load(at).expect("half a block"), load(at + 8).expect("half a block")];
            if _mm256_testz_si256(_mm256_or_si256(eights[0], eights[1]), _mm256_set1_epi32(!0xFFFF)) != 0 {
                let next = || Some(packed([load(at + 1)?, load(at + 9)?]));
                let Some(units) = speller.units::<u32>(packed(eights), next) else { return 0 };
                take_units(state, speller, &units);
                return BLOCK;
            }
            let Some(first) = speller.points::<u32>(eights[0], || load(at + 1)) else { return 0 };
            let Some(second) = speller.points::<u64>(eights[1], || load(at + 9)) else { return 0 };
            take_points(state, speller, &first);
            take_points(state, speller, &second);
            BLOCK
        }),
    }
}

/// Sixteen code points below U+10000 in lanes of 16 bits.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn packed([low, high]: [__m256i; 2]) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high))
}

/// 32 code points that are ASCII and written as they stand, as bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ascii_of_one(speller: &Speller<'_>, bytes: &[u8; 32]) -> Option<__m256i> {
    let bytes = load_32(bytes);
    let has_nul = || !is_none(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
    (_mm256_movemask_epi8(bytes) == 0 && speller.keeps(has_nul)).then_some(bytes)
}

/// The same of a text of two bytes each.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn ascii_of_two(speller: &Speller<'_>, units: &[u16; 32]) -> Option<__m256i> {
    let [low, high] = [0, 16].map(|at| load_units(units[at..].first_chunk().expect("half of them")));
    if _mm256_testz_si256(_mm256_or_si256(low, high), _mm256_set1_epi16(!0x7F)) == 0 {
        return None;
    }
    let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low, high));
    let has_nul = || !is_none(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
    speller.keeps(has_nul).then_some(bytes)
}

/// Measure from an index to a limit, or to where the kernel stops.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    let mut bytes = 0;
    let end = spell(
        spelt,
        (start, limit),
        &mut bytes,
        |bytes, _| *bytes += 2 * BLOCK,
        |bytes, _, units| {
            let masks = _mm256_movemask_epi8(_mm256_packs_epi16(units.one, units.up_to_two));
            *bytes += units_bytes(masks.cast_unsigned());
        },
        |bytes, _, block| *bytes += points_bytes(block),
    );
    Stretch { end, bytes }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    spell(
        spelt,
        (start, limit),
        out,
        |out, ascii| {
            put(out, 2 * BLOCK, |room| {
                store_16(_mm256_castsi256_si128(ascii), room, 0);
                store_16(_mm256_extracti128_si256::<1>(ascii), room, 16);
            });
        },
        |out, speller, units| speller.write_units::<u16>(units, out),
        |out, speller, block| speller.write_points::<u32>(block, out),
    )
}
