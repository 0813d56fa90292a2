//! ASCII: detecting it, and copying it while checking it.

use std::arch::x86_64::{
    __m512i, _mm512_loadu_si512, _mm512_mask_storeu_epi8, _mm512_maskz_loadu_epi8, _mm512_min_epu8,
    _mm512_movepi8_mask, _mm512_or_si512, _mm512_storeu_si512, _mm512_testn_epi8_mask,
};
use std::mem::MaybeUninit;

use eightfold_features::avx512;

use crate::kernels::fetch::{fetch_block, outgrows_caches};

/// Bytes per decision: a multiple of the vector size.
const BLOCK: usize = 256;

/// The first bytes as a vector, 64 at most, and the mask of their lanes; all other lanes are 0.
#[inline]
#[avx512]
fn first(data: &[u8]) -> (__m512i, u64) {
    let mask = if data.len() >= 64 { !0 } else { (1 << data.len()) - 1 };
    // SAFETY: a masked load touches only the bytes of its mask, and as many are there.
    (unsafe { _mm512_maskz_loadu_epi8(mask, data.as_ptr().cast()) }, mask)
}

#[avx512]
pub fn is_ascii(data: &[u8]) -> bool {
    data.chunks(64).all(|block| _mm512_movepi8_mask(first(block).0) == 0)
}

#[avx512]
pub fn copy_ascii(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    copy(from, out, |one, another| _mm512_or_si512(one, another), |bytes| _mm512_movepi8_mask(bytes))
}

#[avx512]
pub fn copy_without_nul(from: &[u8], out: &mut [MaybeUninit<u8>]) -> usize {
    copy(from, out, |one, another| _mm512_min_epu8(one, another), |bytes| _mm512_testn_epi8_mask(bytes, bytes))
}

/// Copy vectors up to the first that hold a byte found by `ending`. It looks at the combination of several vectors that
/// `joined` makes, which must show such a byte if any of them does. Each byte is read once; left to itself, the
/// compiler would read it again to write it.
#[inline]
#[avx512]
fn copy(
    from: &[u8],
    out: &mut [MaybeUninit<u8>],
    joined: impl Fn(__m512i, __m512i) -> __m512i,
    ending: impl Fn(__m512i) -> u64,
) -> usize {
    assert_eq!(from.len(), out.len());
    let mut at = 0;
    let is_large = outgrows_caches(from.len());
    for (block, place) in from.chunks_exact(BLOCK).zip(out.chunks_exact_mut(BLOCK)) {
        if is_large {
            fetch_block(block);
            fetch_block(place);
        }
        let (from, out) = (block.as_ptr().cast::<__m512i>(), place.as_mut_ptr().cast::<__m512i>());
        // SAFETY: four vectors are there in both.
        unsafe {
            let each = [0, 1, 2, 3].map(|step| _mm512_loadu_si512(from.add(step)));
            if ending(joined(joined(each[0], each[1]), joined(each[2], each[3]))) != 0 {
                break;
            }
            for (step, bytes) in each.into_iter().enumerate() {
                _mm512_storeu_si512(out.add(step), bytes);
            }
        }
        at += BLOCK;
    }
    for (block, place) in from[at..].chunks(64).zip(out[at..].chunks_mut(64)) {
        let (bytes, mask) = first(block);
        if ending(bytes) & mask != 0 {
            break;
        }
        // SAFETY: a masked store touches only the bytes of its mask, and as many are there.
        unsafe { _mm512_mask_storeu_epi8(place.as_mut_ptr().cast(), mask, bytes) };
        at += block.len();
    }
    at
}
