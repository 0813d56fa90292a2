//! The C++ library `simdutf`, which validates, counts and converts UTF-8 where no kernel of ours is quicker.
//!
//! Its conversions of valid input write exactly the code points that there are and nothing beyond them; that is their
//! contract. So they are only given what has been measured, of which a type is the proof: [`Measured`] and [`Scalar`].
//! How many values they write is checked before (the room) and after (the count). Its conversions "with errors" may
//! leave part of a valid prefix unwritten, so they are not used: what is converted has been validated. The same holds
//! for UTF-16 and UTF-32: [`Utf16`] and [`Utf32`].

#![expect(unsafe_code, reason = "the library is C++")]

use super::measured::{Measured, Scalar, Width};
use super::output::Output;
use super::text::Text;

/// From here on a whole look first is worth what it costs where there is a fault.
const LONG: usize = 16384;

/// The longest valid prefix of some bytes.
pub fn valid_prefix(data: &[u8]) -> &str {
    // Asking where a fault is takes a tenth longer than asking whether there is one.
    let length = if data.len() >= LONG && simdutf::validate_utf8(data) {
        data.len()
    } else {
        let result = simdutf::validate_utf8_with_errors(data);
        if result.error == simdutf::ErrorCode::Success { data.len() } else { result.count }
    };
    let text = &data[..length];
    debug_assert!(str::from_utf8(text).is_ok(), "the library takes what is ill-formed");
    // SAFETY: the library has just found these bytes to be valid UTF-8.
    unsafe { str::from_utf8_unchecked(text) }
}

/// How many code points valid UTF-8 has; of other bytes the number means nothing.
pub fn utf8_points(text: &[u8]) -> usize {
    simdutf::count_utf8(text)
}

/// How many units of UTF-16 valid UTF-8 takes; of other bytes the number means nothing.
pub fn utf16_units(text: &[u8]) -> usize {
    simdutf::utf16_length_from_utf8(text)
}

/// Write text up to U+00FF as bytes.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_latin1(text: &Measured<'_>, out: &mut Output<'_, u8>) {
    assert!(text.width() <= Width::Latin1);
    let data = text.text();
    // SAFETY: this is valid UTF-8 up to U+00FF, of which the library writes a byte for each code point.
    unsafe { write(text.count(), out, |place| simdutf::convert_utf8_to_latin1(data.as_ptr(), data.len(), place)) }
}

/// Write text up to U+FFFF as 16-bit units.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    assert!(text.width() <= Width::Ucs2);
    let data = text.text();
    // SAFETY: this is valid UTF-8 up to U+FFFF, of which the library writes a unit for each code point.
    unsafe { write(text.count(), out, |place| simdutf::convert_valid_utf8_to_utf16(data.as_ptr(), data.len(), place)) }
}

/// Write text as 32-bit units.
///
/// # Panics
/// It has no room.
pub fn to_ucs4(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    let data = text.text();
    // SAFETY: this is valid UTF-8, of which the library writes a unit for each code point.
    unsafe { write(text.count(), out, |place| simdutf::convert_valid_utf8_to_utf32(data.as_ptr(), data.len(), place)) }
}

/// Let the library write so many values.
///
/// # Safety
/// Given a place for `count` values, `convert` writes that many and nothing behind them, and returns how many it wrote.
///
/// # Panics
/// They have no room, or it wrote another number of them.
unsafe fn write<T>(count: usize, out: &mut Output<'_, T>, convert: impl FnOnce(*mut T) -> usize) {
    let place = &mut out.spare()[..count];
    assert_eq!(convert(place.as_mut_ptr().cast()), count);
    // SAFETY: so many values have just been written there.
    unsafe { out.advance(count) };
}

/// The length in UTF-8 of text without surrogates and without values beyond Unicode.
pub fn utf8_bytes(text: Text<'_>) -> usize {
    match text {
        Text::One(points) => simdutf::utf8_length_from_latin1(points),
        Text::Two(points) => simdutf::utf8_length_from_utf16(points),
        Text::Four(points) => simdutf::utf8_length_from_utf32(points),
    }
}

/// Write text as UTF-8.
///
/// # Panics
/// It has no room.
pub fn to_utf8(scalar: &Scalar<'_>, out: &mut Output<'_, u8>) {
    let bytes = scalar.utf8_bytes();
    // SAFETY: the text holds scalar values only, of which the library writes as many bytes as it has counted.
    unsafe {
        match scalar.text() {
            Text::One(points) => latin1_to_utf8(points, bytes, out),
            Text::Two(points) => {
                write(bytes, out, |place| simdutf::convert_valid_utf16_to_utf8(points.as_ptr(), points.len(), place))
            }
            Text::Four(points) => {
                write(bytes, out, |place| simdutf::convert_valid_utf32_to_utf8(points.as_ptr(), points.len(), place))
            }
        }
    }
}

/// Write code points up to U+00FF, one byte each, as UTF-8.
///
/// # Safety
/// They take `bytes` bytes.
///
/// # Panics
/// There is no room for them.
pub unsafe fn latin1_to_utf8(points: &[u8], bytes: usize, out: &mut Output<'_, u8>) {
    // SAFETY: the library writes as many bytes as the code points take, which the caller knows.
    unsafe { write(bytes, out, |place| simdutf::convert_latin1_to_utf8(points.as_ptr(), points.len(), place)) };
}

/// Write ASCII as UTF-16.
///
/// # Panics
/// There is no room for it.
pub fn ascii_to_utf16(text: &[u8], big_endian: bool, out: &mut Output<'_, u16>) {
    let convert = if big_endian { simdutf::convert_latin1_to_utf16be } else { simdutf::convert_latin1_to_utf16le };
    // SAFETY: the library writes a unit for each byte.
    unsafe { write(text.len(), out, |place| convert(text.as_ptr(), text.len(), place)) }
}

