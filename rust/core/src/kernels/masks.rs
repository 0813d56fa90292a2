//! Masks over a block of 64 bytes, made by any machine: lanes are compared by loops that the compiler makes vectors of.
//! What follows from masks is in `lanes`.

#![cfg_attr(target_arch = "x86_64", expect(unsafe_code, reason = "lanes are gathered by an instruction"))]

/// The lanes of a mask.
pub const LANES: usize = 64;

/// A block and the eight bytes behind it; a sequence that begins in the block needs at most five of those.
pub type Window = [u8; LANES + 8];

/// So many bytes from an offset on, with zeros behind the end of the data.
#[inline(always)]
pub fn window_at<'a, const MANY: usize>(data: &'a [u8], at: usize, copy: &'a mut [u8; MANY]) -> &'a [u8; MANY] {
    if let Some(window) = data[at..].first_chunk() {
        return window;
    }
    *copy = [0; _];
    copy[..data.len() - at].copy_from_slice(&data[at..]);
    copy
}

/// The lanes, from one of a window on, that hold such a byte.
#[inline(always)]
pub fn lanes_of(window: &Window, from: usize, is_meant: impl Fn(u8) -> bool) -> u64 {
    let block: &[u8; LANES] = window[from..].first_chunk().expect("a window is a block and more");
    let mut lanes = [0; LANES];
    for (lane, &byte) in lanes.iter_mut().zip(block) {
        *lane = u8::from(is_meant(byte)).wrapping_neg();
    }
    gathered(&lanes)
}

/// The lanes that hold such a byte before such another one.
#[inline(always)]
pub fn lanes_before(window: &Window, are_meant: impl Fn(u8, u8) -> bool) -> u64 {
    let [bytes, nexts]: [&[u8; LANES]; 2] =
        [0, 1].map(|from| window[from..].first_chunk().expect("a window is a block and more"));
    let mut lanes = [0; LANES];
    for (lane, (&byte, &next)) in lanes.iter_mut().zip(bytes.iter().zip(nexts)) {
        *lane = u8::from(are_meant(byte, next)).wrapping_neg();
    }
    gathered(&lanes)
}

/// The lanes behind the block of a window that hold such a byte.
#[inline(always)]
pub fn lanes_behind(window: &Window, is_meant: impl Fn(u8) -> bool) -> u64 {
    let behind = &window[LANES..];
    behind.iter().rev().fold(0, |lanes, &byte| lanes << 1 | u64::from(is_meant(byte)))
}

/// The highest bits of lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn gathered(lanes: &[u8; LANES]) -> u64 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    let (parts, _) = lanes.as_chunks::<16>();
    parts.iter().rev().fold(0, |all, part| {
        // SAFETY: sixteen bytes are there, at any alignment; each processor of this kind has SSE2.
        let mask = unsafe { _mm_movemask_epi8(_mm_loadu_si128(part.as_ptr().cast())) };
        all << 16 | u64::from(mask.cast_unsigned())
    })
}

#[cfg(not(target_arch = "x86_64"))]
pub use gathered_by_words as gathered;

/// As [`gathered`], for machines without an instruction that does it.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
pub fn gathered_by_words(lanes: &[u8; LANES]) -> u64 {
    let (words, _) = lanes.as_chunks::<8>();
    words.iter().rev().fold(0, |mask, &word| {
        // One bit of each byte, which the factor moves to as many bits of the highest byte; no two of its sums meet.
        let bits = u64::from_le_bytes(word) >> 7 & 0x0101_0101_0101_0101;
        mask << 8 | bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_gathered_in_their_order_by_each_way() {
        let mut state = 1_u64;
        for round in 0..if cfg!(miri) { 5 } else { 2000 } {
            state = state.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(round);
            let mask = [state, 0, !0, 1 << (round % 64), !(1 << (round % 64))][round as usize % 5];
            let mut lanes = [0x7F; LANES];
            for (at, lane) in lanes.iter_mut().enumerate() {
                *lane |= ((mask >> at & 1) as u8) << 7;
            }
            assert_eq!(gathered(&lanes), mask);
            assert_eq!(gathered_by_words(&lanes), mask);
        }
    }

    #[test]
    fn lanes_are_those_of_the_window_from_a_place_on() {
        let mut window: Window = [0; _];
        for (at, byte) in window.iter_mut().enumerate() {
            *byte = at as u8;
        }
        assert_eq!(lanes_of(&window, 0, |byte| byte % 2 == 1), 0xAAAA_AAAA_AAAA_AAAA);
        assert_eq!(lanes_of(&window, 3, |byte| byte < 5), 0b11);
        assert_eq!(lanes_before(&window, |byte, next| byte > 61 && next < 65), 0b11 << 62);
        assert_eq!(lanes_behind(&window, |byte| byte == 64 || byte == 71), 0b1000_0001);
        let mut copy: Window = [1; _];
        assert_eq!(window_at(&window[..70], 4, &mut copy)[60..], [64, 65, 66, 67, 68, 69, 0, 0, 0, 0, 0, 0]);
    }
}
