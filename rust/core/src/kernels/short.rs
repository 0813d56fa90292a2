//! Short text to UTF-8 in one pass, into memory that holds whatever it can become.
//!
//! Measuring a text first, to write it into memory of the exact size, costs more than the text itself where that is a
//! word or a line. Here sixteen code points become sequences at once, and a copy of the result is cheaper than a
//! second look at the source.

#![expect(unsafe_code, reason = "vectors are loaded and stored, and what is written is counted")]

use std::mem::MaybeUninit;

use super::{Level, Output, Text};

/// The memory that short text is written to.
pub const SHORT_BYTES: usize = 1024;
/// What a step may write beyond what it says.
const SLACK: usize = 64;
const LONGEST_SEQUENCE: usize = 4;

/// Memory for short text.
pub type ShortBuffer = [MaybeUninit<u8>; SHORT_BYTES + SLACK];

/// Write a short text as UTF-8 and return the bytes; None where it is too long, or holds what is no scalar value.
#[inline]
pub fn write_short<'a>(text: Text<'_>, out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    if text.len() > SHORT_BYTES / LONGEST_SEQUENCE {
        return None;
    }
    match Level::current() {
        // SAFETY: the machine has the instructions.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { avx512::write(text, out) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { super::avx2::short::write(text, out) },
        _ => match text {
            Text::One(points) => one_by_one(points, out),
            Text::Two(points) => one_by_one(points, out),
            Text::Four(points) => one_by_one(points, out),
        },
    }
}

