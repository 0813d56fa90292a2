//! What a lead byte says about its sequence, in one entry each: for a loop that reads them one by one. Derived from a
//! layout.

use crate::derive::layout::{Layout, Pairs, SURROGATE_LEAD, SURROGATE_SECOND};

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

    fn new(layout: &Layout, lead: u8) -> Head {
        let kind = layout.kinds.of(lead);
        let length = match Layout::length(lead) {
            Some(length) if kind & Layout::TWO != 0 && kind & Layout::PARTS == 0 => length,
            _ => return Head::NONE,
        };
        let (low, mut span) = (layout.second_low.of(lead), layout.second_span.of(lead));
        if layout.pairs != Pairs::Apart && lead == SURROGATE_LEAD {
            // Where pairs mean something, surrogates need a closer look.
            if low >= SURROGATE_SECOND {
                return Head::NONE;
            }
            span = span.min(SURROGATE_SECOND - 1 - low);
        }
        // What is behind the gap for some sequences and before it for others needs a closer look.
        let values = [(low, 0x80), (low + span, 0xBF)]
            .map(|(second, last)| layout.sequence(&[lead, second, last, last], length));
        let added = layout.offsets[length - 2].wrapping_add(
            match values.map(|value| value >= layout.gap.0.wrapping_add(layout.gap.1)) {
                [false, false] => 0,
                [true, true] => layout.gap.1,
                _ => return Head::NONE,
            },
        );
        let each = |bits: u32| (2..length).map(|place| bits << (8 * place)).sum();
        let unused = 6 * (4 - length as u8);
        // Of the lead byte too, six bits are taken.
        let beyond = u32::from(lead & 0x3F & !(0x7F >> length)) << (6 * (length - 1));
        Head {
            mask: each(CONTINUING.0),
            pattern: each(CONTINUING.1),
            offset: added.wrapping_sub(beyond),
            low,
            span,
            length: length as u8,
            unused,
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
    pub(crate) fn new(layout: &Layout) -> Heads {
        let mut heads = [Head::NONE; 64];
        for (lead, head) in (FIRST..=0xFF).zip(&mut heads) {
            *head = Head::new(layout, lead);
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
