//! Memory fetched before it is read or written: text larger than the caches is otherwise waited for.

#![expect(unsafe_code, reason = "the instruction was unsafe before Rust 1.92")]

/// Have the line fetched that is so many bytes behind a place.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
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
