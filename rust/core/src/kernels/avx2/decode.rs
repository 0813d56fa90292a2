//! Bytes of any form that has a layout, measured and written as code points.
//!
//! Each byte of a block is treated as if a sequence began there, all at once: masks say which lanes begin a sequence,
//! which of them are ill-formed, and where the layout does not tell. Lanes in which nothing begins are dropped then.

use std::arch::x86_64::*;

use super::{
    ByteSet, Bytes, Place, Room, halves, kept, kept_bytes, kept_points, kept_units, lanes_8, lanes_32, load_8, load_16,
    load_32, low_64, no_copy, part, store, store_four,
};
use crate::kernels::source::{Answer, Extent, Source};
use crate::kernels::utf8::Width;
use crate::kernels::{Output, portable};
use crate::layout::{Layout, Pairs, Table};

/// A block of 64 bytes and the eight behind it, of which a sequence that begins in the block can need five.
pub(super) type Window = [u8; 72];

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
        let (c_or_d, e_or_f) = (_mm256_blendv_epi8(c, d, fourth), _mm256_blendv_epi8(e, f, fourth));
        _mm256_blendv_epi8(c_or_d, e_or_f, fifth)
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
            let (index, span) = (_mm256_sub_epi8(next, self.low.of(lead)), self.span.of(lead));
            _mm256_cmpeq_epi8(_mm256_max_epu8(index, span), span)
        };
        Bytes([follows(0), follows(1)]).high()
    }
}

/// Which second bytes lead bytes take.
pub(super) struct Leads {
    seconds: Seconds,
    /// Bytes from C0 on that do not take any continuation byte.
    choosy: ByteSet,
}

impl Leads {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn new(low: &Table, span: &Table) -> Self {
        let takes_all = |lead: u8| (low.of(lead), span.of(lead)) == (0x80, 0x3F);
        Leads { seconds: Seconds::new(low, span), choosy: ByteSet::new(|byte| byte >= 0xC0 && !takes_all(byte)) }
    }

    /// Which of the lead bytes of a block are followed by one of theirs, if it is a continuation byte.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    pub(super) fn followed(&self, leads: u64, window: &Window, bytes: Bytes) -> u64 {
        if self.choosy.meets(bytes) { leads & self.seconds.follow(bytes, Bytes::of(window, 1)) } else { leads }
    }
}

/// The tables of a layout and the few facts that each block asks for.
struct Reader<'a> {
    layout: &'a Layout,
    leads: Leads,
    /// Bytes with which, or with which and a second one, a sequence parts from the layout.
    parting: [ByteSet; 2],
    answer: Answer,
    /// What an ill-formed lane becomes: the byte and this, or U+FFFD.
    escape: Option<u32>,
}

/// What is known of 64 bytes.
struct Block {
    bytes: Bytes,
    /// Where something begins that is read.
    begins: u64,
    /// Where of that an ill-formed unit begins.
    ill: u64,
    /// Where of that a surrogate pair begins that is joined.
    pairs: u64,
    /// Lanes of the next block in which nothing begins.
    carry: u64,
    /// How many bytes of the block were read.
    length: usize,
    /// Whether reading goes on behind the block.
    goes_on: bool,
}

