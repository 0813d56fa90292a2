//! Bytes of any form that has a layout, read block by block. What callers do with a block is left to them.
//!
//! Rules about neighbouring bytes show that most blocks are well-formed. In the others each byte is treated as if a
//! sequence began there, all at once: masks show which lanes begin a sequence, which of them are ill-formed, and where
//! the layout does not apply.

use eightfold_features::vectors;

use super::block::{Block, Window, begin_pairs, continuing_behind, shaped_as_fours, surrogates};
use super::machine::*;
use super::points::Meaning;
use super::rules::Rules;
use super::{ByteSet, Bytes, fetch_ahead, part};
use crate::derive::layout::{Layout, PAIR, Pairs, Table};
use crate::derive::piece::Surrogates;
use crate::kernels::lanes::{Begun, Read, Taken, low_64, stops_at};
use crate::kernels::masks::window_at;
use crate::kernels::source::Source;
use crate::policy::Answer;

/// One byte for each byte from C0 up, with a vector for each upper half.
struct LeadTable([Vector; 4]);

impl LeadTable {
    #[inline]
    #[vectors]
    fn new(table: &Table) -> Self {
        LeadTable([64, 80, 96, 112].map(|at| twice(load_16(part(&table.0, at)))))
    }

    /// The entries of bytes from C0 up; other lanes are arbitrary.
    #[inline]
    #[vectors]
    fn of(&self, bytes: Vector) -> Vector {
        let lower = and(bytes, each_8(0x0F));
        let [c, d, e, f] = self.0.map(|row| shuffle(row, lower));
        // Shift the bits that distinguish the rows to where the blends test them.
        let (fourth, fifth) = (left_16::<3>(bytes), left_16::<2>(bytes));
        blend_high(blend_high(c, d, fourth), blend_high(e, f, fourth), fifth)
    }
}

/// The second bytes of each lead byte: the lowest, and how many more there are.
struct Seconds {
    low: LeadTable,
    span: LeadTable,
}

impl Seconds {
    #[inline]
    #[vectors]
    fn new(low: &Table, span: &Table) -> Self {
        Seconds { low: LeadTable::new(low), span: LeadTable::new(span) }
    }

    /// The lanes of a window's bytes from C0 up whose next byte is one of their second bytes. It is apart, and said to
    /// be cold, so that what else is known stays in registers where this is not asked: 2 to 8% less time with faults.
    #[cold]
    #[vectors]
    fn follow(&self, window: &Window) -> u64 {
        let [leads, nexts] = [0, 1].map(|at| Bytes::of(window, at));
        let follows = |half: usize| {
            let (lead, next) = (leads.0[half], nexts.0[half]);
            let (low, span) = (self.low.of(lead), self.span.of(lead));
            let index = sub_8(next, low);
            at_least_8(span, index)
        };
        Bytes([follows(0), follows(1)]).high()
    }
}

/// The second bytes that lead bytes take, as rules and as tables.
struct Leads {
    rules: Rules,
    /// The bits of rules that are less precise than the tables of second bytes.
    coarse: Vector,
    seconds: Seconds,
}

impl Leads {
    #[inline]
    #[vectors]
    fn new(layout: &Layout, rules: Rules, coarse: u8) -> Self {
        let seconds = Seconds::new(&layout.second_low, &layout.second_span);
        Leads { rules, coarse: each_8(coarse), seconds }
    }

    /// The lead bytes of a block whose next byte is one of their second bytes, provided that it is a continuation byte;
    /// and whether one of them may part from the layout with its second byte.
    #[inline]
    #[vectors]
    fn followed(&self, leads: u64, window: &Window, bytes: Bytes) -> (u64, bool) {
        let nexts = Bytes::of(window, 1);
        let broken = Bytes([0, 1].map(|half| self.rules.among(bytes.0[half], nexts.0[half])));
        if is_none(and(or(broken.0[0], broken.0[1]), self.coarse)) {
            (leads & broken.equal(0), false)
        } else {
            (leads & self.seconds.follow(window), true)
        }
    }
}

/// What to do with each kind of block.
pub struct Takers<Ascii, Pairs, Regular, Other> {
    /// For 64 bytes of ASCII.
    pub ascii: Ascii,
    /// For bytes that begin as a pair does, in a form that joins pairs; it returns how many bytes it took.
    pub pairs: Pairs,
    /// For a block in which all sequences are well-formed.
    pub regular: Regular,
    /// For any other block, with the offset where it begins, and for those that are examined as closely as one.
    pub other: Other,
}

