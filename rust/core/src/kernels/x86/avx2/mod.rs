//! Any form that has a layout or a spelling, and wide units, by masks and tables of shuffles: AVX2.
//!
//! As with AVX-512, each byte (or code point) of a block is treated as if a sequence began there, all at once. What is
//! dropped then is dropped eight lanes at a time: their mask is the index of a shuffle. The last bytes of an input, which
//! do not fill a block, are read one by one, or copied if they are known to be clean.
//!
//! Only loads and stores are unsafe, and each is one of the few functions at the top.

#![expect(unsafe_code, reason = "vectors are loaded and stored, and what is written is counted")]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;
use std::{ptr, slice};

use eightfold_features::{avx2, has_avx2};

use crate::kernels::fetch::fetch;
use crate::kernels::output::Output;

pub mod clean;
pub mod decode;
pub mod encode;
mod pairs;
mod points;
mod reader;
mod rules;
pub mod search;
mod sequences;
pub mod short;
mod speller;
pub mod units;
pub mod utf8;
pub mod wide_text;

/// Whether this machine has what the functions here need. The answer is kept by the standard library.
pub fn is_available() -> bool {
    has_avx2!()
}

/// How many bytes ahead of reading and writing memory is fetched: otherwise text larger than the caches is waited for.
const READ_AHEAD: usize = 2048;
const WRITE_AHEAD: usize = 1024;

/// Fetch the cache line that is read some time after the block at `at`.
#[inline]
fn fetch_ahead<T>(data: &[T], at: usize) {
    fetch(data.as_ptr().wrapping_add(at), READ_AHEAD);
}

/// 32 bytes.
#[inline]
#[avx2]
fn load_32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: a load of as many bytes as there are, at any alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// 16 bytes.
#[inline]
#[avx2]
fn load_16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: as in `load_32`.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// 8 bytes, and 8 more of 0.
#[inline]
#[avx2]
fn load_8(bytes: &[u8; 8]) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(*bytes))
}

/// The room for a block of 64 lanes, and for what the last store of eight lanes may write behind it.
type Room<T> = [MaybeUninit<T>; 72];

/// Let `write` write the next `count` values: in place, or in a copy if a block no longer fits.
///
/// # Safety
/// Given any room, `write` writes its first `count` values, of which there are no more than it has.
#[inline]
unsafe fn put<T: Copy>(out: &mut Output<'_, T>, count: usize, write: impl Fn(&mut Room<T>)) {
    debug_assert!(are_written(count, &write), "a value is counted that was not written");
    let mut copy = no_copy();
    let mut place = Place::new(out, count, &mut copy);
    write(place.room());
    // SAFETY: the contract of this function.
    unsafe { place.finish() };
}

/// Where the next values of an output are written: in place, or in a copy if a block no longer fits. Large writers call
/// these functions themselves: a large closure would not be inlined into [`put`].
struct Place<'a, 'o, T> {
    out: &'a mut Output<'o, T>,
    at: *mut T,
    count: usize,
    is_roomy: bool,
    copy: &'a mut Room<T>,
}

impl<'a, 'o, T: Copy> Place<'a, 'o, T> {
    /// The place of the next `count` values.
    #[inline]
    fn new(out: &'a mut Output<'o, T>, count: usize, copy: &'a mut Room<T>) -> Self {
        let (at, is_roomy) = out.next(count, copy.len());
        fetch(at, WRITE_AHEAD);
        Place { out, at, count, is_roomy, copy }
    }

    /// The room to write to; values beyond the count are overwritten later, or not counted.
    #[inline]
    fn room(&mut self) -> &mut Room<T> {
        let room = if self.is_roomy { self.at.cast() } else { ptr::from_mut(self.copy) };
        // SAFETY: so many values have room there, and the output is borrowed.
        unsafe { &mut *room }
    }

    /// Count the values.
    ///
    /// # Safety
    /// The first `count` values of the room have been written.
    #[inline]
    unsafe fn finish(self) {
        if !self.is_roomy {
            let place = self.at.cast::<MaybeUninit<T>>();
            // SAFETY: `count` values have room there, and the copy is another place.
            unsafe { place.copy_from_nonoverlapping(self.copy.as_ptr(), self.count) };
        }
        // SAFETY: the contract of this function.
        unsafe { self.out.advance(self.count) };
    }
}

/// Whether `write` writes the first `count` values of a room, whatever is in it before: asked where assertions are on.
fn are_written<T: Copy>(count: usize, write: impl Fn(&mut Room<T>)) -> bool {
    let [first, second] = [0x5A, 0xA5].map(|byte| {
        let mut room = no_copy();
        // SAFETY: any bytes are a value that may not be written yet.
        unsafe { ptr::from_mut(&mut room).write_bytes(byte, 1) };
        write(&mut room);
        room
    });
    let [first, second] = [&first, &second].map(|room| {
        // SAFETY: each byte of the room was given a value before.
        unsafe { slice::from_raw_parts(room.as_ptr().cast::<u8>(), size_of_val(room)) }
    });
    first[..count * size_of::<T>()] == second[..count * size_of::<T>()]
}

