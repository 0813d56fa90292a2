//! How a byte form writes code points, derived from its rows: the counterpart of [`Layout`]. Nothing here loops over
//! text.

use crate::code_point::{LARGEST_IN_STR, Range, STARTS, SURROGATES, holds, split};
use crate::derive::instead::{Instead, RARE};
use crate::derive::layout::{Layout, PAIR, SURROGATE};
use crate::policy::{ESCAPED, Lacking, Missing};
use crate::tables::{Row, Tables};

/// The two-byte sequence for U+0000 that the kernels know.
const NUL: [Range; 2] = [(0xC0, 0xC0), (0x80, 0x80)];

/// The lengths of code points, and the code points that are written in another way or not at all.
#[derive(Clone, Debug)]
pub struct Spelling {
    /// The first code points of two, three and four bytes.
    pub starts: [u32; 3],
    /// The offsets subtracted from a code point to get the payload of two, three and four bytes.
    pub offsets: [u32; 3],
    /// From the first value on, the second is subtracted from the code point. See [`Layout::gap`].
    pub gap: (u32, u32),
    /// Whether U+0000 is written as the byte 00.
    pub nul_is_one: bool,
    /// Whether U+0000 is written as two bytes.
    pub nul_is_two: bool,
    /// Whether supplementary code points are written as a surrogate pair, each of three bytes.
    pub splits: bool,
    /// Code points that are written as their lowest byte alone.
    pub escapes: Option<Range>,
    /// Whether a lead followed by a trail is written differently from the two of them.
    pub joins: bool,
    /// Code points that the form lacks, as ranges in order.
    pub missing: Vec<Range>,
    /// What the kernels write for them.
    pub lacking: Lacking,
    /// What is written instead of what is rare in text that is otherwise written as in UTF-8.
    pub instead: Instead,
}

impl Spelling {
    /// The spelling of a form that has a layout; None if its rows say something else.
    pub(crate) fn new(tables: &Tables, layout: &Layout) -> Option<Spelling> {
        let is_escape = |row: &&Row| row.ranges == [(0x80, 0xFF)];
        let is_nul = |row: &&Row| row.first == 0 && row.ranges == NUL && layout.offsets[0] == 0;
        let is_pair = |row: &&Row| row.first == 0x1_0000 && row.ranges == PAIR;
        let (special, plain): (Vec<&Row>, Vec<&Row>) =
            tables.rows.iter().partition(|row| is_escape(row) || is_nul(row) || is_pair(row));
        let start = |length: usize| plain.iter().filter(|row| row.ranges.len() == length).map(|row| row.first).min();
        let escape = special.iter().find(|row| is_escape(row));
        let mut spelling = Spelling {
            starts: [2, 3, 4].map(|length| start(length).unwrap_or(u32::MAX)),
            offsets: layout.offsets,
            gap: (layout.gap.0.wrapping_add(layout.gap.1), layout.gap.1),
            nul_is_one: layout.has_nul,
            nul_is_two: special.iter().any(is_nul),
            splits: special.iter().any(is_pair),
            escapes: escape.map(|row| (row.first, row.last)),
            joins: tables.joins_pairs,
            missing: missing(tables),
            lacking: Lacking::Stop,
            instead: Instead::Stop,
        };
        spelling.begin_as_usual();
        spelling.instead = spelling.instead_of_rare();
        let whole_byte = escape.is_none_or(|row| row.first & 0xFF == 0x80);
        // Only rows beyond Unicode, which no str holds, may be longer than the spelling allows.
        let tells = |row: &&Row| {
            row.first > LARGEST_IN_STR
                || [row.first, row.last.min(LARGEST_IN_STR)].into_iter().all(|point| spelling.tells(row, point))
        };
        // Lanes of one byte hold at most two, and lanes of two bytes at most three.
        let fit_lanes = spelling.starts[1] > 0xFF && spelling.starts[2] > 0xFFFF;
        // The kernels split only into halves that take three bytes each in UTF-8.
        let are_split = !spelling.splits || spelling.starts[..2] == STARTS[..2] && !spelling.is_shifted();
        (whole_byte && fit_lanes && are_split && plain.iter().all(tells)).then_some(spelling)
    }

    /// Move the starts of the lengths to those of UTF-8, as far as the form lacks the code points whose length this
    /// changes.
    fn begin_as_usual(&mut self) {
        let lengths = if self.splits { 2 } else { 3 };
        for (place, usual) in STARTS.into_iter().enumerate().take(lengths) {
            let between = (usual, self.starts[place].min(LARGEST_IN_STR + 1).saturating_sub(1));
            if !self.is_shifted() && usual <= between.1 && self.missing_at(between).is_some() {
                self.starts[place] = usual;
            }
        }
    }

    /// The spelling under a policy, as far as the kernels implement it; `surrogates` are the ranges that the form's
    /// tables assign to surrogates.
    pub(crate) fn under(&self, policy: Missing, surrogates: Option<&[Range]>) -> Spelling {
        let mut spelling = Spelling { lacking: Lacking::under(policy), ..self.clone() };
        match policy {
            Missing::SurrogateEscape if self.escapes.is_none() && spelling.knows(ESCAPED) => {
                spelling.escapes = Some(ESCAPED);
            }
            Missing::SurrogatePass if surrogates == Some(&SURROGATE) && self.writes_surrogates() => {
                spelling.knows(SURROGATES);
            }
            _ => {}
        }
        spelling.instead = spelling.instead_of_rare();
        spelling
    }

