//! Code points below U+0100 in forms that write each as one byte or two: blocks in which the form lacks none.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{EVERY_SECOND, bytes_64, fetch_ahead, one_or_two, put_64};
use crate::code_point::Range;
use crate::derive::spelling::Spelling;
use crate::kernels::fetch::{WRITE_AHEAD, fetch};
use crate::kernels::output::Output;

/// The bytes that two stores of a vector may touch.
const ROOM: usize = 128;

/// What a form says of code points below U+0100.
#[derive(Clone, Copy)]
pub struct Latin {
    /// The last code point of one byte.
    last_of_one: u8,
    /// What is subtracted from the code points of two bytes.
    offset: u16,
    /// All lanes if U+0000 takes two bytes, else none.
    nul: u64,
    /// The range that the form lacks, and all lanes if there is one.
    first_lacking: u8,
    lacking: u8,
    lacks: u64,
}

impl Latin {
    /// What a spelling says; `odd` covers the code points that the form lacks. No gap of a spelling is as low.
    pub fn new(spelling: &Spelling, odd: Range) -> Latin {
        let [first, last] = [odd.0, odd.1].map(|point| point.min(0xFF) as u8);
        Latin {
            last_of_one: (spelling.starts[0] - 1).min(0xFF) as u8,
            offset: spelling.offsets[0] as u16,
            nul: if spelling.nul_is_two { !0 } else { 0 },
            first_lacking: first,
            lacking: last - first,
            lacks: if odd.0 <= 0xFF { !0 } else { 0 },
        }
    }

    /// The lanes of two bytes; None if the form lacks a code point.
    #[inline]
    #[avx512]
    fn two(&self, points: __m512i) -> Option<u64> {
        let index = _mm512_sub_epi8(points, _mm512_set1_epi8(self.first_lacking as i8));
        if _mm512_mask_cmple_epu8_mask(self.lacks, index, _mm512_set1_epi8(self.lacking as i8)) != 0 {
            return None;
        }
        let above = _mm512_cmpgt_epu8_mask(points, _mm512_set1_epi8(self.last_of_one as i8));
        Some(above | _mm512_mask_testn_epi8_mask(self.nul, points, points))
    }

    /// Measure whole blocks up to one of which each code point takes one byte or one is lacking: how many code points
    /// they have, and how many of these take two bytes.
    #[inline(never)]
    #[avx512]
    pub fn measure(self, text: &[u8]) -> (usize, usize) {
        let (mut points, mut twos) = (0, 0);
        for block in text.as_chunks::<64>().0 {
            match self.two(bytes_64(block, 0)) {
                None | Some(0) => break,
                Some(two) => twos += two.count_ones() as usize,
            }
            points += 64;
        }
        (points, twos)
    }

    /// Write what [`Latin::measure`] measures, up to where there is no room for any block, and return how many code
    /// points that is.
    #[inline(never)]
    #[avx512]
    pub fn write(self, text: &[u8], out: &mut Output<'_, u8>) -> usize {
        out.go_on(|out| {
            let mut points = 0;
            for block in text.as_chunks::<64>().0 {
                fetch_ahead(block, 0);
                let bytes = bytes_64(block, 0);
                let (Some(two @ 1..), Some(room)) = (self.two(bytes), out.room_for::<ROOM>()) else { break };
                fetch(room.as_ptr(), WRITE_AHEAD);
                let middle = 32 + (two as u32).count_ones() as usize;
                put_64(room, self.sequences(_mm512_castsi512_si256(bytes), two as u32));
                let upper = _mm512_extracti64x4_epi64::<1>(bytes);
                put_64(&mut room[middle..], self.sequences(upper, (two >> 32) as u32));
                // SAFETY: so many have been written, the second vector right behind what counts of the first.
                unsafe { out.advance(64 + two.count_ones() as usize) };
                points += 64;
            }
            points
        })
    }

    /// The bytes of 32 code points, given which of them take two.
    #[inline]
    #[avx512]
    fn sequences(&self, points: __m256i, two: u32) -> __m512i {
        let points = _mm512_cvtepu8_epi16(points);
        let payload = _mm512_sub_epi16(points, _mm512_set1_epi16(self.offset as i16));
        let bytes = one_or_two(points, payload, two);
        _mm512_maskz_compress_epi8(EVERY_SECOND | _pdep_u64(two.into(), EVERY_SECOND << 1), bytes)
    }
}
