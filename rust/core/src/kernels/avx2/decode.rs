//! Bytes of any form that has a layout, measured and written as code points.
//!
//! Each byte of a block is treated as if a sequence began there, all at once: masks say which lanes begin a sequence,
//! which of them are ill-formed, and where the layout does not tell. Lanes in which nothing begins are dropped then.

use std::arch::x86_64::*;

use super::points::{
    Block, Meaning, Window, begin_pairs, continuing_behind, put_ascii_ucs1, put_ascii_ucs2, put_ascii_ucs4, surrogates,
};
use super::rules::Rules;
use super::{
    ByteSet, Bytes, Place, Room, clean, fetch_ahead, is_none, lanes_8, load_16, low_64, no_copy, pairs, part, utf8,
};
use crate::kernels::source::{Answer, Extent, Source};
use crate::kernels::utf8::{Prefix, Width};
use crate::kernels::{Output, portable};
use crate::layout::{Layout, PAIR, Pairs, Table};
use crate::piece::Surrogates;

/// A byte for each byte from C0 on, a vector for each upper half.
struct LeadTable([__m256i; 4]);

impl LeadTable {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn new(table: &Table) -> Self {
        LeadTable([64, 80, 96, 112].map(|at| _mm256_broadcastsi128_si256(load_16(part(&table.0, at)))))
    }

    /// The entries of bytes from C0 on; of others something.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn of(&self, bytes: __m256i) -> __m256i {
        let lower = _mm256_and_si256(bytes, _mm256_set1_epi8(0x0F));
        let [c, d, e, f] = self.0.map(|row| _mm256_shuffle_epi8(row, lower));
        // The bits that tell the rows apart, each where a blend asks for it.
        let (fourth, fifth) = (_mm256_slli_epi16::<3>(bytes), _mm256_slli_epi16::<2>(bytes));
        _mm256_blendv_epi8(_mm256_blendv_epi8(c, d, fourth), _mm256_blendv_epi8(e, f, fourth), fifth)
    }
}

/// Second bytes by their lead bytes: the lowest, and how many more there are.
struct Seconds {
    low: LeadTable,
    span: LeadTable,
}

impl Seconds {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn new(low: &Table, span: &Table) -> Self {
        Seconds { low: LeadTable::new(low), span: LeadTable::new(span) }
    }

    /// Which of 64 bytes from C0 on are followed by one of theirs.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn follow(&self, leads: Bytes, nexts: Bytes) -> u64 {
        let follows = |half: usize| {
            let (lead, next) = (leads.0[half], nexts.0[half]);
            let (low, span) = (self.low.of(lead), self.span.of(lead));
            let index = _mm256_sub_epi8(next, low);
            _mm256_cmpeq_epi8(_mm256_max_epu8(index, span), span)
        };
        Bytes([follows(0), follows(1)]).high()
    }
}

/// Which second bytes lead bytes take.
struct Leads {
    seconds: Seconds,
    rules: Rules,
}

impl Leads {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn new(low: &Table, span: &Table) -> Self {
        Leads { seconds: Seconds::new(low, span), rules: Rules::of_seconds(low, span) }
    }

    /// Which of the lead bytes of a block are followed by one of theirs, if it is a continuation byte.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn followed(&self, leads: u64, window: &Window, bytes: Bytes) -> u64 {
        let nexts = Bytes::of(window, 1);
        let [low, high] = [0, 1].map(|half| self.rules.among(bytes.0[half], nexts.0[half]));
        if is_none(_mm256_or_si256(low, high)) { leads } else { leads & self.seconds.follow(bytes, nexts) }
    }
}

/// The tables of a layout and the few facts that each block asks for.
struct Reader<'a> {
    layout: &'a Layout,
    leads: Leads,
    /// Bytes with which, or with which and a second one, a sequence parts from the layout.
    parting: [ByteSet; 2],
    answer: Answer,
    meaning: Meaning<'a>,
}

