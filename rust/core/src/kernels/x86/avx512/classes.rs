//! Code points by what their sequences have in common, in forms whose sequences begin or count elsewhere than in UTF-8:
//! the length, and how far the payload is from the code point.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{GROUPS, OR_AND, units_16};
use crate::derive::spelling::Spelling;

/// For each length, how far the payload is from where that of four bytes begins, and the bits that are no payload.
const SHIFTS: [u32; 4] = [18, 12, 6, 0];
const MARKS: [u32; 4] = [0, 0x80C0, 0x80_80E0, 0x8080_80F0];

/// The classes: from each border on is the next one. The last is that of a U+0000 of two bytes.
#[derive(Clone, Copy)]
pub struct Classes {
    borders: [u32; 4],
    nul_is_two: bool,
    /// What is subtracted from the code points of each class.
    offsets: __m512i,
    shifts: __m512i,
    marks: __m512i,
}

/// How many classes there are, but for U+0000.
const ALL: usize = 5;

impl Classes {
    /// Those of a spelling.
    #[inline]
    #[avx512]
    pub fn new(spelling: &Spelling) -> Self {
        let [two, three, four] = spelling.starts;
        let mut borders = [two, three, four, spelling.gap.0];
        borders.sort_unstable();
        let mut tables = [[0; 16]; 3];
        for class in 0..=ALL {
            let least = if class % ALL == 0 { 0 } else { borders[class - 1] };
            let reached = spelling.starts.iter().filter(|&&start| start <= least).count();
            let longer = if class == ALL { 1 } else { reached };
            let offset = longer.checked_sub(1).map_or(0, |place| spelling.offsets[place]);
            let skipped = if least >= spelling.gap.0 { spelling.gap.1 } else { 0 };
            let of_class = [offset.wrapping_add(skipped), SHIFTS[longer], MARKS[longer]];
            tables.iter_mut().zip(of_class).for_each(|(table, value)| table[class] = value);
        }
        let [offsets, shifts, marks] = tables.map(|table| units_16(&table, 0));
        Classes { borders, nul_is_two: spelling.nul_is_two, offsets, shifts, marks }
    }

    /// The sequences of 16 code points, each in its lane from the lowest byte on, with 0 behind it.
    #[inline]
    #[avx512]
    pub fn sequences(&self, points: __m512i) -> __m512i {
        let mut class = _mm512_setzero_si512();
        for (number, border) in (1..).zip(self.borders) {
            let reached = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(border as i32));
            class = _mm512_mask_mov_epi32(class, reached, _mm512_set1_epi32(number));
        }
        if self.nul_is_two {
            let nul = _mm512_testn_epi32_mask(points, points);
            class = _mm512_mask_mov_epi32(class, nul, _mm512_set1_epi32(ALL as i32));
        }
        let of_class = |table| _mm512_permutexvar_epi32(class, table);
        let payload = _mm512_sllv_epi32(_mm512_sub_epi32(points, of_class(self.offsets)), of_class(self.shifts));
        let groups = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(GROUPS), payload);
        _mm512_ternarylogic_epi32::<OR_AND>(of_class(self.marks), groups, _mm512_set1_epi32(0x3F3F_3FFF))
    }
}
