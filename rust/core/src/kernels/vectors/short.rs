//! Short text to UTF-8: sixteen code points at once.
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
use crate::kernels::text::Text;

/// The code points of a block.
pub const BLOCK: usize = 16;

/// Write the whole blocks of a text up to the first with a surrogate or a value beyond Unicode, and return how many
/// code points those are.
#[vectors]
pub fn write(text: Text<'_>, out: &mut Output<'_, u8>) -> usize {
    let speller = &Speller::<true, false>::of_utf8(&SPELLING);
    match text {
        Text::One(points) => each_block(points, |block| {
            let units = speller.units::<u8>(widened_8(load_16(block)), || None)?;
            speller.write_shaped::<u8>(&units, Shape::UpToTwo, out);
            Some(())
        }),
        Text::Two(points) => each_block(points, |block| {
            let units = load_units(block);
            let units = is_none(surrogates(units)).then_some(units)?;
            let units = speller.units::<[u8; 2]>(units, || None)?;
            speller.write_shaped::<u16>(&units, Shape::Mixed, out);
            Some(())
        }),
        Text::Four(points) => each_block(points, |block| {
            let halves = [0, 8].map(|half| load_points(part(block, half)));
            let are_scalar = is_none(or(beyond(halves[0]), beyond(halves[1])));
            for points in are_scalar.then_some(halves)? {
                speller.write_points::<[u8; 4]>(speller.points::<[u8; 4]>(points, || None)?, out);
            }
            Some(())
        }),
    }
}

/// Pass a text to a function block by block until it takes one no more, and return how many code points it took.
#[inline]
fn each_block<T>(points: &[T], take: impl FnMut(&[T; BLOCK]) -> Option<()>) -> usize {
    let (blocks, _) = points.as_chunks();
    BLOCK * blocks.iter().map_while(take).count()
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
