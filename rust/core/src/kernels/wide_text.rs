//! Code points of a str written as 16- and 32-bit units, block by block; loops without a branch, which the compiler
//! makes vectors of.

use super::output::Output;
use super::spelt::Stretch;
use super::text::Text;
use super::widen::in_big_endian;
use crate::code_point::{SURROGATES, holds, split};
use crate::derive::wide::Wide;
use crate::policy::Lacking;

/// The bytes of a line of the cache.
const LINE: usize = 64;
/// Code points that are looked at together.
const BLOCK: usize = 64;

/// Code points of a str, for a form of wide units.
#[derive(Clone, Copy, Debug)]
pub struct WideText<'a> {
    /// The form.
    pub wide: Wide,
    /// What is written for surrogates that the form lacks, where the kernels know it; else they stop, as they may
    /// anyway.
    pub lacking: Lacking,
    /// The code points, none beyond Unicode.
    pub text: Text<'a>,
}

impl WideText<'_> {
    /// As [`WideText::measure`], by the loops here.
    #[inline(always)]
    pub(super) fn measure_rest(&self, start: usize, limit: usize) -> Stretch {
        let lacking = if self.wide.has_surrogates {
            None
        } else {
            self.text.slice(start, limit).first_of(|point| holds(SURROGATES, point))
        };
        let end = lacking.map_or(limit, |at| start + at);
        let units = match self.text.slice(start, end) {
            Text::Four(points) if self.wide.unit_bytes == 2 => points.len() + count_supplementary(points),
            text => text.len(),
        };
        Stretch { end, bytes: units * self.wide.unit_bytes }
    }

    /// Whether each code point that such a str can hold is a unit of the form.
    #[inline]
    pub(super) fn is_whole(&self) -> bool {
        match self.text {
            Text::One(_) => true,
            Text::Two(_) => self.wide.has_surrogates,
            Text::Four(_) => self.wide.has_surrogates && self.wide.unit_bytes == 4,
        }
    }

    /// As [`WideText::write`], where each code point is a unit.
    #[inline(always)]
    pub(super) fn write_whole(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        match self.text.slice(start, limit) {
            Text::One(points) => self.put_bytes(points, out),
            Text::Two(points) => self.put(points, out),
            Text::Four(points) => self.put(points, out),
        }
        limit
    }

    /// As [`WideText::write`], where the machine has no kernels.
    pub(super) fn write_portably(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        let (Text::One(points), 4, true) = (self.text, self.wide.unit_bytes, self.wide.big_endian) else {
            return self.write_rest(start, limit, out);
        };
        let (eights, rest) = points[start..limit].as_chunks();
        out.extend_bytes(eights, in_big_endian);
        self.put(rest, out);
        limit
    }

    /// As [`WideText::write`], by the loops here.
    #[inline(always)]
    pub(super) fn write_rest(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        if let Text::One(points) = self.text {
            self.put_bytes(&points[start..limit], out);
            return limit;
        }
        let mut at = start;
        while at < limit {
            let block = self.text.slice(at, limit.min(at + BLOCK));
            let end = block.first_of(|point| !self.has(point)).unwrap_or(block.len());
            match block.slice(0, end) {
                Text::One(points) => self.put(points, out),
                Text::Two(points) => self.put(points, out),
                Text::Four(points) => self.put_points(points, out),
            }
            at += end;
            if end < block.len() {
                break;
            }
        }
        at
    }

    #[inline]
    fn has(&self, point: u32) -> bool {
        self.wide.has_surrogates || !holds(SURROGATES, point)
    }

    fn put_points(&self, points: &[u32], out: &mut Output<'_, u8>) {
        if self.wide.unit_bytes == 4 || points.iter().fold(0, |seen, &point| seen | point) < 0x1_0000 {
            return self.put(points, out);
        }
        let is_big_endian = self.wide.big_endian;
        if points.iter().fold(u32::MAX, |least, &point| least.min(point)) >= 0x1_0000 {
            return out.extend_bytes(points, |point| pair_bytes(point, is_big_endian));
        }
        let (mut sequences, mut lengths) = ([[0; 4]; BLOCK], [0; BLOCK]);
        for (lane, &point) in points.iter().enumerate().take(BLOCK) {
            let is_pair = u32::from(point >= 0x1_0000).wrapping_neg();
            let unit = if is_big_endian { (point as u16).swap_bytes() } else { point as u16 };
            let pair = u32::from_le_bytes(pair_bytes(point, is_big_endian));
            sequences[lane] = (u32::from(unit) & !is_pair | pair & is_pair).to_le_bytes();
            lengths[lane] = 2 + 2 * u8::from(point >= 0x1_0000);
        }
        out.extend_parts::<4, { 4 * BLOCK }>(&sequences[..points.len()], &lengths[..points.len()]);
    }

    /// As `put`, a line of the cache at a time: the loop that the compiler makes of `put` writes half a line, and takes
    /// 1.6 times as long.
    #[inline(always)]
    fn put_bytes(&self, points: &[u8], out: &mut Output<'_, u8>) {
        let (lines, rest) = points.as_chunks();
        match (self.wide.unit_bytes, self.wide.big_endian) {
            (4, false) => out.extend_bytes(lines, |line| widened(line, |point| [point, 0, 0, 0])),
            (4, true) => out.extend_bytes(lines, |line| widened(line, |point| [0, 0, 0, point])),
            _ => return self.put(points, out),
        }
        self.put(rest, out);
    }

    #[inline(always)]
    fn put<T: Copy + Into<u32>>(&self, points: &[T], out: &mut Output<'_, u8>) {
        match (self.wide.unit_bytes, self.wide.big_endian) {
            (2, false) => out.extend_bytes(points, |point| (point.into() as u16).to_le_bytes()),
            (2, true) => out.extend_bytes(points, |point| (point.into() as u16).to_be_bytes()),
            (_, false) => out.extend_bytes(points, |point| point.into().to_le_bytes()),
            (_, true) => out.extend_bytes(points, |point| point.into().to_be_bytes()),
        }
    }
}

/// The bytes of the values of some bytes.
#[inline(always)]
fn widened(points: [u8; LINE / 4], bytes_of: impl Fn(u8) -> [u8; 4]) -> [u8; LINE] {
    let mut bytes = [0; LINE];
    bytes.as_chunks_mut().0.copy_from_slice(&points.map(bytes_of));
    bytes
}

/// How many code points take a surrogate pair, added up in lanes as wide as they are.
#[inline(always)]
fn count_supplementary(points: &[u32]) -> usize {
    let count = |points: &[u32]| -> u32 { points.iter().map(|&point| u32::from(point >= 0x1_0000)).sum() };
    points.chunks(1 << 16).map(|points| count(points) as usize).sum()
}

/// The bytes of the surrogate pair of a code point.
#[inline(always)]
fn pair_bytes(point: u32, is_big_endian: bool) -> [u8; 4] {
    let [lead, trail] = split(point);
    let swapped = (lead << 16 | trail).swap_bytes();
    (if is_big_endian { swapped } else { lead | trail << 16 }).to_le_bytes()
}
