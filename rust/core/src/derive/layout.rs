//! The layout of a byte form, derived from its rows: the facts by which the kernels read all such forms with one
//! algorithm. Nothing here reads input.
//!
//! Most byte forms are UTF-8 with other facts: which lead bytes exist, which second bytes they take, what is added to
//! the payload, what surrogate byte sequences and stray bytes mean. Those facts are a [`Layout`]. Sequences for which a
//! form's rows say anything else *part* from the layout, and the automaton reads them.

use std::iter::repeat;
use std::sync::OnceLock;

use crate::code_point::{CONTINUATION, CONTINUATIONS, LARGEST_IN_STR, Range, SURROGATES, holds};
use crate::derive::automaton::Entry;
use crate::derive::heads::{Head, Heads};
use crate::derive::leads::{self, Leads};
use crate::once::once;
use crate::tables::{FaultRow, Row, Tables};

/// The bytes of a surrogate pair, each written as three.
pub(crate) const PAIR: [Range; 6] =
    [(0xED, 0xED), (0xA0, 0xAF), CONTINUATION, (0xED, 0xED), (0xB0, 0xBF), CONTINUATION];
/// The bytes of a surrogate in generalized UTF-8.
pub(crate) const SURROGATE: [Range; 3] = [PAIR[0], (0xA0, 0xBF), CONTINUATION];
/// The bytes that begin runs; see [`Layout::has_runs`].
const RUN: Range = (RUN_LEAD as u32, 0xFF);
/// The lowest of them.
pub(crate) const RUN_LEAD: u8 = 0xFE;
/// The code points at the borders; see [`Layout::borders`].
const LEAST: [u32; 3] = [0x80, 0x100, 0x1_0000];
const NO_BORDER: [u8; 3] = [0xFF; 3];
/// The lead byte of surrogates.
pub(crate) const SURROGATE_LEAD: u8 = 0xED;
/// The lowest second byte with which `ED` begins a surrogate byte sequence.
pub(crate) const SURROGATE_SECOND: u8 = 0xA0;

/// One byte for each byte from 80 up.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Table(pub [u8; 128]);

impl Table {
    const ZERO: Table = Table([0; 128]);

    /// The entry of a byte from 80 up.
    #[inline]
    #[must_use]
    pub fn of(&self, byte: u8) -> u8 {
        self.0[usize::from(byte & 0x7F)]
    }
}

/// The meaning of a lead surrogate sequence directly followed by a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Two sequences like any other.
    Apart,
    /// One supplementary code point.
    Joined,
    /// Ill-formed: the pair parts from the layout.
    Parting,
}

/// A layout. Sequences have one to four bytes; as in UTF-8, the upper half of the lead byte determines the length.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bits for each byte from 80 up: [`Layout::TWO`] to [`Layout::BEYOND`].
    pub kinds: Table,
    /// The lowest second byte that each lead byte takes, and how many more there are.
    pub second_low: Table,
    /// See `second_low`.
    pub second_span: Table,
    /// The same for second bytes with which a sequence parts from the layout.
    pub parting_low: Table,
    /// See `parting_low`.
    pub parting_span: Table,
    /// The bytes with which something begins that parts from the layout, always or with some second bytes: for each
    /// lower half of a byte, one bit for each upper half from 8 up.
    pub parting: [[u8; 16]; 2],
    /// The offsets added to the payload of two, three and four bytes.
    pub offsets: [u32; 3],
    /// From the first value on, the second is added: it skips code points that the form leaves out.
    pub gap: (u32, u32),
    /// Whether the byte 00 is U+0000; otherwise it is ill-formed.
    pub has_nul: bool,
    /// The meaning of surrogate pairs.
    pub pairs: Pairs,
    /// Whether an unpaired surrogate byte sequence parts from the layout.
    pub unpaired_part: bool,
    /// Whether it always is an ill-formed unit as long as the bytes present, two at least.
    pub unpaired_is_ill: bool,
    /// The base added to each byte that is part of no sequence, if the form has such a row.
    pub escape: Option<u32>,
    /// The first three bytes of the first sequences from U+0080, U+0100 and U+10000 on: smaller bytes mean smaller
    /// values.
    pub borders: [[u8; 3]; 3],
    /// Whether the lead byte alone determines on which side of a border a sequence is.
    pub lead_decides: bool,
    /// From this byte up to DF, each begins a sequence of two bytes with any continuation byte. E0 if DF does not.
    pub twos_from: u8,
    /// Whether some sequences part from the layout by their first two bytes.
    pub parts: bool,
    /// Whether those are always ill-formed units of three bytes if their third byte continues them, and otherwise
    /// nothing.
    pub parting_is_unit: bool,
    /// Whether something longer than a byte begins with a continuation byte.
    pub begins_with_strays: bool,
    /// Whether FE and FF each begin an ill-formed unit that extends over all continuation bytes, FE and FF that follow.
    pub has_runs: bool,
    /// Tables that the kernels over vectors derive from the layout on first use.
    pub rules: OnceLock<([[[u8; 16]; 3]; 2], u8)>,
    /// See [`Layout::leads`].
    leads: OnceLock<Leads>,
    /// See [`Layout::heads`].
    heads: OnceLock<Heads>,
}

