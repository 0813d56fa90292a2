//! Text in 16- and 32-bit units, measured, counted and written as code points. Bytes of other forms are read in
//! `decode`.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{bytes_64, fetch_ahead, low_16, low_32, put_16, put_32, put_bytes, store_all};
use crate::code_point::{LARGEST_IN_STR, LEADS, SURROGATES, TRAILS};
use crate::kernels::fetch::outgrows_caches;
use crate::kernels::measured::Width;
use crate::kernels::output::Output;
use crate::kernels::source::Extent;
use crate::kernels::units::Units;
use crate::kernels::x86::vendor::is_intel;
use crate::policy::Answer;

/// Up to 32 units of 16 bits, or 16 of 32 bits.
struct Block {
    units: __m512i,
    /// The units one further, if they have 16 bits.
    next: __m512i,
    /// Lanes in which a code point begins that is read.
    begins: u32,
    /// Those of them in which a surrogate pair begins.
    pairs: u32,
    /// Those of them that hold an ill-formed unit.
    ill: u32,
}

/// 64 bytes as units in native byte order.
#[inline]
#[avx512]
fn loaded<const BYTES: usize>(units: &Units<'_>, at: usize) -> __m512i {
    ordered::<BYTES>(bytes_64(units.data, at), units.wide.big_endian)
}

/// Convert units between native byte order and the opposite one.
#[inline]
#[avx512]
pub fn ordered<const BYTES: usize>(bytes: __m512i, big_endian: bool) -> __m512i {
    if !big_endian {
        return bytes;
    }
    let of_32 = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    let of_16 = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(if BYTES == 2 { of_16 } else { of_32 }))
}

/// The lanes whose units are in a range; its ends must differ in their lowest bits, all of them.
#[inline]
#[avx512]
pub fn are_16(units: __m512i, (first, last): (u32, u32)) -> u32 {
    let upper = _mm512_and_si512(units, _mm512_set1_epi16(!(last - first) as i16));
    _mm512_cmpeq_epi16_mask(upper, _mm512_set1_epi16(first as i16))
}

/// Whether there is a surrogate among the units of four vectors: one mask for all of them takes less time than one for
/// each.
#[inline]
#[avx512]
fn has_surrogate(vectors: [__m512i; 4]) -> bool {
    /// The bits in which the first two differ, where the third has them.
    const DIFFER: i32 = 0b0010_1000;
    let first = _mm512_set1_epi16(SURROGATES.0 as i16);
    let upper = _mm512_set1_epi16(!(SURROGATES.1 - SURROGATES.0) as i16);
    let apart = vectors.map(|units| _mm512_ternarylogic_epi64::<DIFFER>(units, first, upper));
    let least = _mm512_min_epu16(_mm512_min_epu16(apart[0], apart[1]), _mm512_min_epu16(apart[2], apart[3]));
    _mm512_testn_epi16_mask(least, least) != 0
}

/// As [`are_16`].
#[inline]
#[avx512]
pub fn are_32(units: __m512i, (first, last): (u32, u32)) -> u16 {
    let upper = _mm512_and_si512(units, _mm512_set1_epi32(!(last - first) as i32));
    _mm512_cmpeq_epi32_mask(upper, _mm512_set1_epi32(first as i32))
}

