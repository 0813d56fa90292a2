//! Well-formed text of any form that has a layout, written as code points. Nothing is checked here: measuring has shown
//! that the text is clean.
//!
//! UTF-8 is the layout about which nothing needs to be known: code that `None` and `false` stand for is compiled out.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::units::ordered;
use super::{
    OR_AND, bytes_64, each_place, fetch_ahead, four_times, low_64, pairs, put_32, put_bytes, put_two_16, sequences_at,
    values_of,
};
use crate::code_point::is_continuation;
use crate::derive::layout::Layout;
use crate::kernels::output::Output;

/// Write text of U+0000 to U+00FF as bytes: the two lowest bits of a lead byte, with the six of its continuation byte.
#[inline]
#[avx512]
pub fn write_ucs1(text: &[u8], shift: Option<&Layout>, out: &mut Output<'_, u8>) {
    for at in (0..text.len()).step_by(64) {
        fetch_ahead(text, at);
        let bytes = bytes_64(text, at);
        if _mm512_movepi8_mask(bytes) == 0 {
            put_bytes(out, bytes, (text.len() - at).min(64));
            continue;
        }
        let next = bytes_64(text, at + 1);
        let leads = _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8));
        let upper = _mm512_and_si512(_mm512_slli_epi16::<6>(bytes), _mm512_set1_epi8(0xC0_u8 as i8));
        let mut pairs = _mm512_ternarylogic_epi32::<OR_AND>(upper, next, _mm512_set1_epi8(0x3F));
        if let Some(layout) = shift {
            pairs = _mm512_add_epi8(pairs, _mm512_set1_epi8(layout.offsets[0] as i8));
        }
        let points = _mm512_mask_mov_epi8(bytes, leads, pairs);
        let begins = begins_64(bytes) & low_64(text.len() - at);
        put_bytes(out, _mm512_maskz_compress_epi8(begins, points), begins.count_ones() as usize);
    }
}

/// Write text of U+0000 to U+FFFF as 16-bit units, in the byte order of other machines if `SWAPPED`. Each `Taker` has
/// code of its own, which is inlined.
#[inline]
#[avx512]
pub fn write_ucs2<const SWAPPED: bool, Taker>(text: &[u8], shift: Option<&Layout>, out: &mut Output<'_, u16>) {
    for at in (0..text.len()).step_by(64) {
        fetch_ahead(text, at);
        // One check does for a block with text around it: on a busy machine each instruction counts.
        let (units, count) = match text.get(at.wrapping_sub(2)..).and_then(<[u8]>::first_chunk::<67>) {
            Some(window) => {
                let ending = [0, 1, 2].map(|start| bytes_64(window, start));
                ends(ending, is_continuation(window[66]), !0, shift)
            }
            None => {
                let ending = [bytes_before(text, at, 2), bytes_before(text, at, 1), bytes_64(text, at)];
                let goes_on = text.get(at + 64).is_some_and(|&byte| is_continuation(byte));
                ends(ending, goes_on, low_64(text.len() - at), shift)
            }
        };
        put_two_16::<Taker>(out, units.map(|units| ordered::<2>(units, SWAPPED)), count);
    }
}

/// Some lanes of a block as 16-bit units, with their number. Each is composed in the lane where its sequence ends, from
/// the last byte and the two before it, of which three vectors are given; `goes_on` says whether the last sequence ends
/// behind the block.
#[inline]
#[avx512]
fn ends(
    [first, second, third]: [__m512i; 3],
    goes_on: bool,
    lanes: u64,
    shift: Option<&Layout>,
) -> ([__m512i; 2], usize) {
    if _mm512_movepi8_mask(third) == 0 {
        let halves = [_mm512_castsi512_si256(third), _mm512_extracti64x4_epi64::<1>(third)];
        return (halves.map(|half| _mm512_cvtepu8_epi16(half)), lanes.count_ones() as usize);
    }
    let continuing = |bytes| _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8));
    // Bits that come from the neighbouring byte of a pair are masked off.
    let two_bits = _mm512_slli_epi16::<6>(second);
    let lower = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xC0_u8 as i8), two_bits, third);
    let lower = _mm512_mask_mov_epi8(third, continuing(third), lower);
    // In a sequence of two bytes, the second to last byte is a lead byte; its payload ends at the same bit as that of a
    // continuation byte.
    let four_bits = _mm512_maskz_mov_epi8(continuing(second), _mm512_slli_epi16::<4>(first));
    let middle = _mm512_srli_epi16::<2>(second);
    let upper = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xF0_u8 as i8), four_bits, middle);
    let upper = _mm512_maskz_mov_epi8(continuing(third), upper);
    let ends = !(continuing(third) >> 1 | u64::from(goes_on) << 63) & lanes;
    let longer = [continuing(third), continuing(third) & continuing(second)];
    let [lower, upper] = shift.map_or([lower, upper], |layout| offset_bytes(layout, [lower, upper], longer));
    let mut units = joined(lower, upper, ends);
    if let Some(layout) = shift {
        units = units.map(|units| beyond_gap(layout, units));
    }
    (units, ends.count_ones() as usize)
}

