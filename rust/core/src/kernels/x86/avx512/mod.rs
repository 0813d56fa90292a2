//! UTF-8 to fixed-width code points and back, by mask and compress: AVX-512 with VBMI2.
//!
//! Each byte (or code point) of a block is treated as if a sequence began there, all at once; then `compress` drops the
//! lanes where none does. Nothing branches on what a lane holds, so mixed text costs what plain text does: measured 9
//! to 20 GB/s where the conversions of `simdutf` do 4 to 5.
//!
//! The functions take what the caller has validated, and an output of exactly the size that it needs. Only loads and
//! stores are unsafe, and each is one of the few functions at the top: past an end they are masked.

#![expect(unsafe_code, reason = "vectors are loaded and stored, and what is written is counted")]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use eightfold_features::{avx512, has_avx512};

use crate::kernels::fetch::{WRITE_AHEAD, fetch, fetch_ahead};
use crate::kernels::lanes::low_64;
use crate::kernels::output::Output;

pub mod ascii;
mod classes;
pub mod clean;
pub mod decode;
pub mod dirty;
pub mod encode;
mod latin;
mod look;
pub mod measure;
mod pairs;
mod points;
mod ranges;
pub mod short;
mod single;
mod speller;
pub mod tally;
pub mod to_utf8;
mod twos;
pub mod units;
pub mod utf8;
#[cfg(feature = "simdutf")]
pub mod validated;
pub mod wide_text;

/// Whether this machine has what the functions here need. The answer is kept by the standard library.
pub fn is_available() -> bool {
    has_avx512!()
}

fn low_32(count: usize) -> u32 {
    if count >= 32 { !0 } else { (1 << count) - 1 }
}

fn low_16(count: usize) -> u16 {
    if count >= 16 { !0 } else { (1 << count) - 1 }
}

/// The 64 bytes from `at` on; beyond the end of the data they are 0.
#[inline]
#[avx512]
fn bytes_64(data: &[u8], at: usize) -> __m512i {
    let left = data.len().saturating_sub(at);
    let start = data.as_ptr().wrapping_add(at).cast();
    if left >= 64 {
        // SAFETY: 64 bytes of the data begin there.
        unsafe { _mm512_loadu_si512(start) }
    } else {
        // SAFETY: a masked load touches only the bytes of its mask, and as many are left.
        unsafe { _mm512_maskz_loadu_epi8(low_64(left), start.cast()) }
    }
}

/// The 32 bytes from `at` on; beyond the end of the data they are 0.
#[inline]
#[avx512]
fn bytes_32(data: &[u8], at: usize) -> __m256i {
    let left = data.len().saturating_sub(at);
    let start = data.as_ptr().wrapping_add(at);
    if left >= 32 {
        // SAFETY: 32 bytes of the data begin there.
        unsafe { _mm256_loadu_si256(start.cast()) }
    } else {
        // SAFETY: a masked load touches only the bytes of its mask, and as many are left.
        unsafe { _mm256_maskz_loadu_epi8(low_32(left), start.cast()) }
    }
}

/// The 32 units from `at` on; beyond the end of the text they are 0.
#[inline]
#[avx512]
fn units_32(text: &[u16], at: usize) -> __m512i {
    let left = text.len().saturating_sub(at);
    let start = text.as_ptr().wrapping_add(at).cast();
    if left >= 32 {
        // SAFETY: 32 units of the text begin there.
        unsafe { _mm512_loadu_si512(start) }
    } else {
        // SAFETY: a masked load touches only the units of its mask, and as many are left.
        unsafe { _mm512_maskz_loadu_epi16(low_32(left), start.cast()) }
    }
}

/// The 16 units from `at` on; beyond the end of the text they are 0.
#[inline]
#[avx512]
fn units_16(text: &[u32], at: usize) -> __m512i {
    let left = text.len().saturating_sub(at);
    let start = text.as_ptr().wrapping_add(at).cast();
    if left >= 16 {
        // SAFETY: 16 units of the text begin there.
        unsafe { _mm512_loadu_si512(start) }
    } else {
        // SAFETY: a masked load touches only the units of its mask, and as many are left.
        unsafe { _mm512_maskz_loadu_epi32(low_16(left), start.cast()) }
    }
}

/// Store a vector in the first 64 bytes.
#[inline]
#[avx512]
fn store_64(vector: __m512i, out: &mut [u8; 72]) {
    // SAFETY: there is room for a vector.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), vector) }
}

