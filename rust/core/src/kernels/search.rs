//! Searches for the first of a few bytes, for a few bytes in a row, and for the last byte of a value.

use super::class::Class;
use super::dispatch;

/// The bytes of a block that is examined as a whole, which the compiler does many at once.
const BLOCK: usize = 128;
/// How many bytes are searched for in a row.
const ROW: usize = 4;
/// How many words are searched before a kernel is called.
const NEAR_WORDS: usize = 2;
/// Units that are counted in one byte, which must not overflow.
const ROW_UNITS: usize = 192;
/// Units among which the last one is searched for.
const BLOCK_UNITS: usize = 32 * ROW_UNITS;
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = LOW << 7;

/// The offset of the first byte that is one of three.
#[inline]
#[must_use]
pub fn find_any(data: &[u8], meant: [u8; 3]) -> Option<usize> {
    // The first is often near: then a call of a kernel would take longer than the search.
    match in_words(data, NEAR_WORDS, meant) {
        (found @ Some(_), _) => found,
        (None, searched) => far(data, searched, meant),
    }
}

fn far(data: &[u8], searched: usize, meant: [u8; 3]) -> Option<usize> {
    let start = searched + dispatch::before_any(&data[searched..], meant);
    let (found, searched) = in_words(&data[start..], usize::MAX, meant);
    let rest = start + searched;
    match found {
        Some(found) => Some(start + found),
        None => data[rest..].iter().position(|byte| meant.contains(byte)).map(|found| rest + found),
    }
}

/// The offset of the first byte that is one of three in whole words, at most so many; and where the search ended.
#[inline]
fn in_words(data: &[u8], words: usize, meant: [u8; 3]) -> (Option<usize>, usize) {
    let mut at = 0;
    for bytes in data.as_chunks().0.iter().take(words) {
        let word = u64::from_le_bytes(*bytes);
        let found = meant.iter().fold(0, |found, &byte| found | zeros(word ^ (LOW * u64::from(byte))));
        if found != 0 {
            return (Some(at + found.trailing_zeros() as usize / 8), at);
        }
        at += bytes.len();
    }
    (None, at)
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

/// How many bytes of data have a value, and the end of the last one: 0 if there is none.
pub(crate) fn count_byte(data: &[u8], meant: u8) -> (usize, usize) {
    let (examined, count, end) = dispatch::count_in_beginning(data, meant);
    let (more, last) = counted(&data[examined..], |[byte]| byte == meant);
    (count + more, if more > 0 { examined + last } else { end })
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

/// How many units of data are meant, and the end of the last one: 0 if there is none.
pub(crate) fn counted<const BYTES: usize>(
    data: &[u8],
    is_meant: impl Fn([u8; BYTES]) -> bool + Copy,
) -> (usize, usize) {
    let (units, _) = data.as_chunks::<BYTES>();
    let (mut count, mut last) = (0, None);
    for (index, block) in units.chunks(BLOCK_UNITS).enumerate() {
        let here = counted_in_block(block, is_meant);
        count += here;
        last = if here > 0 { Some((index, block)) } else { last };
    }
    let end = last.and_then(|(index, block)| {
        let within = block.iter().rposition(|&unit| is_meant(unit));
        within.map(|within| (index * BLOCK_UNITS + within + 1) * BYTES)
    });
    (count, end.unwrap_or(0))
}

fn counted_in_block<const BYTES: usize>(block: &[[u8; BYTES]], is_meant: impl Fn([u8; BYTES]) -> bool) -> usize {
    // The compiler vectorizes the sum of bytes if the count fills its loop without a remainder.
    let count = |row: &[[u8; BYTES]]| usize::from(row.iter().map(|&unit| u8::from(is_meant(unit))).sum::<u8>());
    let (rows, rest) = block.as_chunks::<ROW_UNITS>();
    rows.iter().map(|row| count(row)).sum::<usize>() + count(rest)
}
