//! Code points of a str measured and written by a spelling, block by block, on any machine.
//!
//! All lanes of a block become sequences at once. A few ranges of code points are *odd*: surrogates, and what the form
//! lacks or writes in a way of its own. Their lanes are found by comparing, and what they become is put in their place.

use super::kind::LONGEST;
use super::lanes::low_64;
use super::masks::{LANES, gathered};
use super::output::Output;
use super::plain::{self, Point, is_in};
use super::portable::bytes_at;
use super::spelt::{Spelt, Stretch};
use super::text::Text;
use crate::code_point::{LARGEST_IN_STR, LEADS, Range, STARTS, SURROGATES, TRAILS, holds, split};
use crate::derive::instead::RARE;
use crate::policy::{Lacking, backslashed};

/// What becomes of code points of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Nothing is known: the kernel stops.
    Stop,
    /// They are left out.
    Nothing,
    /// A question mark.
    Mark,
    /// Their lowest byte.
    Byte,
    /// Three bytes, as in UTF-8.
    Three,
    /// Two times three bytes, of a surrogate pair.
    Pair,
    /// `C0 80`.
    Nul,
    /// A backslash escape of four digits.
    EscapeOfFour,
    /// A backslash escape of any length.
    Escape,
}

impl How {
    /// How many bytes each code point takes, if that is so many for all of them.
    #[inline(always)]
    fn length(self) -> Option<usize> {
        match self {
            How::Stop | How::Escape => None,
            How::Nothing => Some(0),
            How::Mark | How::Byte => Some(1),
            How::Nul => Some(2),
            How::Three => Some(3),
            How::Pair | How::EscapeOfFour => Some(6),
        }
    }
}

/// A range of odd code points.
#[derive(Clone, Copy, Debug)]
struct Odd {
    range: Range,
    how: How,
    /// How many bytes each takes, and how many if it were not odd, if these are as many for all of them.
    lengths: Option<(usize, usize)>,
}

impl Odd {
    const NONE: Odd = Odd { range: (0, 0), how: How::Stop, lengths: None };

    fn new(range: Range, how: How, starts: [u32; 3]) -> Self {
        let how = if how == How::Escape && range.0 >= 0x100 && range.1 < 0x1_0000 { How::EscapeOfFour } else { how };
        let usual = |point: u32| 1 + starts.iter().filter(|&&start| point >= start).count();
        let is_even = usual(range.0) == usual(range.1);
        Odd { range, how, lengths: how.length().filter(|_| is_even).map(|length| (length, usual(range.0))) }
    }
}

/// The bytes of an odd code point as a number, the first lowest, and how many these are. A number does not wait for
/// bytes that were stored one by one.
type Answer = (u128, usize);

/// The most ranges that a block is compared with.
const MOST: usize = 6;

/// So many odd code points of a block are measured one by one in less time than all of it is compared with each range.
const FEW: u32 = 4;

/// A spelling as this kernel applies it.
pub struct Speller<'a> {
    spelt: &'a Spelt<'a>,
    odds: [Odd; MOST],
    count: usize,
    /// From the first of all odd code points to the last.
    hull: Range,
    /// Whether all that is between them counts as odd too: it is rare, and one range is found faster than several.
    is_dense: bool,
    /// Whether sequences have other lengths or payloads than in UTF-8.
    is_shifted: bool,
    /// Whether some of what is odd takes more than four bytes.
    has_long: bool,
    /// Whether nothing is odd but surrogates, which are written as in UTF-8 unless they make a pair.
    are_halves: bool,
}

/// A block of code points of a text, or the last, shorter one.
struct Block<'a, P> {
    /// Those of the text.
    text: &'a [P],
    /// The same with U+0000 for each that is odd, and behind the last.
    points: [P; LANES],
    /// Where the block begins in its text.
    at: usize,
    /// The lanes of odd code points.
    odd: u64,
    /// Whether a pair may be joined.
    may_join: bool,
    speller: &'a Speller<'a>,
}

