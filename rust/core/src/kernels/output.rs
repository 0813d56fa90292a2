//! Memory that is filled from its start, and has exactly as much room as will be written.
//!
//! Values are counted as written here and nowhere else. The safe functions count what they write themselves; those that
//! rely on their caller are unsafe. So the count proves that the values are there, and a kernel that fills an output
//! promises nothing to its own caller.

#![expect(unsafe_code, reason = "memory becomes values by the count that is kept here")]
#![deny(clippy::multiple_unsafe_ops_per_block)]

use std::mem::MaybeUninit;
use std::{ptr, slice};

use super::masks::LANES;

/// So many lanes are stored at once, some of them for nothing: how many steps there are is foreseen more often then.
const STEP: usize = 16;

/// With more lanes that are not kept it is quicker to store each of them than to copy the runs between.
pub(super) const MOST_GAPS: u32 = 19;

/// What begins in each lane of a block, and in one behind it, which is never kept.
pub(super) type Values<U> = [U; LANES + 1];

/// The values that are copied at once of a run.
const RUN: usize = 32;

/// The bytes of a line of the cache, and how many bytes are so many that it matters where lines begin.
const LINE: usize = 64;
const LONG: usize = 4096;

/// An output that is filled from its start.
#[derive(Debug)]
pub struct Output<'a, T> {
    values: &'a mut [MaybeUninit<T>],
    filled: usize,
}

impl<'a, T> Output<'a, T> {
    /// An output of which nothing is written.
    #[inline]
    pub fn new(values: &'a mut [MaybeUninit<T>]) -> Self {
        Output { values, filled: 0 }
    }

    /// How many values have been written.
    #[must_use]
    pub fn filled(&self) -> usize {
        self.filled
    }

    /// How many more values have room.
    #[must_use]
    pub fn room(&self) -> usize {
        self.values.len() - self.filled
    }