impl<'a> Reader<'a> {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn new(source: &Source<'a>) -> Self {
        let (layout, answer) = (source.layout, source.answer());
        let with = |bit: u8| ByteSet::new(move |byte| layout.kinds.of(byte) & bit != 0);
        Reader {
            layout,
            leads: Leads::new(&layout.second_low, &layout.second_span),
            parting: [with(Layout::PARTS), with(Layout::SECOND_PARTS)],
            answer,
            meaning: Meaning::new(layout.shift(), if let Answer::Escape(base) = answer { Some(base) } else { None }),
        }
    }

    /// Whether 64 bytes are code points as they stand, and nothing is due before them.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn is_ascii(&self, bytes: Bytes, carry: u64, left: usize) -> bool {
        bytes.are_ascii() && carry == 0 && left >= 64 && (self.layout.has_nul || bytes.equal(0) == 0)
    }

    /// Look at the block of a window, of which `left` are to be read; in the first `carry` lanes nothing begins.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn block<Taker>(&self, window: &Window, left: usize, carry: u64) -> Block {
        let bytes = Bytes::of(window, 0);
        let (high, continuing, behind) = (bytes.high(), bytes.continuations(), continuing_behind(window));
        let continues = |by: u32| continuing >> by | behind << (64 - by);
        let leads = high & !continuing;
        let takes = self.leads.followed(leads, window, bytes);
        let (is_three, is_four) = (bytes.at_least(0xE0), bytes.at_least(0xF0));
        let due = (carry & continuing) | leads << 1 | is_three << 2 | is_four << 3;
        let due_behind = leads >> 63 | is_three >> 62 | is_four >> 61;
        if (due ^ continuing) | (leads ^ takes) | (due_behind & !behind) == 0 && left > 64 {
            let begins = !(continuing | carry);
            let block = Block { bytes, begins, ill: 0, pairs: 0, carry: due_behind, length: 64, goes_on: true };
            if let Some(block) = self.well_formed::<Taker>(window, block, carry) {
                return block;
            }
        }
        let two = takes & continues(1);
        let three = two & is_three & continues(2);
        let four = three & is_four & continues(3);
        let mut whole = (two & !is_three) | (three & !is_four) | four;
        let mut stops = if self.layout.parts { self.parting::<Taker>(window, bytes) & high } else { 0 };
        let (mut pairs, mut joined) = (0, 0);
        if self.layout.pairs != Pairs::Apart {
            let surrogates = surrogates(window, bytes) & two;
            if surrogates != 0 {
                pairs = begin_pairs(window, surrogates & continues(2)) & three;
                let Surrogates { ill, parting, joined: leads } = self.layout.surrogates(surrogates, pairs);
                (whole, stops, joined) = (whole & !ill, stops | parting, leads);
            }
        }
        let taken = if self.meaning.escape.is_some() { [whole, whole & is_three, four] } else { [two, three, four] };
        let absorbed = carry | taken[0] << 1 | taken[1] << 2 | taken[2] << 3 | joined << 3 | joined << 4 | joined << 5;
        let next_carry = taken[0] >> 63 | taken[1] >> 62 | taken[2] >> 61 | joined >> 61 | joined >> 60 | joined >> 59;

        let mut ill = high & !whole;
        if !self.layout.has_nul {
            ill |= bytes.equal(0);
        }
        match self.answer {
            Answer::Stop => stops |= ill,
            Answer::Escape(_) => stops |= ill & !high,
            _ => {}
        }
        let begins = !absorbed & low_64(left);
        let stop = (stops & begins).trailing_zeros() as usize;
        let read = begins & low_64(stop);
        // Behind the limit, lanes in which nothing begins belong to what was read.
        let behind = (u128::from(next_carry) << 64 | u128::from(absorbed)) >> left.min(64);
        let length = match (stop, left) {
            (0..64, _) => stop,
            (_, 0..=64) => left + behind.trailing_ones() as usize,
            _ => 64,
        };
        Block {
            bytes,
            begins: read,
            ill: ill & read,
            pairs: pairs & read,
            carry: next_carry,
            length,
            goes_on: stop == 64 && left > 64,
        }
    }

    /// A block of well-formed sequences, as far as they do not part from the layout, with the pairs in it.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn well_formed<Taker>(&self, window: &Window, mut block: Block, carry: u64) -> Option<Block> {
        if !self.layout.has_nul && block.bytes.equal(0) != 0 {
            return None;
        }
        if self.layout.pairs == Pairs::Apart {
            return Some(block);
        }
        let surrogates = surrogates(window, block.bytes) & !carry;
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

    /// Where something begins that parts from the layout.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn parting<Taker>(&self, window: &Window, bytes: Bytes) -> u64 {
        let [alone, with_second] = self.parting.map(|set| set.among(bytes));
        if with_second == 0 {
            return alone;
        }
        let seconds = Seconds::new(&self.layout.parting_low, &self.layout.parting_span);
        alone | (with_second & seconds.follow(bytes, Bytes::of(window, 1)))
    }
}

