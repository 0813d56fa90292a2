//! The faults of a byte form, identified by two bytes each, so that the kernels can count them by kind in a block. The
//! counting is in the kernels.
//!
//! In most forms a fault is either a lead byte that begins no complete sequence, together with the continuation bytes
//! that belong to it, or a single continuation byte. The diagnosis, which comes in as a function, says for each lead
//! byte whether that holds; where it does not, the kernels stop.

use crate::code_point::{CONTINUATION, CONTINUATIONS, LARGEST_IN_STR, Range, SURROGATES, holds};
use crate::derive::layout::{Layout, PAIR, Pairs, RUN_LEAD, SURROGATE_LEAD, SURROGATE_SECOND, Table};
use crate::derive::piece::Piece;
use crate::derive::verdict::Verdict;
use crate::tables::{FaultRow, Kind, Tables};

/// A byte that continues no sequence.
const PLAIN: u8 = 0x41;

/// The faults of a form that has a layout.
#[derive(Debug)]
pub struct FaultTable {
    /// The most bytes of a sequence or a fault that begins with each lead byte; 0 where the kernels stop.
    pub reach: Table,
    /// The second bytes that make a fault one of the first kind: the lowest, and how many more there are.
    pub named_low: Table,
    /// See `named_low`.
    pub named_span: Table,
    /// The kinds of faults that begin with each lead byte: with those second bytes, and with all others.
    pub kinds: [Table; 2],
    /// The kind of a single continuation byte.
    pub stray: Kind,
    /// The kind of the byte 00, if it is a fault.
    pub nul: Option<Kind>,
    /// The kind of runs, where the layout has them.
    pub run: Option<Kind>,
    /// The meaning of surrogate pairs, and the kind of unpaired surrogate byte sequences, if they are faults.
    pub pairs: Pairs,
    /// See `pairs`.
    pub unpaired: Option<Kind>,
    /// The indices of the kinds in `kinds`.
    pub among: Vec<u8>,
}

/// The faults of one lead byte.
struct Faults {
    reach: u8,
    named: (u8, u8),
    kinds: [Kind; 2],
}

impl FaultTable {
    /// The table of a form that has a layout; None if stray bytes are values, or faults of several kinds. `verdict_of`
    /// returns the verdict on what begins with some bytes.
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

    /// The faults that begin with a lead byte; None if the kernels cannot represent one of them.
    fn faults_of(
        &self,
        tables: &Tables,
        layout: &Layout,
        verdict_of: impl Fn(&[u8]) -> Verdict,
        lead: u8,
    ) -> Option<Faults> {
        let mut named = tables.units.iter().chain(&tables.names);
        // The kernels stop at pairs that are faults.
        let is_pair = |row: &FaultRow| layout.pairs == Pairs::Parting && row.ranges == PAIR;
        if named.any(|row| holds(row.ranges[0], lead.into()) && !is_usual(row) && !is_pair(row)) {
            return None;
        }
        let Verdict::Fault(usual, 1) = verdict_of(&[lead, PLAIN]) else { return None };
        let is_unpaired = |second| self.unpaired.is_some() && lead == SURROGATE_LEAD && second >= SURROGATE_SECOND;
        let probed = Probed::new(layout, verdict_of, lead, CONTINUATIONS.filter(|&second| !is_unpaired(second)))?;
        if probed.takes_all() { probed.faults(usual) } else { None }
    }
}

/// What begins with a lead byte, tried with second bytes and up to four continuation bytes behind them.
struct Probed {
    /// The most bytes of a sequence or a fault.
    reach: u8,
    /// The second bytes of faults, and their kinds.
    kinds: Vec<(u8, Kind)>,
    /// The bytes of each fault, of so many that could be its own.
    lengths: Vec<(u8, u8)>,
    /// The bytes of each complete sequence.
    whole: Vec<u8>,
}

