//! Short text to UTF-8: sixteen code points at once. The last block is filled with U+0000, whose bytes are cut off again.
//!
//! All blocks take one path: in text this short a branch could not learn which way it goes.

use eightfold_features::vectors;

use super::machine::*;
use super::part;
use super::sequences::Shape;
use super::speller::Speller;
use super::utf8::SPELLING;
use crate::code_point::SURROGATES;
use crate::kernels::output::Output;
use crate::kernels::short_buffer::ShortBuffer;
use crate::kernels::text::Text;

/// The code points of a block.
const BLOCK: usize = 16;

/// Write a text for which the memory is large enough. None if it holds a surrogate or a value beyond Unicode.
#[vectors]
pub fn write<'a>(text: Text<'_>, out: &'a mut ShortBuffer) -> Option<&'a [u8]> {
    let (speller, mut out) = (&Speller::<true, false>::new(&SPELLING), Output::new(out));
    match text {
        Text::One(points) => each_block(points, |block| {
            let units = speller.units::<u8>(widened_8(load_16(block)), || None)?;
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
#[vectors]
fn surrogates(units: Vector) -> Vector {
    let upper = and(units, each_16(0xF800));
    equal_16(upper, each_16(SURROGATES.0 as u16))
}

/// Those of eight values that are not scalar values.
#[inline]
#[vectors]
fn beyond(points: Vector) -> Vector {
    let upper = and(points, each_32(!0x7FF));
    let surrogates = equal_32(upper, each_32(SURROGATES.0));
    let first = each_32(0x11_0000);
    or(surrogates, at_least_32(points, first))
}