/// Pass code points to `take` block by block, from an offset to a limit or to where the kernel stops, and return the
/// end.
#[inline]
#[avx512]
fn each_block<const BYTES: usize, S>(
    units: &Units<'_>,
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, &Block),
) -> usize {
    // A partial unit at the end is not a unit, nor the trail of a pair.
    let [limit, end] = [limit.min(units.data.len()), units.data.len()]
        .map(|end| start + units.wide.whole_units(end.saturating_sub(start)));
    let units = &Units { data: &units.data[..end.min(units.data.len())], ..*units };
    let (mut at, mut consumed) = (start, 0);
    while at < limit {
        let left = ((limit - at) / BYTES).min(64 / BYTES);
        fetch_ahead(units.data, at);
        let mut block = if BYTES == 2 { of_16(units, at, consumed) } else { of_32(units, at) };
        let mut stop = 0;
        if block.ill != 0 {
            stop = stops(units, at, block.ill);
            answer::<BYTES>(units.answer, &mut block);
        }
        let read = left.min((u64::from(stop) | 1 << 32).trailing_zeros() as usize);
        let valid = low_32(read);
        take(state, &Block { begins: block.begins & valid, ill: block.ill & valid, ..block });
        if read < 64 / BYTES {
            // Behind the limit, only the trail of a pair belongs to what was read.
            let trail = read > 0 && read == left && block.pairs >> (read - 1) & 1 != 0;
            return at + (read + usize::from(trail)) * BYTES;
        }
        (at, consumed) = (at + 64, block.pairs >> 31);
    }
    at + consumed as usize * BYTES
}

/// The ill-formed units at which the kernel stops.
#[inline]
#[avx512]
fn stops(from: &Units<'_>, at: usize, ill: u32) -> u32 {
    match from.answer {
        // Together with a further byte, the last unit may be an ill-formed one of more bytes.
        Answer::Replace | Answer::Drop if at + 64 < from.data.len() => 0,
        Answer::Replace | Answer::Drop => ill & !low_32((from.data.len() - at) / from.wide.unit_bytes - 1),
        _ => ill,
    }
}

/// Apply the answer to the ill-formed units of a block.
#[inline]
#[avx512]
fn answer<const BYTES: usize>(answer: Answer, block: &mut Block) {
    match answer {
        Answer::Drop => block.begins &= !block.ill,
        Answer::Replace if BYTES == 2 => {
            block.units = _mm512_mask_mov_epi16(block.units, block.ill, _mm512_set1_epi16(0xFFFD_u16 as i16));
        }
        Answer::Replace => {
            block.units = _mm512_mask_mov_epi32(block.units, block.ill as u16, _mm512_set1_epi32(0xFFFD));
        }
        _ => {}
    }
}

/// A block of 16-bit units; if `consumed`, the first is the trail of a pair already read.
#[inline]
#[avx512]
fn of_16(from: &Units<'_>, at: usize, consumed: u32) -> Block {
    let units = loaded::<2>(from, at);
    let surrogates = are_16(units, SURROGATES);
    if surrogates | consumed == 0 {
        return Block { units, next: units, begins: !0, pairs: 0, ill: 0 };
    }
    let next = loaded::<2>(from, at + 2);
    let leads = are_16(units, LEADS);
    let pairs = leads & are_16(next, TRAILS);
    let trails = pairs << 1 | consumed;
    let ill = if from.wide.has_surrogates { 0 } else { surrogates & !(pairs | trails) };
    Block { units, next, begins: !trails, pairs, ill }
}

/// A block of 32-bit units.
#[inline]
#[avx512]
fn of_32(from: &Units<'_>, at: usize) -> Block {
    let units = loaded::<4>(from, at);
    let mut ill = _mm512_cmpgt_epu32_mask(units, _mm512_set1_epi32(LARGEST_IN_STR as i32));
    if !from.wide.has_surrogates {
        ill |= are_32(units, SURROGATES);
    }
    Block { units, next: units, begins: low_16(16).into(), pairs: 0, ill: ill.into() }
}