impl<'a> Speller<'a> {
    /// None for a spelling with more of what is odd than a block is compared with.
    pub fn new(spelt: &'a Spelt<'a>) -> Option<Self> {
        let spelling = spelt.spelling;
        let is_shifted = spelling.is_shifted() || spelling.starts != STARTS && !spelling.splits;
        let lacked = match spelling.lacking {
            Lacking::Stop => How::Stop,
            Lacking::Nothing => How::Nothing,
            Lacking::Mark => How::Mark,
            Lacking::Escape => How::Escape,
        };
        let mut speller = Speller {
            spelt,
            odds: [Odd::NONE; MOST],
            count: 0,
            hull: (u32::MAX, 0),
            is_dense: false,
            is_shifted,
            has_long: false,
            are_halves: false,
        };
        let missing = spelling.missing.iter().map(|&range| (range, lacked));
        let escapes = spelling.escapes.map(|range| (range, How::Byte));
        let split = spelling.splits.then_some(((0x1_0000, LARGEST_IN_STR), How::Pair));
        let nul = spelling.nul_is_two.then_some(((0, 0), How::Nul));
        // What has answers comes first: often there is nothing else.
        for (range, how) in escapes.into_iter().chain(missing).chain(split).chain(nul) {
            speller.add(range, how)?;
        }
        let meets = |odd: &Odd| odd.range.0 <= SURROGATES.1 && SURROGATES.0 <= odd.range.1;
        let are_told = speller.odds().iter().any(meets);
        if spelling.joins && !is_shifted && !are_told {
            speller.are_halves = speller.count == 0;
            speller.add(SURROGATES, How::Three)?;
        }
        speller.is_dense = RARE.0 <= speller.hull.0 && speller.hull.1 <= RARE.1;
        // Where pairs are joined, all their halves must be looked at.
        let are_apart = !spelling.joins || !is_shifted && !are_told || spelling.missing.contains(&SURROGATES);
        are_apart.then_some(speller)
    }

    fn add(&mut self, range: Range, how: How) -> Option<()> {
        *self.odds.get_mut(self.count)? =
            Odd::new(range, how, if self.is_shifted { self.spelt.spelling.starts } else { STARTS });
        let how = self.odds[self.count].how;
        self.has_long |= how.length().map_or(how == How::Escape, |length| length > LONGEST);
        self.count += 1;
        self.hull = (self.hull.0.min(range.0), self.hull.1.max(range.1));
        Some(())
    }

    /// As [`Spelt::measure`].
    pub fn measure(&self, start: usize, limit: usize) -> Stretch {
        match self.spelt.text {
            Text::One(points) => self.measured(points, start, limit),
            Text::Two(points) => self.measured(points, start, limit),
            Text::Four(points) => self.measured(points, start, limit),
        }
    }

    /// As [`Spelt::write`].
    pub fn write(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        match self.spelt.text {
            Text::One(points) => self.written(points, start, limit, out),
            Text::Two(points) => self.written(points, start, limit, out),
            Text::Four(points) => self.written(points, start, limit, out),
        }
    }

    fn measured<P: Point>(&self, points: &[P], start: usize, limit: usize) -> Stretch {
        let mut stretch = Stretch { end: start, bytes: 0 };
        while stretch.end < limit {
            let rest = &points[stretch.end..limit];
            let known = rest.first_chunk().and_then(|block| self.bytes(block, rest.get(LANES)));
            let (count, bytes, is_whole) = match known {
                Some(bytes) => (LANES, bytes, true),
                None => self.block(rest, stretch.end).measure(),
            };
            stretch = Stretch { end: stretch.end + count, bytes: stretch.bytes + bytes };
            if !is_whole {
                break;
            }
        }
        stretch
    }

    fn written<P: Point>(&self, points: &[P], start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        out.go_on(|out| {
            let mut at = start;
            while at < limit {
                let rest = &points[at..limit];
                if !self.is_shifted
                    && let Some(block) = self.regular(rest)
                {
                    plain::encode_block(block, out);
                    at += LANES;
                    continue;
                }
                let (count, is_whole) = self.block(rest, at).write(out);
                at += count;
                if !is_whole {
                    break;
                }
            }
            at
        })
    }

