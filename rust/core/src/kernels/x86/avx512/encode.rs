//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Each lane becomes its bytes all at once, and `compress` drops those that it does not have.

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use eightfold_features::avx512;

use super::latin::Latin;
use super::ranges::within_16;
use super::speller::{Bytes, Points, Speller, Units, each_of_four, each_of_one, each_of_two, is_plain};
use super::{
    EVERY_FOURTH, EVERY_SECOND, OR_AND, bytes_32, halves_32, low_bytes, one_or_two, put_64, put_bytes, put_in,
    put_sequences, units_32,
};
use crate::derive::spelling::Spelling;
use crate::kernels::output::Output;
use crate::kernels::spelt::{Spelt, Stretch};
use crate::kernels::text::Text;
use crate::policy::Lacking;

/// Measure from an index to a limit, or to where the kernel stops.
#[avx512]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    match (is_plain(spelt.spelling), spelt.spelling.lacking) {
        (true, Lacking::Escape) => count::<true, true>(spelt, (start, limit)),
        (false, Lacking::Escape) => count::<false, true>(spelt, (start, limit)),
        (true, _) => count::<true, false>(spelt, (start, limit)),
        (false, _) => count::<false, false>(spelt, (start, limit)),
    }
}

#[inline]
#[avx512]
fn count<const IS_PLAIN: bool, const BACKSLASHES: bool>(spelt: &Spelt<'_>, span: (usize, usize)) -> Stretch {
    let speller = Speller::<IS_PLAIN, BACKSLASHES>::new(spelt.spelling);
    let mut bytes = 0;
    let of_block = |bytes: &mut usize, block: &Bytes| {
        *bytes += (block.valid.count_ones() + block.two.count_ones()) as usize;
    };
    let of_units = |bytes: &mut usize, block: &Units| {
        let longer = block.lengths.map(u32::count_ones);
        *bytes += (block.valid.count_ones() + longer[0] + longer[1]) as usize;
        if BACKSLASHES {
            *bytes += 5 * block.backslashed.count_ones() as usize;
        }
    };
    let of_whole = |bytes: &mut usize, [lower, upper]: &[Units; 2], _: &[u16]| -> usize {
        let longer = [0, 1].map(|place| u64::from(lower.lengths[place]) << 32 | u64::from(upper.lengths[place]));
        *bytes += 64 + (longer[0].count_ones() + longer[1].count_ones()) as usize;
        64
    };
    let add = |sums: &mut __m512i, bytes: __m512i| {
        *sums = _mm512_add_epi64(*sums, _mm512_sad_epu8(bytes, _mm512_setzero_si512()));
    };
    let of_points = |sums: &mut __m512i, block: &Points| add(sums, speller.bytes_of::<()>(block));
    let of_both = |sums: &mut __m512i, [lower, upper]: &[Points; 2], _: &[u32]| -> usize {
        add(sums, _mm512_add_epi8(speller.bytes_of::<u8>(lower), speller.bytes_of::<u16>(upper)));
        32
    };
    let of_ascii = |bytes: &mut usize, ascii: &[u8]| *bytes += ascii.len();
    let of_latin = |bytes: &mut usize, latin: Latin, text: &[u8]| {
        let (points, twos) = latin.measure(text);
        *bytes += points + twos;
        points
    };
    let end = match spelt.text {
        Text::One(text) => each_of_one(&speller, text, span, &mut bytes, (of_ascii, of_latin), of_block, of_units),
        Text::Two(text) => each_of_two(&speller, text, span, &mut bytes, of_whole, of_units),
        Text::Four(text) => {
            let mut sums = _mm512_setzero_si512();
            let end = each_of_four(&speller, text, span, &mut sums, of_both, of_points);
            bytes = _mm512_reduce_add_epi64(sums) as usize;
            end
        }
    };
    Stretch { end, bytes }
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[avx512]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    match (is_plain(spelt.spelling), spelt.spelling.lacking) {
        (true, Lacking::Escape) => write::<true, true>(spelt, (start, limit), out),
        (false, Lacking::Escape) => write::<false, true>(spelt, (start, limit), out),
        (true, _) => write::<true, false>(spelt, (start, limit), out),
        (false, _) => write::<false, false>(spelt, (start, limit), out),
    }
}

