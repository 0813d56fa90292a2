//! What is converted by whom: our kernels where the machine has AVX-512 or AVX2, else the C++ library `simdutf`, which
//! also writes Latin-1 as UTF-8 where there is no AVX-512.

// Elsewhere there is nothing to choose from yet.
#![cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::level::Level;
use super::measured::Prefix;
use super::output::Output;
use super::simdutf;
use super::source::{Extent, Faults, Notes, Source};
use super::spelt::{Spelt, Stretch};
use super::text::Text;
use super::units::{Units, WideText};
#[cfg(target_arch = "x86_64")]
use super::x86::{avx2, avx512};

/// From here on whole blocks are worth what it costs to begin with them.
const BLOCKS: usize = 512;

/// Measure valid UTF-8 from the first byte on, as far as that is quicker than [`simdutf::valid_prefix`] and what else
/// measures.
pub fn measure_blocks(data: &[u8]) -> Prefix {
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

/// How many of the first bytes are valid UTF-8, as far as that is told quicker than by [`simdutf::valid_prefix`].
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

/// The first `length` bytes, which [`measure_blocks`] and [`simdutf::valid_prefix`] found to be valid one after the other.
pub fn joined(data: &[u8], length: usize) -> &str {
    // SAFETY: texts of valid UTF-8 side by side are valid UTF-8; the caller has found them with those.
    unsafe { std::str::from_utf8_unchecked(&data[..length]) }
}

pub fn to_latin1(text: &str, out: &mut [MaybeUninit<u8>]) {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => return unsafe { avx512::clean::to_latin1(text.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => return unsafe { avx2::clean::to_latin1(text.as_bytes(), out) },
        _ => {}
    }
    simdutf::to_latin1(text, out);
}

pub fn to_ucs2(text: &str, out: &mut [MaybeUninit<u16>]) {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => return unsafe { avx512::clean::to_ucs2(text.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => return unsafe { avx2::clean::to_ucs2(text.as_bytes(), out) },
        _ => {}
    }
    simdutf::to_ucs2(text, out);
}

pub fn to_ucs4(text: &str, out: &mut [MaybeUninit<u32>]) {
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => return unsafe { avx512::clean::to_ucs4(text.as_bytes(), out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => return unsafe { avx2::clean::to_ucs4(text.as_bytes(), out) },
        _ => {}
    }
    simdutf::to_ucs4(text, out);
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

/// Write text without surrogates and without values beyond Unicode.
pub fn to_utf8(text: Text<'_>, out: &mut [MaybeUninit<u8>]) {
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
    if Level::current() == Level::Avx2 && is_long(text, out.len()) {
        // SAFETY: the machine has the instructions.
        return unsafe { avx2::utf8::write(text, out) };
    }
    simdutf::to_utf8(text, out);
}

/// Grow a vector, which has room for them, by `count` values, which `write` writes.
///
/// # Panics
/// It has no room, or they were not all written.
pub fn append<T: Copy, R>(out: &mut Vec<T>, count: usize, write: impl FnOnce(&mut Output<'_, T>) -> R) {
    let mut place = Output::new(&mut out.spare_capacity_mut()[..count]);
    write(&mut place);
    place.finish();
    // SAFETY: the output is full: each of its values was written (the contract of `Output`).
    unsafe { out.set_len(out.len() + count) };
}

/// Grow a vector, which has room for them, by up to `room` values, as many as `write` writes.
pub fn append_up_to<T: Copy, R>(out: &mut Vec<T>, room: usize, write: impl FnOnce(&mut Output<'_, T>) -> R) -> R {
    let mut place = Output::new(&mut out.spare_capacity_mut()[..room]);
    let result = write(&mut place);
    let filled = place.filled();
    // SAFETY: so many values were written (the contract of `Output`).
    unsafe { out.set_len(out.len() + filled) };
    result
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
