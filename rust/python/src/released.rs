//! Work during which other threads may run.

use pyo3::prelude::*;

/// From this size on other threads may run meanwhile: releasing and taking the lock costs as much as 1 KB of work.
pub const RELEASE_BYTES: usize = 65536;

/// Do work on so many bytes, and let other threads run if they are many.
pub fn released<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < RELEASE_BYTES { work() } else { py.detach(work) }
}
