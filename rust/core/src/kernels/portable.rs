//! Writing by a spelling, one sequence at a time: what the kernels that work in blocks leave over.

use super::output::Output;
use super::spelt::Spelt;
use crate::code_point::{LEADS, TRAILS, holds};
use crate::policy::{Lacking, backslashed};

/// A place for bytes.
pub trait Bytes {
    /// Take some.
    fn put(&mut self, bytes: &[u8]);
}

impl Bytes for usize {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        *self += bytes.len();
    }
}

impl Bytes for Output<'_, u8> {
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.push(byte);
        }
    }
}

/// Write from an index to a limit, or to a code point that the spelling does not cover, and return the end.
pub fn spell(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut impl Bytes) -> usize {
    let mut at = start;
    while at < limit && put_point(spelt, at, out) {
        at += 1;
    }
    at
}

#[inline]
fn put_point(spelt: &Spelt<'_>, at: usize, out: &mut impl Bytes) -> bool {
    let code_point = spelt.text.at(at);
    if (1..0x80).contains(&code_point) {
        // A form that is spelt has no other bytes for ASCII than ASCII.
        out.put(&[code_point as u8]);
        return true;
    }
    let bytes = bytes_at(spelt, at);
    if let Some((bytes, length)) = bytes {
        out.put(&bytes.to_le_bytes()[..length]);
    }
    bytes.is_some()
}

/// The bytes of the code point at an index as a number, the first lowest, and how many these are; None if the spelling
/// does not cover it.
#[inline]
pub fn bytes_at(spelt: &Spelt<'_>, at: usize) -> Option<(u128, usize)> {
    let (spelling, code_point) = (spelt.spelling, spelt.text.at(at));
    let is_followed = || at + 1 < spelt.text.len() && holds(TRAILS, spelt.text.at(at + 1));
    if spelling.joins && holds(LEADS, code_point) && is_followed() {
        return None;
    }
    if let Some((bytes, length)) = spelling.spelt(code_point) {
        return Some((bytes.into(), length));
    }
    match spelling.lacking {
        Lacking::Stop => None,
        Lacking::Mark => Some((b'?'.into(), 1)),
        Lacking::Nothing => Some((0, 0)),
        Lacking::Escape => Some(backslashed(code_point)),
    }
}
