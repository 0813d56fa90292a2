//! Writing: which units write a code point, which code point is written next, and the loop over a str.

use crate::OutOfMemory;
use crate::chunk::{CHUNK_POINTS, NEAR_BYTES, WINDOW_BYTES};
use crate::form::{Form, LEADS, Row, SURROGATES, TRAILS, holds};
use crate::kernels::{self, Text, find_point};
use crate::pass::hex_digit;

/// What happens at code points that the form lacks. A policy that has no answer stops as `Stop` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Hand them out: an error is raised, or a foreign handler called.
    Stop,
    /// `?` for each.
    Replace,
    /// Nothing.
    Ignore,
    /// The byte that each of U+DC80 to U+DCFF stands for.
    SurrogateEscape,
    /// The bytes by which the form's own tables know a surrogate.
    SurrogatePass,
    /// `\xNN`, `\uNNNN` or `\UNNNNNNNN`.
    BackslashReplace,
}

/// Why the loop over a str stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextFault {
    /// Code points that the form lacks, one unit of error.
    Missing {
        /// The index of the first.
        start: usize,
        /// The index after the last.
        end: usize,
    },
    /// There was no memory.
    OutOfMemory,
}

impl From<OutOfMemory> for TextFault {
    fn from(_: OutOfMemory) -> Self {
        TextFault::OutOfMemory
    }
}

/// The supplementary code point of a surrogate pair.
pub(crate) fn joined(lead: u32, trail: u32) -> u32 {
    0x1_0000 + ((lead - LEADS.0) << 10) + (trail - TRAILS.0)
}

impl Form {
    /// Write a code point; false, and nothing written, where the form has none for it.
    #[inline]
    pub fn write(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        let row = self.tables.rows.iter().find(|row| holds((row.first, row.last), code_point));
        row.map(|row| self.write_by(row, code_point, out)).is_some()
    }

    fn write_by(&self, row: &Row, code_point: u32, out: &mut Vec<u8>) {
        let width = self.tables.unit_bytes;
        let start = out.len();
        out.resize(start + row.ranges.len() * width, 0);
        let mut index = code_point - row.first;
        for (&(low, high), place) in row.ranges.iter().zip(out[start..].chunks_exact_mut(width)).rev() {
            // A range as wide as all 32-bit units is the only one of its row.
            let (unit, rest) = match (high - low).checked_add(1) {
                Some(count) => (low + index % count, index / count),
                None => (index, 0),
            };
            index = rest;
            self.put_unit(unit, place);
        }
    }

    fn put_unit(&self, unit: u32, place: &mut [u8]) {
        if self.tables.big_endian {
            place.copy_from_slice(&unit.to_be_bytes()[4 - place.len()..]);
        } else {
            place.copy_from_slice(&unit.to_le_bytes()[..place.len()]);
        }
    }

    /// Write code points; false, and nothing written, where the form lacks one of them.
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

    /// Whether the form has bytes for a code point.
    pub(crate) fn has(&self, code_point: u32) -> bool {
        self.tables.rows.iter().any(|row| holds((row.first, row.last), code_point))
    }

    /// The code point that is written next and the index after it: a pair is joined where the form joins.
    #[inline]
    pub(crate) fn next_written(&self, text: Text<'_>, at: usize) -> (u32, usize) {
        let code_point = text.at(at);
        if self.tables.joins_pairs && holds(LEADS, code_point) && at + 1 < text.len() && holds(TRAILS, text.at(at + 1))
        {
            return (joined(code_point, text.at(at + 1)), at + 2);
        }
        (code_point, at + 1)
    }

    /// Where a unit of error on encoding ends: the longest run in a byte form, else one code point.
    fn missing_end(&self, text: Text<'_>, start: usize) -> usize {
        let mut at = start + 1;
        while self.tables.unit_bytes == 1 && at < text.len() {
            let (code_point, end) = self.next_written(text, at);
            if self.has(code_point) {
                break;
            }
            at = end;
        }
        at
    }

    /// The first unit of error from an index on: code points that the form lacks.
    #[must_use]
    pub fn next_missing(&self, text: Text<'_>, start: usize) -> Option<(usize, usize)> {
        let mut at = start;
        while at < text.len() {
            let limit = text.len().min(at + CHUNK_POINTS);
            at += self.shared_points(text, at, limit);
            let limit = limit.min(at + WINDOW_BYTES);
            while at < limit {
                let (code_point, end) = self.next_written(text, at);
                if !self.has(code_point) {
                    return Some((at, self.missing_end(text, at)));
                }
                at = end;
            }
        }
        None
    }

