//! The one loop of decoding: it splits an input into sequences, passes their values to a sink, and answers faults or
//! stops at them. Which sequence begins where is decided in `sequence` and in the kernels.

use std::ops::Deref;

use crate::chunk::{CHUNK_BYTES, LOOK_AHEAD, WINDOW_BYTES, window_after};
use crate::code_point::LARGEST_IN_STR;
use crate::form::Form;
use crate::kernels::{Extent, Input, Notes, Output, Source, Units, Width, append, copy_ascii_prefix};
use crate::memory::OutOfMemory;
use crate::policy::{Answer, OnFault, SURROGATE_ESCAPE, backslashed_byte};
use crate::read::sequence::{NO_RUN, Span, Step};

/// A receiver of code points, with the byte spans that they came from.
pub trait Sink {
    /// Make room for what this many bytes of input can give.
    ///
    /// # Errors
    /// There is not enough memory.
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory>;

    /// Take a code point that stands for the bytes from `start` to `end`.
    ///
    /// # Errors
    /// The sink cannot hold it: [`Halt::Unwritten`].
    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt>;

    /// Take ASCII characters that stand for the bytes from `start` to `end`.
    ///
    /// # Errors
    /// As [`Sink::put`].
    #[inline]
    fn put_ascii(&mut self, characters: &[u8], start: usize, end: usize) -> Result<(), Halt> {
        characters.iter().try_for_each(|&character| self.put(character.into(), start, end))
    }

    /// Take what the kernels read from an offset to a limit, and return where they stopped.
    ///
    /// # Errors
    /// As [`Sink::put`].
    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt>;

    /// Take dirty text from an offset to a limit, or to where the kernels stop, and return where that is: at the
    /// offset, where the sink has none.
    fn take_dirty(&mut self, _source: &Source<'_>, start: usize, _limit: usize) -> usize {
        start
    }
}

/// A code point that a sink could not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The code point.
    pub code_point: u32,
    /// The offset in the input where it starts.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The offset where the pass continues once the code point has been dealt with.
    pub resume: usize,
}

/// Why a pass stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The input was read up to this offset: its end, or a point where more input could change the answer.
    End(usize),
    /// An ill-formed decoding unit, or a value that is too large for the sink, that the policy does not answer.
    Fault {
        /// Where it starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// The value, if there is one.
        code_point: Option<u32>,
    },
    /// The sink could not take a code point.
    Unwritten(Pending),
    /// There was not enough memory.
    OutOfMemory,
}

impl From<OutOfMemory> for Halt {
    fn from(_: OutOfMemory) -> Self {
        Halt::OutOfMemory
    }
}

/// Bytes of wide units from which the rest is guessed.
const GUESSED_BYTES: usize = 512;

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
    /// What to do at a fault.
    pub on_fault: OnFault,
}

