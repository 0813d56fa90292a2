//! What a lead byte says about its sequence, in one entry each: for a loop that reads them one by one. Derived from a
//! layout.

/// The lowest lead byte.
const FIRST: u8 = 0xC0;
/// The bits by which a continuation byte is one, and what they are.
const CONTINUING: (u32, u32) = (0xC0, 0x80);

/// The sequences with a lead byte, of which four bytes are looked at as a number, the first byte lowest.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Head {
    /// The bits by which the bytes after the second continue the sequence, and what they must be.
    mask: u32,
    pattern: u32,
    /// What is added to the payload.
    offset: u32,
    /// The lowest second byte, and how many more there are.
    low: u8,
    span: u8,
    /// The length, and how many bits of four bytes' payload the others have.
    length: u8,
    unused: u8,
}

impl Head {
    /// No bytes fit.
    const NONE: Head = Head { mask: 0, pattern: 1, offset: 0, low: 0, span: 0, length: 1, unused: 0 };

    /// The sequences of a lead byte and so many bytes in all, given the lowest second byte, how many more there are,
    /// and what is added to the payload.
    pub(crate) fn new(lead: u8, length: usize, (low, span): (u8, u8), added: u32) -> Head {
        let each = |bits: u32| (2..length).map(|place| bits << (8 * place)).sum();
        // Of the lead byte too, six bits are taken.
        let beyond = u32::from(lead & 0x3F & !(0x7F >> length)) << (6 * (length - 1));
        Head {
            mask: each(CONTINUING.0),
            pattern: each(CONTINUING.1),
            offset: added.wrapping_sub(beyond),
            low,
            span,
            length: length as u8,
            unused: 6 * (4 - length as u8),
        }
    }
}

/// The entries of all lead bytes.
#[derive(Clone, Debug)]
pub(crate) struct Heads([Head; 64]);

/// What begins with four bytes.
pub(crate) struct Found {
    /// The value.
    pub value: u32,
    /// How many bytes it takes.
    pub length: usize,
    /// Zero, unless it is no such sequence, or needs a closer look.
    pub misfit: u32,
}

impl Heads {
    /// `of` says what each lead byte says; None if that needs a closer look.
    pub(crate) fn new(of: impl Fn(u8) -> Option<Head>) -> Heads {
        let mut heads = [Head::NONE; 64];
        for (lead, head) in (FIRST..=0xFF).zip(&mut heads) {
            *head = of(lead).unwrap_or(Head::NONE);
        }
        Heads(heads)
    }

    /// The sequence whose first four bytes are given, the first a lead byte.
    #[inline(always)]
    pub(crate) fn read(&self, bytes: [u8; 4]) -> Found {
        let word = u32::from_le_bytes(bytes);
        let head = &self.0[(word & 0x3F) as usize];
        let index = (word >> 8 & 0xFF).wrapping_sub(head.low.into()) & 0xFF;
        let is_apart = u32::from(index > head.span.into());
        let six = word.swap_bytes() & 0x3F3F_3F3F;
        let twelve = (six & 0x003F_003F) | (six & 0x3F00_3F00) >> 2;
        let payload = (twelve & 0xFFF) | (twelve >> 4 & 0xFF_F000);
        Found {
            value: (payload >> (head.unused & 31)).wrapping_add(head.offset),
            length: head.length.into(),
            misfit: is_apart | (word & head.mask) ^ head.pattern,
        }
    }
}
