//! How a byte form is laid out, derived from its rows: what the kernels need to read any of them with one algorithm.
//!
//! Most byte forms are UTF-8 with other facts: which lead bytes there are, which second bytes they take, what is added
//! to the payload bits, what surrogate byte sequences and stray bytes mean. Those facts are a [`Layout`]. Where a form's
//! rows say something else, the sequences in question *part* from the layout, and the automaton reads them.

use crate::automaton::linear;
use crate::form::{Range, Row, Tables, holds};

const CONTINUATION: Range = (0x80, 0xBF);
/// The bytes of a surrogate pair, each written as three.
pub(crate) const PAIR: [Range; 6] =
    [(0xED, 0xED), (0xA0, 0xAF), CONTINUATION, (0xED, 0xED), (0xB0, 0xBF), CONTINUATION];
/// The second byte from which on `ED` begins a surrogate byte sequence.
const SURROGATE_SECOND: u8 = 0xA0;

/// A byte for each byte from 80 on.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Table(pub [u8; 128]);

impl Table {
    const ZERO: Table = Table([0; 128]);

    /// The entry of a byte from 80 on.
    #[inline]
    #[must_use]
    pub fn of(&self, byte: u8) -> u8 {
        self.0[usize::from(byte & 0x7F)]
    }
}

/// What a lead byte surrogate sequence directly followed by a trail one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Two sequences like any others.
    Apart,
    /// One supplementary code point.
    Joined,
    /// Ill-formed: the pair parts from the layout.
    Parting,
}

/// A layout. Sequences have one to four bytes; the upper half of a lead byte tells how many, as in UTF-8.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bits for each byte from 80 on: [`Layout::TWO`] to [`Layout::SECOND_PARTS`].
    pub kinds: Table,
    /// The lowest second byte that a lead byte takes, and how many more there are.
    pub second_low: Table,
    /// See `second_low`.
    pub second_span: Table,
    /// The same for second bytes with which a sequence parts from the layout.
    pub parting_low: Table,
    /// See `parting_low`.
    pub parting_span: Table,
    /// What is added to the payload bits of sequences of two, three and four bytes.
    pub offsets: [u32; 3],
    /// From the first of these values on the second is added: code points that the form leaves out.
    pub gap: (u32, u32),
    /// Whether the byte 00 is U+0000; else it is ill-formed.
    pub has_nul: bool,
    /// What surrogate pairs are.
    pub pairs: Pairs,
    /// Whether a surrogate byte sequence in no pair parts from the layout.
    pub unpaired_part: bool,
    /// What is added to each byte that is part of no sequence, where the form has such a row.
    pub escape: Option<u32>,
    /// The first three bytes of the first sequences from U+0080, U+0100 and U+10000 on: what is before them is smaller.
    pub borders: [[u8; 3]; 3],
    /// Whether the lead byte alone tells on which side of a border a sequence is.
    pub lead_decides: bool,
    /// Whether some sequences part from the layout by their first two bytes.
    pub parts: bool,
}

/// What begins with two bytes.
enum Beginning {
    /// No sequence.
    Nothing,
    /// Sequences as the layout has them.
    Plain,
    /// Something else.
    Parting,
}

impl Layout {
    /// The sequence has at least two bytes.
    pub const TWO: u8 = 1;
    /// The sequence has at least three bytes.
    pub const THREE: u8 = 2;
    /// The sequence has four bytes.
    pub const FOUR: u8 = 4;
    /// What begins here parts from the layout.
    pub const PARTS: u8 = 8;
    /// With some second bytes it does.
    pub const SECOND_PARTS: u8 = 16;

    /// The layout of a form, if it has one.
    pub(crate) fn new(tables: &Tables) -> Option<Layout> {
        let escape = tables.rows.iter().find(|row| row.ranges == [(0x80, 0xFF)]);
        if escape.is_some_and(|row| row.first < 0x100 || row.last > 0xFFFF) {
            return None;
        }
        let escape = escape.map(|row| row.first - 0x80);
        let has_nul = ascii(tables)?;
        let (gap, offsets) = values(tables)?;
        let pair_row = tables.rows.iter().any(|row| row.ranges == PAIR);
        let pair_unit = tables.units.iter().any(|unit| unit.ranges == PAIR);
        let pairs = match (pair_row, pair_unit) {
            (true, _) => Pairs::Joined,
            (_, true) => Pairs::Parting,
            _ => Pairs::Apart,
        };
        let mut layout = Layout {
            kinds: Table::ZERO,
            second_low: Table::ZERO,
            second_span: Table::ZERO,
            parting_low: Table::ZERO,
            parting_span: Table::ZERO,
            offsets,
            gap,
            has_nul,
            pairs,
            unpaired_part: false,
            escape,
            borders: [[0xFF; 3]; 3],
            lead_decides: true,
            parts: false,
        };
        layout.find_borders(tables);
        for lead in 0x80..=0xFF {
            layout.add_lead(tables, lead);
        }
        Some(layout)
    }

