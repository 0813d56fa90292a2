//! Bytes of 16- and 32-bit units, read block by block; loops without a branch, which the compiler makes
//! vectors of.

use super::masks::gathered;
use super::measured::Width;
use super::output::{Output, Values};
use super::source::Extent;
use crate::chunk::CHUNK_BYTES;
use crate::code_point::{LARGEST_IN_STR, LEADS, Range, SURROGATES, TRAILS, holds, joined};
use crate::derive::wide::Wide;
use crate::policy::Answer;

/// Units that are looked at together.
const BLOCK: usize = 64;
/// Units that are copied together, if none of them is a surrogate.
const COPIED: usize = 4 * BLOCK;
/// The bytes of a block of 16-bit units, and of the one behind them.
const WINDOW: usize = 2 * BLOCK + 2;

/// The bits of a pair that say that it is one.
const UPPER_OF_PAIR: u32 = {
    let upper = !(LEADS.1 - LEADS.0) as u16 as u32;
    upper << 16 | upper
};

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

/// A block of 16-bit units among which are surrogates.
pub struct Paired {
    units: [u16; BLOCK],
    /// The unit behind it.
    next: u16,
    /// The lanes in which surrogate pairs begin.
    pairs: u64,
    /// The lanes in which code points begin.
    begins: u64,
}

/// A place for code points.
pub trait Points {
    fn put(&mut self, code_point: u32);
    /// Take code points as they stand.
    fn run(&mut self, points: &[u32]);
    /// Take a block of them.
    fn units(&mut self, units: &[u16; BLOCK]);
    /// Take a block of nothing but surrogate pairs.
    fn pairs(&mut self, units: &[u16; BLOCK]);
    /// Take a block with surrogates.
    fn paired(&mut self, block: &Paired);
    /// Take a block of 32-bit units, which `unit` puts in the order of the machine.
    fn wide(&mut self, units: &[[u8; 4]; BLOCK], unit: impl Fn([u8; 4]) -> u32);
}

impl Extent {
    #[inline(always)]
    fn add(&mut self, count: usize, seen: u32) {
        self.count += count;
        self.width = self.width.max(Width::of(seen));
    }
}

// The bitwise or of all: the limits of the kinds are powers of two, so it gives the width as the largest would.
impl Points for Extent {
    fn put(&mut self, code_point: u32) {
        self.run(&[code_point]);
    }

    #[inline]
    fn run(&mut self, points: &[u32]) {
        self.add(points.len(), points.iter().fold(0, |seen, &point| seen | point));
    }

    #[inline(always)]
    fn units(&mut self, units: &[u16; BLOCK]) {
        self.add(BLOCK, or_of(units).into());
    }

    fn pairs(&mut self, _: &[u16; BLOCK]) {
        self.add(BLOCK / 2, LARGEST_IN_STR);
    }

    #[inline(always)]
    fn wide(&mut self, units: &[[u8; 4]; BLOCK], unit: impl Fn([u8; 4]) -> u32) {
        self.add(BLOCK, unit(or_of_wide(units).to_ne_bytes()));
    }

    fn paired(&mut self, block: &Paired) {
        let paired = if block.pairs == 0 { 0 } else { LARGEST_IN_STR };
        self.add(block.begins.count_ones() as usize, u32::from(or_of(&block.units)) | paired);
    }
}

#[inline(always)]
fn or_of(units: &[u16; BLOCK]) -> u16 {
    units.iter().fold(0, |seen, &unit| seen | unit)
}

