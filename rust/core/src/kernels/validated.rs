//! UTF-16 and UTF-32 validated, and measured to be written as another of the encodings of Unicode: in pieces without a
//! branch on what a unit is, which the compiler makes vectors of for each set of instructions.

use super::units::is_in;
use crate::code_point::{LARGEST_IN_STR, LEADS, SURROGATES, TRAILS};

/// Units that are looked at together: most have no surrogates, or are ASCII.
pub const PIECE: usize = 256;

/// What well-formed UTF-16 comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// How many surrogate pairs it has.
    pub pairs: usize,
    /// How many bytes of UTF-8 it takes, where that is asked.
    pub bytes: usize,
}

impl Counts {
    /// The same where each half of a pair was counted as a sequence of three bytes: it takes two.
    pub fn without_halves(self) -> Self {
        Counts { bytes: self.bytes.saturating_sub(2 * self.pairs), ..self }
    }
}

/// Measure UTF-16; its bytes in UTF-8 too if `EIGHT`. None if it is ill-formed. `is_swapped` says whether its units are
/// in the byte order of other machines.
#[inline(always)]
pub fn utf16<const EIGHT: bool>(units: &[u16], is_swapped: bool) -> Option<Counts> {
    if is_swapped { measured_16::<EIGHT>(units, u16::swap_bytes) } else { measured_16::<EIGHT>(units, |unit| unit) }
}

#[inline(always)]
fn measured_16<const EIGHT: bool>(units: &[u16], ordered: impl Fn(u16) -> u16 + Copy) -> Option<Counts> {
    let (mut counts, mut before) = (Counts { pairs: 0, bytes: units.len() }, 0);
    let mut add = |piece: &[u16; PIECE]| {
        if is_in(LEADS, before) != is_in(TRAILS, ordered(piece[0])) {
            return None;
        }
        before = ordered(piece[PIECE - 1]);
        let largest = piece.iter().fold(0, |largest, &unit| largest.max(ordered(unit)));
        if EIGHT && largest >= 0x80 {
            let more = |unit: u16| u16::from(unit >= 0x80) + u16::from(unit >= 0x800);
            counts.bytes += usize::from(piece.iter().fold(0, |sum, &unit| sum + more(ordered(unit))));
        }
        if u32::from(largest) >= SURROGATES.0 {
            counts.pairs += trails_of(piece, ordered)?;
        }
        Some(())
    };
    let (pieces, rest) = units.as_chunks();
    for piece in pieces {
        add(piece)?;
    }
    // Behind what is left there is at least one zero, which is no trail for a lead.
    let mut piece = [0; PIECE];
    piece[..rest.len()].copy_from_slice(rest);
    add(&piece)?;
    Some(counts.without_halves())
}

/// The number of trails; None if a unit but the first and the last should be half of a pair and is not.
#[inline(always)]
fn trails_of(units: &[u16; PIECE], ordered: impl Fn(u16) -> u16) -> Option<usize> {
    let [mut ill, mut trails] = [0, u16::from(is_in(TRAILS, ordered(units[0])))];
    for (&unit, &next) in units.iter().zip(&units[1..]) {
        let is_trail = u16::from(is_in(TRAILS, ordered(next)));
        ill |= u16::from(is_in(LEADS, ordered(unit))) ^ is_trail;
        trails += is_trail;
    }
    (ill == 0).then_some(trails.into())
}

/// Measure UTF-32 in the byte order of the machine: in bytes of UTF-8 if `EIGHT`, else in units of UTF-16. None if it
/// is ill-formed.
#[inline(always)]
pub fn utf32<const EIGHT: bool>(units: &[u32]) -> Option<usize> {
    let mut length = units.len();
    let (pieces, rest) = units.as_chunks();
    for piece in pieces {
        length += more_32::<EIGHT>(piece)?;
    }
    let mut piece = [0; PIECE];
    piece[..rest.len()].copy_from_slice(rest);
    Some(length + more_32::<EIGHT>(&piece)?)
}

/// How much longer than one each units of 32 bits are as bytes of UTF-8 if `EIGHT`, else as units of UTF-16; None if
/// one is ill-formed.
#[inline(always)]
fn more_32<const EIGHT: bool>(units: &[u32; PIECE]) -> Option<usize> {
    // By this the surrogates become the largest numbers.
    const TURN: u32 = u32::MAX - SURROGATES.1;
    let largest = units.iter().fold(0, |largest, &unit| largest.max(unit));
    let turned = || units.iter().fold(0, |largest, &unit| largest.max(unit.wrapping_add(TURN)));
    if largest > LARGEST_IN_STR || largest >= SURROGATES.0 && turned() >= SURROGATES.0 + TURN {
        return None;
    }
    let from = |least: i32| units.iter().fold(0, |sum, &unit| sum + u32::from(unit as i32 >= least)) as usize;
    let pairs = if largest > 0xFFFF { from(0x1_0000) } else { 0 };
    let more = if EIGHT && largest >= 0x80 { from(0x80) + from(0x800) } else { 0 };
    Some(more + pairs)
}
