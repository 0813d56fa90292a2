//! Short text to UTF-8 in one pass, into memory that holds whatever it can become.
//!
//! Measuring a text first, to write it into memory of the exact size, costs more than the text itself where that is a
//! word or a line. ASCII and long sequences are written by words, and the rest one by one: in text this short the
//! branches cost less than what would do without them.

#![expect(
    unsafe_code,
    reason = "a loop does not look for room for each sequence, and functions for some machines only are called by level"
)]

use super::instead::{ANSWER, ESCAPE, is_pair};
use super::kind::LONGEST;
use super::level::Level;
use super::output::{Output, Place};
use super::plain::{self, Point};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::replaced::Replaced;
use super::text::Text;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::vectors;
#[cfg(target_arch = "x86_64")]
use super::x86::avx512;
use crate::code_point::{LARGEST_IN_STR, Range, SURROGATES, holds, joined};
use crate::derive::instead::{Instead, RARE};

/// What a step may write beyond what it says.
const SLACK: usize = 64;
const FIRST_SURROGATE: u32 = SURROGATES.0;
/// No code points.
const NONE: Range = (1, 0);
/// The code points of a word.
const WORD: usize = 8;
/// So many code points are written one by one where a word that begins with a long sequence holds others, such as a
/// space: the words behind it would be looked at in vain.
const APART: usize = 4 * WORD;
/// From so many code points on, a call of the kernel for blocks pays, where the last one stopped at a surrogate.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const MANY: usize = 64;
/// From so many code points on, of which one is a surrogate, a copy without surrogates pays.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const WHOLE: usize = 128;

/// Write a short text as UTF-8, and something instead of what is rare, as far as that is known and there is room, and
/// return how many code points that is.
#[inline]
pub fn write_short(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let limit = limit(text, instead, out);
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::short::write(text.slice(0, limit), *instead, out) };
    }
    match text {
        Text::One(points) => write(&points[..limit], instead, out),
        Text::Two(points) => write(&points[..limit], instead, out),
        Text::Four(points) => write(&points[..limit], instead, out),
    }
}

/// Write as UTF-8 what a short text begins with, by blocks that hold neither surrogates nor values beyond Unicode, and
/// return how many code points that is: none where [`write_short`] takes no more time, or there may be no room.
#[inline]
pub fn write_scalars(text: Text<'_>, out: &mut Output<'_, u8>) -> usize {
    #[cfg(target_arch = "x86_64")]
    if Level::current() == Level::Avx512 && text.len() <= out.room().saturating_sub(SLACK) / LONGEST {
        // SAFETY: the machine has the instructions.
        return unsafe { avx512::short::write_scalars(text, out) };
    }
    _ = (text, out);
    0
}

/// As [`write_short`], without the kernels, which know what is written instead of surrogates only.
pub fn write_by_words(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let limit = limit(text, instead, out);
    match text {
        Text::One(points) => spell_alone(&points[..limit], instead, out),
        Text::Two(points) => spell_alone(&points[..limit], instead, out),
        Text::Four(points) => spell_alone(&points[..limit], instead, out),
    }
}

/// As [`write_by_words`], one by one: text in which much is rare, of which words would be looked at in vain.
pub fn write_by_points(text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let limit = limit(text, instead, out);
    match text {
        Text::One(points) => spell_each(&points[..limit], instead, out),
        Text::Two(points) => spell_each(&points[..limit], instead, out),
        Text::Four(points) => spell_each(&points[..limit], instead, out),
    }
}

/// How much of a text is sure to have room.
#[inline]
fn limit(text: Text<'_>, instead: &Instead, out: &Output<'_, u8>) -> usize {
    text.whole_up_to(text.len().min(out.room().saturating_sub(SLACK) / longest(instead)))
}

/// The room in which [`write_short`] writes a text to its end; None if that is more than a number says.
pub fn room_for(text: Text<'_>, instead: &Instead) -> Option<usize> {
    text.len().checked_mul(longest(instead))?.checked_add(SLACK)
}

/// The most bytes that a code point becomes, or more: a power of two, by which is divided in less time.
fn longest(instead: &Instead) -> usize {
    if *instead == Instead::Escape { ESCAPE.next_power_of_two() } else { LONGEST }
}

#[inline]
fn write<P: Point>(points: &[P], instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    match Level::current() {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        Level::VECTORS => in_turns(points, instead, out),
        _ => spell_alone(points, instead, out),
    }
}