/// What begins with two given bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// No sequence.
    Nothing,
    /// Sequences that the layout describes.
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
    /// Everything that begins with this byte parts from the layout.
    pub const PARTS: u8 = 8;
    /// What begins with this byte and certain second bytes does.
    pub const SECOND_PARTS: u8 = 16;
    /// With those second bytes, it begins sequences beyond Unicode: of four bytes, from F8 on of five, from FC on of
    /// six.
    pub const BEYOND: u8 = 32;

    /// The layout of a form; None if it has none.
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
            twos_from: 0xE0,
            parts: false,
            parting_is_unit: true,
            begins_with_strays: false,
            has_runs: has_runs(tables),
            rules: OnceLock::new(),
            leads: OnceLock::new(),
            heads: OnceLock::new(),
        };
        let pairs = pairs(tables);
        let told = (pairs != Pairs::Apart).then(|| blank.clone().filled(tables, pairs));
        Some(told.filter(|layout| layout.tells_pairs(tables)).unwrap_or_else(|| blank.filled(tables, Pairs::Apart)))
    }

    /// Add what begins with each lead byte. Where pairs are `Apart`, their halves are sequences like any other.
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
        layout.twos_from = (0xC0..0xE0).rev().take_while(|&lead| layout.is_any_two(lead)).last().unwrap_or(0xE0);
        layout.begins_with_strays = layout.kinds.0[..64].iter().any(|&kind| kind != 0);
        layout.parting = [Layout::PARTS, Layout::SECOND_PARTS].map(|bit| layout.with_kind(bit));
        layout
    }

    /// Whether surrogates are what the kernels assume where pairs mean something: all of them sequences or, where pairs
    /// are joined, all of them units; their payloads are their own values, and nothing else that begins with their lead
    /// byte is mistaken for them.
    fn tells_pairs(&self, tables: &Tables) -> bool {
        let lead = Lead::new(tables, SURROGATE_LEAD, true);
        let seconds = (SURROGATE_SECOND..=*CONTINUATIONS.end()).map(|second| self.beginning(&lead, second));
        let (plain, parting): (Vec<_>, Vec<_>) = seconds.partition(|&found| found == Beginning::Plain);
        let are_sequences = parting.is_empty();
        let are_units = self.unpaired_part && plain.is_empty();
        let are_themselves = self.first_value([SURROGATE_LEAD, SURROGATE_SECOND, 0x80]) == SURROGATES.0
            && self.first_value([SURROGATE_LEAD, 0xBF, 0xBF]) == SURROGATES.1;
        let mut all = lead.rows.iter().map(|line| line.ranges).chain(lead.units.iter().copied());
        (are_sequences || are_units)
            && are_themselves
            && !lead.goes_beyond
            && all.all(|ranges| ranges.len() <= SURROGATE.len() || ranges[1].1 < u32::from(SURROGATE_SECOND))
    }

    /// Whether what begins with a byte, or with two, are sequences of which the layout gives the values.
    pub(crate) fn describes(&self, lead: u8, second: Option<u8>) -> bool {
        let Some(second) = second else { return lead > 0 || self.has_nul };
        let lead = self.lead(lead);
        let fits = |seconds: Option<(u8, u8)>| seconds.is_some_and(|(low, span)| second.wrapping_sub(low) <= span);
        !lead.parts && fits(lead.seconds) && !fits(lead.parting)
    }

    /// Whether a byte begins a sequence of two bytes with any continuation byte.
    fn is_any_two(&self, lead: u8) -> bool {
        let (kind, seconds) = (self.kinds.of(lead), (self.second_low.of(lead), self.second_span.of(lead)));
        kind == Layout::TWO && seconds == (*CONTINUATIONS.start(), CONTINUATIONS.end() - CONTINUATIONS.start())
    }

    /// The length of the sequences with this lead byte, if any begin with it.
    #[must_use]
    pub fn length(lead: u8) -> Option<usize> {
        match lead {
            0xC0..=0xDF => Some(2),
            0xE0..=0xEF => Some(3),
            0xF0..=0xF7 => Some(4),
            _ => None,
        }
    }

    /// The value of a payload of the given length in bytes.
    #[inline]
    #[must_use]
    pub fn value(&self, payload: u32, length: usize) -> u32 {
        let value = payload.wrapping_add(self.offsets[length - 2]);
        if value >= self.gap.0 { value.wrapping_add(self.gap.1) } else { value }
    }

    /// The lead bytes that are not plain, derived on first use.
    pub(crate) fn leads(&self) -> &Leads {
        once(&self.leads, || Leads::new(|byte| self.lead(byte)))
    }

    /// What each lead byte says, derived on first use.
    pub(crate) fn heads(&self) -> &Heads {
        once(&self.heads, || Heads::new(|lead| self.head(lead)))
    }

    fn head(&self, lead: u8) -> Option<Head> {
        let kind = self.kinds.of(lead);
        let length = Layout::length(lead).filter(|_| kind & Layout::TWO != 0 && kind & Layout::PARTS == 0)?;
        let (low, mut span) = (self.second_low.of(lead), self.second_span.of(lead));
        if self.pairs != Pairs::Apart && lead == SURROGATE_LEAD {
            // Where pairs mean something, surrogates need a closer look.
            span = span.min((SURROGATE_SECOND - 1).checked_sub(low)?);
        }
        let values =
            [(low, 0x80), (low + span, 0xBF)].map(|(second, last)| self.sequence(&[lead, second, last, last], length));
        let beyond_gap = match values.map(|value| value >= self.gap.0.wrapping_add(self.gap.1)) {
            [false, false] => 0,
            [true, true] => self.gap.1,
            _ => return None,
        };
        Some(Head::new(lead, length, (low, span), self.offsets[length - 2].wrapping_add(beyond_gap)))
    }

    fn lead(&self, byte: u8) -> leads::Lead {
        let has = |bit: u8| self.kinds.of(byte) & bit != 0;
        leads::Lead {
            parts: has(Layout::PARTS),
            seconds: has(Layout::TWO).then(|| (self.second_low.of(byte), self.second_span.of(byte))),
            parting: has(Layout::SECOND_PARTS).then(|| (self.parting_low.of(byte), self.parting_span.of(byte))),
        }
    }

    /// Whether of all sequences only those of four bytes are beyond U+FFFF.
    #[inline]
    pub(crate) fn only_fours_are_wide(&self) -> bool {
        self.borders[2][0] >= 0xF0
    }

    /// The layout, if the payload of some sequences differs from their code point.
    #[inline]
    #[must_use]
    pub fn shift(&self) -> Option<&Layout> {
        (self.offsets != [0; 3] || self.gap.1 > 0).then_some(self)
    }

    /// Find the borders among the sequences with a lead byte; call it with lead bytes in ascending order.
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

    /// The lowest value of the sequences that begin with three bytes; shorter sequences ignore the rest.
    fn first_value(&self, place: [u8; 3]) -> u32 {
        let (payload, length) = first_payload(place);
        self.value(payload, length)
    }

    fn add_lead(&mut self, lead: &Lead) {
        let place = usize::from(lead.byte & 0x7F);
        let beginnings: Vec<Beginning> = self.beginnings(lead).collect();
        let (plain, plain_is_range) = span_of(&beginnings, Beginning::Plain);
        let (parting, parting_is_range) = span_of(&beginnings, Beginning::Parting);
        // The bytes after a continuation byte that begins something do not look at it.
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
        // A pair must be recognized as a whole before its halves are judged.
        let are_side_by_side = plain.is_some_and(|(low, span)| low + span + 1 == SURROGATE_SECOND);
        if self.pairs == Pairs::Joined
            && lead.byte == SURROGATE_LEAD
            && parting == Some((SURROGATE_SECOND, 0xBF - SURROGATE_SECOND))
            && are_side_by_side
        {
            self.second_span.0[place] = 0xBF - self.second_low.0[place];
            self.kinds.0[place] &= !Layout::SECOND_PARTS;
            self.unpaired_part = true;
            // Where each stray byte is a value, a truncated sequence is not a unit.
            self.unpaired_is_ill = self.escape.is_none() && lead.has_surrogate_units();
        }
    }

    /// The bytes with a kind bit, in the format of [`Layout::parting`].
    fn with_kind(&self, bit: u8) -> [u8; 16] {
        let mut bytes = [0; 16];
        for byte in (0x80..=0xFF).filter(|&byte| self.kinds.of(byte) & bit != 0) {
            bytes[usize::from(byte & 0xF)] |= 1 << (byte >> 4 & 7);
        }
        bytes
    }

    /// What begins with a lead byte and each continuation byte.
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

    /// Whether a row gives the sequences that begin with two bytes the values that the layout gives them. None may be
    /// beyond Unicode, below the values for which the kernels write so many bytes, or on the wrong side of a border.
    fn is_plain(&self, line: &Line, length: usize, [lead, second]: [u8; 2]) -> bool {
        let thirds = line.ranges.get(2).copied().unwrap_or(CONTINUATION);
        line.ranges.len() == length
            && line.ranges[1..].iter().all(|range| CONTINUATION.0 <= range.0 && range.1 <= CONTINUATION.1)
            && line.ranges.get(3).is_none_or(|&fourth| fourth == CONTINUATION)
            && [thirds.0, thirds.1].into_iter().all(|third| {
                let place = [lead, second, third as u8];
                let value = line.value([u32::from(lead), u32::from(second), third]);
                // In four bytes, the last one distinguishes 64 values.
                let mut lasts = [0, if length == 4 { 0x3F } else { 0 }].into_iter();
                lasts.all(|last| self.is_told(place, last, value.saturating_add(last)))
            })
    }

    /// Whether the kernels compute this value for a sequence, given its first three bytes and, if it has four, the
    /// payload of the last.
    fn is_told(&self, place: [u8; 3], last: u32, value: u32) -> bool {
        let (payload, length) = first_payload(place);
        let before_gap = (payload + last).wrapping_add(self.offsets[length - 2]);
        // Kernels that write 16 bits take values of two bytes to be before the gap, and kernels that write 8 bits all
        // values. Values of three bytes never fit 8 bits, nor those of four 16.
        let is_before = before_gap < self.gap.0 || length > 2 && before_gap <= LARGEST_IN_STR;
        let least = [0, LEAST[1], LEAST[2]][length - 2];
        is_before
            && self.value(payload + last, length) == value
            && (least..=LARGEST_IN_STR).contains(&value)
            && self.is_ordered(place, value)
    }

    fn is_ordered(&self, place: [u8; 3], value: u32) -> bool {
        self.borders.iter().zip(LEAST).all(|(&border, least)| {
            // While the borders are being found, some are not set yet.
            border == NO_BORDER || (place >= border) == (value >= least)
        })
    }
}