/// A copy without values so far.
#[inline]
fn no_copy<T: Copy>() -> Room<T> {
    [MaybeUninit::uninit(); 72]
}

/// A lane of what is written.
trait Lane: Copy {
    /// Eight of them.
    type Eight;

    /// Store eight.
    fn store(eight: Self::Eight, out: &mut [MaybeUninit<Self>; 8]);
}

macro_rules! lanes {
    ($($lane:ty: $eight:ty;)*) => {
        $(impl Lane for $lane {
            type Eight = $eight;

            #[inline]
            fn store(eight: $eight, out: &mut [MaybeUninit<$lane>; 8]) {
                // SAFETY: eight lanes have room there; they need not be aligned.
                unsafe { out.as_mut_ptr().cast::<$eight>().write_unaligned(eight) }
            }
        })*
    };
}

lanes! {
    u8: u64;
    u16: __m128i;
    u32: __m256i;
}

/// 16 units of 16 bits.
#[inline]
#[avx2]
fn load_units(units: &[u16; 16]) -> __m256i {
    // SAFETY: as in `load_32`.
    unsafe { _mm256_loadu_si256(units.as_ptr().cast()) }
}

/// 8 units of 32 bits.
#[inline]
#[avx2]
fn load_points(points: &[u32; 8]) -> __m256i {
    // SAFETY: as in `load_32`.
    unsafe { _mm256_loadu_si256(points.as_ptr().cast()) }
}

/// Store 16 bytes.
#[inline]
fn store_16(bytes: __m128i, room: &mut Room<u8>, at: usize) {
    let place: &mut [MaybeUninit<u8>; 16] = room[at..].first_chunk_mut().expect("sixteen have room");
    // SAFETY: so many bytes have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<__m128i>().write_unaligned(bytes) }
}

/// Store 32 bytes.
#[inline]
fn store_32(bytes: __m256i, room: &mut Room<u8>, at: usize) {
    let place: &mut [MaybeUninit<u8>; 32] = room[at..].first_chunk_mut().expect("as many have room");
    // SAFETY: so many bytes have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<__m256i>().write_unaligned(bytes) }
}

#[inline]
fn store<T: Lane>(eight: T::Eight, room: &mut Room<T>, at: usize) {
    T::store(eight, room[at..].first_chunk_mut().expect("a block has 64 lanes"));
}

/// Store four units of 32 bits.
#[inline]
fn store_four(four: __m128i, room: &mut Room<u32>, at: usize) {
    let place: &mut [MaybeUninit<u32>; 4] = room[at..].first_chunk_mut().expect("four have room");
    // SAFETY: four lanes have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<__m128i>().write_unaligned(four) }
}

/// The two halves of a vector.
#[inline]
#[avx2]
fn halves(vector: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(vector), _mm256_extracti128_si256::<1>(vector)]
}

/// The bytes of a vector.
#[inline]
fn bytes_of(vector: __m256i) -> [u8; 32] {
    // SAFETY: as many bytes, of which any value is one.
    unsafe { std::mem::transmute(vector) }
}

/// Whether no bit is set.
#[inline]
#[avx2]
fn is_none(lanes: __m256i) -> bool {
    _mm256_testz_si256(lanes, lanes) != 0
}

/// The values of a longer array from a place on.
#[inline]
fn part<T, const MANY: usize, const FEW: usize>(bytes: &[T; MANY], at: usize) -> &[T; FEW] {
    bytes[at..].first_chunk().expect("as many are there")
}

/// 64 bytes.
#[derive(Clone, Copy)]
struct Bytes([__m256i; 2]);

impl Bytes {
    /// Those of a longer array from a place on.
    #[inline]
    #[avx2]
    fn of<const MANY: usize>(bytes: &[u8; MANY], at: usize) -> Self {
        Bytes([load_32(part(bytes, at)), load_32(part(bytes, at + 32))])
    }

    /// The lanes whose highest bit is set of what both halves become.
    #[inline]
    #[avx2]
    fn mask(self, of_half: impl Fn(__m256i) -> __m256i) -> u64 {
        let [low, high] = self.0.map(|half| u64::from(_mm256_movemask_epi8(of_half(half)).cast_unsigned()));
        low | high << 32
    }

    /// The bytes from 80 on.
    #[inline]
    #[avx2]
    fn high(self) -> u64 {
        self.mask(|bytes| bytes)
    }

    /// The continuation bytes.
    #[inline]
    #[avx2]
    fn continuations(self) -> u64 {
        self.mask(|bytes| _mm256_cmpgt_epi8(_mm256_set1_epi8(0xC0_u8 as i8), bytes))
    }

