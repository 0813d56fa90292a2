//! AVX2: vectors of 32 bytes, and what the kernels of `vectors` do with them. NEON has the same functions.
//!
//! Lanes are of 8, 16, 32 or 64 bits, as the end of a name says. Lanes that answer a question have all bits set, or
//! none. Where a function speaks of halves, each half of 16 bytes is treated as a vector of its own.

#![expect(unsafe_code, reason = "vectors are loaded")]

use std::arch::x86_64::*;

use eightfold_features::{avx2, has_avx2};

use crate::kernels::kept::{KEPT, KEPT_16};

/// Whether this machine has what the functions here need. The answer is kept by the standard library.
pub fn is_available() -> bool {
    has_avx2!()
}

/// 32 bytes.
pub type Vector = __m256i;
/// 16 bytes.
pub type Half = __m128i;

/// 32 bytes.
#[inline]
#[avx2]
pub fn load_32(bytes: &[u8; 32]) -> Vector {
    // SAFETY: a load of as many bytes as there are, at any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// 16 units of 16 bits.
#[inline]
#[avx2]
pub fn load_units(units: &[u16; 16]) -> Vector {
    // SAFETY: as in `load_32`.
    unsafe { _mm256_loadu_si256(units.as_ptr().cast()) }
}

/// 8 units of 32 bits.
#[inline]
#[avx2]
pub fn load_points(points: &[u32; 8]) -> Vector {
    // SAFETY: as in `load_32`.
    unsafe { _mm256_loadu_si256(points.as_ptr().cast()) }
}

/// 16 bytes.
#[inline]
#[avx2]
pub fn load_16(bytes: &[u8; 16]) -> Half {
    // SAFETY: as in `load_32`.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// 8 bytes, and 8 more of 0.
#[inline]
#[avx2]
pub fn load_8(bytes: &[u8; 8]) -> Half {
    _mm_cvtsi64_si128(i64::from_le_bytes(*bytes))
}

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident($($value:ident),*) -> $result:ty = $instruction:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[avx2]
        pub fn $name($($value: Vector),*) -> $result {
            $instruction($($value),*)
        })*
    };
}

