//! The error for a failed allocation.

/// Room for any sequence, reserved so that a failed allocation is an error before a vector grows by itself.
pub const ROOM_BYTES: usize = 64;

/// Memory for the output could not be allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<std::collections::TryReserveError> for OutOfMemory {
    fn from(_: std::collections::TryReserveError) -> Self {
        OutOfMemory
    }
}
