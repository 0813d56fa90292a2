//! How a byte form is laid out, derived from its rows: what the kernels need to read any of them with one algorithm.
//!
//! Most byte forms are UTF-8 with other facts: which lead bytes there are, which second bytes they take, what is added
//! to the payload bits, what surrogate byte sequences and stray bytes mean. Those facts are a [`Layout`]. Where a form's
//! rows say something else, the sequences in question *part* from the layout, and the automaton reads them.

use std::iter::repeat;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::code_point::{LARGEST_IN_STR, Range, SURROGATES, holds};
use crate::derive::automaton::linear;
use crate::tables::{FaultRow, Row, Tables};

const CONTINUATION: Range = (0x80, 0xBF);
/// The bytes of a surrogate pair, each written as three.
pub(crate) const PAIR: [Range; 6] =
    [(0xED, 0xED), (0xA0, 0xAF), CONTINUATION, (0xED, 0xED), (0xB0, 0xBF), CONTINUATION];
/// The bytes of a surrogate in generalized UTF-8.
pub(crate) const SURROGATE: [Range; 3] = [PAIR[0], (0xA0, 0xBF), CONTINUATION];
/// The bytes that begin runs, see [`Layout::has_runs`].
const RUN: Range = (RUN_LEAD as u32, 0xFF);
/// The lowest of them.
pub(crate) const RUN_LEAD: u8 = 0xFE;
/// The continuation bytes.
const CONTINUATIONS: RangeInclusive<u8> = 0x80..=0xBF;
/// The code points of the borders, see [`Layout::borders`].
const LEAST: [u32; 3] = [0x80, 0x100, 0x1_0000];
const NO_BORDER: [u8; 3] = [0xFF; 3];
/// The lead byte of surrogates.
pub(crate) const SURROGATE_LEAD: u8 = 0xED;
/// The second byte from which on `ED` begins a surrogate byte sequence.
pub(crate) const SURROGATE_SECOND: u8 = 0xA0;

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
    /// Bits for each byte from 80 on: [`Layout::TWO`] to [`Layout::BEYOND`].
    pub kinds: Table,
    /// The lowest second byte that a lead byte takes, and how many more there are.
    pub second_low: Table,
    /// See `second_low`.
    pub second_span: Table,
    /// The same for second bytes with which a sequence parts from the layout.
    pub parting_low: Table,
    /// See `parting_low`.
    pub parting_span: Table,
    /// The bytes that begin something that parts from the layout, and those that do with some second bytes: for each
    /// lower half of a byte a bit for each upper half from 8 on.
    pub parting: [[u8; 16]; 2],
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
    /// Whether that is an ill-formed unit as long as what is there of it, two bytes at least, and nothing else.
    pub unpaired_is_ill: bool,
    /// What is added to each byte that is part of no sequence, where the form has such a row.
    pub escape: Option<u32>,
    /// The first three bytes of the first sequences from U+0080, U+0100 and U+10000 on: what is before them is smaller.
    pub borders: [[u8; 3]; 3],
    /// Whether the lead byte alone tells on which side of a border a sequence is.
    pub lead_decides: bool,
    /// Whether some sequences part from the layout by their first two bytes.
    pub parts: bool,
    /// Whether those that do are ill-formed units of three bytes, where their third continues them, and else nothing.
    pub parting_is_unit: bool,
    /// Whether FE and FF each begin an ill-formed unit that goes on with all continuation bytes, FE and FF that follow.
    pub has_runs: bool,
    /// What the kernels of AVX2 derive from all this when they first read by it.
    pub rules: OnceLock<([[[u8; 16]; 3]; 2], u8)>,
}