impl Block {
    /// Join the pairs that begin in some lanes, of a clean block.
    #[inline]
    fn add_pairs(&mut self, pairs: u64) {
        self.begins &= !(pairs << 3);
        self.pairs = pairs & self.begins;
        self.carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
    }
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
            escape: if let Answer::Escape(base) = answer { Some(base) } else { None },
        }
    }

    /// Whether 64 bytes are code points as they stand, and nothing is due before them.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn is_ascii(&self, bytes: Bytes, carry: u64, left: usize) -> bool {
        left >= 64 && carry == 0 && bytes.are_ascii() && (self.layout.has_nul || bytes.equal(0) == 0)
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
        let whole = (two & !is_three) | (three & !is_four) | four;
        let taken = if self.escape.is_some() { [whole, whole & is_three, four] } else { [two, three, four] };
        let mut absorbed = carry | taken[0] << 1 | taken[1] << 2 | taken[2] << 3;
        let mut next_carry = taken[0] >> 63 | taken[1] >> 62 | taken[2] >> 61;

        let mut stops = if self.layout.parts { self.parting::<Taker>(window, bytes) & high } else { 0 };
        let mut pairs = 0;
        if self.layout.pairs != Pairs::Apart {
            let surrogates = surrogates(window, bytes) & two;
            if surrogates != 0 {
                pairs = begin_pairs(window, surrogates & three);
                match self.layout.pairs {
                    Pairs::Joined => {
                        absorbed |= pairs << 3 | pairs << 4 | pairs << 5;
                        next_carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
                        stops |= if self.layout.unpaired_part { surrogates & !pairs } else { 0 };
                    }
                    _ => stops |= pairs,
                }
            }
        }
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

    /// The same for a block that is known to be clean.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn known_block(&self, window: &Window, left: usize, carry: u64) -> Block {
        let bytes = Bytes::of(window, 0);
        let continuing = bytes.continuations();
        let due = continuing_behind(window);
        let mut block = Block {
            bytes,
            begins: !(continuing | carry) & low_64(left),
            ill: 0,
            pairs: 0,
            carry: low_64(due.trailing_ones() as usize),
            length: left.min(64),
            goes_on: left > 64,
        };
        if self.layout.pairs == Pairs::Joined {
            let surrogates = surrogates(window, bytes);
            if surrogates != 0 {
                block.add_pairs(begin_pairs(window, surrogates & !carry));
            }
        }
        block
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

/// Which of the eight bytes behind a block are continuation bytes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn continuing_behind(window: &Window) -> u64 {
    let bytes = load_8(part(window, 64));
    let mask = _mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0xC0_u8 as i8)));
    u64::from(mask.cast_unsigned()) & 0xFF
}

/// Where surrogate byte sequences begin, if their second byte tells.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn surrogates(window: &Window, bytes: Bytes) -> u64 {
    let first = bytes.equal(0xED);
    if first == 0 { 0 } else { first & Bytes::of(window, 1).at_least(0xA0) }
}

/// Which of the surrogate byte sequences begin a pair.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn begin_pairs(window: &Window, surrogates: u64) -> u64 {
    let [b1, b3, b4, b5] = [1, 3, 4, 5].map(|at| Bytes::of(window, at));
    let leads = surrogates & !b1.at_least(0xB0);
    leads & b3.equal(0xED) & b4.at_least(0xB0) & b4.continuations() & b5.continuations()
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
    let zero = _mm256_setzero_si256();
    let layout = source.layout;
    let mut counted = Counted { layout, count: 0, largest: zero, fine: Width::Ascii, pairs: 0, ills: 0 };
    let (mut at, mut carry) = (start, 0_u64);
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
        if reader.is_ascii(Bytes::of(window, 0), carry, limit - at) {
            (at, counted.count) = (at + 64, counted.count + 64);
            continue;
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
    let ascii = |window: &Window, room: &mut Room<u8>| {
        for at in (0..64).step_by(8) {
            store(u64::from_le_bytes(*part(window, at)), room, at);
        }
    };
    write(source, start, limit, out, ascii, |reader, window, block, room| {
        let mut filled = 0;
        for at in [0, 32] {
            // The values are ASCII, or the two bits of a lead byte and the six of what follows it.
            let (bytes, next) = (load_32(part(window, at)), load_32(part(window, at + 1)));
            let upper = _mm256_and_si256(_mm256_slli_epi16::<6>(bytes), _mm256_set1_epi8(0xC0_u8 as i8));
            let pairs = _mm256_or_si256(upper, _mm256_and_si256(next, _mm256_set1_epi8(0x3F)));
            let pairs = _mm256_add_epi8(pairs, _mm256_set1_epi8(reader.layout.offsets[0] as i8));
            let points = _mm256_blendv_epi8(bytes, pairs, bytes);
            let [low, high] = halves(points);
            let eights = [low, _mm_srli_si128::<8>(low), high, _mm_srli_si128::<8>(high)];
            for (eight, mask) in eights.into_iter().zip(((block.begins >> at) as u32).to_le_bytes()) {
                store(kept_bytes(eight, mask), room, filled);
                filled += mask.count_ones() as usize;
            }
        }
    })
}

