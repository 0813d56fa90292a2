//! The end of a conversion that is written: code points with their places in the source become bytes of a form.

use crate::OutOfMemory;
use crate::encode::joined;
use crate::form::{Form, LEADS, TRAILS, holds};
use crate::kernels::Measured;
use crate::pass::{Halt, Pending, Sink};

/// A lead that must see what follows it, with its place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The lead.
    pub code_point: u32,
    /// Where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// Room for any sequence; memory that cannot be had must be found out before a vector grows by itself.
const ROOM_BYTES: usize = 64;

/// What is written for a code point that the form lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// The pass stops and hands it out.
    Stop,
    /// These bytes, which may be none.
    Write(Vec<u8>),
}

/// Writes code points in a form.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The form.
    pub form: &'a Form,
    /// What has been written.
    pub out: Vec<u8>,
    /// A lead that waits.
    pub held: Option<Held>,
    /// What happens at a code point that the form lacks.
    pub unwritten: Unwritten,
}

impl Writer<'_> {
    /// Write a lead that was held: nothing follows it.
    ///
    /// # Errors
    /// The form lacks it, and the pass is to stop; `resume` is where it goes on.
    pub fn finish(&mut self, resume: usize) -> Result<(), Halt> {
        match self.held.take() {
            Some(Held { code_point, start, end }) => self.written(code_point, start, end, resume),
            None => Ok(()),
        }
    }

    fn written(&mut self, code_point: u32, start: usize, end: usize, resume: usize) -> Result<(), Halt> {
        self.out.try_reserve(ROOM_BYTES).map_err(OutOfMemory::from)?;
        if self.form.write(code_point, &mut self.out) {
            return Ok(());
        }
        match &self.unwritten {
            Unwritten::Stop => Err(Halt::Unwritten(Pending { code_point, start, end, resume })),
            Unwritten::Write(bytes) => {
                self.out.try_reserve(bytes.len()).map_err(OutOfMemory::from)?;
                self.out.extend_from_slice(bytes);
                Ok(())
            }
        }
    }
}

impl Sink for Writer<'_> {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        Ok(self.out.try_reserve(source_bytes * self.form.tables.unit_bytes)?)
    }

    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt> {
        if let Some(lead) = self.held {
            if holds(TRAILS, code_point) {
                self.held = None;
                return self.written(joined(lead.code_point, code_point), lead.start, end, end);
            }
            self.finish(start)?;
        }
        if self.form.holds_back_lead && holds(LEADS, code_point) {
            self.held = Some(Held { code_point, start, end });
            return Ok(());
        }
        self.written(code_point, start, end, end)
    }

    fn text(&mut self, text: Measured<'_>, start: usize) -> Result<(), Halt> {
        let bytes = text.text().as_bytes();
        self.finish(start)?;
        if self.form.agreement.before_parting(bytes) == bytes.len() {
            self.out.try_reserve(bytes.len()).map_err(OutOfMemory::from)?;
            self.out.extend_from_slice(bytes);
            return Ok(());
        }
        self.reserve(bytes.len())?;
        for (at, character) in text.text().char_indices() {
            let at = start + at;
            self.put(u32::from(character), at, at + character.len_utf8())?;
        }
        Ok(())
    }
}
