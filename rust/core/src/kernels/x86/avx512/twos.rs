//! Text of nothing but ASCII and sequences of two bytes, read block by block. To prove it well-formed it is enough to
//! know where sequences begin.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::clean::begins_64;

/// In one block of so many bytes we look for the beginning of such text. Looking in each block made text of longer
/// sequences 5% slower.
const ASKED: usize = 1024;

/// Whether to look for the beginning of such text behind the block at an offset.
#[inline]
pub fn is_asked(at: usize) -> bool {
    at % ASKED < 64
}

/// The lanes of bytes from `from` up to DF.
#[inline]
#[avx512]
pub fn leads_from(from: u8, bytes: __m512i) -> u64 {
    let above = _mm512_sub_epi8(bytes, _mm512_set1_epi8(from as i8));
    _mm512_cmplt_epu8_mask(above, _mm512_set1_epi8((0xE0 - from) as i8))
}

/// Such text of a form in which each byte from `from` up to DF begins a sequence with any continuation byte.
pub struct Twos {
    pub from: u8,
    /// Whether the last byte read begins a sequence: 0 or 1.
    pub open: u64,
}

impl Twos {
    /// The lanes of the next block in which something begins; None if it does not go on with such text.
    #[inline]
    #[avx512]
    pub fn begins(&mut self, bytes: __m512i) -> Option<u64> {
        let (begins, leads) = (begins_64(bytes), leads_from(self.from, bytes));
        let goes_on = leads << 1 | self.open;
        if begins != !goes_on || _mm512_movepi8_mask(bytes) != leads | goes_on {
            return None;
        }
        self.open = leads >> 63;
        Some(begins)
    }
}
