//! Encoding a str: the loop over its code points, and the answers of a policy to those that the form lacks. The bytes
//! of a single code point come from `code_units`.

use crate::chunk::{CHUNK_POINTS, WINDOW_POINTS, point_window_after};
use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SURROGATES, TRAILS, holds, joined};
use crate::form::Form;
use crate::kernels::{self, Output, Script, Text, WideText};
use crate::memory::OutOfMemory;
use crate::policy::{ESCAPED, LONGEST_ESCAPE, Missing, OnFault, SURROGATE_ESCAPE, backslashed};

/// Why the loop over a str stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// Code points that the form lacks, as one unit of error.
    Missing {
        /// The index of the first.
        start: usize,
        /// The index after the last.
        end: usize,
    },
    /// There was not enough memory.
    OutOfMemory,
}

impl From<OutOfMemory> for TextFault {
    fn from(_: OutOfMemory) -> Self {
        TextFault::OutOfMemory
    }
}

impl Form {
    /// Write code points; returns false, and writes nothing, if the form lacks one of them.
    pub fn write_all(&self, points: &[u32], out: &mut Vec<u8>) -> bool {
        let before = out.len();
        let text = Text::Four(points);
        let mut at = 0;
        while at < points.len() {
            let (code_point, next) = self.next_written(text, at);
            if !self.write(code_point, out) {
                out.truncate(before);
                return false;
            }
            at = next;
        }
        true
    }

    /// The work of the kernels on a text of which each code point takes one unit of several bytes, and how many bytes
    /// that is. None where the form has no such units, or some code points may take two. Writing stops at a code point
    /// that the form lacks: whether all was written is to be looked at.
    #[must_use]
    pub fn unit_by_unit<'a>(&'a self, text: Text<'a>) -> Option<(Script<'a>, usize)> {
        let script = self.script(self.spelling.as_ref(), Missing::Stop, text)?;
        let Script::Units(WideText { wide, .. }) = script else { return None };
        if wide.unit_bytes == 2 && matches!(text, Text::Four(_)) {
            return None;
        }
        Some((script, text.len().checked_mul(wide.unit_bytes)?))
    }

    /// The most bytes written for a code point, whether the form has it or a policy answers.
    #[must_use]
    pub fn most_bytes(&self, policy: Missing) -> usize {
        // A form with a spelling shares ASCII, and it is known what it lacks.
        let of_escape = match &self.spelling {
            Some(spelling) => spelling.missing.last().map_or(1, |range| backslashed(range.1.min(LARGEST_IN_STR)).1),
            None => LONGEST_ESCAPE * self.longest,
        };
        let of_answer = if policy == Missing::BackslashReplace { of_escape } else { 1 };
        of_answer.max(self.longest)
    }

    /// Whether the form is known to have bytes for every code point that a decoding policy may give for a fault, if it
    /// may give several.
    #[must_use]
    pub fn has_answers(&self, on_fault: OnFault) -> bool {
        match on_fault {
            OnFault::BackslashReplace => self.has_all((b' '.into(), b'~'.into())),
            OnFault::SurrogateEscape => self.has_all(ESCAPED),
            OnFault::Stop | OnFault::Replace | OnFault::Ignore | OnFault::SurrogatePass => true,
        }
    }

    fn has_all(&self, range: Range) -> bool {
        let is_apart = |other: Range| other.1 < range.0 || range.1 < other.0;
        match (&self.spelling, self.wide) {
            (Some(spelling), _) => spelling.missing.iter().all(|&missing| is_apart(missing)),
            (None, Some(wide)) => wide.has_surrogates || is_apart(SURROGATES),
            _ => false,
        }
    }

    /// The code point that is written next, and the index after it. A pair is joined if the form joins pairs.
    #[inline]
    pub(crate) fn next_written(&self, text: Text<'_>, at: usize) -> (u32, usize) {
        let code_point = text.at(at);
        if self.tables.joins_pairs && holds(LEADS, code_point) && at + 1 < text.len() && holds(TRAILS, text.at(at + 1))
        {
            return (joined(code_point, text.at(at + 1)), at + 2);
        }
        (code_point, at + 1)
    }

    /// The end of a unit of error on encoding: in a byte form the longest run of missing code points, otherwise one
    /// code point.
    pub(crate) fn missing_end(&self, text: Text<'_>, start: usize) -> usize {
        self.missing_end_within(text, start, text.len())
    }

    /// As [`Form::missing_end`], or where the limit is reached before.
    fn missing_end_within(&self, text: Text<'_>, start: usize, limit: usize) -> usize {
        let (mut at, limit) = (self.next_written(text, start).1, limit.min(text.len()));
        while self.tables.unit_bytes == 1 && at < limit {
            let (code_point, end) = self.next_written(text, at);
            if self.has(code_point) {
                break;
            }
            at = end;
        }
        at
    }

    /// The first unit of error from an index on.
    #[must_use]
    pub fn next_missing(&self, text: Text<'_>, start: usize) -> Option<(usize, usize)> {
        match encode_text(self, text, start, Missing::Stop, &mut 0_usize) {
            Err(TextFault::Missing { start, end }) => Some((start, end)),
            _ => None,
        }
    }

    /// Whether the form lacks the code point at an index, and no pair that is joined begins there.
    #[must_use]
    pub fn lacks(&self, text: Text<'_>, at: usize) -> bool {
        let (code_point, end) = self.next_written(text, at);
        end == at + 1 && !self.has(code_point)
    }

    /// Write a policy's answer to code points that the form lacks, and return the index after those answered; None if
    /// it has no answer.
    pub(crate) fn write_missing(
        &self,
        text: Text<'_>,
        (start, end): (usize, usize),
        policy: Missing,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let before = out.len();
        let all = |written: bool| written.then_some(end);
        let answer = match policy {
            Missing::Stop => None,
            Missing::Ignore => Some(end),
            Missing::Replace => all((start..end).all(|_| self.write(u32::from(b'?'), out))),
            Missing::BackslashReplace => all((start..end).all(|at| self.write_escape(text.at(at), out))),
            Missing::SurrogatePass => self.write_prefix(text, (start, end), |point| self.write_surrogate(point, out)),
            Missing::SurrogateEscape => self.write_prefix(text, (start, end), |point| {
                holds(ESCAPED, point).then(|| out.push((point - SURROGATE_ESCAPE) as u8)).is_some()
            }),
        };
        // A partial unit is not an answer.
        let answer = answer.filter(|_| (out.len() - before).is_multiple_of(self.tables.unit_bytes));
        if answer.is_none() {
            out.truncate(before);
        }
        answer
    }

    /// Write as many code points of the unit as possible; the rest is a unit of its own.
    fn write_prefix(
        &self,
        text: Text<'_>,
        (start, end): (usize, usize),
        mut write: impl FnMut(u32) -> bool,
    ) -> Option<usize> {
        let written = (start..end).take_while(|&at| write(text.at(at))).count();
        (written > 0).then_some(start + written)
    }

    fn write_escape(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        let (escape, length) = backslashed(code_point);
        let escape = &escape.to_le_bytes()[..length];
        if self.spelling.is_some() {
            // Appending all at once takes half the time.
            out.extend_from_slice(escape);
            return true;
        }
        escape.iter().all(|&character| self.write(character.into(), out))
    }

    fn write_surrogate(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        let ranges = self.surrogates.as_ref().filter(|_| holds(SURROGATES, code_point));
        ranges.map(|ranges| self.write_by((SURROGATES.0, ranges), code_point, out)).is_some()
    }
}

