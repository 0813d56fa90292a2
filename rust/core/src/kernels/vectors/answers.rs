//! What stands in a str for ill-formed bytes, lane by lane.

use eightfold_features::vectors;

use super::machine::*;

/// What is written for the bytes of ill-formed lanes: a number added to each, or to 0 in place of it.
pub struct Answers {
    /// All bits, or none in place of the byte.
    kept: Vector,
    /// The number, in lanes of 32 bits.
    base: Vector,
    /// Its lowest byte, and the next one plus 1.
    low: Vector,
    next: Vector,
}

impl Answers {
    /// The answers where a base is added to each byte; None where each becomes U+FFFD.
    #[inline]
    #[vectors]
    pub fn new(escape: Option<u32>) -> Self {
        let (kept, base) = escape.map_or((0, 0xFFFD), |base| (0xFF, base));
        let [low, next, ..] = base.to_le_bytes();
        Answers { kept: each_8(kept), base: each_32(base), low: each_8(low), next: each_8(next.wrapping_add(1)) }
    }

    /// The two lowest bytes of the answers to bytes.
    #[inline]
    #[vectors]
    pub fn of_8(&self, bytes: Vector) -> [Vector; 2] {
        let bytes = and(bytes, self.kept);
        let low = add_8(bytes, self.low);
        // Where the sum is not less than the byte nothing is carried: 1 is taken off.
        [low, add_8(at_least_8(low, bytes), self.next)]
    }

    /// The answers to bytes in lanes of 32 bits.
    #[inline]
    #[vectors]
    pub fn of_32(&self, bytes: Vector) -> Vector {
        add_32(and(bytes, self.kept), self.base)
    }
}
