//! What is converted by whom: our kernels where the machine has AVX-512, AVX2 or NEON, else what `bulk` has, which also
//! writes Latin-1 as UTF-8 where there is no AVX-512.

// Elsewhere there is nothing to choose from yet.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    expect(unused_variables, reason = "only kernels of some processors take them")
)]
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "functions for some machines only are called by level")
)]

use super::bulk;
use super::class::Class;
use super::level::Level;
use super::measured::{Measured, Prefix, Scalar, Width};
use super::output::Output;
#[cfg(feature = "simdutf")]
use super::simdutf;
use super::source::{Extent, Faults, Notes, Source};
use super::spelt::{Spelt, Stretch};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::text::Text;
use super::units::Units;
#[cfg(feature = "simdutf")]
use super::validated::{self, Counts};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::vectors;
use super::wide_text::WideText;
#[cfg(target_arch = "x86_64")]
use super::x86::avx512;

/// From here on whole blocks are worth what it costs to begin with them.
const BLOCKS: usize = 512;

/// Measure valid UTF-8 from the first byte on, as far as that is quicker than [`bulk::valid_prefix`] and what else
/// measures.
pub fn measure_blocks(data: &[u8]) -> Prefix {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if data.len() >= BLOCKS => unsafe { avx512::utf8::measure_blocks(data) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::utf8::measure_all(data) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS if data.len() >= BLOCKS => unsafe { vectors::utf8::measure_blocks(data) },
        _ => bulk::measure(data),
    }
}

/// Whether a kernel for blocks measures so many bytes.
pub fn measures_to_a_fault(data: &[u8]) -> bool {
    match Level::current() {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => true,
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => data.len() >= BLOCKS,
        _ => false,
    }
}

/// As [`measure_blocks`], of short bytes: [`Prefix::NONE`] where they are not valid to the end, or this takes no less
/// time than [`write_short`].
pub fn measure_short(data: &[u8]) -> Prefix {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::utf8::measure_all(data) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::utf8::measure_all(data) },
        _ => {
            let _ = data;
            Prefix::NONE
        }
    }
}

/// The length of a valid UTF-8 prefix, up to where a kernel that is faster than [`bulk::valid_prefix`] stops.
pub fn valid_pieces(data: &[u8]) -> usize {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::utf8::valid_pieces(data) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::utf8::valid_pieces(data) },
        _ => 0,
    }
}

/// The length of a beginning in which none of these bytes is: up to the first of them, or as far as was looked.
pub fn before_any(data: &[u8], meant: [u8; 3]) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if has_vectors() {
        // SAFETY: the machine has the instructions.
        return unsafe { vectors::search::before_any(data, meant) };
    }
    0
}

/// The length of a beginning in which no bytes of these classes are in a row: up to the first ones, or as far as was
/// looked.
pub fn before_row(data: &[u8], classes: &[Class; 4]) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if has_vectors() {
        // SAFETY: the machine has the instructions.
        return unsafe { vectors::search::before_row(data, classes) };
    }
    0
}

/// Count the bytes of a value in a beginning of data: how long that is, how many there are, and the end of the last
/// one.
pub fn count_in_beginning(data: &[u8], meant: u8) -> (usize, usize, usize) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if has_vectors() {
        let (vectors, rest) = data.as_chunks();
        // SAFETY: the machine has the instructions.
        let (count, end) = unsafe { vectors::search::count(vectors, meant) };
        return (data.len() - rest.len(), count, end);
    }
    (0, 0, 0)
}

/// Whether the kernels over vectors may run, also where there are others for more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn has_vectors() -> bool {
    Level::current() >= Level::VECTORS && vectors::are_available()
}

/// Write text up to U+FFFF as units in the byte order of other machines; false where the machine lacks the
/// instructions.
///
/// # Panics
/// As [`to_ucs2`].
#[cfg(feature = "simdutf")]
pub fn to_swapped_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) -> bool {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        assert!(text.width() <= Width::Ucs2);
        // SAFETY: the machine has the instructions.
        unsafe { avx512::clean::to_swapped_ucs2(text.text().as_bytes(), out) };
        return true;
    }
    let _ = (text, out);
    false
}

