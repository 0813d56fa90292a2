//! A word of bytes, or of units of 16 bits, as code points of a kind of str.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "vectors are loaded and stored"))]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_cvtsi64_si128, _mm_setzero_si128, _mm_unpackhi_epi16, _mm_unpacklo_epi8, _mm_unpacklo_epi16,
};

/// Code points of a kind of str.
pub trait Widened: Copy {
    /// The values of eight bytes.
    fn of_bytes(bytes: [u8; 8]) -> [Self; 8];
    /// The values of four units, the first lowest, as far as the kind holds them.
    fn of_units(units: u64) -> [Self; 4];
}

impl Widened for u8 {
    #[inline(always)]
    fn of_bytes(bytes: [u8; 8]) -> [u8; 8] {
        bytes
    }

    #[inline(always)]
    fn of_units(units: u64) -> [u8; 4] {
        u16::of_units(units).map(|unit| unit as u8)
    }
}

impl Widened for u16 {
    #[inline(always)]
    fn of_bytes(bytes: [u8; 8]) -> [u16; 8] {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: values of the same size are the same bits.
        return unsafe { std::mem::transmute::<__m128i, [u16; 8]>(units_of(bytes)) };
        #[cfg(not(target_arch = "x86_64"))]
        bytes.map(u16::from)
    }

    #[inline(always)]
    fn of_units(units: u64) -> [u16; 4] {
        [0, 16, 32, 48].map(|shift| (units >> shift) as u16)
    }
}

impl Widened for u32 {
    #[inline(always)]
    fn of_bytes(bytes: [u8; 8]) -> [u32; 8] {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: each processor of this kind has SSE2, and values of the same size are the same bits.
        return unsafe {
            let (units, zero) = (units_of(bytes), _mm_setzero_si128());
            std::mem::transmute::<[__m128i; 2], [u32; 8]>([
                _mm_unpacklo_epi16(units, zero),
                _mm_unpackhi_epi16(units, zero),
            ])
        };
        #[cfg(not(target_arch = "x86_64"))]
        bytes.map(u32::from)
    }

    #[inline(always)]
    fn of_units(units: u64) -> [u32; 4] {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        return unsafe {
            let units = _mm_cvtsi64_si128(units.cast_signed());
            std::mem::transmute::<__m128i, [u32; 4]>(_mm_unpacklo_epi16(units, _mm_setzero_si128()))
        };
        #[cfg(not(target_arch = "x86_64"))]
        u16::of_units(units).map(u32::from)
    }
}

/// Eight bytes as units of 16 bits. The compiler does not vectorize the shifts that would extract the bytes of a word.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn units_of(bytes: [u8; 8]) -> __m128i {
    // SAFETY: each processor of this kind has SSE2.
    unsafe { _mm_unpacklo_epi8(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)), _mm_setzero_si128()) }
}

/// The values of eight bytes in units of 32 bits, the highest byte of each first. The compiler would shift the units
/// besides, on the same ports: 1.1 times as long.
#[inline(always)]
pub fn in_big_endian(bytes: [u8; 8]) -> [u8; 32] {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: each processor of this kind has SSE2, and values of the same size are the same bits.
    return unsafe {
        let zero = _mm_setzero_si128();
        let units = _mm_unpacklo_epi8(zero, _mm_cvtsi64_si128(i64::from_le_bytes(bytes)));
        std::mem::transmute::<[__m128i; 2], [u8; 32]>([
            _mm_unpacklo_epi16(zero, units),
            _mm_unpackhi_epi16(zero, units),
        ])
    };
    #[cfg(not(target_arch = "x86_64"))]
    {
        let mut units = [0; 32];
        units.as_chunks_mut().0.copy_from_slice(&bytes.map(|byte| [0, 0, 0, byte]));
        units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_at_its_place_in_each_kind() {
        let bytes = [0, 1, 0x7F, 0x80, 0xFF, 5, 6, 0xC3];
        assert_eq!(u8::of_bytes(bytes), bytes);
        assert_eq!(u16::of_bytes(bytes), bytes.map(u16::from));
        assert_eq!(u32::of_bytes(bytes), bytes.map(u32::from));
        assert_eq!(in_big_endian(bytes).as_chunks().0, bytes.map(|byte| u32::from(byte).to_be_bytes()));
        assert_eq!(u8::of_units(0x00FF_0080_007F_0000), [0, 0x7F, 0x80, 0xFF]);
        assert_eq!(u16::of_units(0xFFFF_8000_0801_0000), [0, 0x0801, 0x8000, 0xFFFF]);
        assert_eq!(u32::of_units(0xFFFF_8000_0801_0000), [0, 0x0801, 0x8000, 0xFFFF]);
    }
}