    fn instead_of_rare(&self) -> Instead {
        let lacks_all = !self.joins && self.missing == [SURROGATES];
        match (self.lacking, self.escapes) {
            (Lacking::Mark, _) if lacks_all => Instead::Mark,
            (Lacking::Nothing, _) if lacks_all => Instead::Nothing,
            (Lacking::Escape, _) if lacks_all => Instead::Escape,
            (_, Some(range)) if !self.joins && RARE.0 <= range.0 && range.1 <= RARE.1 => Instead::Byte(range),
            (_, None) if self.missing.is_empty() && self.writes_surrogates() => Instead::Sequence { joins: self.joins },
            _ => Instead::Stop,
        }
    }

    /// Whether the spelling would write surrogates as generalized UTF-8 does.
    fn writes_surrogates(&self) -> bool {
        let written = |point| self.length(point) == 3 && self.payload(point, 3) == point;
        written(SURROGATES.0) && written(SURROGATES.1)
    }

    /// Remove a range from `missing`; returns false if part of it is not missing.
    fn knows(&mut self, (first, last): Range) -> bool {
        let Some(place) = self.missing_at((first, last)) else { return false };
        let (low, high) = self.missing[place];
        let rest = [(low, first.wrapping_sub(1)), (last + 1, high)];
        self.missing.splice(place..=place, rest.into_iter().filter(|range| range.0 <= range.1));
        true
    }

    /// The index of the missing range that contains a range.
    fn missing_at(&self, (first, last): Range) -> Option<usize> {
        self.missing.iter().position(|range| range.0 <= first && last <= range.1)
    }

    /// Whether the payload of some code points differs from their value.
    #[inline]
    #[must_use]
    pub fn is_shifted(&self) -> bool {
        self.offsets != [0; 3] || self.gap.1 > 0
    }

    /// The length of a code point that is not an escape and is not split.
    #[inline]
    #[must_use]
    pub fn length(&self, code_point: u32) -> usize {
        1 + self.starts.iter().filter(|&&start| code_point >= start).count()
            + usize::from(self.nul_is_two && code_point == 0)
    }

    /// The payload of a code point of the given length.
    #[inline]
    #[must_use]
    pub fn payload(&self, code_point: u32, length: usize) -> u32 {
        let shift = if code_point >= self.gap.0 { self.gap.1 } else { 0 };
        code_point.wrapping_sub(shift).wrapping_sub(if length > 1 { self.offsets[length - 2] } else { 0 })
    }

    /// The bytes that carry a payload, the first byte lowest.
    #[inline]
    fn sequence(payload: u32, length: usize) -> u32 {
        // Composed as a number: a load of several bytes would have to wait for bytes stored one by one.
        let tail = |place: u32| 0x80 | (payload >> (6 * place) & 0x3F);
        match length {
            1 => payload,
            2 => 0xC0 | payload >> 6 | tail(0) << 8,
            3 => 0xE0 | payload >> 12 | tail(1) << 8 | tail(0) << 16,
            _ => 0xF0 | payload >> 18 | tail(2) << 8 | tail(1) << 16 | tail(0) << 24,
        }
    }

    /// Whether the form lacks a code point.
    #[inline]
    #[must_use]
    pub fn lacks(&self, code_point: u32) -> bool {
        self.missing.iter().any(|&range| holds(range, code_point))
    }

    /// The bytes of a single code point as a number, the first lowest, and how many these are; None if the form lacks
    /// it.
    #[inline]
    #[must_use]
    pub fn spelt(&self, code_point: u32) -> Option<(u64, usize)> {
        if self.lacks(code_point) {
            return None;
        }
        Some(if self.escapes.is_some_and(|range| holds(range, code_point)) {
            (u64::from(code_point & 0xFF), 1)
        } else if self.splits && code_point >= 0x1_0000 {
            let [lead, trail] = split(code_point).map(|unit| u64::from(Spelling::sequence(unit, 3)));
            (lead | trail << 24, 6)
        } else {
            let length = self.length(code_point);
            (Spelling::sequence(self.payload(code_point, length), length).into(), length)
        })
    }

    /// Whether the spelling agrees with a row about a code point.
    fn tells(&self, row: &Row, code_point: u32) -> bool {
        let length = row.ranges.len();
        let (mut index, mut expected) = (code_point - row.first, [0; 4]);
        if length > 4 || self.length(code_point) != length {
            return false;
        }
        for (&(low, high), place) in row.ranges.iter().zip(&mut expected[..length]).rev() {
            *place = (low + index % (high - low + 1)) as u8;
            index /= high - low + 1;
        }
        Spelling::sequence(self.payload(code_point, length), length).to_le_bytes() == expected
    }
}

/// The code points of Unicode, surrogates included, that are in no row.
fn missing(tables: &Tables) -> Vec<Range> {
    let mut known: Vec<Range> = tables.rows.iter().map(|row| (row.first, row.last)).collect();
    known.sort_unstable();
    let (mut missing, mut next) = (Vec::new(), 0);
    for (first, last) in known {
        if first > LARGEST_IN_STR {
            break;
        }
        if first > next {
            missing.push((next, first - 1));
        }
        // Rows that are only read may share code points.
        next = next.max(last.saturating_add(1));
    }
    if next <= LARGEST_IN_STR {
        missing.push((next, LARGEST_IN_STR));
    }
    missing
}
