//! Surrogate pairs among code points: a lead directly followed by a trail. This file finds the pairs that a target
//! joins; the kernels count them.

use crate::code_point::{LEADS, TRAILS, holds, joined};
use crate::form::Form;
use crate::kernels::Text;

/// A lead that must see what follows it, and its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The lead.
    pub code_point: u32,
    /// The offset where it starts.
    pub start: usize,
    /// The offset where it ends.
    pub end: usize,
}

/// Pairs that a target has joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The number of pairs.
    pub count: usize,
    /// The first pair: its supplementary code point, and its place in the source.
    pub first: Option<Held>,
}

impl Form {
    /// The first pair from an index on that the form writes as one code point: its index and that code point.
    #[must_use]
    pub fn next_joined(&self, text: Text<'_>, start: usize) -> Option<(usize, u32)> {
        let mut from = start;
        while let Some(at) = next_pair(text, from) {
            let code_point = joined(text.at(at), text.at(at + 1));
            if self.has(code_point) {
                return Some((at, code_point));
            }
            from = at + 2;
        }
        None
    }
}

/// The index of the first pair from an index on.
fn next_pair(text: Text<'_>, start: usize) -> Option<usize> {
    let is_pair = |&at: &usize| holds(LEADS, text.at(at)) && holds(TRAILS, text.at(at + 1));
    match text {
        Text::One(_) => None,
        _ => (start..text.len().saturating_sub(1)).find(is_pair),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::count_pairs;

    /// More code points than are counted at once.
    const STRETCH: usize = 0x8000;

    /// Code points in a fixed pseudo-random order; many are surrogates.
    fn soup(length: usize) -> Vec<u16> {
        let alphabet = [0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0x41];
        let mut state = 1_u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            alphabet[(state >> 16) as usize % alphabet.len()]
        };
        (0..length).map(next).collect()
    }

    #[test]
    fn counting_finds_what_searching_finds() {
        for length in [0, 1, 2, 3, 17, STRETCH - 1, STRETCH, STRETCH + 1, 2 * STRETCH + 5] {
            let two = soup(length);
            let four: Vec<u32> = two.iter().copied().map(u32::from).collect();
            for text in [Text::Two(&two), Text::Four(&four)] {
                let (mut found, mut at) = (0, 0);
                while let Some(pair) = next_pair(text, at) {
                    (found, at) = (found + 1, pair + 2);
                }
                assert_eq!(count_pairs(text), found, "{length}");
            }
        }
    }

    #[test]
    fn nothing_but_pairs_is_counted_whole() {
        let units: Vec<u16> = (0..4 * STRETCH).map(|at| if at % 2 == 0 { 0xD83D } else { 0xDE00 }).collect();
        assert_eq!(count_pairs(Text::Two(&units)), 2 * STRETCH);
    }
}
