//! UTF-8 as such, whose rules are written down here: validated, counted and measured in one pass.

use std::arch::x86_64::*;

use super::{Bytes, fetch_ahead};
use super::decode::Leads;
use super::points::{Window, continuing_behind};
use crate::kernels::utf8::Prefix;
use crate::layout::Table;

/// The lowest second byte of each lead byte.
static LOW: Table = seconds([0x80, 0xA0, 0x80, 0x90, 0x80]);
/// How many more there are.
static SPAN: Table = seconds([0x3F, 0x1F, 0x1F, 0x2F, 0x0F]);

/// A table of the lead bytes: what most have, and what E0, ED, F0 and F4 have. No second byte is 0, so that those which
/// have that take none.
const fn seconds([most, e0, ed, f0, f4]: [u8; 5]) -> Table {
    let mut table = [0; 128];
    let mut lead = 0xC2;
    while lead <= 0xF4 {
        table[lead & 0x7F] = match lead {
            0xE0 => e0,
            0xED => ed,
            0xF0 => f0,
            0xF4 => f4,
            _ => most,
        };
        lead += 1;
    }
    Table(table)
}

/// Measure the blocks that are valid from the first byte on, and that others follow.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
pub fn measure_blocks(data: &[u8]) -> Prefix {
    let leads_of = Leads::new(&LOW, &SPAN);
    let (mut at, mut carry, mut count) = (0, 0_u64, 0);
    let mut largest = _mm256_setzero_si256();
    while let Some(window) = data[at..].first_chunk::<72>() {
        let bytes = Bytes::of(window, 0);
        fetch_ahead(data, at);
        if bytes.are_ascii() && carry == 0 {
            (at, count) = (at + 64, count + 64);
            continue;
        }
        let Some(due) = due_behind(&leads_of, window, bytes, carry) else { break };
        count += (!bytes.continuations()).count_ones() as usize;
        largest = _mm256_max_epu8(largest, _mm256_max_epu8(bytes.0[0], bytes.0[1]));
        (at, carry) = (at + 64, due);
    }
    // Of a sequence that goes on behind the blocks the bytes there have been seen.
    Prefix { end: at + carry.count_ones() as usize, count, largest: largest_of(largest) }
}

/// The lanes behind a block that what begins in it goes on to; None where it is not valid.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn due_behind(leads_of: &Leads, window: &Window, bytes: Bytes, carry: u64) -> Option<u64> {
    let continuing = bytes.continuations();
    let leads = bytes.high() & !continuing;
    let (three, four) = (bytes.at_least(0xE0), bytes.at_least(0xF0));
    let due = carry | leads << 1 | three << 2 | four << 3;
    let behind = leads >> 63 | three >> 62 | four >> 61;
    let fails = leads & !leads_of.followed(leads, window, bytes);
    ((due ^ continuing) | fails | (behind & !continuing_behind(window)) == 0).then_some(behind)
}

/// The largest byte above 7F, if there is one.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn largest_of(bytes: __m256i) -> u8 {
    let mut all = [0_u64; 4];
    all[0] = _mm256_extract_epi64::<0>(bytes).cast_unsigned();
    all[1] = _mm256_extract_epi64::<1>(bytes).cast_unsigned();
    all[2] = _mm256_extract_epi64::<2>(bytes).cast_unsigned();
    all[3] = _mm256_extract_epi64::<3>(bytes).cast_unsigned();
    all.into_iter().flat_map(u64::to_le_bytes).max().unwrap_or(0)
}