/// Store the first `count` bytes of a vector.
///
/// # Panics
/// It has not so many, or they have no room.
#[inline]
#[avx512]
fn put_bytes(out: &mut Output<'_, u8>, vector: __m512i, count: usize) {
    let (at, is_roomy) = out.next(count, 64);
    fetch(at, WRITE_AHEAD);
    if is_roomy {
        // SAFETY: a whole vector has room; what it writes beyond `count` is written again or was never promised.
        unsafe { _mm512_storeu_si512(at.cast(), vector) }
    } else {
        // SAFETY: a masked store touches only the `count` bytes that have room.
        unsafe { _mm512_mask_storeu_epi8(at.cast(), low_64(count), vector) }
    }
    // SAFETY: both have written them.
    unsafe { out.advance(count) };
}

/// Store the first `count` 16-bit units of a vector; see [`put_bytes`].
#[inline]
#[avx512]
fn put_16(out: &mut Output<'_, u16>, vector: __m512i, count: usize) {
    let (at, is_roomy) = out.next(count, 32);
    fetch(at, WRITE_AHEAD);
    if is_roomy {
        // SAFETY: as in `put_bytes`.
        unsafe { _mm512_storeu_si512(at.cast(), vector) }
    } else {
        // SAFETY: as in `put_bytes`.
        unsafe { _mm512_mask_storeu_epi16(at.cast(), low_32(count), vector) }
    }
    // SAFETY: as in `put_bytes`.
    unsafe { out.advance(count) };
}

/// Store the first `count` 32-bit units of a vector; see [`put_bytes`].
#[inline]
#[avx512]
fn put_32(out: &mut Output<'_, u32>, vector: __m512i, count: usize) {
    let (at, is_roomy) = out.next(count, 16);
    fetch(at, WRITE_AHEAD);
    if is_roomy {
        // SAFETY: as in `put_bytes`.
        unsafe { _mm512_storeu_si512(at.cast(), vector) }
    } else {
        // SAFETY: as in `put_bytes`.
        unsafe { _mm512_mask_storeu_epi32(at.cast(), low_16(count), vector) }
    }
    // SAFETY: as in `put_bytes`.
    unsafe { out.advance(count) };
}

/// Store vectors side by side, in memory for as many values as they have.
#[inline]
#[avx512]
fn store_all<T, const VALUES: usize, const VECTORS: usize>(
    room: &mut [MaybeUninit<T>; VALUES],
    vectors: [__m512i; VECTORS],
) {
    const { assert!(VALUES * size_of::<T>() == VECTORS * size_of::<__m512i>()) };
    for (place, vector) in room.chunks_exact_mut(VALUES / VECTORS).zip(vectors) {
        // SAFETY: so many values are as long as a vector.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), vector) }
    }
}

/// Store the first `count` 16-bit units of two vectors; see [`put_bytes`]. One check does for both, and nothing is
/// asked about what they hold. Each `Taker` has code of its own, which is inlined.
#[inline]
#[avx512]
fn put_two_16<Taker>(out: &mut Output<'_, u16>, [lower, upper]: [__m512i; 2], count: usize) {
    assert!(count <= 64);
    let Some(room) = out.room_for::<64>() else {
        put_16(out, lower, count.min(32));
        return put_16(out, upper, count.saturating_sub(32));
    };
    fetch(room.as_ptr(), WRITE_AHEAD);
    store_all(room, [lower, upper]);
    // SAFETY: as in `put_bytes`.
    unsafe { out.advance(count) };
}

/// As [`put_two_16`], of 32-bit units.
#[inline]
#[avx512]
fn put_two_32(out: &mut Output<'_, u32>, [lower, upper]: [__m512i; 2], count: usize) {
    assert!(count <= 32);
    let Some(room) = out.room_for::<32>() else {
        put_32(out, lower, count.min(16));
        return put_32(out, upper, count.saturating_sub(16));
    };
    fetch(room.as_ptr(), WRITE_AHEAD);
    store_all(room, [lower, upper]);
    // SAFETY: as in `put_bytes`.
    unsafe { out.advance(count) };
}

/// Store a vector in 64 bytes.
#[inline]
#[avx512]
fn put_64(place: &mut [MaybeUninit<u8>], vector: __m512i) {
    let place = place.first_chunk_mut::<64>().expect("room for a vector");
    // SAFETY: 64 bytes begin there.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), vector) }
}

