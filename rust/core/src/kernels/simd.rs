//! What is converted by whom: our kernels where the machine has AVX-512 or AVX2, else the C++ library `simdutf`, which
//! also validates, and writes Latin-1 as UTF-8 where there is no AVX-512.
//!
//! Its conversions of valid input write exactly the code points that there are and nothing beyond them; that is their
//! contract. So they are only given what has been measured, of which a type is the proof: [`Valid`], [`Measured`] and
//! [`Scalar`]. How many values they write is checked before (the room) and after (the count). Its conversions "with errors"
//! may leave part of a valid prefix unwritten, so they are not used: what is converted has been validated.

#![expect(unsafe_code, reason = "the library is C++, and functions for some machines only are called by level")]

use super::utf8::Prefix;
use super::{
    Extent, Faults, Level, Measured, Notes, Output, Scalar, Source, Spelt, Stretch, Text, Units, WideText, Width,
};
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};

/// Have the library choose as was asked of us. It reads this variable when it is first called, and gives wrong answers
/// where it names what the machine lacks; so only what was found to be there is named.
///
/// # Safety
/// No other thread reads the environment meanwhile, but by functions of Rust's library.
pub unsafe fn follow(level: Level) {
    let name = match level {
        Level::Portable => "fallback",
        Level::Avx2 => "haswell",
        Level::Avx512 => "icelake",
    };
    // SAFETY: the contract of this function.
    unsafe { std::env::set_var("SIMDUTF_FORCE_IMPLEMENTATION", name) };
}

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

/// The first bytes of some, which have been found to be valid UTF-8, a stretch after the other.
pub struct Valid<'a> {
    data: &'a [u8],
    end: usize,
}

impl<'a> Valid<'a> {
    /// As many as are measured quicker by blocks than by [`Valid::extend`] and what else measures, and what was measured.
    pub fn measured(data: &'a [u8]) -> (Self, Prefix) {
        let prefix = measure_blocks(data);
        (Valid { data, end: prefix.end }, prefix)
    }

    /// Where they end.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Those that follow, up to a limit, as far as they are valid: they count from now on.
    pub fn extend(&mut self, limit: usize) -> &'a str {
        let text = valid_prefix(&self.data[self.end..limit]);
        self.end += text.len();
        text
    }

    /// All of them.
    pub fn text(&self) -> &'a str {
        let text = &self.data[..self.end];
        debug_assert!(str::from_utf8(text).is_ok(), "a kernel takes what is ill-formed");
        // SAFETY: texts of valid UTF-8 side by side are valid UTF-8, and the two functions above have found them.
        unsafe { str::from_utf8_unchecked(text) }
    }
}

/// From here on whole blocks are worth what it costs to begin with them.
const BLOCKS: usize = 512;

/// Measure valid UTF-8 from the first byte on, in whole blocks where there are many.
fn measure_blocks(data: &[u8]) -> Prefix {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if data.len() >= BLOCKS => unsafe { avx512::utf8::measure_blocks(data) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::utf8::measure_all(data) }.unwrap_or(Prefix::NONE),
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if data.len() >= BLOCKS => unsafe { avx2::utf8::measure_blocks(data) },
        _ => Prefix::NONE,
    }
}

/// How many of the first bytes are valid UTF-8, as far as that is told quicker than by [`valid_prefix`].
pub fn valid_pieces(data: &[u8]) -> usize {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::utf8::valid_pieces(data) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::utf8::valid_pieces(data) },
        _ => 0,
    }
}

pub fn count(text: &str) -> usize {
    simdutf::count_utf8(text.as_bytes())
}

/// Write text up to U+00FF as bytes.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_latin1(text: &Measured<'_>, out: &mut Output<'_, u8>) {
    assert!(text.width() <= Width::Latin1);
    let data = text.text();
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::to_latin1(data.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::to_latin1(data.as_bytes(), out) },
        // SAFETY: this is valid UTF-8 up to U+00FF, of which the library writes a byte for each code point.
        _ => unsafe {
            write(text.count(), out, |place| simdutf::convert_utf8_to_latin1(data.as_ptr(), data.len(), place))
        },
    }
}

/// Write text up to U+FFFF as 16-bit units.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    assert!(text.width() <= Width::Ucs2);
    let data = text.text();
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::to_ucs2(data.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::to_ucs2(data.as_bytes(), out) },
        // SAFETY: this is valid UTF-8 up to U+FFFF, of which the library writes a unit for each code point.
        _ => unsafe {
            write(text.count(), out, |place| simdutf::convert_valid_utf8_to_utf16(data.as_ptr(), data.len(), place))
        },
    }
}

