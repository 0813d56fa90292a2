//! UTF-8 validated and counted block by block, for any machine: each lane is judged by its byte and the three before
//! it, without a branch, so the compiler makes vectors of it.

#![expect(unsafe_code, reason = "what has been validated here is said to be")]

use super::measured::Prefix;
use super::words::{self, Pace, Shared};

/// Bytes that one decision is made for.
pub const BLOCK: usize = 64;
/// Bytes before a block on which its first lanes depend.
const BEFORE: usize = 3;

/// A run of fewer bytes takes more time than as much of a block.
const SHORT_RUN: usize = 32;

/// The bytes of a block and of those on which it depends.
const WINDOW: usize = BEFORE + BLOCK;
/// A block behind the bytes on which it depends.
type Window = [u8; WINDOW];

/// The longest valid prefix of some bytes, counted.
pub fn measure(data: &[u8]) -> Prefix {
    let blocks = clean_blocks::<true>(data);
    let end = end_behind(data, blocks.end);
    // A fault may have cut the last sequence of the blocks.
    let known = if end < blocks.end { Prefix::NONE } else { blocks };
    let rest = &data[known.end..end];
    Prefix { end, count: known.count + count(rest), largest: known.largest.max(largest(rest)) }
}

/// The longest valid prefix of some bytes.
pub fn valid_prefix(data: &[u8]) -> &str {
    let text = &data[..end_behind(data, clean_blocks::<false>(data).end)];
    debug_assert!(str::from_utf8(text).is_ok(), "a block that is ill-formed was taken");
    // SAFETY: the bytes have just been validated.
    unsafe { str::from_utf8_unchecked(text) }
}

/// Whether there is no fault in a block that begins at the border of a sequence, given its largest byte; its last
/// sequence may go on behind it.
pub fn is_clean(block: &[u8; BLOCK], largest: u8) -> bool {
    largest < 0x80 || !is_ill_up_to(largest, &first_window(block))
}

/// How many bytes begin a sequence: in valid UTF-8 the number of code points.
pub fn count(data: &[u8]) -> usize {
    // So many fit in a byte, of which many are added at once.
    data.chunks(255).map(|some| usize::from(some.iter().map(|&byte| u8::from(begins(byte))).sum::<u8>())).sum()
}

/// How many bytes begin a sequence of four.
pub fn count_fours(data: &[u8]) -> usize {
    data.chunks(255).map(|some| usize::from(some.iter().map(|&byte| u8::from(byte >= 0xF0)).sum::<u8>())).sum()
}

fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// The largest byte.
#[inline(always)]
pub fn largest(data: &[u8]) -> u8 {
    data.iter().fold(0, |largest, &byte| largest.max(byte))
}

/// The blocks at the beginning without a fault, counted if that is asked for. The last sequence may go on behind them.
fn clean_blocks<const COUNTS: bool>(data: &[u8]) -> Prefix {
    let mut seen = Prefix::NONE;
    let (first, mut pace) = (data.first_chunk().map(first_window), Pace::new(SHORT_RUN));
    while let Some(block) = data[seen.end..].first_chunk::<BLOCK>() {
        if block[0] >= words::THREE && is_whole(&data[..seen.end]) {
            let length = pace.run(|| Shared::ALL.run(&data[seen.end..]));
            if length > 0 {
                seen.end += length;
                seen.count += words::count(block[0], length);
                seen.largest = seen.largest.max(block[0]);
                continue;
            }
        }
        let before = seen.end.checked_sub(BEFORE);
        let Some(window) = before.map_or(first.as_ref(), |start| data[start..].first_chunk::<WINDOW>()) else { break };
        if window.iter().fold(0, |all, &byte| all | byte) < 0x80 {
            seen.count += BLOCK;
        } else if is_ill_up_to(largest(window), window) {
            break;
        } else if COUNTS {
            seen.count += usize::from(block.iter().map(|&byte| u8::from(begins(byte))).sum::<u8>());
            seen.largest = seen.largest.max(largest(block));
        }
        seen.end += BLOCK;
    }
    seen
}

/// Whether bytes do not end within a sequence, given that they have no other fault.
fn is_whole(data: &[u8]) -> bool {
    let is_cut = |(&byte, least)| byte >= least;
    !data.iter().rev().zip([0xC0, 0xE0, 0xF0]).any(is_cut)
}

fn first_window(block: &[u8; BLOCK]) -> Window {
    let mut window = [0; WINDOW];
    window[BEFORE..].copy_from_slice(block);
    window
}