/// What begins with two bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// With those it begins sequences of four bytes, from F8 on of five and from FC on of six, all beyond Unicode.
    pub const BEYOND: u8 = 32;

    /// The layout of a form, if it has one.
    pub(crate) fn new(tables: &Tables) -> Option<Layout> {
        let escape = tables.rows.iter().find(|row| row.ranges == [(0x80, 0xFF)]);
        if escape.is_some_and(|row| row.first < 0x100 || row.last > 0xFFFF) {
            return None;
        }
        let escape = escape.map(|row| row.first - 0x80);
        let has_nul = ascii(tables)?;
        let (gap, offsets) = values(tables)?;
        let blank = Layout {
            kinds: Table::ZERO,
            second_low: Table::ZERO,
            second_span: Table::ZERO,
            parting_low: Table::ZERO,
            parting_span: Table::ZERO,
            parting: [[0; 16]; 2],
            offsets,
            gap,
            has_nul,
            pairs: Pairs::Apart,
            unpaired_part: false,
            unpaired_is_ill: false,
            escape,
            borders: [NO_BORDER; 3],
            lead_decides: true,
            parts: false,
            parting_is_unit: true,
            has_runs: has_runs(tables),
            rules: OnceLock::new(),
        };
        let pairs = pairs(tables);
        let told = (pairs != Pairs::Apart).then(|| blank.clone().filled(tables, pairs));
        Some(told.filter(|layout| layout.tells_pairs(tables)).unwrap_or_else(|| blank.filled(tables, Pairs::Apart)))
    }

    /// What begins with each lead byte. Pairs are sequences like any others where they are `Apart`.
    fn filled(mut self, tables: &Tables, pairs: Pairs) -> Layout {
        self.pairs = pairs;
        let mut layout = self;
        let leads: Vec<Lead> = (0x80..=0xFF).map(|lead| Lead::new(tables, lead, pairs != Pairs::Apart)).collect();
        leads.iter().for_each(|lead| layout.find_borders(lead));
        layout.lead_decides = layout.borders.iter().all(|&[lead, second, third]| {
            let lowest =
                layout.beginnings(&leads[usize::from(lead & 0x7F)]).position(|found| found == Beginning::Plain);
            lowest.is_none_or(|lowest| 0x80 + lowest == usize::from(second) && third <= 0x80)
        });
        leads.iter().for_each(|lead| layout.add_lead(lead));
        layout.parting = [Layout::PARTS, Layout::SECOND_PARTS].map(|bit| layout.with_kind(bit));
        layout
    }

    /// Whether surrogates are what the kernels take them for that tell pairs: all of them sequences with their own value,
    /// or where pairs are joined all of them units, and no other second bytes among the sequences that they are told from.
    fn tells_pairs(&self, tables: &Tables) -> bool {
        let lead = Lead::new(tables, SURROGATE_LEAD, true);
        let seconds = (SURROGATE_SECOND..=*CONTINUATIONS.end()).map(|second| self.beginning(&lead, second));
        let (plain, parting): (Vec<_>, Vec<_>) = seconds.partition(|&found| found == Beginning::Plain);
        let are_sequences = parting.is_empty()
            && self.first_value([SURROGATE_LEAD, SURROGATE_SECOND, 0x80]) == SURROGATES.0
            && self.first_value([SURROGATE_LEAD, 0xBF, 0xBF]) == SURROGATES.1;
        let are_units = self.unpaired_part && plain.is_empty();
        let mut all = lead.rows.iter().map(|line| line.ranges).chain(lead.units.iter().copied());
        (are_sequences || are_units)
            && !lead.goes_beyond
            && all.all(|ranges| ranges.len() <= SURROGATE.len() || ranges[1].1 < u32::from(SURROGATE_SECOND))
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

    /// Whether something longer than a byte begins with a continuation byte.
    #[must_use]
    pub fn begins_with_strays(&self) -> bool {
        self.kinds.0[..64].iter().any(|&kind| kind != 0)
    }

    /// The layout, if the payload bits of some sequences are not their code point.
    #[inline]
    #[must_use]
    pub fn shift(&self) -> Option<&Layout> {
        (self.offsets != [0; 3] || self.gap.1 > 0).then_some(self)
    }

    /// The borders that are among the sequences with a lead byte; smaller lead bytes have been looked at.
    fn find_borders(&mut self, lead: &Lead) {
        for second in CONTINUATIONS {
            if self.beginning(lead, second) != Beginning::Plain {
                continue;
            }
            let is_two = Layout::length(lead.byte) == Some(2);
            let thirds = if is_two { 0..=0 } else { CONTINUATIONS };
            for (at, least) in LEAST.into_iter().enumerate() {
                if self.borders[at] == NO_BORDER {
                    let places = thirds.clone().map(|third| [lead.byte, second, third]);
                    self.borders[at] =
                        places.into_iter().find(|&place| self.first_value(place) >= least).unwrap_or(NO_BORDER);
                }
            }
        }
    }

    /// The first value of the sequences that begin with three bytes (of which a shorter one has fewer).
    fn first_value(&self, place: [u8; 3]) -> u32 {
        let (payload, length) = first_payload(place);
        self.value(payload, length)
    }

    fn add_lead(&mut self, lead: &Lead) {
        let place = usize::from(lead.byte & 0x7F);
        let beginnings: Vec<Beginning> = self.beginnings(lead).collect();
        let (plain, plain_is_range) = span_of(&beginnings, Beginning::Plain);
        let (parting, parting_is_range) = span_of(&beginnings, Beginning::Parting);
        // A continuation byte that begins something is not looked at by what follows it.
        let is_stray = lead.byte < 0xC0 && parting.is_some();
        if lead.goes_beyond || !plain_is_range || !parting_is_range || is_stray {
            self.kinds.0[place] = Layout::PARTS;
            (self.parts, self.parting_is_unit) = (true, false);
            return;
        }
        if let Some((low, span)) = plain {
            let length = Layout::length(lead.byte).unwrap_or(1);
            self.kinds.0[place] |= [0, 0, Layout::TWO, Layout::TWO | Layout::THREE, 7][length];
            (self.second_low.0[place], self.second_span.0[place]) = (low, span);
        }
        if let Some((low, span)) = parting {
            self.kinds.0[place] |= Layout::SECOND_PARTS;
            (self.parting_low.0[place], self.parting_span.0[place]) = (low, span);
            self.parts = true;
            let seconds = (low, low + span);
            self.parting_is_unit &= lead.has_units_of_three(seconds);
            if self.escape.is_none() && lead.is_beyond_unicode(seconds) {
                self.kinds.0[place] |= Layout::BEYOND;
            }
        }
        // A pair must be seen whole before anything is said of its halves.
        let are_side_by_side = plain.is_some_and(|(low, span)| low + span + 1 == SURROGATE_SECOND);
        if self.pairs == Pairs::Joined
            && lead.byte == SURROGATE_LEAD
            && parting == Some((SURROGATE_SECOND, 0xBF - SURROGATE_SECOND))
            && are_side_by_side
        {
            self.second_span.0[place] = 0xBF - self.second_low.0[place];
            self.kinds.0[place] &= !Layout::SECOND_PARTS;
            self.unpaired_part = true;
            // Where each stray byte is a value, what is cut short is no unit.
            self.unpaired_is_ill = self.escape.is_none() && lead.has_surrogate_units();
        }
    }

    /// The bytes of a kind, as in [`Layout::parting`].
    fn with_kind(&self, bit: u8) -> [u8; 16] {
        let mut bytes = [0; 16];
        for byte in (0x80..=0xFF).filter(|&byte| self.kinds.of(byte) & bit != 0) {
            bytes[usize::from(byte & 0xF)] |= 1 << (byte >> 4 & 7);
        }
        bytes
    }

    /// What begins with a lead byte and each of the continuation bytes.
    fn beginnings(&self, lead: &Lead) -> impl Iterator<Item = Beginning> {
        CONTINUATIONS.map(|second| self.beginning(lead, second))
    }

    fn beginning(&self, lead: &Lead, second: u8) -> Beginning {
        let fits = |ranges: &[Range]| holds(ranges[1], u32::from(second));
        if lead.units.iter().any(|ranges| fits(ranges)) {
            return Beginning::Parting;
        }
        let rows = || lead.rows.iter().filter(|line| fits(line.ranges));
        if rows().next().is_none() {
            return Beginning::Nothing;
        }
        let is_plain = Layout::length(lead.byte).is_some_and(|length| {
            let covered: u32 = rows().map(|line| line.ranges.get(2).map_or(64, |third| third.1 - third.0 + 1)).sum();
            covered == 64 && rows().all(|line| self.is_plain(line, length, [lead.byte, second]))
        });
        if is_plain { Beginning::Plain } else { Beginning::Parting }
    }

    /// Whether a row gives the sequences that begin with two bytes the values of the layout, none beyond Unicode or below
    /// what the kernels write so many bytes as, on the sides of the borders where they are.
    fn is_plain(&self, line: &Line, length: usize, [lead, second]: [u8; 2]) -> bool {
        let thirds = line.ranges.get(2).copied().unwrap_or(CONTINUATION);
        line.ranges.len() == length
            && line.ranges[1..].iter().all(|range| CONTINUATION.0 <= range.0 && range.1 <= CONTINUATION.1)
            && line.ranges.get(3).is_none_or(|&fourth| fourth == CONTINUATION)
            && [thirds.0, thirds.1].into_iter().all(|third| {
                let place = [lead, second, third as u8];
                let value = line.value([u32::from(lead), u32::from(second), third]);
                // Of four bytes the last tells sixty-four apart.
                let mut lasts = [0, if length == 4 { 0x3F } else { 0 }].into_iter();
                lasts.all(|last| self.is_told(place, last, value.saturating_add(last)))
            })
    }

    /// Whether the kernels make this value of a sequence of four bytes of which three and the payload of the last are
    /// given, or of a shorter one.
    fn is_told(&self, place: [u8; 3], last: u32, value: u32) -> bool {
        let (payload, length) = first_payload(place);
        let before_gap = (payload + last).wrapping_add(self.offsets[length - 2]);
        // In 16 bits two bytes are never behind the gap, and in 8 bits nothing is; three are no byte, and four no 16 bits.
        let is_before = before_gap < self.gap.0 || length > 2 && before_gap <= LARGEST_IN_STR;
        let least = [0, LEAST[1], LEAST[2]][length - 2];
        is_before
            && self.value(payload + last, length) == value
            && (least..=LARGEST_IN_STR).contains(&value)
            && self.is_ordered(place, value)
    }

    fn is_ordered(&self, place: [u8; 3], value: u32) -> bool {
        self.borders.iter().zip(LEAST).all(|(&border, least)| {
            // While the borders are looked for there are none.
            border == NO_BORDER || (place >= border) == (value >= least)
        })
    }
}