/// The same as 16-bit units.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs2(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    let ascii = |window: &Window, room: &mut Room<u16>| {
        for at in (0..64).step_by(8) {
            store(_mm_cvtepu8_epi16(load_8(part(window, at))), room, at);
        }
    };
    write(source, start, limit, out, ascii, |reader, window, block, room| {
        let mut filled = 0;
        for at in [0, 32] {
            let mut points = points_16(window, at, reader.layout.shift());
            if block.ill != 0 {
                let bytes = load_32(part(window, at));
                let ill = lanes_8((block.ill >> at) as u32);
                points[0] = reader.answered(
                    points[0],
                    _mm256_unpacklo_epi8(bytes, _mm256_setzero_si256()),
                    _mm256_unpacklo_epi8(ill, ill),
                );
                points[1] = reader.answered(
                    points[1],
                    _mm256_unpackhi_epi8(bytes, _mm256_setzero_si256()),
                    _mm256_unpackhi_epi8(ill, ill),
                );
            }
            let [first, second] = points.map(|points| halves(points));
            let eights = [first[0], second[0], first[1], second[1]];
            for (eight, mask) in eights.into_iter().zip(((block.begins >> at) as u32).to_le_bytes()) {
                store(kept_units(eight, mask), room, filled);
                filled += mask.count_ones() as usize;
            }
        }
    })
}

impl Reader<'_> {
    /// Code points of 16 bits, with the answers in ill-formed lanes.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn answered(&self, points: __m256i, bytes: __m256i, ill: __m256i) -> __m256i {
        let answers = match self.escape {
            Some(base) => _mm256_add_epi16(bytes, _mm256_set1_epi16(base as i16)),
            None => _mm256_set1_epi16(0xFFFD_u16 as i16),
        };
        _mm256_blendv_epi8(points, answers, ill)
    }
}

/// The code points up to U+FFFF of the sequences that begin at 32 places, if they do: those of the first eight places of
/// each half of the bytes, and those of the others.
///
/// The loads are as long as those of the block: of parts of what was loaded the compiler would make scalar shifts.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn points_16(window: &Window, at: usize, shift: Option<&Layout>) -> [__m256i; 2] {
    let each = |byte: u8| _mm256_set1_epi8(byte as i8);
    let [lead, second, third] = [0, 1, 2].map(|by| load_32(part(window, at + by)));
    let [second, third] = [second, third].map(|bytes| _mm256_and_si256(bytes, each(0x3F)));
    let is_high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), lead);
    let is_three = _mm256_cmpeq_epi8(_mm256_max_epu8(lead, each(0xE0)), lead);
    // The last six bits and those before, and of three bytes the four highest.
    let last = _mm256_blendv_epi8(second, third, is_three);
    let before = _mm256_blendv_epi8(_mm256_and_si256(lead, each(0x1F)), second, is_three);
    let highest = _mm256_and_si256(_mm256_slli_epi16::<4>(lead), _mm256_and_si256(is_three, each(0xF0)));
    let low = _mm256_or_si256(last, _mm256_and_si256(_mm256_slli_epi16::<6>(before), each(0xC0)));
    let high = _mm256_or_si256(highest, _mm256_and_si256(_mm256_srli_epi16::<2>(before), each(0x0F)));
    let (low, high) = (_mm256_blendv_epi8(lead, low, lead), _mm256_and_si256(high, is_high));
    let points = [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)];
    let Some(layout) = shift else { return points };
    let [two, three] = [0, 1].map(|at| (layout.offsets[at] as u16).to_le_bytes());
    let [low, high] =
        [0, 1].map(|half| _mm256_and_si256(is_high, _mm256_blendv_epi8(each(two[half]), each(three[half]), is_three)));
    let first = _mm256_add_epi16(points[0], _mm256_unpacklo_epi8(low, high));
    let second = _mm256_add_epi16(points[1], _mm256_unpackhi_epi8(low, high));
    [first, second].map(|points| beyond_gap(layout, points))
}

/// Code points, with what a form leaves out.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn beyond_gap(layout: &Layout, points: __m256i) -> __m256i {
    let Ok(gap) = u16::try_from(layout.gap.0) else { return points };
    let beyond = _mm256_cmpeq_epi16(_mm256_max_epu16(points, _mm256_set1_epi16(gap as i16)), points);
    _mm256_add_epi16(points, _mm256_and_si256(beyond, _mm256_set1_epi16(layout.gap.1 as i16)))
}

/// The same as 32-bit units.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn write_ucs4(source: &Source<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    let ascii = |window: &Window, room: &mut Room<u32>| {
        for at in (0..64).step_by(8) {
            store(_mm256_cvtepu8_epi32(load_8(part(window, at))), room, at);
        }
    };
    write(source, start, limit, out, ascii, |reader, window, block, room| {
        let values = Values::new(reader.layout);
        if are_sparse(block.begins) {
            put_sparse(reader, &values, window, block, room);
        } else {
            put_dense(reader, &values, window, block, room);
        }
    })
}