    /// The first block, if it is whole and nothing in it is written in another way than in UTF-8.
    #[inline(always)]
    fn regular<'p, P: Point>(&self, points: &'p [P]) -> Option<&'p [P; LANES]> {
        let block = points.first_chunk()?;
        if !self.meets_hull(block) {
            return Some(block);
        }
        if self.are_halves {
            let are_regular = !is_ascii_but_surrogates(block) && !has_pair(block, points.get(LANES));
            return are_regular.then_some(block);
        }
        if self.is_dense {
            return None;
        }
        let has_odd = self
            .reachable::<P>()
            .any(|(first, span, _)| block.iter().fold(false, |found, point| found | (point.less(first) <= span)));
        (!has_odd).then_some(block)
    }

    #[inline(always)]
    fn block<'p, P: Point>(&'p self, rest: &'p [P], at: usize) -> Block<'p, P> {
        let text = &rest[..rest.len().min(LANES)];
        let mut points = first_points(text);
        let odd = self.odd_lanes(&points) & low_64(text.len());
        let may_join = self.spelt.spelling.joins && odd & (odd >> 1 | 1 << (text.len() - 1)) != 0;
        let may_join = may_join && rest.first_chunk().is_none_or(|block| has_pair(block, rest.get(LANES)));
        let mut lanes = odd;
        while lanes != 0 {
            points[lanes.trailing_zeros() as usize] = P::default();
            lanes &= lanes - 1;
        }
        Block { text, points, at, odd, may_join, speller: self }
    }

    #[inline(always)]
    fn odds(&self) -> &[Odd] {
        &self.odds[..self.count]
    }

    /// The odd code points, as the first of a range and how many more there are, as far as a str of this kind holds
    /// them.
    #[inline(always)]
    fn reachable<P: Point>(&self) -> impl Iterator<Item = (P, P, &Odd)> {
        let reachable = self.odds().iter().filter(|odd| odd.range.0 <= P::LARGEST);
        reachable.map(|odd| (P::of(odd.range.0), P::of(odd.range.1.min(P::LARGEST) - odd.range.0), odd))
    }

    /// The length of a block in bytes, given what follows it; None where its code points must be looked at one by one.
    #[inline(always)]
    fn bytes<P: Point>(&self, block: &[P; LANES], next: Option<&P>) -> Option<usize> {
        // ASCII in four bytes each is rare, and looking for it is not free.
        let may_be_ascii = P::LARGEST <= 0xFFFF && self.hull.0 >= 0x80;
        if may_be_ascii && block.iter().fold(0, |seen, &point| seen | point.into()) < 0x80 {
            return Some(LANES);
        }
        let bytes = LANES + self.longer(block);
        if !self.meets_hull(block) {
            return Some(bytes);
        }
        if self.is_dense && !self.spelt.spelling.joins && self.count > 1 {
            return self.bytes_by_lanes(bytes, block);
        }
        let (bytes, odd_count) = self.bytes_by_ranges(bytes, block, LANES)?;
        // Both halves are odd; of a single one the other must come next.
        let may_join = self.spelt.spelling.joins && (odd_count > 1 || holds(LEADS, block[LANES - 1].into()));
        (!may_join || !has_pair(block, next)).then_some(bytes)
    }

    /// What [`Speller::bytes`] gives where nothing is joined, from what it would be without odd code points.
    #[inline(never)]
    fn bytes_by_lanes<P: Point>(&self, usual: usize, block: &[P; LANES]) -> Option<usize> {
        let (mut bytes, mut lanes) = (usual, self.odd_lanes(block));
        if lanes.count_ones() > FEW {
            return self.bytes_by_ranges(usual, block, lanes.count_ones() as usize).map(|(bytes, _)| bytes);
        }
        while lanes != 0 {
            let point = block[lanes.trailing_zeros() as usize].into();
            if let Some(odd) = self.odds().iter().find(|odd| holds(odd.range, point)) {
                let (length, usual) = odd.lengths?;
                bytes = bytes + length - usual;
            }
            lanes &= lanes - 1;
        }
        Some(bytes)
    }

    /// The same with the number of odd code points, of which there are `most` at most.
    #[inline(always)]
    fn bytes_by_ranges<P: Point>(&self, usual: usize, block: &[P; LANES], most: usize) -> Option<(usize, usize)> {
        let (mut bytes, mut odd_count) = (usual, 0);
        for (first, span, odd) in self.reachable::<P>() {
            let is_odd = |point: &P| P::of(u32::from(point.less(first) <= span));
            let count = block.iter().fold(P::default(), |sum, point| sum.and(is_odd(point))).into() as usize;
            if count > 0 {
                let (length, usual) = odd.lengths?;
                bytes = bytes + count * length - count * usual;
            }
            odd_count += count;
            if odd_count == most {
                break;
            }
        }
        Some((bytes, odd_count))
    }

    /// Whether a block has anything among which are odd code points; any block does if U+0000 is one.
    #[inline(always)]
    fn meets_hull<P: Point>(&self, block: &[P; LANES]) -> bool {
        let (first, last) = (self.hull.0, self.hull.1.min(P::LARGEST));
        let (low, span) = (P::of(first), P::of(last.wrapping_sub(first)));
        first == 0 || first <= last && block.iter().fold(false, |found, point| found | (point.less(low) <= span))
    }

    #[inline(always)]
    fn odd_lanes<P: Point>(&self, points: &[P; LANES]) -> u64 {
        let mut lanes = [0_u8; LANES];
        let mut add = |first: P, span: P| {
            for (lane, point) in lanes.iter_mut().zip(points) {
                *lane |= u8::from(point.less(first) <= span).wrapping_neg();
            }
        };
        if self.is_dense {
            if self.hull.0 <= P::LARGEST {
                add(P::of(self.hull.0), P::of(self.hull.1 - self.hull.0));
            }
        } else {
            self.reachable::<P>().for_each(|(first, span, _)| add(first, span));
        }
        gathered(&lanes)
    }

    /// How many bytes more than one each the code points of a block take.
    #[inline(always)]
    fn longer<P: Point>(&self, points: &[P; LANES]) -> usize {
        if self.is_shifted {
            let starts = self.spelt.spelling.starts;
            let longer = |&point: &P| starts.iter().fold(0, |sum, &start| sum + u32::from(point.into() >= start));
            return points.iter().map(longer).sum::<u32>() as usize;
        }
        plain::longer_in(points)
    }

    /// What becomes of an odd code point; None where the kernel stops.
    #[inline(always)]
    fn answer(&self, point: u32, at: usize) -> Option<Answer> {
        let Some(odd) = self.odds().iter().find(|odd| holds(odd.range, point)) else { return bytes_at(self.spelt, at) };
        let bytes = match odd.how {
            How::Stop => return None,
            How::Nothing => 0,
            How::Mark => u64::from(b'?'),
            How::Byte => u64::from(point & 0xFF),
            How::Three => plain::three(point).into(),
            How::Pair => {
                let [lead, trail] = split(point).map(|unit| u64::from(plain::three(unit)));
                lead | trail << 24
            }
            How::Nul => 0x80C0,
            How::EscapeOfFour => return Some(backslashed(point)),
            How::Escape => return bytes_at(self.spelt, at),
        };
        odd.how.length().map(|length| (bytes.into(), length))
    }

    fn begins_pair(&self, point: u32, at: usize) -> bool {
        let text = self.spelt.text;
        holds(LEADS, point) && at + 1 < text.len() && holds(TRAILS, text.at(at + 1))
    }
}