impl Pass<'_> {
    /// Continue from an offset until the input ends or something must be reported.
    pub fn run(&self, start: usize, sink: &mut impl Sink) -> Halt {
        self.run_within(start, NO_RUN, sink)
    }

    /// As [`Pass::run`], with a span from [`Form::run_in`]: a handler may resume inside the same run again and again,
    /// and the run may be as long as the input.
    pub fn run_within(&self, start: usize, run: Span, sink: &mut impl Sink) -> Halt {
        let mut at = start;
        match self.go(&mut at, self.input(), run, sink) {
            Ok(()) => Halt::End(at),
            Err(halt) => halt,
        }
    }

    /// The number of code points that the input gives from an offset on, and their width; None where something must be
    /// reported.
    #[must_use]
    pub fn measure(&self, start: usize) -> Option<Survey> {
        let mut survey = Survey::begun(start);
        (self.run(start, &mut survey) == Halt::End(self.data.len())).then_some(survey)
    }

    /// Write what [`Pass::measure`] measured.
    pub fn write(&self, start: usize, survey: &Survey, sink: &mut impl Sink) -> Halt {
        let mut at = start;
        let result = match self.input() {
            Some(input) if survey.is_clean => sink.take(&input.known(), start, survey.end).map(|end| at = end),
            Some(input) => self.go(&mut at, Some(input.noted(&survey.notes)), NO_RUN, sink),
            None => self.go(&mut at, None, NO_RUN, sink),
        };
        result.map_or_else(|halt| halt, |()| Halt::End(at))
    }

    /// A guess from the first units of a text of wide units: that each unit of it is a code point of the same width.
    /// None if they are not, or if guessing gains nothing.
    #[must_use]
    pub fn guess(&self) -> Option<Extent> {
        let units = self.units_to_guess()?;
        let first = units.measure(0, GUESSED_BYTES);
        let width = units.wide.unit_bytes;
        let is_one_each = first.end == GUESSED_BYTES && first.count * width == GUESSED_BYTES;
        let is_so = is_one_each && first.width <= units.widest_to_copy();
        is_so.then_some(Extent { end: self.data.len(), count: self.data.len() / width, ..first })
    }

    /// Write text that was guessed to be within U+00FF, and return its width. None if not all of it could be written
    /// so.
    pub fn write_guessed_ucs1(&self, guess: &Extent, out: &mut Output<'_, u8>) -> Option<Width> {
        self.units_to_guess()?.copy_ucs1(0, guess.end, out).map(Width::of)
    }

    /// As [`Pass::write_guessed_ucs1`], for text up to U+FFFF.
    pub fn write_guessed_ucs2(&self, guess: &Extent, out: &mut Output<'_, u16>) -> Option<Width> {
        self.units_to_guess()?.copy_ucs2(0, guess.end, out).map(Width::of)
    }

    /// What to guess next, given the width that writing returned: where it ended, a wider code point is likelier than a
    /// pair.
    #[must_use]
    pub fn guess_after(&self, guess: &Extent, width: Option<Width>) -> Option<Extent> {
        let width = width.unwrap_or(Width::Ucs2);
        let is_worthwhile = guess.width < width && width <= self.units_to_guess()?.widest_to_copy();
        is_worthwhile.then_some(Extent { width, ..*guess })
    }

    fn units_to_guess(&self) -> Option<Units<'_>> {
        let Some(Input::Units(units)) = self.input() else { return None };
        let is_whole = self.data.len().is_multiple_of(units.wide.unit_bytes);
        (is_whole && self.data.len() >= 8 * GUESSED_BYTES).then_some(units)
    }

    fn go(&self, at: &mut usize, input: Option<Input<'_>>, run: Span, sink: &mut impl Sink) -> Result<(), Halt> {
        // If more input may follow, the kernels read only what they can see whole.
        let visible = if self.is_final { self.data.len() } else { self.data.len().saturating_sub(LOOK_AHEAD) };
        let mut window = WINDOW_BYTES;
        while *at < self.data.len() {
            let Some(input) = input.as_ref().filter(|_| *at < visible) else {
                // Chunk by chunk: the sink is asked for room often, and can stop the pass each time.
                let limit = self.data.len().min(*at + CHUNK_BYTES);
                if !self.walk(at, limit, run, sink)? {
                    return Ok(());
                }
                continue;
            };
            let start = *at;
            *at = sink.take(input, start, visible)?;
            window = window_after(*at - start, window);
            if *at < visible && !self.walk(at, visible.min(*at + window), run, sink)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The input as the kernels read it; None if they do not know the form.
    pub(crate) fn input(&self) -> Option<Input<'_>> {
        if let Some(wide) = self.form.wide {
            let answer = Answer::under(self.on_fault);
            let passes = self.on_fault == OnFault::SurrogatePass;
            let wide = if passes { wide.passing(self.form.surrogates.as_deref()) } else { wide };
            // The kernels of units have no escapes.
            let answer = if answer == Answer::Backslash { Answer::Stop } else { answer };
            return Some(Input::Units(Units { wide, answer, data: self.data }));
        }
        self.source().map(Input::Bytes)
    }

    /// The same, if its units are bytes.
    #[inline(always)]
    pub(crate) fn source(&self) -> Option<Source<'_>> {
        let passes = self.on_fault == OnFault::SurrogatePass;
        let layout = if passes { self.form.passing() } else { self.form.layout.as_ref() }?;
        let answer = Answer::under(self.on_fault);
        // They answer, byte by byte, only bytes with which no sequence begins.
        let is_stopped = answer.is_by_byte() && layout.begins_with_strays;
        let answer = if is_stopped { Answer::Stop } else { answer };
        let (agreement, ends_with_unicode) = (&self.form.agreement, self.largest <= LARGEST_IN_STR);
        Some(Source { layout, agreement, answer, ends_with_unicode, data: self.data, notes: None })
    }

    /// Walk the sequences that begin before `limit`; returns false if more input could change the answer.
    fn walk(&self, at: &mut usize, limit: usize, run: Span, sink: &mut impl Sink) -> Result<bool, Halt> {
        sink.reserve(limit - *at + WINDOW_BYTES)?;
        while *at < limit {
            match self.form.step_at(self.data, *at, self.is_final, run) {
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

    /// Answer a fault and return where to continue.
    #[inline(always)]
    pub(crate) fn answer(
        &self,
        start: usize,
        end: usize,
        value: Option<u32>,
        sink: &mut impl Sink,
    ) -> Result<usize, Halt> {
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
                match sink.put(code_point, start, end) {
                    // Resume behind the whole surrogate, of which the unit is only the beginning.
                    Err(Halt::Unwritten(pending)) if pending.resume == end => {
                        Err(Halt::Unwritten(Pending { resume, ..pending }))
                    }
                    put => put.map(|()| resume),
                }
            }
            OnFault::SurrogateEscape => {
                let bytes = &self.data[start..end];
                let count = bytes.iter().take_while(|&&byte| byte >= 0x80).count();
                if count == 0 {
                    return Err(unanswered);
                }
                sink.reserve(count)?;
                for &byte in &bytes[..count] {
                    sink.put(SURROGATE_ESCAPE + u32::from(byte), start, end)?;
                }
                Ok(start + count)
            }
            OnFault::BackslashReplace => {
                sink.reserve(4 * (end - start))?;
                for &byte in &self.data[start..end] {
                    sink.put_ascii(&backslashed_byte(byte), start, end)?;
                }
                Ok(end)
            }
        }
    }
}

