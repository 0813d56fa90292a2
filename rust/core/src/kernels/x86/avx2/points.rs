//! From masks of where sequences begin to code points of the three kinds of str. The masks come from `reader`.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::{
    Bytes, Room, halves, kept, kept_bytes, kept_points, kept_units, lanes_8, lanes_32, load_8, load_16, load_32, part,
    store, store_four,
};
use crate::derive::layout::Layout;

/// A block of 64 bytes and the eight behind it; a sequence that begins in the block needs at most five of those.
pub type Window = [u8; 72];

/// The meaning of a sequence's payload, and of a byte that is part of no sequence.
///
/// Functions generic over a `Taker` are instantiated for each caller and inlined into it: a call would spill all
/// registers.
pub struct Meaning<'a> {
    /// The layout, if payloads are not code points.
    shift: Option<&'a Layout>,
    /// The base added to the byte in an ill-formed lane; None if that becomes U+FFFD.
    pub escape: Option<u32>,
    values: Values,
}

impl<'a> Meaning<'a> {
    /// The meaning in a layout, if payloads are not code points, and of a stray byte, if it has one.
    #[inline]
    #[avx2]
    pub fn new(shift: Option<&'a Layout>, escape: Option<u32>) -> Self {
        Meaning { shift, escape, values: Values::new(shift) }
    }
}

/// The findings about 64 bytes.
pub struct Block {
    pub bytes: Bytes,
    /// Lanes in which something begins that is read.
    pub begins: u64,
    /// Those of them in which an ill-formed unit begins.
    pub ill: u64,
    /// Those of them in which a joined surrogate pair begins.
    pub pairs: u64,
    /// Lanes of the next block in which nothing begins.
    pub carry: u64,
    /// The number of bytes of the block that were read.
    pub length: usize,
    /// Whether reading continues behind the block.
    pub goes_on: bool,
}

/// Consecutive sequences of one length.
#[derive(Clone, Copy)]
struct Sequences {
    length: usize,
    /// The lanes in which they begin.
    begins: u64,
    /// The upper half of their lead bytes.
    lead: u8,
}

const THREES: Sequences = Sequences { length: 3, begins: 0x9249_2492_4924_9249, lead: 0xE0 };
const FOURS: Sequences = Sequences { length: 4, begins: 0x1111_1111_1111_1111, lead: 0xF0 };

impl Block {
    /// The lane of the first sequence, if there are only sequences of three bytes or only of four; otherwise None.
    fn start_of(&self, window: &Window, sequences: Sequences) -> Option<usize> {
        let (first, last) = (self.begins.trailing_zeros() as usize, 63 - (self.begins.leading_zeros() as usize & 63));
        let is_clean = self.ill | self.pairs == 0;
        // Between the first and the last there is no room for others. The first byte of the one that ends behind the
        // block shows its length.
        let are_all = first < sequences.length && self.begins == sequences.begins << first;
        (is_clean && are_all && window[last] & 0xF0 == sequences.lead).then_some(first)
    }

    /// Whether every sequence is a single byte.
    fn are_bytes(&self) -> bool {
        self.begins == !0 && self.carry == 0
    }

    /// Whether nothing has four bytes or is a pair: all payloads are below U+10000.
    #[inline]
    #[avx2]
    fn has_no_fours(&self) -> bool {
        self.pairs == 0 && self.bytes.at_least(FOURS.lead) & self.begins & !self.ill == 0
    }

    /// Join the pairs that begin in some lanes of a clean block.
    #[inline]
    pub fn add_pairs(&mut self, pairs: u64) {
        self.begins &= !(pairs << 3);
        self.pairs = pairs & self.begins;
        self.carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
    }
}

/// The continuation bytes among the eight bytes behind a block.
#[inline]
#[avx2]
pub fn continuing_behind(window: &Window) -> u64 {
    let bytes = load_8(part(window, 64));
    let mask = _mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8(0xC0_u8 as i8)));
    u64::from(mask.cast_unsigned()) & 0xFF
}

