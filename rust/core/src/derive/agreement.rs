//! What a form shares with UTF-8, derived from its rows: the bytes and the code points at which the two part. Nothing
//! here searches text for them.
//!
//! A well-formed UTF-8 sequence *agrees* if the form reads it as the same code point, writes that so, and has nothing
//! longer that begins with it. Valid UTF-8 without the parting bytes is therefore the same text in the form. Kernels
//! write what they have found to be shared by the form's layout, so what this does not describe does not agree either.

use crate::code_point::{CONTINUATION, LARGEST_IN_STR, Range, SURROGATES, holds};
use crate::derive::automaton::Entry;
use crate::derive::layout::Layout;
use crate::tables::{Row, Tables};

/// Where a form parts from UTF-8.
#[derive(Debug, Default)]
pub struct Agreement {
    /// First bytes at which the form parts, as ranges.
    pub(crate) leads: Vec<(u8, u8)>,
    /// First two bytes at which the form parts: a first byte, and a range of second bytes.
    pub(crate) pairs: Vec<(u8, (u8, u8))>,
    /// Code points that the form does not write as UTF-8 does, as ranges; they include the surrogates.
    pub(crate) apart: Vec<Range>,
    /// Whether the form shares enough for the kernels to be worth trying.
    pub(crate) worthwhile: bool,
}

/// One first byte of UTF-8 with one second byte (none for ASCII), and the code points of the sequences that begin so.
struct Block {
    lead: u8,
    second: Option<u8>,
    points: Range,
    agrees: bool,
}

impl Agreement {
    pub(crate) fn new(tables: &Tables, layout: Option<&Layout>) -> Self {
        if tables.unit_bytes != 1 {
            return Agreement { apart: vec![(0, u32::MAX)], ..Agreement::default() };
        }
        let mut blocks: Vec<Block> = (0..=0xF4u8).flat_map(|lead| blocks(tables, lead)).collect();
        for block in &mut blocks {
            block.agrees &= layout.is_none_or(|layout| layout.describes(block.lead, block.second));
        }
        let shared = blocks.iter().filter(|block| block.agrees && block.second.is_none()).count();
        let mut agreement = Agreement { worthwhile: shared >= 64, ..Agreement::default() };
        // Whether some block of each first byte agrees.
        let mut agreeing = [false; 256];
        blocks.iter().for_each(|block| agreeing[usize::from(block.lead)] |= block.agrees);
        for block in &blocks {
            match block.second {
                _ if block.agrees => {}
                Some(second) if agreeing[usize::from(block.lead)] => agreement.add_pair(block.lead, second),
                _ => agreement.add_lead(block.lead),
            }
        }
        let mut apart: Vec<Range> = blocks.iter().filter(|block| !block.agrees).map(|block| block.points).collect();
        apart.extend([SURROGATES, (LARGEST_IN_STR + 1, u32::MAX)]);
        agreement.apart = merged(apart);
        agreement
    }

    /// Whether every valid UTF-8 text is the same text in the form.
    #[must_use]
    pub fn is_total(&self) -> bool {
        self.worthwhile && self.leads.is_empty() && self.pairs.is_empty()
    }

    /// Whether another form parts from UTF-8 at the same bytes.
    pub(crate) fn parts_as(&self, other: &Agreement) -> bool {
        (&self.leads, &self.pairs, self.worthwhile) == (&other.leads, &other.pairs, other.worthwhile)
    }

    /// Whether the form shares enough for the kernels to be worth trying.
    #[must_use]
    pub fn is_worthwhile(&self) -> bool {
        self.worthwhile
    }

    /// The code points that the form does not write as UTF-8 does, as ranges; they include the surrogates.
    #[must_use]
    pub fn apart(&self) -> &[Range] {
        &self.apart
    }

    fn add_lead(&mut self, lead: u8) {
        match self.leads.last_mut() {
            Some((_, high)) if *high == lead => {}
            // Bytes that begin nothing in UTF-8 do not occur in valid text, so a range may include them.
            Some((_, high)) if *high + 1 == lead || (*high == 0x7F && lead == 0xC2) => *high = lead,
            _ => self.leads.push((lead, lead)),
        }
    }

    fn add_pair(&mut self, lead: u8, second: u8) {
        match self.pairs.last_mut() {
            Some((last, (_, high))) if *last == lead && *high + 1 == second => *high = second,
            _ => self.pairs.push((lead, (second, second))),
        }
    }
}

/// The blocks of UTF-8 that begin with a byte. They follow from the properties behind Unicode Table 3-7 (shortest form,
/// no surrogates, nothing above U+10FFFF), so that no row is written down twice.
fn blocks(tables: &Tables, lead: u8) -> Vec<Block> {
    let lead_value = u32::from(lead);
    if lead < 0x80 {
        let points = (lead_value, lead_value);
        return vec![Block { lead, second: None, points, agrees: agrees(tables, lead, None, 1, points) }];
    }
    let (length, shortest) = match lead {
        0xC0..=0xDF => (2, 0x80),
        0xE0..=0xEF => (3, 0x800),
        0xF0..=0xF7 => (4, 0x1_0000),
        _ => return Vec::new(),
    };
    let tail = 1u32 << (6 * (length - 2));
    let seconds = (0x80..=0xBFu8).filter_map(|second| {
        let first = ((lead_value & (0x7F >> length)) * 64 + u32::from(second & 0x3F)) * tail;
        let known = first >= shortest && first <= LARGEST_IN_STR && !holds(SURROGATES, first);
        let points = (first, first + tail - 1);
        known.then(|| Block {
            lead,
            second: Some(second),
            points,
            agrees: agrees(tables, lead, Some(second), length, points),
        })
    });
    seconds.collect()
}

/// Whether the form reads all sequences of a block alike and writes them so, and none of them begins something longer.
fn agrees(tables: &Tables, lead: u8, second: Option<u8>, length: usize, points: Range) -> bool {
    let begins = |ranges: &[Range]| {
        holds(ranges[0], u32::from(lead))
            && second.is_none_or(|second| ranges.get(1).is_none_or(|&range| holds(range, u32::from(second))))
    };
    let units = tables.units.iter().map(|unit| &unit.ranges);
    let longer = tables.rows.iter().map(|row| &row.ranges).chain(units).any(|r| begins(r) && r.len() > length);
    let same = |row: &Row| {
        let units = [Some(lead), second].into_iter().flatten().map(u32::from).chain([CONTINUATION.0; 2]);
        let value = Entry::new(row.first, &row.ranges, None).value(units);
        let tail_is_whole = row.ranges.iter().skip(2).all(|&range| range == CONTINUATION);
        tail_is_whole && value == points.0
    };
    let fitting = |row: &Row| row.ranges.len() == length && begins(&row.ranges);
    let Some(place) = tables.rows.iter().position(|row| fitting(row) && same(row)) else { return false };
    // Of rows that share code points, as those of a form that only decodes may, the first one writes them.
    let is_written = |row: &Row| row.first <= points.1 && points.0 <= row.last;
    !longer && !tables.rows[..place].iter().any(is_written)
}

/// The union of ranges as disjoint ranges in order.
pub(crate) fn merged(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.1 == u32::MAX || last.1 + 1 >= range.0 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    merged
}