    /// Whether all values have been written.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.filled == self.values.len()
    }

    /// End the output, all of whose values are written now.
    ///
    /// # Panics
    /// Some are not: it was not made for this input.
    pub fn finish(&self) {
        assert!(self.is_full(), "the output is longer than its text");
    }

    /// Forget what has been written behind the first `count` values.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.filled = self.filled.min(count);
    }

    /// Write one value.
    ///
    /// # Panics
    /// The output is full: it was not made for this input.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.values[self.filled].write(value);
        self.filled += 1;
    }

    /// Write values that are there already.
    ///
    /// # Panics
    /// There is no room for them.
    pub fn extend<U: Copy>(&mut self, values: &[U])
    where
        T: From<U>,
    {
        self.extend_by(values, T::from);
    }

    /// Write what values become.
    ///
    /// # Panics
    /// There is no room for it.
    #[inline]
    pub fn extend_by<U: Copy>(&mut self, values: &[U], become_one: impl Fn(U) -> T) {
        let place = &mut self.values[self.filled..][..values.len()];
        place.iter_mut().zip(values).for_each(|(place, &value)| _ = place.write(become_one(value)));
        self.filled += values.len();
    }

    /// Write what the values of blocks become, up to the first block that is not meant, and return how many blocks that
    /// are.
    // In a function of its own the compiler makes vectors of the loop, whatever is around the call.
    #[inline(never)]
    pub(super) fn extend_blocks<U: Copy, const MANY: usize>(
        &mut self,
        blocks: &[[U; MANY]],
        mut is_meant: impl FnMut(&[U; MANY]) -> bool,
        become_one: impl Fn(U) -> T,
    ) -> usize {
        let (places, _) = self.values[self.filled..].as_chunks_mut::<MANY>();
        let mut count = 0;
        for (block, place) in blocks.iter().zip(places) {
            if !is_meant(block) {
                break;
            }
            place.iter_mut().zip(block).for_each(|(place, &value)| _ = place.write(become_one(value)));
            count += 1;
        }
        self.filled += MANY * count;
        count
    }

    /// Write values as they are.
    ///
    /// # Panics
    /// There is no room for them.
    #[inline]
    pub fn copy(&mut self, values: &[T])
    where
        T: Copy,
    {
        let place = &mut self.values[self.filled..][..values.len()];
        // SAFETY: both are as long, and a mutable slice overlaps no other.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), place.as_mut_ptr().cast(), values.len()) };
        self.filled += values.len();
    }

    /// Write the first `count` of some values.
    ///
    /// # Panics
    /// There is no room for them.
    #[inline(always)]
    pub(crate) fn extend_first<const MANY: usize>(&mut self, values: &[T; MANY], count: usize)
    where
        T: Copy,
    {
        assert!(count <= MANY);
        match self.spare().first_chunk_mut() {
            Some(place) => *place = values.map(MaybeUninit::new),
            None => self.spare()[..count].copy_from_slice(&values.map(MaybeUninit::new)[..count]),
        }
        self.filled += count;
    }

    /// The same, where there is room for all of them.
    ///
    /// # Panics
    /// There is none.
    #[inline(always)]
    pub(crate) fn extend_loosely<const MANY: usize>(&mut self, values: &[T; MANY], count: usize)
    where
        T: Copy,
    {
        assert!(count <= MANY);
        *self.spare().first_chunk_mut().expect("room for more") = values.map(MaybeUninit::new);
        self.filled += count;
    }

    /// Write of each value its first parts, as many as its length says; `MOST` is enough for all parts of all of them.
    ///
    /// # Panics
    /// There is no room for them, or a value has fewer parts than that.
    #[inline(always)]
    pub(super) fn extend_parts<const PARTS: usize, const MOST: usize>(&mut self, values: &[[T; PARTS]], lengths: &[u8])
    where
        T: Copy,
    {
        assert!(lengths.iter().fold(0, |most, &length| most.max(length)) as usize <= PARTS);
        if let Some(place) = self.spare().first_chunk_mut::<MOST>() {
            self.filled += store(values, lengths, place);
        } else {
            let mut place = [MaybeUninit::uninit(); MOST];
            let count = store(values, lengths, &mut place);
            self.spare()[..count].copy_from_slice(&place[..count]);
            self.filled += count;
        }
    }

    /// Let `write` write to a place that has room for so many values, and return where that ends.
    ///
    /// # Panics
    /// There is no room for as many.
    #[inline(always)]
    pub(super) fn extend_within<R>(&mut self, most: usize, write: impl FnOnce(Place<T>) -> (R, Place<T>)) -> R {
        let start = self.spare()[..most].as_mut_ptr().cast::<T>();
        let (result, end) = write(Place(start));
        // SAFETY: a place only moves forward behind what is written there.
        self.filled += unsafe { end.0.offset_from_unsigned(start) };
        result
    }

    /// Write the values of some lanes, one bit for each.
    ///
    /// # Panics
    /// There is no room for them.
    #[inline(always)]
    pub(super) fn extend_kept<U: Copy>(&mut self, values: &Values<U>, kept: u64, become_one: impl Fn(U) -> T)
    where
        T: Copy,
    {
        if kept.count_zeros() <= MOST_GAPS {
            let lanes: &[U; LANES] = values.first_chunk().expect("there is one lane more");
            return self.extend_runs(&lanes.map(become_one), kept);
        }
        let (count, become_one) = (kept.count_ones() as usize, |value: U| MaybeUninit::new(become_one(value)));
        if let Some(place) = self.spare().first_chunk_mut() {
            keep(values, kept, place, become_one);
        } else {
            let mut place = [MaybeUninit::uninit(); LANES];
            keep(values, kept, &mut place, become_one);
            self.spare()[..count].copy_from_slice(&place[..count]);
        }
        self.filled += count;
    }

    /// The same, where few are not kept.
    #[inline(always)]
    pub(super) fn extend_runs(&mut self, values: &[T; LANES], kept: u64)
    where
        T: Copy,
    {
        let count = kept.count_ones() as usize;
        if let Some(place) = self.spare().first_chunk_mut() {
            keep_runs(values, kept, place);
        } else {
            let mut place = [MaybeUninit::uninit(); LANES + RUN];
            keep_runs(values, kept, &mut place);
            self.spare()[..count].copy_from_slice(&place[..count]);
        }
        self.filled += count;
    }

    /// The memory behind the values that have been written.
    #[inline]
    pub(super) fn spare(&mut self) -> &mut [MaybeUninit<T>] {
        &mut self.values[self.filled..]
    }

    /// Let `write` go on in an output of its own, which the compiler can keep in registers.
    #[inline(always)]
    pub(crate) fn go_on<R>(&mut self, write: impl FnOnce(&mut Output<'_, T>) -> R) -> R {
        let (result, written) = Output::written(self.spare(), |out| write(out));
        let count = written.len();
        self.filled += count;
        result
    }

    /// Where `count` values have room, and whether a whole vector of `lanes` has. They count once that is said by
    /// [`Output::advance`].
    ///
    /// # Panics
    /// There is no room for them: the output was not made for this input. Or there are more than lanes.
    #[inline]
    pub(super) fn next(&mut self, count: usize, lanes: usize) -> (*mut T, bool) {
        let left = self.room();
        let is_roomy = left >= lanes;
        assert!(count <= lanes && (is_roomy || count <= left), "the output is shorter than its text, or a vector");
        (self.values.as_mut_ptr().wrapping_add(self.filled).cast(), is_roomy)
    }

    /// How many of `count` values to copy have room before a line of the cache begins; none if they are few. Each store
    /// across lines takes as long as two.
    #[inline]
    pub(super) fn before_line(&self, count: usize) -> usize {
        if count * size_of::<T>() < LONG {
            return 0;
        }
        self.values.as_ptr().wrapping_add(self.filled).align_offset(LINE).min(count)
    }

    /// The first of the memory behind the values that have been written, if so much of it is there. What is written
    /// counts once that is said by [`Output::advance`].
    #[inline]
    pub(super) fn room_for<const COUNT: usize>(&mut self) -> Option<&mut [MaybeUninit<T>; COUNT]> {
        let (at, is_roomy) = self.next(0, COUNT);
        // SAFETY: so many values have room there, and the output is borrowed.
        is_roomy.then(|| unsafe { &mut *at.cast() })
    }

    /// Count values that have been written to [`Output::spare`], or where [`Output::next`] says.
    ///
    /// # Safety
    /// The first `count` values there have been written.
    #[inline]
    pub(super) unsafe fn advance(&mut self, count: usize) {
        debug_assert!(count <= self.room(), "more values are counted than have room");
        self.filled += count;
    }

    /// The values that have been written.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[T] {
        let written = &self.values[..self.filled];
        // SAFETY: all of these have been written: only what writes counts.
        unsafe { slice::from_raw_parts(written.as_ptr().cast(), written.len()) }
    }

    /// Those from an index on, to be changed.
    #[cfg(feature = "simdutf")]
    pub(super) fn values_from(&mut self, start: usize) -> &mut [T] {
        let written = &mut self.values[start..self.filled];
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(written.as_mut_ptr().cast(), written.len()) }
    }

    /// The same, for as long as the memory lives.
    #[inline]
    #[must_use]
    pub fn into_written(self) -> &'a mut [T] {
        let written = &mut self.values[..self.filled];
        // SAFETY: all of these have been written: only what writes counts.
        unsafe { slice::from_raw_parts_mut(written.as_mut_ptr().cast(), written.len()) }
    }

    /// Let `write` fill memory from its start, and return its result and the values that it has written.
    ///
    /// # Panics
    /// It has put another output in the place of the one it was given.
    #[inline]
    pub fn written<R>(
        memory: &'a mut [MaybeUninit<T>],
        write: impl FnOnce(&mut Output<'a, T>) -> R,
    ) -> (R, &'a mut [T]) {
        let start = memory.as_ptr().cast();
        let mut out = Output::new(memory);
        let result = write(&mut out);
        let values = out.into_written();
        assert!(ptr::eq(values.as_ptr(), start), "this is another output");
        (result, values)
    }
}

