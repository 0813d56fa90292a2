//! What the faults of a byte form are, told by two bytes each: what the kernels need to count them by kinds in a block.
//!
//! In most forms a fault is a lead byte that begins no whole sequence, with as many continuation bytes as it asks for, or a
//! continuation byte by itself. Whether that is so is asked of the diagnosis, which is not known here, lead byte by lead
//! byte; where it is not, the kernels stop.

use std::ops::RangeInclusive;

use crate::code_point::{LARGEST_IN_STR, Range, SURROGATES, holds};
use crate::derive::layout::{Layout, PAIR, Pairs, RUN_LEAD, SURROGATE_LEAD, SURROGATE_SECOND, Table};
use crate::derive::piece::Piece;
use crate::derive::verdict::Verdict;
use crate::tables::{FaultRow, Kind, Tables};

/// No byte of a sequence that it continues.
const PLAIN: u8 = 0x41;
const CONTINUATIONS: RangeInclusive<u8> = 0x80..=0xBF;

/// The faults of a form that has a layout.
#[derive(Debug)]
pub struct FaultTable {
    /// For each lead byte, how many bytes a sequence or a fault that begins with it has at most; 0 where the kernels stop.
    pub reach: Table,
    /// The second bytes with which a fault is of the first kind: the lowest, and how many more there are.
    pub named_low: Table,
    /// See `named_low`.
    pub named_span: Table,
    /// The kinds of faults that begin with each lead byte: with those second bytes, and with any others.
    pub kinds: [Table; 2],
    /// The kind of a continuation byte by itself.
    pub stray: Kind,
    /// The kind of the byte 00, if it is a fault.
    pub nul: Option<Kind>,
    /// The kind of runs, where the layout has them.
    pub run: Option<Kind>,
    /// What surrogate pairs are, and the kind of surrogate byte sequences in none, if they are faults.
    pub pairs: Pairs,
    /// See `pairs`.
    pub unpaired: Option<Kind>,
    /// The kinds that occur in `kinds`, by their indices.
    pub among: Vec<u8>,
}

/// The faults of one lead byte.
struct Faults {
    reach: u8,
    named: (u8, u8),
    kinds: [Kind; 2],
}

impl FaultTable {
    /// The table of a form that has a layout; None where it takes its stray bytes for something else. `verdict_of` says
    /// what some bytes begin with.
    pub(crate) fn new(tables: &Tables, layout: &Layout, verdict_of: impl Fn(&[u8]) -> Verdict) -> Option<FaultTable> {
        if layout.escape.is_some() {
            return None;
        }
        let alone = |bytes: &[u8]| match verdict_of(bytes) {
            Verdict::Fault(kind, 1) => Some(kind),
            _ => None,
        };
        let stray = alone(&[*CONTINUATIONS.start()])?;
        if CONTINUATIONS.into_iter().any(|byte| alone(&[byte, PLAIN]) != Some(stray)) {
            return None;
        }
        let mut table = FaultTable {
            reach: Table([0; 128]),
            named_low: Table([0; 128]),
            named_span: Table([0; 128]),
            kinds: [Table([0; 128]), Table([0; 128])],
            stray,
            nul: if layout.has_nul { None } else { Some(alone(&[0])?) },
            run: if layout.has_runs { Some(alone(&[RUN_LEAD, PLAIN])?) } else { None },
            pairs: layout.pairs,
            unpaired: if layout.unpaired_part { Some(unpaired(&verdict_of)?) } else { None },
            among: Vec::new(),
        };
        for lead in 0xC0..=0xFF {
            if let Some(faults) = table.faults_of(tables, layout, &verdict_of, lead) {
                table.add(lead, &faults);
            }
        }
        Some(table)
    }

    fn add(&mut self, lead: u8, faults: &Faults) {
        let place = usize::from(lead & 0x7F);
        self.reach.0[place] = faults.reach;
        (self.named_low.0[place], self.named_span.0[place]) = faults.named;
        for (table, kind) in self.kinds.iter_mut().zip(faults.kinds) {
            let kind = kind.index() as u8;
            table.0[place] = kind;
            if !self.among.contains(&kind) {
                self.among.push(kind);
            }
        }
    }