/// Which of the last eight blocks were faulty: a bit for each, the last one's is the lowest.
#[derive(Clone, Copy)]
struct Faulty(u8);

impl Faulty {
    /// Blocks were read, of which none was faulty.
    fn add_clean(&mut self, blocks: usize) {
        self.0 = (u64::from(self.0) << blocks.min(8)) as u8;
    }

    /// A block was read.
    fn add(&mut self, is_faulty: bool) {
        self.0 = self.0 << 1 | u8::from(is_faulty);
    }

    /// Whether at least half were: then reading the next one closely costs less than mispredicted branches.
    fn are_many(self) -> bool {
        self.0.count_ones() >= 4
    }
}

/// How far reading came: to a block whose first lanes of `carry` are read, or to where it ended.
struct Reached {
    at: usize,
    carry: u64,
    faulty: Faulty,
    goes_on: bool,
}

/// The tables of a layout, with the facts that each block needs.
pub struct Reader<'a> {
    layout: &'a Layout,
    leads: Leads,
    /// The rules about invalid neighbouring bytes.
    sides: Rules,
    /// Whether some sequences part from the layout by their first byte.
    parts_alone: bool,
    pub answer: Answer,
    /// Whether each byte of an ill-formed unit is answered on its own.
    is_by_byte: bool,
    pub meaning: Meaning<'a>,
}

impl<'a> Reader<'a> {
    #[inline]
    #[vectors]
    pub fn new(source: &Source<'a>) -> Self {
        let (layout, answer) = (source.layout, source.answer());
        let ([rules, sides], coarse) = Rules::of_layout(layout);
        Reader {
            layout,
            leads: Leads::new(layout, rules, coarse),
            sides,
            parts_alone: layout.parting[0] != [0; 16],
            answer,
            is_by_byte: answer.is_by_byte(),
            meaning: Meaning::new(layout.shift(), if let Answer::Escape(base) = answer { Some(base) } else { None }),
        }
    }

    /// The lanes whose ill-formed units are not written: all or none.
    #[inline]
    pub fn dropped(&self) -> u64 {
        if self.answer == Answer::Drop { !0 } else { 0 }
    }

    /// Whether 64 bytes are code points as they stand, with nothing due before them.
    #[inline]
    #[vectors]
    fn is_ascii(&self, bytes: Bytes, carry: u64, left: usize) -> bool {
        bytes.are_ascii() && carry == 0 && left >= 64 && self.nuls(bytes) == 0
    }

    /// The lanes of bytes 00 that are ill-formed.
    #[inline]
    #[vectors]
    fn nuls(&self, bytes: Bytes) -> u64 {
        if self.layout.has_nul { 0 } else { bytes.equal(0) }
    }

    /// Pass a source to `take` block by block. Returns the offset where reading ended.
    #[inline]
    #[vectors]
    pub fn each_block<S>(
        &self,
        data: &[u8],
        (start, limit): (usize, usize),
        state: &mut S,
        take: Takers<
            impl Fn(&mut S, &Window),
            impl Fn(&mut S, &[u8]) -> usize,
            impl Fn(&mut S, &Window, &Block),
            impl Fn(&mut S, &Window, Block, usize),
        >,
    ) -> usize {
        let (mut at, mut carry, mut is_begun, mut padded) = (start, 0_u64, false, [0; _]);
        let mut faulty = Faulty(0);
        while at < limit {
            let window = window_at(data, at, &mut padded);
            let left = limit - at;
            fetch_ahead(data, at);
            if self.is_ascii(Bytes::of(window, 0), carry, left) {
                (take.ascii)(state, window);
                // A block of ASCII says nothing about other blocks.
                (at, is_begun) = (at + 64, false);
                continue;
            }
            let border = at + carry.count_ones() as usize;
            if self.layout.pairs == Pairs::Joined && data.get(border) == Some(&(PAIR[0].0 as u8)) {
                let length = (take.pairs)(state, &data[border.min(limit)..limit]);
                if length > 0 {
                    (at, carry, is_begun) = (border + length, 0, false);
                    faulty.add_clean(length / 64);
                    continue;
                }
            }
            // Behind a well-formed block fewer were faulty.
            is_begun =
                left > 64 && (is_begun || !faulty.are_many() && self.begins_regular(&data[start..at], window, carry));
            if is_begun
                && self.is_regular(window)
                && let Some(block) = self.regular(window, carry)
            {
                (take.regular)(state, window, &block);
                (at, carry) = (at + 64, block.carry);
                faulty.add(false);
                continue;
            }
            is_begun = false;
            let goes_on;
            Reached { at, carry, faulty, goes_on } =
                self.read_closely(data, (at, limit), (carry, faulty), state, &take.other);
            if !goes_on {
                return at;
            }
        }
        at
    }

