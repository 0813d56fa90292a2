//! Short text to UTF-8 in one pass, into memory that holds whatever it can become.
//!
//! Measuring a text first, to write it into memory of the exact size, costs more than the text itself where that is a
//! word or a line. ASCII is written by words, and the rest one by one: in text this short the branches cost less than
//! what would do without them.

#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "functions for some machines only are called by level")
)]

use super::instead::{ANSWER, Answer};
use super::level::Level;
use super::output::Output;
use super::plain::{self, Point};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::replaced::Replaced;
use super::text::Text;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::vectors;
#[cfg(target_arch = "x86_64")]
use super::x86::avx512;
use crate::code_point::{LARGEST_IN_STR, SURROGATES, holds};
use crate::derive::instead::Instead;

/// The longest sequence of UTF-8.
const LONGEST: usize = 4;
/// What a step may write beyond what it says.
const SLACK: usize = 64;
/// From so many code points on, a call of the kernel for blocks pays, where the last one stopped at a surrogate.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const MANY: usize = 64;
/// From so many code points on, of which one is a surrogate, a copy without surrogates pays.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const WHOLE: usize = 128;

/// Write a short text as UTF-8, and something instead of surrogates, as far as that is known and there is room, and return
/// how many code points that is.
#[inline]
pub fn write_short(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let longest = if *instead == Instead::Escape { ANSWER } else { LONGEST };
    let limit = text.len().min(out.room().saturating_sub(SLACK) / longest);
    let answer = |at| instead.at(text, at);
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::short::write(text.slice(0, limit), instead, out) },
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => in_turns(text.slice(0, limit), instead, out),
        _ => spell(text, (0, limit), out, answer),
    }
}

/// As [`write_short`], by blocks where there are no surrogates.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn in_turns(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let (mut at, limit, answer) = (0, text.len(), |at| instead.at(text, at));
    loop {
        // SAFETY: it is called where the machine has the instructions.
        at += unsafe { vectors::short::write(text.slice(at, limit), out) };
        if limit - at >= WHOLE
            && let Some(replaced) = Replaced::by(text, *instead)
        {
            replaced.write(at, limit, out);
            return limit;
        }
        let end = if limit - at < MANY { limit } else { at + vectors::short::BLOCK };
        at = spell(text, (at, end), out, answer);
        if at < end || end == limit {
            return at;
        }
    }
}

/// Write from an index to a limit, or to a code point without an answer, and return the end.
#[inline]
fn spell(
    text: Text<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'_, u8>,
    answer: impl Fn(usize) -> Answer,
) -> usize {
    match text {
        Text::One(points) => by_words::<_, 8>(points, (start, limit), out, answer),
        Text::Two(points) => by_words::<_, 4>(points, (start, limit), out, answer),
        Text::Four(points) => by_words::<_, 4>(points, (start, limit), out, answer),
    }
}

/// Write ASCII word by word, and all else one by one.
fn by_words<P: Point, const WORD: usize>(
    points: &[P],
    (start, limit): (usize, usize),
    out: &mut Output<'_, u8>,
    answer: impl Fn(usize) -> Answer,
) -> usize {
    out.go_on(|out| {
        let mut at = start;
        loop {
            let rest = &points[at..limit];
            let count = match rest.first_chunk::<WORD>() {
                Some(word) if word.iter().fold(0, |all, &point| all | point.into()) < 0x80 => {
                    out.extend_by(word, |point| point.into() as u8);
                    at += WORD;
                    continue;
                }
                Some(word) => out.extend_each(word, |point| sequence(point.into())),
                None => out.extend_each(rest, |point| sequence(point.into())),
            };
            at += count;
            if count == WORD {
                continue;
            }
            let answer = if at < limit { answer(at) } else { None };
            let Some((bytes, length)) = answer else { return at };
            out.extend_loosely::<ANSWER>(&bytes.to_le_bytes(), length);
            at += 1;
        }
    })
}

/// The sequence of a scalar value, and its length.
#[inline(always)]
fn sequence(point: u32) -> Option<([u8; LONGEST], usize)> {
    let (sequence, length) = match point {
        0..0x80 => (point, 1),
        0x80..0x800 => (plain::two(point), 2),
        0x800..0x1_0000 if !holds(SURROGATES, point) => (plain::three(point), 3),
        0x1_0000..=LARGEST_IN_STR => (plain::four(point), 4),
        _ => return None,
    };
    Some((sequence.to_le_bytes(), length))
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    const MOST: usize = 256;

    /// The beginning of a text that is scalar values, as Rust writes it.
    fn check(text: Text<'_>) {
        let points = (0..text.len()).map_while(|at| char::from_u32(text.at(at)));
        let expected: String = points.collect();
        let count = expected.chars().count();
        let ways: [fn(Text<'_>, &mut Output<'_, u8>) -> usize; 2] = [
            |text, out| write_short(text, &Instead::Stop, out),
            |text, out| spell(text, (0, text.len()), out, |_| None),
        ];
        for write in ways {
            let mut memory = [MaybeUninit::uninit(); LONGEST * MOST + SLACK];
            let (written, bytes) = Output::written(&mut memory, |out| write(text, out));
            assert_eq!((written, &*bytes), (count, expected.as_bytes()));
        }
    }

    #[test]
    fn every_length_and_width_is_written_as_rust_does() {
        const EDGES: [u32; 13] =
            [0, 0x41, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF];
        for length in 0..=MOST {
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
    fn a_value_beyond_unicode_anywhere_ends_it() {
        for place in 0..40 {
            for value in [0x11_0000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
                let mut four = [0x1_F600; 40];
                four[place] = value;
                check(Text::Four(&four));
            }
        }
    }

    #[test]
    fn a_surrogate_anywhere_ends_it() {
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

    #[test]
    fn it_ends_where_there_is_no_room() {
        for room in 0..200 {
            let mut memory = vec![MaybeUninit::uninit(); room];
            let (written, bytes) =
                Output::written(&mut memory, |out| write_short(Text::Four(&[0x1_F600; 40]), &Instead::Stop, out));
            assert!(written <= 40 && bytes.len() == 4 * written);
            assert!(written == 40 || room < 4 * (written + 1) + SLACK);
        }
    }
}