    /// The faults that begin with a lead byte, if all of them are as the kernels take them.
    fn faults_of(
        &self,
        tables: &Tables,
        layout: &Layout,
        verdict_of: impl Fn(&[u8]) -> Verdict,
        lead: u8,
    ) -> Option<Faults> {
        let mut named = tables.units.iter().chain(&tables.names);
        // At pairs that are faults the kernels stop.
        let is_pair = |row: &FaultRow| layout.pairs == Pairs::Parting && row.ranges == PAIR;
        if named.any(|row| holds(row.ranges[0], lead.into()) && !is_usual(row) && !is_pair(row)) {
            return None;
        }
        let Verdict::Fault(usual, 1) = verdict_of(&[lead, PLAIN]) else { return None };
        let is_unpaired = |second| self.unpaired.is_some() && lead == SURROGATE_LEAD && second >= SURROGATE_SECOND;
        let seconds = CONTINUATIONS.filter(|&second| !is_unpaired(second));
        let mut reach = 1;
        let mut kinds: Vec<(u8, Kind)> = Vec::new();
        for second in seconds {
            // A fault as long as can be, then shorter ones of the same kind; or a whole sequence.
            for more in (0..5).rev() {
                let mut bytes = [PLAIN; 8];
                (bytes[0], bytes[1]) = (lead, second);
                bytes[2..2 + more].fill(*CONTINUATIONS.end());
                match (verdict_of(&bytes), layout.piece(&bytes)) {
                    (Verdict::Fault(kind, units), Piece::IllFormed(_)) => {
                        reach = reach.max(units);
                        let is_as_long = usize::from(units) == usize::from(reach).min(2 + more);
                        let is_alike = kinds.last().is_none_or(|&(last, known)| last != second || known == kind);
                        if !is_as_long || !is_alike {
                            return None;
                        }
                        kinds.push((second, kind));
                    }
                    (Verdict::Sequence(units), Piece::Value(_, length)) if usize::from(units) == length => {
                        reach = reach.max(units);
                    }
                    _ => return None,
                }
            }
        }
        let named: Vec<(u8, Kind)> = kinds.iter().copied().filter(|&(_, kind)| kind != usual).collect();
        let Some((&(first, kind), &(last, _))) = named.first().zip(named.last()) else {
            // Nothing is as far from the lowest second byte as that.
            return Some(Faults { reach, named: (0, 0), kinds: [usual; 2] });
        };
        let is_range = kinds.iter().all(|&(second, each)| (each == kind) == (first <= second && second <= last));
        is_range.then_some(Faults { reach, named: (first, last - first), kinds: [kind, usual] })
    }
}

/// The kind of surrogate byte sequences in no pair, where they are faults of three bytes, and what begins so and is cut
/// short is what any sequence with their lead byte is.
fn unpaired(verdict: impl Fn(&[u8]) -> Verdict) -> Option<Kind> {
    let Verdict::Fault(kind, 3) = verdict(&[SURROGATE_LEAD, SURROGATE_SECOND, 0x80, PLAIN]) else { return None };
    let Verdict::Fault(usual, 1) = verdict(&[SURROGATE_LEAD, PLAIN]) else { return None };
    let is_so = (SURROGATE_SECOND..=*CONTINUATIONS.end()).all(|second| {
        let whole = [0x80, 0xBF].map(|third| verdict(&[SURROGATE_LEAD, second, third, PLAIN, PLAIN, PLAIN]));
        let cut = verdict(&[SURROGATE_LEAD, second, PLAIN]);
        whole == [Verdict::Fault(kind, 3); 2] && cut == Verdict::Fault(usual, 2)
    });
    is_so.then_some(kind)
}

/// Whether a fault row is a lead byte, second bytes among the continuation bytes, and then any of those.
fn is_usual(row: &FaultRow) -> bool {
    let all = (u32::from(*CONTINUATIONS.start()), u32::from(*CONTINUATIONS.end()));
    let is_second = row.ranges.get(1).is_none_or(|&(low, high)| all.0 <= low && high <= all.1);
    row.run.is_empty() && is_second && row.ranges.iter().skip(2).all(|&range| range == all)
}

/// The kinds of faults of wide units: surrogates in no pair, and what is beyond Unicode.
pub(crate) fn wide_kinds(tables: &Tables, verdict_of: impl Fn(&[u8]) -> Verdict) -> Option<[Kind; 2]> {
    let width = tables.unit_bytes;
    let kind_of = |unit: u32| {
        let mut bytes = Vec::new();
        for unit in [unit, PLAIN.into(), PLAIN.into()] {
            let all = if tables.big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let first = if tables.big_endian { 4 - width } else { 0 };
            bytes.extend(&all[first..first + width]);
        }
        match verdict_of(&bytes) {
            Verdict::Fault(kind, 1) => Some(kind),
            _ => None,
        }
    };
    let names = &tables.names;
    if names.iter().any(|row| row.ranges.len() > 1 || !row.run.is_empty()) {
        return None;
    }
    // Units between the ends of ranges are of one kind.
    let edges = names.iter().flat_map(|row| [row.ranges[0].0, row.ranges[0].1]);
    let kind_among = |range: Range| {
        let kind = kind_of(range.0)?;
        let mut units = edges.clone().filter(|&unit| holds(range, unit)).chain([range.1]);
        units.all(|unit| kind_of(unit) == Some(kind)).then_some(kind)
    };
    let surrogates = kind_among(SURROGATES)?;
    let beyond = if width == 4 { kind_among((LARGEST_IN_STR + 1, u32::MAX))? } else { surrogates };
    Some([surrogates, beyond])
}