/// Store what begins in each eight lanes at once.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_dense(reader: &Reader<'_>, values: &Values, window: &Window, block: &Block, room: &mut Room<u32>) {
    // Each sequence in its lane, as if it had four bytes, the first one highest.
    let each = _mm256_setr_epi8(
        3, 2, 1, 0, 4, 3, 2, 1, 5, 4, 3, 2, 6, 5, 4, 3, 7, 6, 5, 4, 8, 7, 6, 5, 9, 8, 7, 6, 10, 9, 8, 7,
    );
    let mut filled = 0;
    for (eight, mask) in block.begins.to_le_bytes().into_iter().enumerate() {
        let bytes = _mm256_broadcastsi128_si256(load_16(part(window, 8 * eight)));
        let [pairs, ill] = [block.pairs, block.ill].map(|lanes| (lanes >> (8 * eight)) as u8);
        let points = reader.points(values, bytes, each, [pairs, ill]);
        store(kept_points(points, mask), room, filled);
        filled += mask.count_ones() as usize;
    }
}

/// Store what begins in each sixteen lanes at once, four code points of each half.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn put_sparse(reader: &Reader<'_>, values: &Values, window: &Window, block: &Block, room: &mut Room<u32>) {
    let mut filled = 0;
    let bytes_of = |lanes: u64, at: usize| [(lanes >> at) as u8, (lanes >> (at + 8)) as u8];
    for at in [0, 16, 32, 48] {
        let bytes = _mm256_set_m128i(load_16(part(window, at + 8)), load_16(part(window, at)));
        let begins = bytes_of(block.begins, at);
        let [low, high] = begins.map(|mask| load_16(&FIRST_FOUR[usize::from(mask)]));
        let few = [block.pairs, block.ill].map(|lanes| {
            let [low, high] = bytes_of(lanes, at);
            if lanes == 0 { 0 } else { kept_bits(low, begins[0]) | kept_bits(high, begins[1]) << 4 }
        });
        let [low, high] = halves(reader.points(values, bytes, _mm256_set_m128i(high, low), few));
        store_four(low, room, filled);
        filled += begins[0].count_ones() as usize;
        store_four(high, room, filled);
        filled += begins[1].count_ones() as usize;
    }
}

/// The bits of lanes that are kept, one after the other.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn kept_bits(lanes: u8, kept: u8) -> u8 {
    _pext_u32(lanes.into(), kept.into()) as u8
}

/// Whether of each eight lanes four are set at most.
#[inline]
fn are_sparse(lanes: u64) -> bool {
    // The bits of two, four, and eight lanes counted where they stand.
    let twos = lanes - (lanes >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    (eights + 0x7B7B_7B7B_7B7B_7B7B) & 0x8080_8080_8080_8080 == 0
}

impl Reader<'_> {
    /// The code points of eight sequences, of which a shuffle makes lanes; `pairs` and `ill` tell those that are a surrogate
    /// pair or ill-formed.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn points(&self, values: &Values, bytes: __m256i, shuffle: __m256i, [pairs, ill]: [u8; 2]) -> __m256i {
        let sequences = _mm256_shuffle_epi8(bytes, shuffle);
        let mut points = values.of(sequences);
        if pairs != 0 {
            // The second and the third byte of each half.
            let payloads = _mm256_add_epi8(shuffle, _mm256_set1_epi32(0x0101_0202));
            points = _mm256_blendv_epi8(points, joined_32(_mm256_shuffle_epi8(bytes, payloads)), lanes_32(pairs));
        }
        if ill != 0 {
            let answers = match self.escape {
                Some(base) => {
                    _mm256_add_epi32(_mm256_srli_epi32::<24>(sequences), _mm256_set1_epi32(base.cast_signed()))
                }
                None => _mm256_set1_epi32(0xFFFD),
            };
            points = _mm256_blendv_epi8(points, answers, lanes_32(ill));
        }
        points
    }
}

/// For each mask of eight lanes, the four bytes from each of the first four places of it on, the first of them highest.
static FIRST_FOUR: [[u8; 16]; 256] = first_four();

