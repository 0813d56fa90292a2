//! ASCII and, beyond it, code points of one length and one offset: what most text consists of. Blocks of it are written
//! in loops of their own, in which nothing is looked up for any code point.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::ranges::{from_16, from_32, within_16, within_32};
use super::{OR_AND, fetch_ahead, halves_32, put_in, units_16, units_32};
use crate::code_point::{Range, SURROGATES};
use crate::derive::spelling::Spelling;
use crate::kernels::output::Output;

/// For three and four bytes, where the groups of bits begin in each of two lanes, which bits are payload, and the
/// others.
const GROUPS: [[u8; 8]; 2] = [[12, 6, 0, 0, 44, 38, 32, 32], [18, 12, 6, 0, 50, 44, 38, 32]];
const PAYLOADS: [u32; 2] = [0x3F_3FFF, 0x3F3F_3FFF];
const MARKS: [u32; 2] = [0x80_80E0, 0x8080_80F0];

/// No code point.
const NONE: Range = (u32::MAX, u32::MAX);

/// Code points of three or of four bytes that have one offset: the members.
#[derive(Clone, Copy)]
pub struct Single {
    /// The members, and what lies among them but is not written as it stands.
    range: Range,
    odd: Range,
    /// The first code point but U+0000 that is not written as one byte, and whether U+0000 is not.
    beyond_ascii: u32,
    nul_is_odd: bool,
    offset: u32,
    /// Of three bytes or of four.
    place: usize,
}

impl Single {
    /// Those of three bytes of UTF-8, and surrogates.
    pub const OF_UTF_8: Single =
        Single { range: (0x800, 0xFFFF), odd: NONE, beyond_ascii: 0x80, nul_is_odd: false, offset: 0, place: 0 };

    /// The first ones of three bytes in a spelling, and of four; `odd` covers those that the form lacks.
    pub fn of(spelling: &Spelling, odd: [Range; 2]) -> [Single; 2] {
        let joined = if spelling.joins { SURROGATES } else { NONE };
        let odd = [odd[0], odd[1], joined, spelling.escapes.unwrap_or(NONE)];
        let borders = || spelling.starts.into_iter().chain([spelling.gap.0]);
        let beyond_ascii = odd.map(|range| range.0.max(1)).into_iter().chain(borders()).min().unwrap_or(1);
        [0, 1].map(|place| {
            let first = spelling.starts[1 + place];
            let last = borders().filter(|&border| border > first).min().map_or(u32::MAX, |border| border - 1);
            let inside = || odd.iter().filter(|range| range.0 <= last && range.1 >= first);
            let least = inside().map(|range| range.0).min().unwrap_or(u32::MAX);
            let skipped = if first >= spelling.gap.0 { spelling.gap.1 } else { 0 };
            Single {
                range: (first, last),
                odd: (least, inside().map(|range| range.1).max().unwrap_or(u32::MAX)),
                beyond_ascii,
                nul_is_odd: !spelling.nul_is_one,
                offset: spelling.offsets[1 + place].wrapping_add(skipped),
                place,
            }
        })
    }

    /// Write whole blocks of 64 that have nothing but members and ASCII, up to one of ASCII alone, or to where there is
    /// no room for any, and return how many code points that is.
    #[inline(never)]
    #[avx512]
    pub fn write_units(self, text: &[u16], out: &mut Output<'_, u8>) -> usize {
        let bits = Bits::new(&self);
        out.go_on(|out| {
            let mut points = 0;
            for block in text.as_chunks::<64>().0 {
                fetch_ahead(block, 0);
                fetch_ahead(block, 32);
                let units = [units_32(block, 0), units_32(block, 32)];
                let members = units.map(|units| within_16(units, self.range) & !within_16(units, self.odd));
                let beyond = units.map(|units| {
                    let nul = if self.nul_is_odd { _mm512_testn_epi16_mask(units, units) } else { 0 };
                    from_16(units, self.beyond_ascii) | nul
                });
                let Some(room) = out.room_for::<256>() else { break };
                if members != beyond || members == [0; 2] {
                    break;
                }
                let mut end = 0;
                for (units, members) in units.into_iter().zip(members) {
                    let [first, second] = halves_32(units);
                    end += put_in(bits.sequences(first, members as u16), &mut room[end..]);
                    end += put_in(bits.sequences(second, (members >> 16) as u16), &mut room[end..]);
                }
                // SAFETY: so many have been written, each vector right behind what counts of the one before.
                unsafe { out.advance(end) };
                points += 64;
            }
            points
        })
    }

    /// As [`Single::write_units`], of blocks of 32.
    #[inline(never)]
    #[avx512]
    pub fn write_points(self, text: &[u32], out: &mut Output<'_, u8>) -> usize {
        let bits = Bits::new(&self);
        out.go_on(|out| {
            let mut points = 0;
            for block in text.as_chunks::<32>().0 {
                fetch_ahead(block, 0);
                fetch_ahead(block, 16);
                let sixteens = [units_16(block, 0), units_16(block, 16)];
                let members = sixteens.map(|points| within_32(points, self.range) & !within_32(points, self.odd));
                let beyond = sixteens.map(|points| {
                    let nul = if self.nul_is_odd { _mm512_testn_epi32_mask(points, points) } else { 0 };
                    from_32(points, self.beyond_ascii) | nul
                });
                let Some(room) = out.room_for::<128>() else { break };
                if members != beyond {
                    break;
                }
                let middle = put_in(bits.sequences(sixteens[0], members[0]), room);
                let end = middle + put_in(bits.sequences(sixteens[1], members[1]), &mut room[middle..]);
                // SAFETY: as in `write_units`.
                unsafe { out.advance(end) };
                points += 32;
            }
            points
        })
    }
}

/// The bits of sequences.
#[derive(Clone, Copy)]
struct Bits {
    offset: __m512i,
    groups: __m512i,
    payload: __m512i,
    marks: __m512i,
}

impl Bits {
    #[inline]
    #[avx512]
    fn new(single: &Single) -> Bits {
        Bits {
            offset: _mm512_set1_epi32(single.offset as i32),
            groups: _mm512_set1_epi64(i64::from_le_bytes(GROUPS[single.place])),
            payload: _mm512_set1_epi32(PAYLOADS[single.place] as i32),
            marks: _mm512_set1_epi32(MARKS[single.place] as i32),
        }
    }

    /// The sequences of 16 code points, each in its lane from the lowest byte on, with 0 behind it, given which of them
    /// are members.
    #[inline]
    #[avx512]
    fn sequences(&self, points: __m512i, members: u16) -> __m512i {
        let groups = _mm512_multishift_epi64_epi8(self.groups, _mm512_sub_epi32(points, self.offset));
        let sequences = _mm512_ternarylogic_epi32::<OR_AND>(self.marks, groups, self.payload);
        _mm512_mask_mov_epi32(points, members, sequences)
    }
}