/// The code points of a block, or of the last, shorter one with zeros behind them.
#[inline(always)]
fn first_points<P: Point>(text: &[P]) -> [P; LANES] {
    // A copy of a length that is known takes no call.
    text.first_chunk().copied().unwrap_or_else(|| {
        let mut points = [P::default(); LANES];
        points[..text.len()].copy_from_slice(text);
        points
    })
}

/// Whether all code points of a block are ASCII or surrogates: ASCII takes less time if it is looked at by itself.
#[inline(always)]
fn is_ascii_but_surrogates<P: Point>(block: &[P; LANES]) -> bool {
    block.iter().fold(true, |all, &point| all & (point < P::of(0x80) || is_in(SURROGATES, point)))
}

/// Whether a block holds a lead before a trail, which may be what follows it.
#[inline(always)]
fn has_pair<P: Point>(block: &[P; LANES], next: Option<&P>) -> bool {
    let is_pair = |lead: P, trail: P| is_in(LEADS, lead) & is_in(TRAILS, trail);
    let within = block.windows(2).fold(false, |found, pair| found | is_pair(pair[0], pair[1]));
    within || next.is_none_or(|&next| is_pair(block[LANES - 1], next))
}

/// Write bytes from one place to another, block by block; there is a block behind the last.
#[inline(always)]
fn copy_blocks(bytes: &[u8], from: usize, end: usize, out: &mut Output<'_, u8>) {
    for at in (from..end).step_by(LANES) {
        out.extend_first::<LANES>(bytes[at..].first_chunk().expect("a block"), LANES.min(end - at));
    }
}

