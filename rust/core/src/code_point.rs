//! Code points as Unicode defines them: the largest one, surrogates and their pairs, and ranges. Forms are not known
//! here.

use std::ops::RangeInclusive;

/// The largest code point that a Python str holds.
pub const LARGEST_IN_STR: u32 = 0x10_FFFF;

/// The lowest and the highest value in a range of code units or code points.
pub type Range = (u32, u32);

pub(crate) const LEADS: Range = (0xD800, 0xDBFF);
pub(crate) const TRAILS: Range = (0xDC00, 0xDFFF);
pub(crate) const SURROGATES: Range = (LEADS.0, TRAILS.1);
pub(crate) const SUPPLEMENTARY: Range = (0x1_0000, LARGEST_IN_STR);

/// The first code points that take two, three and four bytes in UTF-8.
pub(crate) const STARTS: [u32; 3] = [0x80, 0x800, 0x1_0000];

/// The bytes that continue a sequence of UTF-8, as a range of units and as bytes.
pub(crate) const CONTINUATION: Range = (0x80, 0xBF);
pub(crate) const CONTINUATIONS: RangeInclusive<u8> = CONTINUATION.0 as u8..=CONTINUATION.1 as u8;

/// Whether a byte is a continuation byte.
#[inline(always)]
pub(crate) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Whether a range contains a unit.
pub(crate) fn holds(range: Range, unit: u32) -> bool {
    range.0 <= unit && unit <= range.1
}

/// The supplementary code point of a surrogate pair; of other values the result means nothing.
#[inline]
pub(crate) fn joined(lead: u32, trail: u32) -> u32 {
    let base = 0x1_0000_u32.wrapping_sub(LEADS.0 << 10).wrapping_sub(TRAILS.0);
    (lead << 10).wrapping_add(trail).wrapping_add(base)
}

/// The surrogate pair of a supplementary code point; of other code points the result means nothing.
#[inline]
pub(crate) fn split(code_point: u32) -> [u32; 2] {
    let index = code_point.wrapping_sub(0x1_0000);
    [LEADS.0.wrapping_add(index >> 10), TRAILS.0 + (index & 0x3FF)]
}