    /// How many bytes a sequence with this lead byte has, if any begins with it.
    #[must_use]
    pub fn length(lead: u8) -> Option<usize> {
        match lead {
            0xC0..=0xDF => Some(2),
            0xE0..=0xEF => Some(3),
            0xF0..=0xF7 => Some(4),
            _ => None,
        }
    }

    /// The value of a sequence with so many payload bits' worth.
    #[inline]
    #[must_use]
    pub fn value(&self, payload: u32, length: usize) -> u32 {
        let value = payload.wrapping_add(self.offsets[length - 2]);
        if value >= self.gap.0 { value.wrapping_add(self.gap.1) } else { value }
    }

    /// The layout, if the payload bits of some sequences are not their code point.
    #[inline]
    #[must_use]
    pub fn shift(&self) -> Option<&Layout> {
        (self.offsets != [0; 3] || self.gap.1 > 0).then_some(self)
    }

    fn find_borders(&mut self, tables: &Tables) {
        for lead in 0x80..=0xFF {
            for second in 0x80..=0xBF {
                if !matches!(self.beginning(tables, lead, second), Beginning::Plain) {
                    continue;
                }
                for third in 0x80..=0xBF {
                    let value = self.first_value([lead, second, third]);
                    for (border, least) in self.borders.iter_mut().zip([0x80, 0x100, 0x1_0000]) {
                        if value >= least && *border > [lead, second, third] {
                            *border = [lead, second, if Layout::length(lead) == Some(2) { 0 } else { third }];
                        }
                    }
                }
            }
        }
        let lowest =
            |lead| (0x80..=0xBF).find(|&second| matches!(self.beginning(tables, lead, second), Beginning::Plain));
        self.lead_decides = self
            .borders
            .iter()
            .all(|&[lead, second, third]| lowest(lead).is_none_or(|low| low == second && third <= 0x80));
    }

    /// The first value of the sequences that begin with three bytes (of which a shorter one has fewer).
    fn first_value(&self, [lead, second, third]: [u8; 3]) -> u32 {
        let length = Layout::length(lead).unwrap_or(2);
        let bytes = [lead & (0x7F >> length), second & 0x3F, third & 0x3F, 0];
        let payload = bytes[..length].iter().fold(0, |sum, &byte| sum * 64 + u32::from(byte));
        self.value(payload, length)
    }

    fn add_lead(&mut self, tables: &Tables, lead: u8) {
        let place = usize::from(lead & 0x7F);
        let of = |meant: fn(&Beginning) -> bool| {
            let all: Vec<u8> = (0x80..=0xBF).filter(|&second| meant(&self.beginning(tables, lead, second))).collect();
            let span = all.last().zip(all.first()).map(|(last, first)| (*first, last - first));
            (span, span.is_none_or(|(_, span)| usize::from(span) + 1 == all.len()))
        };
        let (plain, plain_is_range) = of(|beginning| matches!(beginning, Beginning::Plain));
        let (parting, parting_is_range) = of(|beginning| matches!(beginning, Beginning::Parting));
        let beyond = tables.rows.iter().any(|row| begins(&row.ranges, lead) && !continues(&row.ranges))
            || tables.units.iter().any(|unit| begins(&unit.ranges, lead) && !continues(&unit.ranges));
        if beyond || !plain_is_range || !parting_is_range {
            self.kinds.0[place] = Layout::PARTS;
            self.parts = true;
            return;
        }
        if let Some((low, span)) = plain {
            let length = Layout::length(lead).unwrap_or(1);
            self.kinds.0[place] |= [0, 0, Layout::TWO, Layout::TWO | Layout::THREE, 7][length];
            (self.second_low.0[place], self.second_span.0[place]) = (low, span);
        }
        if let Some((low, span)) = parting {
            self.kinds.0[place] |= Layout::SECOND_PARTS;
            (self.parting_low.0[place], self.parting_span.0[place]) = (low, span);
            self.parts = true;
        }
        // A pair must be seen whole before anything is said of its halves.
        if self.pairs == Pairs::Joined && lead == 0xED && parting == Some((SURROGATE_SECOND, 0xBF - SURROGATE_SECOND)) {
            self.second_span.0[place] = 0xBF - self.second_low.0[place];
            self.kinds.0[place] &= !Layout::SECOND_PARTS;
            self.unpaired_part = true;
        }
    }

    fn beginning(&self, tables: &Tables, lead: u8, second: u8) -> Beginning {
        let fits = |ranges: &[Range]| ranges.len() > 1 && begins(ranges, lead) && holds(ranges[1], u32::from(second));
        let rows: Vec<&Row> = tables.rows.iter().filter(|row| row.ranges != PAIR && fits(&row.ranges)).collect();
        if tables.units.iter().any(|unit| unit.ranges != PAIR && fits(&unit.ranges)) {
            return Beginning::Parting;
        }
        if rows.is_empty() {
            return Beginning::Nothing;
        }
        let is_plain = Layout::length(lead).is_some_and(|length| {
            let covered: u32 = rows.iter().map(|row| row.ranges.get(2).map_or(64, |third| third.1 - third.0 + 1)).sum();
            covered == 64 && rows.iter().all(|row| self.is_plain(row, length, lead, second))
        });
        if is_plain { Beginning::Plain } else { Beginning::Parting }
    }

