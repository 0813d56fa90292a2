//! Rules about neighbouring bytes, looked up for all bytes of a vector at once. Reading by them is in `reader`.

use eightfold_features::vectors;

use super::machine::*;
use crate::derive::layout::Layout;
use crate::kernels::neighbours::{TWO, derived};
use crate::once::once;

/// Rules as vectors.
pub struct Rules([Vector; 3]);

impl Rules {
    #[inline]
    #[vectors]
    pub fn new(tables: &[[u8; 16]; 3]) -> Self {
        Rules(tables.map(|table| twice(load_16(&table))))
    }

    /// The rules of a layout, as [`derived`] returns them.
    #[inline]
    #[vectors]
    pub fn of_layout(layout: &Layout) -> ([Self; 2], u8) {
        let &([of_seconds, of_sides], coarse) = once(&layout.rules, || derived(layout));
        ([Rules::new(&of_seconds), Rules::new(&of_sides)], coarse)
    }

    /// For rules with those that hold in any layout: not 0 in the lanes of bytes that are invalid after the three
    /// before them, of which `nearest` is the last.
    #[inline]
    #[vectors]
    pub fn broken(&self, bytes: Vector, [nearest, second, third]: [Vector; 3]) -> Vector {
        // The third byte of three or four, and the fourth: the highest bit shows that a second continuation byte is
        // due.
        let of_three = sub_to_zero_8(second, each_8(0xE0 - TWO));
        let of_four = sub_to_zero_8(third, each_8(0xF0 - TWO));
        let due = and(or(of_three, of_four), each_8(TWO));
        xor(self.among(nearest, bytes), due)
    }

    /// The rules that apply to pairs of bytes, in each lane.
    #[inline]
    #[vectors]
    pub fn among(&self, firsts: Vector, seconds: Vector) -> Vector {
        let half = each_8(0x0F);
        let upper = |bytes| and(right_16::<4>(bytes), half);
        let [of_upper, of_lower, of_second] = self.0;
        let of_upper = shuffle(of_upper, upper(firsts));
        let of_lower = shuffle(of_lower, and(firsts, half));
        let of_second = shuffle(of_second, upper(seconds));
        and(and(of_upper, of_lower), of_second)
    }
}
