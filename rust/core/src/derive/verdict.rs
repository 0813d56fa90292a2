//! What begins at an offset, by table lookup: the verdicts of the diagnosis that depend on a few code units.
//!
//! The diagnosis is slow on purpose and is not part of this module. It runs once for each run of units that settles its
//! verdict, that is, for which it does not wait for more input. Units that no table distinguishes are one class, so
//! such runs are few.

use crate::code_point::Range;
use crate::derive::automaton;
use crate::tables::{Kind, Tables};

/// The verdict on what begins at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A well-formed sequence of this many units.
    Sequence(u8),
    /// A fault over this many units.
    Fault(Kind, u8),
    /// The input ends too early, or the verdict depends on too many units: run the diagnosis.
    Unknown,
    /// The verdict depends on more units; never returned to callers.
    Node(u16),
}

/// A verdict depends on at most this many units; a run without a fixed length may have more.
const DEEPEST: usize = 12;
/// A form defined by a user may have any number of rows. Beyond the nodes that hold this many verdicts, the diagnosis
/// runs each time.
const MOST_VERDICTS: usize = 1 << 16;

/// The verdicts of a form, as a trie over classes of units.
#[derive(Debug)]
pub(crate) struct Verdicts {
    /// The first unit of every class but the lowest.
    cuts: Vec<u32>,
    /// For each node, the verdict of each class.
    verdicts: Vec<Verdict>,
    /// The class of each byte; empty for wider units.
    classes: Vec<u8>,
}

impl Verdicts {
    /// The verdicts of `decided`, which returns the verdict that some units settle, whatever follows them.
    pub fn new(tables: &Tables, decided: impl Fn(&[u8]) -> Option<Verdict>) -> Self {
        let cuts = automaton::cuts(&all_ranges(tables));
        let is_bytes = tables.unit_bytes == 1 && cuts.len() < 256;
        let classes = if is_bytes { (0..=255).map(|byte| class(&cuts, byte) as u8).collect() } else { Vec::new() };
        let mut verdicts = Verdicts { cuts, verdicts: Vec::new(), classes };
        verdicts.fill(tables, decided);
        verdicts
    }

    /// Fill level by level, so that short runs of units are covered first if the nodes do not suffice.
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

    /// The verdict on a single byte: a node if it depends on more, and None for forms of wider units.
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
