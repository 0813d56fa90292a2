//! The kinds of str as those see them who write one: what is a code point of each, and what a sequence of UTF-8 means
//! in it.

use super::widen::Widened;
use crate::code_point::LARGEST_IN_STR;

/// The longest sequence of UTF-8.
pub const LONGEST: usize = 4;

/// A code point of a kind of str.
pub trait Unit: Widened + Default + From<u8> + Into<u32> {
    /// Whether the kind holds the BMP and no more.
    const IS_BMP: bool = size_of::<Self>() == 2;
    /// Whether the kind holds what takes four bytes.
    const IS_WIDE: bool = size_of::<Self>() == 4;
    /// The least code point for which the kind is made.
    const LEAST: u32;
    /// The largest code point that is written one by one: a kind of bytes may have to be ASCII.
    const MOST: u32;
    /// The code point with a value that the kind holds.
    fn of(value: u32) -> Self;
    /// The same, up to U+07FF.
    fn of_two(value: u16) -> Self;
}

macro_rules! units {
    ($($unit:ty: $least:expr, $most:expr;)*) => {
        $(impl Unit for $unit {
            const LEAST: u32 = $least;
            const MOST: u32 = $most;

            #[inline(always)]
            fn of(value: u32) -> Self {
                value as $unit
            }

            #[inline(always)]
            fn of_two(value: u16) -> Self {
                value as $unit
            }
        })*
    };
}

units! {
    u8: 0, 0x7F;
    u16: 0x100, 0xFFFF;
    u32: 0x1_0000, LARGEST_IN_STR;
}

// Choices by masks: others might become branches.

/// What begins with these bytes, up to U+FFFF.
#[inline(always)]
pub fn read_narrow(bytes: [u8; LONGEST]) -> u16 {
    let is = |from: u8| u16::from(bytes[0] >= from).wrapping_neg();
    let [lead, second, third, _] = bytes.map(u16::from);
    let two = (lead & 0x1F) << 6 | second & 0x3F;
    lead & !is(0x80) | two & is(0x80) & !is(0xE0) | three([lead, second, third]) & is(0xE0)
}

/// What the first three of these bytes mean together.
#[inline(always)]
pub fn read_three([lead, second, third, _]: [u8; LONGEST]) -> u16 {
    three([lead, second, third].map(u16::from))
}

#[inline(always)]
fn three([lead, second, third]: [u16; 3]) -> u16 {
    lead << 12 | (second & 0x3F) << 6 | third & 0x3F
}
