//! UTF-8 itself, with its rules as constants: validated, counted and measured in one pass, and written.
//!
//! Two adjacent bytes reveal most of what can be wrong.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::encode::write_spelt;
use super::rules::{CONTINUATION, Rules, sides, tables};
use super::{Bytes, bytes_of, fetch_ahead, halves, is_none};
use crate::derive::agreement::Agreement;
use crate::derive::spelling::Spelling;
use crate::kernels::measured::Prefix;
use crate::kernels::output::Output;
use crate::kernels::spelt::Spelt;
use crate::kernels::text::Text;
use crate::policy::Lacking;

/// Continuation bytes that are wrong behind lead bytes.
static TABLES: [[u8; 16]; 3] = tables(&sides([
    // C0 and C1.
    [1 << 0xC, 1 | 1 << 1, CONTINUATION],
    // E0 before 80 to 9F, and ED before A0 to BF.
    [1 << 0xE, 1, 1 << 8 | 1 << 9],
    [1 << 0xE, 1 << 0xD, 1 << 0xA | 1 << 0xB],
    // F0 before 80 to 8F, F4 before 90 to BF, and what is larger before any.
    [1 << 0xF, 0xFFE1, 1 << 8],
    [1 << 0xF, 0xFFF0, CONTINUATION & !(1 << 8)],
]));

/// Not 0 in the lanes of bytes that are ill-formed after those before them.
#[inline]
#[avx2]
fn broken(rules: &Rules, bytes: __m256i, before: __m256i) -> __m256i {
    let across = _mm256_permute2x128_si256::<0x21>(before, bytes);
    let [nearest, second, third] = [
        _mm256_alignr_epi8::<15>(bytes, across),
        _mm256_alignr_epi8::<14>(bytes, across),
        _mm256_alignr_epi8::<13>(bytes, across),
    ];
    rules.broken(bytes, [nearest, second, third])
}

/// Measure the blocks that are valid from the first byte on.
#[avx2]
pub fn measure_blocks(data: &[u8]) -> Prefix {
    measure(data, |_| false)
}

/// The same for a form that differs from UTF-8 only in some lead bytes of four and in U+0000, up to a block with those.
#[avx2]
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
#[avx2]
fn measure(data: &[u8], parts: impl Fn(Bytes) -> bool) -> Prefix {
    let (mut count, mut largest, mut seen) = (0, _mm256_setzero_si256(), _mm256_setzero_si256());
    let end = each_valid(data, |bytes, is_ascii| {
        if parts(bytes) {
            return false;
        }
        count += if is_ascii { 64 } else { (!bytes.continuations()).count_ones() as usize };
        (largest, seen) = (_mm256_max_epu8(largest, seen), _mm256_max_epu8(bytes.0[0], bytes.0[1]));
        true
    });
    // A sequence that continues behind the blocks is left to the caller, who sees all of it; its lead byte is not counted.
    let cut = cut_bytes(&data[..end]);
    let of_last = data[end.saturating_sub(64)..end - cut].iter().fold(0, |largest, &byte| byte.max(largest));
    Prefix { end: end - cut, count: count - usize::from(cut > 0), largest: largest_of(largest).max(of_last) }
}

/// The length of the whole blocks, from the first on, that are valid.
#[avx2]
pub fn valid_pieces(data: &[u8]) -> usize {
    let end = each_valid(data, |_, _| true);
    end - cut_bytes(&data[..end])
}

/// Pass each block that is valid after those before it to a function, with whether it is ASCII, until it refuses one.
/// Returns the end of the last block that it took.
#[inline]
#[avx2]
fn each_valid(data: &[u8], mut take: impl FnMut(Bytes, bool) -> bool) -> usize {
    let rules = Rules::new(&TABLES);
    let (mut end, mut before) = (0, _mm256_setzero_si256());
    for block in data.as_chunks::<64>().0 {
        fetch_ahead(data, end);
        let bytes = Bytes::of(block, 0);
        let ([low, high], is_ascii) = (bytes.0, bytes.are_ascii());
        let is_valid = if is_ascii {
            !is_cut(before)
        } else {
            is_none(_mm256_or_si256(broken(&rules, low, before), broken(&rules, high, low)))
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
    starts: [0x80, 0x800, 0x1_0000],
    offsets: [0; 3],
    gap: (0, 0),
    nul_is_one: true,
    nul_is_two: false,
    splits: false,
    escapes: None,
    joins: false,
    missing: Vec::new(),
    lacking: Lacking::Stop,
};
static AGREEMENT: Agreement = Agreement { leads: Vec::new(), pairs: Vec::new(), apart: Vec::new(), worthwhile: true };

/// Write text without surrogates and without values beyond Unicode.
#[avx2]
pub fn write(text: Text<'_>, out: &mut Output<'_, u8>) {
    write_spelt(&Spelt { spelling: &SPELLING, agreement: &AGREEMENT, text }, 0, text.len(), out);
}

/// Whether a sequence continues behind 32 valid bytes.
#[inline]
#[avx2]
fn is_cut(bytes: __m256i) -> bool {
    let most =
        _mm_setr_epi8(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0xEF_u8 as i8, 0xDF_u8 as i8, 0xBF_u8 as i8);
    let beyond = _mm_subs_epu8(halves(bytes)[1], most);
    _mm_testz_si128(beyond, beyond) == 0
}

/// The bytes at the end of valid text that belong to a sequence which continues behind it.
fn cut_bytes(text: &[u8]) -> usize {
    let is_cut = |&behind: &usize| text[text.len() - behind] >= [0xC0, 0xE0, 0xF0][behind - 1];
    (1..=text.len().min(3)).find(is_cut).unwrap_or(0)
}

/// The largest byte above 7F, if there is one.
#[inline]
#[avx2]
fn largest_of(bytes: __m256i) -> u8 {
    bytes_of(bytes).into_iter().max().unwrap_or(0)
}
