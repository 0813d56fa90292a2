//! The first half of writing by a spelling: which lanes are written, and in how many bytes, with the loop over the
//! blocks of a str. Nothing is written here.
//!
//! Up to 32 code points of at most two bytes are lanes of 16 bits, others lanes of 32.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::classes::Classes;
use super::latin::Latin;
use super::ranges::{from_8, from_16, from_32, within_8, within_16, within_32};
use super::single::Single;
use super::units::{are_16, are_32};
use super::{Lengths, ascii_bytes, bytes_32, bytes_64, fetch_ahead, low_16, low_32, units_16, units_32};
use crate::code_point::{LEADS, Range, SURROGATES, TRAILS};
use crate::derive::spelling::Spelling;
use crate::kernels::lanes::low_64;
use crate::policy::Lacking;

/// Code points whose backslash escape has four digits.
const FOUR_DIGITS: Range = (0x100, 0xFFFF);

/// Up to 32 code points below U+10000.
pub struct Units {
    pub points: __m512i,
    /// The number of code points read; if fewer than requested, the kernel stops behind them.
    pub read: usize,
    /// The lanes that are written.
    pub valid: u32,
    /// Lanes of at least two bytes, and of at least three.
    pub lengths: [u32; 2],
    /// Lanes that are written as their lowest byte.
    pub escapes: u32,
    /// Lanes that are written as `\uNNNN`.
    pub backslashed: u32,
}

/// Up to 16 code points.
pub struct Points {
    pub points: __m512i,
    pub read: usize,
    pub valid: u16,
    pub escapes: u16,
    /// Lanes that are written as a surrogate pair.
    pub splits: u16,
    /// As in [`Units`].
    pub backslashed: u16,
}

/// Up to 64 code points below U+0100, all of which are written.
pub struct Bytes {
    pub points: __m512i,
    pub valid: u64,
    /// Lanes of two bytes.
    pub two: u64,
}

/// Lanes in which a pair begins; `next` are the code points one further.
#[inline]
#[avx512]
fn pairs_16(points: __m512i, next: __m512i) -> u32 {
    are_16(points, LEADS) & are_16(next, TRAILS)
}

#[inline]
#[avx512]
fn pairs_32(points: __m512i, next: __m512i) -> u16 {
    are_32(points, LEADS) & are_32(next, TRAILS)
}

/// A spelling with the facts that each block needs. Features that most forms lack are compiled out for them, and
/// escapes for all but [`Lacking::Escape`].
///
/// Functions generic over a `Taker` are instantiated for each caller and inlined into it: a call would spill all
/// registers.
pub struct Speller<'a, const IS_PLAIN: bool, const BACKSLASHES: bool> {
    pub spelling: &'a Spelling,
    pub starts: [u32; 3],
    /// Ranges that cover all code points that the form lacks. An unused range is harmless.
    pub odd: [Range; 2],
    pub nul_is_two: bool,
    pub splits: bool,
    pub is_shifted: bool,
    /// The standard lengths, if the form's are those.
    pub lengths: Lengths,
    /// The form's own lengths otherwise.
    pub classes: Option<Classes>,
    /// Code points of three bytes and of four, if the form has other lengths or offsets than UTF-8. They are no part of
    /// the classes: mixed text would take 1.4 times as long.
    pub singles: Option<[Single; 2]>,
    /// What the form says of code points below U+0100.
    pub latin: Latin,
}

impl<'a, const IS_PLAIN: bool, const BACKSLASHES: bool> Speller<'a, IS_PLAIN, BACKSLASHES> {
    #[inline]
    #[avx512]
    pub fn new(spelling: &'a Spelling) -> Self {
        let mut odd = [(u32::MAX, u32::MAX); 2];
        for &range in &spelling.missing {
            // Missing ranges from the surrogates up are close to each other.
            let place = &mut odd[usize::from(range.0 >= LEADS.0)];
            *place = if *place == (u32::MAX, u32::MAX) { range } else { (place.0.min(range.0), place.1.max(range.1)) };
        }
        Speller {
            spelling,
            starts: spelling.starts,
            odd,
            nul_is_two: spelling.nul_is_two,
            splits: spelling.splits,
            is_shifted: !IS_PLAIN && spelling.is_shifted(),
            lengths: Lengths::new(spelling.nul_is_two, spelling.splits),
            classes: (!IS_PLAIN).then(|| Classes::new(spelling)),
            singles: (!IS_PLAIN).then(|| Single::of(spelling, odd)),
            latin: Latin::new(spelling, odd[0]),
        }
    }

