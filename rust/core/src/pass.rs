//! The one loop: an input is cut into sequences, a sink takes what they mean, and faults are answered or handed out.

use crate::OutOfMemory;
use crate::chunk::{CHUNK_BYTES, NEAR_BYTES, WINDOW_BYTES};
use crate::form::Form;
use crate::kernels::Measured;
use crate::sequence::Step;

/// Takes code points, with the byte spans that they came from.
pub trait Sink {
    /// Make room for what so many bytes of input can give.
    ///
    /// # Errors
    /// There is no memory for it.
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory>;

    /// Take a code point that stands for the bytes from `start` to `end`.
    ///
    /// # Errors
    /// The sink cannot hold it: [`Halt::Unwritten`].
    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt>;

    /// Take text that begins at the byte `start` of the input, where it is UTF-8.
    ///
    /// # Errors
    /// As [`Sink::put`].
    fn text(&mut self, text: Measured<'_>, start: usize) -> Result<(), Halt>;
}

/// A code point that a sink could not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The code point.
    pub code_point: u32,
    /// Where in the input it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// Where the pass goes on once it has been dealt with.
    pub resume: usize,
}

/// Why a pass stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The input was read up to here: its end, or where more input could change the answer.
    End(usize),
    /// An ill-formed decoding unit, or a value that is too large for the sink, and no answer to it.
    Fault {
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// The value, where there is one.
        code_point: Option<u32>,
    },
    /// The sink could not take a code point.
    Unwritten(Pending),
    /// There was no memory.
    OutOfMemory,
}

impl From<OutOfMemory> for Halt {
    fn from(_: OutOfMemory) -> Self {
        Halt::OutOfMemory
    }
}

/// What happens at a fault. A policy that has no answer stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFault {
    /// Hand it out: an error is raised, or a foreign handler called.
    Stop,
    /// U+FFFD.
    Replace,
    /// Nothing.
    Ignore,
    /// U+DC80 to U+DCFF for each byte from 80 on.
    SurrogateEscape,
    /// The surrogate that the form's tables know there.
    SurrogatePass,
    /// `\xNN` for each byte.
    BackslashReplace,
}

/// A pass over bytes of a form.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a> {
    /// The form.
    pub form: &'a Form,
    /// The input.
    pub data: &'a [u8],
    /// Whether nothing follows the input.
    pub is_final: bool,
    /// The largest value that the sink holds.
    pub largest: u32,
    /// What happens at a fault.
    pub on_fault: OnFault,
}

impl Pass<'_> {
    /// Go on from an offset until the input ends or something must be handed out.
    pub fn run(&self, start: usize, sink: &mut impl Sink) -> Halt {
        let mut at = start;
        match self.go(&mut at, sink) {
            Ok(()) => Halt::End(at),
            Err(halt) => halt,
        }
    }

    fn go(&self, at: &mut usize, sink: &mut impl Sink) -> Result<(), Halt> {
        let mut reach = CHUNK_BYTES;
        while *at < self.data.len() {
            let limit = self.data.len().min(*at + reach);
            let clean = self.shared_text(*at, limit, sink)?;
            *at += clean;
            // The kernels look far ahead only while that pays.
            reach = if *at < limit { NEAR_BYTES } else { CHUNK_BYTES.min(reach * 4) };
            // Where the kernels stop short, what follows is walked, and a little more: faults come in flocks.
            if *at < limit && !self.walk(at, self.walk_limit(*at, limit), sink)? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn walk_limit(&self, at: usize, limit: usize) -> usize {
        if self.form.agreement.worthwhile { limit.min(at + WINDOW_BYTES) } else { limit }
    }

    /// Hand over the text from `at` on that the form shares with UTF-8, and return its length.
    fn shared_text(&self, at: usize, limit: usize, sink: &mut impl Sink) -> Result<usize, Halt> {
        let shared = self.form.agreement.before_parting(&self.data[at..limit]);
        if shared == 0 {
            return Ok(0);
        }
        let measured = Measured::new(&self.data[at..at + shared]);
        if !measured.text().is_empty() {
            sink.text(measured, at)?;
        }
        Ok(measured.text().len())
    }

    /// Walk the sequences that begin before `limit`; false says that more input could change the answer.
    fn walk(&self, at: &mut usize, limit: usize, sink: &mut impl Sink) -> Result<bool, Halt> {
        sink.reserve(limit - *at + WINDOW_BYTES)?;
        while *at < limit {
            match self.form.sequence_at(self.data, *at, self.is_final) {
                Step::Wait => return Ok(false),
                Step::Value { end, code_point } if code_point <= self.largest => {
                    sink.put(code_point, *at, end)?;
                    *at = end;
                }
                Step::Value { end, code_point } => *at = self.answer(*at, end, Some(code_point), sink)?,
                Step::Unit { end } => *at = self.answer(*at, end, None, sink)?,
            }
        }
        Ok(true)
    }

    /// Answer a fault and return where to go on.
    fn answer(&self, start: usize, end: usize, value: Option<u32>, sink: &mut impl Sink) -> Result<usize, Halt> {
        let unanswered = Halt::Fault { start, end, code_point: value };
        match self.on_fault {
            OnFault::Stop => Err(unanswered),
            OnFault::Ignore => Ok(end),
            OnFault::Replace => {
                sink.put(0xFFFD, start, end)?;
                Ok(end)
            }
            OnFault::SurrogatePass => {
                let (code_point, resume) = self.form.surrogate_at(self.data, start).ok_or(unanswered)?;
                sink.put(code_point, start, end)?;
                Ok(resume)
            }
            OnFault::SurrogateEscape => {
                let bytes = &self.data[start..end];
                let count = bytes.iter().take_while(|&&byte| byte >= 0x80).count();
                if count == 0 {
                    return Err(unanswered);
                }
                sink.reserve(count)?;
                for &byte in &bytes[..count] {
                    sink.put(0xDC00 + u32::from(byte), start, end)?;
                }
                Ok(start + count)
            }
            OnFault::BackslashReplace => {
                sink.reserve(4 * (end - start))?;
                for &byte in &self.data[start..end] {
                    for unit in [b'\\', b'x', hex_digit(byte >> 4), hex_digit(byte & 15)] {
                        sink.put(u32::from(unit), start, end)?;
                    }
                }
                Ok(end)
            }
        }
    }
}

pub(crate) fn hex_digit(value: u8) -> u8 {
    b"0123456789abcdef"[usize::from(value & 15)]
}

/// A sink that takes everything and keeps nothing: for faults only.
impl Sink for () {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, _: u32, _: usize, _: usize) -> Result<(), Halt> {
        Ok(())
    }

    fn text(&mut self, _: Measured<'_>, _: usize) -> Result<(), Halt> {
        Ok(())
    }
}

/// The values themselves.
impl Sink for Vec<u32> {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        Ok(self.try_reserve(source_bytes)?)
    }

    fn put(&mut self, code_point: u32, _: usize, _: usize) -> Result<(), Halt> {
        self.push(code_point);
        Ok(())
    }

    fn text(&mut self, text: Measured<'_>, _: usize) -> Result<(), Halt> {
        self.try_reserve(text.count()).map_err(OutOfMemory::from)?;
        crate::kernels::append(self, text.count(), |out| text.write_ucs4(out));
        Ok(())
    }
}