/// What was counted so far.
struct Counted<'a> {
    layout: &'a Layout,
    count: usize,
    /// Lane by lane, the largest lead byte.
    largest: __m256i,
    /// What is known of the width, where lead bytes alone do not tell.
    fine: Width,
    pairs: u64,
    ills: u64,
}

impl Counted<'_> {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn add(&mut self, window: &Window, block: &Block, drops: bool) {
        self.count += (block.begins & !if drops { block.ill } else { 0 }).count_ones() as usize;
        (self.pairs, self.ills) = (self.pairs | block.pairs, self.ills | block.ill);
        let [low, high] = block.bytes.0;
        if block.goes_on && block.ill == 0 {
            // Continuation bytes are smaller than any lead byte.
            self.largest = _mm256_max_epu8(self.largest, _mm256_max_epu8(low, high));
        } else {
            let whole = block.begins & !block.ill;
            let low = _mm256_and_si256(low, lanes_8(whole as u32));
            let high = _mm256_and_si256(high, lanes_8((whole >> 32) as u32));
            self.largest = _mm256_max_epu8(self.largest, _mm256_max_epu8(low, high));
        }
        if !self.layout.lead_decides && self.fine < Width::Ucs4 {
            let whole = block.begins & !block.ill & block.bytes.high();
            self.fine = self.fine.max(width(self.layout, window, whole, self.fine));
        }
    }

    /// The width of all that was counted; `answer` is what was done at ill-formed units.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn width(&self, answer: Answer) -> Width {
        let reaches = |lead: u8| {
            let least = _mm256_set1_epi8(lead as i8);
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(self.largest, least), self.largest)) != 0
        };
        let by_lead = self.layout.borders.iter().filter(|&&[lead, ..]| self.layout.lead_decides && reaches(lead));
        let of_ill = if self.ills == 0 || answer == Answer::Drop { Width::Ascii } else { Width::Ucs2 };
        let of_pairs = if self.pairs == 0 { Width::Ascii } else { Width::Ucs4 };
        Width::of_class(by_lead.count()).max(self.fine).max(of_ill).max(of_pairs)
    }
}

/// The width of whole sequences, where their lead bytes alone do not tell, if it is more than is known.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn width(layout: &Layout, window: &Window, whole: u64, known: Width) -> Width {
    let unknown = layout.borders.iter().skip(known as usize);
    let reached = unknown.take_while(|&&[lead, second, third]| {
        let bytes = Bytes::of(window, 0);
        let leads = whole & bytes.at_least(lead);
        let seconds = || {
            let [b1, b2] = [1, 2].map(|at| Bytes::of(window, at));
            b1.at_least(second) & (!b1.equal(second) | b2.at_least(third))
        };
        leads != 0 && leads & (!bytes.equal(lead) | seconds()) != 0
    });
    Width::of_class(known as usize + reached.count())
}

