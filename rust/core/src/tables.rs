//! A form's tables as they were given: rows, decoding units and names, with the kinds of faults that these name.

use crate::code_point::Range;

/// The kinds of fault that this crate names, by their stable identifiers.
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
];

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind(u8);

impl Kind {
    /// How many kinds there are.
    pub(crate) const COUNT: usize = 23;
    pub(crate) const INVALID_BYTE: Kind = Kind(4);
    pub(crate) const UNEXPECTED_CONTINUATION: Kind = Kind(5);
    pub(crate) const TRUNCATED: Kind = Kind(6);
    pub(crate) const ODD_LENGTH: Kind = Kind(14);

    /// The kind with this identifier.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        KINDS.iter().zip(0u8..).find(|(kind, _)| **kind == name).map(|(_, index)| Kind(index))
    }

    /// All of them, in the order of their indices.
    pub fn all() -> impl Iterator<Item = Kind> {
        (0u8..).take(Kind::COUNT).map(Kind)
    }

    pub(crate) fn index(self) -> usize {
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
    /// For each code unit its lowest and its highest value.
    pub ranges: Vec<Range>,
}

/// An ill-formed sequence that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// The kind of fault.
    pub kind: Kind,
    /// As in [`Row`].
    pub ranges: Vec<Range>,
    /// The first and the last code point that were meant.
    pub meant: Option<(u32, u32)>,
    /// Ranges of units that go on belonging to the sequence, however many there are.
    pub run: Vec<Range>,
}

/// What a form is: the facts that it is compiled from.
#[derive(Clone, Debug)]
pub struct Tables {
    /// The width of a code unit: 1, 2 or 4.
    pub unit_bytes: usize,
    /// The byte order of wider units.
    pub big_endian: bool,
    /// What is well-formed.
    pub rows: Vec<Row>,
    /// Ill-formed sequences that are one decoding unit.
    pub units: Vec<FaultRow>,
    /// Fault rows for the diagnosis only.
    pub names: Vec<FaultRow>,
    /// On encoding, a lead directly followed by a trail is the supplementary code point.
    pub joins_pairs: bool,
}

impl Tables {
    /// The code unit at an offset, or None where the input ends before the unit does.
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