/// Write text as UTF-16; false where the machine lacks the instructions.
///
/// # Panics
/// There is no room for it.
#[cfg(feature = "simdutf")]
pub fn to_utf16(text: &str, big_endian: bool, out: &mut Output<'_, u8>) -> bool {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        unsafe { avx512::wide_text::from_utf8(text.as_bytes(), big_endian, out) };
        return true;
    }
    let _ = (text, big_endian, out);
    false
}

/// Swap the bytes of units.
#[cfg(feature = "simdutf")]
pub fn swap_bytes(units: &mut [u16]) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if has_vectors() {
        // SAFETY: the machine has the instructions.
        return unsafe { vectors::swapped::swap_bytes(units) };
    }
    units.iter_mut().for_each(|unit| *unit = unit.swap_bytes());
}

/// Write ASCII as UTF-32 in the byte order of the machine.
///
/// # Panics
/// There is no room for it.
#[cfg(feature = "simdutf")]
pub fn ascii_to_utf32(text: &[u8], out: &mut Output<'_, u32>) {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::clean::ascii_to_ucs4(text, out) },
        _ => simdutf::ascii_to_utf32(text, out),
    }
}

/// Write text up to U+00FF as bytes.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_latin1(text: &Measured<'_>, out: &mut Output<'_, u8>) {
    assert!(text.width() <= Width::Latin1);
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::clean::to_latin1(text.text().as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::clean::to_latin1(text.text().as_bytes(), out) },
        _ => bulk::to_latin1(text, out),
    }
}

/// Write text up to U+FFFF as 16-bit units.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    assert!(text.width() <= Width::Ucs2);
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::clean::to_ucs2(text.text().as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::clean::to_ucs2(text.text().as_bytes(), out) },
        _ => bulk::to_ucs2(text, out),
    }
}

/// Write text as 32-bit units.
///
/// # Panics
/// It has no room.
pub fn to_ucs4(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::clean::to_ucs4(text.text().as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::clean::to_ucs4(text.text().as_bytes(), out) },
        _ => bulk::to_ucs4(text, out),
    }
}

/// Whether nearly all of a text takes three bytes or four, or its beginning has sequences of four, all of which our
/// kernel writes in less time than the library does: those of four in a fifth of it. Of shorter sequences the library
/// writes a third more.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn is_long(scalar: &Scalar<'_>) -> bool {
    const BEGINNING: usize = 64;
    let count = scalar.text().len();
    let begins_with_fours = match scalar.text() {
        Text::Four(points) => points.iter().take(BEGINNING).any(|&point| point > 0xFFFF),
        Text::One(_) | Text::Two(_) => false,
    };
    begins_with_fours || (3 * count).saturating_sub(scalar.utf8_bytes()) <= count / 64
}

/// Whether a text is ASCII in units of more than a byte, which the library narrows in less time than our kernel.
#[cfg(target_arch = "x86_64")]
fn is_wide_ascii(scalar: &Scalar<'_>) -> bool {
    !matches!(scalar.text(), Text::One(_)) && scalar.utf8_bytes() == scalar.text().len()
}

/// Write text as UTF-8.
///
/// # Panics
/// It has no room.
pub fn to_utf8(scalar: &Scalar<'_>, out: &mut Output<'_, u8>) {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 && !is_wide_ascii(scalar) {
        // SAFETY: the machine has the instructions.
        return unsafe {
            match scalar.text() {
                Text::One(points) => avx512::to_utf8::from_latin1(points, out),
                Text::Two(points) => avx512::to_utf8::from_ucs2(points, out),
                Text::Four(points) => avx512::to_utf8::from_ucs4(points, out),
            }
        };
    }
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if Level::current() == Level::VECTORS && is_long(scalar) {
        // SAFETY: the machine has the instructions.
        return unsafe { vectors::utf8::write(scalar.text(), out) };
    }
    bulk::to_utf8(scalar, out);
}

