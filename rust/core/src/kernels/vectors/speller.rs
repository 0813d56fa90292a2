//! What a spelling says of each code point of a block: how many bytes it takes, and its payload bits.
//!
//! Nothing is written here.

use eightfold_features::vectors;

use super::machine::*;
use crate::code_point::{LEADS, Range, TRAILS};
use crate::derive::spelling::Spelling;
use crate::policy::Lacking;

/// Sixteen code points below U+10000, with the lanes that are written as one byte, and as two at most.
pub struct Units {
    pub points: Vector,
    pub one: Vector,
    pub up_to_two: Vector,
    /// The lanes that the form lacks; they hold `?`.
    pub missing: Vector,
    /// The number of lanes, from the first on, that are written.
    pub written: usize,
}

/// Eight code points, with the lanes that are written as two or three bytes, as three at least, and as the most.
pub struct Points {
    pub points: Vector,
    pub two_or_three: Vector,
    pub three: Vector,
    pub most: Vector,
    /// As in [`Units`].
    pub missing: Vector,
    pub written: usize,
}

impl Units {
    /// The lanes before the first that the form lacks.
    #[inline]
    #[vectors]
    fn before_missing(self) -> Self {
        let written = mask(self.missing).trailing_zeros() as usize / 2;
        let places = load_units(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let kept = greater_16(each_16(written as u16), places);
        let points = blend(each_16(b'?'.into()), self.points, kept);
        let [one, up_to_two] = [self.one, self.up_to_two].map(|lanes| or(lanes, xor(kept, each_8(0xFF))));
        Units { points, one, up_to_two, written, ..self }
    }
}

impl Points {
    /// As [`Units::before_missing`].
    #[inline]
    #[vectors]
    fn before_missing(self) -> Self {
        let written = mask(self.missing).trailing_zeros() as usize / 4;
        let kept = greater_32(each_32(written as u32), load_points(&[0, 1, 2, 3, 4, 5, 6, 7]));
        let points = blend(each_32(b'?'.into()), self.points, kept);
        let [two_or_three, three, most] = [self.two_or_three, self.three, self.most].map(|lanes| and(lanes, kept));
        Points { points, two_or_three, three, most, written, ..self }
    }
}

/// A range of code points as vectors to compare with.
struct Band {
    /// Whether there is any, and whether some are below U+10000.
    is_there: [bool; 2],
    /// The first and how many more there are, in lanes of 16 bits and of 32.
    of_16: [Vector; 2],
    of_32: [Vector; 2],
}

impl Band {
    #[inline]
    #[vectors]
    fn new(range: Option<Range>) -> Self {
        let (first, last) = range.unwrap_or((u32::MAX, u32::MAX));
        Band {
            is_there: [range.is_some(), first <= 0xFFFF],
            of_16: [first, last.min(0xFFFF).wrapping_sub(first)].map(|value| each_16(value as u16)),
            of_32: [first, last - first].map(|value| each_32(value)),
        }
    }

    /// Sixteen code points of which some are in it.
    #[inline]
    #[vectors]
    fn units(&self, points: Vector) -> Vector {
        if !self.is_there[1] {
            return zero();
        }
        up_to_16(sub_16(points, self.of_16[0]), self.of_16[1])
    }

    /// Eight code points of which some are in it.
    #[inline]
    #[vectors]
    fn points(&self, points: Vector) -> Vector {
        if !self.is_there[0] {
            return zero();
        }
        let index = sub_32(points, self.of_32[0]);
        at_most_32(index, self.of_32[1])
    }
}

/// The lanes that are at most those of another vector.
#[inline]
#[vectors]
fn up_to_16(points: Vector, last: Vector) -> Vector {
    at_most_16(points, last)
}

/// The upper bits of a lead, and the upper bits of a trail where the other bits of the lead are.
const PAIR: u32 = LEADS.0 | TRAILS.0 >> 10;

/// The lanes of sixteen leads with a trail one further.
#[inline]
#[vectors]
fn pairs_16(points: Vector, next: Vector) -> Vector {
    let upper = and(points, each_16(!0x3FF));
    let both = or(upper, right_16::<10>(next));
    equal_16(both, each_16(PAIR as u16))
}

/// The same of eight code points.
#[inline]
#[vectors]
fn pairs_32(points: Vector, next: Vector) -> Vector {
    // Beyond U+FFFF a bit is set that no lead has.
    let upper = and(points, each_32(!0x3FF));
    let both = or(upper, right_32::<10>(next));
    equal_32(both, each_32(PAIR))
}

/// A spelling, with what each block needs of it. What only a spelling that is not plain needs is compiled out for
/// others, and so is what only one needs that has answers for what is missing.
pub struct Speller<'a, const IS_PLAIN: bool, const ANSWERS: bool> {
    pub spelling: &'a Spelling,
    /// The last code points of one, of two and of three bytes, in lanes of 16 bits and of 32.
    lasts_16: [Vector; 3],
    lasts_32: [Vector; 3],
    /// Two ranges that hold what is missing: the spelling's own or, if it has more, one that spans those below the
    /// surrogates and one that spans the others.
    missing: [Band; 2],
    /// The bytes written for what is missing; None if that needs a closer look.
    pub answer: Option<usize>,
    /// Whether that is not a single byte, so that the lanes are cut there.
    pub is_cut: bool,
    joins: bool,
    escapes: Band,
    is_shifted: bool,
    beyond_gap: Band,
    /// Whether ASCII except U+0000 is written as it stands.
    keeps_ascii: bool,
    /// Whether code points from U+10000 on are written as in UTF-8, or as surrogates.
    keeps_supplementary: bool,
    /// Whether what is not an escape is written as four bytes beyond U+FFFF only, and as one if it is ASCII.
    tells_fours: bool,
}