/// A sequence with zeros behind it.
#[inline(always)]
fn padded<const LANE: usize>(sequence: [u8; 4]) -> [u8; LANE] {
    let mut lane = [0; LANE];
    lane[..4].copy_from_slice(&sequence);
    lane
}

impl<P: Point> Block<'_, P> {
    /// How many code points can be written, how many bytes they take, and whether these are all.
    fn measure(&self) -> (usize, usize, bool) {
        let mut bytes = self.text.len() + self.speller.longer(&self.points);
        let mut rest = self.odd;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let Some((_, length)) = self.answer(lane) else {
                let (count, bytes, _) = self.before(lane).measure();
                return (count, bytes, false);
            };
            bytes = bytes + length - 1;
            rest &= rest - 1;
        }
        (self.text.len(), bytes, true)
    }

    /// The block up to a lane.
    #[cold]
    fn before(&self, lane: usize) -> Self {
        let mut points = [P::default(); LANES];
        points[..lane].copy_from_slice(&self.points[..lane]);
        Block { text: &self.text[..lane], points, odd: self.odd & low_64(lane), ..*self }
    }

    /// What becomes of the odd code point of a lane.
    #[inline(always)]
    fn answer(&self, lane: usize) -> Option<Answer> {
        let (point, at) = (self.text[lane].into(), self.at + lane);
        if self.may_join && self.speller.begins_pair(point, at) {
            return None;
        }
        self.speller.answer(point, at)
    }

    /// Write the code points, and return how many, and whether these are all.
    fn write(&self, out: &mut Output<'_, u8>) -> (usize, bool) {
        let seen = self.points.iter().fold(0, |seen, &point| seen | point.into());
        let count = match seen {
            0..0x80 => self.write_ascii(out),
            0x800..0x1_0000 if self.are_all_of(3) => self.write_threes(out),
            0x1_0000.. if self.are_all_of(4) => self.write_fours(out),
            _ if self.speller.has_long => self.write_longer::<8, { 8 * LANES }>(out),
            _ => self.write_longer::<4, { 4 * LANES }>(out),
        };
        (count, count == self.text.len())
    }

    /// Whether all code points that are not odd take as many bytes, and are written as in UTF-8; none takes more.
    #[inline(always)]
    fn are_all_of(&self, length: usize) -> bool {
        let usual = self.text.len() - self.odd.count_ones() as usize;
        !self.speller.is_shifted && plain::longer_in(&self.points) == (length - 1) * usual
    }

    /// Write code points of which all are ASCII or odd.
    fn write_ascii(&self, out: &mut Output<'_, u8>) -> usize {
        let mut bytes = [0; 2 * LANES];
        for (byte, &point) in bytes.iter_mut().zip(&self.points) {
            *byte = point.into() as u8;
        }
        self.write_even::<1, _>(bytes, out)
    }

    /// Write code points of which all take three bytes or are odd.
    #[inline(never)]
    fn write_threes(&self, out: &mut Output<'_, u8>) -> usize {
        let (mut bytes, sequences) =
            ([0; 4 * LANES], self.points.map(|point| plain::three(point.into()).to_le_bytes()));
        for (lane, sequence) in sequences.iter().enumerate() {
            // The fourth byte is none, and is overwritten.
            bytes[3 * lane..3 * lane + 4].copy_from_slice(sequence);
        }
        self.write_even::<3, _>(bytes, out)
    }

    /// Write code points of which all take four bytes or are odd.
    #[inline(never)]
    fn write_fours(&self, out: &mut Output<'_, u8>) -> usize {
        let mut bytes = [0; 5 * LANES];
        for (sequence, &point) in bytes.as_chunks_mut().0.iter_mut().zip(&self.points) {
            *sequence = plain::four(point.into()).to_le_bytes();
        }
        self.write_even::<4, _>(bytes, out)
    }

    /// Write the bytes of code points that take as many each, but for those that are odd. Behind them there is room for
    /// a block, so that as many bytes can be copied from each of them on.
    #[inline(always)]
    fn write_even<const LENGTH: usize, const ROOM: usize>(&self, bytes: [u8; ROOM], out: &mut Output<'_, u8>) -> usize {
        let (mut bytes, mut from, mut rest) = (bytes, 0, self.odd);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let at = LENGTH * lane;
            match self.answer(lane) {
                Some((answer, length)) if length == LENGTH => {
                    bytes[at..at + LENGTH].copy_from_slice(&answer.to_le_bytes()[..LENGTH]);
                }
                answer => {
                    copy_blocks(&bytes, from, at, out);
                    let Some((answer, length)) = answer else { return lane };
                    out.extend_first(&answer.to_le_bytes(), length);
                    from = at + LENGTH;
                }
            }
            rest &= rest - 1;
        }
        copy_blocks(&bytes, from, LENGTH * self.text.len(), out);
        self.text.len()
    }

    /// Write any code points, as lanes of so many bytes.
    #[inline(never)]
    fn write_longer<const LANE: usize, const MOST: usize>(&self, out: &mut Output<'_, u8>) -> usize {
        let mut sequences = self.sequences().map(padded::<LANE>);
        let mut lengths = self.lengths();
        let (mut from, mut rest) = (0, self.odd);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            match self.answer(lane) {
                Some((answer, length)) if length <= LANE => {
                    sequences[lane].copy_from_slice(&answer.to_le_bytes()[..LANE]);
                    lengths[lane] = length as u8;
                }
                answer => {
                    out.extend_parts::<LANE, MOST>(&sequences[from..lane], &lengths[from..lane]);
                    let Some((answer, length)) = answer else { return lane };
                    out.extend_first(&answer.to_le_bytes(), length);
                    from = lane + 1;
                }
            }
            rest &= rest - 1;
        }
        out.extend_parts::<LANE, MOST>(&sequences[from..self.text.len()], &lengths[from..self.text.len()]);
        self.text.len()
    }

    #[inline(always)]
    fn lengths(&self) -> [u8; LANES] {
        if !self.speller.is_shifted {
            return plain::lengths(&self.points);
        }
        let starts = self.speller.spelt.spelling.starts;
        self.points.map(|point| starts.iter().fold(1, |length, &start| length + u8::from(point.into() >= start)))
    }

    #[inline(always)]
    fn sequences(&self) -> [[u8; 4]; LANES] {
        if self.speller.is_shifted {
            self.points.map(|point| self.shifted(point.into()))
        } else {
            plain::sequences(&self.points)
        }
    }

    /// The sequence of a code point by the spelling's starts and offsets.
    #[inline(always)]
    fn shifted(&self, point: u32) -> [u8; 4] {
        let spelling = self.speller.spelt.spelling;
        let [is_two, is_three, is_four] = spelling.starts.map(|start| u32::from(point >= start).wrapping_neg());
        let before = point.wrapping_sub(spelling.gap.1 & u32::from(point >= spelling.gap.0).wrapping_neg());
        let [two, three, four] = spelling.offsets.map(|offset| before.wrapping_sub(offset));
        let short = before & !is_two | plain::two(two) & is_two;
        let long = plain::three(three) & !is_four | plain::four(four) & is_four;
        (short & !is_three | long & is_three).to_le_bytes()
    }
}
