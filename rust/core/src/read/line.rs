//! Lines, which end at U+000A only: counting line feeds, and the place after them. Other line terminators are not known
//! here.

use crate::form::Form;

/// Code units whose line feeds are counted in one byte, which must not overflow.
const ROW_UNITS: usize = 192;
/// Code units among which the last line feed is searched for.
const BLOCK_UNITS: usize = 32 * ROW_UNITS;

/// A place in the input: its line and its column in bytes, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Place {
    /// The place of the first byte.
    pub const START: Place = Place { line: 1, column: 1 };

    /// Advance over whole code units of a form.
    pub fn pass_over(&mut self, form: &Form, data: &[u8]) {
        let (count, last_end) = form.line_feeds(data);
        if count > 0 {
            *self = Place { line: self.line + count, column: 1 };
        }
        self.column += data.len() - last_end;
    }

    /// This place in a longer input, in which its bytes begin at `start`.
    #[must_use]
    pub fn behind(self, start: Place) -> Place {
        let before = if self.line == 1 { start.column - 1 } else { 0 };
        Place { line: self.line + start.line - 1, column: self.column + before }
    }
}

impl Form {
    /// The number of line feeds in whole code units, and the end of the last one: 0 if there is none.
    #[must_use]
    pub fn line_feeds(&self, data: &[u8]) -> (usize, usize) {
        match (self.tables.unit_bytes, self.line_feed.as_slice()) {
            (_, []) => (0, 0),
            (1, &[feed]) => counted(data, |[unit]| unit == feed),
            (2, &[first, second]) => {
                let feed = u16::from_ne_bytes([first, second]);
                counted(data, |unit| u16::from_ne_bytes(unit) == feed)
            }
            (4, &[first, second, third, fourth]) => {
                let feed = u32::from_ne_bytes([first, second, third, fourth]);
                counted(data, |unit| u32::from_ne_bytes(unit) == feed)
            }
            (unit_bytes, feed) => searched(data, feed, unit_bytes),
        }
    }
}

/// Line feeds of one unit.
fn counted<const BYTES: usize>(data: &[u8], is_feed: impl Fn([u8; BYTES]) -> bool + Copy) -> (usize, usize) {
    let (units, _) = data.as_chunks::<BYTES>();
    let (mut count, mut last) = (0, None);
    for (index, block) in units.chunks(BLOCK_UNITS).enumerate() {
        let here = counted_in_block(block, is_feed);
        count += here;
        last = if here > 0 { Some((index, block)) } else { last };
    }
    let end = last.and_then(|(index, block)| {
        let within = block.iter().rposition(|&unit| is_feed(unit));
        within.map(|within| (index * BLOCK_UNITS + within + 1) * BYTES)
    });
    (count, end.unwrap_or(0))
}

fn counted_in_block<const BYTES: usize>(block: &[[u8; BYTES]], is_feed: impl Fn([u8; BYTES]) -> bool) -> usize {
    // The compiler vectorizes the sum of bytes if the count fills its loop without a remainder.
    let count = |row: &[[u8; BYTES]]| usize::from(row.iter().map(|&unit| u8::from(is_feed(unit))).sum::<u8>());
    let (rows, rest) = block.as_chunks::<ROW_UNITS>();
    rows.iter().map(|row| count(row)).sum::<usize>() + count(rest)
}

/// Line feeds of several consecutive units.
fn searched(data: &[u8], feed: &[u8], unit_bytes: usize) -> (usize, usize) {
    let (mut count, mut end, mut at) = (0, 0, 0);
    while at < data.len() {
        let is_feed = data[at..].starts_with(feed);
        at += if is_feed { feed.len() } else { unit_bytes };
        (count, end) = if is_feed { (count + 1, at) } else { (count, end) };
    }
    (count, end)
}
