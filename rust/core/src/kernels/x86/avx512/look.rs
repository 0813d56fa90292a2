//! Blocks of bytes of any form that has a layout: what begins in which lane. Counting and writing are in `decode` and
//! `clean`.
//!
//! Each byte of a block is treated as if a sequence began there, all at once: masks show which lanes begin a sequence,
//! which of them are ill-formed, and where the layout does not apply.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::{bytes_64, store_64};
use crate::derive::layout::{Layout, Pairs, RUN_LEAD, SURROGATE_SECOND, Table};
use crate::derive::piece::Surrogates;
use crate::kernels::lanes::{Begun, Read, stops_at};
use crate::kernels::source::Source;
use crate::policy::Answer;

/// A block of 64 bytes and the eight behind it; a sequence that begins in the block needs at most seven of those.
/// Behind the end of the data they are 0.
pub type Window = [u8; WINDOW];
pub const WINDOW: usize = 72;

/// The window at an offset, in the data or in `copy`. It is copied as a vector: a call would spill all registers.
#[inline]
#[avx512]
pub fn window<'a>(data: &'a [u8], at: usize, copy: &'a mut Window) -> &'a Window {
    if let Some(window) = data[at..].first_chunk() {
        return window;
    }
    store_64(bytes_64(data, at), copy);
    for (place, byte) in copy[64..].iter_mut().enumerate() {
        *byte = data.get(at + 64 + place).copied().unwrap_or(0);
    }
    copy
}

/// The tables of a layout, with the facts that each block needs.
pub struct Reader<'a> {
    pub layout: &'a Layout,
    kinds: Lookup,
    /// Whether only sequences with a byte from 80 up can be ill-formed, the policy answers all of them, and no
    /// sequences are joined.
    pub is_plain: bool,
    /// Whether something that parts from the layout begins with a continuation byte.
    strays_part: bool,
    pub second_low: Lookup,
    /// How many second bytes a lead byte takes, from `second_low` on.
    pub second_count: Lookup,
    /// The same without the second bytes of surrogates, in layouts where those mean something.
    pub second_count_apart: Lookup,
    pub answer: Answer,
    /// The base added to the byte in an ill-formed lane; None if that becomes U+FFFD.
    pub escape: Option<u32>,
    /// Whether each byte of an ill-formed unit is answered on its own.
    pub is_by_byte: bool,
    /// Whether units that part from the layout become U+FFFD as well.
    replaces_units: bool,
    /// The kind bit of lead bytes whose parting sequences are ill-formed units; 0 if the policy does not answer those.
    beyond: u8,
    /// Whether the policy answers runs.
    pub answers_runs: bool,
    /// The layout if payloads are not code points.
    pub shift: Option<&'a Layout>,
    /// Whether 16-bit units can be composed byte by byte.
    pub has_plain_bytes: bool,
}

/// The dirtiness of the last blocks. If one in five or more is dirty, all are examined closely: a mispredicted branch
/// costs more than examining a block.
#[derive(Clone, Copy, Default)]
pub struct Recent(usize);

/// The amount that a dirty block adds; each block subtracts one.
const DIRTY: usize = 5;
/// From this amount on, the next block is examined closely.
const CLOSELY: usize = 8;
const MOST: usize = 24;
/// The most blocks that are certain to be examined closely.
pub const MOST_CLOSELY: usize = MOST + 1 - CLOSELY;

impl Recent {
    /// Add a block, given its ill-formed lanes.
    #[inline]
    pub fn add(&mut self, ill: u64) {
        self.add_all(usize::from(ill != 0), 1);
    }

    /// Add some blocks, so many of which have ill-formed lanes.
    #[inline]
    pub fn add_all(&mut self, dirty: usize, blocks: usize) {
        // Branchless.
        self.0 = (self.0 + DIRTY * dirty).saturating_sub(blocks).min(MOST);
    }

    /// Add this many clean blocks.
    #[inline]
    pub fn add_clean(&mut self, blocks: usize) {
        self.0 = self.0.saturating_sub(blocks);
    }

    /// Whether the next block should be examined closely.
    #[inline]
    pub fn is_dirty(self) -> bool {
        self.0 >= CLOSELY
    }