instructions! {
    /// No bit.
    zero() -> Vector = _mm256_setzero_si256;
    /// The bits of both.
    and(one, other) -> Vector = _mm256_and_si256;
    /// The bits of either.
    or(one, other) -> Vector = _mm256_or_si256;
    /// The bits of one but not of both.
    xor(one, other) -> Vector = _mm256_xor_si256;
    /// The bits of the second that the first has not.
    not_and(not, bits) -> Vector = _mm256_andnot_si256;
    /// In each half the bytes of a table at the places, which are below 16, or from 80 up for a 0.
    shuffle(table, places) -> Vector = _mm256_shuffle_epi8;
    /// The bytes of the second in the lanes, those of the first elsewhere.
    blend(elsewhere, there, lanes) -> Vector = _mm256_blendv_epi8;
    /// The same in the lanes of bytes whose highest bit is set.
    blend_high(elsewhere, there, bits) -> Vector = _mm256_blendv_epi8;
    /// The lanes that are the same.
    equal_8(one, other) -> Vector = _mm256_cmpeq_epi8;
    /// The lanes that are the same.
    equal_16(one, other) -> Vector = _mm256_cmpeq_epi16;
    /// The lanes that are the same.
    equal_32(one, other) -> Vector = _mm256_cmpeq_epi32;
    /// The lanes of signed numbers above another.
    greater_16(one, other) -> Vector = _mm256_cmpgt_epi16;
    /// The lanes of signed numbers above another.
    greater_32(one, other) -> Vector = _mm256_cmpgt_epi32;
    /// The larger ones.
    max_8(one, other) -> Vector = _mm256_max_epu8;
    /// The smaller ones of signed numbers.
    min_32(one, other) -> Vector = _mm256_min_epi32;
    /// Sums.
    add_8(one, other) -> Vector = _mm256_add_epi8;
    /// Sums.
    add_16(one, other) -> Vector = _mm256_add_epi16;
    /// Sums.
    add_32(one, other) -> Vector = _mm256_add_epi32;
    /// Sums.
    add_64(one, other) -> Vector = _mm256_add_epi64;
    /// Differences.
    sub_8(from, less) -> Vector = _mm256_sub_epi8;
    /// Differences.
    sub_16(from, less) -> Vector = _mm256_sub_epi16;
    /// Differences.
    sub_32(from, less) -> Vector = _mm256_sub_epi32;
    /// Differences.
    sub_64(from, less) -> Vector = _mm256_sub_epi64;
    /// Differences, or 0 where they are negative.
    sub_to_zero_8(from, less) -> Vector = _mm256_subs_epu8;
    /// Shift each lane by the number in that of the second.
    right_each_32(lanes, by) -> Vector = _mm256_srlv_epi32;
    /// In halves: the first lanes of both in turns.
    zip_low_8(one, other) -> Vector = _mm256_unpacklo_epi8;
    /// In halves: the last lanes of both in turns.
    zip_high_8(one, other) -> Vector = _mm256_unpackhi_epi8;
    /// In halves: the first lanes of both in turns.
    zip_low_16(one, other) -> Vector = _mm256_unpacklo_epi16;
    /// In halves: the last lanes of both in turns.
    zip_high_16(one, other) -> Vector = _mm256_unpackhi_epi16;
    /// In halves: the first lane of both.
    zip_low_64(one, other) -> Vector = _mm256_unpacklo_epi64;
    /// In halves: the last lane of both.
    zip_high_64(one, other) -> Vector = _mm256_unpackhi_epi64;
    /// In halves: lanes of 16 bits, all bits of each or none, as lanes of 8, those of the second behind the others.
    pack_lanes_16(one, other) -> Vector = _mm256_packs_epi16;
    /// In halves: lanes of 32 bits as lanes of 16.
    pack_lanes_32(one, other) -> Vector = _mm256_packs_epi32;
}

