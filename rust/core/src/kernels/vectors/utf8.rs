//! UTF-8 itself, with its rules as constants: validated, counted and measured in one pass, and written.
//!
//! Two adjacent bytes reveal most of what can be wrong.

use eightfold_features::vectors;

use super::encode::write_utf8;
use super::machine::*;
use super::rules::Rules;
use super::{Bytes, bytes_of, fetch_ahead, part};
use crate::code_point::STARTS;
use crate::derive::agreement::Agreement;
use crate::derive::instead::Instead;
use crate::derive::spelling::Spelling;
use crate::kernels::measured::{Prefix, cut_bytes};
use crate::kernels::neighbours::UTF_8;
use crate::kernels::output::Output;
use crate::kernels::spelt::Spelt;
use crate::kernels::text::Text;
use crate::policy::Lacking;

/// Not 0 in the lanes of bytes that are ill-formed after those before them.
#[inline]
#[vectors]
fn broken(rules: &Rules, bytes: Vector, before: Vector) -> Vector {
    let [nearest, second, third] =
        [following::<15>(before, bytes), following::<14>(before, bytes), following::<13>(before, bytes)];
    rules.broken(bytes, [nearest, second, third])
}

/// Measure the blocks that are valid from the first byte on.
#[vectors]
pub fn measure_blocks(data: &[u8]) -> Prefix {
    let ascii = ascii_blocks(data);
    let rest = measure(&data[ascii..], |_| false);
    Prefix { end: ascii + rest.end, count: ascii + rest.count, ..rest }
}

/// The length of the blocks of ASCII from the first byte on. Nothing is counted of them, which takes half of the time.
#[vectors]
fn ascii_blocks(data: &[u8]) -> usize {
    let is_ascii = |block: &&[u8; 128]| {
        let [[first, second], [third, fourth]] = [0, 64].map(|at| {
            fetch_ahead(*block, at);
            Bytes::of(block, at).0
        });
        is_ascii(or(or(first, second), or(third, fourth)))
    };
    128 * data.as_chunks().0.iter().take_while(is_ascii).count()
}

/// Measure all of some bytes in one pass without a branch for what a vector holds; [`Prefix::NONE`] if they are
/// invalid, or fewer than 35: the last 32 are looked at together with the three before them, whether or not some were
/// looked at already.
#[vectors]
pub fn measure_all(data: &[u8]) -> Prefix {
    let Some(first) = data.first_chunk().filter(|_| data.len() >= 35) else { return Prefix::NONE };
    let (rules, mut last) = (Rules::new(&UTF_8), load_32(first));
    let (mut wrong, mut largest) = (broken(&rules, last, zero()), last);
    let mut count = mask(are_continuations(last)).count_zeros();
    for at in (32..data.len()).step_by(32) {
        if !is_none(wrong) {
            return Prefix::NONE;
        }
        let start = at.min(data.len() - 32);
        let window: &[u8; 35] = data[start - 3..].first_chunk().expect("the last vector ends with the data");
        let [third, second, nearest] = [0, 1, 2].map(|before| load_32(part(window, before)));
        last = load_32(part(window, 3));
        wrong = or(wrong, rules.broken(last, [nearest, second, third]));
        largest = max_8(largest, last);
        count += (!mask(are_continuations(last)) >> (at - start)).count_ones();
    }
    if !is_none(wrong) || is_cut(last) {
        return Prefix::NONE;
    }
    Prefix { end: data.len(), count: count as usize, largest: largest_of(largest) }
}

/// As [`measure_blocks`], for a form that differs from UTF-8 only in some lead bytes of four and in U+0000, up to a
/// block with those.
#[vectors]
pub fn measure_shared(data: &[u8], agreement: &Agreement) -> Prefix {
    let parts_at = |first: u8, last: u8| agreement.leads.iter().any(|range| (first..=last).contains(&range.0));
    let is_told = |range: &(u8, u8)| *range == (0, 0) || range.0 >= 0xF0;
    if !agreement.worthwhile || !agreement.pairs.is_empty() || !agreement.leads.iter().all(is_told) {
        return Prefix::NONE;
    }
    let (nul_parts, four_part) = (parts_at(0, 0), parts_at(0xF0, 0xFF));
    measure(data, |bytes| (nul_parts && bytes.equal(0) != 0) || (four_part && bytes.at_least(0xF0) != 0))
}

