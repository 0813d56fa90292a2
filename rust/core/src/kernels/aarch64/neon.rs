//! NEON: vectors of 32 bytes, two registers each, and what the kernels of `vectors` do with them. AVX2 has the same
//! functions.
//!
//! Lanes are of 8, 16, 32 or 64 bits, as the end of a name says. Lanes that answer a question have all bits set, or
//! none. Where a function speaks of halves, each half of 16 bytes is treated as a vector of its own. The lowest lane is
//! the first in memory: the machine is little-endian.

#![expect(unsafe_code, reason = "vectors are loaded")]

use std::arch::aarch64::*;

use eightfold_features::{has_neon, neon};

use crate::kernels::kept::{KEPT, KEPT_16, KEPT_32};

/// Whether this machine has what the functions here need. The answer is kept by the standard library.
pub fn is_available() -> bool {
    cfg!(target_endian = "little") && has_neon!()
}

/// 32 bytes.
pub type Vector = uint8x16x2_t;
/// 16 bytes.
pub type Half = uint8x16_t;

/// A bit for each of eight bytes, twice.
const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];

/// What a function makes of both halves.
#[inline]
#[neon]
fn each(vector: Vector, of: impl Fn(Half) -> Half) -> Vector {
    uint8x16x2_t(of(vector.0), of(vector.1))
}

/// What a function makes of the halves of two vectors.
#[inline]
#[neon]
fn of_two(one: Vector, other: Vector, of: impl Fn(Half, Half) -> Half) -> Vector {
    uint8x16x2_t(of(one.0, other.0), of(one.1, other.1))
}

/// 32 bytes.
#[inline]
#[neon]
pub fn load_32(bytes: &[u8; 32]) -> Vector {
    let [first, last] = [bytes.first_chunk(), bytes.last_chunk()];
    uint8x16x2_t(load_16(first.expect("half of them")), load_16(last.expect("half of them")))
}

/// 16 units of 16 bits.
#[inline]
#[neon]
pub fn load_units(units: &[u16; 16]) -> Vector {
    let load = |half: Option<&[u16; 8]>| {
        let units = half.expect("half of them").as_ptr();
        // SAFETY: a load of as many units as there are, at any alignment.
        vreinterpretq_u8_u16(unsafe { vld1q_u16(units) })
    };
    uint8x16x2_t(load(units.first_chunk()), load(units.last_chunk()))
}

/// 8 units of 32 bits.
#[inline]
#[neon]
pub fn load_points(points: &[u32; 8]) -> Vector {
    let load = |half: Option<&[u32; 4]>| {
        let points = half.expect("half of them").as_ptr();
        // SAFETY: as in `load_units`.
        vreinterpretq_u8_u32(unsafe { vld1q_u32(points) })
    };
    uint8x16x2_t(load(points.first_chunk()), load(points.last_chunk()))
}