macro_rules! shifts {
    ($($(#[$doc:meta])* $name:ident = $instruction:ident;)*) => {
        $($(#[$doc])*
        #[inline]
        #[avx2]
        pub fn $name<const BY: i32>(lanes: Vector) -> Vector {
            $instruction::<BY>(lanes)
        })*
    };
}

shifts! {
    /// Shift to the left.
    left_16 = _mm256_slli_epi16;
    /// Shift to the left.
    left_32 = _mm256_slli_epi32;
    /// Shift to the left.
    left_64 = _mm256_slli_epi64;
    /// Shift to the right.
    right_16 = _mm256_srli_epi16;
    /// Shift to the right.
    right_32 = _mm256_srli_epi32;
    /// Shift to the right.
    right_64 = _mm256_srli_epi64;
}

/// A value in each lane.
#[inline]
#[avx2]
pub fn each_8(value: u8) -> Vector {
    _mm256_set1_epi8(value.cast_signed())
}

/// A value in each lane.
#[inline]
#[avx2]
pub fn each_16(value: u16) -> Vector {
    _mm256_set1_epi16(value.cast_signed())
}

/// A value in each lane.
#[inline]
#[avx2]
pub fn each_32(value: u32) -> Vector {
    _mm256_set1_epi32(value.cast_signed())
}

/// A value in each lane.
#[inline]
#[avx2]
pub fn each_64(value: u64) -> Vector {
    _mm256_set1_epi64x(value.cast_signed())
}

/// The two halves of a vector.
#[inline]
#[avx2]
pub fn halves(vector: Vector) -> [Half; 2] {
    [_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector)]
}

/// Two halves as a vector.
#[inline]
#[avx2]
pub fn joined(low: Half, high: Half) -> Vector {
    _mm256_set_m128i(high, low)
}

/// A vector of which both halves are the same.
#[inline]
#[avx2]
pub fn twice(half: Half) -> Vector {
    _mm256_broadcastsi128_si256(half)
}

/// A vector with this lower half; the other is arbitrary.
#[inline]
#[avx2]
pub fn lower(half: Half) -> Vector {
    _mm256_castsi128_si256(half)
}

/// The words of a half.
#[inline]
#[avx2]
pub fn words(half: Half) -> [u64; 2] {
    [_mm_cvtsi128_si64(half), _mm_extract_epi64::<1>(half)].map(i64::cast_unsigned)
}

/// The last eight bytes at the place of the first.
#[inline]
#[avx2]
pub fn upper_eight(half: Half) -> Half {
    _mm_srli_si128::<8>(half)
}

/// As [`shuffle`], of one half.
#[inline]
#[avx2]
pub fn shuffle_half(table: Half, places: Half) -> Half {
    _mm_shuffle_epi8(table, places)
}

/// Two vectors seen through a window of 32 bytes that begins at a byte of the first one's last 16.
#[inline]
#[avx2]
pub fn following<const AT: i32>(before: Vector, bytes: Vector) -> Vector {
    _mm256_alignr_epi8::<AT>(bytes, _mm256_permute2x128_si256::<0x21>(before, bytes))
}

/// The lanes of lead bytes that are not below others; those of ASCII are arbitrary.
#[inline]
#[avx2]
pub fn leads_from(bytes: Vector, least: Vector) -> Vector {
    // Numbers with a sign: lead bytes are in their order, and ASCII is above them.
    _mm256_cmpgt_epi8(bytes, sub_8(least, each_8(1)))
}

/// The lanes of numbers that are not below others.
#[inline]
#[avx2]
pub fn at_least_8(one: Vector, least: Vector) -> Vector {
    equal_8(_mm256_max_epu8(one, least), one)
}

/// The lanes of numbers that are not below others.
#[inline]
#[avx2]
pub fn at_least_16(one: Vector, least: Vector) -> Vector {
    equal_16(_mm256_max_epu16(one, least), one)
}

/// The lanes of numbers that are not below others.
#[inline]
#[avx2]
pub fn at_least_32(one: Vector, least: Vector) -> Vector {
    equal_32(_mm256_max_epu32(one, least), one)
}

/// The lanes of numbers that are not above others.
#[inline]
#[avx2]
pub fn at_most_8(one: Vector, most: Vector) -> Vector {
    equal_8(_mm256_min_epu8(one, most), one)
}

/// The lanes of numbers that are not above others.
#[inline]
#[avx2]
pub fn at_most_16(one: Vector, most: Vector) -> Vector {
    equal_16(_mm256_min_epu16(one, most), one)
}

/// The lanes of numbers that are not above others.
#[inline]
#[avx2]
pub fn at_most_32(one: Vector, most: Vector) -> Vector {
    equal_32(_mm256_min_epu32(one, most), one)
}

/// The bytes from 80 on.
#[inline]
#[avx2]
pub fn are_high(bytes: Vector) -> Vector {
    _mm256_cmpgt_epi8(zero(), bytes)
}

/// The lanes whose highest bit is set.
#[inline]
#[avx2]
pub fn are_high_32(lanes: Vector) -> Vector {
    _mm256_srai_epi32::<31>(lanes)
}

/// The continuation bytes of UTF-8.
#[inline]
#[avx2]
pub fn are_continuations(bytes: Vector) -> Vector {
    _mm256_cmpgt_epi8(each_8(0xC0), bytes)
}

/// Whether no bit is set.
#[inline]
#[avx2]
pub fn is_none(lanes: Vector) -> bool {
    _mm256_testz_si256(lanes, lanes) != 0
}

/// Whether all bits are set.
#[inline]
#[avx2]
pub fn is_all(lanes: Vector) -> bool {
    _mm256_testc_si256(lanes, each_8(0xFF)) != 0
}

/// Whether no byte is above 7F.
#[inline]
#[avx2]
pub fn is_ascii(bytes: Vector) -> bool {
    _mm256_movemask_epi8(bytes) == 0
}

/// A bit for each lane of 8 bits.
#[inline]
#[avx2]
pub fn mask(lanes: Vector) -> u32 {
    _mm256_movemask_epi8(lanes).cast_unsigned()
}

/// The same of two vectors.
#[inline]
#[avx2]
pub fn mask_of_both(lanes: [Vector; 2]) -> u64 {
    let [low, high] = lanes.map(|lanes| u64::from(mask(lanes)));
    low | high << 32
}

/// The highest bit of each byte of two vectors.
#[inline]
#[avx2]
pub fn high_bits_of_both(bytes: [Vector; 2]) -> u64 {
    mask_of_both(bytes)
}

/// The first eight bits of [`mask`].
#[inline]
#[avx2]
pub fn mask_of_eight(lanes: Vector) -> u64 {
    u64::from(mask(lanes) & 0xFF)
}

/// A bit for each lane of 16 bits, by halves.
#[inline]
#[avx2]
pub fn mask_16(lanes: Vector) -> [u8; 2] {
    let twice = mask(pack_lanes_16(lanes, lanes));
    [twice as u8, (twice >> 16) as u8]
}

/// A bit for each lane of 32 bits.
#[inline]
#[avx2]
pub fn mask_32(lanes: Vector) -> u8 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u8
}

/// A mask as lanes of 32 bits.
#[inline]
#[avx2]
pub fn lanes_32(mask: u8) -> Vector {
    let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    equal_32(and(each_32(mask.into()), each), each)
}

/// A mask as lanes of 8 bits.
#[inline]
#[avx2]
pub fn lanes_8(mask: u32) -> Vector {
    // Each byte of the mask eight times, and a bit for each of those.
    let places = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let each = each_64(0x8040_2010_0804_0201);
    equal_8(and(shuffle(each_32(mask), places), each), each)
}

/// The bits of a mask at the places of another, one after the other.
#[inline]
#[avx2]
pub fn bits_at(mask: u8, places: u8) -> u8 {
    _pext_u32(mask.into(), places.into()) as u8
}

/// The mask of 64 lanes that are one to 63 places further on; `behind` has as many of those behind a block. It is a
/// shift of both as one number, whose instruction is six operations on AMD's processors: these are three, and text with
/// dense faults is decoded in 1 to 5% less time (Zen 3).
#[inline]
#[avx2]
pub fn further_on(mask: u64, behind: u64, places: u32) -> u64 {
    mask.rotate_right(places) ^ (mask ^ behind) << (64 - places)
}

/// The lanes of a table of eight at places, of which the three lowest bits count.
#[inline]
#[avx2]
pub fn looked_up_32(table: Vector, places: Vector) -> Vector {
    _mm256_permutevar8x32_epi32(table, places)
}

/// The first eight bytes, without those that a mask drops.
#[inline]
#[avx2]
pub fn kept_bytes(bytes: Half, mask: u8) -> u64 {
    let kept = _mm_shuffle_epi8(bytes, load_8(&KEPT[usize::from(mask)]));
    _mm_cvtsi128_si64(kept).cast_unsigned()
}

/// Eight lanes of 16 bits, without those that a mask drops.
#[inline]
#[avx2]
pub fn kept_units(units: Half, mask: u8) -> Half {
    _mm_shuffle_epi8(units, load_16(&KEPT_16[usize::from(mask)]))
}

/// Eight lanes of 32 bits, without those that a mask drops.
#[inline]
#[avx2]
pub fn kept_points(points: Vector, mask: u8) -> Vector {
    looked_up_32(points, as_32(load_8(&KEPT[usize::from(mask)])))
}

/// Eight bytes as lanes of 16 bits.
#[inline]
#[avx2]
pub fn as_16(bytes: Half) -> Half {
    _mm_cvtepu8_epi16(bytes)
}

/// Eight bytes as lanes of 32 bits.
#[inline]
#[avx2]
pub fn as_32(bytes: Half) -> Vector {
    _mm256_cvtepu8_epi32(bytes)
}

/// Sixteen bytes as lanes of 16 bits.
#[inline]
#[avx2]
pub fn widened_8(bytes: Half) -> Vector {
    _mm256_cvtepu8_epi16(bytes)
}

/// Eight lanes of 16 bits as lanes of 32.
#[inline]
#[avx2]
pub fn widened_16(units: Half) -> Vector {
    _mm256_cvtepu16_epi32(units)
}

/// Four lanes of 32 bits as lanes of 64.
#[inline]
#[avx2]
pub fn widened_32(points: Half) -> Vector {
    _mm256_cvtepu32_epi64(points)
}

/// Four lanes of 32 bits, all bits of each or none, as lanes of 64.
#[inline]
#[avx2]
pub fn widened_lanes_32(lanes: Half) -> Vector {
    _mm256_cvtepi32_epi64(lanes)
}

/// 32 lanes of 16 bits, each up to FF, as bytes.
#[inline]
#[avx2]
pub fn packed_16([low, high]: [Vector; 2]) -> Vector {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low, high))
}

