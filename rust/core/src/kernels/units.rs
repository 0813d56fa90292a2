//! Forms of 16- and 32-bit units, read and written block by block; loops without a branch, which the compiler makes
//! vectors of.

use super::measured::Width;
use super::output::Output;
use super::source::Extent;
use super::spelt::Stretch;
use super::text::Text;
use crate::code_point::{LARGEST_IN_STR, LEADS, SURROGATES, TRAILS, holds, joined, split};
use crate::derive::wide::Wide;
use crate::policy::{Answer, Lacking};

/// Units that are looked at together.
const BLOCK: usize = 64;

/// Bytes of wide units.
#[derive(Clone, Copy, Debug)]
pub struct Units<'a> {
    /// The form.
    pub wide: Wide,
    /// What happens at ill-formed units, where the kernels know it; else they stop, as they may anyway.
    pub answer: Answer,
    /// The bytes. Nothing follows them.
    pub data: &'a [u8],
}

/// Code points of a str, for a form of wide units.
#[derive(Clone, Copy, Debug)]
pub struct WideText<'a> {
    /// The form.
    pub wide: Wide,
    /// What is written for surrogates that the form lacks, where the kernels know it; else they stop, as they may anyway.
    pub lacking: Lacking,
    /// The code points, none beyond Unicode.
    pub text: Text<'a>,
}

/// A place for code points.
pub trait Points {
    fn put(&mut self, code_point: u32);
    /// Take code points as they stand.
    fn run(&mut self, points: &[u32]);
}

impl Points for Extent {
    fn put(&mut self, code_point: u32) {
        self.run(&[code_point]);
    }

    #[inline]
    fn run(&mut self, points: &[u32]) {
        // The bitwise or of all: the limits of the kinds are powers of two, so it gives the width as the largest would.
        let seen = points.iter().fold(0, |seen, &point| seen | point);
        self.count += points.len();
        self.width = self.width.max(Width::of(seen));
    }
}

macro_rules! points {
    ($($unit:ty),*) => {
        $(impl Points for Output<'_, $unit> {
            #[inline]
            fn put(&mut self, code_point: u32) {
                self.push(code_point as $unit);
            }

            #[inline]
            fn run(&mut self, points: &[u32]) {
                self.extend_by(points, |point| point as $unit);
            }
        })*
    };
}

points!(u8, u16, u32);

impl Units<'_> {
    /// As [`Units::measure`], by the loops here.
    pub(super) fn measure_rest(&self, start: usize, limit: usize) -> Extent {
        let mut extent = Extent::none(start);
        extent.end = self.write_rest(start, limit, &mut extent);
        extent
    }

    /// As [`Units::write_ucs1`], by the loops here.
    pub(super) fn write_rest(&self, start: usize, limit: usize, out: &mut impl Points) -> usize {
        let width = self.wide.unit_bytes;
        let limit = start + self.wide.whole_units(limit.min(self.data.len()).saturating_sub(start));
        let (mut at, mut block) = (start, [0; BLOCK + 1]);
        while at < limit {
            let count = BLOCK.min((limit - at) / width);
            let known = self.load(at, &mut block);
            if self.is_plain(&block[..known], count) {
                out.run(&block[..count]);
                at += count * width;
                continue;
            }
            let (read, is_whole) = self.read_each(&block[..known], count, out);
            at += read * width;
            if !is_whole {
                break;
            }
        }
        at
    }

    /// Load a block and the unit behind it, as far as there are any.
    #[inline]
    fn load(&self, at: usize, block: &mut [u32; BLOCK + 1]) -> usize {
        let bytes = &self.data[at..];
        match (self.wide.unit_bytes, self.wide.big_endian) {
            (2, false) => loaded(bytes, block, |unit| u16::from_le_bytes(unit).into()),
            (2, true) => loaded(bytes, block, |unit| u16::from_be_bytes(unit).into()),
            (_, false) => loaded(bytes, block, u32::from_le_bytes),
            (_, true) => loaded(bytes, block, u32::from_be_bytes),
        }
    }

    /// Whether the first units of a block are code points as they stand.
    #[inline]
    fn is_plain(&self, block: &[u32], count: usize) -> bool {
        let units = &block[..count];
        if self.wide.unit_bytes == 4 {
            return !units.iter().fold(false, |found, &unit| found | !self.is_value(unit));
        }
        if !self.wide.has_surrogates {
            return !units.iter().fold(false, |found, &unit| found | holds(SURROGATES, unit));
        }
        !block.windows(2).fold(false, |found, pair| found | (holds(LEADS, pair[0]) & holds(TRAILS, pair[1])))
    }

    #[inline]
    fn is_value(&self, point: u32) -> bool {
        point <= LARGEST_IN_STR && (self.wide.has_surrogates || !holds(SURROGATES, point))
    }

    /// One by one: how many units were read, and whether nothing stopped that.
    fn read_each(&self, block: &[u32], count: usize, out: &mut impl Points) -> (usize, bool) {
        let mut at = 0;
        while at < count {
            let unit = block[at];
            let trail = block.get(at + 1).copied().filter(|&next| holds(TRAILS, next));
            match trail.filter(|_| self.wide.unit_bytes == 2 && holds(LEADS, unit)) {
                Some(trail) => {
                    out.put(joined(unit, trail));
                    at += 2;
                }
                None if self.is_value(unit) => {
                    out.put(unit);
                    at += 1;
                }
                None => return (at, false),
            }
        }
        (at, true)
    }
}

#[inline]
fn loaded<const WIDTH: usize>(bytes: &[u8], block: &mut [u32; BLOCK + 1], value: impl Fn([u8; WIDTH]) -> u32) -> usize {
    let (units, _) = bytes.as_chunks::<WIDTH>();
    for (place, &unit) in block.iter_mut().zip(units) {
        *place = value(unit);
    }
    units.len().min(block.len())
}

impl WideText<'_> {
    /// As [`WideText::measure`], by the loops here.
    #[inline]
    pub(super) fn measure_rest(&self, start: usize, limit: usize) -> Stretch {
        let end = start + self.text.slice(start, limit).first_of(|point| !self.has(point)).unwrap_or(limit - start);
        let units = match self.text.slice(start, end) {
            Text::Four(points) if self.wide.unit_bytes == 2 => {
                points.len() + points.iter().filter(|&&point| point >= 0x1_0000).count()
            }
            text => text.len(),
        };
        Stretch { end, bytes: units * self.wide.unit_bytes }
    }

    /// As [`WideText::write`], by the loops here.
    #[inline]
    pub(super) fn write_rest(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
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
        for &point in points {
            if point < 0x1_0000 {
                self.put(&[point], out);
            } else {
                self.put(&split(point), out);
            }
        }
    }

    #[inline]
    fn put<T: Copy + Into<u32>>(&self, points: &[T], out: &mut Output<'_, u8>) {
        match (self.wide.unit_bytes, self.wide.big_endian) {
            (2, false) => out.extend_bytes(points, |point| (point.into() as u16).to_le_bytes()),
            (2, true) => out.extend_bytes(points, |point| (point.into() as u16).to_be_bytes()),
            (_, false) => out.extend_bytes(points, |point| point.into().to_le_bytes()),
            (_, true) => out.extend_bytes(points, |point| point.into().to_be_bytes()),
        }
    }
}
