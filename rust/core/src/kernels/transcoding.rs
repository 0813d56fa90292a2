//! Well-formed text of UTF-8, UTF-16 or UTF-32 written as another of the three, by the library or by kernels of ours
//! where these are quicker.
//!
//! The library is only given what has been found to be well-formed, piece by piece, of which the types here are the
//! proof.

#![expect(unsafe_code, reason = "bytes are units of another width, and the library is C++")]

use std::mem::MaybeUninit;

use super::measured::{Measured, Scalar, Width};
use super::output::Output;
use super::short_units::ShortUnits;
use super::simdutf::{self, Utf16, Utf32};
use super::text::Text;
use super::unicode::{Unicode, aligned};
use super::validated::Counts;
use super::wide_text::WideText;
use super::{bulk, dispatch};
use crate::derive::wide::Wide;
use crate::policy::Lacking;

/// Bytes of UTF-8 that are converted together where that goes through code points.
const PIECE: usize = 8192;

/// Well-formed text to be written in another encoding.
#[derive(Clone, Copy, Debug)]
pub struct Transcoding<'a>(Way<'a>);

/// What is written, and how many units of the target it takes where that is not known from the text itself.
#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    /// It has been converted: these are the bytes.
    Short(&'a [u8]),
    /// UTF-8 as UTF-16.
    Utf8ToUtf16 { text: Measured<'a>, units: usize, big_endian: bool },
    /// UTF-8 as UTF-32.
    Utf8ToUtf32(Measured<'a>),
    /// UTF-16 with pairs, or in the byte order of other machines, as UTF-8.
    Utf16ToUtf8 { text: Utf16<'a>, bytes: usize },
    /// UTF-16 in the other order of bytes.
    Swapped(&'a [u16]),
    /// UTF-16 as UTF-32.
    Utf16ToUtf32 { text: Utf16<'a>, count: usize },
    /// UTF-32 as UTF-16.
    Utf32ToUtf16 { text: Utf32<'a>, units: usize, big_endian: bool },
    /// Units that are a code point each, as UTF-8: they are written as a str is.
    ScalarToUtf8(Scalar<'a>),
}

impl<'a> Transcoding<'a> {
    /// Measure all of some bytes, or convert them where they are short. None if they are not well-formed or not
    /// aligned, if there is nothing to convert, or if the library has no kernels for the machine.
    #[must_use]
    pub fn new(data: &'a [u8], source: Unicode, target: Unicode, short: &'a mut ShortUnits) -> Option<Self> {
        if source == target || !bulk::has_library() {
            return None;
        }
        let way = match short.converted(data, source, target) {
            Some(bytes) => Way::Short(bytes),
            None => match source {
                Unicode::Utf8 => of_utf8(data, target)?,
                Unicode::Utf16 { big_endian } => of_utf16(aligned(data)?, big_endian, target)?,
                Unicode::Utf32 => of_utf32(aligned(data)?, target)?,
            },
        };
        Some(Transcoding(way))
    }

    /// How many bytes are written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self.0 {
            Way::Short(bytes) => bytes.len(),
            Way::Utf8ToUtf16 { units, .. } | Way::Utf32ToUtf16 { units, .. } => 2 * units,
            Way::Utf8ToUtf32(text) => 4 * text.count(),
            Way::Utf16ToUtf8 { bytes, .. } => bytes,
            Way::Swapped(units) => size_of_val(units),
            Way::Utf16ToUtf32 { count, .. } => 4 * count,
            Way::ScalarToUtf8(text) => text.utf8_bytes(),
        }
    }

    /// Write the text, or nothing where the output is not aligned for its units.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn write(&self, out: &mut Output<'_, u8>) {
        match self.0 {
            Way::Short(bytes) => out.copy(bytes),
            Way::Utf8ToUtf16 { text, units, big_endian } => write_as_utf16(&text, units, big_endian, out),
            Way::Utf8ToUtf32(text) => out.go_on_in_units(text.count(), |out| write_as_utf32(&text, out)),
            // SAFETY: the bytes were counted by `new`.
            Way::Utf16ToUtf8 { text, bytes } => unsafe { text.write_utf8(bytes, out) },
            Way::Swapped(units) => out.extend_bytes(units, |unit| unit.swap_bytes().to_ne_bytes()),
            Way::Utf16ToUtf32 { text, count } => {
                // SAFETY: the code points were counted by `new`.
                out.go_on_in_units(count, |out| unsafe { text.write_points(count, out) });
            }
            Way::Utf32ToUtf16 { text, units, big_endian } => {
                // SAFETY: the units were counted by `new`.
                out.go_on_in_units(units, |out| unsafe { text.write_utf16(units, big_endian, out) });
            }
            Way::ScalarToUtf8(text) => text.write_utf8(out),
        }
    }
}

/// Write text as so many units of UTF-16.
fn write_as_utf16(text: &Measured<'_>, units: usize, big_endian: bool, out: &mut Output<'_, u8>) {
    let is_native = big_endian == cfg!(target_endian = "big");
    match text.width() {
        Width::Ascii => out.go_on_in_units(units, |out| {
            simdutf::ascii_to_utf16(text.text().as_bytes(), big_endian, out);
        }),
        Width::Latin1 | Width::Ucs2 if is_native => out.go_on_in_units(units, |out| text.write_ucs2(out)),
        Width::Ucs4 => {
            if !dispatch::to_utf16(text.text(), big_endian, out) {
                write_pieces(text.text(), big_endian, out);
            }
        }
        Width::Latin1 | Width::Ucs2 => out.go_on_in_units(units, |out| write_swapped(text, out)),
    }
}

/// Write text up to U+FFFF as units in the byte order of other machines. Where no kernel does both, pieces stay in the
/// first-level cache until their bytes are swapped.
fn write_swapped(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    if dispatch::to_swapped_ucs2(text, out) {
        return;
    }
    let mut rest = *text;
    while !rest.text().is_empty() {
        let (piece, behind) = rest.split(end_of_piece(rest.text()));
        let start = out.filled();
        piece.write_ucs2(out);
        dispatch::swap_bytes(out.values_from(start));
        rest = behind;
    }
}

/// Write text as UTF-16, through code points that stay in the first-level cache.
// Their memory is not to be part of a frame that short text has too: each page of it costs a nanosecond.
#[inline(never)]
fn write_pieces(text: &str, big_endian: bool, out: &mut Output<'_, u8>) {
    let wide = Wide { unit_bytes: 2, big_endian, has_surrogates: false };
    let (mut memory, mut rest) = ([MaybeUninit::uninit(); PIECE], text);
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(end_of_piece(rest));
        let measured = Measured::new(piece.as_bytes());
        let ((), points) = Output::written(&mut memory, |out| measured.write_ucs4(out));
        WideText { wide, lacking: Lacking::Stop, text: Text::Four(points) }.write(0, points.len(), out);
        rest = behind;
    }
}

/// Write text as UTF-32.
fn write_as_utf32(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    match text.width() {
        Width::Ascii => dispatch::ascii_to_utf32(text.text().as_bytes(), out),
        _ => text.write_ucs4(out),
    }
}

/// What becomes of bytes; None if they are not UTF-8 to the end, or are to stay what they are.
fn of_utf8(data: &[u8], target: Unicode) -> Option<Way<'_>> {
    let text = Measured::whole(data)?;
    match target {
        Unicode::Utf8 => None,
        Unicode::Utf16 { big_endian } => {
            let units = if text.width() == Width::Ucs4 { simdutf::utf16_units(data) } else { text.count() };
            Some(Way::Utf8ToUtf16 { text, units, big_endian })
        }
        Unicode::Utf32 => Some(Way::Utf8ToUtf32(text)),
    }
}

/// What becomes of UTF-16; None if it is ill-formed.
fn of_utf16(units: &[u16], big_endian: bool, target: Unicode) -> Option<Way<'_>> {
    let is_swapped = big_endian != cfg!(target_endian = "big");
    let Counts { pairs, bytes } = match target {
        Unicode::Utf8 => dispatch::validate_utf16::<true>(units, is_swapped)?,
        Unicode::Utf16 { .. } | Unicode::Utf32 => dispatch::validate_utf16::<false>(units, is_swapped)?,
    };
    // SAFETY: it has just been found to be well-formed.
    let text = unsafe { Utf16::known(units, big_endian) };
    Some(match target {
        // SAFETY: it is well-formed without pairs, so without surrogates.
        Unicode::Utf8 if pairs == 0 && !is_swapped => unsafe {
            Way::ScalarToUtf8(Scalar::known(Text::Two(units), bytes))
        },
        Unicode::Utf8 => Way::Utf16ToUtf8 { text, bytes },
        Unicode::Utf16 { .. } => Way::Swapped(units),
        Unicode::Utf32 => Way::Utf16ToUtf32 { text, count: units.len() - pairs },
    })
}

/// What becomes of UTF-32; None if it is ill-formed, or is to stay what it is.
fn of_utf32(units: &[u32], target: Unicode) -> Option<Way<'_>> {
    match target {
        Unicode::Utf8 => {
            let bytes = dispatch::validate_utf32::<true>(units)?;
            // SAFETY: it has just been found to be well-formed.
            Some(Way::ScalarToUtf8(unsafe { Scalar::known(Text::Four(units), bytes) }))
        }
        Unicode::Utf16 { big_endian } => {
            let count = dispatch::validate_utf32::<false>(units)?;
            // SAFETY: as above.
            Some(Way::Utf32ToUtf16 { text: unsafe { Utf32::known(units) }, units: count, big_endian })
        }
        Unicode::Utf32 => None,
    }
}

/// Where the first piece of a text ends.
fn end_of_piece(text: &str) -> usize {
    let before = text.len().min(PIECE);
    (0..=before).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(before)
}