/// The 16-bit units of some lanes, given as lower and upper bytes.
#[inline]
#[avx512]
pub fn joined(lower: __m512i, upper: __m512i, lanes: u64) -> [__m512i; 2] {
    // Reorder quarters of eight so that the lower and the upper halves end up next to each other.
    let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    let [lower, upper] =
        [lower, upper].map(|bytes| _mm512_permutexvar_epi64(order, _mm512_maskz_compress_epi8(lanes, bytes)));
    [_mm512_unpacklo_epi8(lower, upper), _mm512_unpackhi_epi8(lower, upper)]
}

/// The block that begins some bytes before an offset, with zeros before the text. The offset is 0, or at least as many.
#[inline]
#[avx512]
pub fn bytes_before(text: &[u8], at: usize, count: usize) -> __m512i {
    debug_assert!(at == 0 || at >= count);
    if let Some(start) = at.checked_sub(count) {
        return bytes_64(text, start);
    }
    let places = _mm512_sub_epi8(each_place(), _mm512_set1_epi8(count as i8));
    _mm512_maskz_permutexvar_epi8(!0 << count, places, bytes_64(text, 0))
}

/// The bits of b where a is set, otherwise those of c.
pub const CHOICE: i32 = 0xCA;

/// Write text as 32-bit units; if `pairs_join`, a surrogate pair becomes its supplementary code point.
#[inline]
#[avx512]
pub fn write_ucs4(text: &[u8], shift: Option<&Layout>, pairs_join: bool, out: &mut Output<'_, u32>) {
    each_points(text, shift, pairs_join, |points, count| put_32(out, points, count));
}

/// Pass the code points of text, up to sixteen at a time; as for [`write_ucs4`].
///
/// The positions of what begins are compressed, sixteen of them fetch four bytes each, and those become code points at
/// once.
#[inline]
#[avx512]
pub fn each_points(text: &[u8], shift: Option<&Layout>, pairs_join: bool, mut put: impl FnMut(__m512i, usize)) {
    let (mut at, mut leads, mut guess) = (0, 0, pairs::Guess::default());
    while at < text.len() {
        fetch_ahead(text, at);
        // Where two blocks are left, one check does for both.
        let (bytes, after, lanes) = match text[at..].first_chunk::<128>() {
            Some(blocks) => (bytes_64(blocks, 0), bytes_64(blocks, 64), !0),
            None => (bytes_64(text, at), bytes_64(text, at + 64), low_64(text.len() - at)),
        };
        let mut begins = begins_64(bytes) & lanes;
        let surrogates = if pairs_join { surrogates(bytes, bytes_64(text, at + 1)) } else { Surrogates::NONE };
        begins &= !(surrogates.trails & (surrogates.leads << 3 | leads));
        if surrogates.leads != 0 && guess.is_run(surrogates.leads) {
            let border = at + begins.trailing_zeros() as usize;
            let length = pairs::each(&text[border..], &mut put);
            if length > 0 {
                (at, leads) = (border + length, 0);
                continue;
            }
        }
        leads = surrogates.leads >> 61;
        let mut places = _mm512_maskz_compress_epi8(begins, each_place());
        let mut left = begins.count_ones() as usize;
        while left > 0 {
            let at = four_times(places);
            let sequences = sequences_at(bytes, after, at);
            let mut points = values_of(sequences);
            if let Some(layout) = shift {
                points = shifted_32(layout, sequences, points);
            }
            if surrogates.leads != 0 {
                points = with_pairs(points, sequences, halves_at(bytes, after, at));
            }
            put(points, left.min(16));
            places = _mm512_alignr_epi32::<4>(_mm512_setzero_si512(), places);
            left = left.saturating_sub(16);
        }
        at += 64;
    }
}

/// All lanes except continuation bytes.
#[inline]
#[avx512]
pub fn begins_64(bytes: __m512i) -> u64 {
    _mm512_cmpge_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8))
}

/// Lanes in which surrogate byte sequences begin.
pub struct Surrogates {
    pub leads: u64,
    pub trails: u64,
}

impl Surrogates {
    pub const NONE: Surrogates = Surrogates { leads: 0, trails: 0 };
}

/// Find the surrogate byte sequences among bytes, given those one further.
#[inline]
#[avx512]
pub fn surrogates(bytes: __m512i, next: __m512i) -> Surrogates {
    let first = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(0xED_u8 as i8));
    if first == 0 {
        return Surrogates::NONE;
    }
    let second = |least: u8| _mm512_mask_cmpge_epu8_mask(first, next, _mm512_set1_epi8(least as i8));
    let (all, trails) = (second(0xA0), second(0xB0));
    Surrogates { leads: all & !trails, trails }
}

