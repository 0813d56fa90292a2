//! Memory fetched before it is read or written, so that text larger than the caches is not waited for.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "the instruction was unsafe before Rust 1.92"))]

/// Fetch the cache line that is so many bytes after a place.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only x86-64 has the instruction"))]
pub(super) fn fetch<T>(place: *const T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        #[expect(clippy::allow_attributes, reason = "what is not needed depends on the compiler")]
        #[allow(unused_unsafe, reason = "it needs none from Rust 1.92 on")]
        // SAFETY: nothing is read; an address where nothing is does no harm.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(bytes));
        }
    }
}

/// Whether a copy of so many bytes waits for memory. Of less, fetching ahead takes time itself: of a megabyte of ASCII,
/// a seventh (Zen 4).
#[inline]
pub(super) fn outgrows_caches(bytes: usize) -> bool {
    bytes > 1 << 20
}

/// How many bytes ahead of what is read memory is fetched: text larger than the caches is otherwise waited for.
pub(super) const READ_AHEAD: usize = 2048;
/// The same ahead of what is written.
pub(super) const WRITE_AHEAD: usize = 1024;

/// Fetch the cache line that is read some time after the block at `at`.
#[inline(always)]
pub(super) fn fetch_ahead<T>(data: &[T], at: usize) {
    fetch(data.as_ptr().wrapping_add(at), READ_AHEAD);
}

/// Fetch the cache lines of a block that will be read later.
#[inline(always)]
pub(super) fn fetch_block<T>(block: &[T]) {
    for line in (0..size_of_val(block)).step_by(64) {
        fetch(block.as_ptr(), READ_AHEAD + line);
    }
}
