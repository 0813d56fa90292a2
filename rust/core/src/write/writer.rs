//! The writing end of a conversion: code points with their places in the source become bytes of a form.

use std::sync::Arc;

use crate::chunk::{CHUNK_BYTES, WINDOW_POINTS, point_window_after};
use crate::code_point::{LEADS, TRAILS, holds, joined};
use crate::form::Form;
use crate::kernels::{
    Extent, Input, Level, Notes, Output, Runs, Source, Text, Unit, Width, append, append_up_to, count_pairs,
};
use crate::memory::{OutOfMemory, ROOM_BYTES};
use crate::policy::Missing;
use crate::read::pass::{Halt, Pass, Pending, Sink};
use crate::write::paired::{Held, Joined};

/// Bytes that must be valid UTF-8 for a copy to be worthwhile.
const SHARED_BYTES: usize = 512;

/// The most bytes that the kernels write for a code point: a surrogate pair, three bytes each.
const LONGEST_BYTES: usize = 6;

/// What to write for a code point that the form lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// Nothing: the pass stops and reports it.
    Stop,
    /// These bytes, which may be empty. Each value of a column has a writer, and shares them.
    Write(Arc<[u8]>),
    /// The policy's answer to this one code point; if it has none, the pass stops.
    Answer(Missing),
}

/// Writes code points in a form.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The form.
    pub form: &'a Form,
    /// The bytes written so far.
    pub out: Vec<u8>,
    /// A lead that waits for what follows; or, where pairs are counted, the last lead written, if nothing has followed
    /// it.
    pub held: Option<Held>,
    /// What to do at a code point that the form lacks.
    pub unwritten: Unwritten,
    /// Pairs that the form joins, if they are counted.
    pub joined: Option<Joined>,
    points: Points,
    /// The source is walked up to here, because a code point of the chunk must be reported.
    walked_to: usize,
}

/// The code points of a chunk, in the narrowest kind of str that holds them, which the kernels process fastest.
#[derive(Debug, Default)]
pub(crate) struct Points {
    one: Vec<u8>,
    two: Vec<u16>,
    four: Vec<u32>,
    notes: Notes,
    /// Whether the last chunk went beyond U+00FF.
    was_wide: bool,
}

impl Points {
    /// Read a chunk, and return its text and where it ended.
    pub(crate) fn read<'s>(
        &'s mut self,
        input: &Input<'s>,
        start: usize,
        limit: usize,
    ) -> Result<(Text<'s>, usize), OutOfMemory> {
        match self.read_at_once(input, start, limit)? {
            Some((Width::Ucs2, end)) => return Ok((Text::Two(&self.two), end)),
            Some((_, end)) => return Ok((Text::Four(&self.four), end)),
            None => {}
        }
        self.notes.clear();
        let extent = input.measure_noting(start, limit, &mut self.notes);
        self.was_wide = extent.width > Width::Latin1;
        if let Some(ascii) = input.ascii(start, &extent) {
            return Ok((Text::One(ascii), extent.end));
        }
        let Extent { end, count, width, is_clean } = extent;
        let (input, limit) = if is_clean { (input.known(), end) } else { (input.noted(&self.notes), limit) };
        let text = match width {
            Width::Ascii | Width::Latin1 => {
                Text::One(refilled(&mut self.one, count, |out| input.write_ucs1(start, limit, out))?)
            }
            Width::Ucs2 => Text::Two(refilled(&mut self.two, count, |out| input.write_ucs2(start, limit, out))?),
            Width::Ucs4 => Text::Four(refilled(&mut self.four, count, |out| input.write_ucs4(start, limit, out))?),
        };
        Ok((text, end))
    }

    /// Read a chunk without measuring it first, as the kind of str returned, if no kernel does that and the last one
    /// went beyond U+00FF, and return where it ended; None if not all of it can be read so.
    fn read_at_once(
        &mut self,
        input: &Input<'_>,
        start: usize,
        limit: usize,
    ) -> Result<Option<(Width, usize)>, OutOfMemory> {
        let Input::Bytes(source) = input else { return Ok(None) };
        if !self.was_wide || Level::current() != Level::Portable {
            return Ok(None);
        }
        let narrow = (Width::Ucs2, read_runs(&mut self.two, source, [start, limit])?);
        if narrow.1 >= limit {
            return Ok(Some(narrow));
        }
        let wide = (Width::Ucs4, read_runs(&mut self.four, source, [start, limit])?);
        Ok((wide.1 >= limit).then_some(wide))
    }
}