    /// Whether a row gives the sequences that begin with two bytes the values of the layout, none beyond Unicode, on the
    /// sides of the borders where they are.
    fn is_plain(&self, row: &Row, length: usize, lead: u8, second: u8) -> bool {
        let thirds = row.ranges.get(2).copied().unwrap_or(CONTINUATION);
        let (base, weights) = linear(row.first, &row.ranges);
        row.ranges.len() == length
            && row.ranges[1..].iter().all(|range| CONTINUATION.0 <= range.0 && range.1 <= CONTINUATION.1)
            && row.ranges.get(3).is_none_or(|&fourth| fourth == CONTINUATION)
            && [thirds.0, thirds.1].into_iter().all(|third| {
                let bytes = [u32::from(lead), u32::from(second), third, 0x80];
                let value = bytes.iter().zip(&weights).fold(base, |sum, (b, w)| sum.wrapping_add(b.wrapping_mul(*w)));
                let place = [lead, second, third as u8];
                let is_beyond = value + 0x3F > crate::LARGEST_IN_STR;
                value == self.first_value(place) && !is_beyond && self.is_ordered(place, value)
            })
    }

    fn is_ordered(&self, place: [u8; 3], value: u32) -> bool {
        self.borders.iter().zip([0x80, 0x100, 0x1_0000]).all(|(&border, least)| {
            // While the borders are looked for there are none.
            border == [0xFF; 3] || (place >= border) == (value >= least)
        })
    }
}

fn begins(ranges: &[Range], lead: u8) -> bool {
    holds(ranges[0], u32::from(lead)) && ranges != [(0x80, 0xFF)]
}

/// Whether the second unit of a row is a continuation byte.
fn continues(ranges: &[Range]) -> bool {
    ranges.get(1).is_some_and(|second| CONTINUATION.0 <= second.0 && second.1 <= CONTINUATION.1)
}

/// Whether the bytes below 80 are ASCII, and the byte 00 U+0000.
fn ascii(tables: &Tables) -> Option<bool> {
    if tables.unit_bytes != 1 {
        return None;
    }
    let same = |byte: u32| {
        // A longer row that begins so wins over a shorter one.
        let rows = tables.rows.iter().filter(|row| holds(row.ranges[0], byte));
        let row = rows.max_by_key(|row| row.ranges.len())?;
        (row.ranges.len() == 1).then_some(row.first + byte - row.ranges[0].0 == byte)
    };
    let known = |byte: u32| tables.units.iter().all(|unit| !holds(unit.ranges[0], byte));
    let rest = (1..0x80).all(|byte| same(byte) == Some(true) && known(byte));
    match same(0) {
        Some(true) => rest.then_some(true),
        None if tables.rows.iter().all(|row| !holds(row.ranges[0], 0)) => (rest && known(0)).then_some(false),
        _ => None,
    }
}

/// The gap and the offsets; None where one gap and one offset for each length do not give the values of the rows.
fn values(tables: &Tables) -> Option<((u32, u32), [u32; 3])> {
    let rows = |length: usize| {
        tables
            .rows
            .iter()
            .filter(move |row| row.ranges.len() == length && Layout::length(row.ranges[0].0 as u8) == Some(length))
    };
    let offset = |row: &Row| {
        let mask = 0x7F >> row.ranges.len();
        let bytes = [row.ranges[0].0 & mask].into_iter().chain(row.ranges[1..].iter().map(|range| range.0 & 0x3F));
        row.first.wrapping_sub(bytes.fold(0, |sum, byte| sum * 64 + byte))
    };
    let gap = (2..=4).find_map(|length| {
        let lowest = rows(length).map(offset).min()?;
        let later = rows(length).filter(|&row| offset(row) != lowest).min_by_key(|row| row.first)?;
        let width = offset(later) - lowest;
        Some((later.first - width, width))
    });
    let gap = gap.unwrap_or((u32::MAX, 0));
    let mut offsets = [0; 3];
    for (length, place) in (2..=4).zip(&mut offsets) {
        let before_gap = |row: &Row| {
            let is_beyond = gap.1 > 0 && row.first >= gap.0.wrapping_add(gap.1);
            offset(row).wrapping_sub(if is_beyond { gap.1 } else { 0 })
        };
        let mut all: Vec<u32> = rows(length).map(before_gap).collect();
        all.dedup();
        *place = match all[..] {
            [] => 0,
            [one] => one,
            _ => return None,
        };
    }
    Some((gap, offsets))
}