const fn first_four() -> [[u8; 16]; 256] {
    let (lanes, mut table) = (kept(), [[0; 16]; 256]);
    let mut mask = 0;
    while mask < 256 {
        let mut byte = 0;
        while byte < 4 * (mask as u8).count_ones() as usize && byte < 16 {
            table[mask][byte] = lanes[mask][byte / 4] + 3 - byte as u8 % 4;
            byte += 1;
        }
        mask += 1;
    }
    table
}

/// How the bytes of sequences become code points, by the upper half of the lead byte of which a vector of eight has the
/// three lowest bits.
struct Values {
    /// How far the payload of a shorter sequence is from where that of four bytes ends.
    below: __m256i,
    /// What is added to the payload and the marks of the lead byte.
    offsets: __m256i,
    gap: Option<(__m256i, __m256i)>,
}

impl Values {
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn new(layout: &Layout) -> Self {
        // The marks of lead bytes, without the highest bit of all, and where they are then.
        let marks = [0x40 << 6, 0x60 << 12, 0x70 << 18];
        let [two, three, four] = [0, 1, 2].map(|at| layout.offsets[at].wrapping_sub(marks[at]).cast_signed());
        let gap = (layout.gap.1 > 0).then(|| [layout.gap.0 - 1, layout.gap.1].map(u32::cast_signed));
        Values {
            below: _mm256_setr_epi32(0, 0, 0, 0, 12, 12, 6, 0),
            offsets: _mm256_setr_epi32(0, 0, 0, 0, two, two, three, four),
            gap: gap.map(|[last, add]| (_mm256_set1_epi32(last), _mm256_set1_epi32(add))),
        }
    }

    /// The code points of eight sequences, each in its lane as if it had four bytes, the first one highest.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn of(&self, sequences: __m256i) -> __m256i {
        // Their payloads side by side: pairs of six bits, then pairs of twelve.
        let payloads = _mm256_and_si256(sequences, _mm256_set1_epi32(0x7F3F_3F3F));
        let pairs = _mm256_maddubs_epi16(payloads, _mm256_set1_epi16(0x4001));
        let all = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x1000_0001));
        let kinds = _mm256_srli_epi32::<28>(sequences);
        let values = _mm256_srlv_epi32(all, _mm256_permutevar8x32_epi32(self.below, kinds));
        let mut points = _mm256_add_epi32(values, _mm256_permutevar8x32_epi32(self.offsets, kinds));
        if let Some((last, add)) = self.gap {
            points = _mm256_add_epi32(points, _mm256_and_si256(_mm256_cmpgt_epi32(points, last), add));
        }
        let ascii = _mm256_srli_epi32::<24>(sequences);
        let is_high = _mm256_srai_epi32::<31>(sequences);
        _mm256_blendv_epi8(ascii, points, is_high)
    }
}

/// The supplementary code points of surrogate pairs, of which there are the second and the third byte of each half.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn joined_32(halves: __m256i) -> __m256i {
    // Four bits and six, twice, side by side: tens, then the twenty of an index.
    let payloads = _mm256_and_si256(halves, _mm256_set1_epi32(0x0F3F_0F3F));
    let tens = _mm256_maddubs_epi16(payloads, _mm256_set1_epi16(0x4001));
    let index = _mm256_madd_epi16(tens, _mm256_set1_epi32(0x0400_0001));
    _mm256_add_epi32(index, _mm256_set1_epi32(0x1_0000))
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
    put_block: impl Fn(&Reader<'_>, &Window, &Block, &mut Room<T>),
) -> usize
where
    Output<'o, T>: portable::Points,
{
    let reader = Reader::new(source);
    let is_known = source.answer == Answer::Never;
    let (mut at, mut carry, mut copy) = (start, 0_u64, no_copy());
    while at < limit {
        let Some(window) = source.data[at..].first_chunk::<72>() else {
            return portable::write_each(source, at + carry.count_ones() as usize, limit, out);
        };
        let left = limit - at;
        if reader.is_ascii(Bytes::of(window, 0), carry, left) {
            let mut place = Place::new(out, 64, &mut copy);
            put_ascii(window, place.room());
            place.finish();
            at += 64;
            continue;
        }
        let mut block =
            if is_known { reader.known_block(window, left, carry) } else { reader.block::<T>(window, left, carry) };
        if reader.answer == Answer::Drop {
            block.begins &= !block.ill;
        }
        let mut place = Place::new(out, block.begins.count_ones() as usize, &mut copy);
        put_block(&reader, window, &block, place.room());
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