/// As [`write_short`], on any machine: by blocks, in which nothing is rare, and words.
// Sequences of several lengths take turns there, so that branches cost more than what does without them.
#[inline]
fn spell_alone<P: Point>(points: &[P], instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let count = if points.len() < plain::BLOCK { 0 } else { plain::blocks_of_scalars(points, out) };
    count + spell(&points[count..], instead, out)
}

/// As [`write_short`], by blocks where there are no surrogates but those that these answer.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn in_turns<P: Point>(points: &[P], instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    let (are_answered, mut at) = (vectors::short::answers(*instead), 0);
    loop {
        let rest = &points[at..];
        if are_answered && rest.len() >= vectors::short::BLOCK || begins_without_surrogate(rest) {
            // SAFETY: it is called where the machine has the instructions.
            at += unsafe { vectors::short::write(P::text(rest), *instead, out) };
        }
        let left = points.len() - at;
        if left >= WHOLE
            && let Some(replaced) = Replaced::by(P::text(&points[at..]), *instead)
        {
            replaced.write(out);
            return points.len();
        }
        let end = if left < MANY { points.len() } else { P::text(points).whole_up_to(at + vectors::short::BLOCK) };
        at += spell(&points[at..end], instead, out);
        if at < end || end == points.len() {
            return at;
        }
    }
}

/// Whether there is a block, and no surrogate in it: otherwise a call of the kernel for blocks takes time in vain.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline]
fn begins_without_surrogate<P: Point>(points: &[P]) -> bool {
    let is_one = |point: P| point.into() & !0x7FF == SURROGATES.0;
    let block = points.first_chunk::<{ vectors::short::BLOCK }>();
    block.is_some_and(|block| block.iter().fold(true, |none, &point| none & !is_one(point)))
}

/// Write code points up to a surrogate instead of which nothing is known, and return how many.
#[inline]
fn spell<P: Point>(points: &[P], instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    if points.is_empty() {
        return 0;
    }
    let most = longest(instead) * points.len() + ANSWER;
    // SAFETY: the place has room for as much.
    out.extend_within(most, |place| unsafe { by_words(points, instead, place) })
}

/// As [`spell`], one by one. The loop over lengths itself writes what replaces most rare code points; as one answer
/// among all, it took a fifth more time.
#[inline(never)]
fn spell_each<P: Point>(points: &[P], instead: &Instead, out: &mut Output<'_, u8>) -> usize {
    match *instead {
        Instead::Byte(range) => spell_with(points, instead, out, (range, is_usual)),
        Instead::Sequence { joins: false } => spell_with(points, instead, out, (NONE, |_, _, _| true)),
        Instead::Sequence { joins: true } => spell_with(points, instead, out, (NONE, |_, rest, at| !is_pair(rest, at))),
        _ => spell_with(points, instead, out, (NONE, is_usual)),
    }
}

/// As [`spell_each`], given which code points become their lowest byte, and which from U+0800 to U+FFFF are written as
/// three bytes.
#[inline(always)]
fn spell_with<P: Point>(
    points: &[P],
    instead: &Instead,
    out: &mut Output<'_, u8>,
    (escapes, is_three): (Range, impl Fn(u32, &[P], usize) -> bool),
) -> usize {
    if points.is_empty() {
        return 0;
    }
    let most = longest(instead) * points.len() + ANSWER;
    out.extend_within(most, |mut place| {
        let mut at = 0;
        while at < points.len() {
            // SAFETY: there is room for the longest answer to each and one more.
            at += unsafe { write_each(&points[at..], (escapes, &is_three), &mut place) };
            if at == points.len() {
                break;
            }
            // SAFETY: as above.
            match unsafe { write_answer(points, at, instead, &mut place) } {
                0 => break,
                count => at += count,
            }
        }
        (at, place)
    })
}

/// Write a word at once where all of it takes as many bytes, and else one by one, and what becomes of those that are
/// rare.
///
/// # Safety
/// There is room for the longest of each and one answer more.
// In a function of its own nothing else needs registers.
#[inline(never)]
unsafe fn by_words<P: Point>(points: &[P], instead: &Instead, mut place: Place<u8>) -> (usize, Place<u8>) {
    let mut at = 0;
    while at < points.len() {
        let rest = &points[at..];
        let word = rest.first_chunk();
        // SAFETY: the contract of this function.
        if word.is_some_and(|word| unsafe { write_word(word, &mut place) }) {
            at += WORD;
            continue;
        }
        let first = rest[0].into();
        let is_apart = (0x800..FIRST_SURROGATE).contains(&first);
        let mut end = points.len().min(at + if is_apart { APART } else { WORD });
        at += match word {
            // SAFETY: as above.
            Some(word) if !is_apart => unsafe { write_each(word, (NONE, is_below_or_above_rare), &mut place) },
            // SAFETY: as above.
            _ => unsafe { write_each(&points[at..end], (NONE, is_below_or_above_rare), &mut place) },
        };
        while at < end {
            // SAFETY: as above.
            match unsafe { write_answer(points, at, instead, &mut place) } {
                0 => return (at, place),
                count => at += count,
            }
            // Where all of a word is looked at, in vain, what is left of it is likely to hold more that is rare.
            if first < 0x800 || at >= end {
                break;
            }
            end = end.min(at + WORD);
            // SAFETY: as above.
            at += unsafe { write_each(&points[at..end], (NONE, is_below_or_above_rare), &mut place) };
        }
    }
    (at, place)
}

