//! A form's tables as given: rows, decoding units and names, and the kinds of faults that they name. Nothing derived
//! from the tables lives here.

use crate::code_point::{Range, holds};

/// The stable identifiers of the kinds of fault, in the order of their indices.
const KINDS: [&str; Kind::COUNT] = [
    "overlong",
    "surrogate",
    "beyond-unicode",
    "too-long",
    "invalid-byte",
    "unexpected-continuation",
    "truncated",
    "surrogate-pair",
    "unpaired-surrogate",
    "four-byte",
    "raw-nul",
    "escape-collision",
    "reserved",
    "unrepresentable",
    "odd-length",
    "control",
    "line-terminator",
    "no-final-newline",
    "no-signature",
    "joined-pair",
    "needless-escape",
    "unexamined",
    "other-form",
    "escaped-surrogate",
    "undefined",
    "mojibake",
];

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    /// The number of kinds.
    pub const COUNT: usize = 26;
    /// A code point that the form lacks.
    pub const UNREPRESENTABLE: Kind = Kind(13);
    pub(crate) const INVALID_BYTE: Kind = Kind(4);
    pub(crate) const UNEXPECTED_CONTINUATION: Kind = Kind(5);
    pub(crate) const TRUNCATED: Kind = Kind(6);
    pub(crate) const ODD_LENGTH: Kind = Kind(14);

    /// The kind with this identifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().zip(0u8..).find(|(kind, _)| **kind == name).map(|(_, index)| Kind(index))
    }

    /// All kinds, in the order of their indices.
    pub fn all() -> impl Iterator<Item = Kind> {
        (0u8..).take(Kind::COUNT).map(Kind)
    }

    /// The index in [`Kind::all`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The stable identifier.
    #[must_use]
    pub fn name(self) -> &'static str {
        KINDS[usize::from(self.0)]
    }
}

/// A run of code points and the code units that write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The first code point.
    pub first: u32,
    /// The last code point.
    pub last: u32,
    /// The lowest and the highest value of each code unit.
    pub ranges: Vec<Range>,
}

/// An ill-formed sequence that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// The kind of fault.
    pub kind: Kind,
    /// As in [`Row`].
    pub ranges: Vec<Range>,
    /// The first and the last code point that the sequence was meant to write.
    pub meant: Option<(u32, u32)>,
    /// Ranges of units that continue the sequence, however many follow.
    pub run: Vec<Range>,
}

impl FaultRow {
    /// Whether a unit continues the run of a sequence without a fixed length.
    pub(crate) fn runs_on(&self, unit: u32) -> bool {
        self.run.iter().any(|&range| holds(range, unit))
    }
}

/// The facts that a form is compiled from.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The width of a code unit in bytes: 1, 2 or 4.
    pub unit_bytes: usize,
    /// Whether units wider than a byte are big-endian.
    pub big_endian: bool,
    /// The well-formed sequences.
    pub rows: Vec<Row>,
    /// Ill-formed sequences that count as one decoding unit.
    pub units: Vec<FaultRow>,
    /// Fault rows that serve only the diagnosis.
    pub names: Vec<FaultRow>,
    /// Whether encoding joins a lead and the trail right after it to a supplementary code point.
    pub joins_pairs: bool,
}

impl Tables {
    /// The decoding unit without a fixed length, of which there is at most one.
    pub(crate) fn run_unit(&self) -> Option<&FaultRow> {
        self.units.iter().find(|unit| !unit.run.is_empty())
    }

    /// The code unit at an offset; None if the input ends before the unit does.
    #[inline]
    pub(crate) fn unit_at(&self, data: &[u8], at: usize) -> Option<u32> {
        match self.unit_bytes {
            1 => data.get(at).copied().map(u32::from),
            2 => {
                let unit: [u8; 2] = data.get(at..at.checked_add(2)?)?.try_into().ok()?;
                Some(u32::from(if self.big_endian { u16::from_be_bytes(unit) } else { u16::from_le_bytes(unit) }))
            }
            _ => {
                let unit: [u8; 4] = data.get(at..at.checked_add(4)?)?.try_into().ok()?;
                Some(if self.big_endian { u32::from_be_bytes(unit) } else { u32::from_le_bytes(unit) })
            }
        }
    }
}