/// The lanes in which surrogate byte sequences begin, provided that continuation bytes follow.
#[inline]
#[avx2]
pub fn surrogates(window: &Window, bytes: Bytes) -> u64 {
    let first = bytes.equal(0xED);
    // From A0 up: bit 0x20 of the second byte is set.
    if first == 0 { 0 } else { first & Bytes::of(window, 1).mask(|bytes| _mm256_slli_epi16::<2>(bytes)) }
}

/// The surrogate byte sequences that begin a pair.
#[inline]
#[avx2]
pub fn begin_pairs(window: &Window, surrogates: u64) -> u64 {
    // From B0 up: bit 0x10 is set too.
    let trails = surrogates & Bytes::of(window, 1).mask(|bytes| _mm256_slli_epi16::<3>(bytes));
    surrogates & !trails & (trails >> 3 | trails_behind(window) << 61)
}

/// Which of the first three lanes behind a block begin trail surrogate byte sequences.
#[inline]
#[avx2]
fn trails_behind(window: &Window) -> u64 {
    let bytes = load_8(part(window, 64));
    let mask = |lanes| u64::from(_mm_movemask_epi8(lanes).cast_unsigned());
    let first = mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(0xED_u8 as i8)));
    let second = mask(_mm_cmpeq_epi8(_mm_and_si128(bytes, _mm_set1_epi8(0xF0_u8 as i8)), _mm_set1_epi8(0xB0_u8 as i8)));
    first & second >> 1 & continuing_behind(window) >> 2 & 7
}

/// Write 64 code points of ASCII.
#[inline]
#[avx2]
pub fn put_ascii_ucs1(window: &Window, room: &mut Room<u8>) {
    for at in (0..64).step_by(8) {
        store(u64::from_le_bytes(*part(window, at)), room, at);
    }
}

/// Write 64 code points of ASCII.
#[inline]
#[avx2]
pub fn put_ascii_ucs2(window: &Window, room: &mut Room<u16>) {
    for at in (0..64).step_by(8) {
        store(_mm_cvtepu8_epi16(load_8(part(window, at))), room, at);
    }
}

/// Write 64 code points of ASCII.
#[inline]
#[avx2]
pub fn put_ascii_ucs4(window: &Window, room: &mut Room<u32>) {
    for at in (0..64).step_by(8) {
        store(_mm256_cvtepu8_epi32(load_8(part(window, at))), room, at);
    }
}

