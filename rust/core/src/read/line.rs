//! Lines, which end at U+000A only: counting line feeds, and the place after them. Other line terminators are not known
//! here.

use crate::form::Form;
use crate::kernels::{count_byte, counted};

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
            (1, &[feed]) => count_byte(data, feed),
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