/// The low bytes of twice 32 units.
#[inline]
#[avx512]
fn low_bytes(lower: __m512i, upper: __m512i) -> __m512i {
    let places = each_place();
    _mm512_permutex2var_epi8(lower, _mm512_add_epi8(places, places), upper)
}

/// `a | (b & c)`, bit by bit.
const OR_AND: i32 = 0xF8;
/// `a | b | c`, bit by bit.
const OR_OR: i32 = 0xFE;

/// The bits of any of four vectors.
#[inline]
#[avx512]
fn any_of([first, second, third, fourth]: [__m512i; 4]) -> __m512i {
    _mm512_or_si512(_mm512_or_si512(first, second), _mm512_or_si512(third, fourth))
}

/// How many bytes from the first on are code points as they stand: whole blocks, of which four are looked at together.
#[inline]
#[avx512]
fn ascii_bytes(data: &[u8], has_nul: bool) -> usize {
    let is_plain = |all, least| _mm512_movepi8_mask(all) == 0 && (has_nul || _mm512_testn_epi8_mask(least, least) == 0);
    let fours = data.as_chunks::<256>().0.iter().take_while(|four| {
        let [first, second, third, fourth] = [0, 64, 128, 192].map(|at| {
            fetch_ahead(*four, at);
            bytes_64(*four, at)
        });
        is_plain(
            any_of([first, second, third, fourth]),
            _mm512_min_epu8(_mm512_min_epu8(first, second), _mm512_min_epu8(third, fourth)),
        )
    });
    let start = 256 * fours.count();
    let blocks = data[start..].as_chunks::<64>().0.iter().map(|block| bytes_64(block, 0));
    start + 64 * blocks.take_while(|&bytes| is_plain(bytes, bytes)).count()
}

/// The numbers of the lanes of a vector of bytes.
#[inline]
#[avx512]
fn each_place() -> __m512i {
    _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36,
        35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8,
        7, 6, 5, 4, 3, 2, 1, 0,
    )
}

/// Each of the first sixteen bytes four times.
#[inline]
#[avx512]
fn four_times(bytes: __m512i) -> __m512i {
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    _mm512_permutexvar_epi8(_mm512_mullo_epi32(lanes, _mm512_set1_epi32(0x0101_0101)), bytes)
}

/// The four bytes from each of sixteen places of two blocks on, the first of them the highest of its lane. Each place
/// is there four times.
#[inline]
#[avx512]
fn sequences_at(bytes: __m512i, after: __m512i, places: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(bytes, _mm512_add_epi8(places, _mm512_set1_epi32(0x0001_0203)), after)
}

/// The payload bits of sixteen sequences: for UTF-8, their code points.
#[inline]
#[avx512]
fn values_of(sequences: __m512i) -> __m512i {
    // The payloads side by side, as if each sequence had four bytes: pairs of six bits, then pairs of twelve.
    let payloads = _mm512_and_si512(sequences, _mm512_set1_epi32(0x7F3F_3F3F));
    let pairs = _mm512_maddubs_epi16(payloads, _mm512_set1_epi16(0x4001));
    let all = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x1000_0001));
    // What a shorter sequence does not have is shifted out below, and masked off above.
    let kind = _mm512_srli_epi32::<28>(sequences);
    let below =
        _mm512_permutexvar_epi32(kind, _mm512_setr_epi32(18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 18, 12, 12, 6, 0));
    let above =
        _mm512_permutexvar_epi32(kind, _mm512_setr_epi32(14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 14, 10, 10, 5, 0));
    _mm512_and_si512(_mm512_srlv_epi32(all, below), _mm512_srlv_epi32(_mm512_set1_epi32(0x1F_FFFF), above))
}

/// Write up to 32 lanes of 16 bits, below U+0800.
#[inline]
#[avx512]
fn put_one_or_two(points: __m512i, left: usize, out: &mut Output<'_, u8>) {
    let valid = low_32(left);
    let two = _mm512_cmpge_epu16_mask(points, _mm512_set1_epi16(0x80));
    let bytes = one_or_two(points, points, two);
    let kept = _pdep_u64(valid.into(), EVERY_SECOND) | _pdep_u64((two & valid).into(), EVERY_SECOND << 1);
    put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
}

