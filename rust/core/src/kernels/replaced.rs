//! Text written as UTF-8, with ASCII or nothing instead of each surrogate. A copy of the text, piece by piece, has the
//! replacements in it; it is clean, and written in bulk. So a surrogate makes text little slower on machines whose
//! other kernels would examine each block closely.

#![expect(unsafe_code, reason = "text from which surrogates were taken is said to have none")]

use std::mem::MaybeUninit;

use super::bulk;
use super::instead::ESCAPE;
use super::lanes::low_64;
use super::level::Level;
use super::masks::{LANES, gathered};
use super::output::Output;
use super::plain::{Point, is_in};
use super::sample::Sample;
use super::spelt::Spelt;
use super::text::Text;
use crate::code_point::{LARGEST_IN_STR, SURROGATES};
use crate::derive::instead::Instead;
use crate::policy::backslashed;

/// With how much the escape of a surrogate is written.
const ESCAPE_ROOM: usize = 8;
/// What a block may become, with what is written beyond it.
const MOST: usize = ESCAPE * LANES + LANES;
/// The code points of a piece, at most.
const PIECE: usize = 2048;
/// From so many code points on it is asked what a text is likely to be.
const LONG: usize = 2048;
/// How many code points are copied at once.
const STEP: usize = 16;
/// A block, and what a step may read behind it.
type Window<P> = [P; LANES + STEP];

/// Text of which the surrogates are replaced.
pub struct Replaced<'a> {
    text: Text<'a>,
    instead: Instead,
}

impl<'a> Replaced<'a> {
    /// The text from an index to a limit; None where surrogates are not known to become ASCII or nothing, or other
    /// kernels need less time.
    pub fn new(spelt: &Spelt<'a>, start: usize, limit: usize) -> Option<Self> {
        let is_utf8 = spelt.agreement.is_total() && Level::current() != Level::Avx512;
        let replaced = Replaced::by(spelt.text.slice(start, limit), spelt.spelling.instead);
        replaced.filter(|replaced| is_utf8 && replaced.is_worthwhile())
    }

    /// The same for text that is otherwise written as in UTF-8.
    pub fn by(text: Text<'a>, instead: Instead) -> Option<Self> {
        let is_ascii = matches!(instead, Instead::Nothing | Instead::Mark | Instead::Escape);
        is_ascii.then_some(Replaced { text, instead })
    }

    /// Whether to write the answers block by block is likely to take more time. In question marks the kernels of the
    /// machine do not, unless all else is ASCII; other kernels do so only where answers are nothing, or up to U+FFFF.
    fn is_worthwhile(&self) -> bool {
        if Level::current() == Level::Portable {
            return self.instead == Instead::Nothing || !matches!(self.text, Text::Four(_));
        }
        let sample = || Sample::of(self.text, self.instead);
        match self.instead {
            _ if self.text.len() < LONG => true,
            Instead::Mark => sample().is_ascii_with_some(),
            _ => !sample().is_even_with_few(),
        }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        let mut bytes = 0;
        self.each_piece(|text| bytes += bulk::utf8_bytes(text));
        bytes
    }

    /// Write it.
    pub fn write(&self, out: &mut Output<'_, u8>) {
        // SAFETY: something is in the place of each surrogate, and what is beyond Unicode has been looked for.
        self.each_piece(|text| unsafe { bulk::scalars_to_utf8(text, out) });
    }

