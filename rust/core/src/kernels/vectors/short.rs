//! Short text to UTF-8: sixteen code points at once, and surrogates with them that become one byte or their sequence.
//!
//! Blocks of sequences of one and two bytes at the beginning are written as such. All others take one path: in text
//! this short a branch could not learn which way it goes.

use eightfold_features::vectors;

use super::machine::*;
use super::part;
use super::sequences::Shape;
use super::speller::{Points, Speller, Units};
use super::utf8::SPELLING;
use crate::code_point::{LEADS, Range, SURROGATES, TRAILS, holds};
use crate::derive::instead::Instead;
use crate::kernels::kept::NIL;
use crate::kernels::output::Output;
use crate::kernels::text::Text;

/// The code points of a block.
pub const BLOCK: usize = 16;

/// So many code points behind the last block take less time as a block than by words.
const FEW: usize = 4;

/// Who writes blocks: each has code of its own, which is inlined.
enum By<const ARE_SCALAR: bool, const PART: usize> {}

/// Write a text by blocks, up to the first with a value beyond Unicode, or with a surrogate that is not answered with
/// its block; return how many code points that is. What is left may be fewer than a block.
#[vectors]
pub fn write(text: Text<'_>, instead: Instead, out: &mut Output<'_, u8>) -> usize {
    let (speller, answers) = (&Speller::of_utf8(&SPELLING), Answers::new(instead));
    match text {
        Text::One(points) => each_block(points, |block, _| {
            let units = speller.units::<u8>(widened_8(load_16(block)), || None)?;
            speller.write_shaped::<u8>(&units, Shape::UpToTwo, out);
            Some(())
        }),
        Text::Two(points) if are_scalar(points) => {
            let at = write_units::<true>(points, speller, |units, _| speller.units::<u16>(units, || None), out);
            at + write_rest(points, at, speller, out)
        }
        Text::Two(points) => write_units::<false>(points, speller, |units, next| answers.units(units, next), out),
        Text::Four(points) => each_block(points, |block, next| {
            let halves = [0, 8].map(|half| load_points(part(block, half)));
            if is_none(or(not_scalar(halves[0]), not_scalar(halves[1]))) {
                for points in halves {
                    speller.write_points::<By<true, 0>>(speller.points::<u32>(points, || None)?, out);
                }
                return Some(());
            }
            let low = answers.points(halves[0], Some(block[8]))?;
            let high = answers.points(halves[1], next)?;
            speller.write_points::<By<false, 0>>(low, out);
            speller.write_points::<By<false, 1>>(high, out);
            Some(())
        }),
    }
}

/// Write blocks of units, of which a function says how they are written, given the unit behind them.
#[inline]
#[vectors]
fn write_units<const ARE_SCALAR: bool>(
    points: &[u16],
    speller: &Speller<'_, true, false>,
    units: impl Fn(Vector, Option<u16>) -> Option<Units>,
    out: &mut Output<'_, u8>,
) -> usize {
    let mut start = 0;
    // Behind a longer sequence few blocks are as short.
    if points.first().is_some_and(|&first| first < 0x800) {
        start = each_block(points, |block, next| {
            let units = units(load_units(block), next)?;
            let are_short = is_all(units.up_to_two);
            are_short.then(|| speller.write_shaped::<By<ARE_SCALAR, 0>>(&units, Shape::UpToTwo, out))
        });
    }
    let rest = &points[start..];
    start
        + each_block(rest, |block, next| {
            speller.write_shaped::<By<ARE_SCALAR, 1>>(&units(load_units(block), next)?, Shape::Mixed, out);
            Some(())
        })
}

/// Write the units behind the blocks, which have no surrogates, as another block, unless they are few; return how many.
#[inline]
#[vectors]
fn write_rest(points: &[u16], at: usize, speller: &Speller<'_, true, false>, out: &mut Output<'_, u8>) -> usize {
    let count = points.len() - at;
    if at == 0 || !(FEW..BLOCK).contains(&count) {
        return 0;
    }
    let Some(units) = speller.units::<u64>(last_units(points, count), || None) else { return 0 };
    let shape = if is_all(units.up_to_two) { Shape::UpToTwo } else { Shape::Mixed };
    speller.write_shaped::<By<true, 2>>(&Units { written: count, ..units }, shape, out);
    count
}

/// The last units of a text of more than a block, fewer than a block, and 0 behind them.
#[inline]
#[vectors]
fn last_units(points: &[u16], count: usize) -> Vector {
    let (low, high) = (count.min(8), count.saturating_sub(8));
    let until = |end: usize, count: usize| {
        let eight = halves(load_units(points[..end].last_chunk().expect("a block")))[1];
        shuffle_half(eight, load_16(part(&MOVED, 2 * (8 - count))))
    };
    joined(until(points.len() - high, low), until(points.len(), high))
}

/// Places of bytes of which the first are left out, and places for 0 behind them.
static MOVED: [u8; 32] = {
    let (mut places, mut at) = ([NIL; 32], 0);
    while at < 16 {
        places[at] = at as u8;
        at += 1;
    }
    places
};

/// Whether surrogates are answered with their blocks.
pub fn answers(instead: Instead) -> bool {
    matches!(instead, Instead::Mark | Instead::Byte(_) | Instead::Sequence { .. })
}