/// The bytes of 32 code points, given the payload of those that take two, and which these are. The others are their low
/// byte.
#[inline]
#[avx512]
fn one_or_two(points: __m512i, payload: __m512i, two: u32) -> __m512i {
    let second = _mm512_and_si512(_mm512_slli_epi16::<8>(payload), _mm512_set1_epi16(0x3F00));
    let marks = _mm512_set1_epi16(0x80C0_u16 as i16);
    let sequences = _mm512_ternarylogic_epi32::<OR_OR>(second, _mm512_srli_epi16::<6>(payload), marks);
    _mm512_mask_mov_epi16(points, two, sequences)
}

/// Lanes of 16 bits as lanes of 32: the lower half of them, and the upper.
#[inline]
#[avx512]
fn halves_32(units: __m512i) -> [__m512i; 2] {
    let (lower, upper) = (_mm512_castsi512_si256(units), _mm512_extracti64x4_epi64::<1>(units));
    [_mm512_cvtepu16_epi32(lower), _mm512_cvtepu16_epi32(upper)]
}

/// What follows from the number of leading zeros of a code point, if sequences are as long as in UTF-8. U+0000 has 32
/// of them and the place 0, which no other has.
#[derive(Clone, Copy)]
struct Lengths {
    /// How many bytes there are.
    bytes: [__m512i; 2],
    /// How far the payload is from where that of four bytes begins.
    shifts: [__m512i; 2],
    /// The bits of the bytes that are no payload.
    marks: [__m512i; 2],
}

/// The entries of [`Lengths`] by the number of zeros.
const BY_ZEROS: [[u32; 32]; 3] = {
    let mut tables = [[1; 32], [18; 32], [0; 32]];
    let mut zeros = 11;
    while zeros < 25 {
        (tables[0][zeros], tables[1][zeros], tables[2][zeros]) = match zeros {
            11..=15 => (4, 0, 0x8080_80F0),
            16..=20 => (3, 6, 0x0080_80E0),
            _ => (2, 12, 0x0000_80C0),
        };
        zeros += 1;
    }
    tables
};

impl Lengths {
    /// Those of UTF-8, or with two bytes for U+0000, or with two times three for supplementary code points.
    #[inline]
    #[avx512]
    fn new(nul_is_two: bool, splits: bool) -> Self {
        let [mut bytes, mut shifts, mut marks] = BY_ZEROS.map(|table| [units_16(&table, 0), units_16(&table, 16)]);
        let (nul, supplementary) = (u16::from(nul_is_two), if splits { 0xF800 } else { 0 });
        bytes[0] = _mm512_mask_mov_epi32(bytes[0], nul, _mm512_set1_epi32(2));
        bytes[0] = _mm512_mask_mov_epi32(bytes[0], supplementary, _mm512_set1_epi32(6));
        shifts[0] = _mm512_mask_mov_epi32(shifts[0], nul, _mm512_set1_epi32(12));
        marks[0] = _mm512_mask_mov_epi32(marks[0], nul, _mm512_set1_epi32(0x80C0));
        Lengths { bytes, shifts, marks }
    }

    /// How many bytes 16 code points take, a number in each lane.
    #[inline]
    #[avx512]
    fn of(&self, points: __m512i) -> __m512i {
        _mm512_permutex2var_epi32(self.bytes[0], _mm512_lzcnt_epi32(points), self.bytes[1])
    }

    /// The sequences of 16 code points, each in its lane from the lowest byte on, with 0 behind it.
    #[inline]
    #[avx512]
    fn sequences(&self, points: __m512i) -> __m512i {
        let zeros = _mm512_lzcnt_epi32(points);
        let of_zeros = |table: [__m512i; 2]| _mm512_permutex2var_epi32(table[0], zeros, table[1]);
        let payload = _mm512_sllv_epi32(points, of_zeros(self.shifts));
        let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(GROUPS), payload);
        _mm512_ternarylogic_epi32::<OR_AND>(of_zeros(self.marks), groups, _mm512_set1_epi32(0x3F3F_3FFF))
    }
}

/// The bytes of 16 sequences: one that is 0 is none, but for the first of each.
#[inline]
#[avx512]
fn used_bytes(sequences: __m512i) -> u64 {
    _mm512_test_epi8_mask(sequences, sequences) | EVERY_FOURTH
}

/// Write those of 16 sequences that are among some bytes.
#[inline]
#[avx512]
fn put_sequences(sequences: __m512i, among: u64, out: &mut Output<'_, u8>) {
    let used = used_bytes(sequences) & among;
    put_bytes(out, _mm512_maskz_compress_epi8(used, sequences), used.count_ones() as usize);
}

