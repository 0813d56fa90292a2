//! Single code points as code units: by a form's spelling, as wide units or by its rows. Whole texts are written in
//! `write`.

use crate::code_point::{LARGEST_IN_STR, Range, holds};
use crate::form::Form;
use crate::kernels::{Level, count_byte};
use crate::tables::Row;

impl Form {
    /// Write a code point; returns false, and writes nothing, if the form lacks it.
    #[inline]
    pub fn write(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        if code_point > LARGEST_IN_STR {
            return self.write_row(code_point, out);
        }
        if let Some(spelling) = &self.spelling {
            if (1..0x80).contains(&code_point) {
                // A form with a spelling writes ASCII as ASCII only.
                out.push(code_point as u8);
                return true;
            }
            let Some((bytes, length)) = spelling.spelt(code_point) else { return false };
            // Append all eight, then truncate: appending a variable number of bytes would take a call.
            let end = out.len() + length;
            out.extend_from_slice(&bytes.to_le_bytes());
            out.truncate(end);
            return true;
        }
        match self.wide {
            Some(wide) => wide.write(code_point, out),
            None => self.write_row(code_point, out),
        }
    }

    /// As [`Form::write`], by the rows alone. Slow: tests compare the fast paths with it.
    pub fn write_row(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        self.row_of(code_point).map(|row| self.write_by((row.first, &row.ranges), code_point, out)).is_some()
    }

    /// The first row that contains a code point.
    fn row_of(&self, code_point: u32) -> Option<&Row> {
        let (rows, order) = (&self.tables.rows, &self.by_point);
        let has_it = |row: &&Row| holds((row.first, row.last), code_point);
        if order.is_empty() {
            return rows.iter().find(has_it);
        }
        let behind = order.partition_point(|&row| rows[row].first <= code_point);
        order[..behind].last().map(|&row| &rows[row]).filter(has_it)
    }

    /// Write a code point by ranges of units, the lowest of which write the code point `first`.
    pub(crate) fn write_by(&self, (first, ranges): (u32, &[Range]), code_point: u32, out: &mut Vec<u8>) {
        let width = self.tables.unit_bytes;
        let start = out.len();
        out.resize(start + ranges.len() * width, 0);
        let mut index = code_point - first;
        for (&(low, high), place) in ranges.iter().zip(out[start..].chunks_exact_mut(width)).rev() {
            // A range that covers all 32-bit units is the only one in its row.
            let (unit, rest) = match (high - low).checked_add(1) {
                Some(count) => (low + index % count, index / count),
                None => (index, 0),
            };
            index = rest;
            self.put_unit(unit, place);
        }
    }

    fn put_unit(&self, unit: u32, place: &mut [u8]) {
        if self.tables.big_endian {
            place.copy_from_slice(&unit.to_be_bytes()[4 - place.len()..]);
        } else {
            place.copy_from_slice(&unit.to_le_bytes()[..place.len()]);
        }
    }

    /// How many bytes a code point takes; None if the form lacks it.
    pub(crate) fn length(&self, code_point: u32) -> Option<usize> {
        match self.spelling.as_ref().filter(|_| code_point <= LARGEST_IN_STR) {
            // A form with a spelling writes ASCII as ASCII only.
            Some(_) if (1..0x80).contains(&code_point) => Some(1),
            Some(spelling) => spelling.spelt(code_point).map(|(_, length)| length),
            None => self.row_of(code_point).map(|row| row.ranges.len() * self.tables.unit_bytes),
        }
    }

    /// How many bytes ASCII takes. None where the form parts from UTF-8 in more of it than U+0000 or lacks that, or
    /// where the kernels measure it quicker.
    #[must_use]
    pub fn ascii_length(&self, ascii: &[u8]) -> Option<usize> {
        match self.agreement.apart() {
            [(0x80.., _), ..] => Some(ascii.len()),
            [(0, 0), (0x80.., _), ..] if Level::current() < Level::Avx512 => {
                let more = self.length(0)? - 1;
                Some(ascii.len() + more * count_byte(ascii, 0).0)
            }
            _ => None,
        }
    }

    /// Whether the form has bytes for a code point.
    pub(crate) fn has(&self, code_point: u32) -> bool {
        if let Some(spelling) = self.spelling.as_ref().filter(|_| code_point <= LARGEST_IN_STR) {
            return !spelling.lacks(code_point);
        }
        self.row_of(code_point).is_some()
    }
}
