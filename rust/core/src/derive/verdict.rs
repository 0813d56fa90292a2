//! What begins at an offset, looked up: the answers of a diagnosis that a few code units decide.
//!
//! The diagnosis is slow on purpose and is not known here. It is asked once for each run of units that decides it: those
//! of which it says, when it must wait for what more input could change, that nothing could. Units that all tables take alike are
//! one class, so there are few such runs.

use crate::code_point::Range;
use crate::derive::automaton;
use crate::tables::{Kind, Tables};

/// What begins at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A well-formed sequence of so many units.
    Sequence(u8),
    /// A fault over so many units.
    Fault(Kind, u8),
    /// The input ends too early, or too many units decide: ask.
    Unknown,
    /// More units decide; never given to callers.
    Node(u16),
}

/// Units that decide are no more than these; a run without a fixed length may have more.
const DEEPEST: usize = 12;
/// A form of one's own may have rows without number; what begins beyond the nodes that so many verdicts are in is asked
/// each time.
const MOST_VERDICTS: usize = 1 << 16;

/// The verdicts of a form: a trie over classes of units.
#[derive(Debug)]
pub(crate) struct Verdicts {
    /// The first unit of every class but the lowest.
    cuts: Vec<u32>,
    /// For each node a verdict of each class.
    verdicts: Vec<Verdict>,
    /// The class of each byte; empty where units are wider.
    classes: Vec<u8>,
}

impl Verdicts {
    /// The verdicts of `decided`, which says what units decide, whatever follows them.
    pub fn new(tables: &Tables, decided: impl Fn(&[u8]) -> Option<Verdict>) -> Self {
        let cuts = automaton::cuts(&all_ranges(tables));
        let is_bytes = tables.unit_bytes == 1 && cuts.len() < 256;
        let classes = if is_bytes { (0..=255).map(|byte| class(&cuts, byte) as u8).collect() } else { Vec::new() };
        let mut verdicts = Verdicts { cuts, verdicts: Vec::new(), classes };
        verdicts.fill(tables, decided);
        verdicts
    }

    /// Level by level, so that the short runs of units are there where the nodes do not suffice.
    fn fill(&mut self, tables: &Tables, decided: impl Fn(&[u8]) -> Option<Verdict>) {
        let representatives: Vec<u32> = [0].into_iter().chain(self.cuts.iter().copied()).collect();
        let most_nodes = MOST_VERDICTS / representatives.len();
        let mut prefixes: Vec<Vec<u8>> = vec![Vec::new()];
        let mut node = 0;
        while node < prefixes.len() {
            for &unit in &representatives {
                let mut prefix = prefixes[node].clone();
                prefix.extend(bytes_of(tables, unit));
                let depth = prefix.len() / tables.unit_bytes;
                let verdict = decided(&prefix).unwrap_or_else(|| {
                    if depth == DEEPEST || prefixes.len() >= most_nodes {
                        return Verdict::Unknown;
                    }
                    prefixes.push(prefix);
                    Verdict::Node(u16::try_from(prefixes.len() - 1).expect("there are fewer nodes"))
                });
                self.verdicts.push(verdict);
            }
            node += 1;
        }
    }

    /// What begins at an offset.
    #[inline]
    pub fn at(&self, tables: &Tables, data: &[u8], start: usize) -> Verdict {
        let (mut node, mut at) = (0, start);
        while let Some(unit) = tables.unit_at(data, at) {
            match self.verdicts[node * (self.cuts.len() + 1) + self.class(unit)] {
                Verdict::Node(next) => node = usize::from(next),
                verdict => return verdict,
            }
            at += tables.unit_bytes;
        }
        Verdict::Unknown
    }

    /// What a byte is by itself; a node where more decide, and nothing for forms of wider units.
    #[inline]
    pub fn alone(&self, byte: u8) -> Option<Verdict> {
        self.classes.get(usize::from(byte)).map(|&class| self.verdicts[usize::from(class)])
    }

    #[inline]
    fn class(&self, unit: u32) -> usize {
        self.classes.get(unit as usize).map_or_else(|| class(&self.cuts, unit), |&class| usize::from(class))
    }
}

fn class(cuts: &[u32], unit: u32) -> usize {
    cuts.partition_point(|&cut| cut <= unit)
}

fn all_ranges(tables: &Tables) -> Vec<Vec<Range>> {
    let rows = tables.rows.iter().map(|row| row.ranges.clone());
    let named = tables.units.iter().chain(&tables.names);
    rows.chain(named.flat_map(|row| [row.ranges.clone(), row.run.clone()])).collect()
}

fn bytes_of(tables: &Tables, unit: u32) -> Vec<u8> {
    let mut bytes = unit.to_le_bytes()[..tables.unit_bytes].to_vec();
    if tables.big_endian {
        bytes.reverse();
    }
    bytes
}