    /// Up to 64 code points below U+0100; None if one needs a closer look.
    #[inline]
    #[avx512]
    fn bytes(&self, points: __m512i, left: usize) -> Option<Bytes> {
        let valid = low_64(left);
        let odd = if self.odd[0].0 <= 0xFF { within_8(points, self.odd[0]) } else { 0 };
        if odd & valid != 0 {
            return None;
        }
        let nul = if self.nul_is_two { _mm512_testn_epi8_mask(points, points) } else { 0 };
        Some(Bytes { points, valid, two: (from_8(points, self.starts[0]) | nul) & valid })
    }

    /// Twice 32 code points; None if there are fewer or one is not written as it stands. The code point behind them
    /// decides about a lead in the last lane.
    #[inline]
    #[avx512]
    fn whole_units<Taker>(&self, text: &[u16], (at, limit): (usize, usize)) -> Option<[Units; 2]> {
        let block = text[at..limit].first_chunk::<64>()?;
        let halves = [units_32(block, 0), units_32(block, 32)];
        let within = |range| within_16(halves[0], range) | within_16(halves[1], range);
        let has_pair = || {
            let [lower, upper] = halves.map(|units| u64::from(are_16(units, SURROGATES)));
            let surrogates = upper << 32 | lower;
            // Two adjacent surrogates are rare, and the branch on whether there are surrogates at all is unpredictable.
            let may_be_pairs = surrogates & (surrogates >> 1 | 1 << 63);
            may_be_pairs != 0
                && (pairs_16(halves[0], units_32(text, at + 1)) | pairs_16(halves[1], units_32(text, at + 33))) != 0
        };
        (!self.has_odd(within, has_pair)).then(|| halves.map(|points| self.with_lengths_16::<Taker>(points, 32, !0)))
    }

    /// Up to 32 code points. The code point behind them decides about a lead in the last lane.
    #[inline]
    #[avx512]
    fn units<Taker>(&self, mut points: __m512i, next: __m512i, left: usize) -> Units {
        let pairs = if self.spelling.joins { pairs_16(points, next) } else { 0 };
        let odd = self.odd(pairs, |range| within_16(points, range));
        let read = left.min(odd.stops.trailing_zeros() as usize).min(32);
        points = _mm512_mask_mov_epi16(points, odd.marked, _mm512_set1_epi16(b'?'.into()));
        let units = self.with_lengths_16::<Taker>(points, read, low_32(read) & !odd.dropped);
        let lengths = units.lengths.map(|lanes| lanes & !odd.backslashed);
        Units { lengths, backslashed: odd.backslashed & units.valid, ..units }
    }

    #[inline]
    #[avx512]
    fn with_lengths_16<Taker>(&self, points: __m512i, read: usize, valid: u32) -> Units {
        let escapes = if let Some(range) = self.spelling.escapes { within_16(points, range) } else { 0 };
        let nul = if self.nul_is_two { _mm512_testn_epi16_mask(points, points) } else { 0 };
        let (two, three) = (from_16(points, self.starts[0]) | nul, from_16(points, self.starts[1]));
        Units {
            points,
            read,
            valid,
            lengths: [two, three].map(|lanes| lanes & !escapes & valid),
            escapes,
            backslashed: 0,
        }
    }