    /// The bytes from another on.
    #[inline]
    #[avx2]
    fn at_least(self, least: u8) -> u64 {
        let least = _mm256_set1_epi8(least as i8);
        self.mask(|bytes| _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, least), bytes))
    }

    /// The places of a byte.
    #[inline]
    #[avx2]
    fn equal(self, byte: u8) -> u64 {
        self.mask(|bytes| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8)))
    }

    /// Whether all are ASCII.
    #[inline]
    #[avx2]
    fn are_ascii(self) -> bool {
        _mm256_movemask_epi8(_mm256_or_si256(self.0[0], self.0[1])) == 0
    }
}

/// A set of bytes from 80 on.
#[derive(Clone, Copy)]
struct ByteSet {
    /// For each lower half of a byte, a bit for each upper half with which it is in the set.
    members: __m256i,
    /// For each upper half its bit.
    rows: __m256i,
}

impl ByteSet {
    #[inline]
    #[avx2]
    fn new(members: [u8; 16]) -> Self {
        let rows = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80];
        let [members, rows] = [members, rows].map(|table| _mm256_broadcastsi128_si256(load_16(&table)));
        ByteSet { members, rows }
    }

    /// Something but 0 in the lanes of its bytes.
    #[inline]
    #[avx2]
    fn lanes(self, bytes: __m256i) -> __m256i {
        let half = _mm256_set1_epi8(0x0F);
        let members = _mm256_shuffle_epi8(self.members, _mm256_and_si256(bytes, half));
        let rows = _mm256_shuffle_epi8(self.rows, _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), half));
        _mm256_and_si256(members, rows)
    }

    /// Which of 64 bytes are in it.
    #[inline]
    #[avx2]
    fn among(self, bytes: Bytes) -> u64 {
        !bytes.mask(|half| _mm256_cmpeq_epi8(self.lanes(half), _mm256_setzero_si256()))
    }
}

/// For each mask of eight lanes, the places of those that are kept, one after the other.
static KEPT: [[u8; 8]; 256] = kept();

const fn kept() -> [[u8; 8]; 256] {
    let mut table = [[0x80; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut filled) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 != 0 {
                table[mask][filled] = lane as u8;
                filled += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
}

/// The same as the bytes of lanes of 16 bits.
static KEPT_16: [[u8; 16]; 256] = kept_16();

const fn kept_16() -> [[u8; 16]; 256] {
    let (lanes, mut table) = (kept(), [[0x80; 16]; 256]);
    let mut mask = 0;
    while mask < 256 {
        let mut place = 0;
        while place < (mask as u8).count_ones() as usize {
            table[mask][2 * place] = 2 * lanes[mask][place];
            table[mask][2 * place + 1] = 2 * lanes[mask][place] + 1;
            place += 1;
        }
        mask += 1;
    }
    table
}

/// The first eight bytes, without those that a mask drops.
#[inline]
#[avx2]
fn kept_bytes(bytes: __m128i, mask: u8) -> u64 {
    let kept = _mm_shuffle_epi8(bytes, load_8(&KEPT[usize::from(mask)]));
    _mm_cvtsi128_si64(kept).cast_unsigned()
}

#[inline]
#[avx2]
fn kept_units(units: __m128i, mask: u8) -> __m128i {
    _mm_shuffle_epi8(units, load_16(&KEPT_16[usize::from(mask)]))
}

#[inline]
#[avx2]
fn kept_points(points: __m256i, mask: u8) -> __m256i {
    _mm256_permutevar8x32_epi32(points, _mm256_cvtepu8_epi32(load_8(&KEPT[usize::from(mask)])))
}

/// A mask as lanes of 32 bits, all bits of each.
#[inline]
#[avx2]
fn lanes_32(mask: u8) -> __m256i {
    let each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask.into()), each), each)
}

/// A mask as lanes of 8 bits, all bits of each.
#[inline]
#[avx2]
fn lanes_8(mask: u32) -> __m256i {
    // Each byte of the mask eight times, and a bit for each of those.
    let places = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(mask.cast_signed()), places);
    let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, each), each)
}

/// 32 lanes of 16 bits, each up to FF, as bytes.
#[inline]
#[avx2]
fn packed_16([low, high]: [__m256i; 2]) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low, high))
}

/// 32 lanes of 16 bits, each of which has all bits set or none, as bytes.
#[inline]
#[avx2]
fn signed_16([low, high]: [__m256i; 2]) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high))
}

/// Sixteen lanes of 32 bits, each up to FFFF, as lanes of 16.
#[inline]
#[avx2]
fn packed_32([low, high]: [__m256i; 2]) -> __m256i {
    _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high))
}

/// The highest bit of each lane.
#[inline]
#[avx2]
fn mask_32(lanes: __m256i) -> u8 {
    _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as u8
}