/// A destination for the bytes of a text.
pub trait Place {
    /// Make room.
    ///
    /// # Errors
    /// There is not enough memory.
    fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory>;
    /// Take bytes, for which there is room.
    fn put(&mut self, bytes: &[u8]);
    /// Take what the kernels write from an index to a limit, and return where they stopped.
    ///
    /// # Errors
    /// There is not enough memory.
    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory>;
}

/// Counts the bytes of a text.
impl Place for usize {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) {
        *self += bytes.len();
    }

    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        let stretch = script.measure(start, limit);
        *self += stretch.bytes;
        Ok(stretch.end)
    }
}

/// Memory of exactly the size measured.
impl Place for Output<'_, u8> {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.push(byte);
        }
    }

    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        Ok(script.write(start, limit, self))
    }
}

impl Place for Vec<u8> {
    fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        Ok(self.try_reserve(bytes)?)
    }

    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        let mut at = start;
        while at < limit {
            let chunk_limit = limit.min(at + CHUNK_POINTS);
            let stretch = script.measure(at, chunk_limit);
            self.try_reserve(stretch.bytes)?;
            kernels::append(self, stretch.bytes, |out| script.write(at, chunk_limit, out));
            at = stretch.end;
            if at < chunk_limit {
                break;
            }
        }
        Ok(at)
    }
}

/// Write a str from an index on.
///
/// # Errors
/// The unit of error, where the policy has no answer; everything before it has been written.
pub fn encode_text(
    form: &Form,
    text: Text<'_>,
    start: usize,
    policy: Missing,
    place: &mut impl Place,
) -> Result<(), TextFault> {
    let script = form.script(form.spelling_under(policy), policy, text);
    // A unit may be as long as the text. Its parts are answered as the whole is, unless an answer may be lacking.
    let answered_at_once = match policy {
        Missing::BackslashReplace if !form.has_answers(OnFault::BackslashReplace) => text.len(),
        _ => CHUNK_POINTS,
    };
    let (mut at, mut bytes, mut window) = (start, Vec::new(), WINDOW_POINTS);
    while at < text.len() {
        let mut limit = text.len();
        if let Some(script) = &script {
            let start = at;
            at = place.take(script, start, limit)?;
            window = point_window_after(at - start, window);
            limit = limit.min(at + window);
        }
        while at < limit {
            bytes.clear();
            let (code_point, end) = form.next_written(text, at);
            at = if form.write(code_point, &mut bytes) {
                end
            } else {
                let start = at;
                let unit = (start, form.missing_end_within(text, start, start.saturating_add(answered_at_once)));
                let missing = || TextFault::Missing { start, end: form.missing_end(text, start) };
                Place::reserve(&mut bytes, (unit.1 - start).saturating_mul(form.most_bytes(policy)))?;
                form.write_missing(text, unit, policy, &mut bytes).ok_or_else(missing)?
            };
            place.reserve(bytes.len())?;
            place.put(&bytes);
        }
    }
    Ok(())
}