/// Read a chunk as far as it is runs, and return where that ends.
fn read_runs<T: Unit>(
    values: &mut Vec<T>,
    source: &Source<'_>,
    [start, limit]: [usize; 2],
) -> Result<usize, OutOfMemory> {
    values.clear();
    values.try_reserve(limit - start)?;
    let runs = Runs::within::<T>(source);
    Ok(append_up_to(values, limit - start, |out| runs.write([start, limit], out)))
}

fn refilled<T: Copy>(
    values: &mut Vec<T>,
    count: usize,
    write: impl FnOnce(&mut Output<'_, T>) -> usize,
) -> Result<&[T], OutOfMemory> {
    values.clear();
    values.try_reserve(count)?;
    append(values, count, write);
    Ok(values)
}

impl<'a> Writer<'a> {
    /// A writer that appends to `out`.
    #[must_use]
    pub fn new(form: &'a Form, unwritten: Unwritten, out: Vec<u8>) -> Self {
        Writer { form, out, held: None, unwritten, joined: None, points: Points::default(), walked_to: 0 }
    }

    /// Write a lead that was held, because nothing follows it.
    ///
    /// # Errors
    /// The form lacks it, and the pass is to stop; `resume` is where it continues.
    pub fn finish(&mut self, resume: usize) -> Result<(), Halt> {
        match self.held.take() {
            Some(Held { code_point, start, end }) if self.form.holds_back_lead => {
                self.written(code_point, start, end, resume)
            }
            _ => Ok(()),
        }
    }

    /// Write everything that a pass gives from an offset on; None if something must be reported.
    #[must_use]
    pub fn wrote(mut self, pass: &Pass<'_>, start: usize) -> Option<Vec<u8>> {
        let is_read = pass.run(start, &mut self) == Halt::End(pass.data.len());
        (is_read && self.finish(pass.data.len()).is_ok()).then_some(self.out)
    }

    /// Write a chunk, and return where it ended. A chunk with a code point that must be reported is left for the walk.
    fn take_chunk(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        if self.form.agreement.is_total() {
            let shared = input.shared(start, limit);
            // Reading a short stretch together with what follows is faster than copying it separately.
            if shared.len() >= SHARED_BYTES || start + shared.len() == limit && !shared.is_empty() {
                self.out.try_reserve(shared.len())?;
                self.out.extend_from_slice(shared);
                return Ok(start + shared.len());
            }
        }
        let mut points = std::mem::take(&mut self.points);
        let (mut text, mut end) = points.read(input, start, limit)?;
        // A lead at the end of the chunk is left for the next one, which shows what follows it.
        while self.watches_leads()
            && ends_with_lead(text)
            && let Some(bytes) = input.lead_bytes(end)
        {
            (text, end) = (text.slice(0, text.len() - 1), end - bytes);
        }
        let is_written = self.spell(text)?;
        self.points = points;
        if is_written {
            return Ok(end);
        }
        self.walked_to = end;
        Ok(start)
    }

    /// Whether the code points at an offset are walked: a held lead needs what follows it, with its place, and a chunk
    /// may have a code point that must be reported.
    pub(crate) fn walks(&self, at: usize) -> bool {
        at < self.walked_to || self.held.is_some()
    }

    /// Whether what follows a lead matters.
    fn watches_leads(&self) -> bool {
        self.form.holds_back_lead || self.joined.is_some()
    }

    /// Count a pair.
    fn note(&mut self, pair: Held) {
        if let Some(joined) = &mut self.joined {
            joined.count += 1;
            joined.first.get_or_insert(pair);
        }
    }

    /// Write code points; returns false, and writes nothing, if places are needed: if one must be reported, may be half
    /// of a pair, or is in the first pair that is counted.
    fn spell(&mut self, text: Text<'_>) -> Result<bool, OutOfMemory> {
        let (form, count) = (self.form, text.len());
        if self.watches_leads() && ends_with_lead(text) {
            return Ok(false);
        }
        let pairs = if self.joined.is_some() { count_pairs(text) } else { 0 };
        if pairs > 0 && self.joined.is_some_and(|joined| joined.first.is_none()) {
            return Ok(false);
        }
        let (before, mut at, mut window) = (self.out.len(), 0, WINDOW_POINTS);
        loop {
            let start = at;
            if let Some(script) = form.script(form.spelling.as_ref(), Missing::Stop, text) {
                // Reserving for the longest case is faster than measuring; memory that is not written stays untouched.
                let room = (count - at) * LONGEST_BYTES;
                self.out.try_reserve(room)?;
                at = append_up_to(&mut self.out, room, |out| script.write(at, count, out));
            }
            if at == count {
                if let Some(joined) = &mut self.joined {
                    joined.count += pairs;
                }
                return Ok(true);
            }
            window = point_window_after(at - start, window);
            let limit = count.min(at + window);
            while at < limit {
                let (code_point, next) = form.next_written(text, at);
                if self.written(code_point, 0, 0, 0).is_err() {
                    self.out.truncate(before);
                    return Ok(false);
                }
                at = next;
            }
        }
    }

    fn written(&mut self, code_point: u32, start: usize, end: usize, resume: usize) -> Result<(), Halt> {
        self.out.try_reserve(ROOM_BYTES).map_err(OutOfMemory::from)?;
        if self.form.write(code_point, &mut self.out) {
            return Ok(());
        }
        let stop = Err(Halt::Unwritten(Pending { code_point, start, end, resume }));
        match &self.unwritten {
            Unwritten::Stop => stop,
            Unwritten::Answer(policy) => {
                let written = self.form.write_missing(Text::Four(&[code_point]), (0, 1), *policy, &mut self.out);
                if written.is_some() { Ok(()) } else { stop }
            }
            Unwritten::Write(bytes) => {
                self.out.try_reserve(bytes.len()).map_err(OutOfMemory::from)?;
                self.out.extend_from_slice(bytes);
                Ok(())
            }
        }
    }
}

/// Whether the text ends with a lead.
pub(crate) fn ends_with_lead(text: Text<'_>) -> bool {
    text.len().checked_sub(1).is_some_and(|last| holds(LEADS, text.at(last)))
}

impl Sink for Writer<'_> {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        Ok(self.out.try_reserve(source_bytes * self.form.tables.unit_bytes)?)
    }

    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt> {
        if let Some(lead) = self.held {
            if holds(TRAILS, code_point) {
                self.held = None;
                let pair = Held { code_point: joined(lead.code_point, code_point), start: lead.start, end };
                self.note(pair);
                if self.form.holds_back_lead {
                    return self.written(pair.code_point, pair.start, end, end);
                }
            } else {
                self.finish(start)?;
            }
        }
        if self.watches_leads() && holds(LEADS, code_point) {
            self.held = Some(Held { code_point, start, end });
            if self.form.holds_back_lead {
                return Ok(());
            }
        }
        self.written(code_point, start, end, end)
    }

    /// Work chunk by chunk: read code points, then write bytes.
    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        let mut at = start;
        while at < limit && !self.walks(at) {
            let chunk_limit = limit.min(at + CHUNK_BYTES);
            let end = self.take_chunk(input, at, chunk_limit)?;
            // A chunk may end just before its limit, if the limit cuts a unit.
            let goes_on = end > at && end + 3 >= chunk_limit;
            at = end;
            if !goes_on {
                break;
            }
        }
        Ok(at)
    }
}