    /// Twice 16 code points; None if there are fewer or one is not written as it stands. The code point behind them
    /// decides about a lead in the last lane.
    #[inline]
    #[avx512]
    fn whole_points<Taker>(&self, text: &[u32], (at, limit): (usize, usize)) -> Option<[Points; 2]> {
        let block = text[at..limit].first_chunk::<32>()?;
        let halves = [units_16(block, 0), units_16(block, 16)];
        let within = |range| (within_32(halves[0], range) | within_32(halves[1], range)).into();
        let has_pair = || {
            let [lower, upper] = halves.map(|points| u32::from(are_32(points, SURROGATES)));
            let surrogates = upper << 16 | lower;
            let may_be_pairs = surrogates & (surrogates >> 1 | 1 << 31);
            may_be_pairs != 0
                && (pairs_32(halves[0], units_16(text, at + 1)) | pairs_32(halves[1], units_16(text, at + 17))) != 0
        };
        (!self.has_odd(within, has_pair)).then(|| halves.map(|points| self.with_splits::<Taker>(points, 16, !0)))
    }

    /// Up to 16 code points. The code point behind them decides about a lead in the last lane.
    #[inline]
    #[avx512]
    fn points<Taker>(&self, mut points: __m512i, next: __m512i, left: usize) -> Points {
        let pairs = if self.spelling.joins { pairs_32(points, next) } else { 0 };
        let odd = self.odd(pairs.into(), |range| within_32(points, range).into());
        let read = left.min(odd.stops.trailing_zeros() as usize).min(16);
        points = _mm512_mask_mov_epi32(points, odd.marked as u16, _mm512_set1_epi32(b'?'.into()));
        let points = self.with_splits::<Taker>(points, read, low_16(read) & !odd.dropped as u16);
        Points { backslashed: odd.backslashed as u16 & points.valid, ..points }
    }

    #[inline]
    #[avx512]
    fn with_splits<Taker>(&self, points: __m512i, read: usize, valid: u16) -> Points {
        let escapes = if let Some(range) = self.spelling.escapes { within_32(points, range) } else { 0 };
        let splits = if self.splits { from_32(points, 0x1_0000) } else { 0 };
        Points { points, read, valid, escapes, splits, backslashed: 0 }
    }

    /// Lanes of at least two, three and four bytes, as if none were an escape.
    #[inline]
    #[avx512]
    pub fn longer(&self, block: &Points) -> [u16; 3] {
        let nul = if self.nul_is_two { _mm512_testn_epi32_mask(block.points, block.points) } else { 0 };
        let [two, three, four] = self.starts.map(|start| from_32(block.points, start));
        [two | nul, three, four]
    }

    /// Whether anything in two halves is not written as it stands.
    #[inline]
    fn has_odd(&self, within: impl Fn(Range) -> u32, has_pair: impl Fn() -> bool) -> bool {
        let ranges = self.odd.iter().filter(|range| range.0 < u32::MAX);
        let odd = ranges.fold(0, |odd, &range| odd | within(range));
        odd != 0 || (self.spelling.joins && has_pair())
    }

    /// The lanes that the form lacks and the pairs that it joins.
    #[inline]
    fn odd(&self, pairs: u32, within: impl Fn(Range) -> u32) -> Odd {
        let missing = self.spelling.missing.iter().fold(0, |missing, &range| missing | within(range));
        let none = Odd { stops: pairs, marked: 0, dropped: 0, backslashed: 0 };
        match self.spelling.lacking {
            Lacking::Stop => Odd { stops: pairs | missing, ..none },
            Lacking::Mark => Odd { marked: missing, ..none },
            Lacking::Nothing => Odd { dropped: missing, ..none },
            Lacking::Escape if !BACKSLASHES => Odd { stops: pairs | missing, ..none },
            Lacking::Escape => {
                let backslashed = missing & within(FOUR_DIGITS);
                Odd { stops: pairs | (missing & !backslashed), backslashed, ..none }
            }
        }
    }
}

/// Lanes at which the kernel stops, that become `?`, that are dropped, and that become `\uNNNN`.
struct Odd {
    stops: u32,
    marked: u32,
    dropped: u32,
    backslashed: u32,
}

