//! Any form that has a layout or a spelling, and wide units, by vectors of 32 bytes, masks and tables of shuffles.
//!
//! Each byte (or code point) of a block of 64 bytes is treated as if a sequence began there, all at once. What is
//! dropped then is dropped eight lanes at a time: their mask is the index of a shuffle. The last bytes of an input,
//! which do not fill a block, are read one by one, or copied if they are known to be clean.
//!
//! The instructions are those of `machine`: AVX2 or NEON. No file here knows which. Only stores are unsafe, and each is
//! one of the few functions below.

#![expect(unsafe_code, reason = "vectors are stored, and what is written is counted")]

use std::mem::MaybeUninit;
use std::{ptr, slice};

use eightfold_features::vectors;

#[cfg(target_arch = "aarch64")]
use super::aarch64::neon as machine;
use super::fetch::{WRITE_AHEAD, fetch, fetch_ahead};
use super::output::Output;
#[cfg(target_arch = "x86_64")]
use super::x86::avx2 as machine;
use machine::*;

mod answers;
mod block;
pub mod clean;
mod compact;
pub mod decode;
pub mod dirty;
pub mod encode;
pub mod measure;
mod pairs;
mod points;
mod reader;
pub mod rules;
pub mod search;
mod sequences;
pub mod short;
mod speller;
mod strays;
#[cfg(feature = "simdutf")]
pub mod swapped;
pub mod units;
pub mod utf8;
#[cfg(feature = "simdutf")]
pub mod validated;
pub mod wide_text;

/// Whether this machine has what the functions here need.
pub fn are_available() -> bool {
    machine::is_available()
}

/// The highest bit of each byte.
#[inline]
#[vectors]
pub fn high_bits(bytes: &[u8; 64]) -> u64 {
    Bytes::of(bytes, 0).high()
}

/// The room for a block of 64 lanes, and for what the last store of eight lanes may write behind them.
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
    u16: Half;
    u32: Vector;
}

/// Store 16 bytes.
#[inline]
fn store_16(bytes: Half, room: &mut Room<u8>, at: usize) {
    let place: &mut [MaybeUninit<u8>; 16] = room[at..].first_chunk_mut().expect("sixteen have room");
    // SAFETY: so many bytes have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<Half>().write_unaligned(bytes) }
}

/// Store 32 bytes, as values of any width.
#[inline]
fn store_32<T>(vector: Vector, room: &mut Room<T>, at: usize) {
    let place = &mut room[at..][..32 / size_of::<T>()];
    // SAFETY: so many values have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<Vector>().write_unaligned(vector) }
}

#[inline]
fn store<T: Lane, const MANY: usize>(eight: T::Eight, room: &mut [MaybeUninit<T>; MANY], at: usize) {
    T::store(eight, room[at..].first_chunk_mut().expect("eight lanes have room"));
}

/// Store four units of 32 bits.
#[inline]
fn store_four(four: Half, room: &mut Room<u32>, at: usize) {
    let place: &mut [MaybeUninit<u32>; 4] = room[at..].first_chunk_mut().expect("four have room");
    // SAFETY: four lanes have room there; they need not be aligned.
    unsafe { place.as_mut_ptr().cast::<Half>().write_unaligned(four) }
}

/// The bytes of a vector.
#[inline]
fn bytes_of(vector: Vector) -> [u8; 32] {
    // SAFETY: as many bytes, of which any value is one.
    unsafe { std::mem::transmute(vector) }
}

/// The values of a longer array from a place on.
#[inline]
fn part<T, const MANY: usize, const FEW: usize>(bytes: &[T; MANY], at: usize) -> &[T; FEW] {
    bytes[at..].first_chunk().expect("as many are there")
}

/// 64 bytes.
#[derive(Clone, Copy)]
struct Bytes([Vector; 2]);

impl Bytes {
    /// Those of a longer array from a place on.
    #[inline]
    #[vectors]
    fn of<const MANY: usize>(bytes: &[u8; MANY], at: usize) -> Self {
        Bytes([load_32(part(bytes, at)), load_32(part(bytes, at + 32))])
    }

    /// The lanes of an answer about both halves.
    #[inline]
    #[vectors]
    fn mask(self, of_half: impl Fn(Vector) -> Vector) -> u64 {
        mask_of_both(self.0.map(of_half))
    }