    /// Examine a block closely, and those behind it as long as many are not well-formed. Said to be cold it stays a
    /// function of its own, and either loop has the registers to itself: `inline(never)` is dropped next to target
    /// features.
    #[cold]
    #[vectors]
    fn read_closely<S>(
        &self,
        data: &[u8],
        (mut at, limit): (usize, usize),
        (mut carry, mut faulty): (u64, Faulty),
        state: &mut S,
        take: &impl Fn(&mut S, &Window, Block, usize),
    ) -> Reached {
        let mut padded = [0; _];
        let mut window = window_at(data, at, &mut padded);
        loop {
            let block = self.block::<S>(window, limit - at, carry);
            let Block { high, ill, carry: next, length, goes_on, .. } = block;
            take(state, window, block, at);
            // Not `at + length`, which is equal: the next loads must not wait for the masks of this block.
            if !goes_on {
                return Reached { at: at + length, carry: 0, faulty, goes_on };
            }
            (at, carry) = (at + 64, next);
            if high | ill != 0 {
                faulty.add(ill != 0);
            }
            // ASCII is read by less elsewhere, and says nothing about other blocks.
            let stays = faulty.are_many() && high != 0 && limit - at > 64;
            match data[at..].first_chunk() {
                Some(next) if stays => window = next,
                _ => return Reached { at, carry, faulty, goes_on },
            }
            fetch_ahead(data, at);
        }
    }

    /// Whether the bytes of a window, from the fourth one to the third behind its block, are valid after those before
    /// them: then all sequences of the block are well-formed, provided that those of its first three bytes are.
    #[inline]
    #[vectors]
    fn is_regular(&self, window: &Window) -> bool {
        let [low, high] = [0, 32].map(|half| {
            let [third, second, nearest, bytes] = [0, 1, 2, 3].map(|at| load_32(part(window, half + at)));
            self.sides.broken(bytes, [nearest, second, third])
        });
        is_none(or(low, high))
    }

    /// The same for the first three bytes, where sequences continue in the first `carry` lanes and in no others.
    #[inline]
    #[vectors]
    fn begins_regular(&self, before: &[u8], window: &Window, carry: u64) -> bool {
        let Some(&[third, second, nearest]) = before.last_chunk() else { return false };
        let bytes = u32::from_le_bytes(*part(window, 0)) & 0xFF_FFFF;
        let before = u32::from_le_bytes([0, third, second, nearest]);
        let bytes = u64::from(bytes) << 32 | u64::from(before);
        let [bytes, nearest, second, third] =
            [24, 16, 8, 0].map(|by| lower(load_8(&(bytes >> (by + 8)).to_le_bytes())));
        let broken = words(halves(self.sides.broken(bytes, [nearest, second, third]))[0])[0];
        let continuing = Bytes::of(window, 0).continuations();
        // All 64 may be continuation bytes.
        broken & 0xFF_FFFF == 0 && continuing & !continuing.wrapping_add(1) == carry
    }

    /// A block in which all sequences are well-formed; None if U+0000 or a pair in it is ill-formed or parts from the
    /// layout.
    #[inline]
    #[vectors]
    fn regular(&self, window: &Window, carry: u64) -> Option<Block> {
        let bytes = Bytes::of(window, 0);
        // Bytes further behind have not been checked.
        let behind = continuing_behind(window) & 7;
        let begins = !(bytes.continuations() | carry);
        let block = Block {
            high: bytes.high(),
            begins,
            ill: 0,
            pairs: 0,
            fours: bytes.at_least(0xF0) & begins,
            false_fours: 0,
            carry: low_64(behind.trailing_ones() as usize),
            length: 64,
            goes_on: true,
        };
        self.well_formed(window, block, carry)
    }

