//! A form: its tables as given, and everything compiled from them once. Reading is in `read`, writing in `write`.

use std::iter::zip;
use std::sync::OnceLock;

use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SUPPLEMENTARY, SURROGATES, TRAILS};
use crate::derive::agreement::{Agreement, merged};
use crate::derive::automaton::{Automaton, TooLarge};
use crate::derive::fault_table::FaultTable;
use crate::derive::layout::{Layout, SURROGATE};
use crate::derive::spelling::Spelling;
use crate::derive::verdict::Verdicts;
use crate::derive::wide::Wide;
use crate::kernels::{Level, Script, Spelt, Text, WideText};
use crate::once::once;
use crate::policy::{Lacking, Missing};
use crate::tables::{FaultRow, Row, Tables};

/// A compiled form.
#[derive(Debug)]
pub struct Form {
    /// The tables that the form was compiled from.
    pub tables: Tables,
    /// What the form shares with UTF-8.
    pub agreement: Agreement,
    /// Whether an encoder must see what follows a lead, because the form writes a pair differently from its halves.
    pub holds_back_lead: bool,
    /// The most bytes that the form writes for one code point.
    pub(crate) longest: usize,
    /// The bytes of U+000A; empty if the form lacks it.
    pub(crate) line_feed: Vec<u8>,
    /// How the kernels read the form, if they can.
    pub layout: Option<Layout>,
    /// How the kernels write the form, if they can.
    pub spelling: Option<Spelling>,
    /// How the kernels read and write a form with units wider than a byte.
    pub wide: Option<Wide>,
    /// How the kernels write a text of the BMP in a form of 16-bit units without pairs.
    pub bmp: Option<Wide>,
    /// Which rows and units match after some code units.
    pub automaton: Automaton,
    /// Whether no byte of ASCII occurs after the first place of anything: each ends what is before it.
    pub ascii_only_opens: bool,
    /// The units that occur in a row after the first place, as ranges in order.
    pub(crate) later: Vec<Range>,
    /// The indices of the rows in the order of their code points; empty if rows share code points.
    pub(crate) by_point: Vec<usize>,
    pub(crate) surrogates: Option<Vec<Range>>,
    /// Verdicts that depend on a few units only; made when faults are first counted.
    pub(crate) verdicts: OnceLock<Verdicts>,
    /// The table by which the kernels count faults; made when many bytes are first counted.
    pub(crate) fault_table: OnceLock<Option<FaultTable>>,
    /// The layout extended by surrogate byte sequences, if the form's own rows have none; made on first use.
    passing: OnceLock<Option<Layout>>,
    /// The spelling under each policy; made on first use.
    spellings: [OnceLock<Spelling>; Missing::ALL.len()],
}

impl Form {
    /// Compile tables. They must have been checked: the builder of a form rejects rows that clash.
    ///
    /// # Errors
    /// The tables need an automaton above the size limit.
    pub fn new(tables: Tables) -> Result<Self, TooLarge> {
        // Fix the instruction set before the first kernel runs.
        let _ = Level::current();
        let layout = Layout::new(&tables);
        let by_point = by_point(&tables.rows);
        // Where rows share code points, the first of them writes, which a spelling does not know.
        let spelling =
            layout.as_ref().filter(|_| !by_point.is_empty()).and_then(|layout| Spelling::new(&tables, layout));
        let mut form = Form {
            automaton: Automaton::new(&tables)?,
            later: merged(tables.rows.iter().flat_map(|row| row.ranges[1..].iter().copied()).collect()),
            by_point,
            agreement: Agreement::new(&tables, layout.as_ref()),
            spelling,
            layout,
            wide: Wide::new(&tables),
            bmp: Wide::of_bmp(&tables),
            longest: longest(&tables),
            surrogates: surrogate_ranges(&tables),
            verdicts: OnceLock::new(),
            fault_table: OnceLock::new(),
            passing: OnceLock::new(),
            spellings: [const { OnceLock::new() }; _],
            holds_back_lead: false,
            line_feed: Vec::new(),
            ascii_only_opens: false,
            tables,
        };
        form.line_feed = form.written(0x0A);
        form.ascii_only_opens = (0..0x80).all(|unit| form.only_opens(unit));
        form.holds_back_lead = form.tables.joins_pairs && form.splits_pairs();
        if let Some(spelling) = &mut form.spelling {
            spelling.joins = form.holds_back_lead;
        }
        Ok(form)
    }

    /// Whether the form is UTF-8: all of that is shared, and there are no other sequences.
    #[must_use]
    pub fn is_utf_8(&self) -> bool {
        let count: u64 = self.tables.rows.iter().map(|row| u64::from(row.last - row.first) + 1).sum();
        let scalars = u64::from(LARGEST_IN_STR + 1 - (SURROGATES.1 + 1 - SURROGATES.0));
        self.agreement.is_total() && count == scalars
    }

    /// How the kernels write the form under a policy, if they can.
    pub(crate) fn spelling_under(&self, policy: Missing) -> Option<&Spelling> {
        let own = self.spelling.as_ref()?;
        if policy == Missing::Stop {
            return Some(own);
        }
        Some(once(&self.spellings[policy as usize], || own.under(policy, self.surrogates.as_deref())))
    }

