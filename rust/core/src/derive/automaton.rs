//! The automaton of a form: which of its rows and units still match after some code units. Reading with it is in
//! `read`.
//!
//! A state is the set of entries that match so far. All entries of one state have the same depth, so a walk sees every
//! unit once, however many rows share a beginning.

use std::collections::HashMap;
use std::iter::repeat_n;

use crate::code_point::{Range, holds};
use crate::tables::Tables;

/// No state: no entry continues with this unit.
pub const DEAD: u16 = u16::MAX;
/// No entry is complete here.
pub const NONE: u16 = u16::MAX;

/// The value of one entry's units: `base` plus each unit times its weight, modulo 2 to the 32.
///
/// This is the row's mixed-radix index, with the constant contribution of the lowest units moved into `base`.
#[derive(Debug)]
pub struct Entry {
    /// The value of units that are all 0.
    pub base: u32,
    /// What each unit counts.
    pub weights: Vec<u32>,
    /// The index in the form's units; None for a row.
    pub unit: Option<usize>,
}

impl Entry {
    /// The entry of ranges, the lowest units of which have the value `first`.
    pub(crate) fn new(first: u32, ranges: &[Range], unit: Option<usize>) -> Self {
        let mut weights = vec![1u32; ranges.len()];
        for at in (1..ranges.len()).rev() {
            let (low, high) = ranges[at];
            weights[at - 1] = weights[at].wrapping_mul((high - low).wrapping_add(1));
        }
        let lowest =
            ranges.iter().zip(&weights).fold(0u32, |sum, (range, w)| sum.wrapping_add(range.0.wrapping_mul(*w)));
        Entry { base: first.wrapping_sub(lowest), weights, unit }
    }

    /// The value of units.
    pub(crate) fn value(&self, units: impl Iterator<Item = u32>) -> u32 {
        units.zip(&self.weights).fold(self.base, |sum, (unit, w)| sum.wrapping_add(unit.wrapping_mul(*w)))
    }
}

/// What is known after some units.
#[derive(Debug)]
pub struct State {
    /// The entry that is complete here, the first of the rows and then of the units, or [`NONE`].
    pub accept: u16,
    /// The units matched by the longest matching row on the way here; at least 1.
    pub subpart: u8,
    /// Whether some entry continues.
    pub goes_on: bool,
    /// Whether some row matches so far.
    pub fits_row: bool,
    /// Whether some row continues.
    pub row_goes_on: bool,
}

/// The automaton of a form; state 0 is the first.
#[derive(Debug)]
pub struct Automaton {
    /// The rows and then the units.
    pub entries: Vec<Entry>,
    /// Every state.
    pub states: Vec<State>,
    next: Vec<u16>,
    width: usize,
    /// The first unit of every class but the lowest; empty for bytes, each of which is a class of its own.
    cuts: Vec<u32>,
}

/// The tables of a form need an automaton with more states or transitions than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// The limit for states and for entries: both have 16-bit numbers, and one number means none.
const MOST_STATES: usize = u16::MAX as usize;
/// The limit for transitions: 64 MiB of them.
const MOST_CELLS: usize = 1 << 25;

impl Automaton {
    pub(crate) fn new(tables: &Tables) -> Result<Self, TooLarge> {
        let longest = |ranges: &Vec<Range>| ranges.len() > usize::from(u8::MAX);
        let builder = Builder::new(tables);
        if builder.ranges.len() >= MOST_STATES || builder.ranges.iter().any(longest) {
            return Err(TooLarge);
        }
        builder.build(tables)
    }

    /// The first unit of every class, in order: units of one class lead to the same states.
    #[must_use]
    pub fn classes(&self) -> Vec<u32> {
        if self.cuts.is_empty() { (0..=255).collect() } else { [&[0], &self.cuts[..]].concat() }
    }

