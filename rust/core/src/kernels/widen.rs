//! Few bytes as code points.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vectors are loaded and stored"))]

/// The values of eight bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn widened(bytes: [u8; 8]) -> [u32; 8] {
    use std::arch::x86_64::{
        _mm_cvtsi64_si128, _mm_setzero_si128, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
    };
    // SAFETY: each processor of this kind has SSE2, and values of the same size are the same bits.
    unsafe {
        let zero = _mm_setzero_si128();
        let units = _mm_unpacklo_epi8(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)), zero);
        std::mem::transmute([_mm_unpacklo_epi16(units, zero), _mm_unpackhi_epi16(units, zero)])
    }
}

/// The values of four units of 16 bits, the first lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn widened_units(units: u64) -> [u32; 4] {
    use std::arch::x86_64::{_mm_cvtsi64_si128, _mm_setzero_si128, _mm_unpacklo_epi16};
    // SAFETY: as above.
    unsafe { std::mem::transmute(_mm_unpacklo_epi16(_mm_cvtsi64_si128(units.cast_signed()), _mm_setzero_si128())) }
}

/// The values of eight bytes.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn widened(bytes: [u8; 8]) -> [u32; 8] {
    bytes.map(u32::from)
}

/// The values of four units of 16 bits, the first lowest.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn widened_units(units: u64) -> [u32; 4] {
    [0, 16, 32, 48].map(|shift| (units >> shift) as u32 & 0xFFFF)
}
