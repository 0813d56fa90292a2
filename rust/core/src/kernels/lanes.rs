//! Masks over a block of 64 bytes, one bit for each lane: the algebra that all instruction sets share.
//!
//! An instruction set finds which bytes are of a kind; what follows from that is `u64` algebra. Every function is inlined
//! into its caller, which compiles it with its own instructions.

use crate::policy::Answer;

/// The first `count` lanes.
#[inline(always)]
pub fn low_64(count: usize) -> u64 {
    if count >= 64 { !0 } else { (1 << count) - 1 }
}

/// The lanes in which sequences begin.
#[derive(Clone, Copy)]
pub struct Begun {
    /// The lead and its second byte belong together.
    pub two: u64,
    /// The same with the third byte, if the lead is that of three bytes or more.
    pub three: u64,
    /// The same with the fourth byte, if the lead is that of four bytes.
    pub four: u64,
    /// All bytes are there.
    pub whole: u64,
}

impl Begun {
    /// Args: the lanes in which a second byte follows its lead, leads of three bytes or more and of four, and the lanes
    /// whose third and fourth bytes are continuation bytes.
    #[inline(always)]
    pub fn new(two: u64, [is_three, is_four]: [u64; 2], [third, fourth]: [u64; 2]) -> Self {
        let three = two & is_three & third;
        let four = three & is_four & fourth;
        Begun { two, three, four, whole: two & !is_three | three & !is_four | four }
    }

    /// The lanes that these sequences take after their first byte. If bytes are answered one by one, the bytes of an
    /// incomplete sequence are on their own.
    #[inline(always)]
    pub fn taken(&self, one_by_one: bool, is_three: u64, carry: u64) -> Taken {
        let Begun { two, three, four, whole } = *self;
        let [second, third] = if one_by_one { [whole, whole & is_three] } else { [two, three] };
        Taken { here: carry | second << 1 | third << 2 | four << 3, next: second >> 63 | third >> 62 | four >> 61 }
    }
}

/// The lanes in which nothing begins, since they belong to what began before.
#[derive(Clone, Copy)]
pub struct Taken {
    /// Those of this block.
    pub here: u64,
    /// Those of the next block.
    pub next: u64,
}

impl Taken {
    /// Add the lanes that are so many behind some lanes.
    #[inline(always)]
    pub fn add<const COUNT: usize>(&mut self, lanes: u64, behind: [u32; COUNT]) {
        for by in behind {
            self.here |= lanes << by;
            self.next |= lanes >> (64 - by);
        }
    }

    /// What is read of a block, of which `left` bytes are to be read, if reading stops at the first lane of `stops`.
    #[inline(always)]
    pub fn read(&self, stops: u64, left: usize) -> Read {
        let begins = !self.here & low_64(left);
        let stop = (stops & begins).trailing_zeros() as usize;
        if stop == 64 && left > 64 {
            return Read { begins, length: 64, goes_on: true };
        }
        // Behind the limit, lanes in which nothing begins belong to what was read.
        let behind = (u128::from(self.next) << 64 | u128::from(self.here)) >> left.min(64);
        let length = if stop < 64 { stop } else { left + behind.trailing_ones() as usize };
        Read { begins: begins & low_64(stop), length, goes_on: false }
    }
}

/// The part of a block that is read.
#[derive(Clone, Copy)]
pub struct Read {
    /// Lanes in which something begins that is read.
    pub begins: u64,
    /// How many bytes these are; a sequence may continue behind the block.
    pub length: usize,
    /// Whether the whole block is read, and reading continues in the next.
    pub goes_on: bool,
}

/// The lanes at which reading stops because of ill-formed bytes; `high` has the lanes of bytes that are not ASCII.
#[inline(always)]
pub fn stops_at(answer: Answer, ill: u64, high: u64) -> u64 {
    match answer {
        Answer::Stop => ill,
        Answer::Escape(_) => ill & !high,
        _ => 0,
    }
}
