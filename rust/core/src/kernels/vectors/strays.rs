//! Blocks in which each byte stands for itself: ASCII, and bytes with which nothing begins, such as those of another
//! encoding.

use eightfold_features::vectors;

use super::block::Window;
use super::machine::*;
use super::rules::Rules;
use super::{ByteSet, Room, part, store_32};
use crate::kernels::source::Source;
use crate::policy::Answer;

/// What shows such blocks, and what is written for them.
pub struct Strays {
    rules: Rules,
    /// The bits of rules that apply to no valid second byte.
    exact: Vector,
    /// All bits where an incomplete sequence is one unit, so that each beginning of one counts; no bit where its bytes
    /// are answered one by one.
    is_whole: Vector,
    /// The bytes with which something begins that parts from the layout.
    parting: Option<ByteSet>,
    /// The bits of a stray byte that are kept in its answer, in lanes of 16 bits, and the number added to them.
    kept: Vector,
    base: Vector,
    /// Whether nothing is written for a stray byte.
    drops: bool,
}

impl Strays {
    #[inline]
    #[vectors]
    pub fn new(source: &Source<'_>) -> Self {
        let (layout, answer) = (source.layout, source.answer());
        let ([rules, _], coarse) = Rules::of_layout(layout);
        let [alone, with_seconds] = layout.parting;
        let parting = std::array::from_fn(|at| alone[at] | with_seconds[at]);
        let (kept, base) = if let Answer::Escape(base) = answer { (0xFF, base) } else { (0, 0xFFFD) };
        Strays {
            rules,
            exact: each_8(!coarse),
            is_whole: each_8(if answer.is_by_byte() { 0 } else { 0xFF }),
            parting: layout.parts.then(|| ByteSet::new(parting)),
            kept: each_16(kept),
            base: each_16(base as u16),
            drops: answer == Answer::Drop,
        }
    }

    /// Whether a block is one, provided that nothing is carried into it. It may be one all the same where rules are not
    /// exact.
    #[inline]
    #[vectors]
    pub fn are_all(&self, window: &Window) -> bool {
        !self.drops && is_none(or(self.others(window, 0), self.others(window, 32)))
    }

    /// Something but 0 in the lanes of half a block in which anything else may begin.
    #[inline]
    #[vectors]
    fn others(&self, window: &Window, at: usize) -> Vector {
        let [bytes, second, third, fourth] = [0, 1, 2, 3].map(|by| load_32(part(window, at + by)));
        let broken = and(self.rules.among(bytes, second), self.exact);
        let two = and(at_least_8(bytes, each_8(0xC0)), and(are_continuations(second), equal_8(broken, zero())));
        let no_third = not_and(are_continuations(third), leads_from(bytes, each_8(0xE0)));
        let no_fourth = not_and(are_continuations(fourth), leads_from(bytes, each_8(0xF0)));
        let is_open = not_and(self.is_whole, or(no_third, no_fourth));
        let begun = not_and(is_open, two);
        match self.parting {
            Some(set) => or(begun, set.lanes(bytes)),
            None => begun,
        }
    }

    /// Write a block.
    #[inline]
    #[vectors]
    pub fn put_ucs2(&self, window: &Window, room: &mut Room<u16>) {
        for at in [0, 32] {
            for (half, bytes) in halves(load_32(part(window, at))).into_iter().enumerate() {
                let units = widened_8(bytes);
                let answers = add_16(and(units, self.kept), self.base);
                store_32(blend(units, answers, greater_16(units, each_16(0x7F))), room, at + 16 * half);
            }
        }
    }
}