    /// How many blocks should be examined closely before this is asked again: those that would be if all were clean.
    #[inline]
    pub fn closely(self) -> usize {
        if self.is_dirty() { self.0 + 1 - CLOSELY } else { 1 }
    }
}

#[derive(Clone, Copy)]
pub struct Lookup(__m512i, __m512i);

/// The findings about 64 bytes and those behind them.
pub struct Block {
    /// The bytes, and those one, two and three further.
    pub bytes: [__m512i; 4],
    /// Lanes in which something begins that is read.
    pub begins: u64,
    /// Those of them in which an ill-formed unit begins.
    pub ill: u64,
    /// Lanes in which a joined surrogate pair begins. If the layout joins no pairs: those of the ill-formed units that
    /// become U+FFFD whatever the others become.
    pub odd: u64,
    /// Lanes in which sequences of at least two bytes begin.
    pub two: u64,
    /// Lanes in which sequences of four bytes begin.
    pub fours: u64,
    /// Lanes of the next block in which nothing begins.
    pub carry: u64,
    /// The number of bytes of the block that were read.
    pub length: usize,
    /// Whether reading continues behind the block.
    pub goes_on: bool,
}

impl Lookup {
    #[inline]
    #[avx512]
    pub fn new(table: &Table) -> Self {
        Lookup(bytes_64(&table.0, 0), bytes_64(&table.0, 64))
    }

    /// How many second bytes each byte from C0 up takes; those that begin no sequence take none.
    #[inline]
    #[avx512]
    fn second_count(layout: &Layout) -> Self {
        let [kinds, spans] = [&layout.kinds, &layout.second_span].map(|table| bytes_64(&table.0, 64));
        let begins = _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(Layout::TWO as i8));
        Lookup(_mm512_setzero_si512(), _mm512_maskz_add_epi8(begins, spans, _mm512_set1_epi8(1)))
    }

    /// These numbers without the second bytes of surrogates, if pairs of those mean something.
    #[inline]
    #[avx512]
    fn without_surrogates(self, layout: &Layout) -> Self {
        if layout.pairs == Pairs::Apart {
            return self;
        }
        let others = SURROGATE_SECOND - layout.second_low.of(0xED);
        Lookup(self.0, _mm512_mask_min_epu8(self.1, 1 << (0xED - 0xC0), self.1, _mm512_set1_epi8(others as i8)))
    }

    /// The entries of bytes from 80 up; other lanes are arbitrary.
    #[inline]
    #[avx512]
    fn of(self, bytes: __m512i) -> __m512i {
        _mm512_permutex2var_epi8(self.0, bytes, self.1)
    }

    /// The entries of bytes from C0 up; other lanes are arbitrary.
    #[inline]
    #[avx512]
    pub fn of_lead(self, bytes: __m512i) -> __m512i {
        _mm512_permutexvar_epi8(bytes, self.1)
    }
}

/// 64 bytes of a window, from an offset of at most eight.
#[inline]
#[avx512]
pub fn bytes_of(window: &Window, from: usize) -> __m512i {
    bytes_64(&window[from..], 0)
}

/// Which of the last 8 bytes of a window are continuation bytes.
#[inline]
#[avx512]
pub fn continuing_8(window: &Window) -> u64 {
    let last = _mm512_castsi512_si128(last_8(window));
    _mm_cmplt_epi8_mask(last, _mm_set1_epi8(0xC0_u8 as i8)).into()
}

/// The last 8 bytes of a window.
#[inline]
#[avx512]
pub fn last_8(window: &Window) -> __m512i {
    let bytes: [u8; 8] = *window.last_chunk().expect("a window is longer");
    _mm512_castsi128_si512(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)))
}

#[inline]
#[avx512]
pub fn is_at_least(bytes: __m512i, least: u8) -> u64 {
    _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(least as i8))
}

#[inline]
#[avx512]
pub fn is(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
}

#[inline]
#[avx512]
pub fn continuations(bytes: __m512i) -> u64 {
    _mm512_cmplt_epi8_mask(bytes, _mm512_set1_epi8(0xC0_u8 as i8))
}

/// The lanes of runs: each begins at one of `firsts` and extends over the adjacent members that follow. Every first is
/// a member too.
#[inline]
pub fn runs(firsts: u128, members: u128) -> u128 {
    // The addition carries through adjacent members, so it clears what follows each first up to the end of its run.
    members & !(members + firsts) | firsts
}