/// Whether a spelling is that of UTF-8, except for what is missing and for surrogate pairs.
pub fn is_plain(spelling: &Spelling) -> bool {
    !spelling.nul_is_two && !spelling.is_shifted() && spelling.escapes.is_none()
}

impl<'a, const IS_PLAIN: bool, const ANSWERS: bool> Speller<'a, IS_PLAIN, ANSWERS> {
    #[inline]
    #[vectors]
    pub fn new(spelling: &'a Spelling) -> Self {
        let [one, two, three] = spelling.starts.map(|start| start - 1);
        let hull = |ranges: &[Range]| Some((ranges.first()?.0, ranges.last()?.1));
        let is_exact = spelling.missing.len() <= 2;
        let below = if is_exact { 1 } else { spelling.missing.partition_point(|range| range.0 < LEADS.0) };
        let (low, high) = spelling.missing.split_at(below.min(spelling.missing.len()));
        let keeps_ascii = one >= 0x7F && spelling.missing.iter().all(|range| range.0 >= 0x80);
        let has_four_digits = spelling.missing.iter().all(|range| range.0 >= 0x100 && range.1 <= 0xFFFF);
        let answer = match spelling.lacking {
            Lacking::Mark => Some(1),
            Lacking::Nothing => Some(0),
            Lacking::Escape if has_four_digits => Some(r"\uDC80".len()),
            Lacking::Escape | Lacking::Stop => None,
        };
        let answer = answer.filter(|_| is_exact && keeps_ascii);
        // Where the lanes of those stop the kernel anyway.
        let is_joinless = |range: &Range| answer.is_none() && range.0 <= LEADS.0 && LEADS.1 <= range.1;
        let lasts = [one, two, if spelling.splits { 0xFFFF } else { three }];
        let is_below = |range: &Range| range.1 <= 0xFFFF;
        let keeps_supplementary = lasts[2] == 0xFFFF
            && !spelling.is_shifted()
            && spelling.missing.iter().chain(&spelling.escapes).all(is_below);
        Speller {
            spelling,
            lasts_16: lasts.map(|last| each_16(last.min(0xFFFF) as u16)),
            lasts_32: lasts.map(|last| each_32(last.min(0x7FFF_FFFF))),
            missing: [low, high].map(|ranges| Band::new(hull(ranges))),
            is_cut: answer.is_some_and(|bytes| bytes != 1),
            answer,
            joins: spelling.joins && !spelling.missing.iter().any(is_joinless),
            escapes: Band::new(spelling.escapes),
            is_shifted: spelling.is_shifted(),
            beyond_gap: Band::new((spelling.gap.1 > 0).then_some((spelling.gap.0, u32::MAX))),
            keeps_ascii,
            keeps_supplementary,
            tells_fours: keeps_supplementary && keeps_ascii && one == 0x7F && !spelling.splits && !spelling.nul_is_two,
        }
    }

    /// The speller of UTF-8 itself, of which nothing need be derived.
    #[inline]
    #[vectors]
    pub fn of_utf8(spelling: &'a Spelling) -> Self {
        let lasts = [0x7F, 0x7FF, 0xFFFF];
        let nothing = || Band::new(None);
        Speller {
            spelling,
            lasts_16: lasts.map(|last| each_16(last as u16)),
            lasts_32: lasts.map(|last| each_32(last)),
            missing: [nothing(), nothing()],
            is_cut: false,
            answer: None,
            joins: false,
            escapes: nothing(),
            is_shifted: false,
            beyond_gap: nothing(),
            keeps_ascii: true,
            keeps_supplementary: true,
            tells_fours: true,
        }
    }

    /// Whether ASCII code points are written as they stand; `has_nul` says whether U+0000 is among them.
    #[inline]
    pub fn keeps(&self, has_nul: impl Fn() -> bool) -> bool {
        self.keeps_ascii && (self.spelling.nul_is_one || !has_nul())
    }

    /// Whether sixteen code points are all written as supplementary ones are.
    #[inline]
    #[vectors]
    pub fn are_supplementary(&self, [low, high]: [Vector; 2]) -> bool {
        let least = min_32(low, high);
        let below = greater_32(each_32(0x1_0000), least);
        self.keeps_supplementary && is_none(below)
    }