    /// The work of the kernels on a text, if they know the form; `spelling` is the form's own or one made for a policy.
    pub(crate) fn script<'a>(
        &'a self,
        spelling: Option<&'a Spelling>,
        policy: Missing,
        text: Text<'a>,
    ) -> Option<Script<'a>> {
        if let Some(spelling) = spelling {
            return Some(Script::Bytes(Spelt { spelling, agreement: &self.agreement, text }));
        }
        // Each other kind of text ends at U+FFFF.
        let bmp = self.bmp.filter(|_| !matches!(text, Text::Four(_)));
        let wide = self.wide.or(bmp)?;
        let passes = policy == Missing::SurrogatePass;
        let wide = if passes { wide.passing(self.surrogates.as_deref()) } else { wide };
        let mut lacking = Lacking::under(policy);
        if self.tables.joins_pairs {
            // The kernels write each code point by itself. In 16-bit units that still gives a pair, unless its halves
            // are not written at all.
            if wide.has_surrogates && wide.unit_bytes == 4 {
                return None;
            }
            lacking = Lacking::Stop;
        }
        Some(Script::Units(WideText { wide, lacking, text }))
    }

    /// The layout for `surrogatepass`: with surrogate byte sequences, even if the form's own rows have none.
    pub(crate) fn passing(&self) -> Option<&Layout> {
        let own = self.layout.as_ref()?;
        // Where each stray byte is an escape, a surrogate is never a fault.
        if own.escape.is_some() {
            return Some(own);
        }
        once(&self.passing, || passing(&self.tables, &self.agreement)).as_ref().or(Some(own))
    }

    /// Whether one of the form's own units has no fixed length.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.tables.run_unit().is_some()
    }

    fn written(&self, code_point: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(code_point, &mut bytes);
        bytes
    }

    /// Whether a pair is written in other units than its halves, unless the rows say at a glance that it is not.
    fn splits_pairs(&self) -> bool {
        let written = [SUPPLEMENTARY, LEADS, TRAILS].map(|points| self.ranges_of(points));
        let [Some(pairs), Some(leads), Some(trails)] = written else { return true };
        pairs != [leads, trails].concat()
    }

    /// The ranges of units that write all of a range of code points, in order and nothing else, if one row has it.
    fn ranges_of(&self, (first, last): Range) -> Option<Vec<Range>> {
        let row = self.tables.rows.iter().find(|row| row.first <= last && first <= row.last)?;
        if first < row.first || row.last < last {
            return None;
        }
        let ranges: Vec<Range> = zip(self.units_of(row, first), self.units_of(row, last)).collect();
        let sizes = ranges.iter().map(|&(low, high)| (u64::from(high) + 1).saturating_sub(low.into()));
        (sizes.product::<u64>() == u64::from(last - first) + 1).then_some(ranges)
    }

    fn units_of(&self, row: &Row, code_point: u32) -> Vec<u32> {
        let mut bytes = Vec::new();
        self.write_by((row.first, &row.ranges), code_point, &mut bytes);
        let places = (0..bytes.len()).step_by(self.tables.unit_bytes);
        places.filter_map(|at| self.tables.unit_at(&bytes, at)).collect()
    }
}

/// The layout of the form's rows plus one row by which `surrogatepass` reads surrogates, if the same of it agrees with
/// UTF-8.
fn passing(tables: &Tables, agreement: &Agreement) -> Option<Layout> {
    let ranges = surrogate_ranges(tables)?;
    // Units that are surrogates or prefixes of surrogates need no entry: the new row leaves the same maximal subparts.
    let is_of_surrogates = |unit: &FaultRow| unit.run.is_empty() && SURROGATE.starts_with(&unit.ranges);
    let has_row = tables.rows.iter().any(|row| row.ranges == ranges);
    if ranges != SURROGATE || !tables.units.iter().all(is_of_surrogates) || has_row {
        return None;
    }
    let mut tables = tables.clone();
    tables.units.clear();
    tables.rows.push(Row { first: SURROGATES.0, last: SURROGATES.1, ranges });
    Layout::new(&tables).filter(|layout| Agreement::new(&tables, Some(layout)).parts_as(agreement))
}

/// The indices of the rows in the order of their code points, if rows share none.
fn by_point(rows: &[Row]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&row| rows[row].first);
    if order.windows(2).any(|pair| rows[pair[1]].first <= rows[pair[0]].last) {
        order.clear();
    }
    order
}

fn longest(tables: &Tables) -> usize {
    let rows = tables.rows.iter().map(|row| row.ranges.len());
    let surrogates = surrogate_ranges(tables).map(|ranges| ranges.len());
    tables.unit_bytes * rows.chain(surrogates).max().unwrap_or(0)
}

/// The unit ranges that the form's own tables assign to the surrogates: in a row, a unit or a name.
pub(crate) fn surrogate_ranges(tables: &Tables) -> Option<Vec<Range>> {
    let rows = tables.rows.iter().map(|row| (Some((row.first, row.last)), &row.ranges));
    let named = tables.units.iter().chain(&tables.names).map(|row| (row.meant, &row.ranges));
    rows.chain(named).find(|(meant, _)| *meant == Some(SURROGATES)).map(|(_, ranges)| ranges.clone())
}