    fn each_piece(&self, mut take: impl FnMut(Text<'_>)) {
        match self.text {
            Text::One(points) => take(Text::One(points)),
            Text::Two(points) => each_piece(points, self.instead, |piece| take(Text::Two(piece))),
            Text::Four(points) => each_piece(points, self.instead, |piece| {
                let largest = piece.iter().fold(0, |largest, &point| largest.max(point));
                assert!(largest <= LARGEST_IN_STR, "no str holds this");
                take(Text::Four(piece));
            }),
        }
    }
}

/// Pass what becomes of some code points to a function, piece by piece.
// Its memory is not to be part of a frame that short text has too: each page of it costs a nanosecond.
#[inline(never)]
fn each_piece<P: Point>(points: &[P], instead: Instead, mut take: impl FnMut(&[P])) {
    let (mut memory, mut rest) = ([const { MaybeUninit::uninit() }; PIECE], points);
    let mut padded: Window<P> = [P::default(); _];
    while !rest.is_empty() {
        let mut out = Output::new(&mut memory);
        rest = out.go_on(|out| {
            while out.room() >= MOST && !rest.is_empty() {
                let count = rest.len().min(LANES);
                let window = rest.first_chunk().unwrap_or_else(|| {
                    padded = [P::default(); _];
                    padded[..rest.len()].copy_from_slice(rest);
                    &padded
                });
                put(window, count, instead, out);
                rest = &rest[count..];
            }
            rest
        });
        take(out.into_written());
    }
}

/// Write what becomes of the first code points of a window, a block at most.
#[inline(always)]
fn put<P: Point>(window: &Window<P>, count: usize, instead: Instead, out: &mut Output<'_, P>) {
    let block: &[P; LANES] = window.first_chunk().expect("a window is a block and more");
    let is_surrogate = |point| is_in(SURROGATES, point);
    if instead == Instead::Mark {
        let marked = block.map(|point| if is_surrogate(point) { P::of(b'?'.into()) } else { point });
        return out.extend_loosely(&marked, count);
    }
    let surrogates = gathered(&block.map(|point| u8::from(is_surrogate(point)).wrapping_neg()));
    if surrogates == 0 {
        return out.extend_loosely(block, count);
    }
    let (mut from, mut left) = (0, surrogates & low_64(count));
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        copy(window, from, lane, out);
        if instead == Instead::Escape {
            let (escape, length) = backslashed(window[lane].into());
            let bytes: &[u8; 16] = &escape.to_le_bytes();
            let escape: &[u8; ESCAPE_ROOM] = bytes.first_chunk().expect("it is shorter");
            out.extend_loosely(&escape.map(|byte| P::of(byte.into())), length);
        }
        (from, left) = (lane + 1, left & (left - 1));
    }
    copy(window, from, count, out);
}

/// Copy some code points of a window.
#[inline(always)]
fn copy<P: Point>(window: &Window<P>, start: usize, end: usize, out: &mut Output<'_, P>) {
    let step = |at: usize| window[at..].first_chunk::<STEP>().expect("in the window");
    let mut at = start;
    while end - at > STEP {
        out.extend_loosely(step(at), STEP);
        at += STEP;
    }
    out.extend_loosely(step(at), end - at);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written code point by code point.
    fn expected(text: Text<'_>, instead: Instead) -> Vec<u8> {
        let mut bytes = Vec::new();
        for at in 0..text.len() {
            match instead.at(text, at) {
                Some((answer, length)) => bytes.extend_from_slice(&answer.to_le_bytes()[..length]),
                None => {
                    let char = char::from_u32(text.at(at)).expect("a scalar value");
                    bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        bytes
    }

    fn check(text: Text<'_>) {
        for instead in [Instead::Nothing, Instead::Mark, Instead::Escape] {
            let expected = expected(text, instead);
            let replaced = Replaced { text, instead };
            assert_eq!(replaced.bytes(), expected.len());
            let mut memory = vec![MaybeUninit::uninit(); expected.len()];
            let ((), written) = Output::written(&mut memory, |out| replaced.write(out));
            assert_eq!(written, expected, "{instead:?} {text:X?}");
            // From an index on, and up to a limit.
            let third = text.len() / 3;
            let part = |(start, limit)| Replaced { text: text.slice(start, limit), instead }.bytes();
            let parts = [(0, third), (third, text.len())].map(part);
            assert_eq!(parts.iter().sum::<usize>(), expected.len());
        }
    }

    #[test]
    fn each_surrogate_is_replaced_wherever_it_stands() {
        const OTHERS: [u32; 7] = [0, 0x61, 0x7F, 0xE9, 0x7FF, 0xFFFF, 0x1_F600];
        const SURROGATES: [u32; 4] = [0xD800, 0xDBFF, 0xDC80, 0xDFFF];
        let lengths = (0..200).chain([2047, 2048, 2049, 5000]);
        for (length, one_in) in lengths.flat_map(|length| [1, 2, 3, 10, 63, 64, 500].map(|one_in| (length, one_in))) {
            let four: Vec<u32> = (0..length)
                .map(|at| {
                    let choices = if at % one_in == one_in / 2 { &SURROGATES[..] } else { &OTHERS };
                    choices[(at * at + length) % choices.len()]
                })
                .collect();
            let two: Vec<u16> = four.iter().map(|&point| point.min(0xFFFD) as u16).collect();
            let one: Vec<u8> = four.iter().map(|&point| point as u8).collect();
            check(Text::Four(&four));
            check(Text::Two(&two));
            check(Text::One(&one));
        }
    }
}