/// Write what stands for the code point at an index, which is rare, or for the pair that begins there; return how many
/// code points that is, none if it is not known.
///
/// # Safety
/// There is room for an answer.
#[inline(always)]
unsafe fn write_answer<P: Point>(points: &[P], at: usize, instead: &Instead, place: &mut Place<u8>) -> usize {
    let Some((bytes, length)) = instead.of(points, at) else {
        // SAFETY: the contract of this function.
        return unsafe { write_joined(points, at, instead, place) };
    };
    // SAFETY: as above; what is written beyond the answer has room too.
    unsafe { place.put::<ANSWER>(bytes.to_le_bytes(), length) };
    1
}

/// As [`write_answer`], of a pair.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn write_joined<P: Point>(points: &[P], at: usize, instead: &Instead, place: &mut Place<u8>) -> usize {
    if *instead != (Instead::Sequence { joins: true }) || !is_pair(points, at) {
        return 0;
    }
    let point = joined(points[at].into(), points[at + 1].into());
    // SAFETY: the contract of this function.
    unsafe { place.put(plain::four(point).to_le_bytes(), LONGEST) };
    2
}

/// Write a word if all of it takes as many bytes, one, three or four; return whether that is so.
///
/// # Safety
/// There is room for the longest sequence of each.
#[inline(always)]
unsafe fn write_word<P: Point>(word: &[P; WORD], place: &mut Place<u8>) -> bool {
    match word[0].into() {
        // SAFETY: there is room for more.
        0..0x80 if P::are_ascii(word) => unsafe { place.put(word.map(|point| point.into() as u8), WORD) },
        0x800..0x1_0000 if are_three(word) => {
            let (halves, _) = word.as_chunks();
            for half in halves {
                for pair in threes(half) {
                    // SAFETY: the contract of this function.
                    unsafe { place.put(pair.to_le_bytes(), 6) };
                }
            }
        }
        0x1_0000.. if are_all(word, takes_four) => {
            for &point in word {
                // SAFETY: the contract of this function.
                unsafe { place.put(plain::four(point.into()).to_le_bytes(), LONGEST) };
            }
        }
        _ => return false,
    }
    true
}

/// Whether each code point of a word takes three bytes whatever is written instead of what is rare.
// Inlined, the compiler mixes it with the loads of what follows: Chinese takes a seventh more time.
#[inline(never)]
fn are_three<P: Point>(word: &[P; WORD]) -> bool {
    are_all(word, |point| (point.wrapping_sub(0x800) < 0x1_0000 - 0x800) & !holds(RARE, point))
}

#[inline(always)]
fn are_all<P: Point>(word: &[P; WORD], is_so: impl Fn(u32) -> bool) -> bool {
    word.iter().fold(true, |all, &point| all & is_so(point.into()))
}

/// The bytes of four sequences of three, two in each number, the first lowest.
// All four are computed at once: one by one, Chinese takes an eighth more time.
#[inline(always)]
fn threes<P: Point>(points: &[P; 4]) -> [u64; 2] {
    const EVEN: u64 = 0xFFFF | 0xFFFF << 32;
    const fn each(unit: u64) -> u64 {
        unit * (u64::MAX / 0xFFFF)
    }
    let [first, second, third, fourth] = points.map(|point| u64::from(point.into() as u16));
    let units = first | second << 16 | third << 32 | fourth << 48;
    let starts = each(0x80E0) | units >> 12 & each(0xF) | units << 2 & each(0x3F00);
    let ends = each(0x80) | units & each(0x3F);
    let (even, odd) = (starts & EVEN | (ends & EVEN) << 16, starts >> 16 & EVEN | ends & !EVEN);
    let low = |sequences: u64| u64::from(sequences as u32);
    [low(even) | low(odd) << 24, even >> 32 | odd >> 32 << 24]
}