/// What the tables have that begins with one byte, without surrogate pairs where the layout tells those.
struct Lead<'a> {
    byte: u8,
    rows: Vec<Line<'a>>,
    units: Vec<&'a [Range]>,
    /// Whether something goes on with what is no continuation byte, or not at all.
    goes_beyond: bool,
}

impl<'a> Lead<'a> {
    fn new(tables: &'a Tables, byte: u8, without_pairs: bool) -> Self {
        let rows = tables.rows.iter().filter(|row| begins(&row.ranges, byte));
        let units = tables.units.iter().map(|unit| unit.ranges.as_slice()).filter(|ranges| begins(ranges, byte));
        let is_apart = |ranges: &&[Range]| ranges.len() > 1 && !(without_pairs && *ranges == PAIR);
        let has_run = tables.units.iter().any(|unit| begins(&unit.ranges, byte) && !unit.run.is_empty());
        Lead {
            byte,
            rows: rows.clone().filter(|row| is_apart(&row.ranges.as_slice())).map(Line::new).collect(),
            units: units.clone().filter(is_apart).collect(),
            goes_beyond: has_run || rows.map(|row| row.ranges.as_slice()).chain(units).any(|ranges| !continues(ranges)),
        }
    }

    /// Whether what begins with some second bytes is one of the units, of which each is any three bytes that begin so.
    fn has_units_of_three(&self, (low, high): (u8, u8)) -> bool {
        let is_apart = |line: &Line| line.ranges[1].1 < u32::from(low) || line.ranges[1].0 > u32::from(high);
        let is_of_three = |ranges: &&[Range]| ranges.len() == 3 && ranges[2] == CONTINUATION;
        self.byte >= 0xC0 && self.units.iter().all(is_of_three) && self.rows.iter().all(is_apart)
    }

