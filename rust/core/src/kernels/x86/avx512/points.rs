//! The code points of a block, of which it is known what begins in which lane.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::clean::{CHOICE, halves_at, joined, shifted_16, shifted_32};
use super::look::{Reader, Window, bytes_of, is_at_least, last_8};
use super::pairs::joined_32;
use super::{
    OR_AND, bytes_32, each_place, four_times, put_16, put_32, put_bytes, put_two_16, put_two_32, sequences_at,
    values_of,
};
use crate::derive::layout::Pairs;
use crate::kernels::output::Output;
use crate::kernels::source::Note;

/// Store the code points of a block up to U+00FF.
#[inline]
#[avx512]
pub fn put_latin1(reader: &Reader<'_>, window: &Window, note: &Note, out: &mut Output<'_, u8>) {
    // The values are ASCII, or the two lowest bits of a lead byte with the six of its continuation byte.
    let [b0, b1] = [0, 1].map(|from| bytes_of(window, from));
    let upper = _mm512_and_si512(_mm512_slli_epi16::<6>(b0), _mm512_set1_epi8(0xC0_u8 as i8));
    let pair = _mm512_ternarylogic_epi32::<OR_AND>(upper, b1, _mm512_set1_epi8(0x3F));
    let pair = _mm512_add_epi8(pair, _mm512_set1_epi8(reader.layout.offsets[0] as i8));
    let points = _mm512_mask_mov_epi8(b0, is_at_least(b0, 0xC0), pair);
    put_bytes(out, _mm512_maskz_compress_epi8(note.begins, points), note.begins.count_ones() as usize);
}

/// Store the code points of a block up to U+FFFF.
#[inline]
#[avx512]
#[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own, which is inlined")]
pub fn put_narrow<Taker>(reader: &Reader<'_>, window: &Window, note: &Note, out: &mut Output<'_, u16>) {
    if note.is_each() {
        put_each(reader, window, note.ill, out);
    } else if reader.has_plain_bytes {
        put_units(reader, window, note, out);
    } else {
        put_half::<0>(reader, window, note, out);
        put_half::<32>(reader, window, note, out);
    }
}

/// Store the bytes of a block each as a code point, or the answer to one.
#[inline]
#[avx512]
fn put_each(reader: &Reader<'_>, window: &Window, mut ill: u64, out: &mut Output<'_, u16>) {
    let bytes = bytes_of(window, 0);
    for units in [_mm512_castsi512_si256(bytes), _mm512_extracti64x4_epi64::<1>(bytes)] {
        put_16(out, reader.answered_16(_mm512_cvtepu8_epi16(units), ill as u32), 32);
        ill >>= 32;
    }
}

/// Store the code points of a block, byte by byte.
#[inline]
#[avx512]
fn put_units(reader: &Reader<'_>, window: &Window, note: &Note, out: &mut Output<'_, u16>) {
    let [b0, b1, b2] = [0, 1, 2].map(|from| bytes_of(window, from));
    let (two, three) = (is_at_least(b0, 0xC0), is_at_least(b0, 0xE0));
    // The second to last and the last byte of each sequence.
    let last = [_mm512_mask_mov_epi8(b0, three, b1), _mm512_mask_mov_epi8(b1, three, b2)];
    let two_bits = _mm512_slli_epi16::<6>(last[0]);
    let lower = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xC0_u8 as i8), two_bits, last[1]);
    let four_bits = _mm512_maskz_mov_epi8(three, _mm512_slli_epi16::<4>(b0));
    let middle = _mm512_srli_epi16::<2>(last[0]);
    let upper = _mm512_ternarylogic_epi32::<CHOICE>(_mm512_set1_epi8(0xF0_u8 as i8), four_bits, middle);
    let (lower, upper) = (_mm512_mask_mov_epi8(b0, two, lower), _mm512_maskz_mov_epi8(two, upper));
    let answer = match reader.escape {
        Some(base) => (b0, (base >> 8) as i8),
        None => (_mm512_set1_epi8(0xFD_u8 as i8), 0xFF_u8 as i8),
    };
    let mut lower = _mm512_mask_mov_epi8(lower, note.ill, answer.0);
    let mut upper = _mm512_mask_mov_epi8(upper, note.ill, _mm512_set1_epi8(answer.1));
    if note.odd != 0 {
        lower = _mm512_mask_mov_epi8(lower, note.odd, _mm512_set1_epi8(0xFD_u8 as i8));
        upper = _mm512_mask_mov_epi8(upper, note.odd, _mm512_set1_epi8(-1));
    }
    enum Noted {}
    put_two_16::<Noted>(out, joined(lower, upper, note.begins), note.begins.count_ones() as usize);
}

