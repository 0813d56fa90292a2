//! Sequences of one length in a row, of which a word holds several that are looked at together: runs of three or of
//! four bytes, and UTF-8 read word by word.

#![expect(unsafe_code, reason = "a loop does not look for room for each word")]

use super::kind::Unit;
use super::output::{Output, Place};
use crate::derive::agreement::Agreement;
use crate::derive::piece::window;

/// The least leads of two, of three and of four bytes.
pub const TWO: u8 = 0xC0;
pub const THREE: u8 = 0xE0;
pub const FOUR: u8 = 0xF0;

/// The bytes of a word.
pub(super) const WORD: usize = size_of::<u64>();

/// A number in each byte.
const fn in_ones(number: u64) -> u64 {
    number * 0x0101_0101_0101_0101
}

/// A number in all four sequences of two bytes.
const fn in_twos(number: u64) -> u64 {
    number << 48 | number << 32 | number << 16 | number
}

/// A number in both sequences of three bytes.
const fn in_threes(number: u64) -> u64 {
    number << 24 | number
}

/// A number in both sequences of four bytes.
const fn in_fours(number: u64) -> u64 {
    number << 32 | number
}

/// What tells the values of three bytes apart in steps of U+0800: the lower half of the lead, and a bit of the second
/// byte.
const STEPS: u64 = in_threes(0x20_0F);
/// Below U+0800.
const OVERLONG: u64 = 0;
/// From U+D800 to U+DFFF.
const SURROGATES: u64 = in_threes(0x20_0D);

/// Behind so many short runs in a row a block is read, and then it is tried again.
const SHORT_RUNS: u32 = 2;

/// When to look for runs: where lengths change all the time, it would be in vain.
pub(super) struct Pace {
    /// A run of fewer bytes takes more time than as much of a block.
    short: usize,
    short_runs: u32,
}

impl Pace {
    pub fn new(short: usize) -> Self {
        Pace { short, short_runs: 0 }
    }

    /// What `run` returns, the length of a run; 0 where a block is to be read.
    #[inline(always)]
    pub fn run(&mut self, run: impl FnOnce() -> usize) -> usize {
        let length = if self.short_runs < SHORT_RUNS { run() } else { 0 };
        self.short_runs = if (1..self.short).contains(&length) { self.short_runs + 1 } else { 0 };
        length
    }
}

/// What a form shares with UTF-8, where that is more than some of each length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Whether all of ASCII is shared.
    has_ascii: bool,
    /// Whether all of two bytes are shared.
    has_twos: bool,
    /// The step of those of three bytes of which not all are shared; None if these are more.
    apart: Option<u64>,
    /// Whether all of four bytes are shared.
    has_fours: bool,
}

impl Shared {
    /// What UTF-8 shares with itself.
    pub const ALL: Shared = Shared { has_ascii: true, has_twos: true, apart: Some(OVERLONG), has_fours: true };

    /// What a form shares.
    pub fn new(agreement: &Agreement) -> Self {
        if !agreement.is_worthwhile() {
            return Shared { has_ascii: false, has_twos: false, apart: None, has_fours: false };
        }
        let mut shared = Shared::ALL;
        for &(low, high) in &agreement.leads {
            shared.has_ascii &= low >= TWO;
            shared.has_twos &= high < TWO || low >= THREE;
            shared.has_fours &= high < FOUR;
            if low < FOUR && high >= THREE {
                shared.apart = None;
            }
        }
        for &(lead, (low, high)) in &agreement.pairs {
            match lead {
                FOUR.. => shared.has_fours = false,
                THREE.. => {
                    let step = in_threes(u64::from(low & 0x20) << 8 | u64::from(lead & 0x0F));
                    let is_one =
                        (low ^ high) & 0x20 == 0 && (shared.apart == Some(OVERLONG) || shared.apart == Some(step));
                    shared.apart = is_one.then_some(step);
                }
                _ => shared.has_twos = false,
            }
        }
        shared
    }

    /// The part that a kind of str holds whatever the values are.
    pub fn within<T: Unit>(self) -> Self {
        let is_narrow = T::LEAST == 0;
        Shared {
            has_ascii: self.has_ascii,
            has_twos: self.has_twos && !is_narrow,
            apart: self.apart.filter(|_| !is_narrow),
            has_fours: self.has_fours && T::IS_WIDE,
        }
    }

    /// Whether sequences with this lead byte are shared, if not all of them.
    pub fn has(self, lead: u8) -> bool {
        match lead {
            ..0x80 => self.has_ascii,
            0x80..THREE => self.has_twos,
            THREE..FOUR => self.apart.is_some(),
            FOUR.. => self.has_fours,
        }
    }

