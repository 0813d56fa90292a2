//! Bytes that the kernels read by a layout, and what reading them came to.

use super::utf8::Width;
use super::{Output, portable, simd};
use crate::agreement::Agreement;
use crate::fault_table::FaultTable;
use crate::layout::Layout;

/// What the kernels do at an ill-formed decoding unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They stop.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Drop,
    /// Each of its bytes and this; they stop at a byte below 80.
    Escape(u32),
    /// There is none: what is read was measured, is clean and whole.
    Never,
}

/// Bytes of a form that has a layout.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// What the form shares with UTF-8.
    pub agreement: &'a Agreement,
    /// What happens at ill-formed units.
    pub answer: Answer,
    /// The bytes. Nothing follows them.
    pub data: &'a [u8],
}

/// Bytes of which the faults are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Faults<'a> {
    /// The layout.
    pub layout: &'a Layout,
    /// What faults are in it.
    pub table: &'a FaultTable,
    /// The bytes.
    pub data: &'a [u8],
}

/// A stretch of a source that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it ends: at or a little behind the limit that was asked for, or where the kernels stopped.
    pub end: usize,
    /// How many code points it gives.
    pub count: usize,
    /// The narrowest kind of str that holds them.
    pub width: Width,
    /// Whether no ill-formed unit was in it.
    pub is_clean: bool,
}

impl Extent {
    /// Nothing, at an offset.
    #[must_use]
    pub fn none(at: usize) -> Self {
        Extent { end: at, count: 0, width: Width::Ascii, is_clean: true }
    }

    /// This, and what follows it.
    #[must_use]
    pub fn and(self, next: Extent) -> Self {
        Extent {
            end: next.end,
            count: self.count + next.count,
            width: self.width.max(next.width),
            is_clean: self.is_clean && next.is_clean,
        }
    }
}

impl Source<'_> {
    /// What happens at an ill-formed unit: by the form, where it has a row for stray bytes.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let escape = self.layout.escape.filter(|_| self.answer != Answer::Never);
        escape.map_or(self.answer, Answer::Escape)
    }

    /// The bytes from an offset to a limit, if they are known to be clean.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code))]
    pub(super) fn known(&self, start: usize, limit: usize) -> Option<&[u8]> {
        (self.answer == Answer::Never).then(|| &self.data[start..limit])
    }

    /// Measure from an offset to a limit, or to where the kernels stop.
    #[must_use]
    pub fn measure(&self, start: usize, limit: usize) -> Extent {
        simd::measure(self, start, limit).unwrap_or_else(|| portable::measure(self, start, limit))
    }

    /// Write what [`Source::measure`] measured, with the same limit; the end is returned.
    pub fn write_ucs1(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        simd::write_ucs1(self, start, limit, out).unwrap_or_else(|| portable::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs2(&self, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
        simd::write_ucs2(self, start, limit, out).unwrap_or_else(|| portable::write(self, start, limit, out))
    }

    /// See [`Source::write_ucs1`].
    pub fn write_ucs4(&self, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
        simd::write_ucs4(self, start, limit, out).unwrap_or_else(|| portable::write(self, start, limit, out))
    }
}