/// The end of a run, given the offset of any byte in it.
#[inline]
#[avx512]
pub fn run_end(data: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        let bytes = bytes_64(data, at);
        let members = continuations(bytes) | is_at_least(bytes, RUN_LEAD);
        if members != !0 {
            return at + members.trailing_ones() as usize;
        }
        at += 64;
    }
}

/// Whether code points can be composed byte by byte: payloads are code points, and an escape adds nothing to the lower
/// byte.
fn adds_upper_byte(layout: &Layout, answer: Answer) -> bool {
    layout.shift().is_none() && !matches!(answer, Answer::Escape(base) if base & 0xFF != 0)
}

impl<'a> Reader<'a> {
    #[inline]
    #[avx512]
    pub fn new(source: &Source<'a>) -> Self {
        let layout = source.layout;
        let answer = source.answer();
        let is_answered = !matches!(answer, Answer::Stop | Answer::Never);
        let has_plain_bytes = adds_upper_byte(layout, answer);
        Reader {
            layout,
            kinds: Lookup::new(&layout.kinds),
            is_plain: layout.has_nul && layout.pairs == Pairs::Apart && is_answered && answer != Answer::Backslash,
            strays_part: layout.begins_with_strays,
            second_low: Lookup::new(&layout.second_low),
            second_count: Lookup::second_count(layout),
            second_count_apart: Lookup::second_count(layout).without_surrogates(layout),
            answer,
            escape: if let Answer::Escape(base) = answer { Some(base) } else { None },
            is_by_byte: answer.is_by_byte(),
            replaces_units: layout.parting_is_unit
                && layout.pairs != Pairs::Joined
                && source.answer == Answer::Replace
                && has_plain_bytes,
            beyond: if is_answered && source.ends_with_unicode { Layout::BEYOND } else { 0 },
            answers_runs: is_answered && layout.has_runs,
            shift: layout.shift(),
            has_plain_bytes,
        }
    }

    /// Bytes as 16-bit units, with the answers in ill-formed lanes.
    #[inline]
    #[avx512]
    pub fn answered_16(&self, points: __m512i, ill: u32) -> __m512i {
        match self.escape {
            Some(base) => _mm512_mask_add_epi16(points, ill, points, _mm512_set1_epi16(base as i16)),
            None => _mm512_mask_mov_epi16(points, ill, _mm512_set1_epi16(0xFFFD_u16 as i16)),
        }
    }

    /// Look at the block of a window, of which `left` bytes are to be read; in the lanes of `carry` nothing begins.
    #[inline]
    #[avx512]
    pub fn any_block(&self, window: &Window, left: usize, carry: u64) -> Block {
        let bytes = [0, 1, 2, 3].map(|from| bytes_of(window, from));
        let [b0, b1, ..] = bytes;
        let (is_two, is_three, is_four) = (is_at_least(b0, 0xC0), is_at_least(b0, 0xE0), is_at_least(b0, 0xF0));
        let (continuing, behind) = (continuations(b0), continuing_8(window));
        let continues = |place: u32| continuing >> place | behind << (64 - place);
        let high = is_two | continuing;
        let second = _mm512_sub_epi8(b1, self.second_low.of_lead(b0));
        let two = _mm512_mask_cmplt_epu8_mask(is_two, second, self.second_count.of_lead(b0));
        let mut begun = Begun::new(two, [is_three, is_four], [continues(2), continues(3)]);
        let mut stops = if self.may_part(b0, is_two) { self.parting(b0, b1, high) } else { 0 };
        let mut replaced = 0;
        if self.replaces_units && stops != 0 {
            // An incomplete sequence does not part from the layout.
            replaced = stops & continues(1) & continues(2);
            stops = 0;
        }
        let mut longer = 0;
        if stops != 0 && self.beyond | u8::from(self.answers_runs) != 0 {
            (stops, longer) = self.longer(window, left, stops, carry);
        }
        let (mut pairs, mut joined) = (0, 0);
        if self.layout.pairs != Pairs::Apart {
            let surrogates = is(b0, 0xED) & is_at_least(b1, 0xA0) & two;
            if surrogates != 0 {
                pairs = pairs_among(window, surrogates & begun.three, b1);
                let Surrogates { ill, parting, joined: leads } = self.layout.surrogates(surrogates, pairs);
                (begun.whole, stops, joined) = (begun.whole & !ill, stops | parting, leads);
            }
        }
        let mut taken = begun.taken(self.is_by_byte, is_three, carry);
        if longer != 0 {
            taken.here |= longer as u64;
            taken.next |= (longer >> 64) as u64;
        }
        if joined | replaced != 0 {
            taken.add(replaced, [1, 2]);
            taken.add(joined, [3, 4, 5]);
        }

        let mut ill = high & !begun.whole;
        if !self.layout.has_nul {
            ill |= _mm512_testn_epi8_mask(b0, b0);
        }
        stops |= stops_at(self.answer, ill, high);
        let Read { begins, length, goes_on } = taken.read(stops, left);
        Block {
            bytes,
            begins,
            ill: ill & begins,
            odd: (replaced | pairs) & begins,
            two: two & begins,
            fours: begun.four & begins,
            carry: taken.next,
            length,
            goes_on,
        }
    }