    /// How many code points from `start` on the form writes as UTF-8 does.
    fn shared_points(&self, text: Text<'_>, start: usize, limit: usize) -> usize {
        if !self.agreement.worthwhile {
            return 0;
        }
        find_point(text.slice(start, limit), &self.agreement.apart).unwrap_or(limit - start)
    }

    fn write_missing(
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
            Missing::BackslashReplace => all((start..end).all(|at| self.write_all(&escape(text.at(at)), out))),
            Missing::SurrogatePass => self.write_prefix(text, (start, end), |point| self.write_surrogate(point, out)),
            Missing::SurrogateEscape => self.write_prefix(text, (start, end), |point| {
                let byte = u8::try_from(point.wrapping_sub(0xDC00)).ok().filter(|&byte| byte >= 0x80);
                byte.map(|byte| out.push(byte)).is_some()
            }),
        };
        // Half a unit is no answer.
        let answer = answer.filter(|_| (out.len() - before).is_multiple_of(self.tables.unit_bytes));
        if answer.is_none() {
            out.truncate(before);
        }
        answer
    }

    /// Write as many code points of the unit as can be; what is left is a unit of its own.
    fn write_prefix(
        &self,
        text: Text<'_>,
        (start, end): (usize, usize),
        mut write: impl FnMut(u32) -> bool,
    ) -> Option<usize> {
        let written = (start..end).take_while(|&at| write(text.at(at))).count();
        (written > 0).then_some(start + written)
    }

    fn write_surrogate(&self, code_point: u32, out: &mut Vec<u8>) -> bool {
        let Some(ranges) = self.surrogates.as_ref().filter(|_| holds(SURROGATES, code_point)) else {
            return false;
        };
        let row = Row { first: SURROGATES.0, last: SURROGATES.1, ranges: ranges.clone() };
        self.write_by(&row, code_point, out);
        true
    }
}

fn escape(code_point: u32) -> Vec<u32> {
    let (letter, digits) = match code_point {
        0..=0xFF => (b'x', 2),
        0x100..=0xFFFF => (b'u', 4),
        _ => (b'U', 8),
    };
    let hex = (0..digits).rev().map(|place| hex_digit((code_point >> (4 * place)) as u8));
    [b'\\', letter].into_iter().chain(hex).map(u32::from).collect()
}

/// Write a str from an index on.
///
/// # Errors
/// Where the policy has no answer: the unit of error; what came before it has been written.
pub fn encode_text(
    form: &Form,
    text: Text<'_>,
    start: usize,
    policy: Missing,
    out: &mut Vec<u8>,
) -> Result<(), TextFault> {
    let mut at = start;
    let longest = form.tables.rows.iter().map(|row| row.ranges.len()).max().unwrap_or(1) * form.tables.unit_bytes;
    let mut reach = CHUNK_POINTS;
    while at < text.len() {
        let limit = text.len().min(at + reach);
        let shared = form.shared_points(text, at, limit);
        // The kernels look far ahead only while that pays.
        reach = if at + shared < limit { NEAR_BYTES } else { CHUNK_POINTS.min(reach * 4) };
        if let Some(scalar) = text.slice(at, at + shared).scalar() {
            out.try_reserve(scalar.utf8_bytes()).map_err(OutOfMemory::from)?;
            kernels::append(out, scalar.utf8_bytes(), |place| scalar.write_utf8(place));
            at += shared;
        }
        let limit = if form.agreement.worthwhile { limit.min(at + WINDOW_BYTES) } else { limit };
        out.try_reserve((limit - at) * longest).map_err(OutOfMemory::from)?;
        while at < limit {
            let (code_point, end) = form.next_written(text, at);
            at = if form.write(code_point, out) {
                end
            } else {
                let (start, end) = (at, form.missing_end(text, at));
                out.try_reserve((end - start) * 12 * form.tables.unit_bytes).map_err(OutOfMemory::from)?;
                form.write_missing(text, (start, end), policy, out).ok_or(TextFault::Missing { start, end })?
            };
        }
    }
    Ok(())
}