/// Write 16 sequences where a vector has room, and return how many bytes count.
#[inline]
#[avx512]
fn put_in(sequences: __m512i, room: &mut [MaybeUninit<u8>]) -> usize {
    let used = used_bytes(sequences);
    fetch(room.as_ptr(), WRITE_AHEAD);
    put_64(room, _mm512_maskz_compress_epi8(used, sequences));
    used.count_ones() as usize
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_FOURTH: u64 = 0x1111_1111_1111_1111;
/// Where the groups of six bits begin in each of two lanes.
const GROUPS: i64 = i64::from_le_bytes([18, 12, 6, 0, 50, 44, 38, 32]);

#[cfg(test)]
mod tests {
    use super::clean::{to_latin1, to_ucs2, to_ucs4};
    use super::to_utf8::{from_latin1, from_ucs2, from_ucs4};
    use super::*;

    /// Convert both ways with outputs that have a guard behind them, at every length that makes a block differ.
    fn check(text: &str) {
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        let largest = points.iter().copied().max().unwrap_or(0);
        // SAFETY: the caller has checked that the machine has the instructions.
        unsafe {
            let four = filled(points.len(), |out| to_ucs4(text.as_bytes(), out));
            assert_eq!(four, points);
            assert_eq!(filled(text.len(), |out| from_ucs4(&four, out)), text.as_bytes());
            if largest <= 0xFFFF {
                let two = filled(points.len(), |out| to_ucs2(text.as_bytes(), out));
                assert!(two.iter().map(|&unit| u32::from(unit)).eq(points.iter().copied()));
                assert_eq!(filled(text.len(), |out| from_ucs2(&two, out)), text.as_bytes());
                #[cfg(feature = "simdutf")]
                assert!(two.into_iter().map(u16::swap_bytes).eq(filled(points.len(), |out| {
                    clean::to_swapped_ucs2(text.as_bytes(), out);
                })));
            }
            #[cfg(feature = "simdutf")]
            for (big_endian, bytes_of) in [(false, u16::to_le_bytes as fn(u16) -> [u8; 2]), (true, u16::to_be_bytes)] {
                let expected: Vec<u8> = text.encode_utf16().flat_map(bytes_of).collect();
                let found = filled(expected.len(), |out| wide_text::from_utf8(text.as_bytes(), big_endian, out));
                assert_eq!(found, expected);
            }
            if largest <= 0xFF {
                let one = filled(points.len(), |out| to_latin1(text.as_bytes(), out));
                assert!(one.iter().map(|&unit| u32::from(unit)).eq(points.iter().copied()));
                assert_eq!(filled(text.len(), |out| from_latin1(&one, out)), text.as_bytes());
            }
        }
    }

    fn filled<T: Copy + Default + PartialEq + std::fmt::Debug>(
        length: usize,
        write: impl FnOnce(&mut Output<'_, T>),
    ) -> Vec<T> {
        let mut out = vec![MaybeUninit::new(T::default()); length + 64];
        assert_eq!(Output::written(&mut out[..length], write).1.len(), length);
        // SAFETY: every value was given one before the kernel wrote.
        let values: Vec<T> = out.iter().map(|value| unsafe { value.assume_init() }).collect();
        assert!(values[length..].iter().all(|&value| value == T::default()), "wrote behind its output");
        values[..length].to_vec()
    }

    #[test]
    fn texts_of_every_length_and_mixture_come_back() {
        if !is_available() {
            println!("this machine has no AVX-512 VBMI2: nothing is tested here");
            return;
        }
        let alphabets = ["a", "aé", "é", "aя", "я漢", "a漢", "漢", "a漢😀", "😀🧿", "aéя漢🧿"];
        for alphabet in alphabets.map(|letters| letters.chars().collect::<Vec<_>>()) {
            let mut state = 1_u32;
            for length in 0..300 {
                let mut next = || {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    alphabet[(state >> 16) as usize % alphabet.len()]
                };
                check(&(0..length).map(|_| next()).collect::<String>());
            }
        }
    }

    #[test]
    fn every_scalar_value_comes_back() {
        if is_available() {
            check(&('\0'..=char::MAX).collect::<String>());
            check(&('\0'..='\u{FFFF}').collect::<String>());
            check(&('\0'..='\u{FF}').collect::<String>());
        }
    }
}