impl Meaning<'_> {
    /// Write what begins in a block of code points up to U+00FF.
    #[inline]
    #[avx2]
    pub fn put_ucs1(&self, window: &Window, block: &Block, room: &mut Room<u8>) {
        let offset = self.shift.map_or(0, |layout| layout.offsets[0]);
        let mut filled = 0;
        for at in [0, 32] {
            // The values are ASCII, or the two lowest bits of a lead byte with the six of its continuation byte.
            let (bytes, next) = (load_32(part(window, at)), load_32(part(window, at + 1)));
            let upper = _mm256_and_si256(_mm256_slli_epi16::<6>(bytes), _mm256_set1_epi8(0xC0_u8 as i8));
            let pairs = _mm256_or_si256(upper, _mm256_and_si256(next, _mm256_set1_epi8(0x3F)));
            let pairs = _mm256_add_epi8(pairs, _mm256_set1_epi8(offset as i8));
            let points = _mm256_blendv_epi8(bytes, pairs, bytes);
            let [low, high] = halves(points);
            let eights = [low, _mm_srli_si128::<8>(low), high, _mm_srli_si128::<8>(high)];
            for (eight, mask) in eights.into_iter().zip(((block.begins >> at) as u32).to_le_bytes()) {
                store(kept_bytes(eight, mask), room, filled);
                filled += mask.count_ones() as usize;
            }
        }
    }

    /// Write what begins in a block of code points up to U+FFFF.
    #[inline]
    #[avx2]
    pub fn put_ucs2<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u16>) {
        if let Some(start) = block.start_of(window, THREES) {
            return self.put_threes::<Taker>(window, start, room);
        }
        self.put_narrow(window, block, |eight, at| store(eight, room, at));
    }

    /// Pass what begins in each eight lanes of a block of code points up to U+FFFF to `put`, with the number passed
    /// before.
    #[inline]
    #[avx2]
    fn put_narrow(&self, window: &Window, block: &Block, mut put: impl FnMut(__m128i, usize)) {
        if block.are_bytes() {
            return self.put_bytes(window, block.ill, put);
        }
        let mut filled = 0;
        for at in [0, 32] {
            let mut points = points_16(window, at, self.shift);
            if block.ill != 0 {
                let (bytes, ill) = (load_32(part(window, at)), lanes_8((block.ill >> at) as u32));
                let (bytes, ill) = (widened(bytes, _mm256_setzero_si256()), widened(ill, ill));
                points = [0, 1].map(|half| self.answered(points[half], bytes[half], ill[half]));
            }
            let [first, second] = points.map(|points| halves(points));
            let eights = [first[0], second[0], first[1], second[1]];
            for (eight, mask) in eights.into_iter().zip(((block.begins >> at) as u32).to_le_bytes()) {
                put(kept_units(eight, mask), filled);
                filled += mask.count_ones() as usize;
            }
        }
    }

    /// As [`Meaning::put_narrow`], for a block in which each byte is a code point or ill-formed.
    #[inline]
    #[avx2]
    fn put_bytes(&self, window: &Window, ill: u64, mut put: impl FnMut(__m128i, usize)) {
        for at in [0, 32] {
            let (bytes, ill) = (load_32(part(window, at)), lanes_8((ill >> at) as u32));
            let (bytes, ill) = (widened(bytes, _mm256_setzero_si256()), widened(ill, ill));
            let [first, second] = [0, 1].map(|half| halves(self.answered(bytes[half], bytes[half], ill[half])));
            for (eight, points) in [first[0], second[0], first[1], second[1]].into_iter().enumerate() {
                put(points, at + 8 * eight);
            }
        }
    }

    /// Code points of 16 bits, with the answers in ill-formed lanes.
    #[inline]
    #[avx2]
    fn answered(&self, points: __m256i, bytes: __m256i, ill: __m256i) -> __m256i {
        let answers = match self.escape {
            Some(base) => _mm256_add_epi16(bytes, _mm256_set1_epi16(base as i16)),
            None => _mm256_set1_epi16(0xFFFD_u16 as i16),
        };
        _mm256_blendv_epi8(points, answers, ill)
    }
}

/// The code points up to U+FFFF of sequences as if one began at each of 32 positions: those of the first eight
/// positions of each half, and those of the others.
///
/// The loads are as long as those of the block: for parts of a loaded vector the compiler would emit scalar shifts.
#[inline]
#[avx2]
fn points_16(window: &Window, at: usize, shift: Option<&Layout>) -> [__m256i; 2] {
    let each = |byte: u8| _mm256_set1_epi8(byte as i8);
    let [lead, second, third] = [0, 1, 2].map(|by| load_32(part(window, at + by)));
    let [second, third] = [second, third].map(|bytes| _mm256_and_si256(bytes, each(0x3F)));
    let is_high = _mm256_cmpgt_epi8(_mm256_setzero_si256(), lead);
    let is_three = _mm256_cmpeq_epi8(_mm256_max_epu8(lead, each(0xE0)), lead);
    // The last six bits, those before them, and the four highest of three bytes.
    let last = _mm256_blendv_epi8(second, third, is_three);
    let before = _mm256_blendv_epi8(_mm256_and_si256(lead, each(0x1F)), second, is_three);
    let highest = _mm256_and_si256(_mm256_slli_epi16::<4>(lead), _mm256_and_si256(is_three, each(0xF0)));
    let low = _mm256_or_si256(last, _mm256_and_si256(_mm256_slli_epi16::<6>(before), each(0xC0)));
    let high = _mm256_or_si256(highest, _mm256_and_si256(_mm256_srli_epi16::<2>(before), each(0x0F)));
    let (low, high) = (_mm256_blendv_epi8(lead, low, lead), _mm256_and_si256(high, is_high));
    let points = widened(low, high);
    let Some(layout) = shift else { return points };
    let [two, three] = [0, 1].map(|at| (layout.offsets[at] as u16).to_le_bytes());
    let [low, high] =
        [0, 1].map(|half| _mm256_and_si256(is_high, _mm256_blendv_epi8(each(two[half]), each(three[half]), is_three)));
    let offsets = widened(low, high);
    [0, 1].map(|half| beyond_gap(layout, _mm256_add_epi16(points[half], offsets[half])))
}