/// As [`is_ill`], given the largest byte.
#[inline(always)]
fn is_ill_up_to(largest: u8, window: &Window) -> bool {
    match largest {
        ..0xE0 => is_ill::<2>(window),
        0xE0..0xF0 => is_ill::<3>(window),
        0xF0.. => is_ill::<4>(window),
    }
}

/// Whether a byte of the block is not what those before it and itself allow; what lies before has been found to be
/// valid, and no lead is one of a sequence longer than that.
#[inline(always)]
fn is_ill<const LONGEST: usize>(window: &Window) -> bool {
    let mut ill = 0;
    for lane in 0..BLOCK {
        let [third, second, first, byte] = [window[lane], window[lane + 1], window[lane + 2], window[lane + 3]];
        let mut awaited = first.saturating_sub(0xBF);
        ill |= u8::from(byte & 0xFE == 0xC0);
        if LONGEST > 2 {
            awaited |= second.saturating_sub(0xDF) | third.saturating_sub(0xEF);
            ill |= u8::from(((first == 0xE0) & (byte < 0xA0)) | ((first == 0xED) & (byte >= 0xA0)));
        }
        if LONGEST > 3 {
            let is_outside = ((first == 0xF0) & (byte < 0x90)) | ((first == 0xF4) & (byte >= 0x90));
            ill |= u8::from((byte >= 0xF5) | is_outside);
        }
        ill |= u8::from((awaited != 0) == begins(byte));
    }
    ill != 0
}

/// Where valid bytes end, given that blocks without a fault end at an offset.
fn end_behind(data: &[u8], blocks: usize) -> usize {
    let cut = (blocks.saturating_sub(BEFORE)..blocks).rev().find(|&at| data[at] >= 0xC0);
    let border = cut.unwrap_or(blocks);
    border + data[border..].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::measured::Width;

    /// One byte of each class that the rules distinguish.
    const CLASSES: [u8; 18] =
        [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5];

    fn check(data: &[u8]) {
        let expected = data.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        assert_eq!(valid_prefix(data), expected, "{data:X?}");
        let Prefix { end, count, largest: seen } = measure(data);
        assert_eq!((end, count), (expected.len(), expected.chars().count()), "{data:X?}");
        assert_eq!(Width::of_largest(seen), Width::of_largest(largest(expected.as_bytes())), "{data:X?}");
    }

    /// Every string of so many classes, each at places around the borders of blocks.
    fn check_all(length: u32, places: &[usize]) {
        for index in 0..CLASSES.len().pow(length) {
            let bytes: Vec<u8> =
                (0..length).map(|place| CLASSES[index / CLASSES.len().pow(place) % CLASSES.len()]).collect();
            for &place in places {
                for behind in [0, 1, 70] {
                    let mut data = vec![0x61; place];
                    data.extend(&bytes);
                    data.resize(data.len() + behind, 0x61);
                    check(&data);
                }
            }
        }
    }

    #[test]
    fn every_string_of_two_classes_ends_where_the_standard_library_says() {
        let places: &[usize] = if cfg!(miri) { &[63] } else { &[0, 1, 61, 62, 63, 64, 126, 127, 128] };
        check_all(2, places);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many")]
    fn every_string_of_four_classes_ends_where_the_standard_library_says() {
        check_all(3, &[0, 61, 62, 63]);
        check_all(4, &[62]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many")]
    fn a_fault_behind_runs_of_any_lengths_is_found() {
        for (three, four) in (0..25).flat_map(|three| (0..20).map(move |four| (three, four))) {
            let runs = ("中".repeat(three) + &"😀".repeat(four)).repeat(150 / (three + four).max(1));
            for fault in [&b"\xFF"[..], b"\xE4\xB8", b"\xED\xA0\x80", b"\xF0\x9F\x98"] {
                check(&[runs.as_bytes(), fault, "中😀".as_bytes()].concat());
            }
        }
    }

    #[test]
    fn a_fault_in_the_second_block_does_not_widen_what_is_before_it() {
        let mut data = [0x61; 70];
        data[63] = 0xF0;
        assert_eq!((measure(&data).end, measure(&data).largest), (63, 0x61));
        data[62..64].copy_from_slice("é".as_bytes());
        data[64] = 0xFF;
        assert_eq!((measure(&data).end, measure(&data).count, measure(&data).largest), (64, 63, 0xC3));
    }

    #[test]
    fn counts_do_not_overflow() {
        for length in [0, 254, 255, 256, 600] {
            assert_eq!((count(&vec![0xF0; length]), count_fours(&vec![0xF0; length])), (length, length));
            assert_eq!((count(&vec![0x80; length]), count_fours(&vec![0xE0; length])), (0, 0));
        }
    }
}