/// Write text as 32-bit units.
///
/// # Panics
/// It has no room.
pub fn to_ucs4(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    let data = text.text();
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::to_ucs4(data.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { avx2::to_ucs4(data.as_bytes(), out) },
        // SAFETY: this is valid UTF-8, of which the library writes a unit for each code point.
        _ => unsafe {
            write(text.count(), out, |place| simdutf::convert_valid_utf8_to_utf32(data.as_ptr(), data.len(), place))
        },
    }
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

/// Whether a text is four bytes each, or nearly all of it sequences of three, which our kernel writes in less time than
/// the library does; of shorter ones the library writes a third more.
#[cfg(target_arch = "x86_64")]
fn is_long(text: Text<'_>, utf8_bytes: usize) -> bool {
    match text {
        Text::One(_) => false,
        Text::Two(points) => 3 * points.len() - utf8_bytes <= points.len() / 64,
        Text::Four(_) => true,
    }
}

/// Write text as UTF-8.
///
/// # Panics
/// It has no room.
pub fn to_utf8(scalar: &Scalar<'_>, out: &mut Output<'_, u8>) {
    let (text, bytes) = (scalar.text(), scalar.utf8_bytes());
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return unsafe {
            match text {
                Text::One(points) => avx512::from_latin1(points, out),
                Text::Two(points) => avx512::from_ucs2(points, out),
                Text::Four(points) => avx512::from_ucs4(points, out),
            }
        };
    }
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx2 && is_long(text, bytes) {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::utf8::write(text, out) };
    }
    // SAFETY: the text holds scalar values only, of which the library writes as many bytes as it has counted.
    unsafe {
        match text {
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
    debug_assert_eq!(utf8_bytes(Text::One(points)), bytes);
    // SAFETY: the library writes as many bytes as the code points take, which the caller knows.
    unsafe { write(bytes, out, |place| simdutf::convert_latin1_to_utf8(points.as_ptr(), points.len(), place)) };
}

/// Count faults by the indices of their kinds, from an offset on, in whole blocks before a limit; a sequence begins where
/// that ended. None where the machine lacks the instructions.
pub fn tally(faults: &Faults<'_>, start: usize, limit: usize, counts: &mut [u64]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return Some(unsafe { avx512::tally::tally(faults, start, limit, counts) });
    }
    let _ = (faults.layout, faults.table, faults.data, start, limit, counts);
    None
}

/// As [`measure`], with notes where they are of use.
pub fn measure_noting(source: &Source<'_>, start: usize, limit: usize, notes: &mut Notes) -> Option<Extent> {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(unsafe { avx512::decode::measure_noting(source, start, limit, notes) }),
        _ => measure(source, start, limit),
    }
}

/// As [`tally`], of wide units: surrogates, and what is beyond Unicode. It stops before the last unit.
pub fn tally_units(units: &Units<'_>, start: usize, limit: usize, counts: [&mut u64; 2]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return Some(unsafe { avx512::units::tally(units, start, limit, counts) });
    }
    let _ = (units, start, limit, counts);
    None
}

macro_rules! by_level {
    ($module:ident of $input:ty:
     $($(#[$doc:meta])* $name:ident = $kernel:ident($($out:ident: $type:ty)?) -> $result:ty;)*) => {
        $($(#[$doc])*
        pub fn $name(input: &$input, start: usize, limit: usize, $($out: $type)?) -> Option<$result> {
            match Level::current() {
                // SAFETY: the machine has the instructions.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => Some(unsafe { avx512::$module::$kernel(input, start, limit, $($out)?) }),
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => Some(unsafe { avx2::$module::$kernel(input, start, limit, $($out)?) }),
                _ => None,
            }
        })*
    };
}

by_level! {
    decode of Source<'_>:
    /// As [`Source::measure`]; None where the machine lacks the instructions.
    measure = measure() -> Extent;
    /// As [`Source::write_ucs1`].
    write_ucs1 = write_ucs1(out: &mut Output<'_, u8>) -> usize;
    /// As [`Source::write_ucs2`].
    write_ucs2 = write_ucs2(out: &mut Output<'_, u16>) -> usize;
    /// As [`Source::write_ucs4`].
    write_ucs4 = write_ucs4(out: &mut Output<'_, u32>) -> usize;
}

by_level! {
    encode of Spelt<'_>:
    /// As [`Spelt::measure`]; None where the machine lacks the instructions.
    spelt_bytes = spelt_bytes() -> Stretch;
    /// As [`Spelt::write`].
    write_spelt = write_spelt(out: &mut Output<'_, u8>) -> usize;
}

by_level! {
    units of Units<'_>:
    /// As [`Units::measure`]; None where the machine lacks the instructions.
    measure_units = measure() -> Extent;
    /// As [`Units::write_ucs1`].
    write_units_ucs1 = write_ucs1(out: &mut Output<'_, u8>) -> usize;
    /// As [`Units::write_ucs2`].
    write_units_ucs2 = write_ucs2(out: &mut Output<'_, u16>) -> usize;
    /// As [`Units::write_ucs4`].
    write_units_ucs4 = write_ucs4(out: &mut Output<'_, u32>) -> usize;
    /// As [`Units::copy_ucs1`].
    copy_units_ucs1 = copy_ucs1(out: &mut Output<'_, u8>) -> Option<u32>;
    /// As [`Units::copy_ucs2`].
    copy_units_ucs2 = copy_ucs2(out: &mut Output<'_, u16>) -> Option<u32>;
}

by_level! {
    wide_text of WideText<'_>:
    /// As [`WideText::measure`]; None where the machine lacks the instructions.
    measure_wide = measure() -> Stretch;
    /// As [`WideText::write`].
    write_wide = write(out: &mut Output<'_, u8>) -> usize;
}