/// Pass a text of one byte each to `take` block by block, from an index to a limit or to where the kernel stops, and
/// return the end.
#[inline]
#[avx512]
pub fn each_of_one<S, const IS_PLAIN: bool, const BACKSLASHES: bool>(
    speller: &Speller<'_, IS_PLAIN, BACKSLASHES>,
    text: &[u8],
    (start, limit): (usize, usize),
    state: &mut S,
    (take_ascii, take_latin): (impl Fn(&mut S, &[u8]), impl Fn(&mut S, Latin, &[u8]) -> usize),
    take_bytes: impl Fn(&mut S, &Bytes),
    take_units: impl Fn(&mut S, &Units),
) -> usize {
    let mut at = start;
    while at < limit {
        let left = limit - at;
        fetch_ahead(text, at);
        if let Some(block) = speller.bytes(bytes_64(text, at), left) {
            let count = if block.two == 0 {
                let count = ascii_bytes(&text[at..limit], speller.spelling.nul_is_one);
                take_ascii(state, &text[at..at + count]);
                count
            } else {
                take_latin(state, speller.latin, &text[at..limit])
            };
            if count == 0 {
                take_bytes(state, &block);
            }
            at += if count > 0 { count } else { 64 };
            continue;
        }
        let block = speller.units::<u8>(_mm512_cvtepu8_epi16(bytes_32(text, at)), _mm512_setzero_si512(), left);
        take_units(state, &block);
        if block.read < 32.min(left) {
            return at + block.read;
        }
        // A constant, not the count: the next loads must not wait for the masks of this block.
        at += 32;
    }
    limit
}

/// Pass a text of two bytes each to `take` block by block, from an index to a limit or to where the kernel stops, and
/// return the end.
#[inline]
#[avx512]
pub fn each_of_two<S, const IS_PLAIN: bool, const BACKSLASHES: bool>(
    speller: &Speller<'_, IS_PLAIN, BACKSLASHES>,
    text: &[u16],
    (start, limit): (usize, usize),
    state: &mut S,
    take_whole: impl Fn(&mut S, &[Units; 2], &[u16]) -> usize,
    take: impl Fn(&mut S, &Units),
) -> usize {
    let mut at = start;
    while at < limit {
        fetch_ahead(text, at);
        fetch_ahead(text, at + 32);
        let left = limit - at;
        if let Some(whole) = speller.whole_units::<S>(text, (at, limit)) {
            at += take_whole(state, &whole, &text[at..limit]);
            continue;
        }
        let block = speller.units::<u16>(units_32(text, at), units_32(text, at + 1), left);
        take(state, &block);
        if block.read < 32.min(left) {
            return at + block.read;
        }
        // A constant, not the count: the next loads must not wait for the masks of this block.
        at += 32;
    }
    limit
}

/// Pass a text of four bytes each to `take` block by block, from an index to a limit or to where the kernel stops, and
/// return the end.
#[inline]
#[avx512]
pub fn each_of_four<S, const IS_PLAIN: bool, const BACKSLASHES: bool>(
    speller: &Speller<'_, IS_PLAIN, BACKSLASHES>,
    text: &[u32],
    (start, limit): (usize, usize),
    state: &mut S,
    take_whole: impl Fn(&mut S, &[Points; 2], &[u32]) -> usize,
    take: impl Fn(&mut S, &Points),
) -> usize {
    let mut at = start;
    while at < limit {
        fetch_ahead(text, at);
        fetch_ahead(text, at + 16);
        let left = limit - at;
        if let Some(whole) = speller.whole_points::<S>(text, (at, limit)) {
            at += take_whole(state, &whole, &text[at..limit]);
            continue;
        }
        let block = speller.points::<u32>(units_16(text, at), units_16(text, at + 1), left);
        take(state, &block);
        if block.read < 16.min(left) {
            return at + block.read;
        }
        // A constant, not the count: the next loads must not wait for the masks of this block.
        at += 16;
    }
    limit
}

/// Whether sequences have the lengths and the payload of UTF-8, except for U+0000 and code points that are split.
pub fn is_plain(spelling: &Spelling) -> bool {
    let is_four = spelling.starts[2] == 0x1_0000 || (spelling.splits && spelling.starts[2] == u32::MAX);
    spelling.starts[..2] == [0x80, 0x800] && is_four && !spelling.is_shifted()
}
