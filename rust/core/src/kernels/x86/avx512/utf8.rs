//! UTF-8 in one pass over whole blocks: validated, counted, and its largest byte found. Other forms are read in
//! `decode`.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{ascii_bytes, bytes_64, fetch_ahead};
use crate::kernels::lanes::low_64;
use crate::kernels::measured::{Prefix, WIDTH_BORDERS};

/// The lowest second byte after each byte from C0 up, and how many more there are: Unicode Table 3-7. A byte that is
/// not a lead byte takes only 00, which is not a continuation byte.
const SECONDS: [[u8; 64]; 2] = {
    let (mut low, mut span) = ([0; 64], [0; 64]);
    let mut lead = 0xC2;
    while lead <= 0xF4 {
        (low[lead - 0xC0], span[lead - 0xC0]) = match lead {
            0xE0 => (0xA0, 0x1F),
            0xED => (0x80, 0x1F),
            0xF0 => (0x90, 0x2F),
            0xF4 => (0x80, 0x0F),
            _ => (0x80, 0x3F),
        };
        lead += 1;
    }
    [low, span]
};

/// A block that has bytes above 7F or must begin with continuation bytes.
struct Block {
    bytes: __m512i,
    begins: u64,
    /// The first lanes of the next block that must be continuation bytes.
    due: u64,
}

impl Block {
    #[inline]
    #[avx512]
    fn none() -> Block {
        Block { bytes: _mm512_setzero_si512(), begins: 0, due: 0 }
    }

    /// The block after this one, given its bytes and those one further; None if it is not valid.
    #[inline]
    #[avx512]
    fn followed_by(&self, bytes: __m512i, next: __m512i) -> Option<Block> {
        let look = Look::at(bytes, next, self.due);
        (look.wrong == 0).then_some(Block { bytes, begins: !look.continuing, due: look.due })
    }
}

/// The findings about a block.
struct Look {
    /// Not 0 if the block is invalid.
    wrong: u64,
    continuing: u64,
    /// As in [`Block`].
    due: u64,
}

impl Look {
    /// Look at a block, given its bytes, those one further, and the lanes that must be continuation bytes.
    #[inline]
    #[avx512]
    fn at(bytes: __m512i, next: __m512i, due: u64) -> Look {
        let at_least = |least: u8| _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(least as i8));
        let continuing = _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8));
        let (two, three, four) = (at_least(0xC0), at_least(0xE0), at_least(0xF0));
        let [low, span] = SECONDS.map(|table| _mm512_permutexvar_epi8(bytes, bytes_64(&table, 0)));
        let fails = _mm512_mask_cmpgt_epu8_mask(two, _mm512_sub_epi8(next, low), span);
        let expected = due | two << 1 | three << 2 | four << 3;
        Look { wrong: (expected ^ continuing) | fails, continuing, due: two >> 63 | three >> 62 | four >> 61 }
    }
}

/// Bytes that are either ASCII together or examined together: a mispredicted branch costs more than examining a block.
const STRIDE: usize = 256;
/// Bytes between two tests whether everything is valid.
const PIECE: usize = 4 * STRIDE;

/// The number of valid bytes at the beginning, with the precision of whole pieces.
#[avx512]
pub fn valid_pieces(data: &[u8]) -> usize {
    let (mut at, mut due) = (0, 0);
    while let Some(piece) = data.get(at..).and_then(<[u8]>::first_chunk::<{ PIECE + 1 }>) {
        let (mut wrong, mut due_behind) = (0, due);
        for stride in (0..PIECE).step_by(STRIDE) {
            fetch_ahead(data, at + stride);
            let blocks = [0, 64, 128, 192].map(|block| bytes_64(piece, stride + block));
            let [first, second, third, fourth] = blocks;
            let all = _mm512_or_si512(_mm512_or_si512(first, second), _mm512_or_si512(third, fourth));
            if _mm512_movepi8_mask(all) | due_behind == 0 {
                continue;
            }
            for (block, bytes) in blocks.into_iter().enumerate() {
                let look = Look::at(bytes, bytes_64(piece, stride + 64 * block + 1), due_behind);
                (wrong, due_behind) = (wrong | look.wrong, look.due);
            }
        }
        if wrong != 0 {
            break;
        }
        (at, due) = (at + PIECE, due_behind);
    }
    // An incomplete sequence began in the last bytes.
    let back = data[..at].iter().rev().take_while(|&&byte| due != 0 && byte & 0xC0 == 0x80).count();
    at - back - usize::from(due != 0)
}

/// The findings so far.
struct Seen {
    count: usize,
    largest: __m512i,
}

impl Seen {
    /// Add what begins in the first lanes of a block.
    #[inline]
    #[avx512]
    fn add(&mut self, block: &Block, lanes: u64) {
        self.count += (block.begins & lanes).count_ones() as usize;
        self.largest = _mm512_mask_max_epu8(self.largest, lanes, self.largest, block.bytes);
    }
}

/// Measure whole blocks as long as they are valid; the end is before the first, or the last, sequence that may be
/// incomplete.
#[avx512]
pub fn measure_blocks(data: &[u8]) -> Prefix {
    let mut seen = Seen { count: 0, largest: _mm512_setzero_si512() };
    // Each block is added after the next has been seen, which shows whether its last sequence is complete.
    let (mut at, mut last) = (0, Block::none());
    while let Some(window) = data.get(at..).and_then(<[u8]>::first_chunk::<65>) {
        let bytes = bytes_64(window, 0);
        fetch_ahead(data, at);
        if _mm512_movepi8_mask(bytes) | last.due == 0 {
            seen.add(&last, !0);
            last = Block::none();
            let count = ascii_bytes(&data[at..], true);
            (at, seen.count) = (at + count, seen.count + count);
            continue;
        }
        let Some(block) = last.followed_by(bytes, bytes_64(&window[1..], 0)) else { break };
        seen.add(&last, !0);
        last = block;
        at += 64;
    }
    let back = if last.due == 0 { 0 } else { last.begins.leading_zeros() as usize + 1 };
    seen.add(&last, low_64(64 - back));
    Prefix { end: at - back, count: seen.count, largest: border_reached(seen.largest) }
}

/// Measure all bytes in one pass without a branch for each block; [`Prefix::NONE`] if they are invalid.
#[avx512]
pub fn measure_all(data: &[u8]) -> Prefix {
    let mut seen = Seen { count: 0, largest: _mm512_setzero_si512() };
    let mut block = Block::none();
    for at in (0..data.len()).step_by(64) {
        // Behind the end there are zeros, which continue no sequence.
        let Some(next) = block.followed_by(bytes_64(data, at), bytes_64(data, at + 1)) else { return Prefix::NONE };
        block = next;
        seen.add(&block, low_64(data.len() - at));
    }
    if block.due != 0 {
        return Prefix::NONE;
    }
    Prefix { end: data.len(), count: seen.count, largest: border_reached(seen.largest) }
}

/// The greatest threshold of wider text that a lane has reached; 0 if none has.
#[inline]
#[avx512]
fn border_reached(largest: __m512i) -> u8 {
    let is_reached = |border: &u8| _mm512_cmpge_epu8_mask(largest, _mm512_set1_epi8(*border as i8)) != 0;
    WIDTH_BORDERS.into_iter().rev().find(is_reached).unwrap_or(0)
}
