//! Well-formed text of UTF-8, UTF-16 or UTF-32 written as another of the three, without code points between, by the
//! library.
//!
//! The library is only given what has been found to be well-formed, piece by piece, of which the types here are the proof.

#![expect(unsafe_code, reason = "bytes are units of another width, and the library is C++")]

use std::mem::MaybeUninit;

use super::measured::{Measured, Width};
use super::output::{Output, append_up_to};
use super::short_units::ShortUnits;
use super::simdutf::{self, Utf16, Utf32};
use super::text::Text;
use super::unicode::{Unicode, aligned};
use super::units::WideText;
use super::{bulk, dispatch};
use crate::derive::wide::Wide;
use crate::policy::Lacking;

/// Bytes of UTF-8 that are converted together where that goes through code points.
const PIECE: usize = 8192;

/// Well-formed text to be written in another encoding.
#[derive(Clone, Copy, Debug)]
pub struct Transcoding<'a>(Way<'a>);

#[derive(Clone, Copy, Debug)]
enum Way<'a> {
    /// It has been converted: these are the bytes.
    Short(&'a [u8]),
    Long(Long<'a>),
}

/// Well-formed text, measured to be written.
#[derive(Clone, Copy, Debug)]
struct Long<'a> {
    source: Source<'a>,
    target: Unicode,
    /// How many units are written.
    units: usize,
}

/// Well-formed text.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    Utf8(Measured<'a>),
    Utf16(Utf16<'a>),
    Utf32(Utf32<'a>),
}

impl<'a> Transcoding<'a> {
    /// Measure all of some bytes, or convert them where they are short. None if they are not well-formed or not aligned, if
    /// there is nothing to convert, or if the library has no kernels for the machine.
    #[must_use]
    pub fn new(data: &'a [u8], source: Unicode, target: Unicode, short: &'a mut ShortUnits) -> Option<Self> {
        if source == target || !bulk::has_library() {
            return None;
        }
        let way = match short.converted(data, source, target) {
            Some(bytes) => Way::Short(bytes),
            None => Way::Long(Long::new(data, source, target)?),
        };
        Some(Transcoding(way))
    }

    /// How many bytes are written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self.0 {
            Way::Short(bytes) => bytes.len(),
            Way::Long(text) => text.units * text.target.unit_bytes(),
        }
    }

    /// Append the text to bytes that have room for it; or nothing where they are not aligned for its units.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn append_to(&self, out: &mut Vec<u8>) {
        append_up_to(out, self.bytes(), |out| self.write(out));
    }

    /// Write the text, or nothing where the output is not aligned for its units.
    ///
    /// # Panics
    /// There is no room for it.
    pub fn write(&self, out: &mut Output<'_, u8>) {
        match self.0 {
            Way::Short(bytes) => out.copy(bytes),
            Way::Long(text) => text.write(out),
        }
    }
}

impl<'a> Long<'a> {
    fn new(data: &'a [u8], source: Unicode, target: Unicode) -> Option<Self> {
        let (source, units) = match source {
            Unicode::Utf8 => {
                let text = Measured::new(data);
                (text.text().len() == data.len()).then_some((Source::Utf8(text), units_of_utf8(&text, target)))?
            }
            Unicode::Utf16 { big_endian } => {
                let (text, units) = of_utf16(aligned(data)?, big_endian, target)?;
                (Source::Utf16(text), units)
            }
            Unicode::Utf32 => {
                let (text, units) = of_utf32(aligned(data)?, target)?;
                (Source::Utf32(text), units)
            }
        };
        Some(Long { source, target, units })
    }

    fn write(&self, out: &mut Output<'_, u8>) {
        match self.target {
            Unicode::Utf8 => self.write_utf8(out),
            Unicode::Utf16 { big_endian } => self.write_utf16(big_endian, out),
            Unicode::Utf32 => out.go_on_in_units(self.units, |out| self.write_utf32(out)),
        }
    }

    fn write_utf8(&self, out: &mut Output<'_, u8>) {
        match self.source {
            Source::Utf8(text) => out.copy(text.text().as_bytes()),
            // SAFETY: the bytes were counted by `new`.
            Source::Utf16(text) => unsafe { text.write_utf8(self.units, out) },
            // SAFETY: as above.
            Source::Utf32(text) => unsafe { text.write_utf8(self.units, out) },
        }
    }

    fn write_utf16(&self, big_endian: bool, out: &mut Output<'_, u8>) {
        match self.source {
            Source::Utf8(text) => write_as_utf16(&text, self.units, big_endian, out),
            // SAFETY: the units were counted by `new`.
            Source::Utf32(text) => out.go_on_in_units(self.units, |out| unsafe {
                text.write_utf16(self.units, big_endian, out);
            }),
            Source::Utf16(text) => out.extend_bytes(text.units(), |unit| unit.swap_bytes().to_ne_bytes()),
        }
    }

    fn write_utf32(&self, out: &mut Output<'_, u32>) {
        match self.source {
            Source::Utf8(text) if text.width() == Width::Ascii => simdutf::ascii_to_utf32(text.text().as_bytes(), out),
            Source::Utf8(text) => text.write_ucs4(out),
            // SAFETY: the code points were counted by `new`.
            Source::Utf16(text) => unsafe { text.write_points(self.units, out) },
            Source::Utf32(text) => out.copy(text.units()),
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
        Width::Ucs4 => write_pieces(text.text(), big_endian, out),
        Width::Latin1 | Width::Ucs2 => out.go_on_in_units(units, |out| write_swapped(text, out)),
    }
}

/// Write text up to U+FFFF as units in the byte order of other machines. Its pieces stay in the first-level cache until their
/// bytes are swapped.
fn write_swapped(text: &Measured<'_>, out: &mut Output<'_, u16>) {
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

fn units_of_utf8(text: &Measured<'_>, target: Unicode) -> usize {
    match target {
        Unicode::Utf16 { .. } if text.width() == Width::Ucs4 => simdutf::utf16_units(text.text().as_bytes()),
        _ => text.count(),
    }
}

/// UTF-16 and how many units of the target it takes; None if it is ill-formed.
fn of_utf16(units: &[u16], big_endian: bool, target: Unicode) -> Option<(Utf16<'_>, usize)> {
    let is_swapped = big_endian != cfg!(target_endian = "big");
    let length = match target {
        Unicode::Utf8 => dispatch::validate_utf16::<true>(units, is_swapped)?,
        Unicode::Utf16 { .. } => dispatch::validate_utf16::<false>(units, is_swapped).map(|_| units.len())?,
        Unicode::Utf32 => dispatch::validate_utf16::<false>(units, is_swapped)?,
    };
    // SAFETY: it has just been found to be well-formed.
    Some((unsafe { Utf16::known(units, big_endian) }, length))
}

/// As [`of_utf16`].
fn of_utf32(units: &[u32], target: Unicode) -> Option<(Utf32<'_>, usize)> {
    let length = match target {
        Unicode::Utf8 => dispatch::validate_utf32::<true>(units)?,
        Unicode::Utf16 { .. } => dispatch::validate_utf32::<false>(units)?,
        Unicode::Utf32 => dispatch::validate_utf32::<false>(units).map(|_| units.len())?,
    };
    // SAFETY: as above.
    Some((unsafe { Utf32::known(units) }, length))
}

/// Where the first piece of a text ends.
fn end_of_piece(text: &str) -> usize {
    let before = text.len().min(PIECE);
    (0..=before).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(before)
}
