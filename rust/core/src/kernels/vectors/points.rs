//! From masks of where sequences begin to code points of the three kinds of str. The masks come from `reader`.

use eightfold_features::vectors;

use super::answers::Answers;
use super::block::{Block, FOURS, THREES, Window};
use super::machine::*;
use super::{Room, compact, part, store};
use crate::derive::layout::Layout;
use crate::kernels::kept::NIL;

/// The meaning of a sequence's payload, and of a byte that is part of no sequence.
///
/// Functions generic over a `Taker` are instantiated for each caller and inlined into it: a call would spill all
/// registers.
pub struct Meaning<'a> {
    /// The layout, if payloads are not code points.
    pub shift: Option<&'a Layout>,
    answers: Answers,
    values: Values,
}

impl<'a> Meaning<'a> {
    /// The meaning in a layout, if payloads are not code points, and of the byte in an ill-formed lane: the base added
    /// to it; None if it becomes U+FFFD.
    #[inline]
    #[vectors]
    pub fn new(shift: Option<&'a Layout>, escape: Option<u32>) -> Self {
        Meaning { shift, answers: Answers::new(escape), values: Values::new(shift) }
    }
}

/// Write 64 code points of ASCII.
#[inline]
#[vectors]
pub fn put_ascii_ucs1(window: &Window, room: &mut Room<u8>) {
    for at in (0..64).step_by(8) {
        store(u64::from_le_bytes(*part(window, at)), room, at);
    }
}

/// Write 64 code points of ASCII.
#[inline]
#[vectors]
pub fn put_ascii_ucs2(window: &Window, room: &mut Room<u16>) {
    for at in (0..64).step_by(8) {
        store(as_16(load_8(part(window, at))), room, at);
    }
}

/// Write 64 code points of ASCII.
#[inline]
#[vectors]
pub fn put_ascii_ucs4(window: &Window, room: &mut Room<u32>) {
    for at in (0..64).step_by(8) {
        store(as_32(load_8(part(window, at))), room, at);
    }
}

