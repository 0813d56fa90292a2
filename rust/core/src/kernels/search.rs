//! Searches for the first of a few bytes, for a few bytes in a row, and for the last byte of a value.

use super::class::Class;
use super::dispatch;

/// The bytes of a block that is examined as a whole, which the compiler does many at once.
const BLOCK: usize = 128;
/// How many bytes are searched for in a row.
const ROW: usize = 4;
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// The offset of the first byte that is one of three.
#[must_use]
pub fn find_any(data: &[u8], meant: [u8; 3]) -> Option<usize> {
    let mut at = dispatch::before_any(data, meant);
    while let Some(bytes) = data[at..].first_chunk() {
        let word = u64::from_le_bytes(*bytes);
        let found = meant.iter().fold(0, |found, &byte| found | zeros(word ^ (LOW * u64::from(byte))));
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += bytes.len();
    }
    data[at..].iter().position(|byte| meant.contains(byte)).map(|found| at + found)
}

/// A word whose lowest bit that is set is in the lowest byte that is zero.
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(LOW) & !word & HIGH
}

/// The offset of the first bytes in a row that are each of its class.
#[must_use]
pub fn find_row(data: &[u8], classes: &[Class; ROW]) -> Option<usize> {
    let mut at = dispatch::before_row(data, classes);
    let begins =
        |data: &[u8], at: usize| (0..ROW).fold(true, |all, place| all & classes[place].holds(data[at + place]));
    while let Some(block) = data[at..].first_chunk::<{ BLOCK + ROW }>() {
        if (0..BLOCK).fold(0, |found, each| found | u8::from(begins(block, each))) != 0 {
            break;
        }
        at += BLOCK;
    }
    let last = data.len().checked_sub(ROW)?;
    (at..=last).find(|&at| begins(data, at))
}

/// The offset of the last byte of a value.
#[must_use]
pub fn find_last(data: &[u8], meant: u8) -> Option<usize> {
    let mut end = data.len();
    while let Some(block) = data[..end].last_chunk::<BLOCK>() {
        if block.iter().fold(0, |found, &byte| found | u8::from(byte == meant)) != 0 {
            break;
        }
        end -= BLOCK;
    }
    data[..end].iter().rposition(|&byte| byte == meant)
}