#[inline]
#[vectors]
fn measure(data: &[u8], parts: impl Fn(Bytes) -> bool) -> Prefix {
    let (mut count, mut largest, mut seen) = (0, zero(), zero());
    let end = each_valid(data, |bytes, is_ascii| {
        if parts(bytes) {
            return false;
        }
        count += if is_ascii { 64 } else { (!bytes.continuations()).count_ones() as usize };
        (largest, seen) = (max_8(largest, seen), max_8(bytes.0[0], bytes.0[1]));
        true
    });
    // A sequence that continues behind the blocks is left to the caller, who sees all of it; its lead byte is not
    // counted.
    let cut = cut_bytes(&data[..end]);
    let of_last = data[end.saturating_sub(64)..end - cut].iter().fold(0, |largest, &byte| byte.max(largest));
    Prefix { end: end - cut, count: count - usize::from(cut > 0), largest: largest_of(largest).max(of_last) }
}

/// The length of the whole blocks, from the first on, that are valid.
#[vectors]
pub fn valid_pieces(data: &[u8]) -> usize {
    let end = each_valid(data, |_, _| true);
    end - cut_bytes(&data[..end])
}

/// Pass each block that is valid after those before it to a function, with whether it is ASCII, until it refuses one.
/// Returns the end of the last block that it took.
#[inline]
#[vectors]
fn each_valid(data: &[u8], mut take: impl FnMut(Bytes, bool) -> bool) -> usize {
    let rules = Rules::new(&UTF_8);
    let (mut end, mut before) = (0, zero());
    for block in data.as_chunks::<64>().0 {
        fetch_ahead(data, end);
        let bytes = Bytes::of(block, 0);
        let ([low, high], is_ascii) = (bytes.0, bytes.are_ascii());
        let is_valid = if is_ascii {
            !is_cut(before)
        } else {
            is_none(or(broken(&rules, low, before), broken(&rules, high, low)))
        };
        if !is_valid || !take(bytes, is_ascii) {
            break;
        }
        (before, end) = (high, end + 64);
    }
    end
}

/// How UTF-8 writes code points.
pub static SPELLING: Spelling = Spelling {
    starts: STARTS,
    offsets: [0; 3],
    gap: (0, 0),
    nul_is_one: true,
    nul_is_two: false,
    splits: false,
    escapes: None,
    joins: false,
    missing: Vec::new(),
    lacking: Lacking::Stop,
    instead: Instead::Stop,
};
static AGREEMENT: Agreement = Agreement { leads: Vec::new(), pairs: Vec::new(), apart: Vec::new(), worthwhile: true };

/// Write text without surrogates and without values beyond Unicode.
#[vectors]
pub fn write(text: Text<'_>, out: &mut Output<'_, u8>) {
    write_utf8(&Spelt { spelling: &SPELLING, agreement: &AGREEMENT, text }, out);
}

/// The largest bytes behind which no sequence continues.
static MOST_AT_END: [u8; 32] = {
    let mut most = [0xFF; 32];
    [most[29], most[30], most[31]] = [0xEF, 0xDF, 0xBF];
    most
};

/// Whether a sequence continues behind 32 valid bytes.
#[inline]
#[vectors]
fn is_cut(bytes: Vector) -> bool {
    !is_none(sub_to_zero_8(bytes, load_32(&MOST_AT_END)))
}

/// The largest byte above 7F, if there is one.
#[inline]
#[vectors]
fn largest_of(bytes: Vector) -> u8 {
    bytes_of(bytes).into_iter().max().unwrap_or(0)
}