    /// The lanes whose highest bit is set of what both halves become.
    #[inline]
    #[vectors]
    fn high_bits(self, of_half: impl Fn(Vector) -> Vector) -> u64 {
        high_bits_of_both(self.0.map(of_half))
    }

    /// The bytes from 80 on.
    #[inline]
    #[vectors]
    fn high(self) -> u64 {
        high_bits_of_both(self.0)
    }

    /// The continuation bytes.
    #[inline]
    #[vectors]
    fn continuations(self) -> u64 {
        self.mask(|bytes| are_continuations(bytes))
    }

    /// The bytes from another on.
    #[inline]
    #[vectors]
    fn at_least(self, least: u8) -> u64 {
        let least = each_8(least);
        self.mask(|bytes| at_least_8(bytes, least))
    }

    /// The lead bytes that are `least` or above; the lanes of ASCII are arbitrary.
    #[inline]
    #[vectors]
    fn leads_from(self, least: u8) -> u64 {
        self.mask(|bytes| leads_from(bytes, each_8(least)))
    }

    /// The places of a byte.
    #[inline]
    #[vectors]
    fn equal(self, byte: u8) -> u64 {
        self.mask(|bytes| equal_8(bytes, each_8(byte)))
    }

    /// Whether all are ASCII.
    #[inline]
    #[vectors]
    fn are_ascii(self) -> bool {
        is_ascii(or(self.0[0], self.0[1]))
    }
}

/// A set of bytes from 80 on.
#[derive(Clone, Copy)]
struct ByteSet {
    /// For each lower half of a byte, a bit for each upper half with which it is in the set.
    members: Vector,
    /// For each upper half its bit.
    rows: Vector,
}

impl ByteSet {
    #[inline]
    #[vectors]
    fn new(members: [u8; 16]) -> Self {
        let rows = [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80];
        let [members, rows] = [members, rows].map(|table| twice(load_16(&table)));
        ByteSet { members, rows }
    }

    /// Something but 0 in the lanes of its bytes.
    #[inline]
    #[vectors]
    fn lanes(self, bytes: Vector) -> Vector {
        let half = each_8(0x0F);
        let members = shuffle(self.members, and(bytes, half));
        let rows = shuffle(self.rows, and(right_16::<4>(bytes), half));
        and(members, rows)
    }

    /// Which of 64 bytes are in it.
    #[inline]
    #[vectors]
    fn among(self, bytes: Bytes) -> u64 {
        !bytes.mask(|half| equal_8(self.lanes(half), zero()))
    }
}