    /// As [`Reader::any_block`], of a block that is followed by others in a layout that is plain, if only sequences and
    /// ill-formed units begin in it; otherwise None. `BY_BYTE` is `is_by_byte`.
    #[inline]
    #[avx512]
    pub fn plain_block<const BY_BYTE: bool>(&self, window: &Window, carry: u64) -> Option<Block> {
        let bytes = [0, 1, 2, 3].map(|from| bytes_of(window, from));
        let [b0, b1, b2, b3] = bytes;
        let is_two = is_at_least(b0, 0xC0);
        if self.may_part(b0, is_two) {
            return None;
        }
        let first_continuation = _mm512_set1_epi8(0xC0_u8 as i8);
        let second = _mm512_sub_epi8(b1, self.second_low.of_lead(b0));
        let two = _mm512_mask_cmplt_epu8_mask(is_two, second, self.second_count.of_lead(b0));
        let three = _mm512_mask_cmpge_epu8_mask(two, b0, _mm512_set1_epi8(0xE0_u8 as i8));
        let four = _mm512_mask_cmpge_epu8_mask(three, b0, _mm512_set1_epi8(0xF0_u8 as i8));
        let no_third = _mm512_mask_cmpge_epi8_mask(three, b2, first_continuation);
        let no_fourth = _mm512_mask_cmpge_epi8_mask(four, b3, first_continuation);
        let whole = two & !(no_third | no_fourth);
        let high = _mm512_movepi8_mask(b0);
        if BY_BYTE && whole | carry == 0 {
            // As in ASCII with bytes of another encoding: each stands for itself.
            let own =
                Block { bytes, begins: !0, ill: high, odd: 0, two: 0, fours: 0, carry: 0, length: 64, goes_on: true };
            return Some(own);
        }
        let begun = Begun { two, three: three & !no_third, four: four & whole, whole };
        let taken = begun.taken(BY_BYTE, three, carry);
        let begins = !taken.here;
        Some(Block {
            bytes,
            begins,
            ill: high & !whole & begins,
            odd: 0,
            two: two & begins,
            fours: begun.four & begins,
            carry: taken.next,
            length: 64,
            goes_on: true,
        })
    }