/// 16 bytes.
#[inline]
#[neon]
pub fn load_16(bytes: &[u8; 16]) -> Half {
    // SAFETY: as in `load_units`.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

/// 8 bytes, and 8 more of 0.
#[inline]
#[neon]
pub fn load_8(bytes: &[u8; 8]) -> Half {
    vcombine_u8(vcreate_u8(u64::from_le_bytes(*bytes)), vcreate_u8(0))
}

/// No bit.
#[inline]
#[neon]
pub fn zero() -> Vector {
    each_8(0)
}

macro_rules! of_bytes {
    ($($(#[$doc:meta])* $name:ident($one:ident, $other:ident) = $instruction:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[neon]
        pub fn $name($one: Vector, $other: Vector) -> Vector {
            of_two($one, $other, |one, other| $instruction(one, other))
        })*
    };
}

of_bytes! {
    /// The bits of both.
    and(one, other) = vandq_u8;
    /// The bits of either.
    or(one, other) = vorrq_u8;
    /// The bits of one but not of both.
    xor(one, other) = veorq_u8;
    /// In each half the bytes of a table at the places, which are below 16, or from 80 up for a 0.
    shuffle(table, places) = vqtbl1q_u8;
    /// The lanes that are the same.
    equal_8(one, other) = vceqq_u8;
    /// The lanes of numbers that are not below others.
    at_least_8(one, least) = vcgeq_u8;
    /// The lanes of lead bytes that are not below others; those of ASCII are arbitrary.
    leads_from(bytes, least) = vcgeq_u8;
    /// The lanes of numbers that are not above others.
    at_most_8(one, most) = vcleq_u8;
    /// The larger ones.
    max_8(one, other) = vmaxq_u8;
    /// Sums.
    add_8(one, other) = vaddq_u8;
    /// Differences.
    sub_8(from, less) = vsubq_u8;
    /// Differences, or 0 where they are negative.
    sub_to_zero_8(from, less) = vqsubq_u8;
    /// In halves: the first lanes of both in turns.
    zip_low_8(one, other) = vzip1q_u8;
    /// In halves: the last lanes of both in turns.
    zip_high_8(one, other) = vzip2q_u8;
    /// In halves: lanes of 16 bits, all bits of each or none, as lanes of 8, those of the second behind the others.
    pack_lanes_16(one, other) = vuzp1q_u8;
}

macro_rules! of_lanes {
    ($from:ident, $into:ident: $($(#[$doc:meta])* $name:ident($one:ident, $other:ident) = $instruction:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[neon]
        pub fn $name($one: Vector, $other: Vector) -> Vector {
            of_two($one, $other, |one, other| $into($instruction($from(one), $from(other))))
        })*
    };
}

of_lanes! { vreinterpretq_u16_u8, vreinterpretq_u8_u16:
    /// The lanes that are the same.
    equal_16(one, other) = vceqq_u16;
    /// The lanes of numbers that are not below others.
    at_least_16(one, least) = vcgeq_u16;
    /// The lanes of numbers that are not above others.
    at_most_16(one, most) = vcleq_u16;
    /// Sums.
    add_16(one, other) = vaddq_u16;
    /// Differences.
    sub_16(from, less) = vsubq_u16;
    /// In halves: the first lanes of both in turns.
    zip_low_16(one, other) = vzip1q_u16;
    /// In halves: the last lanes of both in turns.
    zip_high_16(one, other) = vzip2q_u16;
    /// In halves: lanes of 32 bits as lanes of 16.
    pack_lanes_32(one, other) = vuzp1q_u16;
}

of_lanes! { vreinterpretq_u32_u8, vreinterpretq_u8_u32:
    /// The lanes that are the same.
    equal_32(one, other) = vceqq_u32;
    /// The lanes of numbers that are not below others.
    at_least_32(one, least) = vcgeq_u32;
    /// The lanes of numbers that are not above others.
    at_most_32(one, most) = vcleq_u32;
    /// Sums.
    add_32(one, other) = vaddq_u32;
    /// Differences.
    sub_32(from, less) = vsubq_u32;
}

of_lanes! { vreinterpretq_u64_u8, vreinterpretq_u8_u64:
    /// Sums.
    add_64(one, other) = vaddq_u64;
    /// Differences.
    sub_64(from, less) = vsubq_u64;
    /// In halves: the first lane of both.
    zip_low_64(one, other) = vzip1q_u64;
    /// In halves: the last lane of both.
    zip_high_64(one, other) = vzip2q_u64;
}

macro_rules! of_signed_lanes {
    ($($(#[$doc:meta])* $name:ident = $instruction:ident of $from:ident, $into:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[neon]
        pub fn $name(one: Vector, other: Vector) -> Vector {
            of_two(one, other, |one, other| $into($instruction($from(one), $from(other))))
        })*
    };
}

of_signed_lanes! {
    /// The lanes of signed numbers above another.
    greater_16 = vcgtq_s16 of vreinterpretq_s16_u8, vreinterpretq_u8_u16;
    /// The lanes of signed numbers above another.
    greater_32 = vcgtq_s32 of vreinterpretq_s32_u8, vreinterpretq_u8_u32;
    /// The smaller ones of signed numbers.
    min_32 = vminq_s32 of vreinterpretq_s32_u8, vreinterpretq_u8_s32;
}

/// The bits of the second that the first has not.
#[inline]
#[neon]
pub fn not_and(not: Vector, bits: Vector) -> Vector {
    of_two(bits, not, |bits, not| vbicq_u8(bits, not))
}

/// The bytes of the second in the lanes, those of the first elsewhere.
#[inline]
#[neon]
pub fn blend(elsewhere: Vector, there: Vector, lanes: Vector) -> Vector {
    let Vector { 0: low, 1: high } = lanes;
    uint8x16x2_t(vbslq_u8(low, there.0, elsewhere.0), vbslq_u8(high, there.1, elsewhere.1))
}

/// The same in the lanes of bytes whose highest bit is set.
#[inline]
#[neon]
pub fn blend_high(elsewhere: Vector, there: Vector, bits: Vector) -> Vector {
    blend(elsewhere, there, are_high(bits))
}

/// Shift each lane by the number in that of the second.
#[inline]
#[neon]
pub fn right_each_32(lanes: Vector, by: Vector) -> Vector {
    of_two(lanes, by, |lanes, by| {
        let left = vnegq_s32(vreinterpretq_s32_u8(by));
        vreinterpretq_u8_u32(vshlq_u32(vreinterpretq_u32_u8(lanes), left))
    })
}

macro_rules! shifts {
    ($($(#[$doc:meta])* $name:ident = $instruction:ident of $from:ident, $into:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[neon]
        pub fn $name<const BY: i32>(lanes: Vector) -> Vector {
            each(lanes, |lanes| $into($instruction::<BY>($from(lanes))))
        })*
    };
}

shifts! {
    /// Shift to the left.
    left_16 = vshlq_n_u16 of vreinterpretq_u16_u8, vreinterpretq_u8_u16;
    /// Shift to the left.
    left_32 = vshlq_n_u32 of vreinterpretq_u32_u8, vreinterpretq_u8_u32;
    /// Shift to the left.
    left_64 = vshlq_n_u64 of vreinterpretq_u64_u8, vreinterpretq_u8_u64;
    /// Shift to the right.
    right_16 = vshrq_n_u16 of vreinterpretq_u16_u8, vreinterpretq_u8_u16;
    /// Shift to the right.
    right_32 = vshrq_n_u32 of vreinterpretq_u32_u8, vreinterpretq_u8_u32;
    /// Shift to the right.
    right_64 = vshrq_n_u64 of vreinterpretq_u64_u8, vreinterpretq_u8_u64;
}

/// A value in each lane.
#[inline]
#[neon]
pub fn each_8(value: u8) -> Vector {
    twice(vdupq_n_u8(value))
}

/// A value in each lane.
#[inline]
#[neon]
pub fn each_16(value: u16) -> Vector {
    twice(vreinterpretq_u8_u16(vdupq_n_u16(value)))
}

/// A value in each lane.
#[inline]
#[neon]
pub fn each_32(value: u32) -> Vector {
    twice(vreinterpretq_u8_u32(vdupq_n_u32(value)))
}

/// A value in each lane.
#[inline]
#[neon]
pub fn each_64(value: u64) -> Vector {
    twice(vreinterpretq_u8_u64(vdupq_n_u64(value)))
}

/// The two halves of a vector.
#[inline]
#[neon]
pub fn halves(vector: Vector) -> [Half; 2] {
    [vector.0, vector.1]
}

/// Two halves as a vector.
#[inline]
#[neon]
pub fn joined(low: Half, high: Half) -> Vector {
    uint8x16x2_t(low, high)
}

/// A vector of which both halves are the same.
#[inline]
#[neon]
pub fn twice(half: Half) -> Vector {
    joined(half, half)
}

/// A vector with this lower half; the other is arbitrary.
#[inline]
#[neon]
pub fn lower(half: Half) -> Vector {
    twice(half)
}

/// The words of a half.
#[inline]
#[neon]
pub fn words(half: Half) -> [u64; 2] {
    let words = vreinterpretq_u64_u8(half);
    [vgetq_lane_u64::<0>(words), vgetq_lane_u64::<1>(words)]
}

/// The last eight bytes at the place of the first.
#[inline]
#[neon]
pub fn upper_eight(half: Half) -> Half {
    vextq_u8::<8>(half, half)
}

/// As [`shuffle`], of one half.
#[inline]
#[neon]
pub fn shuffle_half(table: Half, places: Half) -> Half {
    vqtbl1q_u8(table, places)
}

/// Two vectors seen through a window of 32 bytes that begins at a byte of the first one's last 16.
#[inline]
#[neon]
pub fn following<const AT: i32>(before: Vector, bytes: Vector) -> Vector {
    uint8x16x2_t(vextq_u8::<AT>(before.1, bytes.0), vextq_u8::<AT>(bytes.0, bytes.1))
}

/// The bytes from 80 on.
#[inline]
#[neon]
pub fn are_high(bytes: Vector) -> Vector {
    each(bytes, |bytes| vcltzq_s8(vreinterpretq_s8_u8(bytes)))
}

/// The lanes whose highest bit is set.
#[inline]
#[neon]
pub fn are_high_32(lanes: Vector) -> Vector {
    each(lanes, |lanes| vreinterpretq_u8_u32(vcltzq_s32(vreinterpretq_s32_u8(lanes))))
}

/// The continuation bytes of UTF-8.
#[inline]
#[neon]
pub fn are_continuations(bytes: Vector) -> Vector {
    let first = vdupq_n_s8(0xC0_u8.cast_signed());
    each(bytes, |bytes| vcltq_s8(vreinterpretq_s8_u8(bytes), first))
}

/// The larger ones of neighbouring lanes of 32 bits, in one word: 0 if all are, and all bits if all have them.
#[inline]
#[neon]
fn word_of(lanes: Half) -> u64 {
    let lanes = vreinterpretq_u32_u8(lanes);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u32(vpmaxq_u32(lanes, lanes)))
}

/// Whether no bit is set.
#[inline]
#[neon]
pub fn is_none(lanes: Vector) -> bool {
    word_of(vorrq_u8(lanes.0, lanes.1)) == 0
}

/// Whether all bits are set.
#[inline]
#[neon]
pub fn is_all(lanes: Vector) -> bool {
    word_of(vmvnq_u8(vandq_u8(lanes.0, lanes.1))) == 0
}

/// Whether no byte is above 7F.
#[inline]
#[neon]
pub fn is_ascii(bytes: Vector) -> bool {
    word_of(vcltzq_s8(vreinterpretq_s8_u8(vorrq_u8(bytes.0, bytes.1)))) == 0
}

/// The bits of lanes, two to a byte: each byte is the sum of two neighbours. After two more such sums there are eight.
#[inline]
#[neon]
fn bits_of(lanes: Vector) -> Half {
    let bits = load_16(&BITS);
    vpaddq_u8(vandq_u8(lanes.0, bits), vandq_u8(lanes.1, bits))
}

/// A bit for each lane of 8 bits.
#[inline]
#[neon]
pub fn mask(lanes: Vector) -> u32 {
    let sums = bits_of(lanes);
    let sums = vpaddq_u8(sums, sums);
    vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(sums, sums)))
}

/// The same of two vectors.
#[inline]
#[neon]
pub fn mask_of_both([low, high]: [Vector; 2]) -> u64 {
    let sums = vpaddq_u8(bits_of(low), bits_of(high));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)))
}