/// As [`Units::measure`].
#[avx512]
pub fn measure(units: &Units<'_>, start: usize, limit: usize) -> Extent {
    // The bitwise or of all code points. The limits of the kinds are powers of two, so it determines the width as the
    // largest would.
    let (mut count, mut seen, mut pairs, mut ill) = (0, _mm512_setzero_si512(), 0, 0);
    let mut state = (&mut count, &mut seen, &mut pairs, &mut ill);
    let end = if units.wide.unit_bytes == 2 {
        each_block::<2, _>(units, (start, limit), &mut state, |(count, seen, pairs, ill), block| {
            **count += block.begins.count_ones() as usize;
            **seen = _mm512_or_si512(**seen, _mm512_maskz_mov_epi16(block.begins, block.units));
            **pairs |= block.pairs & block.begins;
            **ill |= block.ill;
        })
    } else {
        each_block::<4, _>(units, (start, limit), &mut state, |(count, seen, _, ill), block| {
            **count += block.begins.count_ones() as usize;
            **seen = _mm512_or_si512(**seen, _mm512_maskz_mov_epi32(block.begins as u16, block.units));
            **ill |= block.ill;
        })
    };
    let seen = if units.wide.unit_bytes == 2 { or_of_16(seen) } else { _mm512_reduce_or_epi32(seen) as u32 };
    let of_pairs = if pairs == 0 { Width::Ascii } else { Width::Ucs4 };
    Extent { end, count, width: Width::of(seen).max(of_pairs), is_clean: ill == 0 }
}

/// Count the ill-formed units, surrogates and values beyond Unicode, from an offset to a limit or to where the kernel
/// stops, and return the end.
#[avx512]
pub fn tally(units: &Units<'_>, start: usize, limit: usize, [surrogates, beyond]: [&mut u64; 2]) -> usize {
    let units = &Units { answer: Answer::Drop, ..*units };
    if units.wide.unit_bytes == 2 {
        return each_block::<2, _>(units, (start, limit), surrogates, |surrogates, block| {
            *surrogates += u64::from(block.ill.count_ones());
        });
    }
    let mut counts = (surrogates, beyond);
    each_block::<4, _>(units, (start, limit), &mut counts, |(surrogates, beyond), block| {
        if block.ill != 0 {
            let of_surrogates = block.ill & u32::from(are_32(block.units, SURROGATES));
            **surrogates += u64::from(of_surrogates.count_ones());
            **beyond += u64::from((block.ill & !of_surrogates).count_ones());
        }
    })
}

/// The units of a block without pairs that begin something, compacted.
#[inline]
#[avx512]
fn kept_16(block: &Block) -> __m512i {
    if block.ill == 0 { block.units } else { _mm512_maskz_compress_epi16(block.begins, block.units) }
}

/// As [`kept_16`].
#[inline]
#[avx512]
fn kept_32(block: &Block) -> __m512i {
    if block.ill == 0 { block.units } else { _mm512_maskz_compress_epi32(block.begins as u16, block.units) }
}

/// As [`Units::write_ucs1`].
#[avx512]
pub fn write_ucs1(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if units.wide.unit_bytes == 2 {
        each_block::<2, _>(units, (start, limit), out, |out, block| {
            let bytes = _mm512_castsi256_si512(_mm512_cvtepi16_epi8(kept_16(block)));
            put_bytes(out, bytes, block.begins.count_ones() as usize);
        })
    } else {
        each_block::<4, _>(units, (start, limit), out, |out, block| {
            let bytes = _mm512_castsi128_si512(_mm512_cvtepi32_epi8(kept_32(block)));
            put_bytes(out, bytes, block.begins.count_ones() as usize);
        })
    }
}

/// As [`Units::write_ucs2`].
#[avx512]
pub fn write_ucs2(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> usize {
    // Text of this width has no pairs, so each code point is one unit.
    if units.wide.unit_bytes == 2 {
        each_block::<2, _>(units, (start, limit), out, |out, block| {
            put_16(out, kept_16(block), block.begins.count_ones() as usize);
        })
    } else {
        each_block::<4, _>(units, (start, limit), out, |out, block| {
            let units = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(kept_32(block)));
            put_16(out, units, block.begins.count_ones() as usize);
        })
    }
}

/// As [`Units::write_ucs4`].
#[avx512]
pub fn write_ucs4(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    out.go_on(|out| write_points(units, start, limit, out))
}

