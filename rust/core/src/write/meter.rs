//! The length of a conversion: a writer of which only the number of bytes is kept. What the kernels can measure is not
//! written at all, and what is written is forgotten piece by piece.

use crate::chunk::CHUNK_BYTES;
use crate::form::Form;
use crate::kernels::{Input, is_ascii, utf8_points, utf16_units};
use crate::memory::OutOfMemory;
use crate::policy::Missing;
use crate::read::pass::{Halt, Sink};
use crate::write::writer::{Points, Unwritten, Writer, ends_with_lead};

/// Bytes that were written are forgotten from this size on.
const KEPT_BYTES: usize = 1 << 16;

/// Bytes that are validated and counted together: they stay in the second-level cache meanwhile.
const SHARED_BYTES: usize = 1 << 16;

/// Counts the bytes that code points take in a form.
#[derive(Debug)]
pub struct Meter<'a> {
    /// Writes what is not measured.
    pub writer: Writer<'a>,
    counted: usize,
    points: Points,
}

impl<'a> Meter<'a> {
    /// A meter that stops at a code point that the form lacks.
    #[must_use]
    pub fn new(form: &'a Form) -> Self {
        Meter { writer: Writer::new(form, Unwritten::Stop, Vec::new()), counted: 0, points: Points::default() }
    }

    /// The number of bytes so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.counted + self.writer.out.len()
    }

    fn forget(&mut self) {
        self.counted += self.writer.out.len();
        self.writer.out.clear();
    }

    /// Count a piece, and return where it ended; None if it must be written.
    fn measured(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<Option<usize>, OutOfMemory> {
        let form = self.writer.form;
        if form.counts_utf8() {
            let shared = input.shared(start, limit.min(start + SHARED_BYTES));
            self.counted += form.bytes_of_utf8(shared);
            if !shared.is_empty() {
                return Ok(Some(start + shared.len()));
            }
        }
        let (text, end) = self.points.read(input, start, limit.min(start + CHUNK_BYTES))?;
        let script = form.script(form.spelling.as_ref(), Missing::Stop, text);
        let Some(script) = script.filter(|_| !(form.holds_back_lead && ends_with_lead(text))) else { return Ok(None) };
        let stretch = script.measure(0, text.len());
        let is_whole = stretch.end == text.len() && end > start;
        self.counted += if is_whole { stretch.bytes } else { 0 };
        Ok(is_whole.then_some(end))
    }
}

impl Form {
    /// Whether the length of UTF-8 in this form needs no more than a count.
    fn counts_utf8(&self) -> bool {
        self.wide.is_some() || self.agreement.is_total()
    }

    /// The length of valid UTF-8 in this form, if it counts.
    fn bytes_of_utf8(&self, text: &[u8]) -> usize {
        match self.wide {
            // Checking for ASCII is quicker than counting, and stops at the first other byte.
            Some(wide) if is_ascii(text) => wide.unit_bytes * text.len(),
            Some(wide) if wide.unit_bytes == 2 => 2 * utf16_units(text),
            Some(_) => 4 * utf8_points(text),
            None => text.len(),
        }
    }
}

impl Sink for Meter<'_> {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt> {
        if self.writer.out.len() >= KEPT_BYTES {
            self.forget();
        }
        self.writer.put(code_point, start, end)
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        let mut at = start;
        while at < limit && !self.writer.walks(at) {
            if let Some(end) = self.measured(input, at, limit)? {
                at = end;
                continue;
            }
            self.forget();
            let chunk_limit = limit.min(at + CHUNK_BYTES);
            let end = self.writer.take(input, at, chunk_limit)?;
            let goes_on = end > at && end + 3 >= chunk_limit;
            at = end;
            if !goes_on {
                break;
            }
        }
        Ok(at)
    }
}