/// A place for values that is known to have room for them: a loop needs no more of an output than where the next one
/// goes.
pub(super) struct Place<T>(*mut T);

impl<T: Copy> Place<T> {
    /// Write the first `count` of some values.
    ///
    /// # Safety
    /// The place has room for all of them behind those that have been written to it.
    #[inline(always)]
    pub unsafe fn put<const MANY: usize>(&mut self, values: [T; MANY], count: usize) {
        debug_assert!(count <= MANY);
        // SAFETY: the contract of this function; an array needs the alignment of its items.
        unsafe { self.0.cast::<[T; MANY]>().write(values) };
        // SAFETY: as above.
        self.0 = unsafe { self.0.add(count) };
    }
}

impl Output<'_, u16> {
    /// Copy units in the byte order of the machine, of which the bytes are given.
    ///
    /// # Panics
    /// There is no room for them.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn copy_units(&mut self, bytes: &[u8]) {
        let count = bytes.len() / 2;
        let place = &mut self.spare()[..count];
        // SAFETY: so many bytes are there, so many have room, and the output is other memory.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), place.as_mut_ptr().cast(), 2 * count) };
        self.filled += count;
    }
}

impl Output<'_, u8> {
    /// Let `write` go on with so many units, in an output of its own; nothing is written where they are not aligned.
    ///
    /// # Panics
    /// There is no room for them, or they were not all written.
    #[cfg(feature = "simdutf")]
    pub(super) fn go_on_in_units<T>(&mut self, count: usize, write: impl FnOnce(&mut Output<'_, T>)) {
        let bytes = count * size_of::<T>();
        // SAFETY: memory that is not written may become any other.
        let (head, units, _) = unsafe { self.spare()[..bytes].align_to_mut::<MaybeUninit<T>>() };
        if head.is_empty() {
            let ((), written) = Output::written(units, |out| write(out));
            assert_eq!(written.len(), count, "the output is longer than its text");
            self.filled += bytes;
        }
    }

    /// Write the bytes of values, of which each has so many.
    ///
    /// # Panics
    /// There is no room for them.
    #[inline(always)]
    pub(super) fn extend_bytes<U: Copy, const WIDTH: usize>(
        &mut self,
        values: &[U],
        bytes_of: impl Fn(U) -> [u8; WIDTH],
    ) {
        let count = WIDTH * values.len();
        let (units, _) = self.values[self.filled..][..count].as_chunks_mut::<WIDTH>();
        for (unit, &value) in units.iter_mut().zip(values) {
            *unit = bytes_of(value).map(MaybeUninit::new);
        }
        self.filled += count;
    }
}