/// The rows and units that begin with one byte; without surrogate pairs, if the layout handles those.
struct Lead<'a> {
    byte: u8,
    rows: Vec<Line<'a>>,
    units: Vec<&'a [Range]>,
    /// Whether something does not continue with a continuation byte.
    goes_beyond: bool,
}

impl<'a> Lead<'a> {
    fn new(tables: &'a Tables, byte: u8, without_pairs: bool) -> Self {
        let rows = tables.rows.iter().filter(|row| begins(&row.ranges, byte));
        // A unit of any byte is not what `begins` leaves to the escapes: what is truncated is several of them.
        let begun = tables.units.iter().filter(|unit| holds(unit.ranges[0], u32::from(byte)));
        let units = begun.clone().map(|unit| unit.ranges.as_slice());
        let is_apart = |ranges: &&[Range]| ranges.len() > 1 && !(without_pairs && *ranges == PAIR);
        let has_run = begun.clone().any(|unit| !unit.run.is_empty());
        Lead {
            byte,
            rows: rows.clone().filter(|row| is_apart(&row.ranges.as_slice())).map(Line::new).collect(),
            units: units.clone().filter(is_apart).collect(),
            goes_beyond: has_run || rows.map(|row| row.ranges.as_slice()).chain(units).any(|ranges| !continues(ranges)),
        }
    }

