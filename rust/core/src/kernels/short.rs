//! Short text to UTF-8 in one pass, into memory that holds whatever it can become.
//!
//! Measuring a text first, to write it into memory of the exact size, costs more than the text itself where that is a
//! word or a line. Here sixteen code points become sequences at once, and a copy of the result is cheaper than a
//! second look at the source.

#![expect(unsafe_code, reason = "vectors are loaded and stored, and what is written is counted")]

use std::mem::MaybeUninit;

use super::level::Level;
use super::output::Output;
use super::short_buffer::{SHORT_BYTES, ShortBuffer};
use super::text::Text;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::vectors;
#[cfg(target_arch = "x86_64")]
use super::x86::avx512;

const LONGEST_SEQUENCE: usize = 4;

/// Write a short text as UTF-8 and return the bytes; None where it is too long, or holds what is no scalar value.
#[inline]
pub fn write_short<'a>(text: Text<'_>, out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    if text.len() > SHORT_BYTES / LONGEST_SEQUENCE {
        return None;
    }
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::short::write(text, out) },
        // SAFETY: as above.
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => unsafe { vectors::short::write(text, out) },
        _ => match text {
            Text::One(points) => one_by_one(points, out),
            Text::Two(points) => one_by_one(points, out),
            Text::Four(points) => one_by_one(points, out),
        },
    }
}

fn one_by_one<'a, T: Copy + Into<u32>>(points: &[T], out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    let mut out = Output::new(out);
    for &point in points {
        let mut sequence = [0; LONGEST_SEQUENCE];
        let length = char::from_u32(point.into())?.encode_utf8(&mut sequence).len();
        // All four: a copy of a length that is known is one store.
        *out.spare().first_chunk_mut()? = sequence.map(MaybeUninit::new);
        // SAFETY: a sequence has no more.
        unsafe { out.advance(length) };
    }
    Some(out.into_written())
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::kernels::short_buffer::SLACK;

    fn check(text: Text<'_>) {
        let points: Vec<u32> = (0..text.len()).map(|at| text.at(at)).collect();
        let expected: Option<String> = points.iter().map(|&point| char::from_u32(point)).collect();
        let mut out = [MaybeUninit::uninit(); SHORT_BYTES + SLACK];
        if text.len() > SHORT_BYTES / LONGEST_SEQUENCE {
            assert_eq!(write_short(text, &mut out), None);
            return;
        }
        assert_eq!(write_short(text, &mut out), expected.as_deref().map(str::as_bytes));
        type Write = for<'a> fn(Text<'_>, &[u32], &'a mut ShortBuffer) -> Option<&'a [u8]>;
        #[cfg_attr(
            not(any(target_arch = "x86_64", target_arch = "aarch64")),
            expect(unused_mut, reason = "there is only one way")
        )]
        let mut ways: Vec<Write> = vec![|_, points, out| one_by_one(points, out)];
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if vectors::are_available() {
            // SAFETY: the machine has the instructions.
            ways.push(|text, _, out| unsafe { vectors::short::write(text, out) });
        }
        for write in ways {
            assert_eq!(write(text, &points, &mut out), expected.as_deref().map(str::as_bytes));
        }
    }

    #[test]
    fn every_length_and_width_is_written_as_rust_does() {
        const EDGES: [u32; 13] =
            [0, 0x41, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF];
        for length in 0..=SHORT_BYTES / LONGEST_SEQUENCE + 1 {
            for first in 0..EDGES.len() {
                let four: Vec<u32> = (0..length).map(|at| EDGES[(first + at * at) % EDGES.len()]).collect();
                let two: Vec<u16> =
                    four.iter().map(|&point| point as u16).filter(|unit| unit & 0xF800 != 0xD800).collect();
                let one: Vec<u8> = four.iter().map(|&point| point as u8).collect();
                check(Text::One(&one));
                check(Text::Two(&two));
                check(Text::Four(&four));
            }
        }
    }

    #[test]
    fn a_value_beyond_unicode_anywhere_is_refused() {
        for place in 0..40 {
            for value in [0x11_0000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
                let mut four = [0x1_F600; 40];
                four[place] = value;
                check(Text::Four(&four));
            }
        }
    }

    #[test]
    fn a_surrogate_anywhere_is_refused() {
        for length in 1..100 {
            for place in 0..length {
                for surrogate in [0xD800_u16, 0xDBFF, 0xDC00, 0xDFFF] {
                    let mut two = vec![0x61; length];
                    two[place] = surrogate;
                    let four: Vec<u32> = two.iter().map(|&unit| unit.into()).collect();
                    check(Text::Two(&two));
                    check(Text::Four(&four));
                }
            }
        }
    }
}