    /// The state after one more unit, or [`DEAD`].
    #[must_use]
    pub fn next(&self, state: u16, unit: u32) -> u16 {
        let class = if self.cuts.is_empty() { unit as usize } else { self.cuts.partition_point(|&cut| cut <= unit) };
        self.next[usize::from(state) * self.width + class]
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    fitting: Vec<usize>,
    depth: usize,
    subpart: usize,
}

struct Builder {
    ranges: Vec<Vec<Range>>,
    row_count: usize,
    /// The lowest unit of each class, and how many units of the automaton it represents.
    classes: Vec<(u32, usize)>,
    cuts: Vec<u32>,
}

impl Builder {
    fn new(tables: &Tables) -> Self {
        let rows = tables.rows.iter().map(|row| row.ranges.clone());
        let units = tables.units.iter().map(|unit| unit.ranges.clone());
        let ranges: Vec<_> = rows.chain(units).collect();
        let mut cuts = cuts(&ranges);
        let starts: Vec<u32> = [0].into_iter().chain(cuts.iter().copied()).collect();
        let mut classes: Vec<(u32, usize)> = starts.iter().map(|&start| (start, 1)).collect();
        if tables.unit_bytes == 1 {
            let starts: Vec<u32> = starts.into_iter().filter(|&start| start < 256).chain([256]).collect();
            classes = starts.windows(2).map(|pair| (pair[0], (pair[1] - pair[0]) as usize)).collect();
            cuts.clear();
        }
        Builder { ranges, row_count: tables.rows.len(), classes, cuts }
    }

    fn build(self, tables: &Tables) -> Result<Automaton, TooLarge> {
        let width: usize = self.classes.iter().map(|&(_, count)| count).sum();
        let root = Key { fitting: (0..self.ranges.len()).collect(), depth: 0, subpart: 1 };
        let (mut keys, mut known, mut next) = (vec![root.clone()], HashMap::from([(root, 0u16)]), Vec::new());
        let mut at = 0;
        while at < keys.len() {
            if keys.len() > MOST_STATES || keys.len() * width > MOST_CELLS {
                return Err(TooLarge);
            }
            for &(unit, count) in &self.classes {
                let state = match self.after(&keys[at], unit) {
                    None => DEAD,
                    Some(key) => match known.get(&key) {
                        Some(&state) => state,
                        None => {
                            let state = u16::try_from(keys.len()).map_err(|_| TooLarge)?;
                            known.insert(key.clone(), state);
                            keys.push(key);
                            state
                        }
                    },
                };
                next.extend(repeat_n(state, count));
            }
            at += 1;
        }
        let states = keys.iter().map(|key| self.state(key)).collect();
        Ok(Automaton { entries: entries(tables), states, next, width, cuts: self.cuts })
    }

    fn after(&self, key: &Key, unit: u32) -> Option<Key> {
        let fits = |&&entry: &&usize| self.ranges[entry].get(key.depth).is_some_and(|&range| holds(range, unit));
        let fitting: Vec<usize> = key.fitting.iter().filter(fits).copied().collect();
        let depth = key.depth + 1;
        let subpart = if fitting.iter().any(|&entry| entry < self.row_count) { depth } else { key.subpart };
        (!fitting.is_empty()).then_some(Key { fitting, depth, subpart })
    }

    fn state(&self, key: &Key) -> State {
        let longer = |&entry: &usize| self.ranges[entry].len() > key.depth;
        let whole = key.fitting.iter().find(|&entry| !longer(entry) && key.depth > 0);
        State {
            accept: whole.map_or(NONE, |&entry| u16::try_from(entry).expect("a form has few rows")),
            subpart: u8::try_from(key.subpart).expect("a sequence is short"),
            goes_on: key.fitting.iter().any(longer),
            fits_row: key.fitting.iter().any(|&entry| entry < self.row_count),
            row_goes_on: key.fitting.iter().any(|entry| *entry < self.row_count && longer(entry)),
        }
    }
}

/// The first unit of every class but the lowest. No range distinguishes the units between two neighbouring cuts.
pub(crate) fn cuts(ranges: &[Vec<Range>]) -> Vec<u32> {
    let edges = ranges.iter().flatten().flat_map(|&(low, high)| [Some(low), high.checked_add(1)]);
    let mut cuts: Vec<u32> = edges.flatten().filter(|&edge| edge > 0).collect();
    cuts.sort_unstable();
    cuts.dedup();
    // An empty list means bytes, so units that no range distinguishes still need one cut, anywhere.
    if cuts.is_empty() { vec![u32::MAX] } else { cuts }
}

fn entries(tables: &Tables) -> Vec<Entry> {
    let rows = tables.rows.iter().map(|row| Entry::new(row.first, &row.ranges, None));
    let units = tables.units.iter().enumerate().map(|(at, unit)| Entry::new(0, &unit.ranges, Some(at)));
    rows.chain(units).collect()
}