    /// Find parting sequences that are one ill-formed unit each. Returns the lanes in which the kernels stop all the
    /// same, and the lanes of this block and behind it that belong to such a unit after its first byte.
    #[inline(never)]
    #[avx512]
    fn longer(&self, window: &Window, left: usize, stops: u64, carry: u64) -> (u64, u128) {
        let b0 = bytes_of(window, 0);
        let lanes = |first: u64, behind: u64| u128::from(first) | u128::from(behind) << 64;
        let continuing = lanes(continuations(b0) & !carry, continuing_8(window));
        let beyond = stops & _mm512_test_epi8_mask(self.kinds.of(b0), _mm512_set1_epi8(self.beyond as i8));
        let mut stops = stops & !beyond;
        let mut last = u128::from(beyond) << 1;
        let mut longer = last;
        for (place, least) in [(2, 0xF0), (3, 0xF0), (4, 0xF8), (5, 0xFC)] {
            last = last << 1 & continuing & u128::from(is_at_least(b0, least)) << place;
            longer |= last;
        }
        let run_leads = if self.answers_runs { is_at_least(b0, RUN_LEAD) } else { 0 };
        if run_leads != 0 {
            let firsts = u128::from(run_leads & !carry);
            let behind = _mm_cmpge_epu8_mask(_mm512_castsi512_si128(last_8(window)), _mm_set1_epi8(RUN_LEAD as i8));
            let members = continuing | firsts | u128::from(behind) << 64;
            let runs = runs(firsts, members);
            let begins = firsts & !(runs << 1);
            // A run that reaches the last byte seen may be longer.
            let last = 1 << (left.min(64) + 7);
            let open = if runs & last == 0 { 0 } else { 1 << (begins & (2 * last - 1)).ilog2() };
            stops = stops & !run_leads | open;
            longer |= runs & !begins;
        }
        // Where bytes are answered one by one, each is on its own.
        if self.is_by_byte {
            longer = 0;
        }
        (stops, longer)
    }

    /// Whether something that parts from the layout may begin in a block.
    #[inline]
    #[avx512]
    fn may_part(&self, bytes: __m512i, leads: u64) -> bool {
        let parts = _mm512_set1_epi8((Layout::PARTS | Layout::SECOND_PARTS) as i8);
        self.layout.parts
            && (self.strays_part || _mm512_mask_test_epi8_mask(leads, self.kinds.of_lead(bytes), parts) != 0)
    }

    #[inline]
    #[avx512]
    fn parting(&self, b0: __m512i, b1: __m512i, high: u64) -> u64 {
        let kinds = self.kinds.of(b0);
        let has = |bit: u8| _mm512_test_epi8_mask(kinds, _mm512_set1_epi8(bit as i8)) & high;
        let seconds = has(Layout::SECOND_PARTS);
        let parts = has(Layout::PARTS);
        if seconds == 0 {
            return parts;
        }
        let second = _mm512_sub_epi8(b1, Lookup::new(&self.layout.parting_low).of(b0));
        parts | (seconds & _mm512_cmple_epu8_mask(second, Lookup::new(&self.layout.parting_span).of(b0)))
    }
}

/// The lanes of complete surrogate byte sequences that begin a pair; `b1` are their second bytes.
#[inline]
#[avx512]
pub fn pairs_among(window: &Window, surrogates: u64, b1: __m512i) -> u64 {
    let [b3, b4, b5] = [3, 4, 5].map(|from| bytes_of(window, from));
    let leads = surrogates & !is_at_least(b1, 0xB0);
    leads & is(b3, 0xED) & is_at_least(b4, 0xB0) & continuations(b4) & continuations(b5)
}

#[cfg(test)]
mod tests {
    use super::runs;

    /// The lanes of runs, walked: a first opens one, and members that follow belong to it.
    fn walked(firsts: u128, members: u128) -> u128 {
        let (mut found, mut is_open) = (0, false);
        for lane in 0..128 {
            let bit = 1 << lane;
            is_open = firsts & bit != 0 || is_open && members & bit != 0;
            found |= if is_open { bit } else { 0 };
        }
        found
    }

    #[test]
    fn runs_of_every_window_of_eight_are_those_that_are_walked_at_every_place() {
        for (firsts, members) in (0..1_u128 << 8).flat_map(|firsts| (0..1_u128 << 8).map(move |other| (firsts, other)))
        {
            // Every first is a member.
            let members = members | firsts;
            for place in [0, 3, 56, 60, 63, 64, 100] {
                let (firsts, members) = (firsts << place, members << place);
                assert_eq!(runs(firsts, members), walked(firsts, members), "{firsts:X} {members:X}");
            }
        }
    }

    #[test]
    fn a_planted_fault_is_found() {
        // Firsts that are members of a run before them are added twice.
        let planted = |firsts: u128, members: u128| members & !(members + firsts);
        let mut pairs = (0..1_u128 << 4).flat_map(|firsts| (0..1_u128 << 4).map(move |other| (firsts, other | firsts)));
        assert!(pairs.any(|(firsts, members)| planted(firsts, members) != walked(firsts, members)));
    }
}