/// The same of 32-bit units as they stand in memory, lane by lane: of a plain fold the compiler takes the vectors
/// apart.
#[inline(always)]
fn or_of_wide(units: &[[u8; 4]; BLOCK]) -> u32 {
    let mut lanes = [0; 4];
    for line in units.as_chunks::<4>().0 {
        lanes.iter_mut().zip(line).for_each(|(lane, &unit)| *lane |= u32::from_ne_bytes(unit));
    }
    lanes.into_iter().fold(0, |seen, lane| seen | lane)
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

            #[inline(always)]
            fn units(&mut self, units: &[u16; BLOCK]) {
                self.extend_by(units, |unit| unit as $unit);
            }

            fn pairs(&mut self, units: &[u16; BLOCK]) {
                let (pairs, _) = units.as_chunks::<2>();
                self.extend_by(pairs, |pair| joined(pair[0].into(), pair[1].into()) as $unit);
            }

            #[inline(always)]
            fn wide(&mut self, units: &[[u8; 4]; BLOCK], unit: impl Fn([u8; 4]) -> u32) {
                // At once, turning and narrowing would take half as long again.
                let mut points = [0; BLOCK];
                for (point, &bytes) in points.iter_mut().zip(units) {
                    *point = unit(bytes);
                }
                self.extend_by(&points, |point| point as $unit);
            }

            fn paired(&mut self, block: &Paired) {
                self.extend_kept(&block.values(), block.begins, |value| value as $unit);
            }
        })*
    };
}

impl Paired {
    /// None where a surrogate is not one of a pair and the form has no others.
    #[inline(always)]
    fn new(units: [u16; BLOCK], next: u16, has_surrogates: bool) -> Option<Self> {
        let [leads, trails] = [LEADS, TRAILS].map(|range| lanes_of(&units, range));
        let follow = trails >> 1 | u64::from(holds(TRAILS, next.into())) << 63;
        let pairs = leads & follow;
        let trailing = pairs << 1;
        let is_well_formed = has_surrogates || (leads | trails) & !(pairs | trailing) == 0;
        is_well_formed.then_some(Paired { units, next, pairs, begins: !trailing })
    }

    /// What begins in each lane.
    #[inline(always)]
    fn values(&self) -> Values<u32> {
        let mut values = [0; _];
        for (lane, value) in values[..BLOCK].iter_mut().enumerate() {
            let unit = u32::from(self.units[lane]);
            let next = if lane + 1 < BLOCK { self.units[lane + 1] } else { self.next };
            let is_pair = u32::from(is_in(LEADS, unit as u16) & is_in(TRAILS, next)).wrapping_neg();
            *value = unit & !is_pair | joined(unit, next.into()) & is_pair;
        }
        values
    }
}

/// Whether a unit is in a range whose ends differ in their lowest bits, all of them.
#[inline(always)]
pub(super) fn is_in((first, last): Range, unit: u16) -> bool {
    unit & !((last - first) as u16) == first as u16
}