/// Store the values of some lanes from the first place on, run by run of those that are kept.
#[inline(always)]
fn keep_runs<T: Copy>(values: &[T; LANES], kept: u64, place: &mut [MaybeUninit<T>; LANES + RUN]) {
    let mut padded = [MaybeUninit::uninit(); LANES + RUN];
    padded[..LANES].copy_from_slice(&values.map(MaybeUninit::new));
    let (mut at, mut end, mut gaps) = (0, 0, !kept);
    loop {
        let gap = gaps.trailing_zeros() as usize;
        loop {
            place[end..][..RUN].copy_from_slice(&padded[at..][..RUN]);
            if gap - at <= RUN {
                break;
            }
            (at, end) = (at + RUN, end + RUN);
        }
        if gap == LANES {
            break;
        }
        (at, end, gaps) = (gap + 1, end + gap - at, gaps & (gaps - 1));
    }
}

/// Store the values of some lanes from the first place on.
#[inline(always)]
fn keep<U: Copy, T: Copy>(values: &Values<U>, kept: u64, place: &mut [T; LANES], become_one: impl Fn(U) -> T) {
    let mut rest = kept;
    for step in place.as_chunks_mut::<STEP>().0 {
        if rest == 0 {
            break;
        }
        for slot in step {
            *slot = become_one(values[rest.trailing_zeros() as usize]);
            rest &= rest.wrapping_sub(1);
        }
    }
}