#[inline]
#[avx512]
fn write<const IS_PLAIN: bool, const BACKSLASHES: bool>(
    spelt: &Spelt<'_>,
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    match spelt.text {
        Text::One(text) => write_one::<IS_PLAIN, BACKSLASHES>(spelt.spelling, text, span, out),
        Text::Two(text) => write_two::<IS_PLAIN, BACKSLASHES>(spelt.spelling, text, span, out),
        Text::Four(text) => write_four::<IS_PLAIN, BACKSLASHES>(spelt.spelling, text, span, out),
    }
}

// Each in a function of its own, so that none takes registers from another.
#[inline(never)]
#[avx512]
fn write_one<const IS_PLAIN: bool, const BACKSLASHES: bool>(
    spelling: &Spelling,
    text: &[u8],
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let speller = Speller::<IS_PLAIN, BACKSLASHES>::new(spelling);
    out.go_on(|out| {
        each_of_one(
            &speller,
            text,
            span,
            out,
            (|out, ascii| out.copy(ascii), |out, latin, text| latin.write(text, out)),
            |out, block| speller.put_block(block, out),
            |out, units| speller.put_one_or_two::<()>(units, out),
        )
    })
}

#[inline(never)]
#[avx512]
fn write_two<const IS_PLAIN: bool, const BACKSLASHES: bool>(
    spelling: &Spelling,
    text: &[u16],
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let speller = Speller::<IS_PLAIN, BACKSLASHES>::new(spelling);
    out.go_on(|out| {
        each_of_two(
            &speller,
            text,
            span,
            &mut (out, 0),
            |(out, recent), whole, text| speller.put_whole(whole, text, recent, out),
            |(out, _), units| speller.put_units(units, out),
        )
    })
}

#[inline(never)]
#[avx512]
fn write_four<const IS_PLAIN: bool, const BACKSLASHES: bool>(
    spelling: &Spelling,
    text: &[u32],
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let speller = Speller::<IS_PLAIN, BACKSLASHES>::new(spelling);
    out.go_on(|out| {
        each_of_four(
            &speller,
            text,
            span,
            out,
            |out, whole, text| speller.put_both(whole, text, out),
            |out, points| speller.put_points::<u32>(points, out),
        )
    })
}