/// What the instructions give is compared with what a loop over the lanes gives, on either processor.
#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes drawn at random, always the same.
    fn drawn(state: &mut u64) -> [u8; 32] {
        std::array::from_fn(|_| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 56) as u8
        })
    }

    fn units(bytes: [u8; 32]) -> [u16; 16] {
        std::array::from_fn(|at| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]))
    }

    fn points(bytes: [u8; 32]) -> [u32; 8] {
        std::array::from_fn(|at| u32::from_le_bytes(*part(&bytes, 4 * at)))
    }

    fn bits(lanes: impl IntoIterator<Item = bool>) -> u64 {
        lanes.into_iter().enumerate().fold(0, |bits, (at, lane)| bits | u64::from(lane) << at)
    }

    /// Each lane all bits, or none.
    fn lanes<const COUNT: usize, const BYTES: usize>(mask: u64) -> [u8; 32] {
        const { assert!(COUNT * BYTES == 32) };
        std::array::from_fn(|at| if mask >> (at / BYTES) & 1 == 0 { 0 } else { 0xFF })
    }

    fn high(bytes: [u8; 32]) -> u64 {
        bits(bytes.map(|byte| byte >= 0x80))
    }

    fn kept_at(mask: u8) -> impl Iterator<Item = usize> {
        (0..8).filter(move |at| mask >> at & 1 != 0)
    }

    fn low_bits(count: u32) -> u8 {
        ((1_u16 << count) - 1) as u8
    }

    /// Masks of lanes, lanes of masks, and questions about all lanes.
    #[vectors]
    fn check_masks([one, other]: [[u8; 32]; 2]) {
        let [a, b] = [load_32(&one), load_32(&other)];
        assert_eq!(high_bits_of_both([a, b]), high(one) | high(other) << 32);
        assert_eq!(mask_of_both([are_high(a), are_high(b)]), high(one) | high(other) << 32);
        assert_eq!(u64::from(mask(are_high(a))), high(one));
        assert_eq!(mask_of_eight(are_high(a)), high(one) & 0xFF);
        assert_eq!(u64::from(mask(are_continuations(a))), bits(one.map(|byte| byte & 0xC0 == 0x80)));
        assert_eq!(is_ascii(and(a, b)), high(one) & high(other) == 0);
        let whole = high(one) as u32;
        assert_eq!(bytes_of(lanes_8(whole)), lanes::<32, 1>(whole.into()));
        assert_eq!(bytes_of(lanes_32(one[0])), lanes::<8, 4>(one[0].into()));
        assert_eq!(mask_32(lanes_32(one[0])), one[0]);
        assert_eq!(mask_16(load_32(&lanes::<16, 2>(whole.into()))), [whole as u8, (whole >> 8) as u8]);
        assert_eq!(
            bytes_of(signed_16([lanes::<16, 2>(high(one)), lanes::<16, 2>(high(one) >> 16)].map(|l| load_32(&l)))),
            lanes::<32, 1>(high(one))
        );
        assert!(is_none(xor(a, a)) && is_all(equal_8(a, a)));
        assert_eq!((is_none(a), is_all(a)), (one == [0; 32], one == [0xFF; 32]));
        let [masks, behind] = [one, other].map(|bytes| u64::from_le_bytes(*part(&bytes, 0)));
        for places in 1..64 {
            let both = u128::from(behind) << 64 | u128::from(masks);
            assert_eq!(further_on(masks, behind, places), (both >> places) as u64);
        }
    }

    /// Comparisons, lane by lane.
    #[vectors]
    fn check_comparisons([one, other]: [[u8; 32]; 2]) {
        let [a, b] = [load_32(&one), load_32(&other)];
        let at_least: [bool; 32] = std::array::from_fn(|at| one[at] >= other[at]);
        assert_eq!(u64::from(mask(at_least_8(a, b))), bits(at_least));
        let beside_ascii = high(one) & bits(other.map(|byte| byte >= 0xC0));
        assert_eq!(u64::from(mask(leads_from(a, b))) & beside_ascii, bits(at_least) & beside_ascii);
        let at_most = points(one).into_iter().zip(points(other)).map(|(one, other)| one <= other);
        assert_eq!(u64::from(mask_32(at_most_32(a, b))), bits(at_most));
        let at_most = units(one).into_iter().zip(units(other)).map(|(one, other)| one <= other);
        assert_eq!(mask_16(at_most_16(a, b)), (bits(at_most) as u16).to_le_bytes());
    }

    /// Lanes that go to other places, or come from either vector.
    #[vectors]
    fn check_places([one, other]: [[u8; 32]; 2]) {
        let [a, b] = [load_32(&one), load_32(&other)];
        // What is at a place from 80 up is 0; of others four bits count.
        let places = other.map(|byte| byte & 0x8F);
        let shuffled: [u8; 32] = std::array::from_fn(|at| match places[at] {
            0x80.. => 0,
            place => one[at / 16 * 16 + usize::from(place)],
        });
        assert_eq!(bytes_of(shuffle(a, load_32(&places))), shuffled);
        let looked_up = points(other).map(|place| points(one)[place as usize & 7]);
        assert_eq!(points(bytes_of(looked_up_32(a, b))), looked_up);
        let window: [u8; 32] = std::array::from_fn(|at| if at < 3 { one[29 + at] } else { other[at - 3] });
        assert_eq!(bytes_of(following::<13>(a, b)), window);
        let blended: [u8; 32] = std::array::from_fn(|at| if other[at] < 0x80 { one[at] } else { other[at] });
        assert_eq!(bytes_of(blend_high(a, b, b)), blended);
        assert_eq!(bytes_of(blend(a, b, are_high(b))), blended);
    }

    /// Lanes that are kept, side by side.
    #[vectors]
    fn check_kept([one, other]: [[u8; 32]; 2]) {
        let b = load_32(&other);
        let kept = |count: usize| (0..count).filter(|at| one[0] >> at & 1 != 0);
        let count = one[0].count_ones() as usize;
        let bytes = kept_bytes(halves(b)[0], one[0]).to_le_bytes();
        assert!(kept(8).map(|at| other[at]).eq(bytes[..count].iter().copied()));
        let kept_units = units(bytes_of(lower(kept_units(halves(b)[0], one[0]))));
        assert!(kept(8).map(|at| units(other)[at]).eq(kept_units[..count].iter().copied()));
        let kept_points = points(bytes_of(kept_points(b, one[0])));
        assert!(kept(8).map(|at| points(other)[at]).eq(kept_points[..count].iter().copied()));
        // Of four lanes at most, as the caller has them.
        let few = one[1] & 0x55;
        let found = bits(kept_at(few).map(|at| other[0] >> at & 1 != 0)) as u8;
        assert_eq!(bits_at(other[0], few) & (low_bits(few.count_ones())), found);
    }

    /// Shifts, products and sums.
    #[vectors]
    fn check_arithmetic([one, other]: [[u8; 32]; 2]) {
        let [a, b] = [load_32(&one), load_32(&other)];
        let shifted: [u32; 8] = std::array::from_fn(|at| points(one)[at] >> (points(other)[at] & 31));
        assert_eq!(points(bytes_of(right_each_32(a, and(b, each_32(31))))), shifted);
        let six = and(a, each_16(0x7F3F));
        let expected = units(one).map(|unit| (unit >> 8 & 0x7F) << 6 | unit & 0x3F);
        assert_eq!(units(bytes_of(sixes(six))), expected);
        let expected = points(one).map(|point| (point >> 16 & 0x3FF) << 10 | point & 0x3FF);
        assert_eq!(points(bytes_of(tens(and(a, each_32(0x03FF_03FF))))), expected);
        let expected = points(one).map(|point| (point >> 16 & 0xFFF) << 12 | point & 0xFFF);
        assert_eq!(points(bytes_of(twelves(and(a, each_32(0x0FFF_0FFF))))), expected);
        let sum = one.as_chunks().0.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word) >> 8));
        assert_eq!(sum_64(right_64::<8>(a)), sum);
        assert_eq!(sum_8(a), one.iter().copied().map(usize::from).sum());
        assert_eq!(sum_8(each_8(0xFF)), 32 * 0xFF);
    }

    /// Lanes that become wider or narrower.
    #[vectors]
    fn check_widths([one, other]: [[u8; 32]; 2]) {
        let [a, b] = [load_32(&one), load_32(&other)];
        let narrow = units(bytes_of(packed_32([and(a, each_32(0xFFFF)), and(b, each_32(0xFFFF))])));
        assert!(points(one).into_iter().chain(points(other)).map(|point| point as u16).eq(narrow));
        let narrow = bytes_of(packed_16([and(a, each_16(0xFF)), and(b, each_16(0xFF))]));
        assert!(units(one).into_iter().chain(units(other)).map(|unit| unit as u8).eq(narrow));
        assert_eq!(units(bytes_of(widened_8(halves(a)[1]))), std::array::from_fn(|at| one[16 + at].into()));
        assert_eq!(points(bytes_of(widened_16(halves(a)[1]))), std::array::from_fn(|at| units(one)[8 + at].into()));
        assert_eq!(points(bytes_of(as_32(halves(a)[0]))), std::array::from_fn(|at| one[at].into()));
    }

    /// Check vectors drawn at random, where the machine has the instructions.
    fn each_drawn(check: unsafe fn([[u8; 32]; 2])) {
        let mut state = 1;
        for _ in 0..if are_available() { 20_000 } else { 0 } {
            // SAFETY: the machine has the instructions.
            unsafe { check([drawn(&mut state), drawn(&mut state)]) };
        }
    }

    #[test]
    fn masks_are_those_of_a_loop_over_the_lanes() {
        each_drawn(check_masks);
    }

    #[test]
    fn comparisons_are_those_of_a_loop_over_the_lanes() {
        each_drawn(check_comparisons);
    }

    #[test]
    fn lanes_come_from_where_a_loop_takes_them() {
        each_drawn(check_places);
    }

    #[test]
    fn lanes_are_kept_as_a_loop_keeps_them() {
        each_drawn(check_kept);
    }

    #[test]
    fn arithmetic_is_that_of_a_loop_over_the_lanes() {
        each_drawn(check_arithmetic);
    }

    #[test]
    fn lanes_change_their_width_as_numbers_do() {
        each_drawn(check_widths);
    }
}