/// Lanes of 16 bits from their lower and their upper bytes: the first eight of each half, and the others.
#[inline]
#[avx2]
fn widened(low: __m256i, high: __m256i) -> [__m256i; 2] {
    [_mm256_unpacklo_epi8(low, high), _mm256_unpackhi_epi8(low, high)]
}

/// Code points, moved past the gap that a form leaves out.
#[inline]
#[avx2]
fn beyond_gap(layout: &Layout, points: __m256i) -> __m256i {
    let Ok(gap) = u16::try_from(layout.gap.0) else { return points };
    let beyond = _mm256_cmpeq_epi16(_mm256_max_epu16(points, _mm256_set1_epi16(gap as i16)), points);
    _mm256_add_epi16(points, _mm256_and_si256(beyond, _mm256_set1_epi16(layout.gap.1 as i16)))
}

impl Meaning<'_> {
    /// Write 22 sequences of three bytes each, from an offset in a block on: text without spaces.
    #[inline]
    #[avx2]
    fn put_threes<Taker>(&self, window: &Window, start: usize, room: &mut Room<u16>) {
        for eight in 0..3 {
            let [low, high] = halves(threes::<Taker>(window, start, eight));
            store(self.shifted_three(_mm_packus_epi32(low, high)), room, 8 * eight);
        }
    }

    /// As [`Meaning::put_threes`], as 32-bit units.
    #[inline]
    #[avx2]
    fn put_wide_threes<Taker>(&self, window: &Window, start: usize, room: &mut Room<u32>) {
        for eight in 0..3 {
            let values = threes::<Taker>(window, start, eight);
            store(self.values.shifted(_mm256_add_epi32(values, self.values.three)), room, 8 * eight);
        }
    }

    /// The code points of payloads of three bytes.
    #[inline]
    #[avx2]
    fn shifted_three(&self, payloads: __m128i) -> __m128i {
        let Some(layout) = self.shift else { return payloads };
        let points = _mm256_castsi128_si256(_mm_add_epi16(payloads, _mm_set1_epi16(layout.offsets[1] as i16)));
        _mm256_castsi256_si128(beyond_gap(layout, points))
    }

    /// Write what begins in a block, without limits on the code points.
    #[inline]
    #[avx2]
    pub fn put_ucs4<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
        if let Some(start) = block.start_of(window, THREES) {
            self.put_wide_threes::<Taker>(window, start, room);
        } else if let Some(start) = block.start_of(window, FOURS) {
            self.put_fours::<Taker>(window, start, room);
        } else if self.shift.is_none() && block.has_no_fours() {
            self.put_narrow(window, block, |eight, at| store(_mm256_cvtepu16_epi32(eight), room, at));
        } else if are_sparse(block.begins) {
            self.put_sparse::<Taker>(window, block, room);
        } else {
            self.put_dense::<Taker>(window, block, room);
        }
    }

    /// Write 16 sequences of four bytes each, from an offset in a block on: emoji without spaces.
    #[inline]
    #[avx2]
    fn put_fours<Taker>(&self, window: &Window, start: usize, room: &mut Room<u32>) {
        let each = _mm256_broadcastsi128_si256(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
        for eight in [0, 1] {
            let sequences = _mm256_shuffle_epi8(load_32(part(window, start + 32 * eight)), each);
            let values = payloads(sequences, 0x073F_3F3F);
            store(self.values.shifted(_mm256_add_epi32(values, self.values.four)), room, 8 * eight);
        }
    }

    /// Store what begins in each eight lanes at once.
    #[inline]
    #[avx2]
    fn put_dense<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
        // Each sequence in its lane, as if it had four bytes, the first highest.
        let each = _mm256_setr_epi8(
            3, 2, 1, 0, 4, 3, 2, 1, 5, 4, 3, 2, 6, 5, 4, 3, 7, 6, 5, 4, 8, 7, 6, 5, 9, 8, 7, 6, 10, 9, 8, 7,
        );
        let mut filled = 0;
        for (eight, mask) in block.begins.to_le_bytes().into_iter().enumerate() {
            let bytes = _mm256_broadcastsi128_si256(load_16(part(window, 8 * eight)));
            let [pairs, ill] = [block.pairs, block.ill].map(|lanes| (lanes >> (8 * eight)) as u8);
            let points = self.points::<Taker>(block, bytes, each, [pairs, ill]);
            store(kept_points(points, mask), room, filled);
            filled += mask.count_ones() as usize;
        }
    }

    /// Store what begins in each sixteen lanes at once, four code points from each half.
    #[inline]
    #[avx2]
    fn put_sparse<Taker>(&self, window: &Window, block: &Block, room: &mut Room<u32>) {
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
            let [low, high] = halves(self.points::<Taker>(block, bytes, _mm256_set_m128i(high, low), few));
            store_four(low, room, filled);
            filled += begins[0].count_ones() as usize;
            store_four(high, room, filled);
            filled += begins[1].count_ones() as usize;
        }
    }
}