    /// The lanes of eight code points that are written as in UTF-8 by four bytes, if all others are written as one.
    #[inline]
    #[vectors]
    pub fn fours(&self, points: Vector) -> Option<Vector> {
        if !self.tells_fours {
            return None;
        }
        let [longer, fours] = [self.lasts_32[0], each_32(0xFFFF)].map(|last| greater_32(points, last));
        let longer = if IS_PLAIN { longer } else { not_and(self.escapes.points(points), longer) };
        is_none(not_and(fours, longer)).then_some(fours)
    }

    /// Sixteen code points, given also those one further on. None if they need a closer look.
    ///
    /// There is no other branch on what a lane holds: it would be mispredicted as often as not.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[vectors]
    pub fn units<Taker>(&self, points: Vector, next: impl Fn() -> Option<Vector>) -> Option<Units> {
        let missing = or(self.missing[0].units(points), self.missing[1].units(points));
        let mut apart = if ANSWERS && self.answer.is_some() { zero() } else { missing };
        if self.joins {
            apart = or(apart, pairs_16(points, next()?));
        }
        if !is_none(apart) {
            return None;
        }
        let points =
            if ANSWERS && self.answer.is_some() { blend(points, each_16(b'?'.into()), missing) } else { points };
        let [mut one, mut up_to_two, _] = self.lasts_16.map(|last| up_to_16(points, last));
        if !IS_PLAIN {
            let escapes = self.escapes.units(points);
            (one, up_to_two) = (or(one, escapes), or(up_to_two, escapes));
            if self.spelling.nul_is_two {
                one = not_and(equal_16(points, zero()), one);
            }
        }
        Some(Units { points, one, up_to_two, missing, written: 16 })
    }

    /// Eight code points, given also those one further on. None if they need a closer look.
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    #[inline]
    #[vectors]
    pub fn points<Taker>(&self, points: Vector, next: impl Fn() -> Option<Vector>) -> Option<Points> {
        let missing = or(self.missing[0].points(points), self.missing[1].points(points));
        let mut apart = if ANSWERS && self.answer.is_some() { zero() } else { missing };
        if self.joins {
            apart = or(apart, pairs_32(points, next()?));
        }
        if !is_none(apart) {
            return None;
        }
        let points =
            if ANSWERS && self.answer.is_some() { blend(points, each_32(b'?'.into()), missing) } else { points };
        let [mut two, mut three, mut most] = self.lasts_32.map(|last| greater_32(points, last));
        if !IS_PLAIN {
            let escapes = self.escapes.points(points);
            [two, three, most] = [two, three, most].map(|lanes| not_and(escapes, lanes));
            if self.spelling.nul_is_two {
                two = or(two, equal_32(points, zero()));
            }
        }
        Some(Points { points, two_or_three: xor(two, most), three, most, missing, written: 8 })
    }

    /// Whether all lanes are written: the form lacks none, or those it lacks are written as the `?` that they hold.
    #[inline]
    #[vectors]
    pub fn is_whole(&self, missing: Vector) -> bool {
        !ANSWERS || !self.is_cut || is_none(missing)
    }

    /// Sixteen code points, as many as are written as lanes.
    #[inline]
    #[vectors]
    pub fn as_far_as_whole_16(&self, units: Units) -> Units {
        if self.is_whole(units.missing) { units } else { units.before_missing() }
    }

    /// The same for eight.
    #[inline]
    #[vectors]
    pub fn as_far_as_whole_32(&self, block: Points) -> Points {
        if self.is_whole(block.missing) { block } else { block.before_missing() }
    }

    /// The payload bits of sixteen code points.
    #[inline]
    #[vectors]
    pub fn payloads_16(&self, units: &Units) -> Vector {
        if IS_PLAIN || !self.is_shifted {
            return units.points;
        }
        let [two, three] = [0, 1].map(|at| each_16(self.spelling.offsets[at] as u16));
        let offsets = not_and(units.one, blend(three, two, units.up_to_two));
        let beyond = self.beyond_gap.units(units.points);
        let gaps = and(beyond, each_16(self.spelling.gap.1 as u16));
        sub_16(sub_16(units.points, offsets), gaps)
    }

    /// The payload bits of eight code points.
    #[inline]
    #[vectors]
    pub fn payloads_32(&self, block: &Points) -> Vector {
        if IS_PLAIN || !self.is_shifted {
            return block.points;
        }
        let [two, three, four] = self.spelling.offsets.map(|offset| each_32(offset));
        let offsets = blend(and(two, block.two_or_three), three, block.three);
        let offsets = blend(offsets, four, block.most);
        let beyond = self.beyond_gap.points(block.points);
        let gaps = and(beyond, each_32(self.spelling.gap.1));
        sub_32(sub_32(block.points, offsets), gaps)
    }
}
