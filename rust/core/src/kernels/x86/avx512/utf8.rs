//! UTF-8 in one pass over whole blocks: validated, counted, and its largest byte found. Other forms are read in
//! `decode`.
//!
//! It is validated by rules about two neighbouring bytes, as with shorter vectors. A table of sixteen stands four times
//! in a vector here, so that the bits above a half byte need not be cleared before it is looked up.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::clean::{begins_64, bytes_before};
use super::twos::{Twos, is_asked, leads_from};
use super::{any_of, ascii_bytes, bytes_64, fetch_ahead};
use crate::kernels::lanes::low_64;
use crate::kernels::measured::{Prefix, WIDTH_BORDERS, cut_bytes};
use crate::kernels::neighbours::{TWO, UTF_8};

/// `a & b & c`, bit by bit.
const AND_AND: i32 = 0x80;
/// `(a | b) & c`, bit by bit.
const EITHER_AND: i32 = 0xA8;

/// The rules for the upper and the lower half of a byte and the upper half of the next.
struct Rules([__m512i; 3]);

impl Rules {
    #[inline]
    #[avx512]
    fn new() -> Self {
        Rules(UTF_8.map(|table| _mm512_broadcast_i32x4(_mm512_castsi512_si128(bytes_64(&table, 0)))))
    }

    /// Not 0 in the lanes of bytes that are invalid after the three before them.
    #[inline]
    #[avx512]
    fn broken(&self, block: &Block) -> __m512i {
        let &Block { bytes, before: [nearest, second, third] } = block;
        let [of_upper, of_lower, of_second] = self.0;
        let rules = _mm512_ternarylogic_epi32::<AND_AND>(
            _mm512_permutexvar_epi8(_mm512_srli_epi16::<4>(nearest), of_upper),
            _mm512_permutexvar_epi8(nearest, of_lower),
            _mm512_permutexvar_epi8(_mm512_srli_epi16::<4>(bytes), of_second),
        );
        // The third byte of three or four, and the fourth: there a second continuation byte is due.
        let of_three = _mm512_subs_epu8(second, _mm512_set1_epi8((0xE0 - TWO) as i8));
        let of_four = _mm512_subs_epu8(third, _mm512_set1_epi8((0xF0 - TWO) as i8));
        let due = _mm512_ternarylogic_epi32::<EITHER_AND>(of_three, of_four, _mm512_set1_epi8(TWO as i8));
        _mm512_xor_si512(rules, due)
    }
}

/// 64 bytes, and the 64 that begin one, two and three bytes before them.
struct Block {
    bytes: __m512i,
    before: [__m512i; 3],
}

impl Block {
    /// The block at a place; zeros are around the data.
    #[inline]
    #[avx512]
    fn at(data: &[u8], at: usize) -> Block {
        Block { bytes: bytes_64(data, at), before: [1, 2, 3].map(|count| bytes_before(data, at, count)) }
    }

    /// The block at the third byte behind a place.
    #[inline]
    #[avx512]
    fn within(data: &[u8], at: usize) -> Block {
        Block { bytes: bytes_64(data, at + 3), before: [2, 1, 0].map(|start| bytes_64(data, at + start)) }
    }

    /// The block at a place, if the data have all of it.
    #[inline]
    #[avx512]
    fn whole(data: &[u8], at: usize) -> Option<Block> {
        if let Some(window) = data.get(at.wrapping_sub(3)..).and_then(<[u8]>::first_chunk::<67>) {
            return Some(Block::within(window, 0));
        }
        (at == 0 && data.len() >= 64).then(|| Block::at(data, at))
    }
}

#[inline]
#[avx512]
fn is_none(bytes: __m512i) -> bool {
    _mm512_test_epi8_mask(bytes, bytes) == 0
}

/// Bytes that are either ASCII together or examined together: a mispredicted branch costs more than examining a block.
const STRIDE: usize = 256;

/// The number of valid bytes at the beginning: of the first block, and of as many strides behind it as are valid.
#[avx512]
pub fn valid_pieces(data: &[u8]) -> usize {
    let rules = Rules::new();
    let is_valid = |block: &Block| is_none(rules.broken(block));
    let Some(first) = Block::whole(data, 0).filter(is_valid) else { return 0 };
    let (mut end, mut last) = (64, first.bytes);
    while let Some(window) = data.get(end - 3..).and_then(<[u8]>::first_chunk::<{ 3 + STRIDE }>) {
        fetch_ahead(window, 0);
        let blocks = [0, 64, 128, 192].map(|place| bytes_64(window, place + 3));
        // Together with the block before: ASCII would break off a sequence that began there.
        let is_ascii = _mm512_movepi8_mask(_mm512_or_si512(last, any_of(blocks))) == 0;
        let broken = || [0, 64, 128, 192].map(|place| rules.broken(&Block::within(window, place)));
        if !is_ascii && !is_none(any_of(broken())) {
            break;
        }
        (end, last) = (end + STRIDE, blocks[3]);
    }
    end - cut_bytes(&data[..end])
}

