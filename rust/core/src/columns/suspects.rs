//! The search for the values of a column that must be looked at one by one. All others are text that the forms share
//! with UTF-8, which is found out for many of them at once.
//!
//! A stretch of data holds such text only, value by value, exactly if the stretch is valid UTF-8 without a parting byte
//! (see `derive::agreement`) and no value begins with a continuation byte: UTF-8 is cut between sequences only. What is
//! between the values of a column belongs to null rows; it makes a stretch suspicious and no value ill-formed.

use std::ops::Range;

use super::column::{Bounds, Broken, Column, Layout, Views};
use crate::code_point::is_continuation;
use crate::derive::agreement::Agreement;
use crate::kernels::{is_ascii, is_utf8_up_to};

/// Bytes and rows that are looked at together at most: they stay in the first-level cache.
const LARGEST_BLOCK: usize = 1 << 14;

/// The same right after a suspect, since there may be another one near; four times as many after each clean block, so
/// that no more is seen twice than has been found clean.
const NEAR_BLOCK: usize = 1 << 10;

/// What forms share with UTF-8.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'a>(pub &'a [&'a Agreement]);

impl Shared<'_> {
    /// Where the bytes end that are the same text in UTF-8 and all of the forms.
    fn end(&self, data: &[u8]) -> usize {
        is_utf8_up_to(&data[..self.parting(data)])
    }

    /// Where the first byte stands at which one of the forms parts from UTF-8; the end if there is none.
    fn parting(&self, data: &[u8]) -> usize {
        self.0.iter().fold(data.len(), |end, agreement| agreement.before_parting(&data[..end]))
    }

    fn is_any(&self) -> bool {
        self.0.iter().all(|agreement| agreement.is_worthwhile())
    }
}

/// Call a function with each row, and its value, that is neither null nor known to be text that the forms share. The
/// rows must have been checked.
///
/// # Errors
/// Those of the function; and a value is outside its buffer, which no longer is what it was when it was checked.
pub fn each_suspect<'a, E: From<Broken>>(
    column: &Column<'a>,
    rows: Range<usize>,
    shared: Shared<'_>,
    mut visit: impl FnMut(usize, &'a [u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut visit = |row: usize| if column.is_valid(row) { visit(row, column.value(row)?) } else { Ok(()) };
    match column.layout {
        // Nothing is shared.
        _ if !shared.is_any() => { rows }.try_for_each(visit),
        Layout::Narrow(bounds, data) => search(bounds, data, rows, shared, &mut visit),
        Layout::Wide(bounds, data) => search(bounds, data, rows, shared, &mut visit),
        Layout::Fixed(bounds, data) => search(bounds, data, rows, shared, &mut visit),
        Layout::Views(views) => { rows }.filter(|&row| !is_shared(&views, row, shared)).try_for_each(visit),
    }
}

fn is_shared(views: &Views<'_>, row: usize, shared: Shared<'_>) -> bool {
    views.value(row).is_some_and(|value| shared.end(value) == value.len())
}

fn search<E>(
    bounds: impl Bounds,
    data: &[u8],
    rows: Range<usize>,
    shared: Shared<'_>,
    visit: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let (mut row, mut room) = (rows.start, NEAR_BLOCK);
    while row < rows.end {
        let end = block_end(bounds, row, rows.end, room);
        let clean = clean_end(bounds, data, row..end, shared);
        if clean == end {
            (row, room) = (end, LARGEST_BLOCK.min(room * 4));
            continue;
        }
        visit(clean)?;
        (row, room) = (clean + 1, NEAR_BLOCK);
    }
    Ok(())
}

/// The end of the rows that have room in a block; of one at least.
fn block_end(bounds: impl Bounds, row: usize, end: usize, room: usize) -> usize {
    last_within(bounds, row + 1..end.min(row + room), bounds.at(row).saturating_add(room))
}

/// The last of some rows that begins up to a place; the first of them if none does.
fn last_within(bounds: impl Bounds, rows: Range<usize>, limit: usize) -> usize {
    let (mut low, mut high) = (rows.start, rows.end);
    while low < high {
        let middle = low.midpoint(high + 1);
        if bounds.at(middle) <= limit { low = middle } else { high = middle - 1 }
    }
    low
}

/// The first row that is not known to be shared text; the end of the rows if there is none.
fn clean_end(bounds: impl Bounds, data: &[u8], rows: Range<usize>, shared: Shared<'_>) -> usize {
    let start = bounds.at(rows.start);
    let Some(block) = data.get(start..bounds.at(rows.end)) else { return rows.start };
    // Each byte of ASCII is a sequence, wherever values begin and end.
    if is_ascii(block) && shared.parting(block) == block.len() {
        return rows.end;
    }
    let text = &block[..shared.end(block)];
    let end = last_within(bounds, rows.clone(), start + text.len());
    // Whether the text goes on behind a row with the rest of a sequence.
    let is_cut =
        |row: usize| text.get(bounds.at(row + 1).wrapping_sub(start)).is_some_and(|&byte| is_continuation(byte));
    // All at once is faster than one by one.
    if { rows.start..end }.fold(false, |found, row| found | is_cut(row)) {
        return { rows.start..end }.find(|&row| is_cut(row)).unwrap_or(end);
    }
    end
}
