//! What begins at an offset, by a layout in a few steps. Where the layout does not apply, the automaton reads unit by
//! unit.

use crate::code_point::{LEADS, holds, is_continuation, joined};
use crate::derive::layout::{Layout, Pairs, RUN_LEAD};

/// The bytes by which a layout identifies what begins at the first of them; zeros behind the end of the data.
pub(crate) type Window = [u8; 8];

/// What begins at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// The value and the length of a sequence.
    Value(u32, usize),
    /// The length of an ill-formed unit; in a form with a row for stray bytes, a stray byte.
    IllFormed(usize),
    /// Something that the automaton must read.
    Parting,
}

/// The bytes from an offset on.
#[inline]
pub(crate) fn window(data: &[u8], at: usize) -> Window {
    if let Some(window) = data[at..].first_chunk() {
        return *window;
    }
    let left = data.len() - at;
    if let Some(last) = data.last_chunk() {
        let before = 8 * (size_of::<Window>() - left) as u32;
        return u64::from_le_bytes(*last).checked_shr(before).unwrap_or(0).to_le_bytes();
    }
    let mut window = [0; 8];
    window[..left].copy_from_slice(&data[at..]);
    window
}

impl Layout {
    /// What begins with some bytes; the data may end within them.
    #[inline(always)]
    pub(crate) fn piece(&self, window: &Window) -> Piece {
        let [lead, second, third, fourth, ..] = *window;
        if lead < 0x80 {
            return if lead > 0 || self.has_nul { Piece::Value(lead.into(), 1) } else { Piece::IllFormed(1) };
        }
        let kind = self.kinds.of(lead);
        let is_parting = kind & Layout::SECOND_PARTS != 0
            && second.wrapping_sub(self.parting_low.of(lead)) <= self.parting_span.of(lead);
        if kind & Layout::PARTS != 0 || is_parting {
            return self.short_run(window).map_or(Piece::Parting, Piece::IllFormed);
        }
        let length = 1 + (kind & 7).count_ones() as usize;
        if length == 1 || second.wrapping_sub(self.second_low.of(lead)) > self.second_span.of(lead) {
            return Piece::IllFormed(1);
        }
        let there = match (is_continuation(third), is_continuation(fourth)) {
            (false, _) => 2,
            (true, false) => 3,
            (true, true) => 4,
        };
        if self.pairs != Pairs::Apart && lead == 0xED && second >= 0xA0 {
            return self.surrogate(window, there.min(3));
        }
        if there < length { Piece::IllFormed(there) } else { Piece::Value(self.sequence(window, length), length) }
    }

    /// The length of the ill-formed unit with which some bytes begin, the first of them above ASCII; 0 if something
    /// else begins, or may begin with this byte. Faults are not foreseen, so no branch depends on the bytes. The layout
    /// joins no pairs.
    #[inline(always)]
    pub(crate) fn ill_length(&self, window: &Window) -> usize {
        debug_assert_ne!(self.pairs, Pairs::Joined);
        let [lead, second, third, fourth, ..] = *window;
        let kind = self.kinds.of(lead);
        let length = 1 + (kind & 7).count_ones() as usize;
        let fits = (length > 1) & (second.wrapping_sub(self.second_low.of(lead)) <= self.second_span.of(lead));
        let has_third = is_continuation(third);
        let there = 2 + usize::from(has_third) + usize::from(has_third & is_continuation(fourth));
        let there = if fits { there } else { 1 };
        let may_part = kind & (Layout::PARTS | Layout::SECOND_PARTS) != 0;
        let is_ill = !may_part & (there < length.max(2));
        if is_ill { there } else { 0 }
    }

    /// The value of a complete sequence.
    #[inline]
    pub(crate) fn sequence(&self, bytes: &[u8], length: usize) -> u32 {
        let first = u32::from(bytes[0] & (0x7F >> length));
        let payload = bytes[1..length].iter().fold(first, |sum, byte| sum * 64 + u32::from(byte & 0x3F));
        self.value(payload, length)
    }

    /// The length of the run that begins here, if the layout has runs and the window shows the end.
    #[cold]
    fn short_run(&self, window: &Window) -> Option<usize> {
        let is_member = |&&byte: &&u8| is_continuation(byte) || byte >= RUN_LEAD;
        let begins = self.has_runs && window[0] >= RUN_LEAD;
        let length = if begins { window.iter().take_while(is_member).count() } else { 0 };
        (1..window.len()).contains(&length).then_some(length)
    }

    /// A surrogate byte sequence of which `length` bytes are present, in a layout where pairs mean something.
    fn surrogate(&self, window: &Window, length: usize) -> Piece {
        if length == 3 {
            let lead = self.sequence(window, 3);
            let is_trail = window[3] == 0xED && (0xB0..=0xBF).contains(&window[4]) && is_continuation(window[5]);
            if holds(LEADS, lead) && is_trail {
                return match self.pairs {
                    Pairs::Joined => Piece::Value(joined(lead, self.sequence(&window[3..], 3)), 6),
                    _ => Piece::Parting,
                };
            }
        }
        match length {
            _ if self.unpaired_is_ill => Piece::IllFormed(length),
            _ if self.unpaired_part => Piece::Parting,
            3 => Piece::Value(self.sequence(window, 3), 3),
            _ => Piece::IllFormed(length),
        }
    }
}

/// The meaning of surrogate byte sequences: one bit each, where the sequence begins.
pub(crate) struct Surrogates {
    /// Ill-formed units.
    pub ill: u64,
    /// Something that the automaton must read.
    pub parting: u64,
    /// The leads of pairs that are one value each.
    pub joined: u64,
}

impl Layout {
    /// The meaning of many at once, in a layout where pairs mean something; `pairs` has the first bytes of both halves
    /// of each pair.
    #[inline(always)]
    pub(crate) fn surrogates(&self, surrogates: u64, pairs: u64) -> Surrogates {
        let unpaired = surrogates & !pairs;
        match self.pairs {
            Pairs::Joined if self.unpaired_is_ill => Surrogates { ill: unpaired, parting: 0, joined: pairs },
            Pairs::Joined if self.unpaired_part => Surrogates { ill: 0, parting: unpaired, joined: pairs },
            Pairs::Joined => Surrogates { ill: 0, parting: 0, joined: pairs },
            _ => Surrogates { ill: 0, parting: pairs, joined: 0 },
        }
    }
}
