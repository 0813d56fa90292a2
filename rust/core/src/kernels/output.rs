//! Memory that is filled from its start, and has exactly as much room as will be written.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// An output that is filled from its start.
#[derive(Debug)]
pub struct Output<'a, T> {
    values: &'a mut [MaybeUninit<T>],
    filled: usize,
}

impl<'a, T> Output<'a, T> {
    /// An output of which nothing is written.
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
        self.fill(values.len(), |place| {
            place.iter_mut().zip(values).for_each(|(place, &value)| _ = place.write(value.into()));
        });
    }

    /// Let `write` write the next `count` values: all of them, which is the contract of every kernel.
    ///
    /// # Panics
    /// There is no room.
    pub(super) fn fill(&mut self, count: usize, write: impl FnOnce(&mut [MaybeUninit<T>])) {
        write(&mut self.values[self.filled..self.filled + count]);
        self.filled += count;
    }

    /// Let `write` write some of the values that there is room for, from the first on, and return how many: the contract of
    /// every kernel.
    pub(super) fn fill_up_to(&mut self, write: impl FnOnce(&mut [MaybeUninit<T>]) -> usize) -> usize {
        let count = write(&mut self.values[self.filled..]);
        self.filled += count;
        count
    }

    /// Where `count` values go now, and whether a whole vector of `lanes` has room there. The caller writes them.
    ///
    /// # Panics
    /// The output is full: it was not made for this input.
    #[inline]
    pub(super) fn next(&mut self, count: usize, lanes: usize) -> (*mut T, bool) {
        let left = self.values.len() - self.filled;
        assert!(count <= left, "the output is shorter than its text");
        let at = self.values.as_mut_ptr().wrapping_add(self.filled).cast();
        self.filled += count;
        (at, left >= lanes)
    }
}

/// Copy bytes to memory of the same length.
pub fn copy(from: &[u8], out: &mut [MaybeUninit<u8>]) {
    assert_eq!(from.len(), out.len());
    // SAFETY: both are as long, bytes need no care, and a mutable slice overlaps no other.
    unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), out.as_mut_ptr().cast(), from.len()) }
}
