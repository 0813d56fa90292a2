//! Searches for values in ranges, in blocks without branches that the compiler vectorizes.

use super::fetch::fetch_block;
use super::measured::{Measured, Width};
use super::text::Text;
use super::words::{FOUR, THREE, TWO};
use crate::code_point::{Range, holds};
use crate::derive::agreement::Agreement;

const BLOCK: usize = 64;
/// What is left behind the last of them is looked at in blocks of so many.
const LITTLE_BLOCK: usize = 16;

/// Code points that are searched for one range after another.
const PIECE: usize = 1 << 12;

/// Up to this length, the end of a run is found faster byte by byte.
const SHORT_RUN: usize = 16;

/// The offset of the first byte that lies in one of the ranges.
#[must_use]
pub fn find_byte(data: &[u8], ranges: &[(u8, u8)]) -> Option<usize> {
    ranges.iter().filter_map(|&(low, high)| first(data, |byte| byte.wrapping_sub(low) <= high - low)).min()
}

/// The number of bytes, from the first on, that each lie in one of the ranges.
#[must_use]
pub(crate) fn run_length(data: &[u8], ranges: &[Range]) -> usize {
    let is_inside = |&byte: &u8| ranges.iter().any(|&range| holds(range, byte.into()));
    let each = |data: &[u8]| data.iter().take_while(|byte| is_inside(byte)).count();
    let mut at = each(&data[..data.len().min(SHORT_RUN)]);
    if at < SHORT_RUN {
        return at;
    }
    while let Some(block) = data[at..].first_chunk::<BLOCK>()
        && are_inside(block, ranges)
    {
        fetch_block(block);
        at += BLOCK;
    }
    at + each(&data[at..])
}

/// Whether every byte of a block lies in one of the ranges.
fn are_inside(block: &[u8; BLOCK], ranges: &[Range]) -> bool {
    let mut inside = [0; BLOCK];
    for &(low, high) in ranges.iter().filter(|range| range.0 <= range.1.min(0xFF)) {
        let (low, high) = (low as u8, high.min(0xFF) as u8);
        for (inside, byte) in inside.iter_mut().zip(block) {
            *inside |= u8::from(byte.wrapping_sub(low) <= high - low);
        }
    }
    inside.iter().fold(1, |all, is_inside| all & is_inside) == 1
}

/// The offset of the first two bytes that match one of the pairs (a byte, then a range).
#[must_use]
pub fn find_pair(data: &[u8], pairs: &[(u8, (u8, u8))]) -> Option<usize> {
    pairs.iter().filter_map(|&(lead, seconds)| one_pair(data, lead, seconds)).min()
}

fn one_pair(data: &[u8], lead: u8, (low, high): (u8, u8)) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = first(&data[at..], |byte| byte == lead) {
        at += found;
        match data.get(at + 1) {
            Some(second) if second.wrapping_sub(low) <= high - low => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Whether a code point lies in one of the ranges.
#[must_use]
pub fn has_point(text: Text<'_>, ranges: &[(u32, u32)]) -> bool {
    // All ranges are looked for in a piece while it is in the first-level cache.
    (0..text.len()).step_by(PIECE).any(|start| {
        let piece = text.slice(start, text.len().min(start + PIECE));
        ranges.iter().any(|&range| has_any(piece, range))
    })
}

/// Whether a code point lies in a range.
#[inline]
fn has_any(text: Text<'_>, (low, high): (u32, u32)) -> bool {
    match text {
        Text::One(points) => u8::try_from(low).is_ok_and(|low| {
            let high = u8::try_from(high).unwrap_or(u8::MAX);
            any(points, |point| point.wrapping_sub(low) <= high - low)
        }),
        Text::Two(points) => u16::try_from(low).is_ok_and(|low| {
            let high = u16::try_from(high).unwrap_or(u16::MAX);
            any(points, |point| point.wrapping_sub(low) <= high - low)
        }),
        Text::Four(points) => any(points, |point| point.wrapping_sub(low) <= high - low),
    }
}

#[inline]
fn any<T: Copy>(data: &[T], is_meant: impl Fn(T) -> bool) -> bool {
    data.chunks(BLOCK).any(|block| block.iter().fold(false, |found, &each| found | is_meant(each)))
}

#[inline]
pub(super) fn first<T: Copy>(data: &[T], is_meant: impl Fn(T) -> bool) -> Option<usize> {
    let mut at = passed::<T, BLOCK>(data, &is_meant);
    at += passed::<T, LITTLE_BLOCK>(&data[at..], &is_meant);
    data[at..].iter().position(|&each| is_meant(each)).map(|found| at + found)
}

/// The length of the blocks, from the first on, in which nothing is meant.
#[inline]
fn passed<T: Copy, const MANY: usize>(data: &[T], is_meant: impl Fn(T) -> bool) -> usize {
    let has_none = |block: &&[T; MANY]| !block.iter().fold(false, |found, &each| found | is_meant(each));
    MANY * data.as_chunks().0.iter().take_while(has_none).count()
}

impl Agreement {
    /// A byte below which none parts.
    pub(super) fn least_parting(&self) -> u8 {
        let leads = self.leads.iter().map(|&(low, _)| low).chain(self.pairs.iter().map(|&(lead, _)| lead));
        if self.worthwhile { leads.min().unwrap_or(u8::MAX) } else { 0 }
    }

    /// Whether sequences of two bytes part, of which a text beyond ASCII is likely to have one.
    pub(super) fn parts_at_twos(&self) -> bool {
        self.leads.iter().any(|&(low, high)| low < THREE && high >= TWO)
    }

    /// Whether a text of UTF-8 is the same text in the form.
    pub(super) fn shares(&self, text: &Measured<'_>) -> bool {
        let has_none = || text.width() < Width::Ucs4 && self.least_parting() >= FOUR;
        self.is_total() || has_none() || self.before_parting(text.text().as_bytes()) == text.text().len()
    }

    /// The length of the text before the first parting byte.
    #[must_use]
    pub fn before_parting(&self, data: &[u8]) -> usize {
        if !self.worthwhile {
            return 0;
        }
        let end = find_byte(data, &self.leads).unwrap_or(data.len());
        if self.pairs.is_empty() { end } else { find_pair(&data[..end], &self.pairs).unwrap_or(end) }
    }
}

impl Text<'_> {
    /// The index of the first code point that satisfies a predicate, which must be false for all up to U+00FF.
    #[inline]
    pub(super) fn first_of(self, is_meant: impl Fn(u32) -> bool) -> Option<usize> {
        match self {
            Text::One(_) => None,
            Text::Two(points) => first(points, |point| is_meant(point.into())),
            Text::Four(points) => first(points, is_meant),
        }
    }
}