    /// The length of a run of sequences of one length at the beginning of some bytes, of three or of four.
    #[inline(never)]
    pub fn run(self, data: &[u8]) -> usize {
        self.read(data, |_, _| ())
    }

    /// The same; `take` is given values two by two, and how many of them count.
    #[inline(always)]
    pub fn read(self, data: &[u8], take: impl FnMut([u32; 2], usize)) -> usize {
        match (data[0], self.apart) {
            (FOUR.., _) if self.has_fours => run::<4>(data, ill_fours, take),
            (THREE..FOUR, Some(apart)) => run::<3>(data, |word| ill_threes(word, apart), take),
            _ => 0,
        }
    }

    /// As [`Shared::write_word`], to an output.
    ///
    /// # Panics
    /// It has no room for as many values as a word has bytes.
    pub(super) fn write_first<T: Unit>(self, word: u64, out: &mut Output<'_, T>) -> usize {
        // SAFETY: the place has as much room.
        out.extend_within(WORD, |mut place| unsafe { (self.write_word(word, &mut place), place) })
    }

    /// Write the ASCII or the sequences of one length with which a word begins, and return how many bytes they are.
    ///
    /// # Safety
    /// The place has room for as many values as a word has bytes.
    #[inline(always)]
    pub(super) unsafe fn write_word<T: Unit>(self, word: u64, place: &mut Place<T>) -> usize {
        let bytes = word.to_le_bytes();
        let high = word & in_ones(0x80);
        // SAFETY: the contract of this function.
        unsafe {
            match (bytes[0], self.apart) {
                (0..0x80, _) if !self.has_ascii => 0,
                (0..0x80, _) if high == 0 => write_ascii(bytes, WORD, place),
                // Between words there is one character, most of the time.
                (0..0x80, _) if bytes[1] >= 0x80 => write_ascii(bytes, 1, place),
                (0..0x80, _) => write_ascii(bytes, high.trailing_zeros() as usize / 8, place),
                (0x80..THREE, _) if self.has_twos => write_twos(word, place),
                (THREE..FOUR, Some(apart)) => write_pair::<3, T>(word, ill_threes(word, apart), place),
                (FOUR.., _) if self.has_fours => write_pair::<4, T>(word, ill_fours(word), place),
                _ => 0,
            }
        }
    }

    /// Write the sequences of four bytes that some bytes begin with, and return how many bytes they are. Whether the
    /// last of two is one is not foreseen: it is counted without a branch.
    ///
    /// # Safety
    /// They are shared, and the place has room for as many values as there are bytes.
    #[inline(always)]
    pub(super) unsafe fn write_fours<T: Unit>(data: &[u8], place: &mut Place<T>) -> usize {
        let mut at = 0;
        while let Some(&word) = data[at..].first_chunk() {
            let word = u64::from_le_bytes(word);
            let (ill, values) = (ill_fours(word), values::<4>(word).map(T::of));
            if ill != 0 {
                let count = usize::from(ill << 32 == 0);
                // SAFETY: the contract of this function.
                unsafe { place.put(values, count) };
                return at + 4 * count;
            }
            // SAFETY: as above.
            unsafe { place.put(values, 2) };
            at += WORD;
        }
        at
    }
}

/// Write the first bytes of a word, as many as `count` says.
///
/// # Safety
/// As [`Shared::write_word`].
#[inline(always)]
unsafe fn write_ascii<T: Unit>(bytes: [u8; WORD], count: usize, place: &mut Place<T>) -> usize {
    // SAFETY: the contract of this function.
    unsafe { place.put(T::of_bytes(bytes), count) };
    count
}

/// Write those of four sequences of two bytes that are before one that is none.
///
/// # Safety
/// As [`Shared::write_word`].
#[inline(always)]
unsafe fn write_twos<T: Unit>(word: u64, place: &mut Place<T>) -> usize {
    let ill = ill_twos(word);
    let values = (word & in_twos(0x1F)) << 6 | word >> 8 & in_twos(0x3F);
    let mut write = |count: usize| {
        // SAFETY: the contract of this function.
        unsafe { place.put(T::of_units(values), count) };
        2 * count
    };
    match ill {
        0 => write(4),
        _ if ill << 16 == 0 => write(3),
        _ if ill << 32 == 0 => write(2),
        _ if ill << 48 == 0 => write(1),
        _ => 0,
    }
}