#[inline]
#[avx512]
fn write_points(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u32>) -> usize {
    if units.wide.unit_bytes == 2 {
        each_block::<2, _>(units, (start, limit), out, |out, block| {
            let (mut units, mut next) = (block.units, block.next);
            let (mut begins, mut pairs) = (block.begins, block.pairs);
            for _ in 0..2 {
                let leads = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(units));
                let trails = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(next));
                let points = _mm512_mask_mov_epi32(leads, pairs as u16, joined_32(leads, trails));
                let points = _mm512_maskz_compress_epi32(begins as u16, points);
                put_32(out, points, (begins as u16).count_ones() as usize);
                units = _mm512_shuffle_i64x2::<0b10_11_10>(units, units);
                next = _mm512_shuffle_i64x2::<0b10_11_10>(next, next);
                (begins, pairs) = (begins >> 16, pairs >> 16);
            }
        })
    } else {
        each_block::<4, _>(units, (start, limit), out, |out, block| {
            put_32(out, kept_32(block), block.begins.count_ones() as usize);
        })
    }
}

/// As [`Units::copy_ucs1`].
#[avx512]
pub fn copy_ucs1(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> Option<u32> {
    let mut seen = _mm512_setzero_si512();
    for at in (start..limit).step_by(64) {
        fetch_ahead(units.data, at);
        let block = loaded::<2>(units, at);
        seen = _mm512_or_si512(seen, block);
        if _mm512_test_epi16_mask(block, _mm512_set1_epi16(!0xFF)) != 0 {
            return None;
        }
        put_bytes(out, _mm512_castsi256_si512(_mm512_cvtepi16_epi8(block)), ((limit - at) / 2).min(32));
    }
    Some(or_of_16(seen))
}

/// The bytes of four blocks.
const FOUR: usize = 256;
/// Bytes of long text that are checked and then copied as a whole. On Intel that takes three quarters of the time, as
/// a copy of so many need not read what it overwrites; on AMD (Zen 4) a twentieth more.
const PIECE: usize = 32 * FOUR;
/// From so many bytes on a text is long: of 16 KB it does not gain.
const LONG: usize = 4 * PIECE;

/// As [`Units::copy_ucs2`].
#[avx512]
pub fn copy_ucs2(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<u32> {
    let (mut at, mut seen) = (start, _mm512_setzero_si512());
    if limit - start >= LONG && !units.wide.big_endian && is_intel() {
        (at, seen) = copy_pieces(units, start, limit, out)?;
    }
    let is_large = outgrows_caches(units.data.len());
    while limit - at >= FOUR {
        let four = four_blocks(units, at, is_large);
        if has_surrogate(four) && stops_copy_of_four(units, at) {
            return None;
        }
        seen = or_of_four(seen, four);
        put_four(out, four);
        at += FOUR;
    }
    for at in (at..limit).step_by(64) {
        if stops_copy(units, at) {
            return None;
        }
        let block = loaded::<2>(units, at);
        seen = _mm512_or_si512(seen, block);
        put_16(out, block, ((limit - at) / 2).min(32));
    }
    Some(or_of_16(seen))
}

/// Copy whole pieces of little-endian text, and return their end and the units or-ed; None if one stops the copy.
#[inline]
#[avx512]
fn copy_pieces(units: &Units<'_>, start: usize, limit: usize, out: &mut Output<'_, u16>) -> Option<(usize, __m512i)> {
    let (mut at, mut seen) = (start, _mm512_setzero_si512());
    while limit - at >= PIECE {
        for place in (at..at + PIECE).step_by(FOUR) {
            let four = four_blocks(units, place, true);
            if has_surrogate(four) && stops_copy_of_four(units, place) {
                return None;
            }
            seen = or_of_four(seen, four);
        }
        out.copy_units(&units.data[at..at + PIECE]);
        at += PIECE;
    }
    Some((at, seen))
}

/// The four blocks at an offset, which share their checks: there is little else to do. Memory is fetched ahead where
/// that is asked for.
#[inline]
#[avx512]
fn four_blocks(units: &Units<'_>, at: usize, fetches: bool) -> [__m512i; 4] {
    let four: &[u8; FOUR] = units.data[at..].first_chunk().expect("four blocks");
    [0, 64, 128, 192].map(|place| {
        if fetches {
            fetch_ahead(four, place);
        }
        ordered::<2>(bytes_64(four, place), units.wide.big_endian)
    })
}

/// As [`stops_copy`], of four blocks.
#[inline]
#[avx512]
fn stops_copy_of_four(units: &Units<'_>, at: usize) -> bool {
    (at..at + FOUR).step_by(64).any(|at| stops_copy(units, at))
}

/// The bits of any of five vectors.
#[inline]
#[avx512]
fn or_of_four(seen: __m512i, [a, b, c, d]: [__m512i; 4]) -> __m512i {
    _mm512_or_si512(seen, _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d)))
}