/// The payloads of eight of 22 sequences of three bytes each, from an offset in a block on.
#[inline]
#[avx2]
fn threes<Taker>(window: &Window, start: usize, eight: usize) -> __m256i {
    let each = _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
    let at = start + 24 * eight;
    let low = load_16(part(window, at));
    // At most two of the last four sequences exist.
    let high = if eight < 2 { load_16(part(window, at + 12)) } else { load_8(part(window, at + 12)) };
    payloads(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), each), 0x000F_3F3F)
}

/// The bits of the lanes kept, compacted.
#[inline]
#[avx2]
fn kept_bits(lanes: u8, kept: u8) -> u8 {
    _pext_u32(lanes.into(), kept.into()) as u8
}

/// Whether at most four of each eight lanes are set.
#[inline]
fn are_sparse(lanes: u64) -> bool {
    // Count the bits of two, four and eight lanes in place.
    let twos = lanes - (lanes >> 1 & 0x5555_5555_5555_5555);
    let fours = (twos & 0x3333_3333_3333_3333) + (twos >> 2 & 0x3333_3333_3333_3333);
    let eights = (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    (eights + 0x7B7B_7B7B_7B7B_7B7B) & 0x8080_8080_8080_8080 == 0
}

impl Meaning<'_> {
    /// The code points of eight sequences, which `shuffle` moves to their lanes; `pairs` and `ill` have those that are
    /// surrogate pairs or ill-formed.
    #[inline]
    #[avx2]
    fn points<Taker>(&self, block: &Block, bytes: __m256i, shuffle: __m256i, [pairs, ill]: [u8; 2]) -> __m256i {
        let sequences = _mm256_shuffle_epi8(bytes, shuffle);
        let mut points = self.values.of(sequences);
        // Decide by the block: a branch on whether some of the eight are would be mispredicted as often as not.
        if block.pairs != 0 {
            // The second and the third byte of each half.
            let payloads = _mm256_add_epi8(shuffle, _mm256_set1_epi32(0x0101_0202));
            points = _mm256_blendv_epi8(points, joined_32(_mm256_shuffle_epi8(bytes, payloads)), lanes_32(pairs));
        }
        if block.ill != 0 {
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

/// For each mask of eight lanes, the four bytes from each of its first four lanes on, the first of them highest.
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

/// How the bytes of sequences become code points: vectors indexed by the three lowest bits of the lead byte's upper
/// half.
struct Values {
    /// How far the payload of a shorter sequence is above the position of a payload of four bytes.
    below: __m256i,
    /// The offset added to the payload together with the marks of the lead byte.
    offsets: __m256i,
    /// The offsets added to the payloads of three and of four bytes.
    three: __m256i,
    four: __m256i,
    gap: Option<(__m256i, __m256i)>,
}

impl Values {
    #[inline]
    #[avx2]
    fn new(shift: Option<&Layout>) -> Self {
        // The marks of lead bytes without the highest bit, at the positions where they end up.
        let marks = [0x40 << 6, 0x60 << 12, 0x70 << 18];
        let offsets = shift.map_or([0; 3], |layout| layout.offsets);
        let [two, three, four] = [0, 1, 2].map(|at| offsets[at].wrapping_sub(marks[at]).cast_signed());
        let gap = shift.map(|layout| layout.gap).filter(|gap| gap.1 > 0);
        let gap = gap.map(|gap| [gap.0 - 1, gap.1].map(u32::cast_signed));
        Values {
            below: _mm256_setr_epi32(0, 0, 0, 0, 12, 12, 6, 0),
            offsets: _mm256_setr_epi32(0, 0, 0, 0, two, two, three, four),
            three: _mm256_set1_epi32(offsets[1].cast_signed()),
            four: _mm256_set1_epi32(offsets[2].cast_signed()),
            gap: gap.map(|[last, add]| (_mm256_set1_epi32(last), _mm256_set1_epi32(add))),
        }
    }

    /// The code points of eight sequences, each in its lane as if it had four bytes, the first highest.
    #[inline]
    #[avx2]
    fn of(&self, sequences: __m256i) -> __m256i {
        let all = payloads(sequences, 0x7F3F_3F3F);
        let kinds = _mm256_srli_epi32::<28>(sequences);
        let values = _mm256_srlv_epi32(all, _mm256_permutevar8x32_epi32(self.below, kinds));
        let points = self.shifted(_mm256_add_epi32(values, _mm256_permutevar8x32_epi32(self.offsets, kinds)));
        let ascii = _mm256_srli_epi32::<24>(sequences);
        let is_high = _mm256_srai_epi32::<31>(sequences);
        _mm256_blendv_epi8(ascii, points, is_high)
    }

    /// Code points, moved past the gap that a form leaves out.
    #[inline]
    #[avx2]
    fn shifted(&self, points: __m256i) -> __m256i {
        let Some((last, add)) = self.gap else { return points };
        _mm256_add_epi32(points, _mm256_and_si256(_mm256_cmpgt_epi32(points, last), add))
    }
}

/// The payloads of eight sequences next to each other; `bits` has the payload bits of each byte. The first byte is
/// highest.
#[inline]
#[avx2]
fn payloads(sequences: __m256i, bits: i32) -> __m256i {
    // Combine pairs of six bits, then pairs of twelve.
    let bytes = _mm256_and_si256(sequences, _mm256_set1_epi32(bits));
    let pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi16(0x4001));
    _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x1000_0001))
}

/// The supplementary code points of surrogate pairs, given the second and the third byte of each half.
#[inline]
#[avx2]
pub fn joined_32(halves: __m256i) -> __m256i {
    // Four bits and six bits, twice, next to each other: first ten bits each, then the twenty bits of an index.
    let payloads = _mm256_and_si256(halves, _mm256_set1_epi32(0x0F3F_0F3F));
    let tens = _mm256_maddubs_epi16(payloads, _mm256_set1_epi16(0x4001));
    let index = _mm256_madd_epi16(tens, _mm256_set1_epi32(0x0400_0001));
    _mm256_add_epi32(index, _mm256_set1_epi32(0x1_0000))
}