impl Meaning<'_> {
    /// Write what begins in a block of code points up to U+00FF.
    #[inline]
    #[vectors]
    pub fn put_ucs1(&self, window: &Window, block: &Block, room: &mut Room<u8>) {
        let offset = self.shift.map_or(0, |layout| layout.offsets[0]);
        let mut filled = 0;
        for at in [0, 32] {
            // The values are ASCII, or the two lowest bits of a lead byte with the six of its continuation byte.
            let (bytes, next) = (load_32(part(window, at)), load_32(part(window, at + 1)));
            let upper = and(left_16::<6>(bytes), each_8(0xC0));
            let pairs = or(upper, and(next, each_8(0x3F)));
            let pairs = add_8(pairs, each_8(offset as u8));
            let points = blend_high(bytes, pairs, bytes);
            let [low, high] = halves(points);
            let eights = [low, upper_eight(low), high, upper_eight(high)];
            for (eight, mask) in eights.into_iter().zip(((block.begins >> at) as u32).to_le_bytes()) {
                store(kept_bytes(eight, mask), room, filled);
                filled += mask.count_ones() as usize;
            }
        }
    }

    /// Write what begins in a block of code points up to U+FFFF.
    #[inline]
    #[vectors]
    pub fn put_ucs2<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u16>) {
        if let Some(start) = block.start_of(window, THREES) {
            return self.put_threes::<Taker>(window, start, room);
        }
        self.put_narrow(window, block, |eight, at| store(eight, room, at));
    }

    /// Pass what begins in each eight lanes of a block of code points up to U+FFFF to `put`, with the number passed
    /// before.
    #[inline]
    #[vectors]
    fn put_narrow(&self, window: &Window, block: &Block, mut put: impl FnMut(Half, usize)) {
        if block.are_bytes() {
            return self.put_bytes(window, block.ill, put);
        }
        // One by one, as in [`compact`].
        let filled = self.put_half::<0>(window, block, 0, &mut put);
        self.put_half::<32>(window, block, filled, &mut put);
    }

    /// The same of 32 lanes; return how many have been passed then.
    #[inline]
    #[vectors]
    fn put_half<const AT: usize>(
        &self,
        window: &Window,
        block: &Block,
        mut filled: usize,
        put: &mut impl FnMut(Half, usize),
    ) -> usize {
        let ill = (block.ill != 0).then(|| lanes_8((block.ill >> AT) as u32));
        let read = Read16::at(window, AT);
        let points = match (self.shift, ill) {
            (Some(layout), _) => self.moved(layout, &read, ill),
            // In bytes, which are half as many vectors.
            (None, Some(ill)) => {
                let [low, high] = self.answered([read.low, read.high], read.lead, ill);
                widened(low, high)
            }
            (None, None) => widened(read.low, read.high),
        };
        let [first, second] = points.map(|points| halves(points));
        let eights = [first[0], second[0], first[1], second[1]];
        for (eight, mask) in eights.into_iter().zip(((block.begins >> AT) as u32).to_le_bytes()) {
            put(kept_units(eight, mask), filled);
            filled += mask.count_ones() as usize;
        }
        filled
    }

    /// As [`Meaning::put_narrow`], for a block in which each byte is a code point or ill-formed.
    #[inline]
    #[vectors]
    fn put_bytes(&self, window: &Window, ill: u64, mut put: impl FnMut(Half, usize)) {
        for at in [0, 32] {
            let (bytes, ill) = (load_32(part(window, at)), lanes_8((ill >> at) as u32));
            let [low, high] = self.answered([bytes, zero()], bytes, ill);
            let [first, second] = widened(low, high).map(|points| halves(points));
            for (eight, points) in [first[0], second[0], first[1], second[1]].into_iter().enumerate() {
                put(points, at + 8 * eight);
            }
        }
    }

    /// The lower and the upper bytes of code points, with those of the answers to bytes in ill-formed lanes.
    #[inline]
    #[vectors]
    fn answered(&self, [low, high]: [Vector; 2], bytes: Vector, ill: Vector) -> [Vector; 2] {
        let answers = self.answers.of_8(bytes);
        [blend(low, answers[0], ill), blend(high, answers[1], ill)]
    }

    /// Code points up to U+FFFF in a form that places them elsewhere than UTF-8 does, with the answers at ill-formed
    /// positions, in the order of [`widened`].
    #[inline]
    #[vectors]
    fn moved(&self, layout: &Layout, read: &Read16, ill: Option<Vector>) -> [Vector; 2] {
        let &Read16 { lead, is_high, is_three, low, high } = read;
        let points = widened(low, high);
        let [two, three] = [0, 1].map(|at| (layout.offsets[at] as u16).to_le_bytes());
        let [low, high] = [0, 1].map(|half| and(is_high, blend(each_8(two[half]), each_8(three[half]), is_three)));
        let offsets = widened(low, high);
        let points = [0, 1].map(|half| beyond_gap(layout, add_16(points[half], offsets[half])));
        let Some(ill) = ill else { return points };
        let [low, high] = self.answers.of_8(lead);
        let (answers, ill) = (widened(low, high), widened(ill, ill));
        [0, 1].map(|half| blend(points[half], answers[half], ill[half]))
    }
}

/// Code points up to U+FFFF as UTF-8 has them, read as if a sequence began at each of 32 positions.
struct Read16 {
    lead: Vector,
    is_high: Vector,
    is_three: Vector,
    /// Their lower and their upper bytes.
    low: Vector,
    high: Vector,
}

impl Read16 {
    /// The loads are as long as those of the block: for parts of a loaded vector the compiler would emit scalar shifts.
    #[inline]
    #[vectors]
    fn at(window: &Window, at: usize) -> Self {
        let [lead, second, third] = [0, 1, 2].map(|by| load_32(part(window, at + by)));
        let [second, third] = [second, third].map(|bytes| and(bytes, each_8(0x3F)));
        let is_high = are_high(lead);
        let is_three = at_least_8(lead, each_8(0xE0));
        // The last six bits, those before them, and the four highest of three bytes.
        let last = blend(second, third, is_three);
        let before = blend(and(lead, each_8(0x1F)), second, is_three);
        let highest = and(left_16::<4>(lead), and(is_three, each_8(0xF0)));
        let low = or(last, and(left_16::<6>(before), each_8(0xC0)));
        let high = or(highest, and(right_16::<2>(before), each_8(0x0F)));
        Read16 { lead, is_high, is_three, low: blend_high(lead, low, lead), high: and(high, is_high) }
    }
}

/// Lanes of 16 bits from their lower and their upper bytes: the first eight of each half, and the others.
#[inline]
#[vectors]
fn widened(low: Vector, high: Vector) -> [Vector; 2] {
    [zip_low_8(low, high), zip_high_8(low, high)]
}