/// Count faults by the indices of their kinds, from an offset on, in whole blocks before a limit; a sequence begins
/// where that ended. None where the machine lacks the instructions.
pub fn tally(faults: &Faults<'_>, start: usize, limit: usize, counts: &mut [u64]) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return Some(unsafe { avx512::tally::tally(faults, start, limit, counts) });
    }
    let _ = (faults.layout, faults.table, faults.data, start, limit, counts);
    None
}

/// As [`Source::write_short`]; None where the machine lacks the instructions.
pub fn write_short(source: &Source<'_>, out: &mut Output<'_, u32>) -> Option<bool> {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(unsafe { avx512::decode::write_short(source, out) }),
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => Some(unsafe { vectors::decode::write_short(source, out) }),
        _ => None,
    }
}

/// As [`measure`], with notes where they are of use.
pub fn measure_noting(source: &Source<'_>, start: usize, limit: usize, notes: &mut Notes) -> Option<Extent> {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => Some(unsafe { avx512::measure::measure_noting(source, start, limit, notes) }),
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => Some(unsafe { vectors::measure::measure_noting(source, start, limit, notes) }),
        _ => {
            let _ = notes;
            measure(source, start, limit)
        }
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

/// As [`validated::utf16`].
#[cfg(feature = "simdutf")]
pub fn validate_utf16<const EIGHT: bool>(units: &[u16], is_swapped: bool) -> Option<Counts> {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::validated::utf16::<EIGHT>(units, is_swapped) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::validated::utf16::<EIGHT>(units, is_swapped) },
        _ => validated::utf16::<EIGHT>(units, is_swapped),
    }
}

/// As [`validated::utf32`].
#[cfg(feature = "simdutf")]
pub fn validate_utf32<const EIGHT: bool>(units: &[u32]) -> Option<usize> {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::validated::utf32::<EIGHT>(units) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::validated::utf32::<EIGHT>(units) },
        _ => validated::utf32::<EIGHT>(units),
    }
}

macro_rules! by_level {
    ($module:ident of $input:ty:
     $($(#[$doc:meta])* $name:ident $(<$which:ident>)? = $kernel:ident($($out:ident: $type:ty)?) -> $result:ty;)*) => {
        $($(#[$doc])*
        pub fn $name $(<const $which: bool>)? (
            input: &$input,
            start: usize,
            limit: usize,
            $($out: $type)?
        ) -> Option<$result> {
            match Level::current() {
                // SAFETY: the machine has the instructions.
                #[cfg(target_arch = "x86_64")]
                Level::Avx512 => Some(unsafe {
                    avx512::$module::$kernel $(::<$which>)? (input, start, limit, $($out)?)
                }),
                // SAFETY: as above.
                #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
                Level::VECTORS => Some(unsafe {
                    vectors::$module::$kernel $(::<$which>)? (input, start, limit, $($out)?)
                }),
                _ => None,
            }
        })*
    };
}

by_level! {
    measure of Source<'_>:
    /// As [`Source::measure`]; None where the machine lacks the instructions.
    measure = measure() -> Extent;
}

by_level! {
    decode of Source<'_>:
    /// As [`Source::write_ucs1`], where `ESCAPES` says whether the answers are escapes; None where the machine lacks
    /// the instructions.
    write_ucs1 <ESCAPES> = write_ucs1(out: &mut Output<'_, u8>) -> usize;
    /// As [`Source::write_ucs2`].
    write_ucs2 <ESCAPES> = write_ucs2(out: &mut Output<'_, u16>) -> usize;
    /// As [`Source::write_ucs4`].
    write_ucs4 <ESCAPES> = write_ucs4(out: &mut Output<'_, u32>) -> usize;
}

by_level! {
    dirty of Source<'_>:
    /// As [`Source::write_dirty_ucs2`]; None where the machine lacks the instructions.
    write_dirty_ucs2 = write_ucs2(out: &mut Output<'_, u16>) -> usize;
    /// As [`Source::write_dirty_ucs4`].
    write_dirty_ucs4 = write_ucs4(out: &mut Output<'_, u32>) -> usize;
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