impl<const IS_PLAIN: bool, const BACKSLASHES: bool> Speller<'_, IS_PLAIN, BACKSLASHES> {
    /// How many bytes each of 16 code points takes; 0 where it is not written.
    #[inline]
    #[avx512]
    fn bytes_of<Taker>(&self, block: &Points) -> __m512i {
        let one = _mm512_set1_epi32(1);
        let bytes = if IS_PLAIN {
            self.lengths.of(block.points)
        } else {
            let longer = self.longer(block);
            let bytes = longer.into_iter().fold(one, |bytes, lanes| _mm512_mask_add_epi32(bytes, lanes, bytes, one));
            _mm512_mask_mov_epi32(bytes, block.splits, _mm512_set1_epi32(6))
        };
        let bytes = _mm512_mask_mov_epi32(bytes, block.escapes, one);
        let bytes =
            if BACKSLASHES { _mm512_mask_mov_epi32(bytes, block.backslashed, _mm512_set1_epi32(6)) } else { bytes };
        if block.valid == !0 { bytes } else { _mm512_maskz_mov_epi32(block.valid, bytes) }
    }

    #[inline]
    #[avx512]
    fn put_block(&self, block: &Bytes, out: &mut Output<'_, u8>) {
        if block.two == 0 {
            return put_bytes(out, block.points, block.valid.count_ones() as usize);
        }
        let mut block = Bytes { ..*block };
        for _ in 0..2 {
            let points = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(block.points));
            let lengths = [block.two as u32, 0];
            let units = Units { points, read: 32, valid: block.valid as u32, lengths, escapes: 0, backslashed: 0 };
            self.put_one_or_two::<u8>(&units, out);
            let points = _mm512_shuffle_i64x2::<0b10_11_10>(block.points, block.points);
            block = Bytes { points, valid: block.valid >> 32, two: block.two >> 32 };
        }
    }

    /// Write 64 code points, which `text` begins with, or more, and return how many: one decision for all of them costs
    /// less than a wrong guess for each half. A bit of `recent` is set for each of the last blocks that was not ASCII.
    #[inline]
    #[avx512]
    fn put_whole(&self, whole: &[Units; 2], text: &[u16], recent: &mut u8, out: &mut Output<'_, u8>) -> usize {
        let [two, three] =
            [0, 1].map(|place| u64::from(whole[1].lengths[place]) << 32 | u64::from(whole[0].lengths[place]));
        *recent = (*recent << 1 | u8::from(two != 0)) & RECENT;
        let is_nearly_ascii = IS_PLAIN && two == three && two.count_ones() <= RARE;
        if *recent != 0 && is_nearly_ascii && put_nearly_ascii(text, three, out) {
            return 64;
        }
        if two == 0 {
            put_bytes(out, low_bytes(whole[0].points, whole[1].points), 64);
            return 64;
        }
        if three != 0 {
            let count = match self.singles {
                Some([threes, _]) if !IS_PLAIN && two == three => threes.write_units(text, out),
                _ if IS_PLAIN && self.put_all_units(whole, out) => 64,
                _ => 0,
            };
            if count > 0 {
                return count;
            }
        }
        for units in whole {
            if three == 0 {
                self.put_one_or_two::<[u16; 2]>(units, out);
            } else {
                self.put_halves::<[u16; 2]>(units, out);
            }
        }
        64
    }

    /// Write twice 32 lanes of 16 bits as lanes of 32, as [`Speller::put_all`] does.
    #[inline]
    #[avx512]
    fn put_all_units(&self, [lower, upper]: &[Units; 2], out: &mut Output<'_, u8>) -> bool {
        let [[first, second], [third, fourth]] = [lower, upper].map(|units| halves_32(units.points));
        let escapes = |units: &Units| [units.escapes as u16, (units.escapes >> 16) as u16];
        let [[of_first, of_second], [of_third, of_fourth]] = [lower, upper].map(escapes);
        let sixteens = [(first, of_first), (second, of_second), (third, of_third), (fourth, of_fourth)];
        self.put_all::<256, 4>(sixteens, out)
    }

    /// Write code points with the lanes that are escapes, if there is room for any: one check does for all of them.
    #[inline]
    #[avx512]
    fn put_all<const BYTES: usize, const VECTORS: usize>(
        &self,
        sixteens: [(__m512i, u16); VECTORS],
        out: &mut Output<'_, u8>,
    ) -> bool {
        let Some(room) = out.room_for::<BYTES>() else { return false };
        let mut end = 0;
        for (points, escapes) in sixteens {
            end += put_in(self.sequences(points, escapes), &mut room[end..]);
        }
        // SAFETY: so many have been written, each vector right behind what counts of the one before.
        unsafe { out.advance(end) };
        true
    }

    /// Write twice 16 code points, which `text` begins with, or more, and return how many.
    #[inline]
    #[avx512]
    fn put_both(&self, [lower, upper]: &[Points; 2], text: &[u32], out: &mut Output<'_, u8>) -> usize {
        let count = match self.singles {
            Some([_, fours]) if !IS_PLAIN => fours.write_points(text, out),
            _ => 0,
        };
        if count > 0 {
            return count;
        }
        let sixteens = [lower, upper].map(|points| (points.points, points.escapes));
        if lower.splits | upper.splits != 0 || !self.put_all::<128, 2>(sixteens, out) {
            [lower, upper].into_iter().for_each(|points| self.put_points::<[u32; 2]>(points, out));
        }
        32
    }

    #[inline]
    #[avx512]
    fn put_units(&self, units: &Units, out: &mut Output<'_, u8>) {
        match (units.lengths, units.backslashed) {
            ([_, 0], backslashed) if !BACKSLASHES || backslashed == 0 => self.put_one_or_two::<u16>(units, out),
            _ => self.put_halves::<u16>(units, out),
        }
    }

    #[inline]
    #[avx512]
    fn put_one_or_two<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let (two, valid) = (units.lengths[0], units.valid);
        let mut payload = units.points;
        if self.is_shifted {
            payload = _mm512_mask_sub_epi16(payload, two, payload, _mm512_set1_epi16(self.spelling.offsets[0] as i16));
            // Nothing here is as far as that, as a rule.
            if self.spelling.gap.0 < self.starts[1] {
                let beyond = within_16(units.points, (self.spelling.gap.0, u32::MAX));
                payload =
                    _mm512_mask_sub_epi16(payload, beyond, payload, _mm512_set1_epi16(self.spelling.gap.1 as i16));
            }
        }
        // A lane of one byte, an escape too, is its low byte.
        let bytes = one_or_two(units.points, payload, two);
        let kept = _pdep_u64(valid.into(), EVERY_SECOND) | _pdep_u64(two.into(), EVERY_SECOND << 1);
        put_bytes(out, _mm512_maskz_compress_epi8(kept, bytes), kept.count_ones() as usize);
    }

    /// Write lanes of 16 bits as lanes of 32.
    #[inline]
    #[avx512]
    fn put_halves<Taker>(&self, units: &Units, out: &mut Output<'_, u8>) {
        let mut masks = [units.valid, units.escapes, units.backslashed];
        for points in halves_32(units.points) {
            let [valid, escapes, backslashed] = masks.map(|lanes| lanes as u16);
            self.put_points::<Taker>(&Points { points, read: 16, valid, escapes, splits: 0, backslashed }, out);
            masks = masks.map(|lanes| lanes >> 16);
        }
    }

    /// The sequences of 16 code points, each in its lane from the lowest byte on, with 0 behind it.
    #[inline]
    #[avx512]
    fn sequences(&self, points: __m512i, escapes: u16) -> __m512i {
        let sequences = match &self.classes {
            Some(classes) if !IS_PLAIN => classes.sequences(points),
            _ => self.lengths.sequences(points),
        };
        if escapes == 0 {
            return sequences;
        }
        _mm512_mask_and_epi32(sequences, escapes, points, _mm512_set1_epi32(0xFF))
    }

    /// Write up to 16 lanes of 32 bits.
    #[inline]
    #[avx512]
    fn put_points<Taker>(&self, block: &Points, out: &mut Output<'_, u8>) {
        let sequences = self.sequences(block.points, block.escapes);
        if block.splits != 0 || (BACKSLASHES && block.backslashed != 0) {
            return put_sixes(sequences, sixes(block), block, out);
        }
        let among = if block.valid == !0 { !0 } else { _pdep_u64(block.valid.into(), EVERY_FOURTH) * 0x0F };
        put_sequences(sequences, among, out);
    }
}