    /// Whether what begins with some second bytes is sequences as [`Layout::BEYOND`] has them.
    fn is_beyond_unicode(&self, (low, high): (u8, u8)) -> bool {
        let length = match self.byte {
            0xF0..=0xF7 => 4,
            0xF8..=0xFB => 5,
            0xFC..=0xFD => 6,
            _ => return false,
        };
        let is_apart = |line: &&Line| line.ranges[1].1 < u32::from(low) || line.ranges[1].0 > u32::from(high);
        self.units.is_empty()
            && self.rows.iter().filter(|line| !is_apart(line)).all(|line| {
                let second = line.ranges[1].0.max(low.into());
                line.ranges.len() == length
                    && line.ranges[2..].iter().all(|&range| range == CONTINUATION)
                    && line.value([self.byte.into(), second, CONTINUATION.0]) > LARGEST_IN_STR
            })
    }

    /// Whether the units are surrogate byte sequences, and two bytes of them, and no row begins as they do.
    fn has_surrogate_units(&self) -> bool {
        let is_unit = |ranges: &&[Range]| *ranges == SURROGATE || *ranges == &SURROGATE[..2];
        let is_apart = |line: &Line| line.ranges[1].1 < u32::from(SURROGATE_SECOND);
        self.units.len() == 2
            && self.units.iter().all(is_unit)
            && self.units[0] != self.units[1]
            && self.rows.iter().all(is_apart)
    }
}