/// Write ASCII as UTF-32 in the byte order of the machine.
///
/// # Panics
/// There is no room for it.
pub fn ascii_to_utf32(text: &[u8], out: &mut Output<'_, u32>) {
    // SAFETY: the library writes a unit for each byte.
    unsafe { write(text.len(), out, |place| simdutf::convert_latin1_to_utf32(text.as_ptr(), text.len(), place)) }
}

/// Well-formed UTF-16.
#[derive(Clone, Copy, Debug)]
pub struct Utf16<'a> {
    units: &'a [u16],
    big_endian: bool,
}

/// Call one of two functions of the library, by the order of bytes.
macro_rules! by_order {
    ($text:expr, $little:ident, $big:ident) => {
        if $text.big_endian { simdutf::$big } else { simdutf::$little }
    };
}

impl<'a> Utf16<'a> {
    /// Units that were validated.
    ///
    /// # Safety
    /// They are well-formed.
    pub unsafe fn known(units: &'a [u16], big_endian: bool) -> Self {
        Utf16 { units, big_endian }
    }

    /// Write them as UTF-8.
    ///
    /// # Safety
    /// They take `bytes` bytes.
    ///
    /// # Panics
    /// There is no room for them.
    pub unsafe fn write_utf8(&self, bytes: usize, out: &mut Output<'_, u8>) {
        let convert = by_order!(self, convert_valid_utf16le_to_utf8, convert_valid_utf16be_to_utf8);
        // SAFETY: this is well-formed, and the library writes as many bytes as the caller knows.
        unsafe { write(bytes, out, |place| convert(self.units.as_ptr(), self.units.len(), place)) }
    }

    /// Write their code points.
    ///
    /// # Safety
    /// There are `count`.
    ///
    /// # Panics
    /// There is no room for them.
    pub unsafe fn write_points(&self, count: usize, out: &mut Output<'_, u32>) {
        let convert = by_order!(self, convert_valid_utf16le_to_utf32, convert_valid_utf16be_to_utf32);
        // SAFETY: as in `write_utf8`.
        unsafe { write(count, out, |place| convert(self.units.as_ptr(), self.units.len(), place)) }
    }
}

/// Well-formed UTF-32 in the byte order of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Utf32<'a>(&'a [u32]);

impl<'a> Utf32<'a> {
    /// Units that were validated.
    ///
    /// # Safety
    /// They are well-formed.
    pub unsafe fn known(units: &'a [u32]) -> Self {
        Utf32(units)
    }

    /// Write them as UTF-16.
    ///
    /// # Safety
    /// They take `units` units.
    ///
    /// # Panics
    /// There is no room for them.
    pub unsafe fn write_utf16(&self, units: usize, big_endian: bool, out: &mut Output<'_, u16>) {
        let convert =
            if big_endian { simdutf::convert_valid_utf32_to_utf16be } else { simdutf::convert_valid_utf32_to_utf16le };
        // SAFETY: this is well-formed, and the library writes as many units as the caller knows.
        unsafe { write(units, out, |place| convert(self.0.as_ptr(), self.0.len(), place)) }
    }
}

/// Let the library validate units and write them in another encoding, unless there is too little room for the most that
/// they may become. It writes nothing that counts where they are ill-formed.
///
/// # Safety
/// `convert` reads as many units as it is told, writes at most `most` values for each, and returns how many it wrote.
unsafe fn attempt<S, T>(
    units: &[S],
    most: usize,
    convert: unsafe fn(*const S, usize, *mut T) -> usize,
    out: &mut Output<'_, T>,
) {
    let Some(place) = out.spare().get_mut(..most * units.len()) else { return };
    // SAFETY: the caller says so.
    let count = unsafe { convert(units.as_ptr(), units.len(), place.as_mut_ptr().cast()) };
    assert!(count <= place.len());
    // SAFETY: so many values have just been written there.
    unsafe { out.advance(count) };
}

/// Write units as UTF-8 if they are UTF-16 and the output has room for the most that they may become.
pub fn utf16_to_utf8(units: &[u16], big_endian: bool, out: &mut Output<'_, u8>) {
    let convert = if big_endian { simdutf::convert_utf16be_to_utf8 } else { simdutf::convert_utf16le_to_utf8 };
    // SAFETY: a unit takes three bytes at most, a pair four.
    unsafe { attempt(units, 3, convert, out) }
}

/// As [`utf16_to_utf8`], as UTF-32 in the byte order of the machine.
pub fn utf16_to_utf32(units: &[u16], big_endian: bool, out: &mut Output<'_, u32>) {
    let convert = if big_endian { simdutf::convert_utf16be_to_utf32 } else { simdutf::convert_utf16le_to_utf32 };
    // SAFETY: no code point takes less than a unit.
    unsafe { attempt(units, 1, convert, out) }
}

/// Write units in the byte order of the machine as UTF-8 if they are UTF-32, as above.
pub fn utf32_to_utf8(units: &[u32], out: &mut Output<'_, u8>) {
    // SAFETY: no code point takes more than four bytes.
    unsafe { attempt(units, 4, simdutf::convert_utf32_to_utf8, out) }
}

/// As [`utf32_to_utf8`], as UTF-16.
pub fn utf32_to_utf16(units: &[u32], big_endian: bool, out: &mut Output<'_, u16>) {
    let convert = if big_endian { simdutf::convert_utf32_to_utf16be } else { simdutf::convert_utf32_to_utf16le };
    // SAFETY: no code point takes more than two units.
    unsafe { attempt(units, 2, convert, out) }
}
