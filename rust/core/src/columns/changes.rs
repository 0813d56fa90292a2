//! New values for some rows of a column, and the column with them in it. Runs of values between them are copied as they
//! are.

use super::column::{Bounds, Broken, Column, INLINE_BYTES, Layout, Views, view_of};
use super::findings::{Effort, Stopped, by_pieces};
use super::suspects::{Shared, each_suspect};
use crate::form::Form;
use crate::kernels::Output;
use crate::memory::OutOfMemory;
use crate::policy::OnFault;
use crate::read::pass::Pass;
use crate::write::writer::{Unwritten, Writer};

/// New values of rows, in order.
#[derive(Debug, Default)]
pub struct Changes {
    /// The rows.
    pub rows: Vec<usize>,
    /// Where their values end in the bytes.
    pub ends: Vec<usize>,
    /// The values, one after the other.
    pub bytes: Vec<u8>,
    /// Rows whose values need an answer that only the caller has.
    pub asked: Vec<usize>,
}

impl Changes {
    fn add(&mut self, row: usize, value: &[u8]) -> Result<(), OutOfMemory> {
        self.bytes.try_reserve(value.len())?;
        self.rows.try_reserve(1)?;
        self.ends.try_reserve(1)?;
        self.bytes.extend_from_slice(value);
        self.rows.push(row);
        self.ends.push(self.bytes.len());
        Ok(())
    }
}

/// A conversion of values from one form to another.
#[derive(Clone, Debug)]
pub struct Conversion<'a> {
    /// The form of the values.
    pub source: &'a Form,
    /// What to do at their faults.
    pub on_fault: OnFault,
    /// The form to write.
    pub target: &'a Form,
    /// What to do at code points that it lacks.
    pub unwritten: Unwritten,
}

impl Conversion<'_> {
    /// The rows whose values change, piece by piece.
    ///
    /// # Errors
    /// As [`Stopped`] says.
    pub fn changes(&self, column: &Column<'_>, effort: Effort<'_>) -> Result<Vec<Changes>, Stopped> {
        let shared = Shared(&[&self.source.agreement, &self.target.agreement]);
        by_pieces(column, effort, |rows| {
            let (mut changes, mut value, mut spare) = (Changes::default(), Vec::new(), Vec::new());
            each_suspect(column, rows, shared, |row, old| {
                // The kernels size what they write by a first look, so they get memory that nobody else can write to.
                value.clear();
                value.try_reserve(old.len())?;
                value.extend_from_slice(old);
                match self.converted(&value, std::mem::take(&mut spare)) {
                    Some(new) => {
                        if new != value {
                            changes.add(row, &new)?;
                        }
                        spare = new;
                    }
                    None => {
                        changes.asked.try_reserve(1)?;
                        changes.asked.push(row);
                    }
                }
                Ok::<_, Stopped>(())
            })?;
            Ok(changes)
        })
    }

    /// A value in the target form; None where the caller must answer, or an error is due.
    fn converted(&self, value: &[u8], mut out: Vec<u8>) -> Option<Vec<u8>> {
        out.clear();
        let (form, on_fault) = (self.source, self.on_fault);
        let pass = Pass { form, data: value, is_final: true, largest: u32::MAX, on_fault };
        Writer::new(self.target, self.unwritten.clone(), out).wrote(&pass, 0)
    }
}

/// Values for rows of a column: the rows in order, where each value ends, and all of them.
#[derive(Clone, Copy, Debug)]
pub struct Replacements<'a> {
    /// The rows, in order.
    pub rows: &'a [usize],
    /// Where their values end.
    pub ends: &'a [usize],
    /// The values.
    pub bytes: &'a [u8],
}

impl<'a> Replacements<'a> {
    /// Values for rows; None where there are not as many of each, or they are not in order.
    #[must_use]
    pub fn of(rows: &'a [usize], ends: &'a [usize], bytes: &'a [u8], count: usize) -> Option<Self> {
        let are_in_order = rows.is_sorted_by(|one, other| one < other) && ends.is_sorted();
        let are_within =
            rows.last().is_none_or(|&row| row < count) && ends.last().is_none_or(|&end| end <= bytes.len());
        (rows.len() == ends.len() && are_in_order && are_within).then_some(Replacements { rows, ends, bytes })
    }

    fn each(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        self.rows.iter().zip(starts).zip(self.ends).map(move |((&row, start), &end)| (row, &self.bytes[start..end]))
    }
}

/// A column whose values lie one after the other, with new values for some rows.
#[derive(Clone, Copy, Debug)]
pub struct Spliced<'a> {
    column: Column<'a>,
    new: Replacements<'a>,
    /// How many bytes there are in all.
    pub size: usize,
}