/// The number of blocks that predict whether the next has more than ASCII.
const RECENT: u8 = 0b111;

/// How many sequences there may be among 64 units for them to be put in one by one.
const RARE: u32 = 2;

/// How many units are read, and how many bytes are written and then written again, where rare sequences are put in.
const UNITS_AROUND: usize = 129;
const BYTES_AROUND: usize = 136;

/// Write 64 units that are ASCII but for a few that take three bytes, if there is room behind them. Whether there is
/// any and where is not asked: what is written too much is written again, and a wrong guess would cost more.
#[inline]
#[avx512]
fn put_nearly_ascii(text: &[u16], three: u64, out: &mut Output<'_, u8>) -> bool {
    let Some(text) = text.first_chunk::<UNITS_AROUND>() else { return false };
    assert!(three.count_ones() <= RARE);
    let Some(place) = out.spare().first_chunk_mut::<BYTES_AROUND>() else { return false };
    let ascii = |at: usize| low_bytes(units_32(text, at), units_32(text, at + 32));
    put_64(&mut place[..64], ascii(0));
    let (mut left, mut added) = (three, 0);
    for _ in 0..RARE {
        let at = left.trailing_zeros() as usize;
        let unit = u32::from(text[at]);
        let sequence = 0xE0 | unit >> 12 | (0x80 | unit >> 6 & 0x3F) << 8 | (0x80 | unit & 0x3F) << 16;
        place[at + added..at + added + 4].copy_from_slice(&sequence.to_le_bytes().map(MaybeUninit::new));
        put_64(&mut place[at + added + 3..at + added + 67], ascii(at + 1));
        added += 2;
        left &= left.wrapping_sub(1);
    }
    // SAFETY: from the start on 64 bytes were written, and 64 right behind each sequence: these are more, without a
    // gap.
    unsafe { out.advance(64 + 2 * three.count_ones() as usize) };
    true
}

