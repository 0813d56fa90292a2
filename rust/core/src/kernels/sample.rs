//! What a text is likely to be, by some blocks of it.

use super::masks::LANES;
use super::plain::{self, Point};
use super::text::Text;
use crate::code_point::{Range, SURROGATES};
use crate::derive::instead::Instead;

/// So many blocks are looked at, at equal distances.
const BLOCKS: usize = 8;
/// Their code points.
const POINTS: usize = BLOCKS * LANES;
/// No code points.
const NONE: Range = (u32::MAX, u32::MAX);

/// How many of some code points of a text are of some kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Surrogates, and what else something is written instead of.
    others: usize,
    /// What takes more than one byte in UTF-8.
    long: usize,
    /// What takes two.
    twos: usize,
    /// What takes as many bytes as the one before does not.
    changes: usize,
}

impl Sample {
    /// Look at a text in which something is written instead of surrogates.
    #[must_use]
    pub fn of(text: Text<'_>, instead: Instead) -> Self {
        let escapes = if let Instead::Byte(range) = instead { range } else { NONE };
        match text {
            Text::One(points) => of_points(points, escapes),
            Text::Two(points) => of_points(points, escapes),
            Text::Four(points) => of_points(points, escapes),
        }
    }

    /// Whether there is more than one of what something is written instead of.
    #[must_use]
    pub fn has_some(&self) -> bool {
        self.others > 1
    }

    /// Whether most words are ASCII, or all of three or of four bytes, and hold nothing of that.
    #[must_use]
    pub fn is_even_with_few(&self) -> bool {
        self.others <= POINTS / 32 && self.twos <= POINTS / 8 && self.changes <= POINTS / 16
    }

    /// Whether there is some of that, and all else is ASCII.
    #[must_use]
    pub fn is_ascii_with_some(&self) -> bool {
        self.has_some() && self.long <= self.others
    }
}

fn of_points<P: Point>(points: &[P], escapes: Range) -> Sample {
    let step = LANES.max(points.len() / BLOCKS);
    let mut sample = Sample::default();
    for block in points.chunks(step).filter_map(|part| part.first_chunk::<LANES>()).take(BLOCKS) {
        let lengths = plain::lengths(block);
        let is_other = |&point: &P| plain::is_in(SURROGATES, point) | plain::is_in(escapes, point);
        sample.others += count(&block.each_ref().map(is_other));
        sample.long += count(&lengths.map(|length| length > 1));
        sample.twos += count(&lengths.map(|length| length == 2));
        sample.changes += count::<{ LANES - 1 }>(&std::array::from_fn(|at| lengths[at] != lengths[at + 1]));
    }
    sample
}

/// How many are true.
#[inline(always)]
fn count<const COUNT: usize>(are: &[bool; COUNT]) -> usize {
    are.iter().fold(0_u8, |sum, &is| sum + u8::from(is)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str, escapes: Instead) -> Sample {
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        Sample::of(Text::Four(&points), escapes)
    }

    #[test]
    fn kinds_of_code_points_are_counted() {
        let of = |text: &str| sample(&text.repeat(1000), Instead::Stop);
        assert_eq!(of("abcdefgh"), Sample::default());
        let half = POINTS / 2;
        assert_eq!(of("aé"), Sample { long: half, twos: half, changes: POINTS - BLOCKS, ..Sample::default() });
        assert_eq!(of("😀"), Sample { long: POINTS, ..Sample::default() });
        let escaped = sample(&"a\u{F780}".repeat(1000), Instead::Byte((0xF780, 0xF7FF)));
        assert_eq!((escaped.others, escaped.long, escaped.twos), (half, half, 0));
        assert!(escaped.is_ascii_with_some() && !escaped.is_even_with_few());
    }

    #[test]
    fn surrogates_are_counted_in_any_kind_of_text() {
        let mut units = [0x61_u16; POINTS];
        units[LANES * 3 + 5] = 0xDFFF;
        units[LANES * 7] = 0xD800;
        let two = Sample::of(Text::Two(&units), Instead::Mark);
        assert_eq!(two, Sample { others: 2, long: 2, twos: 0, changes: 3 });
        assert_eq!(Sample::of(Text::Four(&units.map(u32::from)), Instead::Mark), two);
        assert!(two.has_some() && two.is_ascii_with_some() && two.is_even_with_few());
    }

    #[test]
    fn little_text_says_little() {
        assert_eq!(Sample::of(Text::Two(&[0xDC80; 3 * LANES - 1]), Instead::Mark).others, 2 * LANES);
        assert_eq!(Sample::of(Text::Four(&[0xD800; LANES - 1]), Instead::Mark), Sample::default());
        assert_eq!(Sample::of(Text::One(&[]), Instead::Mark), Sample::default());
    }
}
