//! UTF-8 in bulk where this crate has no kernels for the machine that are quicker: by the C++ library `simdutf`, if it
//! was built in and has kernels for the machine, else by the blocks of `validity` and `plain`.

#![expect(unsafe_code, reason = "what a text is known to be is passed on")]

#[cfg(feature = "simdutf")]
use super::level::Level;
use super::measured::{Measured, Prefix, Scalar};
use super::output::Output;
#[cfg(feature = "simdutf")]
use super::simdutf;
use super::text::Text;
use super::{plain, validity};

/// Whether the library has more than one sequence at a time: of processors without a level of ours we know nothing.
#[cfg(feature = "simdutf")]
#[inline]
pub fn has_library() -> bool {
    Level::HERE.len() == 1 || Level::current() > Level::Portable
}

/// What the library does, or one of its stand-ins.
macro_rules! chosen {
    ($ours:expr, $library:expr) => {{
        #[cfg(feature = "simdutf")]
        if has_library() {
            return $library;
        }
        $ours
    }};
}

/// The longest prefix that is valid UTF-8, measured where that is done while it is validated; else none of it.
pub fn measure(data: &[u8]) -> Prefix {
    chosen!(validity::measure(data), Prefix::NONE)
}

/// The longest valid prefix of some bytes.
pub fn valid_prefix(data: &[u8]) -> &str {
    chosen!(validity::valid_prefix(data), simdutf::valid_prefix(data))
}

/// How many code points valid UTF-8 has; of other bytes the number means nothing.
pub fn utf8_points(text: &[u8]) -> usize {
    chosen!(validity::count(text), simdutf::utf8_points(text))
}

/// How many units of UTF-16 valid UTF-8 takes; of other bytes the number means nothing.
pub fn utf16_units(text: &[u8]) -> usize {
    chosen!(validity::count(text) + validity::count_fours(text), simdutf::utf16_units(text))
}

/// Write text up to U+00FF as bytes.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_latin1(text: &Measured<'_>, out: &mut Output<'_, u8>) {
    chosen!(plain::to_latin1(text, out), simdutf::to_latin1(text, out))
}

/// Write text up to U+FFFF as 16-bit units.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    chosen!(plain::to_ucs2(text, out), simdutf::to_ucs2(text, out))
}

/// Write text as 32-bit units.
///
/// # Panics
/// It has no room.
pub fn to_ucs4(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    chosen!(plain::to_ucs4(text, out), simdutf::to_ucs4(text, out))
}

/// The length in UTF-8 of text without surrogates and without values beyond Unicode.
pub fn utf8_bytes(text: Text<'_>) -> usize {
    chosen!(plain::utf8_bytes(text), simdutf::utf8_bytes(text))
}

/// Write text as UTF-8.
///
/// # Panics
/// It has no room.
pub fn to_utf8(scalar: &Scalar<'_>, out: &mut Output<'_, u8>) {
    chosen!(plain::to_utf8(scalar.text(), out), simdutf::to_utf8(scalar, out))
}

/// As [`to_utf8`], of text that nobody has counted.
///
/// # Safety
/// It holds no surrogate and nothing beyond Unicode.
///
/// # Panics
/// As [`to_utf8`].
pub unsafe fn scalars_to_utf8(text: Text<'_>, out: &mut Output<'_, u8>) {
    // SAFETY: the contract of this function, and the bytes have just been counted.
    chosen!(plain::to_utf8(text, out), unsafe { Scalar::known(text, utf8_bytes(text)) }.write_utf8(out))
}

/// Write code points up to U+00FF, one byte each, as UTF-8.
///
/// # Safety
/// They take `bytes` bytes.
///
/// # Panics
/// There is no room for them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub unsafe fn latin1_to_utf8(points: &[u8], bytes: usize, out: &mut Output<'_, u8>) {
    debug_assert_eq!(utf8_bytes(Text::One(points)), bytes);
    // SAFETY: the contract of this function.
    chosen!(plain::to_utf8(Text::One(points), out), unsafe { simdutf::latin1_to_utf8(points, bytes, out) })
}