/// Store values, each over the parts of the one before that do not count, and return how many parts count; no length is
/// above `PARTS`. There is no branch on what they are.
#[inline(always)]
fn store<T: Copy, const PARTS: usize, const MOST: usize>(
    values: &[[T; PARTS]],
    lengths: &[u8],
    place: &mut [MaybeUninit<T>; MOST],
) -> usize {
    assert!(values.len() * PARTS <= MOST);
    let (start, mut end) = (place.as_mut_ptr().cast::<T>(), 0);
    for (&value, &length) in values.iter().zip(lengths) {
        // SAFETY: each value before has counted for `PARTS` at most, so this one ends within the place.
        let next = unsafe { start.add(end) };
        // SAFETY: as above; an array needs the alignment of its items.
        unsafe { next.cast::<[T; PARTS]>().write(value) };
        end += usize::from(length);
    }
    end
}

/// Grow a vector, which has room for them, by `count` values, which `write` writes.
///
/// # Panics
/// It has no room, or they were not all written.
pub fn append<T: Copy, R>(out: &mut Vec<T>, count: usize, write: impl FnOnce(&mut Output<'_, T>) -> R) {
    let end = out.len() + count;
    append_up_to(out, count, write);
    assert_eq!(out.len(), end, "the output is longer than its text");
}

/// Grow a vector, which has room for them, by up to `room` values, as many as `write` writes.
///
/// # Panics
/// It has no room.
pub fn append_up_to<T: Copy, R>(out: &mut Vec<T>, room: usize, write: impl FnOnce(&mut Output<'_, T>) -> R) -> R {
    let (result, written) = Output::written(&mut out.spare_capacity_mut()[..room], |out| write(out));
    let count = written.len();
    // SAFETY: so many values have been written behind those that there are.
    unsafe { out.set_len(out.len() + count) };
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of the lanes that are kept, where there is so much room.
    fn kept(lanes: u64, room: usize) -> Vec<u16> {
        let mut memory = vec![MaybeUninit::new(0xFFFF_u16); room];
        let values: Values<u8> = std::array::from_fn(|lane| lane as u8);
        let ((), written) = Output::written(&mut memory, |out| out.extend_kept(&values, lanes, u16::from));
        written.to_vec()
    }

    /// All lanes but so many, which are scattered.
    fn scattered(gaps: u32, state: &mut u64) -> u64 {
        let mut lanes = u64::MAX;
        while lanes.count_zeros() < gaps {
            *state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            lanes &= !(1 << (*state >> 58));
        }
        lanes
    }

    #[test]
    fn lanes_are_kept_in_order_however_many_and_wherever_the_gaps_are() {
        let mut state = 1;
        for gaps in 0..=u64::BITS {
            let in_a_row = u64::MAX.unbounded_shr(gaps);
            for round in 0..if cfg!(miri) { 3 } else { 200 } {
                let lanes = if round < 64 { in_a_row.rotate_left(round) } else { scattered(gaps, &mut state) };
                let expected: Vec<u16> = (0..64).filter(|&lane| lanes >> lane & 1 == 1).collect();
                for room in [expected.len(), LANES, LANES + RUN] {
                    assert_eq!(kept(lanes, room), expected, "{lanes:b}");
                }
            }
        }
    }
}
