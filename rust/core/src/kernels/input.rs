//! The input and the output of the kernels, independent of the width of units: each is one of two kinds.

use super::measured::Width;
use super::output::Output;
use super::source::{Extent, Notes, Source};
use super::spelt::{Spelt, Stretch};
use super::units::Units;
use super::utf8::is_utf8_up_to;
use super::wide_text::WideText;
use crate::chunk::CHUNK_BYTES;
use crate::code_point::{LEADS, is_continuation};
use crate::derive::layout::Pairs;
use crate::policy::Answer;

/// Bytes that the kernels read.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// Bytes of a form that has a layout.
    Bytes(Source<'a>),
    /// Bytes of a form of wide units.
    Units(Units<'a>),
}

/// Code points that the kernels write.
#[derive(Clone, Copy, Debug)]
pub enum Script<'a> {
    /// In a form that has a spelling.
    Bytes(Spelt<'a>),
    /// In a form of wide units.
    Units(WideText<'a>),
}

macro_rules! both {
    ($($(#[$doc:meta])* $name:ident($($out:ident: $type:ty)?) -> $result:ty;)*) => {
        $($(#[$doc])*
        pub fn $name(&self, start: usize, limit: usize, $($out: $type)?) -> $result {
            match self {
                Self::Bytes(bytes) => bytes.$name(start, limit, $($out)?),
                Self::Units(units) => units.$name(start, limit, $($out)?),
            }
        })*
    };
}

impl<'a> Input<'a> {
    both! {
        /// Measure from an offset to a limit, or to where the kernels stop.
        #[must_use]
        measure() -> Extent;
        /// Write what [`Input::measure`] measured, with the same limit, and return the end.
        write_ucs1(out: &mut Output<'_, u8>) -> usize;
        /// See [`Input::write_ucs1`].
        write_ucs2(out: &mut Output<'_, u16>) -> usize;
        /// See [`Input::write_ucs1`].
        write_ucs4(out: &mut Output<'_, u32>) -> usize;
    }

    /// Measure, and make notes for writing.
    pub fn measure_noting(&self, start: usize, limit: usize, notes: &mut Notes) -> Extent {
        match self {
            Input::Bytes(source) => source.measure_noting(start, limit, notes),
            Input::Units(units) => units.measure(start, limit),
        }
    }

    /// Whether it may be taken step by step. A step could part surrogate pairs that are joined; and what is known to be
    /// clean is read to where measuring ended, since a limit before that could cut a unit.
    #[must_use]
    pub fn has_steps(&self) -> bool {
        !matches!(self, Input::Bytes(source) if source.layout.pairs == Pairs::Joined || source.answer == Answer::Never)
    }

    /// The same input, with the notes that measuring made.
    #[must_use]
    pub fn noted(self, notes: &'a Notes) -> Self {
        match self {
            Input::Bytes(source) => Input::Bytes(Source { notes: Some(notes), ..source }),
            Input::Units(_) => self,
        }
    }

    /// The same input, the rest of which has been measured and is clean.
    #[must_use]
    pub fn known(self) -> Self {
        match self {
            Input::Bytes(source) => Input::Bytes(Source { answer: Answer::Never, ..source }),
            Input::Units(_) => self,
        }
    }

    /// The bytes from an offset on, if they were found to be ASCII: each is its own code point.
    #[must_use]
    pub fn ascii(&self, start: usize, extent: &Extent) -> Option<&'a [u8]> {
        let Input::Bytes(source) = self else { return None };
        let is_ascii = extent.is_clean && extent.width == Width::Ascii && extent.count == extent.end - start;
        is_ascii.then(|| &source.data[start..extent.end])
    }

    /// The length of the lead that was read last before an offset. None if the bytes do not determine it, or if faults
    /// were answered on the way, one of which may have been read last.
    #[must_use]
    pub fn lead_bytes(&self, end: usize) -> Option<usize> {
        match self {
            Input::Bytes(source) if source.answer == Answer::Stop => {
                let is_escape = |escape: u32| escape + 0xFF >= LEADS.0 && escape + 0x80 <= LEADS.1;
                let continuations = source.data[..end].iter().rev().take_while(|&&byte| is_continuation(byte)).count();
                (!source.layout.escape.is_some_and(is_escape)).then_some(continuations + 1)
            }
            Input::Units(units) if units.answer == Answer::Stop => Some(units.wide.unit_bytes),
            _ => None,
        }
    }

    /// The bytes from an offset to a limit, as far as they are valid UTF-8 that means the same in this form.
    #[must_use]
    pub fn shared(&self, start: usize, limit: usize) -> &'a [u8] {
        match self {
            Input::Bytes(source) if source.agreement.is_total() => {
                let bytes = &source.data[start..limit];
                &bytes[..is_utf8_up_to(bytes)]
            }
            _ => &[],
        }
    }

    /// The offset where the kernels stop: an obstacle, or the limit or slightly behind it.
    #[must_use]
    pub fn well_formed_end(&self, start: usize, limit: usize) -> usize {
        let at = start + self.shared(start, limit).len();
        if at < limit { self.measure(at, limit).end } else { at }
    }

    /// Measure chunk by chunk, and call `take` for each with its extent, the input to read it with, its offset and its
    /// limit.
    ///
    /// # Errors
    /// Errors of `take`.
    pub fn each_chunk<E>(
        &self,
        start: usize,
        limit: usize,
        mut take: impl FnMut(Extent, &Input<'_>, (usize, usize)) -> Result<(), E>,
    ) -> Result<usize, E> {
        let (mut at, mut notes) = (start, Notes::default());
        while at < limit {
            let chunk_limit = limit.min(at + CHUNK_BYTES);
            notes.clear();
            let extent = self.measure_noting(at, chunk_limit, &mut notes);
            if extent.is_clean {
                take(extent, &self.known(), (at, extent.end))?;
            } else {
                take(extent, &self.noted(&notes), (at, chunk_limit))?;
            }
            at = extent.end;
            // At the limit, or just before it if the limit cuts a unit.
            if extent.count == 0 || at + 3 < chunk_limit {
                break;
            }
        }
        Ok(at)
    }
}

impl Script<'_> {
    both! {
        /// Measure from an index to a limit, or to where the kernels stop.
        #[must_use]
        measure() -> Stretch;
        /// Write what [`Script::measure`] measured, with the same limit, and return the end.
        write(out: &mut Output<'_, u8>) -> usize;
    }
}
