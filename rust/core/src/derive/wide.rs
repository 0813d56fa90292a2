//! Forms of 16- and 32-bit units, derived from their rows: what the kernels need to read and write them.

use crate::code_point::{LARGEST_IN_STR, Range, SURROGATES, holds, split};
use crate::tables::{Row, Tables};

/// The units of a surrogate pair.
const PAIR: [Range; 2] = [(0xD800, 0xDBFF), (0xDC00, 0xDFFF)];

/// A form whose units are code points, or in 16 bits surrogate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// The width of a code unit: 2 or 4.
    pub unit_bytes: usize,
    /// The byte order.
    pub big_endian: bool,
    /// Whether a surrogate in no pair is a value.
    pub has_surrogates: bool,
}

impl Wide {
    /// The form of these tables, if it is one.
    pub(crate) fn new(tables: &Tables) -> Option<Wide> {
        let mut rows: Vec<&Row> = tables.rows.iter().collect();
        rows.sort_by_key(|row| row.first);
        let is_pair = |row: &&Row| row.ranges == PAIR && (row.first, row.last) == (0x1_0000, LARGEST_IN_STR);
        let pairs = rows.iter().filter(|row| is_pair(row)).count();
        rows.retain(|row| !is_pair(row));
        let is_itself = |row: &&Row| row.ranges == [(row.first, row.last)];
        let last = match (tables.unit_bytes, pairs) {
            (2, 1) => 0xFFFF,
            (4, 0) => LARGEST_IN_STR,
            _ => return None,
        };
        let mut gaps = Vec::new();
        let mut next = 0;
        for row in &rows {
            if row.first > next {
                gaps.push((next, row.first - 1));
            }
            // Of 32-bit units the last can be a row's last; nothing follows it.
            next = row.last.wrapping_add(1);
        }
        let has_surrogates = gaps.is_empty();
        let is_whole = has_surrogates || gaps == [SURROGATES];
        // A unit of its own would not be what the kernels take an unpaired surrogate for.
        let is_plain = rows.iter().all(is_itself) && tables.units.is_empty();
        (is_whole && is_plain && next == last + 1).then_some(Wide {
            unit_bytes: tables.unit_bytes,
            big_endian: tables.big_endian,
            has_surrogates,
        })
    }

    /// The same under `surrogatepass`, where the form's tables know surrogates, if at all, as units of their own value.
    pub(crate) fn passing(self, surrogates: Option<&[Range]>) -> Self {
        Wide { has_surrogates: self.has_surrogates || surrogates == Some(&[SURROGATES]), ..self }
    }

    /// Write a code point of Unicode; false, and nothing written, where the form lacks it.
    #[inline]
    pub fn write(self, code_point: u32, out: &mut Vec<u8>) -> bool {
        if !self.has_surrogates && holds(SURROGATES, code_point) {
            return false;
        }
        if self.unit_bytes == 4 {
            out.extend_from_slice(&if self.big_endian { code_point.to_be_bytes() } else { code_point.to_le_bytes() });
            return true;
        }
        let mut put = |unit: u32| {
            let unit = unit as u16;
            out.extend_from_slice(&if self.big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() });
        };
        if code_point < 0x1_0000 {
            put(code_point)
        } else {
            split(code_point).into_iter().for_each(put)
        }
        true
    }

    /// How many bytes of units are in so many bytes.
    #[inline]
    #[must_use]
    pub fn whole_units(self, bytes: usize) -> usize {
        bytes - bytes % self.unit_bytes
    }
}