    /// Whether everything that begins with certain second bytes is a unit, and all units are three bytes, of which the
    /// last is any continuation byte.
    fn has_units_of_three(&self, (low, high): (u8, u8)) -> bool {
        let is_apart = |line: &Line| line.ranges[1].1 < u32::from(low) || line.ranges[1].0 > u32::from(high);
        let is_of_three = |ranges: &&[Range]| ranges.len() == 3 && ranges[2] == CONTINUATION;
        self.byte >= 0xC0 && self.units.iter().all(is_of_three) && self.rows.iter().all(is_apart)
    }

    /// Whether everything that begins with certain second bytes is a sequence as in [`Layout::BEYOND`].
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

    /// Whether the units are surrogate byte sequences and their first two bytes, and no row begins as they do.
    fn has_surrogate_units(&self) -> bool {
        let is_unit = |ranges: &&[Range]| *ranges == SURROGATE || *ranges == &SURROGATE[..2];
        let is_apart = |line: &Line| line.ranges[1].1 < u32::from(SURROGATE_SECOND);
        self.units.len() == 2
            && self.units.iter().all(is_unit)
            && self.units[0] != self.units[1]
            && self.rows.iter().all(is_apart)
    }
}

/// The lowest payload of the sequences that begin with three bytes, and their length; shorter sequences ignore the
/// rest.
fn first_payload([lead, second, third]: [u8; 3]) -> (u32, usize) {
    let length = Layout::length(lead).unwrap_or(2);
    let bytes = [lead & (0x7F >> length), second & 0x3F, third & 0x3F, 0];
    (bytes[..length].iter().fold(0, |sum, &byte| sum * 64 + u32::from(byte)), length)
}

