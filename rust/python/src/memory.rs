//! Memory of objects that nobody has seen yet, and memory that may be out.
//!
//! A new str or bytes object is filled by a kernel that writes all of it before anybody else can see it; where a kernel
//! cannot (bytes that turn out not to be ASCII), the object is dropped unseen, or cut to what has been written.

#![expect(unsafe_code, reason = "the memory of objects is written by address")]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use eightfold_core::Output;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// From this size on memory that is written first costs more than what is written: see `docs/performance.md`.
#[cfg(target_os = "linux")]
const LARGE_BYTES: usize = 32 << 20;

/// Ask for huge pages below large memory that is about to be written; where there are none, nothing changes.
#[cfg_attr(not(target_os = "linux"), expect(unused_variables))]
fn expect_writing<T>(memory: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    if size_of_val(memory) >= LARGE_BYTES {
        const HUGE_PAGE: usize = 2 << 20;
        let start = memory.as_mut_ptr().cast::<u8>();
        let skipped = start.align_offset(HUGE_PAGE);
        let length = (size_of_val(memory) - skipped) / HUGE_PAGE * HUGE_PAGE;
        // SAFETY: these pages lie within memory that is ours alone, and the advice changes nothing that is in them.
        unsafe { libc::madvise(start.add(skipped).cast(), length, libc::MADV_HUGEPAGE) };
    }
}

/// Memory on the stack that begins with a line of the cache: where vectors are stored across lines, reading 64 to 1,024
/// bytes took an eighth more time.
#[repr(align(64))]
pub struct Aligned<T>(pub T);

/// Memory of an object that nobody has seen yet.
///
/// # Safety
/// There are `count` values at `data`, of which nobody else knows as long as the slice lives.
pub unsafe fn unseen<'a, T>(data: *mut c_void, count: usize) -> &'a mut [MaybeUninit<T>] {
    // SAFETY: the contract of this function.
    let memory = unsafe { slice::from_raw_parts_mut(data.cast(), count) };
    expect_writing(memory);
    memory
}

/// How many values are written to memory.
#[inline(always)]
pub fn written<'m, T>(memory: &'m mut [MaybeUninit<T>], fill: impl FnOnce(&mut Output<'m, T>)) -> usize {
    Output::written(memory, fill).1.len()
}

/// What could not be made where there is no memory for it.
#[inline]
pub fn made<T>(object: Option<T>) -> PyResult<T> {
    object.ok_or_else(|| PyMemoryError::new_err(()))
}

/// Add bytes to others.
pub fn append(out: &mut Vec<u8>, data: &[u8]) -> PyResult<()> {
    out.try_reserve(data.len()).map_err(|_| PyMemoryError::new_err(()))?;
    out.extend_from_slice(data);
    Ok(())
}