/// What is written instead of surrogates with their blocks.
struct Answers {
    /// The first code point that becomes one byte, and how many more do.
    singles: (u32, u32),
    /// The bits of these that are written, and those that are set.
    kept: u8,
    set: u8,
    /// Whether surrogates are written as their sequences; where pairs are joined, not those.
    leaves: bool,
    joins: bool,
}

impl Answers {
    #[inline]
    fn new(instead: Instead) -> Self {
        let within = |(first, last): Range| (first, last - first);
        // U+0000 is one byte anyway.
        let none = Answers { singles: (0, 0), kept: 0, set: 0, leaves: false, joins: false };
        match instead {
            Instead::Mark => Answers { singles: within(SURROGATES), set: b'?', ..none },
            Instead::Byte(range) => Answers { singles: within(range), kept: 0xFF, ..none },
            Instead::Sequence { joins } => Answers { leaves: true, joins, ..none },
            Instead::Stop | Instead::Nothing | Instead::Escape => none,
        }
    }

    /// Sixteen units and how they are written, given the one behind them; None if one is not answered.
    #[inline]
    #[vectors]
    fn units(&self, points: Vector, next: Option<u16>) -> Option<Units> {
        let (first, more) = self.singles;
        let singles = at_most_16(sub_16(points, each_16(first as u16)), each_16(more as u16));
        let answered = or(singles, each_8(u8::from(self.leaves).wrapping_neg()));
        if !is_none(not_and(answered, surrogates_16(points))) || self.joins && has_pair_16(points, next) {
            return None;
        }
        let bytes = or(and(points, each_16(self.kept.into())), each_16(self.set.into()));
        let points = blend(points, bytes, singles);
        let [one, up_to_two] = [0x7F, 0x7FF].map(|last| or(singles, at_most_16(points, each_16(last))));
        Some(Units { points, one, up_to_two, missing: zero(), written: BLOCK })
    }

    /// The same of eight values.
    #[inline]
    #[vectors]
    fn points(&self, points: Vector, next: Option<u32>) -> Option<Points> {
        let (first, more) = self.singles;
        let singles = at_most_32(sub_32(points, each_32(first)), each_32(more));
        let answered = or(singles, each_8(u8::from(self.leaves).wrapping_neg()));
        let others = or(beyond(points), not_and(answered, surrogates_32(points)));
        if !is_none(others) || self.joins && has_pair_32(points, next) {
            return None;
        }
        let bytes = or(and(points, each_32(self.kept.into())), each_32(self.set.into()));
        let points = blend(points, bytes, singles);
        let [two, three, most] = [0x7F, 0x7FF, 0xFFFF].map(|last| not_and(singles, greater_32(points, each_32(last))));
        Some(Points { points, two_or_three: xor(two, most), three, most, missing: zero(), written: BLOCK / 2 })
    }
}

/// Whether a trail is behind a lead among sixteen units, or behind all of them.
#[inline]
#[vectors]
fn has_pair_16(points: Vector, next: Option<u16>) -> bool {
    let of = |range: Range| mask(equal_16(and(points, each_16(0xFC00)), each_16(range.0 as u16)));
    let next = next.is_some_and(|unit| holds(TRAILS, unit.into()));
    of(LEADS) & (of(TRAILS) >> 2 | u32::from(next) << 30) != 0
}

/// The same of eight values.
#[inline]
#[vectors]
fn has_pair_32(points: Vector, next: Option<u32>) -> bool {
    let of = |range: Range| mask(equal_32(and(points, each_32(!0x3FF)), each_32(range.0)));
    let next = next.is_some_and(|point| holds(TRAILS, point));
    of(LEADS) & (of(TRAILS) >> 4 | u32::from(next) << 28) != 0
}

/// Whether there are no surrogates in the blocks of a text.
#[inline]
#[vectors]
fn are_scalar(points: &[u16]) -> bool {
    let (blocks, _) = points.as_chunks();
    let blocks = blocks.iter().chain(points.last_chunk());
    is_none(blocks.fold(zero(), |some, block| or(some, surrogates_16(load_units(block)))))
}

/// The surrogates among sixteen units.
#[inline]
#[vectors]
fn surrogates_16(units: Vector) -> Vector {
    let upper = and(units, each_16(0xF800));
    equal_16(upper, each_16(SURROGATES.0 as u16))
}

/// The surrogates among eight values.
#[inline]
#[vectors]
fn surrogates_32(points: Vector) -> Vector {
    let upper = and(points, each_32(!0x7FF));
    equal_32(upper, each_32(SURROGATES.0))
}

/// Those of eight values that are beyond Unicode.
#[inline]
#[vectors]
fn beyond(points: Vector) -> Vector {
    at_least_32(points, each_32(0x11_0000))
}

/// Those of eight values that are not scalar values.
#[inline]
#[vectors]
fn not_scalar(points: Vector) -> Vector {
    or(surrogates_32(points), beyond(points))
}

/// Pass a text to a function block by block, with what is behind each, until it takes one no more; return how many code
/// points it took.
#[inline]
fn each_block<T: Copy>(points: &[T], mut take: impl FnMut(&[T; BLOCK], Option<T>) -> Option<()>) -> usize {
    let mut at = 0;
    while let Some(block) = points[at..].first_chunk()
        && take(block, points.get(at + BLOCK).copied()).is_some()
    {
        at += BLOCK;
    }
    at
}