/// Code points, moved past the gap that a form leaves out.
#[inline]
#[vectors]
fn beyond_gap(layout: &Layout, points: Vector) -> Vector {
    let Ok(gap) = u16::try_from(layout.gap.0) else { return points };
    let beyond = at_least_16(points, each_16(gap));
    add_16(points, and(beyond, each_16(layout.gap.1 as u16)))
}

impl Meaning<'_> {
    /// Write 22 sequences of three bytes each, from an offset in a block on: text without spaces.
    #[inline]
    #[vectors]
    fn put_threes<Taker>(&self, window: &Window, start: usize, room: &mut Room<u16>) {
        for eight in 0..3 {
            let payloads = narrowed_32(threes::<Taker>(window, start, eight));
            store(self.shifted_three(payloads), room, 8 * eight);
        }
    }

    /// As [`Meaning::put_threes`], as 32-bit units.
    #[inline]
    #[vectors]
    fn put_wide_threes<Taker>(&self, window: &Window, start: usize, room: &mut Room<u32>) {
        for eight in 0..3 {
            let values = threes::<Taker>(window, start, eight);
            store(self.values.shifted(add_32(values, self.values.three)), room, 8 * eight);
        }
    }

    /// The code points of payloads of three bytes.
    #[inline]
    #[vectors]
    fn shifted_three(&self, payloads: Half) -> Half {
        let Some(layout) = self.shift else { return payloads };
        let points = add_16(lower(payloads), each_16(layout.offsets[1] as u16));
        halves(beyond_gap(layout, points))[0]
    }

    /// Write what begins in a block, without limits on the code points.
    #[inline]
    #[vectors]
    pub fn put_ucs4<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
        if let Some(start) = block.start_of(window, THREES) {
            self.put_wide_threes::<Taker>(window, start, room);
        } else if let Some(start) = block.start_of(window, FOURS) {
            self.put_fours::<Taker>(window, start, room);
        } else {
            self.put_mixed::<Taker>(window, block, room);
        }
    }

    /// The same, for a block that was examined closely: it is likely to have something ill-formed.
    #[inline]
    #[vectors]
    pub fn put_examined<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
        if self.shift.is_none() && block.are_fours_and_answers() {
            compact::put(window, block, room, |bytes, places, _| self.fours_and_answers(bytes, places));
        } else {
            self.put_mixed::<Taker>(window, block, room);
        }
    }

    /// The same, for a block of neither three bytes only nor four only.
    #[inline]
    #[vectors]
    fn put_mixed<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
        if self.shift.is_none() && block.has_no_fours() {
            self.put_narrow(window, block, |eight, at| store(widened_16(eight), room, at));
        } else {
            compact::put(window, block, room, |bytes, places, few| self.points::<Taker>(block, bytes, places, few));
        }
    }

    /// Write 16 sequences of four bytes each, from an offset in a block on: emoji without spaces.
    #[inline]
    #[vectors]
    fn put_fours<Taker>(&self, window: &Window, start: usize, room: &mut Room<u32>) {
        for eight in [0, 1] {
            let payloads = fours(load_32(part(window, start + 32 * eight)));
            store(self.values.shifted(add_32(payloads, self.values.four)), room, 8 * eight);
        }
    }
}

/// The payloads of eight of 22 sequences of three bytes each, from an offset in a block on.
#[inline]
#[vectors]
fn threes<Taker>(window: &Window, start: usize, eight: usize) -> Vector {
    let each = twice(load_16(&[2, 1, 0, NIL, 5, 4, 3, NIL, 8, 7, 6, NIL, 11, 10, 9, NIL]));
    let at = start + 24 * eight;
    let low = load_16(part(window, at));
    // At most two of the last four sequences exist.
    let high = if eight < 2 { load_16(part(window, at + 12)) } else { load_8(part(window, at + 12)) };
    payloads(shuffle(joined(low, high), each), 0x000F_3F3F)
}

/// The payloads of eight sequences of four bytes each.
#[inline]
#[vectors]
pub fn fours(sequences: Vector) -> Vector {
    let each = twice(load_16(&[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]));
    payloads(shuffle(sequences, each), 0x073F_3F3F)
}

