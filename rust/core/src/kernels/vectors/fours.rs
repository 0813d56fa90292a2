//! Blocks of sequences of four bytes with few others between: ASCII, and ill-formed units of one code point each.
//! Written run by run, they take less than by their lanes, of which three in four are dropped.

use std::iter;
use std::mem::MaybeUninit;

use eightfold_features::vectors;

use super::machine::*;
use super::points::{Block, Meaning, Window, fours};
use super::{Room, part, store};
use crate::kernels::masks::window_at;

/// A block, and as much behind it as is loaded of a run that begins in its last lane.
type Wide = [u8; 128];

/// A block as it is written: its window, and more if there is as much.
pub struct Seen<'a> {
    pub window: &'a Window,
    wide: Option<&'a Wide>,
}

impl<'a> Seen<'a> {
    /// The block at an offset; what ends with the data, from a copy with 0 behind it.
    #[inline]
    pub fn at(data: &'a [u8], at: usize, copy: &'a mut Window) -> Self {
        let wide: Option<&Wide> = data[at..].first_chunk();
        Seen { window: wide.map_or_else(|| window_at(data, at, copy), |wide| part(wide, 0)), wide }
    }
}

/// The most code points of such a block: whole vectors are stored behind the last one, and have room there.
const MOST: u32 = 48;

/// The most runs of others: with more of them, lanes take less.
const MOST_RUNS: u32 = 4;

/// Sequences, which may be none, and the singles behind them, in lanes next to each other: the lane of the first, and
/// how many there are.
struct Run {
    sequences: (usize, usize),
    singles: (usize, usize),
}

/// What begins in some lanes, run by run, where singles begin in some of them.
#[inline]
fn runs(begins: u64, singles: u64) -> impl Iterator<Item = Run> {
    let mut rest = begins;
    iter::from_fn(move || {
        let singles = rest & singles;
        // The lanes before the first of them, and the lanes from there to the next that is none.
        let before = singles.wrapping_sub(1) & !singles;
        let next = singles & !singles.wrapping_add(singles & singles.wrapping_neg());
        let run = Run {
            sequences: (rest.trailing_zeros() as usize, (rest & before).count_ones() as usize),
            singles: (singles.trailing_zeros() as usize, next.count_ones() as usize),
        };
        let is_some = rest != 0;
        rest &= !(before | next);
        is_some.then_some(run)
    })
}

impl Meaning<'_> {
    /// The lanes of a block in which ASCII or an ill-formed unit begins, if they are in few runs, all others begin four
    /// bytes, and payloads are code points.
    #[inline]
    #[vectors]
    fn singles(&self, block: &Block) -> Option<u64> {
        let singles = block.begins & !block.fours;
        // NUL is ill-formed in some forms, and lanes that are dropped part a run.
        let are_answered = block.ill & !(block.high & block.begins) == 0;
        let are_single = singles & block.high & !block.ill == 0;
        let are_all = self.shift.is_none() && block.pairs == 0 && are_single && are_answered;
        let are_few = (singles & !(singles << 1)).count_ones() <= MOST_RUNS && block.begins.count_ones() <= MOST;
        (are_all && are_few).then_some(singles)
    }

    /// Write what begins in a block of any kind that was examined closely.
    #[inline]
    #[vectors]
    pub fn put_noted<Taker>(&self, seen: &Seen<'_>, block: &Block, room: &mut Room<u32>) {
        if !seen.wide.is_some_and(|wide| self.put_fours_apart(wide, block, room)) {
            self.put_mixed::<Taker>(seen.window, block, room);
        }
    }

    /// Write what begins in a block, if it is one of these, and return whether it is.
    #[inline]
    #[vectors]
    fn put_fours_apart(&self, bytes: &Wide, block: &Block, room: &mut Room<u32>) -> bool {
        if block.has_no_fours() {
            return false;
        }
        let Some(singles) = self.singles(block) else { return false };
        let mut filled = 0;
        for Run { sequences: (first, count), singles: (lane, more) } in runs(block.begins, singles) {
            // At most sixteen sequences begin in a block. One check here, instead of one for each of the two stores.
            assert!(filled <= MOST as usize, "no more begin in the block");
            let place: &mut [MaybeUninit<u32>; 16] = room[filled..].first_chunk_mut().expect("as many have room");
            store(fours(load_32(part(bytes, first))), place, 0);
            store(fours(load_32(part(bytes, first + 32))), place, 8);
            filled += count;
            // One vector at least: a branch on whether a block ends with a sequence is mispredicted as often as not.
            self.put_singles(part(bytes, lane), (room, filled));
            for at in (8..more).step_by(8) {
                self.put_singles(part(bytes, lane + at), (room, filled + at));
            }
            filled += more;
        }
        true
    }

    /// Write eight singles behind what has been written.
    #[inline]
    #[vectors]
    fn put_singles(&self, bytes: &[u8; 8], (room, filled): (&mut Room<u32>, usize)) {
        assert!(filled <= 64, "no more begin in a block");
        let place: &mut [MaybeUninit<u32>; 8] = room[filled..].first_chunk_mut().expect("as many have room");
        let bytes = as_32(load_8(bytes));
        store(self.answered_32(bytes, bytes, greater_32(bytes, each_32(0x7F))), place, 0);
    }
}