/// The highest bit of each byte of two vectors.
#[inline]
#[neon]
pub fn high_bits_of_both(bytes: [Vector; 2]) -> u64 {
    mask_of_both(bytes.map(|bytes| are_high(bytes)))
}

/// The first eight bits of [`mask`].
#[inline]
#[neon]
pub fn mask_of_eight(lanes: Vector) -> u64 {
    let bits = vand_u8(vget_low_u8(lanes.0), vget_low_u8(load_16(&BITS)));
    u64::from(vaddv_u8(bits))
}

/// A bit for each lane of 16 bits, by halves.
#[inline]
#[neon]
pub fn mask_16(lanes: Vector) -> [u8; 2] {
    let bits = vandq_u8(vuzp1q_u8(lanes.0, lanes.1), load_16(&BITS));
    [vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits))]
}

/// A bit for each lane of 32 bits.
#[inline]
#[neon]
pub fn mask_32(lanes: Vector) -> u8 {
    let units = vuzp1q_u16(vreinterpretq_u16_u8(lanes.0), vreinterpretq_u16_u8(lanes.1));
    vaddv_u8(vand_u8(vmovn_u16(units), vget_low_u8(load_16(&BITS))))
}

/// A mask as lanes of 32 bits.
#[inline]
#[neon]
pub fn lanes_32(mask: u8) -> Vector {
    let bits = load_points(&[1, 2, 4, 8, 16, 32, 64, 128]);
    let all = vdupq_n_u32(mask.into());
    each(bits, |bits| vreinterpretq_u8_u32(vtstq_u32(all, vreinterpretq_u32_u8(bits))))
}

