//! Short text to UTF-8: sixteen code points at once. The last block is filled with U+0000, whose bytes are cut off again.
//!
//! All blocks take one path: in text this short a branch could not learn which way it goes.

use std::arch::x86_64::*;

use eightfold_features::avx2;

use super::sequences::Shape;
use super::speller::Speller;
use super::utf8::SPELLING;
use super::{is_none, load_16, load_points, load_units, part};
use crate::code_point::SURROGATES;
use crate::kernels::output::Output;
use crate::kernels::short_buffer::ShortBuffer;
use crate::kernels::text::Text;

/// The code points of a block.
const BLOCK: usize = 16;

/// Write a text for which the memory is large enough. None if it holds a surrogate or a value beyond Unicode.
#[avx2]
pub fn write<'a>(text: Text<'_>, out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    let (speller, mut out) = (&Speller::<true, false>::new(&SPELLING), Output::new(out));
    match text {
        Text::One(points) => each_block(points, |block| {
            let units = speller.units::<u8>(_mm256_cvtepu8_epi16(load_16(block)), || None)?;
            speller.write_shaped::<u8>(&units, Shape::UpToTwo, &mut out);
            Some(())
        }),
        Text::Two(points) => each_block(points, |block| {
            let units = load_units(block);
            let units = is_none(surrogates(units)).then_some(units)?;
            let units = speller.units::<[u8; 2]>(units, || None)?;
            speller.write_shaped::<u16>(&units, Shape::Mixed, &mut out);
            Some(())
        }),
        Text::Four(points) => each_block(points, |block| {
            for half in [0, 8] {
                let points = load_points(part(block, half));
                let points = is_none(beyond(points)).then_some(points)?;
                speller.write_points::<[u8; 4]>(speller.points::<[u8; 4]>(points, || None)?, &mut out);
            }
            Some(())
        }),
    }?;
    let behind = text.len().next_multiple_of(BLOCK) - text.len();
    out.truncate(out.filled() - behind);
    Some(out.into_written())
}

/// Pass a text to a function block by block.
#[inline]
fn each_block<T: Copy + Default>(points: &[T], mut take: impl FnMut(&[T; BLOCK]) -> Option<()>) -> Option<()> {
    let (blocks, rest) = points.as_chunks();
    for block in blocks {
        take(block)?;
    }
    if rest.is_empty() {
        return Some(());
    }
    let mut last = [T::default(); BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    take(&last)
}

/// The surrogates among sixteen units.
#[inline]
#[avx2]
fn surrogates(units: __m256i) -> __m256i {
    let upper = _mm256_and_si256(units, _mm256_set1_epi16(0xF800_u16 as i16));
    _mm256_cmpeq_epi16(upper, _mm256_set1_epi16(SURROGATES.0 as i16))
}

/// Those of eight values that are not scalar values.
#[inline]
#[avx2]
fn beyond(points: __m256i) -> __m256i {
    let upper = _mm256_and_si256(points, _mm256_set1_epi32(!0x7FF));
    let surrogates = _mm256_cmpeq_epi32(upper, _mm256_set1_epi32(SURROGATES.0.cast_signed()));
    let first = _mm256_set1_epi32(0x11_0000);
    _mm256_or_si256(surrogates, _mm256_cmpeq_epi32(_mm256_max_epu32(points, first), points))
}