/// The first four bytes and the last two of lanes that are written as six: surrogate pairs, and escapes with a
/// backslash.
#[inline]
#[avx512]
fn sixes(block: &Points) -> [__m512i; 2] {
    let index = _mm512_sub_epi32(block.points, _mm512_set1_epi32(0x1_0000));
    let pairs = [PAIR_FIRST, PAIR_LAST].map(|[groups, payloads, marks]| {
        let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(groups), index);
        _mm512_ternarylogic_epi32::<OR_AND>(_mm512_set1_epi64(marks), groups, _mm512_set1_epi64(payloads))
    });
    if block.backslashed == 0 {
        return pairs;
    }
    let of_nibbles = _mm512_broadcast_i32x4(_mm256_castsi256_si128(bytes_32(b"0123456789abcdef", 0)));
    let digits = [DIGITS_FIRST, DIGITS_LAST].map(|places| {
        let nibbles = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(places), block.points);
        _mm512_shuffle_epi8(of_nibbles, _mm512_and_si512(nibbles, _mm512_set1_epi8(0x0F)))
    });
    let first = _mm512_mask_mov_epi16(digits[0], EVERY_SECOND as u32, _mm512_set1_epi16(i16::from_le_bytes(*b"\\u")));
    let last = _mm512_maskz_mov_epi16(EVERY_SECOND as u32, digits[1]);
    [0, 1].map(|part| _mm512_mask_mov_epi32(pairs[part], block.backslashed, [first, last][part]))
}

/// Write 16 sequences, or six bytes instead.
#[inline]
#[avx512]
fn put_sixes(sequences: __m512i, [first, last]: [__m512i; 2], block: &Points, out: &mut Output<'_, u8>) {
    let lanes = block.splits | block.backslashed;
    let first = _mm512_mask_mov_epi32(sequences, lanes, first);
    let last = _mm512_maskz_mov_epi32(lanes, last);
    let mut valid = block.valid;
    for places in [0, 8] {
        // The two parts of each side by side.
        let pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let bytes = _mm512_permutex2var_epi32(first, _mm512_add_epi32(pairs, _mm512_set1_epi32(places)), last);
        let used = _mm512_test_epi8_mask(bytes, bytes) | EVERY_EIGHTH;
        let used =
            if valid as u8 == !0 { used } else { used & (_pdep_u64((valid & 0xFF).into(), EVERY_EIGHTH) * 0xFF) };
        put_bytes(out, _mm512_maskz_compress_epi8(used, bytes), used.count_ones() as usize);
        valid >>= 8;
    }
}

const EVERY_EIGHTH: u64 = 0x0101_0101_0101_0101;
/// Where the payloads of the first four bytes of a surrogate pair begin in its index, what their bits are, and what
/// marks them; for each of two.
const PAIR_FIRST: [i64; 3] = [
    i64::from_le_bytes([0, 16, 10, 0, 32, 48, 42, 32]),
    i64::from_le_bytes([0, 0x0F, 0x3F, 0, 0, 0x0F, 0x3F, 0]),
    i64::from_le_bytes([0xED, 0xA0, 0x80, 0xED, 0xED, 0xA0, 0x80, 0xED]),
];
/// The same for the last two.
const PAIR_LAST: [i64; 3] = [
    i64::from_le_bytes([6, 0, 0, 0, 38, 32, 0, 0]),
    i64::from_le_bytes([0x0F, 0x3F, 0, 0, 0x0F, 0x3F, 0, 0]),
    i64::from_le_bytes([0xB0, 0x80, 0, 0, 0xB0, 0x80, 0, 0]),
];

/// Where the four digits of an escape begin in a code point: the two that its first four bytes end with, and the last
/// two.
const DIGITS_FIRST: i64 = i64::from_le_bytes([0, 0, 12, 8, 0, 0, 44, 40]);
const DIGITS_LAST: i64 = i64::from_le_bytes([4, 0, 0, 0, 36, 32, 0, 0]);
