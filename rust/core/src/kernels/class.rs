//! A set of bytes that is a range, once some bits are masked.

/// The bytes that lie between two bounds when only the bits of the mask are left of them.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The bits that count.
    pub mask: u8,
    /// The lowest byte.
    pub low: u8,
    /// The highest byte.
    pub high: u8,
}

impl Class {
    /// One byte.
    #[must_use]
    pub const fn byte(byte: u8) -> Class {
        Class { mask: u8::MAX, low: byte, high: byte }
    }

    /// Whether a byte is one of them.
    #[inline]
    #[must_use]
    pub const fn holds(self, byte: u8) -> bool {
        (byte & self.mask).wrapping_sub(self.low) <= self.high - self.low
    }
}
