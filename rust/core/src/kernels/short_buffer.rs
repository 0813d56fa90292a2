//! Memory for short text of any kind, as UTF-8.

use std::mem::MaybeUninit;

/// The memory that short text is written to.
pub const SHORT_BYTES: usize = 1024;
/// What a step may write beyond what it says.
pub(super) const SLACK: usize = 64;

/// Memory for short text.
pub type ShortBuffer = [MaybeUninit<u8>; SHORT_BYTES + SLACK];