fn takes_four(point: u32) -> bool {
    point.wrapping_sub(0x1_0000) <= LARGEST_IN_STR - 0x1_0000
}

/// Whether a code point, which stands at an index, is not rare.
#[inline(always)]
fn is_usual<P: Point>(point: u32, _: &[P], _: usize) -> bool {
    !holds(RARE, point)
}

/// As [`is_usual`], by two comparisons, of which most text needs the first only.
#[inline(always)]
fn is_below_or_above_rare<P: Point>(point: u32, _: &[P], _: usize) -> bool {
    point < RARE.0 || point > RARE.1
}

/// Write code points: the lowest byte of those in a range, and the three bytes of those from U+0800 to U+FFFF that
/// `is_three` accepts. Return how many are before something else. Each length has a branch of its own, so that where
/// the next sequence goes does not wait for it.
///
/// # Safety
/// There is room for the longest sequence of each.
#[inline(always)]
unsafe fn write_each<P: Point>(
    points: &[P],
    (escapes, is_three): (Range, impl Fn(u32, &[P], usize) -> bool),
    place: &mut Place<u8>,
) -> usize {
    for (at, &point) in points.iter().enumerate() {
        let point = point.into();
        // SAFETY: the contract of this function.
        unsafe {
            match point {
                0..0x80 => place.put([point as u8], 1),
                0x80..0x800 => place.put((plain::two(point) as u16).to_le_bytes(), 2),
                0x800..0x1_0000 if is_three(point, points, at) => place.put(plain::three(point).to_le_bytes(), 3),
                0x1_0000..=LARGEST_IN_STR => place.put(plain::four(point).to_le_bytes(), LONGEST),
                _ if holds(escapes, point) => place.put([point as u8], 1),
                _ => return at,
            }
        }
    }
    points.len()
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
        let ways: [fn(Text<'_>, &mut Output<'_, u8>) -> usize; 3] = [
            |text, out| write_short(text, &Instead::Stop, out),
            |text, out| {
                let start = write_scalars(text, out);
                start + write_short(text.slice(start, text.len()), &Instead::Stop, out)
            },
            |text, out| match text {
                Text::One(points) => spell(points, &Instead::Stop, out),
                Text::Two(points) => spell(points, &Instead::Stop, out),
                Text::Four(points) => spell(points, &Instead::Stop, out),
            },
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
    fn words_and_blocks_are_written_as_single_code_points_are() {
        const KINDS: [u16; 12] =
            [0x20, 0x3B1, 0x915, 0x4E00, 0xD7FF, 0xD83D, 0xDCE9, 0xDE00, 0xE000, 0xF900, 0xFFFF, 0];
        let ways = [
            Instead::Stop,
            Instead::Nothing,
            Instead::Mark,
            Instead::Escape,
            Instead::Byte((0xDC80, 0xDEFF)),
            Instead::Sequence { joins: false },
            Instead::Sequence { joins: true },
        ];
        let mut state = 1_u32;
        for round in 0..if cfg!(miri) { 14 } else { 2100 } {
            let (instead, kind) = (&ways[round % ways.len()], KINDS[round % KINDS.len()]);
            // Mostly one kind, so that there are words and blocks of it.
            let units: [u16; MOST / 2] = std::array::from_fn(|_| {
                state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
                let is_other = state >> 28 >= 14 - (round % 3) as u32;
                if is_other { KINDS[(state >> 8) as usize % KINDS.len()] } else { kind }
            });
            let four = units.map(u32::from);
            let length = MOST / 2 - round % 40;
            for text in [Text::Two(&units[..length]), Text::Four(&four[..length])] {
                let written = |write: fn(Text<'_>, &Instead, &mut Output<'_, u8>) -> usize, text: Text<'_>| {
                    let mut memory = [MaybeUninit::uninit(); 16 * MOST + SLACK];
                    let (count, bytes) = Output::written(&mut memory, |out| write(text, instead, out));
                    (count, bytes.to_vec())
                };
                let expected = written(write_by_points, text);
                assert_eq!(written(write_by_words, text), expected, "{instead:?} {units:X?}");
                // With AVX-512 a pair ends it.
                let (count, bytes) = written(write_short, text);
                assert_eq!(written(write_by_points, text.slice(0, count)), (count, bytes), "{instead:?} {units:X?}");
                let is_pair = count < length
                    && holds(SURROGATES, text.at(count))
                    && *instead == (Instead::Sequence { joins: true });
                assert!(count == expected.0 || is_pair, "{instead:?} {units:X?}");
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