/// The meaning of surrogate pairs in the tables.
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

/// A row, and how its values follow from its units.
struct Line<'a> {
    ranges: &'a [Range],
    entry: Entry,
}

impl<'a> Line<'a> {
    fn new(row: &'a Row) -> Self {
        Line { ranges: &row.ranges, entry: Entry::new(row.first, &row.ranges, None) }
    }

    /// The lowest value of the sequences that begin with three units.
    fn value(&self, units: [u32; 3]) -> u32 {
        self.entry.value(units.into_iter().chain(repeat(CONTINUATION.0)))
    }
}

/// The lowest second byte with which something is `meant`, and how many more there are up to the highest; and whether
/// all bytes between are too.
fn span_of(beginnings: &[Beginning], meant: Beginning) -> (Option<(u8, u8)>, bool) {
    let mut all = CONTINUATIONS.zip(beginnings).filter(|&(_, &found)| found == meant).map(|(second, _)| second);
    let Some(first) = all.next() else { return (None, true) };
    let (last, count) = all.fold((first, 1), |(_, count), second| (second, count + 1));
    (Some((first, last - first)), usize::from(last - first) + 1 == count)
}

fn begins(ranges: &[Range], lead: u8) -> bool {
    holds(ranges[0], u32::from(lead)) && ranges != [(0x80, 0xFF)]
}

/// See [`Layout::has_runs`].
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

/// Whether the byte 00 is U+0000; None if the bytes below 80 are not ASCII otherwise.
fn ascii(tables: &Tables) -> Option<bool> {
    if tables.unit_bytes != 1 {
        return None;
    }
    let same = |byte: u32| {
        // A longer row that begins with the byte takes precedence over a shorter one.
        let rows = tables.rows.iter().filter(|row| holds(row.ranges[0], byte));
        let row = rows.max_by_key(|row| row.ranges.len())?;
        (row.ranges.len() == 1).then_some(row.first + byte - row.ranges[0].0 == byte)
    };
    let begins_unit = |byte: u32| tables.units.iter().any(|unit| holds(unit.ranges[0], byte));
    if (0..0x80).any(begins_unit) || (1..0x80).any(|byte| same(byte) != Some(true)) {
        return None;
    }
    match same(0) {
        Some(true) => Some(true),
        None if tables.rows.iter().all(|row| !holds(row.ranges[0], 0)) => Some(false),
        _ => None,
    }
}

/// The gap and the offsets; None if one gap and one offset for each length do not give the values of the rows.
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
    // The kernels compare the gap with 16-bit values, and only with those that do not fit a byte.
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
