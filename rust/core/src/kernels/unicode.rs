//! The encodings of Unicode that the library converts between.

#![expect(unsafe_code, reason = "bytes are units of another width")]

/// An encoding of Unicode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unicode {
    /// UTF-8.
    Utf8,
    /// UTF-16.
    Utf16 {
        /// Whether the units are big-endian.
        big_endian: bool,
    },
    /// UTF-32 in the byte order of the machine.
    Utf32,
}

/// Bytes as units; None if they are not aligned, or part of a unit is left.
pub(super) fn aligned<T: Unit>(data: &[u8]) -> Option<&[T]> {
    // SAFETY: any bytes are a value of these types.
    let (head, units, tail) = unsafe { data.align_to() };
    (head.is_empty() && tail.is_empty()).then_some(units)
}

/// A unit of an encoding: any bytes are one, and it is any bytes.
pub(super) trait Unit: 'static {}
impl Unit for u8 {}
impl Unit for u16 {}
impl Unit for u32 {}