/// A sink that discards everything, for callers that only look for faults.
impl Sink for () {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, _: u32, _: usize, _: usize) -> Result<(), Halt> {
        Ok(())
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        Ok(input.well_formed_end(start, limit))
    }
}

/// The number of code points of an input and their width, with the notes that writing them needs.
#[derive(Clone, Debug)]
pub struct Survey {
    extent: Extent,
    notes: Notes,
}

impl Survey {
    /// An empty survey that begins at an offset.
    #[must_use]
    pub fn begun(start: usize) -> Self {
        Survey { extent: Extent::none(start), notes: Notes::default() }
    }
}

impl Deref for Survey {
    type Target = Extent;

    fn deref(&self) -> &Extent {
        &self.extent
    }
}

impl Sink for Survey {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        // This is called for stretches that are walked, which need not give anything.
        self.extent.is_clean = false;
        Ok(())
    }

    fn put(&mut self, code_point: u32, _: usize, end: usize) -> Result<(), Halt> {
        self.extent = self.extent.and(Extent { end, count: 1, width: Width::of(code_point), is_clean: false });
        Ok(())
    }

    fn put_ascii(&mut self, characters: &[u8], _: usize, end: usize) -> Result<(), Halt> {
        let (count, width) = (characters.len(), Width::Ascii);
        self.extent = self.extent.and(Extent { end, count, width, is_clean: false });
        Ok(())
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        let next = input.measure_noting(start, limit, &mut self.notes);
        self.extent = self.extent.and(next);
        Ok(self.end)
    }
}

macro_rules! output_sinks {
    ($($unit:ty => $write:ident $($write_dirty:ident)?),*) => {
        $(/// Memory of exactly the size measured in an [`Extent`].
        impl Sink for Output<'_, $unit> {
            fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
                Ok(())
            }

            fn put(&mut self, code_point: u32, _: usize, _: usize) -> Result<(), Halt> {
                self.push(code_point as $unit);
                Ok(())
            }

            fn put_ascii(&mut self, characters: &[u8], _: usize, _: usize) -> Result<(), Halt> {
                self.extend(characters);
                Ok(())
            }

            fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
                Ok(input.$write(start, limit, self))
            }

            $(fn take_dirty(&mut self, source: &Source<'_>, start: usize, limit: usize) -> usize {
                source.$write_dirty(start, limit, self)
            })?
        })*
    };
}

output_sinks!(u8 => write_ucs1, u16 => write_ucs2 write_dirty_ucs2, u32 => write_ucs4 write_dirty_ucs4);

/// The code points themselves.
impl Sink for Vec<u32> {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        Ok(self.try_reserve(source_bytes)?)
    }

    fn put(&mut self, code_point: u32, _: usize, _: usize) -> Result<(), Halt> {
        if self.len() == self.capacity() {
            self.try_reserve(1).map_err(OutOfMemory::from)?;
        }
        self.push(code_point);
        Ok(())
    }

    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        input.each_chunk(start, limit, |extent, input, (from, to)| {
            self.try_reserve(extent.count).map_err(OutOfMemory::from)?;
            append(self, extent.count, |out| match input {
                Input::Bytes(source) if extent.is_ascii(from) => copy_ascii_prefix(&source.data[from..to], out),
                _ => input.write_ucs4(from, to, out),
            });
            Ok(())
        })
    }
}