/// 32 lanes of 16 bits, each of which has all bits set or none, as bytes.
#[inline]
#[avx2]
pub fn signed_16([low, high]: [Vector; 2]) -> Vector {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(pack_lanes_16(low, high))
}

/// Sixteen lanes of 32 bits as lanes of 16. Those above FFFF become something else.
#[inline]
#[avx2]
pub fn packed_32([low, high]: [Vector; 2]) -> Vector {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high))
}

/// Eight lanes of 32 bits, each up to FFFF, as lanes of 16.
#[inline]
#[avx2]
pub fn narrowed_32(lanes: Vector) -> Half {
    let [low, high] = halves(lanes);
    _mm_packus_epi32(low, high)
}

/// Sixteen lanes of 16 bits, each up to FF, as bytes.
#[inline]
#[avx2]
pub fn narrowed_16(lanes: Vector) -> Half {
    let [low, high] = halves(lanes);
    _mm_packus_epi16(low, high)
}

/// In lanes of 16 bits, the six lowest bits of the lower byte behind those of the upper byte, which has seven at most;
/// the lower one has no others.
#[inline]
#[avx2]
pub fn sixes(bytes: Vector) -> Vector {
    _mm256_maddubs_epi16(bytes, _mm256_set1_epi16(0x4001))
}

/// In lanes of 32 bits, ten bits of the lower half behind those of the upper one; the lower one has no others.
#[inline]
#[avx2]
pub fn tens(units: Vector) -> Vector {
    _mm256_madd_epi16(units, _mm256_set1_epi32(0x0400_0001))
}

/// The same of twelve bits.
#[inline]
#[avx2]
pub fn twelves(units: Vector) -> Vector {
    _mm256_madd_epi16(units, _mm256_set1_epi32(0x1000_0001))
}

/// The sum of lanes of 8 bits.
#[inline]
#[avx2]
pub fn sum_8(lanes: Vector) -> usize {
    sum_64(_mm256_sad_epu8(lanes, zero())) as usize
}

/// The sum of lanes of 64 bits.
#[inline]
#[avx2]
pub fn sum_64(lanes: Vector) -> u64 {
    let [low, high] = halves(lanes);
    let [first, second] = words(_mm_add_epi64(low, high));
    first + second
}

/// All lanes of 64 bits or-ed.
#[inline]
#[avx2]
pub fn or_of_64(lanes: Vector) -> u64 {
    let [low, high] = halves(lanes);
    let [first, second] = words(_mm_or_si128(low, high));
    first | second
}