fn one_by_one<'a, T: Copy + Into<u32>>(points: &[T], out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    let mut out = Output::new(out);
    for &point in points {
        let mut sequence = [0; LONGEST_SEQUENCE];
        let length = char::from_u32(point.into())?.encode_utf8(&mut sequence).len();
        // All four: a copy of a length that is known is one store.
        *out.spare().first_chunk_mut()? = sequence.map(MaybeUninit::new);
        // SAFETY: a sequence has no more.
        unsafe { out.advance(length) };
    }
    Some(out.into_written())
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{Output, ShortBuffer, Text};

    const LANES: usize = 16;

    /// Write a text that the memory is large enough for.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    pub fn write<'a>(text: Text<'_>, out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
        let mut out = Output::new(out);
        for at in (0..text.len()).step_by(LANES) {
            let count = (text.len() - at).min(LANES);
            let valid = u16::MAX >> (LANES - count);
            // SAFETY: masked loads touch only the code points of their mask, and as many are left.
            let points = unsafe {
                match text {
                    Text::One(points) => {
                        _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(valid, points.as_ptr().add(at).cast()))
                    }
                    Text::Two(points) => {
                        _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(valid, points.as_ptr().add(at).cast()))
                    }
                    Text::Four(points) => _mm512_maskz_loadu_epi32(valid, points.as_ptr().add(at).cast()),
                }
            };
            let block = _mm512_and_si512(points, _mm512_set1_epi32(!0x7FF));
            let surrogates = _mm512_cmpeq_epi32_mask(block, _mm512_set1_epi32(0xD800));
            if surrogates | _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x11_0000)) != 0 {
                return None;
            }
            let sequences = sequences(points);
            // A byte that is none of a sequence is 0, and so is U+0000, which is the first byte of its own.
            let used = _mm512_test_epi8_mask(sequences, sequences) | 0x1111_1111_1111_1111;
            let used = used & (u64::MAX >> (64 - 4 * count));
            let place = out.spare().first_chunk_mut::<64>()?;
            // SAFETY: 64 bytes have room there.
            unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), _mm512_maskz_compress_epi8(used, sequences)) };
            // SAFETY: 64 bytes have been written.
            unsafe { out.advance(used.count_ones() as usize) };
        }
        Some(out.into_written())
    }

    /// The sequences of code points, each in its lane from the lowest byte on, with 0 behind it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
    fn sequences(points: __m512i) -> __m512i {
        let two = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x80));
        let three = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x800));
        let four = _mm512_cmpge_epu32_mask(points, _mm512_set1_epi32(0x1_0000));
        // Six bits a byte, the highest first, as if each sequence had four bytes; then what it has not is shifted out.
        let each_six = _mm512_set1_epi64(i64::from_le_bytes([18, 12, 6, 0, 32 + 18, 32 + 12, 32 + 6, 32]));
        let payloads = _mm512_and_si512(_mm512_multishift_epi64_epi8(each_six, points), _mm512_set1_epi8(0x3F));
        let beyond = _mm512_mask_mov_epi32(_mm512_set1_epi32(16), three, _mm512_set1_epi32(8));
        let beyond = _mm512_mask_mov_epi32(beyond, four, _mm512_setzero_si512());
        let marks = _mm512_mask_mov_epi32(_mm512_set1_epi32(0x80C0), three, _mm512_set1_epi32(0x80_80E0));
        let marks = _mm512_mask_mov_epi32(marks, four, _mm512_set1_epi32(0x8080_80F0_u32.cast_signed()));
        _mm512_mask_or_epi32(points, two, _mm512_srlv_epi32(payloads, beyond), marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: Text<'_>) {
        let points: Vec<u32> = (0..text.len()).map(|at| text.at(at)).collect();
        let expected: Option<String> = points.iter().map(|&point| char::from_u32(point)).collect();
        let mut out = [MaybeUninit::uninit(); SHORT_BYTES + SLACK];
        if text.len() > SHORT_BYTES / LONGEST_SEQUENCE {
            assert_eq!(write_short(text, &mut out), None);
            return;
        }
        assert_eq!(write_short(text, &mut out), expected.as_deref().map(str::as_bytes));
        type Write = for<'a> fn(Text<'_>, &[u32], &'a mut ShortBuffer) -> Option<&'a [u8]>;
        let mut ways: Vec<Write> = vec![|_, points, out| one_by_one(points, out)];
        #[cfg(target_arch = "x86_64")]
        if super::super::avx2::is_available() {
            // SAFETY: the machine has the instructions.
            ways.push(|text, _, out| unsafe { super::super::avx2::short::write(text, out) });
        }
        for write in ways {
            assert_eq!(write(text, &points, &mut out), expected.as_deref().map(str::as_bytes));
        }
    }

    #[test]
    fn every_length_and_width_is_written_as_rust_does() {
        const EDGES: [u32; 13] =
            [0, 0x41, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF];
        for length in 0..=SHORT_BYTES / LONGEST_SEQUENCE + 1 {
            for first in 0..EDGES.len() {
                let four: Vec<u32> = (0..length).map(|at| EDGES[(first + at * at) % EDGES.len()]).collect();
                let two: Vec<u16> =
                    four.iter().map(|&point| point as u16).filter(|unit| unit & 0xF800 != 0xD800).collect();
                let one: Vec<u8> = four.iter().map(|&point| point as u8).collect();
                check(Text::One(&one));
                check(Text::Two(&two));
                check(Text::Four(&four));
            }
        }
    }

    #[test]
    fn a_value_beyond_unicode_anywhere_is_refused() {
        for place in 0..40 {
            for value in [0x11_0000, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
                let mut four = [0x1_F600; 40];
                four[place] = value;
                check(Text::Four(&four));
            }
        }
    }

    #[test]
    fn a_surrogate_anywhere_is_refused() {
        for length in 1..100 {
            for place in 0..length {
                for surrogate in [0xD800_u16, 0xDBFF, 0xDC00, 0xDFFF] {
                    let mut two = vec![0x61; length];
                    two[place] = surrogate;
                    let four: Vec<u32> = two.iter().map(|&unit| unit.into()).collect();
                    check(Text::Two(&two));
                    check(Text::Four(&four));
                }
            }
        }
    }
}
