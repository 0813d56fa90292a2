//! The bytes that are written instead of a surrogate, or of an escape.

use super::plain::{self, Point};
use super::text::Text;
use crate::code_point::{LEADS, SURROGATES, TRAILS, holds};
use crate::derive::instead::{Instead, RARE};
use crate::policy::backslashed;

/// As many bytes as an answer is written with.
pub const ANSWER: usize = 16;

/// The length of the escape of a surrogate, the longest answer.
pub const ESCAPE: usize = r"\uDC80".len();

/// The bytes of a code point that is rare, as a number, the first lowest, and how many these are.
pub type Answer = Option<(u128, usize)>;

impl Instead {
    /// Whether a code point that is rare is written as in UTF-8.
    #[inline]
    pub fn leaves(&self, point: u32) -> bool {
        !holds(SURROGATES, point) && !matches!(*self, Instead::Byte(range) if holds(range, point))
    }

    /// What is written for the code point at an index, if it is rare.
    #[inline]
    pub fn at(self, text: Text<'_>, at: usize) -> Answer {
        match text {
            Text::One(points) => self.of(points, at),
            Text::Two(points) => self.of(points, at),
            Text::Four(points) => self.of(points, at),
        }
    }

    /// The same in a known kind of str.
    // As a call, it took a quarter more time where four of 64 code points are surrogates.
    #[inline(always)]
    pub fn of<P: Point>(&self, points: &[P], at: usize) -> Answer {
        let point = points[at].into();
        if !holds(RARE, point) {
            return None;
        }
        if self.leaves(point) {
            return Some((plain::three(point).into(), 3));
        }
        match *self {
            Instead::Nothing => Some((0, 0)),
            Instead::Mark => Some((b'?'.into(), 1)),
            Instead::Escape => Some(backslashed(point)),
            Instead::Byte(range) if holds(range, point) => Some((u128::from(point & 0xFF), 1)),
            Instead::Sequence { joins } if !(joins && is_pair(points, at)) => Some((plain::three(point).into(), 3)),
            _ => None,
        }
    }
}

/// Whether a lead stands at an index, and a trail behind it. Both are asked at once: what kind of surrogate stands
/// there cannot be foreseen, but pairs are rare.
#[inline(always)]
pub fn is_pair<P: Point>(points: &[P], at: usize) -> bool {
    holds(LEADS, points[at].into()) & points.get(at + 1).is_some_and(|&next| holds(TRAILS, next.into()))
}