/// Measure from an offset to a limit, or to where the kernel stops.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn measure(source: &Source<'_>, start: usize, limit: usize) -> Extent {
    let reader = Reader::new(source);
    let layout = source.layout;
    // Of most texts this is all.
    let shared = match layout.lead_decides {
        true => utf8::measure_shared(&source.data[start..limit], source.agreement),
        false => Prefix::NONE,
    };
    let largest = _mm256_set1_epi8(shared.largest as i8);
    let mut counted = Counted { layout, count: shared.count, largest, fine: Width::Ascii, pairs: 0, ills: 0 };
    let (mut at, mut carry) = (start + shared.end, 0_u64);
    let drops = reader.answer == Answer::Drop;
    let extent = |counted: &Counted<'_>, end| Extent {
        end,
        count: counted.count,
        width: counted.width(reader.answer),
        is_clean: counted.ills == 0,
    };
    while at < limit {
        let Some(window) = source.data[at..].first_chunk::<72>() else {
            let rest = portable::measure_each(source, at + carry.count_ones() as usize, limit);
            return extent(&counted, at).and(rest);
        };
        fetch_ahead(source.data, at);
        if reader.is_ascii(Bytes::of(window, 0), carry, limit - at) {
            (at, counted.count) = (at + 64, counted.count + 64);
            continue;
        }
        let border = at + carry.count_ones() as usize;
        if layout.pairs == Pairs::Joined && source.data[border] == PAIR[0].0 as u8 {
            let length = pairs::length(&source.data[border.min(limit)..limit]);
            if length > 0 {
                (counted.count, counted.pairs) = (counted.count + length / PAIR.len(), !0);
                (at, carry) = (border + length, 0);
                continue;
            }
        }
        let block = reader.block::<()>(window, limit - at, carry);
        counted.add(window, &block, drops);
        // Not `at + block.length`, which is the same: the next loads must not wait for the masks of this block.
        if !block.goes_on {
            return extent(&counted, at + block.length);
        }
        (at, carry) = (at + 64, block.carry);
    }
    extent(&counted, at)
}

/// Write from an offset to a limit, or to where the kernel stops, as bytes; the end is returned.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs1(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs1(text, source.layout.shift(), out);
        return limit;
    }
    let put = |meaning: &Meaning<'_>, window: &Window, block: &Block, room: &mut Room<u8>| {
        meaning.put_ucs1(window, block, room);
    };
    write(source, start, limit, out, |window, room| put_ascii_ucs1(window, room), put)
}

/// The same as 16-bit units.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs2(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs2(text, source.layout.shift(), out);
        return limit;
    }
    let put = |meaning: &Meaning<'_>, window: &Window, block: &Block, room: &mut Room<u16>| {
        meaning.put_ucs2::<u8>(window, block, room);
    };
    write(source, start, limit, out, |window, room| put_ascii_ucs2(window, room), put)
}

/// The same as 32-bit units.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs4(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    if let Some(text) = source.known(start, limit) {
        clean::write_ucs4(text, source.layout.shift(), source.layout.pairs == Pairs::Joined, out);
        return limit;
    }
    let put = |meaning: &Meaning<'_>, window: &Window, block: &Block, room: &mut Room<u32>| {
        meaning.put_ucs4::<u8>(window, block, room);
    };
    write(source, start, limit, out, |window, room| put_ascii_ucs4(window, room), put)
}

/// Block by block; `put_block` writes the lanes in which something begins, one after the other.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn write<'o, T: Copy>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'o, T>,
    put_ascii: impl Fn(&Window, &mut Room<T>),
    put_block: impl Fn(&Meaning<'_>, &Window, &Block, &mut Room<T>),
) -> usize
where
    Output<'o, T>: portable::Points,
{
    let reader = Reader::new(source);
    let (mut at, mut carry, mut copy) = (start, 0_u64, no_copy());
    while at < limit {
        let Some(window) = source.data[at..].first_chunk::<72>() else {
            return portable::write_each(source, at + carry.count_ones() as usize, limit, out);
        };
        let left = limit - at;
        fetch_ahead(source.data, at);
        if reader.is_ascii(Bytes::of(window, 0), carry, left) {
            let mut place = Place::new(out, 64, &mut copy);
            put_ascii(window, place.room());
            place.finish();
            at += 64;
            continue;
        }
        let mut block = reader.block::<T>(window, left, carry);
        if reader.answer == Answer::Drop {
            block.begins &= !block.ill;
        }
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put_block(&reader.meaning, window, &block, place.room());
        place.finish();
        // Not `at + block.length`, which is the same: the next loads must not wait for the masks of this block.
        if !block.goes_on {
            at += block.length;
            break;
        }
        (at, carry) = (at + 64, block.carry);
    }
    at
}
