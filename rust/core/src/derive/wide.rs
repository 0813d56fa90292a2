//! Forms of 16- and 32-bit units, derived from their rows: the facts by which the kernels read and write them. Byte
//! forms have a `layout` and a `spelling` instead.

use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SUPPLEMENTARY, SURROGATES, TRAILS, holds, split};
use crate::tables::{Row, Tables};

/// A form whose units are code points or, with 16-bit units, surrogate pairs too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// The width of a code unit in bytes: 2 or 4.
    pub unit_bytes: usize,
    /// Whether the units are big-endian.
    pub big_endian: bool,
    /// Whether an unpaired surrogate is a value.
    pub has_surrogates: bool,
}

impl Wide {
    /// The view of a form with these tables; None if the rows say something else.
    pub(crate) fn new(tables: &Tables) -> Option<Wide> {
        match tables.unit_bytes {
            2 => Self::of(tables, 1, 0xFFFF),
            4 => Self::of(tables, 0, LARGEST_IN_STR),
            _ => None,
        }
    }

    /// The view of a form of 16-bit units without pairs, by which a text of the BMP is written.
    pub(crate) fn of_bmp(tables: &Tables) -> Option<Wide> {
        let is_each_itself = tables.unit_bytes == 2 && !tables.joins_pairs;
        is_each_itself.then(|| Self::of(tables, 0, 0xFFFF)).flatten()
    }

    /// The view of a form with so many rows of pairs, in which other units are code points up to the last.
    fn of(tables: &Tables, pairs: usize, last: u32) -> Option<Wide> {
        let mut rows: Vec<&Row> = tables.rows.iter().collect();
        rows.sort_by_key(|row| row.first);
        let is_pair = |row: &&Row| row.ranges == [LEADS, TRAILS] && (row.first, row.last) == SUPPLEMENTARY;
        let has_pairs = rows.iter().filter(|row| is_pair(row)).count() == pairs;
        rows.retain(|row| !is_pair(row));
        let is_itself = |row: &&Row| row.ranges == [(row.first, row.last)];
        let mut gaps = Vec::new();
        let mut next = 0;
        for row in &rows {
            if row.first > next {
                gaps.push((next, row.first - 1));
            }
            // With 32-bit units a row can end at the last unit; nothing follows it.
            next = row.last.wrapping_add(1);
        }
        let has_surrogates = gaps.is_empty();
        let is_whole = has_surrogates || gaps == [SURROGATES];
        // With decoding units of its own, the form could disagree with the kernels about unpaired surrogates.
        let is_plain = rows.iter().all(is_itself) && tables.units.is_empty();
        (has_pairs && is_whole && is_plain && next == last + 1).then_some(Wide {
            unit_bytes: tables.unit_bytes,
            big_endian: tables.big_endian,
            has_surrogates,
        })
    }

    /// The form under `surrogatepass`, if its tables know surrogates as units of the same value.
    pub(crate) fn passing(self, surrogates: Option<&[Range]>) -> Self {
        Wide { has_surrogates: self.has_surrogates || surrogates == Some(&[SURROGATES]), ..self }
    }

    /// Write a code point of Unicode; returns false, and writes nothing, if the form lacks it.
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

    /// The number of bytes rounded down to whole units.
    #[inline]
    #[must_use]
    pub fn whole_units(self, bytes: usize) -> usize {
        bytes - bytes % self.unit_bytes
    }
}
