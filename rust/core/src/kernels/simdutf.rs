//! The C++ library `simdutf`, which validates, counts and converts UTF-8 where no kernel of ours is quicker.
//!
//! Its conversions of valid input write exactly the code points that there are and nothing beyond them; that is their
//! contract, and each function here checks before (the types) and after (the count) what it can. Its conversions "with
//! errors" may leave part of a valid prefix unwritten, so they are not used: what is converted has been validated.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::text::Text;

/// From here on a whole look first is worth what it costs where there is a fault.
const LONG: usize = 16384;

/// The longest valid prefix.
pub fn valid_prefix(data: &[u8]) -> &str {
    // Asking where a fault is takes a tenth longer than asking whether there is one.
    let length = if data.len() >= LONG && simdutf::validate_utf8(data) {
        data.len()
    } else {
        let result = simdutf::validate_utf8_with_errors(data);
        if result.error == simdutf::ErrorCode::Success { data.len() } else { result.count }
    };
    // SAFETY: the library has just found these bytes to be valid UTF-8.
    unsafe { std::str::from_utf8_unchecked(&data[..length]) }
}

/// How many code points a text has.
pub fn count(text: &str) -> usize {
    simdutf::count_utf8(text.as_bytes())
}

/// Write text up to U+00FF as bytes.
pub fn to_latin1(text: &str, out: &mut [MaybeUninit<u8>]) {
    // SAFETY: `text` is valid UTF-8 up to U+00FF and `out` has one byte for each of its code points (asserted by the
    // caller), which is what the library writes.
    let written = unsafe { simdutf::convert_utf8_to_latin1(text.as_ptr(), text.len(), out.as_mut_ptr().cast()) };
    assert_eq!(written, out.len());
}

/// Write text up to U+FFFF as 16-bit units.
pub fn to_ucs2(text: &str, out: &mut [MaybeUninit<u16>]) {
    // SAFETY: `text` is valid UTF-8 up to U+FFFF, so each of its code points is one unit, and `out` has that many.
    let written = unsafe { simdutf::convert_valid_utf8_to_utf16(text.as_ptr(), text.len(), out.as_mut_ptr().cast()) };
    assert_eq!(written, out.len());
}

/// Write text as 32-bit units.
pub fn to_ucs4(text: &str, out: &mut [MaybeUninit<u32>]) {
    // SAFETY: `text` is valid UTF-8 and `out` has one unit for each of its code points.
    let written = unsafe { simdutf::convert_valid_utf8_to_utf32(text.as_ptr(), text.len(), out.as_mut_ptr().cast()) };
    assert_eq!(written, out.len());
}

/// The length in UTF-8 of text without surrogates and without values beyond Unicode.
pub fn utf8_bytes(text: Text<'_>) -> usize {
    match text {
        Text::One(points) => simdutf::utf8_length_from_latin1(points),
        Text::Two(points) => simdutf::utf8_length_from_utf16(points),
        Text::Four(points) => simdutf::utf8_length_from_utf32(points),
    }
}

/// Write text without surrogates and without values beyond Unicode.
pub fn to_utf8(text: Text<'_>, out: &mut [MaybeUninit<u8>]) {
    let target = out.as_mut_ptr().cast();
    // SAFETY: the text holds scalar values only, and `out` has as many bytes as `utf8_bytes` said (asserted by the
    // caller), which is what the library writes.
    let written = unsafe {
        match text {
            Text::One(points) => simdutf::convert_latin1_to_utf8(points.as_ptr(), points.len(), target),
            Text::Two(points) => simdutf::convert_valid_utf16_to_utf8(points.as_ptr(), points.len(), target),
            Text::Four(points) => simdutf::convert_valid_utf32_to_utf8(points.as_ptr(), points.len(), target),
        }
    };
    assert_eq!(written, out.len());
}