/// A mask as lanes of 8 bits.
#[inline]
#[neon]
pub fn lanes_8(mask: u32) -> Vector {
    // Each byte of the mask eight times, and a bit for each of those.
    let bytes = vreinterpretq_u8_u32(vdupq_n_u32(mask));
    let places = [0, 2].map(|at| vcombine_u8(vdup_n_u8(at), vdup_n_u8(at + 1)));
    let [low, high] = places.map(|places| vtstq_u8(vqtbl1q_u8(bytes, places), load_16(&BITS)));
    joined(low, high)
}

/// The bits of a mask at the places of another, one after the other: those of the first four. What is behind is
/// arbitrary.
#[inline]
#[neon]
pub fn bits_at(mask: u8, places: u8) -> u8 {
    let places = &KEPT[usize::from(places)];
    (0..4).fold(0, |bits, place| bits | (mask >> (places[place] & 7) & 1) << place)
}

/// The mask of 64 lanes that are one to 63 places further on; `behind` has as many of those behind a block.
#[inline]
#[neon]
pub fn further_on(mask: u64, behind: u64, places: u32) -> u64 {
    mask >> places | behind << (64 - places)
}

/// The lanes of a table of eight at places, of which the three lowest bits count.
#[inline]
#[neon]
pub fn looked_up_32(table: Vector, places: Vector) -> Vector {
    let first = vdupq_n_u32(0x0302_0100);
    each(places, |places| {
        let places = vandq_u32(vreinterpretq_u32_u8(places), vdupq_n_u32(7));
        let bytes = vmlaq_u32(first, places, vdupq_n_u32(0x0404_0404));
        vqtbl2q_u8(table, vreinterpretq_u8_u32(bytes))
    })
}