/// Write those of two sequences of three bytes or of four that are before one that is none, given bits for those.
///
/// # Safety
/// As [`Shared::write_word`].
#[inline(always)]
unsafe fn write_pair<const LENGTH: usize, T: Unit>(word: u64, ill: u64, place: &mut Place<T>) -> usize {
    let values = values::<LENGTH>(word).map(T::of);
    if ill == 0 {
        // SAFETY: the contract of this function.
        unsafe { place.put(values, 2) };
        return 2 * LENGTH;
    }
    if ill << (64 - 8 * LENGTH) == 0 {
        // One alone is stored alone: if both branches stored the same, the compiler would make one of them, and where
        // the next word is would wait for how much counts. SAFETY: as above.
        unsafe { place.put([values[0]], 1) };
        return LENGTH;
    }
    0
}

/// As [`Shared::read`], of bytes that are known to be UTF-8, or surrogates.
#[inline(always)]
pub fn read_known(data: &[u8], take: impl FnMut([u32; 2], usize)) -> usize {
    match data[0] {
        FOUR.. => run::<4>(data, |word| word & in_fours(0xF0) ^ in_fours(0xF0), take),
        THREE.. => run::<3>(data, |word| word & in_threes(0xF0) ^ in_threes(0xE0), take),
        _ => 0,
    }
}

/// The number of the sequences of a run, of which the first bytes are given.
#[inline(always)]
pub fn count(lead: u8, length: usize) -> usize {
    if lead >= FOUR { length / 4 } else { length / 3 }
}

/// Go on until a word has a bit that says that one of its sequences is ill-formed or of another length.
#[inline(always)]
fn run<const LENGTH: usize>(data: &[u8], ill: impl Fn(u64) -> u64, mut take: impl FnMut([u32; 2], usize)) -> usize {
    let mut at = 0;
    let last = loop {
        let Some(&word) = data[at..].first_chunk() else { break window(data, at) };
        let number = u64::from_le_bytes(word);
        if ill(number) != 0 {
            break word;
        }
        take(values::<LENGTH>(number), 2);
        at += 2 * LENGTH;
    };
    // Whether the first half holds one more is not foreseen: it is counted without a branch.
    let word = u64::from_le_bytes(last);
    let more = usize::from(ill(word) << (64 - 8 * LENGTH) == 0);
    take(values::<LENGTH>(word), more);
    at + more * LENGTH
}

/// Bits for sequences that are not two bytes of UTF-8.
#[inline(always)]
fn ill_twos(word: u64) -> u64 {
    // A bit that the sum sets in each sequence that is not overlong.
    let is_fine = (word & in_twos(0x1E)) + in_twos(0x7FFF);
    word & in_twos(0xC0E0) ^ in_twos(0x80C0) | !is_fine & in_twos(0x8000)
}

/// Bits for sequences that are not three bytes of UTF-8, or whose values are in a step that is apart.
#[inline(always)]
fn ill_threes(word: u64, apart: u64) -> u64 {
    // One bit that shows that another is set: no sum reaches the next sequence.
    let differs = |step: u64| (word & STEPS ^ step) + in_threes(0x7FFF);
    let is_fine = differs(OVERLONG) & differs(SURROGATES) & differs(apart) & in_threes(0x8000);
    word & in_threes(0xC0_C0F0) ^ in_threes(0x80_80E0) | is_fine ^ in_threes(0x8000)
}

/// Bits for sequences that are not four bytes of UTF-8.
#[inline(always)]
fn ill_fours(word: u64) -> u64 {
    // The value in steps of U+10000, of which there are sixteen from the first on.
    let step = (word & in_fours(0x07)) << 2 | word >> 12 & in_fours(0x03);
    word & in_fours(0xC0C0_C0F8) ^ in_fours(0x8080_80F0) | step.wrapping_sub(in_fours(1)) & in_fours(0xFFFF_FFF0)
}