/// The payload bytes of the surrogate pairs that begin at sixteen positions, if any do: the second, third, fifth and
/// sixth. Each position is given four times.
#[inline]
#[avx512]
pub fn halves_at(bytes: __m512i, after: __m512i, places: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(bytes, _mm512_add_epi8(places, _mm512_set1_epi32(0x0102_0405)), after)
}

/// The code points of sequences, including surrogate pairs.
#[inline]
#[avx512]
fn with_pairs(points: __m512i, sequences: __m512i, halves: __m512i) -> __m512i {
    // A lead, and the first and second byte of a trail.
    let first = _mm512_and_si512(sequences, _mm512_set1_epi32(0xFFF0_00FF_u32 as i32));
    let leads = _mm512_cmpeq_epi32_mask(first, _mm512_set1_epi32(0xEDA0_00ED_u32 as i32));
    let second = _mm512_and_si512(halves, _mm512_set1_epi32(0x3000));
    let pairs = _mm512_mask_cmpeq_epi32_mask(leads, second, _mm512_set1_epi32(0x3000));
    _mm512_mask_mov_epi32(points, pairs, pairs::joined_32(halves))
}

/// Payloads of up to three bytes, each as its lower and its upper byte, with their offsets added; given the lanes of
/// longer sequences than one byte, and those of three. Here a vector has 64 of them: units of 16 bits would be twice as
/// many vectors.
#[inline]
#[avx512]
fn offset_bytes(layout: &Layout, [lower, upper]: [__m512i; 2], [longer, three]: [u64; 2]) -> [__m512i; 2] {
    let [low, high] = [0, 8].map(|bits| {
        let [two_bytes, three_bytes] = [0, 1].map(|at| _mm512_set1_epi8((layout.offsets[at] >> bits) as i8));
        _mm512_mask_mov_epi8(_mm512_maskz_mov_epi8(longer, two_bytes), three, three_bytes)
    });
    let lower = _mm512_add_epi8(lower, low);
    let carries = _mm512_cmplt_epu8_mask(lower, low);
    let upper = _mm512_add_epi8(upper, high);
    [lower, _mm512_mask_sub_epi8(upper, carries, upper, _mm512_set1_epi8(-1))]
}

/// The code points of payloads of up to three bytes.
#[inline]
#[avx512]
pub fn shifted_16(layout: &Layout, points: __m512i, two: u32, three: u32) -> __m512i {
    let points = _mm512_mask_add_epi16(points, two & !three, points, _mm512_set1_epi16(layout.offsets[0] as i16));
    let points = _mm512_mask_add_epi16(points, three, points, _mm512_set1_epi16(layout.offsets[1] as i16));
    beyond_gap(layout, points)
}

/// Values of up to three bytes as code points, moved past the gap that a form leaves out: those of two bytes are before
/// it.
#[inline]
#[avx512]
fn beyond_gap(layout: &Layout, values: __m512i) -> __m512i {
    let beyond = _mm512_cmpge_epu16_mask(values, _mm512_set1_epi16(layout.gap.0 as i16));
    _mm512_mask_add_epi16(values, beyond, values, _mm512_set1_epi16(layout.gap.1 as i16))
}

/// The code points of payloads, given their sequences.
#[inline]
#[avx512]
pub fn shifted_32(layout: &Layout, sequences: __m512i, points: __m512i) -> __m512i {
    // The upper half of the lead byte, which is the highest in its lane, determines the length.
    let [two, three, four] = layout.offsets.map(|offset| offset as i32);
    let offsets = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, two, two, three, four);
    let points = _mm512_add_epi32(points, _mm512_permutexvar_epi32(_mm512_srli_epi32::<28>(sequences), offsets));
    let beyond = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(layout.gap.0 as i32));
    _mm512_mask_add_epi32(points, beyond, points, _mm512_set1_epi32(layout.gap.1 as i32))
}

/// Who writes UTF-8, of which nothing needs to be known.
enum Utf8 {}

/// Write valid UTF-8 of U+0000 to U+00FF as bytes.
#[avx512]
pub fn to_latin1(text: &[u8], out: &mut Output<'_, u8>) {
    out.go_on(|out| write_ucs1(text, None, out));
}

/// Write valid UTF-8 of U+0000 to U+FFFF as 16-bit units.
#[avx512]
pub fn to_ucs2(text: &[u8], out: &mut Output<'_, u16>) {
    out.go_on(|out| write_ucs2::<false, Utf8>(text, None, out));
}

/// As [`to_ucs2`], in the byte order of other machines.
#[cfg(feature = "simdutf")]
#[avx512]
pub fn to_swapped_ucs2(text: &[u8], out: &mut Output<'_, u16>) {
    out.go_on(|out| write_ucs2::<true, Utf8>(text, None, out));
}

/// Write valid UTF-8 as 32-bit units.
#[avx512]
pub fn to_ucs4(text: &[u8], out: &mut Output<'_, u32>) {
    out.go_on(|out| write_ucs4(text, None, false, out));
}
