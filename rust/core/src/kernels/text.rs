//! The code points of a str in its three kinds.

use crate::code_point::{LEADS, TRAILS, holds};

/// The code points of a str, as it holds them.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    /// One byte each.
    One(&'a [u8]),
    /// Two bytes each; a lead and a trail side by side are two code points.
    Two(&'a [u16]),
    /// Four bytes each.
    Four(&'a [u32]),
}

impl<'a> Text<'a> {
    /// How many code points there are.
    #[must_use]
    pub fn len(self) -> usize {
        match self {
            Text::One(points) => points.len(),
            Text::Two(points) => points.len(),
            Text::Four(points) => points.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The code point at an index below the length.
    #[inline]
    #[must_use]
    pub fn at(self, index: usize) -> u32 {
        match self {
            Text::One(points) => u32::from(points[index]),
            Text::Two(points) => u32::from(points[index]),
            Text::Four(points) => points[index],
        }
    }

    /// A limit, or the index before it where that is between a lead and a trail, so that what ends there tears no pair
    /// apart.
    #[inline]
    #[must_use]
    pub fn whole_up_to(self, limit: usize) -> usize {
        let is_torn =
            0 < limit && limit < self.len() && holds(LEADS, self.at(limit - 1)) && holds(TRAILS, self.at(limit));
        limit - usize::from(is_torn)
    }

    /// The code points from `start` to `end`.
    #[must_use]
    pub fn slice(self, start: usize, end: usize) -> Text<'a> {
        match self {
            Text::One(points) => Text::One(&points[start..end]),
            Text::Two(points) => Text::Two(&points[start..end]),
            Text::Four(points) => Text::Four(&points[start..end]),
        }
    }
}