/// The first eight bytes, without those that a mask drops.
#[inline]
#[neon]
pub fn kept_bytes(bytes: Half, mask: u8) -> u64 {
    words(vqtbl1q_u8(bytes, load_8(&KEPT[usize::from(mask)])))[0]
}

/// Eight lanes of 16 bits, without those that a mask drops.
#[inline]
#[neon]
pub fn kept_units(units: Half, mask: u8) -> Half {
    vqtbl1q_u8(units, load_16(&KEPT_16[usize::from(mask)]))
}

/// Eight lanes of 32 bits, without those that a mask drops.
#[inline]
#[neon]
pub fn kept_points(points: Vector, mask: u8) -> Vector {
    each(load_32(&KEPT_32[usize::from(mask)]), |places| vqtbl2q_u8(points, places))
}

/// Eight bytes as lanes of 16 bits.
#[inline]
#[neon]
pub fn as_16(bytes: Half) -> Half {
    vreinterpretq_u8_u16(vmovl_u8(vget_low_u8(bytes)))
}

/// Eight bytes as lanes of 32 bits.
#[inline]
#[neon]
pub fn as_32(bytes: Half) -> Vector {
    widened_16(as_16(bytes))
}

/// Sixteen bytes as lanes of 16 bits.
#[inline]
#[neon]
pub fn widened_8(bytes: Half) -> Vector {
    joined(as_16(bytes), vreinterpretq_u8_u16(vmovl_high_u8(bytes)))
}

/// Eight lanes of 16 bits as lanes of 32.
#[inline]
#[neon]
pub fn widened_16(units: Half) -> Vector {
    let units = vreinterpretq_u16_u8(units);
    let [low, high] = [vmovl_u16(vget_low_u16(units)), vmovl_high_u16(units)];
    joined(vreinterpretq_u8_u32(low), vreinterpretq_u8_u32(high))
}