/// What whole blocks of data have been measured to.
struct Blocks {
    end: usize,
    count: usize,
    largest: __m512i,
    /// The last block. It is part of `largest` when it is known where its last sequence ends.
    last: __m512i,
}

impl Blocks {
    /// Add the block at the end, and what begins in it.
    #[inline]
    #[avx512]
    fn add(&mut self, bytes: __m512i, begins: u64) {
        self.count += begins.count_ones() as usize;
        (self.largest, self.last) = (_mm512_max_epu8(self.largest, self.last), bytes);
        self.end += 64;
    }

    /// Add the blocks of ASCII that follow, behind a block of it.
    #[inline]
    #[avx512]
    fn add_ascii(&mut self, data: &[u8]) {
        let more = ascii_bytes(&data[self.end..], true);
        (self.end, self.count) = (self.end + more, self.count + more);
    }

    /// Add others that follow.
    #[inline]
    #[avx512]
    fn join(&mut self, more: Blocks) {
        (self.end, self.count) = (self.end + more.end, self.count + more.count);
        (self.largest, self.last) = (_mm512_max_epu8(self.largest, more.largest), more.last);
    }
}

/// Measure the blocks at the beginning of data that hold nothing but ASCII and sequences of two bytes. So does the
/// valid block before them, whose last byte may begin such a sequence.
// In a function of its own it takes no registers from the loop that calls it now and then.
#[inline(never)]
#[avx512]
fn measure_twos(data: &[u8], before: __m512i) -> Blocks {
    let mut blocks = Blocks { end: 0, count: 0, largest: _mm512_setzero_si512(), last: before };
    let mut twos = Twos { from: TWOS_FROM, open: leads_from(TWOS_FROM, before) >> 63 };
    for block in data.as_chunks::<64>().0 {
        fetch_ahead(block, 0);
        let bytes = bytes_64(block, 0);
        let Some(begins) = twos.begins(bytes) else { break };
        blocks.add(bytes, begins);
    }
    blocks
}

/// The least byte that begins a sequence of two bytes.
const TWOS_FROM: u8 = 0xC2;

/// Measure whole blocks as long as they are valid; the end is before the first, or the last, sequence that may be
/// incomplete.
#[avx512]
pub fn measure_blocks(data: &[u8]) -> Prefix {
    let start = ascii_bytes(data, true);
    if start == data.len() {
        return Prefix { end: start, count: start, largest: 0 };
    }
    let none = _mm512_setzero_si512();
    let (rules, mut blocks) = (Rules::new(), Blocks { end: start, count: start, largest: none, last: none });
    while let Some(block) = Block::whole(data, blocks.end) {
        fetch_ahead(data, blocks.end);
        if !is_none(rules.broken(&block)) {
            break;
        }
        let (bytes, begins) = (block.bytes, begins_64(block.bytes));
        blocks.add(bytes, begins);
        let high = _mm512_movepi8_mask(bytes);
        if high == 0 {
            blocks.add_ascii(data);
        } else if is_asked(blocks.end - 64) && begins & high == leads_from(TWOS_FROM, bytes) {
            blocks.join(measure_twos(&data[blocks.end..], bytes));
        }
    }
    let Blocks { end, count, largest, last } = blocks;
    let cut = cut_bytes(&data[..end]);
    let largest = _mm512_mask_max_epu8(largest, low_64(64 - cut), largest, last);
    Prefix { end: end - cut, count: count - usize::from(cut > 0), largest: border_reached(largest) }
}

/// Measure all bytes in one pass without a branch for each block; [`Prefix::NONE`] if they are invalid.
#[avx512]
pub fn measure_all(data: &[u8]) -> Prefix {
    let rules = Rules::new();
    let (mut count, [mut largest, mut wrong]) = (0, [_mm512_setzero_si512(); 2]);
    for at in (0..data.len()).step_by(64) {
        // Behind the end there are zeros, which continue no sequence.
        let block = Block::at(data, at);
        wrong = _mm512_or_si512(wrong, rules.broken(&block));
        largest = _mm512_max_epu8(largest, block.bytes);
        count += (begins_64(block.bytes) & low_64(data.len() - at)).count_ones() as usize;
    }
    if !is_none(wrong) || cut_bytes(data) > 0 {
        return Prefix::NONE;
    }
    Prefix { end: data.len(), count, largest: border_reached(largest) }
}

/// The greatest threshold of wider text that a lane has reached; 0 if none has.
#[inline]
#[avx512]
fn border_reached(largest: __m512i) -> u8 {
    let is_reached = |border: &u8| _mm512_cmpge_epu8_mask(largest, _mm512_set1_epi8(*border as i8)) != 0;
    WIDTH_BORDERS.into_iter().rev().find(is_reached).unwrap_or(0)
}