impl<'a> Spliced<'a> {
    /// A column with new values.
    ///
    /// # Errors
    /// The places of its values contradict each other.
    pub fn new(column: Column<'a>, new: Replacements<'a>) -> Result<Self, Broken> {
        column.check(0..column.count)?;
        let (spliced, mut size) = (Spliced { column, new, size: 0 }, 0);
        spliced.each_part(|part| size += part.len())?;
        Ok(Spliced { size, ..spliced })
    }

    /// Write the values one after the other.
    ///
    /// # Errors
    /// As [`Spliced::new`].
    pub fn write(&self, out: &mut Output<'_, u8>) -> Result<(), Broken> {
        self.each_part(|part| out.copy(part))
    }

    /// Call a function with the end of each value, behind 0; of views there are none.
    pub fn each_end(&self, put: impl FnMut(usize)) {
        match self.column.layout {
            Layout::Narrow(bounds, _) => self.ends_by(bounds, put),
            Layout::Wide(bounds, _) => self.ends_by(bounds, put),
            Layout::Fixed(bounds, _) => self.ends_by(bounds, put),
            Layout::Views(_) => {}
        }
    }

    fn ends_by(&self, bounds: impl Bounds, mut put: impl FnMut(usize)) {
        let (mut row, mut moved) = (0, 0_usize.wrapping_sub(bounds.at(0)));
        for (at, value) in self.new.each() {
            { row..at }.for_each(|row| put(bounds.at(row + 1).wrapping_add(moved)));
            moved = bounds.at(at).wrapping_add(moved).wrapping_add(value.len()).wrapping_sub(bounds.at(at + 1));
            put(bounds.at(at + 1).wrapping_add(moved));
            row = at + 1;
        }
        { row..self.column.count }.for_each(|row| put(bounds.at(row + 1).wrapping_add(moved)));
    }

    fn each_part(&self, mut put: impl FnMut(&'a [u8])) -> Result<(), Broken> {
        let mut row = 0;
        for (at, value) in self.new.each() {
            put(self.column.values(row..at)?);
            put(value);
            row = at + 1;
        }
        put(self.column.values(row..self.column.count)?);
        Ok(())
    }
}

/// Views with new values for some rows.
///
/// Some readers check whole buffers, not values. So a buffer with a value that is replaced is given up: its other
/// values are copied behind the new ones.
#[derive(Debug)]
pub struct SplicedViews {
    /// The views. Those of nulls are empty values.
    pub views: Vec<[u8; 16]>,
    /// Which of the buffers are still used; the new one is behind them.
    pub used: Vec<bool>,
    /// The new buffer.
    pub data: Vec<u8>,
}

impl SplicedViews {
    /// Views of a column with new values.
    ///
    /// # Errors
    /// A view points out of its buffer, the new one is larger than any may be, or there is not enough memory.
    pub fn new(column: &Column<'_>, views: &Views<'_>, new: Replacements<'_>) -> Result<Self, Stopped> {
        column.check(0..column.count)?;
        let mut spliced = SplicedViews { views: Vec::new(), used: vec![true; views.buffers.len()], data: Vec::new() };
        for &row in new.rows {
            if let Some(buffer) = views.buffer(row).filter(|_| column.is_valid(row)) {
                spliced.used[buffer] = false;
            }
        }
        spliced.views.try_reserve(column.count)?;
        spliced.data.try_reserve(new.bytes.len())?;
        let mut changed = new.each().peekable();
        for row in 0..column.count {
            let value = changed.next_if(|&(at, _)| at == row).map(|(_, value)| value);
            let is_moved = views.buffer(row).is_some_and(|buffer| spliced.used.get(buffer) == Some(&false));
            match value {
                Some(value) => spliced.push(value)?,
                None if !column.is_valid(row) => spliced.views.push([0; 16]),
                None if is_moved => spliced.push(column.value(row)?)?,
                None => spliced.views.push(views.views[row]),
            }
        }
        Ok(spliced)
    }

    fn push(&mut self, value: &[u8]) -> Result<(), Stopped> {
        // Many views may share a buffer that is small, and none the new one.
        if i32::try_from(self.data.len() + value.len()).is_err() {
            return Err(Stopped::TooLarge);
        }
        self.views.push(view_of(value, self.used.len(), self.data.len()));
        if value.len() > INLINE_BYTES {
            self.data.try_reserve(value.len())?;
            self.data.extend_from_slice(value);
        }
        Ok(())
    }
}