impl Meaning<'_> {
    /// The code points of eight sequences, which are moved from their places to their lanes; `pairs` and `ill` have
    /// those that are surrogate pairs or ill-formed.
    #[inline]
    #[vectors]
    fn points<Taker>(&self, block: &Block, bytes: Vector, places: Vector, [pairs, ill]: [u8; 2]) -> Vector {
        let sequences = shuffle(bytes, places);
        let mut points = self.values.of(sequences);
        // Decide by the block: a branch on whether some of the eight are would be mispredicted as often as not.
        if block.pairs != 0 {
            // The second and the third byte of each half.
            let payloads = add_8(places, each_32(0x0101_0202));
            points = blend(points, joined_32(shuffle(bytes, payloads)), lanes_32(pairs));
        }
        if block.ill != 0 {
            points = self.answered_32(points, right_32::<24>(sequences), lanes_32(ill));
        }
        points
    }

    /// The same in a block of sequences of four bytes, ASCII and ill-formed units.
    #[inline]
    #[vectors]
    fn fours_and_answers(&self, bytes: Vector, places: Vector) -> Vector {
        let sequences = shuffle(bytes, places);
        let first = right_32::<24>(sequences);
        let singles = self.answered_32(first, first, greater_32(first, each_32(0x7F)));
        let are_fours = equal_32(and(sequences, each_32(0xF0C0_C0C0)), each_32(0xF080_8080));
        blend(singles, payloads(sequences, 0x073F_3F3F), are_fours)
    }

    /// Code points, with the answers in ill-formed lanes.
    #[inline]
    #[vectors]
    pub fn answered_32(&self, points: Vector, bytes: Vector, ill: Vector) -> Vector {
        blend(points, self.answers.of_32(bytes), ill)
    }
}

/// How the bytes of sequences become code points: vectors indexed by the three lowest bits of the lead byte's upper
/// half.
struct Values {
    /// How far the payload of a shorter sequence is above the position of a payload of four bytes.
    below: Vector,
    /// The offset added to the payload together with the marks of the lead byte.
    offsets: Vector,
    /// The offsets added to the payloads of three and of four bytes.
    three: Vector,
    four: Vector,
    gap: Option<(Vector, Vector)>,
}

impl Values {
    #[inline]
    #[vectors]
    fn new(shift: Option<&Layout>) -> Self {
        // The marks of lead bytes without the highest bit, at the positions where they end up.
        let marks = [0x40 << 6, 0x60 << 12, 0x70 << 18];
        let offsets = shift.map_or([0; 3], |layout| layout.offsets);
        let [two, three, four] = [0, 1, 2].map(|at| offsets[at].wrapping_sub(marks[at]));
        let gap = shift.map(|layout| layout.gap).filter(|gap| gap.1 > 0);
        let gap = gap.map(|gap| [gap.0 - 1, gap.1]);
        Values {
            below: load_points(&[0, 0, 0, 0, 12, 12, 6, 0]),
            offsets: load_points(&[0, 0, 0, 0, two, two, three, four]),
            three: each_32(offsets[1]),
            four: each_32(offsets[2]),
            gap: gap.map(|[last, add]| (each_32(last), each_32(add))),
        }
    }

    /// The code points of eight sequences, each in its lane as if it had four bytes, the first highest.
    #[inline]
    #[vectors]
    fn of(&self, sequences: Vector) -> Vector {
        let all = payloads(sequences, 0x7F3F_3F3F);
        let kinds = right_32::<28>(sequences);
        let values = right_each_32(all, looked_up_32(self.below, kinds));
        let points = self.shifted(add_32(values, looked_up_32(self.offsets, kinds)));
        let ascii = right_32::<24>(sequences);
        let is_high = are_high_32(sequences);
        blend(ascii, points, is_high)
    }

    /// Code points, moved past the gap that a form leaves out.
    #[inline]
    #[vectors]
    fn shifted(&self, points: Vector) -> Vector {
        let Some((last, add)) = self.gap else { return points };
        add_32(points, and(greater_32(points, last), add))
    }
}

/// The payloads of eight sequences next to each other; `bits` has the payload bits of each byte. The first byte is
/// highest.
#[inline]
#[vectors]
fn payloads(sequences: Vector, bits: u32) -> Vector {
    // Combine pairs of six bits, then pairs of twelve.
    let bytes = and(sequences, each_32(bits));
    twelves(sixes(bytes))
}

/// The supplementary code points of surrogate pairs, given the second and the third byte of each half.
#[inline]
#[vectors]
pub fn joined_32(halves: Vector) -> Vector {
    // Four bits and six bits, twice, next to each other: first ten bits each, then the twenty bits of an index.
    let payloads = and(halves, each_32(0x0F3F_0F3F));
    let index = tens(sixes(payloads));
    add_32(index, each_32(0x1_0000))
}