/// Four lanes of 32 bits as lanes of 64.
#[inline]
#[neon]
pub fn widened_32(points: Half) -> Vector {
    let points = vreinterpretq_u32_u8(points);
    let [low, high] = [vmovl_u32(vget_low_u32(points)), vmovl_high_u32(points)];
    joined(vreinterpretq_u8_u64(low), vreinterpretq_u8_u64(high))
}

/// Four lanes of 32 bits, all bits of each or none, as lanes of 64.
#[inline]
#[neon]
pub fn widened_lanes_32(lanes: Half) -> Vector {
    let lanes = vreinterpretq_u32_u8(lanes);
    joined(vreinterpretq_u8_u32(vzip1q_u32(lanes, lanes)), vreinterpretq_u8_u32(vzip2q_u32(lanes, lanes)))
}

/// 32 lanes of 16 bits, each up to FF, as bytes.
#[inline]
#[neon]
pub fn packed_16([low, high]: [Vector; 2]) -> Vector {
    joined(narrowed_16(low), narrowed_16(high))
}

/// 32 lanes of 16 bits, each of which has all bits set or none, as bytes.
#[inline]
#[neon]
pub fn signed_16(lanes: [Vector; 2]) -> Vector {
    packed_16(lanes)
}

/// Sixteen lanes of 32 bits as lanes of 16. Those above FFFF become something else.
#[inline]
#[neon]
pub fn packed_32([low, high]: [Vector; 2]) -> Vector {
    joined(narrowed_32(low), narrowed_32(high))
}

/// Eight lanes of 32 bits, each up to FFFF, as lanes of 16.
#[inline]
#[neon]
pub fn narrowed_32(lanes: Vector) -> Half {
    vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u8(lanes.0), vreinterpretq_u16_u8(lanes.1)))
}

/// Sixteen lanes of 16 bits, each up to FF, as bytes.
#[inline]
#[neon]
pub fn narrowed_16(lanes: Vector) -> Half {
    vuzp1q_u8(lanes.0, lanes.1)
}

/// In lanes of 16 bits, the six lowest bits of the lower byte behind those of the upper byte, which has seven at most;
/// the lower one has no others.
#[inline]
#[neon]
pub fn sixes(bytes: Vector) -> Vector {
    each(bytes, |bytes| {
        let units = vreinterpretq_u16_u8(bytes);
        vreinterpretq_u8_u16(vsliq_n_u16::<6>(units, vshrq_n_u16::<8>(units)))
    })
}

/// In lanes of 32 bits, ten bits of the lower half behind those of the upper one; the lower one has no others.
#[inline]
#[neon]
pub fn tens(units: Vector) -> Vector {
    each(units, |units| {
        let points = vreinterpretq_u32_u8(units);
        vreinterpretq_u8_u32(vsliq_n_u32::<10>(points, vshrq_n_u32::<16>(points)))
    })
}

/// The same of twelve bits.
#[inline]
#[neon]
pub fn twelves(units: Vector) -> Vector {
    each(units, |units| {
        let points = vreinterpretq_u32_u8(units);
        vreinterpretq_u8_u32(vsliq_n_u32::<12>(points, vshrq_n_u32::<16>(points)))
    })
}

/// The sum of lanes of 8 bits.
#[inline]
#[neon]
pub fn sum_8(lanes: Vector) -> usize {
    let [low, high] = [vpaddlq_u8(lanes.0), vpaddlq_u8(lanes.1)];
    vaddvq_u16(vaddq_u16(low, high)).into()
}

/// The sum of lanes of 64 bits.
#[inline]
#[neon]
pub fn sum_64(lanes: Vector) -> u64 {
    vaddvq_u64(vaddq_u64(vreinterpretq_u64_u8(lanes.0), vreinterpretq_u64_u8(lanes.1)))
}

/// All lanes of 64 bits or-ed.
#[inline]
#[neon]
pub fn or_of_64(lanes: Vector) -> u64 {
    let [first, second] = words(vorrq_u8(lanes.0, lanes.1));
    first | second
}