/// The payload bits of the first of the sequences that begin with three bytes (of which a shorter one has fewer), and how
/// many bytes those have.
fn first_payload([lead, second, third]: [u8; 3]) -> (u32, usize) {
    let length = Layout::length(lead).unwrap_or(2);
    let bytes = [lead & (0x7F >> length), second & 0x3F, third & 0x3F, 0];
    (bytes[..length].iter().fold(0, |sum, &byte| sum * 64 + u32::from(byte)), length)
}

/// What surrogate pairs are by the tables.
fn pairs(tables: &Tables) -> Pairs {
    let is_joined = |row: &Row| row.ranges == PAIR && row.first == 0x1_0000;
    if tables.rows.iter().any(is_joined) {
        Pairs::Joined
    } else if tables.units.iter().any(|unit| unit.ranges == PAIR) {
        Pairs::Parting
    } else {
        Pairs::Apart
    }
}

/// A row, and how its units give a value.
struct Line<'a> {
    ranges: &'a [Range],
    base: u32,
    weights: Vec<u32>,
}

impl<'a> Line<'a> {
    fn new(row: &'a Row) -> Self {
        let (base, weights) = linear(row.first, &row.ranges);
        Line { ranges: &row.ranges, base, weights }
    }

    /// The first value of those with some units.
    fn value(&self, units: [u32; 3]) -> u32 {
        let units = units.into_iter().chain(repeat(CONTINUATION.0));
        units.zip(&self.weights).fold(self.base, |sum, (unit, w)| sum.wrapping_add(unit.wrapping_mul(*w)))
    }
}

/// The lowest second byte with which something begins so, and how many more there are up to the highest; and whether
/// all of those between do.
fn span_of(beginnings: &[Beginning], meant: Beginning) -> (Option<(u8, u8)>, bool) {
    let mut all = CONTINUATIONS.zip(beginnings).filter(|&(_, &found)| found == meant).map(|(second, _)| second);
    let Some(first) = all.next() else { return (None, true) };
    let (last, count) = all.fold((first, 1), |(_, count), second| (second, count + 1));
    (Some((first, last - first)), usize::from(last - first) + 1 == count)
}

fn begins(ranges: &[Range], lead: u8) -> bool {
    holds(ranges[0], u32::from(lead)) && ranges != [(0x80, 0xFF)]
}

/// What [`Layout::has_runs`] says.
fn has_runs(tables: &Tables) -> bool {
    let is_run = |unit: &FaultRow| unit.ranges == [RUN] && unit.run == [CONTINUATION, RUN];
    let is_apart = |ranges: &[Range]| ranges[0].1 < RUN.0;
    tables.units.iter().any(is_run)
        && tables.units.iter().all(|unit| is_run(unit) || is_apart(&unit.ranges))
        && tables.rows.iter().all(|row| is_apart(&row.ranges))
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
    let gap = rows(3).map(offset).min().and_then(|lowest| {
        let later = rows(3).filter(|&row| offset(row) != lowest).min_by_key(|row| row.first)?;
        let width = offset(later) - lowest;
        Some((later.first.checked_sub(width)?, width))
    });
    // The kernels compare 16 bits with it, of all that is no byte.
    let gap = gap.filter(|&(from, _)| (LEAST[1]..LEAST[2]).contains(&from)).unwrap_or((u32::MAX, 0));
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