/// Store the code points of half a block, the lanes from `FIRST` on.
#[inline]
#[avx512]
fn put_half<const FIRST: usize>(reader: &Reader<'_>, window: &Window, note: &Note, out: &mut Output<'_, u16>) {
    let half = |mask: u64| (mask >> FIRST) as u32;
    let [b0, b1, b2] = [0, 1, 2].map(|from| _mm512_cvtepu8_epi16(bytes_32(window, FIRST + from)));
    let [two, three] = [0xC0, 0xE0].map(|least| _mm512_cmpge_epu16_mask(b0, _mm512_set1_epi16(least)));
    let payload = _mm512_set1_epi16(0x3F);
    let of_two = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(b0), b1, payload);
    let of_three = _mm512_ternarylogic_epi32::<OR_AND>(_mm512_slli_epi16::<6>(of_two), b2, payload);
    let mut points = _mm512_mask_mov_epi16(b0, two, _mm512_and_si512(of_two, _mm512_set1_epi16(0x7FF)));
    points = _mm512_mask_mov_epi16(points, three, of_three);
    if let Some(layout) = reader.shift {
        points = shifted_16(layout, points, two, three);
    }
    points = _mm512_mask_mov_epi16(points, half(note.ill), reader.answered_16(b0, half(note.ill)));
    let begins = half(note.begins);
    put_16(out, _mm512_maskz_compress_epi16(begins, points), begins.count_ones() as usize);
}

/// Store what begins in some lanes, of which some are ill-formed or odd: the positions are compressed, sixteen of them
/// fetch four bytes each, and those become code points.
#[inline]
#[avx512]
#[expect(clippy::extra_unused_type_parameters, reason = "each caller has its own, which is inlined")]
pub fn put_points<Taker>(
    reader: &Reader<'_>,
    window: &Window,
    [begins, ill, odd]: [u64; 3],
    out: &mut Output<'_, u32>,
) {
    let joins = reader.layout.pairs == Pairs::Joined;
    let (bytes, after) = (bytes_of(window, 0), last_8(window));
    let mut places = _mm512_maskz_compress_epi8(begins, each_place());
    let mut ill = _pext_u64(ill, begins);
    let mut odd = if odd == 0 { 0 } else { _pext_u64(odd, begins) };
    let mut next = || {
        let at = four_times(places);
        let sequences = sequences_at(bytes, after, at);
        let mut points = values_of(sequences);
        if let Some(layout) = reader.shift {
            points = shifted_32(layout, sequences, points);
        }
        // Branchless: which lanes are ill-formed cannot be foreseen.
        let answers = match reader.escape {
            Some(base) => _mm512_add_epi32(_mm512_srli_epi32::<24>(sequences), _mm512_set1_epi32(base as i32)),
            None => _mm512_set1_epi32(0xFFFD),
        };
        points = _mm512_mask_mov_epi32(points, ill as u16, answers);
        if odd as u16 != 0 {
            let odd_points = if joins { joined_32(halves_at(bytes, after, at)) } else { _mm512_set1_epi32(0xFFFD) };
            points = _mm512_mask_mov_epi32(points, odd as u16, odd_points);
        }
        places = _mm512_alignr_epi32::<4>(_mm512_setzero_si512(), places);
        (ill, odd) = (ill >> 16, odd >> 16);
        points
    };
    // Branchless too: in a block of emoji with faults about sixteen lanes begin something, sometimes more.
    let count = begins.count_ones() as usize;
    put_two_32(out, [next(), next()], count.min(32));
    for behind in (32..count).step_by(16) {
        put_32(out, next(), (count - behind).min(16));
    }
}