/// The values of both sequences.
#[inline(always)]
pub(super) fn values<const LENGTH: usize>(word: u64) -> [u32; 2] {
    if LENGTH == 3 {
        let both = (word & in_threes(0x0F)) << 12 | word >> 2 & in_threes(0x0FC0) | word >> 16 & in_threes(0x3F);
        [both as u32 & 0xFFFF, (both >> 24) as u32 & 0xFFFF]
    } else {
        let tail =
            (word >> 8 & in_fours(0x3F)) << 12 | (word >> 16 & in_fours(0x3F)) << 6 | word >> 24 & in_fours(0x3F);
        let both = (word & in_fours(0x07)) << 18 | tail;
        [both as u32, (both >> 32) as u32]
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    /// The values of the runs of one length that some bytes begin with.
    fn read(shared: Shared, data: &[u8]) -> (usize, Vec<u32>) {
        let mut values = vec![];
        let length = shared.read(data, |both, count| values.extend(&both[..count]));
        assert_eq!((length, values.len()), (shared.run(data), count(data[0], length)));
        (length, values)
    }

    /// Bytes around each border of what UTF-8 allows.
    const BYTES: [u8; 16] =
        [0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF4, 0xF5];

    #[test]
    fn a_sequence_is_taken_if_it_is_utf_8_wherever_it_stands_in_a_word() {
        let bytes = |number: usize| [0, 4, 8, 12].map(|shift| BYTES[number >> shift & 15]);
        for (number, run) in (0..1 << 16).step_by(if cfg!(miri) { 997 } else { 1 }).flat_map(|n| [(n, "中"), (n, "😀")])
        {
            let sequence = &bytes(number)[..run.len()];
            for before in 0..3 {
                let data = [run.repeat(before).as_bytes(), sequence, run.as_bytes(), b"abcdefgh"].concat();
                let valid = data.utf8_chunks().next().expect("it is not empty").valid();
                let has_length = |char: &char| char.len_utf8() == run.len();
                let expected: Vec<u32> = valid.chars().take_while(has_length).map(u32::from).collect();
                let is_run = before > 0 || sequence[0] >> 4 == run.as_bytes()[0] >> 4;
                if is_run {
                    assert_eq!(read(Shared::ALL, &data), (expected.len() * run.len(), expected), "{data:X?}");
                }
            }
        }
    }

    /// The values of what some bytes begin with that is shared, word by word, and its length.
    fn written(shared: Shared, data: &[u8]) -> (usize, Vec<u32>) {
        let (padded, mut at, mut values) = ([data, &[0xFF; WORD]].concat(), 0, vec![]);
        while let Some(&word) = padded[at..].first_chunk() {
            let mut memory = [const { MaybeUninit::uninit() }; WORD];
            let (length, points): (_, &mut [u32]) =
                Output::written(&mut memory, |out| shared.write_first(u64::from_le_bytes(word), out));
            values.extend_from_slice(points);
            at += length;
            if length == 0 {
                break;
            }
        }
        (at, values)
    }

    #[test]
    fn utf_8_is_written_up_to_what_is_none_wherever_that_stands_in_a_word() {
        let (bytes, runs) =
            (|number: usize| [0, 4, 8, 12].map(|shift| BYTES[number >> shift & 15]), ["a", "é", "中", "😀"]);
        let numbers = (0..1 << 16).step_by(if cfg!(miri) { 997 } else { 1 });
        for (number, run) in numbers.flat_map(|number| runs.map(|run| (number, run))) {
            for (before, behind) in [(0, ""), (1, "abcdefgh"), (2, ""), (3, "é"), (5, "abcdefgh")] {
                let data = [run.repeat(before).as_bytes(), &bytes(number), behind.as_bytes()].concat();
                let valid = data.utf8_chunks().next().expect("it is not empty").valid();
                let expected = (valid.len(), valid.chars().map(u32::from).collect());
                assert_eq!(written(Shared::ALL, &data), expected, "{data:X?}");
            }
        }
    }

    #[test]
    fn what_a_form_does_not_share_ends_a_run() {
        let part = |leads: Vec<(u8, u8)>, pairs: Vec<(u8, (u8, u8))>| {
            Shared::new(&Agreement { leads, pairs, worthwhile: true, ..Agreement::default() })
        };
        let text = "中\u{EFC0}中";
        assert_eq!(read(part(vec![], vec![]), text.as_bytes()).0, 9);
        assert_eq!(read(part(vec![], vec![(0xEE, (0xBE, 0xBF))]), text.as_bytes()).0, 3);
        assert_eq!(read(part(vec![], vec![(0xEE, (0x80, 0xBF))]), text.as_bytes()).0, 0);
        assert_eq!(read(part(vec![], vec![(0xE1, (0xA0, 0xBF)), (0xEE, (0xBE, 0xBF))]), text.as_bytes()).0, 0);
        assert_eq!(read(part(vec![(0xE1, 0xE1)], vec![]), text.as_bytes()).0, 0);
        assert_eq!(read(part(vec![(0xF0, 0xF4)], vec![]), text.as_bytes()).0, 9);
        assert_eq!(read(part(vec![(0xF0, 0xF4)], vec![]), "😀".as_bytes()).0, 0);
        assert_eq!(read(part(vec![], vec![(0xF4, (0x80, 0x8F))]), "😀".as_bytes()).0, 0);
        assert_eq!(read(Shared::new(&Agreement::default()), text.as_bytes()).0, 0);
        assert_eq!(read(Shared::ALL.within::<u16>(), "😀".as_bytes()).0, 0);
        assert_eq!(read(Shared::ALL.within::<u8>(), text.as_bytes()).0, 0);
    }
}