impl Probed {
    /// Try some second bytes; None if the kernels cannot represent what begins with one of them.
    fn new(
        layout: &Layout,
        verdict_of: impl Fn(&[u8]) -> Verdict,
        lead: u8,
        seconds: impl Iterator<Item = u8>,
    ) -> Option<Probed> {
        let mut probed = Probed { reach: 1, kinds: Vec::new(), lengths: Vec::new(), whole: Vec::new() };
        for second in seconds {
            // The longest possible fault, then shorter ones of the same kind; or a complete sequence.
            for more in (0..5).rev() {
                let mut bytes = [PLAIN; 8];
                (bytes[0], bytes[1]) = (lead, second);
                bytes[2..2 + more].fill(*CONTINUATIONS.end());
                match (verdict_of(&bytes), layout.piece(&bytes)) {
                    (Verdict::Fault(kind, units), Piece::IllFormed(_)) => {
                        probed.reach = probed.reach.max(units);
                        probed.lengths.push((units, 2 + more as u8));
                        if probed.kinds.last().is_some_and(|&(last, known)| last == second && known != kind) {
                            return None;
                        }
                        probed.kinds.push((second, kind));
                    }
                    (Verdict::Sequence(units), Piece::Value(_, length)) if usize::from(units) == length => {
                        probed.reach = probed.reach.max(units);
                        probed.whole.push(units);
                    }
                    _ => return None,
                }
            }
        }
        Some(probed)
    }

    /// Whether sequences and faults take all continuation bytes within the reach, a fault also behind a second byte
    /// that begins no sequence.
    fn takes_all(&self) -> bool {
        let is_full = |&(units, most): &(u8, u8)| units == self.reach.min(most);
        self.lengths.iter().all(is_full) && self.whole.iter().all(|&units| units == self.reach)
    }

    /// The faults, if the second bytes of those that are not of the usual kind are a range, and of one kind.
    fn faults(&self, usual: Kind) -> Option<Faults> {
        let reach = self.reach;
        let named: Vec<(u8, Kind)> = self.kinds.iter().copied().filter(|&(_, kind)| kind != usual).collect();
        let Some((&(first, kind), &(last, _))) = named.first().zip(named.last()) else {
            // No continuation byte lies in the range (0, 0).
            return Some(Faults { reach, named: (0, 0), kinds: [usual; 2] });
        };
        let is_range = self.kinds.iter().all(|&(second, each)| (each == kind) == (first <= second && second <= last));
        is_range.then_some(Faults { reach, named: (first, last - first), kinds: [kind, usual] })
    }
}

/// The kind of unpaired surrogate byte sequences, if all of them are faults of three bytes and a truncated one has the
/// usual kind of their lead byte.
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

/// Whether a fault row is a lead byte, a range of continuation bytes, and then any continuation bytes.
fn is_usual(row: &FaultRow) -> bool {
    let is_second = row.ranges.get(1).is_none_or(|&(low, high)| CONTINUATION.0 <= low && high <= CONTINUATION.1);
    row.run.is_empty() && is_second && row.ranges.iter().skip(2).all(|&range| range == CONTINUATION)
}

/// The kinds of faults of wide units: unpaired surrogates, and values beyond Unicode.
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
    // Units between the ends of ranges have the same kind.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;
    use crate::tables::Row;

    /// UTF-8 up to U+0FFF, with a name for the lead byte of three bytes.
    fn form(name: Vec<Range>) -> Form {
        let rows = vec![
            Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] },
            Row { first: 0x80, last: 0x7FF, ranges: vec![(0xC2, 0xDF), CONTINUATION] },
            Row { first: 0x800, last: 0xFFF, ranges: vec![(0xE0, 0xE0), (0xA0, 0xBF), CONTINUATION] },
        ];
        let names = vec![FaultRow {
            kind: Kind::from_name("overlong").expect("a kind"),
            ranges: name,
            meant: None,
            run: Vec::new(),
        }];
        Form::new(Tables { unit_bytes: 1, big_endian: false, rows, units: Vec::new(), names, joins_pairs: false })
            .expect("a small form")
    }

    #[test]
    fn the_kernels_stop_at_leads_whose_faults_are_longer_than_their_sequences() {
        for (tails, reach) in [(1, 3), (2, 0)] {
            let ranges = [vec![(0xE0, 0xE0), (0x80, 0x9F)], vec![CONTINUATION; tails]].concat();
            assert_eq!(form(ranges).fault_table().expect("a table").reach.0[0x60], reach, "{tails}");
        }
    }
}
