//! What is wrong in a column: the rows of ill-formed values, and their faults.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::column::{Broken, Column};
use super::suspects::{Shared, each_suspect};
use crate::form::Form;
use crate::memory::OutOfMemory;
use crate::read::cuts::{PIECE_BYTES, by_threads};
use crate::read::fault::Fault;
use crate::read::scan::Scan;

/// Why work on a column stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Its buffers contradict each other.
    Broken(Broken),
    /// There was not enough memory.
    OutOfMemory,
    /// Its values no longer fit offsets of 32 bits.
    TooLarge,
    /// The caller said so: [`Effort::goes_on`].
    Ended,
}

/// How work on a column is done.
#[derive(Clone, Copy)]
pub struct Effort<'a> {
    /// The most threads at once.
    pub threads: NonZeroUsize,
    /// Called before each piece with its size in bytes, from any thread: whether to go on.
    pub goes_on: &'a (dyn Fn(usize) -> bool + Sync),
}

impl From<Broken> for Stopped {
    fn from(broken: Broken) -> Self {
        Stopped::Broken(broken)
    }
}

impl From<OutOfMemory> for Stopped {
    fn from(_: OutOfMemory) -> Self {
        Stopped::OutOfMemory
    }
}

impl From<std::collections::TryReserveError> for Stopped {
    fn from(_: std::collections::TryReserveError) -> Self {
        Stopped::OutOfMemory
    }
}

/// A fault, the row it is in, and its bytes. Its offsets count in the value.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The row.
    pub row: usize,
    /// The fault.
    pub fault: Fault,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// Do work on the rows of a column, checked piece by piece, on several threads, and return the results in order.
///
/// # Errors
/// The first of the work, or of the check.
pub(super) fn by_pieces<R: Send>(
    column: &Column<'_>,
    Effort { threads, goes_on }: Effort<'_>,
    work: impl Fn(Range<usize>) -> Result<R, Stopped> + Sync,
) -> Result<Vec<R>, Stopped> {
    let pieces = (column.bytes() / PIECE_BYTES).clamp(1, column.count.max(1));
    let rows = column.count.div_ceil(pieces).max(1);
    let starts: Vec<usize> = (0..column.count).step_by(rows).collect();
    let checked = |&start: &usize| {
        let rows = start..column.count.min(start + rows);
        if !goes_on(PIECE_BYTES) {
            return Err(Stopped::Ended);
        }
        column.check(rows.clone())?;
        work(rows)
    };
    by_threads(threads, &starts, checked).into_iter().collect()
}

impl Form {
    /// The rows of values that are ill-formed, piece by piece.
    ///
    /// # Errors
    /// As [`Stopped`] says.
    pub fn ill_formed_rows(&self, column: &Column<'_>, effort: Effort<'_>) -> Result<Vec<Vec<usize>>, Stopped> {
        by_pieces(column, effort, |rows| {
            let mut found = Vec::new();
            each_suspect(column, rows, Shared(&[&self.agreement]), |row, value| {
                if !scan_of(self, value).is_clean() {
                    found.try_reserve(1)?;
                    found.push(row);
                }
                Ok::<_, Stopped>(())
            })?;
            Ok(found)
        })
    }

    /// The faults of all values, piece by piece; no more than `limit` in each piece.
    ///
    /// # Errors
    /// As [`Stopped`] says.
    pub fn column_faults<'a>(
        &self,
        column: &Column<'a>,
        limit: usize,
        effort: Effort<'_>,
    ) -> Result<Vec<Vec<Found<'a>>>, Stopped> {
        by_pieces(column, effort, |rows| {
            let mut found = Vec::new();
            each_suspect(column, rows, Shared(&[&self.agreement]), |row, value| {
                for fault in scan_of(self, value).take(limit - found.len()) {
                    found.try_reserve(1)?;
                    found.push(Found { row, fault, bytes: &value[fault.start..fault.end] });
                }
                Ok::<_, Stopped>(())
            })?;
            Ok(found)
        })
    }
}

fn scan_of<'a>(form: &'a Form, data: &'a [u8]) -> Scan<'a> {
    Scan { form, data, is_final: true, at: 0, limit: data.len() }
}