/// The lanes of units in such a range.
#[inline(always)]
fn lanes_of(units: &[u16; BLOCK], range: Range) -> u64 {
    let mut lanes = [0; BLOCK];
    for (lane, &unit) in lanes.iter_mut().zip(units) {
        *lane = u8::from(is_in(range, unit)).wrapping_neg();
    }
    gathered(&lanes)
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
        let limit = limit.min(self.data.len());
        let at = match (self.wide.unit_bytes, self.wide.big_endian) {
            (2, false) => self.blocks_of_two(start, limit, out, u16::from_le_bytes),
            (2, true) => self.blocks_of_two(start, limit, out, u16::from_be_bytes),
            (_, false) => self.blocks_of_four(start, limit, out, u32::from_le_bytes),
            (_, true) => self.blocks_of_four(start, limit, out, u32::from_be_bytes),
        };
        self.write_last(at, limit, out)
    }

    /// Whole blocks of 16-bit units, as far as they are well-formed; the end is returned.
    #[inline(always)]
    fn blocks_of_two(&self, start: usize, limit: usize, out: &mut impl Points, unit: impl Fn([u8; 2]) -> u16) -> usize {
        let mut at = start;
        while at + 2 * BLOCK <= limit
            && let Some(window) = self.data[at..].first_chunk::<WINDOW>()
        {
            let (units, next) = units_of(window, &unit);
            at += 2 * BLOCK;
            if !has_surrogate(&units) {
                out.units(&units);
            } else if are_pairs(&units) {
                out.pairs(&units);
            } else {
                let Some(block) = Paired::new(units, next, self.wide.has_surrogates) else { return at - 2 * BLOCK };
                out.paired(&block);
                // The trail of a pair that begins with the last unit is read with it.
                at += 2 * (block.pairs >> 63) as usize;
            }
        }
        at
    }

    /// The same of 32-bit units.
    #[inline(always)]
    fn blocks_of_four(
        &self,
        start: usize,
        limit: usize,
        out: &mut impl Points,
        unit: impl Fn([u8; 4]) -> u32,
    ) -> usize {
        let mut at = start;
        while at < limit
            && let Some(bytes) = self.data[at..limit].first_chunk::<{ 4 * BLOCK }>()
            && let Some(units) = bytes.as_chunks::<4>().0.first_chunk::<BLOCK>()
            && self.are_values(units, &unit)
        {
            out.wide(units, &unit);
            at += 4 * BLOCK;
        }
        at
    }

    /// Whether the form has all 32-bit units of a block. They are compared as they stand in memory: what they are
    /// compared with is turned instead.
    #[inline(always)]
    fn are_values(&self, units: &[[u8; 4]; BLOCK], unit: impl Fn([u8; 4]) -> u32) -> bool {
        let turned = |value: u32| unit(value.to_ne_bytes());
        let is_beyond = turned(or_of_wide(units)) > LARGEST_IN_STR
            && units.iter().fold(false, |found, &bytes| found | (unit(bytes) > LARGEST_IN_STR));
        let (upper, first) = (turned(!(SURROGATES.1 - SURROGATES.0)), turned(SURROGATES.0));
        let is_surrogate = |bytes| u32::from(u32::from_ne_bytes(bytes) & upper == first);
        !is_beyond
            && (self.wide.has_surrogates || units.iter().fold(0, |found, &bytes| found | is_surrogate(bytes)) == 0)
    }

    /// As [`Units::copy_ucs1`] and [`Units::copy_ucs2`], for text up to a width.
    pub(super) fn copy_rest<T: Copy>(
        &self,
        start: usize,
        limit: usize,
        width: Width,
        out: &mut Output<'_, T>,
        become_one: impl Fn(u16) -> T,
    ) -> Option<u32>
    where
        for<'o> Output<'o, T>: Points,
    {
        match self.wide.big_endian {
            false => self.copied((start, limit), width, out, u16::from_le_bytes, become_one),
            true => self.copied((start, limit), width, out, u16::from_be_bytes, become_one),
        }
    }

    #[inline(always)]
    fn copied<T: Copy>(
        &self,
        (start, limit): (usize, usize),
        width: Width,
        out: &mut Output<'_, T>,
        unit: impl Fn([u8; 2]) -> u16 + Copy,
        become_one: impl Fn(u16) -> T,
    ) -> Option<u32>
    where
        for<'o> Output<'o, T>: Points,
    {
        let (mut at, mut seen) = (start, 0);
        while at + 2 * COPIED <= limit {
            let (blocks, _) = self.data[at..limit.min(at + CHUNK_BYTES)].as_chunks::<2>().0.as_chunks::<COPIED>();
            let is_plain = |block: &[[u8; 2]; COPIED]| {
                seen |= block.iter().fold(0, |seen, &bytes| seen | unit(bytes));
                block.iter().fold(0, |found, &bytes| found | as_surrogate(unit(bytes))) == 0
            };
            let copied = out.extend_blocks(blocks, is_plain, |bytes| become_one(unit(bytes)));
            at += 2 * COPIED * copied;
            if u32::from(seen) > width.largest() {
                return None;
            }
            let with_surrogates = if copied < blocks.len() { COPIED / BLOCK } else { 0 };
            for _ in 0..with_surrogates {
                let Some(window) = self.data[at..].first_chunk::<WINDOW>() else { break };
                let (units, next) = units_of(window, unit);
                Paired::new(units, next, self.wide.has_surrogates).filter(|block| block.pairs == 0)?;
                out.units(&units);
                at += 2 * BLOCK;
            }
        }
        let rest = self.measure_rest(at, limit);
        if (rest.end, 2 * rest.count) != (limit, limit - at) || rest.width > width {
            return None;
        }
        self.write_rest(at, limit, out);
        Some(u32::from(seen) | rest.width.largest())
    }

    /// As [`Units::copy_rest`], of 32-bit units.
    pub(super) fn copy_wide<T: Copy>(
        &self,
        start: usize,
        limit: usize,
        width: Width,
        out: &mut Output<'_, T>,
        become_one: impl Fn(u32) -> T,
    ) -> Option<u32>
    where
        for<'o> Output<'o, T>: Points,
    {
        match self.wide.big_endian {
            false => self.copied_wide((start, limit), width, out, u32::from_le_bytes, become_one),
            true => self.copied_wide((start, limit), width, out, u32::from_be_bytes, become_one),
        }
    }

    #[inline(always)]
    fn copied_wide<T: Copy>(
        &self,
        (start, limit): (usize, usize),
        width: Width,
        out: &mut Output<'_, T>,
        unit: impl Fn([u8; 4]) -> u32 + Copy,
        become_one: impl Fn(u32) -> T,
    ) -> Option<u32>
    where
        for<'o> Output<'o, T>: Points,
    {
        let (blocks, _) = self.data[start..limit].as_chunks::<4>().0.as_chunks::<BLOCK>();
        let mut seen = 0;
        let is_within = |block: &[[u8; 4]; BLOCK]| {
            seen |= unit(or_of_wide(block).to_ne_bytes());
            // There is no surrogate up to U+00FF.
            seen <= width.largest() && (width < Width::Ucs2 || self.are_values(block, unit))
        };
        let copied = out.extend_blocks(blocks, is_within, |bytes| become_one(unit(bytes)));
        let at = start + 4 * BLOCK * copied;
        let rest = self.measure_rest(at, limit);
        if copied < blocks.len() || rest.end < limit || rest.width > width {
            return None;
        }
        self.write_rest(at, limit, out);
        Some(seen | rest.width.largest())
    }

    /// As [`Units::write_rest`], for what does not fill a block or is ill-formed.
    fn write_last(&self, start: usize, limit: usize, out: &mut impl Points) -> usize {
        let width = self.wide.unit_bytes;
        let limit = start + self.wide.whole_units(limit.saturating_sub(start));
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

/// The units of a window, and the one behind them.
#[inline(always)]
fn units_of(window: &[u8; WINDOW], unit: impl Fn([u8; 2]) -> u16) -> ([u16; BLOCK], u16) {
    let (mut units, (bytes, _)) = ([0; BLOCK], window.as_chunks::<2>());
    for (place, &bytes) in units.iter_mut().zip(bytes) {
        *place = unit(bytes);
    }
    (units, unit(bytes[BLOCK]))
}

#[inline(always)]
fn has_surrogate(units: &[u16; BLOCK]) -> bool {
    units.iter().fold(0, |found, &unit| found | as_surrogate(unit)) != 0
}

/// Not 0 for a surrogate. All vectors have these subtractions, and need not narrow what they give as they do what a
/// comparison gives.
#[inline(always)]
fn as_surrogate(unit: u16) -> u16 {
    let count = (SURROGATES.1 - SURROGATES.0 + 1) as u16;
    count.saturating_sub(unit.wrapping_sub(SURROGATES.0 as u16))
}

/// Whether each second unit is a trail, and each before one a lead.
#[inline(always)]
fn are_pairs(units: &[u16; BLOCK]) -> bool {
    let (pairs, _) = units.as_chunks::<2>();
    let differs = |&[lead, trail]: &[u16; 2]| {
        let both = u32::from(trail) << 16 | u32::from(lead);
        both & UPPER_OF_PAIR ^ (TRAILS.0 << 16 | LEADS.0)
    };
    pairs.iter().fold(0, |found, pair| found | differs(pair)) == 0
}

#[inline]
fn loaded<const WIDTH: usize>(bytes: &[u8], block: &mut [u32; BLOCK + 1], value: impl Fn([u8; WIDTH]) -> u32) -> usize {
    let (units, _) = bytes.as_chunks::<WIDTH>();
    for (place, &unit) in block.iter_mut().zip(units) {
        *place = value(unit);
    }
    units.len().min(block.len())
}