    /// Examine the block of a window closely, of which `left` bytes are to be read; in the first `carry` lanes nothing
    /// begins.
    #[inline]
    #[vectors]
    #[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own: see `points::Meaning`")]
    pub fn block<Taker>(&self, window: &Window, left: usize, carry: u64) -> Block {
        let bytes = Bytes::of(window, 0);
        let (high, continuing, behind) = (bytes.high(), bytes.continuations(), continuing_behind(window));
        let continues = |by: u32| further_on(continuing, behind, by);
        let leads = high & !continuing;
        if leads & continues(1) == 0 && !self.parts_alone {
            return self.apart(bytes, left, carry);
        }
        let (takes, may_part) = self.leads.followed(leads, window, bytes);
        let (is_three, is_four) = (bytes.leads_from(0xE0), bytes.leads_from(0xF0));
        let two = takes & continues(1);
        let mut begun = Begun::new(two, [is_three, is_four], [continues(2), continues(3)]);
        let mut stops = if may_part || self.parts_alone { self.parting(window) & high } else { 0 };
        let (mut pairs, mut joined) = (0, 0);
        if self.layout.pairs != Pairs::Apart {
            let surrogates = surrogates(window, bytes) & two;
            if surrogates != 0 {
                pairs = begin_pairs(window, surrogates & continues(2)) & begun.three;
                let Surrogates { ill, parting, joined: leads } = self.layout.surrogates(surrogates, pairs);
                (begun.whole, stops, joined) = (begun.whole & !ill, stops | parting, leads);
            }
        }
        let mut taken = begun.taken(self.is_by_byte, is_three, carry);
        if joined != 0 {
            taken.add(joined, [3, 4, 5]);
        }

        let ill = high & !begun.whole | self.nuls(bytes);
        stops |= stops_at(self.answer, ill, high);
        let Read { begins, length, goes_on } = taken.read(stops, left);
        let (ill, pairs, fours) = (ill & begins, pairs & begins, begun.four & begins);
        let false_fours = shaped_as_fours(window, bytes) & !begun.four;
        Block { high, begins, ill, pairs, fours, false_fours, carry: taken.next, length, goes_on }
    }

    /// A block in which no lead byte has a continuation byte behind it, as in text of one byte each that was taken for
    /// UTF-8. If nothing parts from the layout by its first byte, all that begins there is ASCII or ill-formed on its
    /// own.
    #[inline]
    #[vectors]
    fn apart(&self, bytes: Bytes, left: usize, carry: u64) -> Block {
        let high = bytes.high();
        let ill = high | self.nuls(bytes);
        let stops = stops_at(self.answer, ill, high);
        let Read { begins, length, goes_on } = Taken { here: carry, next: 0 }.read(stops, left);
        Block { high, begins, ill: ill & begins, pairs: 0, fours: 0, false_fours: 0, carry: 0, length, goes_on }
    }

    /// A block of well-formed sequences, up to one that parts from the layout, with the pairs in it.
    #[inline]
    #[vectors]
    fn well_formed(&self, window: &Window, mut block: Block, carry: u64) -> Option<Block> {
        let bytes = Bytes::of(window, 0);
        if self.nuls(bytes) != 0 {
            return None;
        }
        if self.layout.pairs == Pairs::Apart {
            return Some(block);
        }
        let surrogates = surrogates(window, bytes) & !carry;
        if surrogates == 0 {
            return Some(block);
        }
        let pairs = begin_pairs(window, surrogates);
        block.add_pairs(pairs);
        let is_plain = match self.layout.pairs {
            Pairs::Joined => !self.layout.unpaired_part || surrogates & !(pairs | pairs << 3) == 0,
            _ => pairs == 0,
        };
        is_plain.then_some(block)
    }

    /// The lanes in which something begins that parts from the layout. It is apart as [`Seconds::follow`] is.
    #[cold]
    #[vectors]
    fn parting(&self, window: &Window) -> u64 {
        let bytes = Bytes::of(window, 0);
        let [alone, with_seconds] = self.layout.parting.map(|members| ByteSet::new(members).among(bytes));
        let seconds = Seconds::new(&self.layout.parting_low, &self.layout.parting_span);
        alone | (with_seconds & seconds.follow(window))
    }
}