/// Whether the 32 units at an offset hold what cannot be copied: a surrogate or, in a form that has them, a pair.
#[inline]
#[avx512]
fn stops_copy(units: &Units<'_>, at: usize) -> bool {
    let block = loaded::<2>(units, at);
    if units.wide.has_surrogates {
        are_16(block, LEADS) & are_16(loaded::<2>(units, at + 2), TRAILS) != 0
    } else {
        are_16(block, SURROGATES) != 0
    }
}

/// Store four vectors of 16-bit units.
#[inline]
#[avx512]
fn put_four(out: &mut Output<'_, u16>, blocks: [__m512i; 4]) {
    let room = out.spare().first_chunk_mut::<128>().expect("the output is shorter than its text");
    store_all(room, blocks);
    // SAFETY: all of them have been written.
    unsafe { out.advance(128) };
}

/// The bitwise or of all units.
#[inline]
#[avx512]
fn or_of_16(units: __m512i) -> u32 {
    let both = _mm512_reduce_or_epi32(units) as u32;
    (both | both >> 16) & 0xFFFF
}

/// The supplementary code points of leads and trails.
#[inline]
#[avx512]
fn joined_32(leads: __m512i, trails: __m512i) -> __m512i {
    let base = 0x1_0000_u32.wrapping_sub(LEADS.0 << 10).wrapping_sub(TRAILS.0);
    _mm512_add_epi32(_mm512_add_epi32(_mm512_slli_epi32::<10>(leads), trails), _mm512_set1_epi32(base as i32))
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;
    use crate::derive::wide::Wide;

    /// Only on Intel `copy_ucs2` calls it.
    #[test]
    fn pieces_are_copied_up_to_what_is_not_one_unit_each() {
        if !crate::kernels::x86::avx512::is_available() {
            println!("this machine has no AVX-512 VBMI2: nothing is tested here");
            return;
        }
        let wide = Wide { unit_bytes: 2, big_endian: false, has_surrogates: true };
        let clean: Vec<u16> = (0..(2 * PIECE / 2 + 50) as u16).map(|at| 0x400 + at % 0x7000).collect();
        let lone = (0..clean.len()).step_by(97).chain([PIECE / 2 - 1, PIECE / 2, clean.len() - 1]);
        for (place, pair) in lone.flat_map(|place| [(place, [0xD83D, 0x61]), (place, [0xD83D, 0xDE00])]) {
            let mut text = clean.clone();
            let length = pair.len().min(text.len() - place);
            text[place..][..length].copy_from_slice(&pair[..length]);
            let data: Vec<u8> = text.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let units = Units { wide, answer: Answer::Stop, data: &data };
            let mut memory = vec![MaybeUninit::uninit(); text.len()];
            let (copied, written) = Output::written(&mut memory, |out| {
                // SAFETY: the machine has the instructions.
                unsafe { copy_pieces(&units, 0, data.len(), out).map(|(end, seen)| (end, or_of_16(seen))) }
            });
            let whole = &text[..PIECE];
            let stops = pair[1] == 0xDE00 && place < PIECE;
            let seen = whole.iter().fold(0, |seen, &unit| seen | u32::from(unit));
            assert_eq!(copied, (!stops).then_some((2 * PIECE, seen)), "{place}");
            assert!(stops || written == whole, "{place}");
        }
    }
}
