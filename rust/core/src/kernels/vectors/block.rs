//! A block of 64 bytes, and what is found in it.

use eightfold_features::vectors;

use super::machine::*;
use super::{Bytes, part};

/// A block of 64 bytes and the eight behind it; a sequence that begins in the block needs at most five of those.
pub type Window = [u8; 72];

/// The findings about 64 bytes.
pub struct Block {
    /// The lanes of what is not ASCII.
    pub high: u64,
    /// Lanes in which something begins that is read.
    pub begins: u64,
    /// Those of them in which an ill-formed unit begins.
    pub ill: u64,
    /// Those of them in which a joined surrogate pair begins.
    pub pairs: u64,
    /// Those of them in which a sequence of four bytes begins.
    pub fours: u64,
    /// Those of them in which something ill-formed has the shape of such a sequence.
    pub false_fours: u64,
    /// Lanes of the next block in which nothing begins.
    pub carry: u64,
    /// The number of bytes of the block that were read.
    pub length: usize,
    /// Whether reading continues behind the block.
    pub goes_on: bool,
}

/// Consecutive sequences of one length.
#[derive(Clone, Copy)]
pub struct Sequences {
    length: usize,
    /// The lanes in which they begin.
    begins: u64,
    /// The upper half of their lead bytes.
    lead: u8,
}

pub const THREES: Sequences = Sequences { length: 3, begins: 0x9249_2492_4924_9249, lead: 0xE0 };
pub const FOURS: Sequences = Sequences { length: 4, begins: 0x1111_1111_1111_1111, lead: 0xF0 };

impl Block {
    /// What stands before the first block: nothing, and reading goes on.
    pub const BEFORE: Self =
        Block { high: 0, begins: 0, ill: 0, pairs: 0, fours: 0, false_fours: 0, carry: 0, length: 0, goes_on: true };

    /// The lane of the first sequence, if there are only sequences of three bytes or only of four; otherwise None.
    pub fn start_of(&self, window: &Window, sequences: Sequences) -> Option<usize> {
        let (first, last) = (self.begins.trailing_zeros() as usize, 63 - (self.begins.leading_zeros() as usize & 63));
        let is_clean = self.ill | self.pairs == 0;
        // Between the first and the last there is no room for others. The first byte of the one that ends behind the
        // block shows its length.
        let are_all = first < sequences.length && self.begins == sequences.begins << first;
        (is_clean && are_all && window[last] & 0xF0 == sequences.lead).then_some(first)
    }

    /// Whether every sequence is a single byte.
    pub fn are_bytes(&self) -> bool {
        self.begins == !0 && self.carry == 0
    }

    /// Whether nothing has four bytes or is a pair: all payloads are below U+10000.
    pub fn has_no_fours(&self) -> bool {
        self.pairs | self.fours == 0
    }

    /// Whether the block was read to its end and has sequences of four bytes, and all else that begins is ASCII or
    /// ill-formed. No ill-formed unit has the shape of such a sequence.
    pub fn are_fours_and_answers(&self) -> bool {
        let others = self.begins & self.high & !(self.fours | self.ill);
        // NUL is ill-formed in some forms.
        let unlike = self.ill & !self.high | self.false_fours;
        self.goes_on && self.fours != 0 && others | unlike == 0
    }

    /// Join the pairs that begin in some lanes of a clean block.
    #[inline]
    pub fn add_pairs(&mut self, pairs: u64) {
        self.begins &= !(pairs << 3);
        self.pairs = pairs & self.begins;
        self.carry |= pairs >> 61 | pairs >> 60 | pairs >> 59;
    }
}

/// The eight bytes behind a block; other lanes are arbitrary.
#[inline]
#[vectors]
fn behind(window: &Window) -> Vector {
    lower(load_8(part(window, 64)))
}

/// The continuation bytes among the eight bytes behind a block.
#[inline]
#[vectors]
pub fn continuing_behind(window: &Window) -> u64 {
    mask_of_eight(are_continuations(behind(window)))
}

/// The lanes of bytes from F0 on that three continuation bytes follow.
#[inline]
#[vectors]
pub fn shaped_as_fours(window: &Window, bytes: Bytes) -> u64 {
    let (continuing, behind) = (bytes.continuations(), continuing_behind(window));
    let leads = bytes.high() & bytes.leads_from(0xF0);
    [1, 2, 3].into_iter().fold(leads, |lanes, by| lanes & further_on(continuing, behind, by))
}

/// The lanes in which surrogate byte sequences begin, provided that continuation bytes follow.
#[inline]
#[vectors]
pub fn surrogates(window: &Window, bytes: Bytes) -> u64 {
    let first = bytes.equal(0xED);
    // From A0 up: bit 0x20 of the second byte is set.
    if first == 0 { 0 } else { first & Bytes::of(window, 1).high_bits(|bytes| left_16::<2>(bytes)) }
}

/// The surrogate byte sequences that begin a pair.
#[inline]
#[vectors]
pub fn begin_pairs(window: &Window, surrogates: u64) -> u64 {
    // From B0 up: bit 0x10 is set too.
    let trails = surrogates & Bytes::of(window, 1).high_bits(|bytes| left_16::<3>(bytes));
    surrogates & !trails & (trails >> 3 | trails_behind(window) << 61)
}

/// Which of the first three lanes behind a block begin trail surrogate byte sequences.
#[inline]
#[vectors]
fn trails_behind(window: &Window) -> u64 {
    let bytes = behind(window);
    let first = mask_of_eight(equal_8(bytes, each_8(0xED)));
    let second = mask_of_eight(equal_8(and(bytes, each_8(0xF0)), each_8(0xB0)));
    first & second >> 1 & continuing_behind(window) >> 2 & 7
}
