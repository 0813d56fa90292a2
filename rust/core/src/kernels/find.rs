//! Searching for values in ranges: blocks without a branch, which the compiler makes vectors of.

use super::Text;

const BLOCK: usize = 64;

/// Where the first byte is that lies in one of the ranges.
#[must_use]
pub fn find_byte(data: &[u8], ranges: &[(u8, u8)]) -> Option<usize> {
    ranges.iter().filter_map(|&(low, high)| first(data, |byte| byte.wrapping_sub(low) <= high - low)).min()
}

/// Where the first two bytes are that one of the pairs (a byte, then a range) holds.
#[must_use]
pub fn find_pair(data: &[u8], pairs: &[(u8, (u8, u8))]) -> Option<usize> {
    pairs.iter().filter_map(|&(lead, seconds)| one_pair(data, lead, seconds)).min()
}

fn one_pair(data: &[u8], lead: u8, (low, high): (u8, u8)) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = first(&data[at..], |byte| byte == lead) {
        at += found;
        match data.get(at + 1) {
            Some(second) if second.wrapping_sub(low) <= high - low => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Where the first code point of a text is that lies in one of the ranges.
#[must_use]
pub fn find_point(text: Text<'_>, ranges: &[(u32, u32)]) -> Option<usize> {
    let each = |&(low, high): &(u32, u32)| match text {
        Text::One(points) => {
            let (low, high) = (u8::try_from(low).ok()?, u8::try_from(high).unwrap_or(u8::MAX));
            first(points, |point| point.wrapping_sub(low) <= high - low)
        }
        Text::Two(points) => {
            let (low, high) = (u16::try_from(low).ok()?, u16::try_from(high).unwrap_or(u16::MAX));
            first(points, |point| point.wrapping_sub(low) <= high - low)
        }
        Text::Four(points) => first(points, |point| point.wrapping_sub(low) <= high - low),
    };
    ranges.iter().filter_map(each).min()
}

#[inline]
pub(super) fn first<T: Copy>(data: &[T], is_meant: impl Fn(T) -> bool) -> Option<usize> {
    let mut blocks = data.chunks_exact(BLOCK);
    let mut at = 0;
    for block in &mut blocks {
        if block.iter().fold(false, |found, &each| found | is_meant(each)) {
            break;
        }
        at += BLOCK;
    }
    data[at..].iter().position(|&each| is_meant(each)).map(|found| at + found)
}
