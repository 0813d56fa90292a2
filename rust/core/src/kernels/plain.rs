//! Valid UTF-8 written as the kinds of str, and these as UTF-8, for any machine.
//!
//! Where sequences of one and two bytes take turns, as words and spaces do, no branch depends on which comes next: what
//! each lane of a block becomes is computed, of which the compiler makes vectors, and then all are stored in order,
//! each over the rest of the one before. Longer sequences stand in long runs, which branches follow.

use super::kind::{LONGEST, Unit, read_narrow};
use super::masks::{Window, gathered};
use super::measured::{Measured, Width};
use super::output::{Output, Values};
use super::put;
use super::text::Text;
use super::validity;
pub use super::validity::BLOCK;
use super::words::{self, Pace, WORD};
use crate::code_point::{LARGEST_IN_STR, Range, STARTS};
use crate::derive::instead::RARE;

/// Fewer bytes are read one sequence after the other, which is quicker than a block.
const FEW: usize = 16;
/// A run of fewer bytes takes more time than as much of a block.
const SHORT_RUN: usize = 12;
/// Up to so many bytes of a block that are not ASCII are read with a branch for each sequence, and up to so many code
/// points are written so.
const SPARSE: u32 = 12;
/// The least leads of sequences that have more bytes than that.
const LEADS: [u8; LONGEST] = [0, 0xC0, 0xE0, 0xF0];

/// Write valid UTF-8 up to U+00FF as bytes.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_latin1(text: &Measured<'_>, out: &mut Output<'_, u8>) {
    assert!(text.width() <= Width::Latin1);
    decode_all(text.text().as_bytes(), out);
}

/// Write text up to U+FFFF as 16-bit units.
///
/// # Panics
/// It is wider, or has no room.
pub fn to_ucs2(text: &Measured<'_>, out: &mut Output<'_, u16>) {
    assert!(text.width() <= Width::Ucs2);
    decode_all(text.text().as_bytes(), out);
}

/// Write text as 32-bit units.
///
/// # Panics
/// It has no room.
pub fn to_ucs4(text: &Measured<'_>, out: &mut Output<'_, u32>) {
    decode_all(text.text().as_bytes(), out);
}

fn decode_all<T: Unit>(data: &[u8], out: &mut Output<'_, T>) {
    decode(data, data.len(), out);
}

/// Write valid UTF-8 up to an offset, or surrogates as if they were scalar values; what lies behind is not written.
pub fn decode<T: Unit>(data: &[u8], end: usize, out: &mut Output<'_, T>) {
    out.go_on(|out| {
        let (mut at, mut pace) = (0, Pace::new(SHORT_RUN));
        while at < end {
            let rest = &data[at..end];
            let run = pace.run(|| words::read_known(rest, |values, count| out.extend_first(&values.map(T::of), count)));
            at += if run > 0 {
                run
            } else if let Some(block) = rest.first_chunk::<BLOCK>() {
                decode_block(block, validity::largest(block), out)
            } else if let Some(part) = short_part(&data[at..], rest.len()) {
                short(&part, rest.len(), out)
            } else {
                some(&data[at..], rest.len(), out)
            };
        }
    });
}

/// Write what begins in a block and ends there, given its largest byte, and return where that ends. The block begins at
/// the border of a sequence.
pub fn decode_block<T: Unit>(block: &[u8; BLOCK], largest: u8, out: &mut Output<'_, T>) -> usize {
    match largest {
        0..0x80 => ascii(block, out),
        _ if T::IS_WIDE && gathered(block).count_ones() <= SPARSE => sparse(block, out),
        0x80..0xE0 => short(block, whole_end(block), out),
        0xE0..0xF0 => any(block, out),
        0xF0.. => any_with_fours(block, out),
    }
}

/// Fewer than a block of some bytes, with zeros behind them, if sequences of one and two bytes take turns there.
#[inline(always)]
fn short_part(data: &[u8], length: usize) -> Option<[u8; BLOCK]> {
    // Behind two of two bytes in a row more are likely; ASCII is read quicker in words.
    let is_likely = |block: &&[u8; BLOCK]| length >= FEW && is_two(block[0]) && is_two(block[2]);
    let mut part = *data.first_chunk().filter(is_likely)?;
    for (lane, byte) in part.iter_mut().enumerate() {
        *byte &= u8::from(lane < length).wrapping_neg();
    }
    is_two(validity::largest(&part)).then_some(part)
}

/// Whether a sequence of two bytes begins with a byte.
#[inline(always)]
fn is_two(byte: u8) -> bool {
    (0xC0..0xE0).contains(&byte)
}

fn ascii<T: Unit>(block: &[u8; BLOCK], out: &mut Output<'_, T>) -> usize {
    let (words, _) = block.as_chunks();
    words.iter().for_each(|&word| out.extend_first(&T::of_bytes(word), word.len()));
    BLOCK
}

/// Write what begins in a block and ends there, most of it ASCII, and return where that is.
fn sparse<T: Unit>(block: &[u8; BLOCK], out: &mut Output<'_, T>) -> usize {
    let (end, beyond_ascii, window, mut at) = (whole_end(block), gathered(block), padded(block), 0);
    while at < end {
        let run_end = end.min(at + (beyond_ascii >> at).trailing_zeros() as usize);
        while at < run_end {
            let word = *window[at..].first_chunk::<WORD>().expect("there is a word behind the block");
            let count = WORD.min(run_end - at);
            out.extend_first(&T::of_bytes(word), count);
            at += count;
        }
        if at < end {
            at += one(&block[at..], out);
        }
    }
    end
}

/// Write sequences of one and two bytes up to the end of one of them, which is returned.
fn short<T: Unit>(block: &[u8; BLOCK], end: usize, out: &mut Output<'_, T>) -> usize {
    let (mut values, window): (Values<T>, _) = ([T::default(); _], padded(block));
    for lane in 0..BLOCK {
        let (lead, second) = (u16::from(window[lane]), u16::from(window[lane + 1]));
        let is_two = (lead >> 7).wrapping_neg();
        values[lane] = T::of_two(lead & !is_two | ((lead & 0x1F) << 6 | second & 0x3F) & is_two);
    }
    keep(&values, block, end, out);
    end
}

/// Write what begins in a block and ends there, none of four bytes, and return where that is.
fn any<T: Unit>(block: &[u8; BLOCK], out: &mut Output<'_, T>) -> usize {
    let end = whole_end(block);
    keep(&narrow_values(block), block, end, out);
    end
}

/// The same with some of four bytes, which are read one by one: the others have values of half the bits, and so twice
/// as many are read at once.
fn any_with_fours<T: Unit>(block: &[u8; BLOCK], out: &mut Output<'_, T>) -> usize {
    let (end, mut values) = (whole_end(block), narrow_values(block));
    let mut fours = gathered(&block.map(|byte| u8::from(byte >= LEADS[3]).wrapping_neg())) & !0 >> (BLOCK - end);
    while fours != 0 {
        let lane = fours.trailing_zeros() as usize;
        values[lane] = T::of(value::<4>(&block[lane..]));
        fours &= fours - 1;
    }
    keep(&values, block, end, out);
    end
}

/// What each lane means if a sequence up to U+FFFF begins there.
#[inline(always)]
fn narrow_values<T: Unit>(block: &[u8; BLOCK]) -> Values<T> {
    let mut values = [T::default(); _];
    put::read(&padded(block), &mut values, read_narrow);
    values
}

/// Write the values of the lanes of a block up to an offset in which a sequence begins.
#[inline(always)]
fn keep<T: Unit>(values: &Values<T>, block: &[u8; BLOCK], end: usize, out: &mut Output<'_, T>) {
    let begun = gathered(&block.map(|byte| u8::from(byte & 0xC0 != 0x80) << 7));
    out.extend_kept(values, begun & !0 >> (BLOCK - end), |value| value);
}

/// Where the last sequence ends that is in a block wholly.
pub fn whole_end(block: &[u8; BLOCK]) -> usize {
    let is_cut = |&behind: &usize| block[BLOCK - behind] >= LEADS[behind];
    BLOCK - (1..LONGEST).find(is_cut).unwrap_or(0)
}

/// A block with something behind it.
#[inline(always)]
fn padded(block: &[u8; BLOCK]) -> Window {
    let mut window = [0; _];
    window[..BLOCK].copy_from_slice(block);
    window
}

/// The bits that ASCII lacks.
const HIGH: u128 = u128::from_le_bytes([0x80; 16]);

/// Write the ASCII that data begin with, as far as a word has it, but no more than `left`, or else the first sequence;
/// return the length.
#[inline(always)]
fn some<T: Unit>(data: &[u8], left: usize, out: &mut Output<'_, T>) -> usize {
    if let Some(word) = data.first_chunk()
        && data[0] < 0x80
    {
        let length = left.min((u128::from_le_bytes(*word) & HIGH).trailing_zeros() as usize / 8);
        out.extend_first(&word.map(|byte| T::of(byte.into())), length);
        return length;
    }
    one(data, out)
}

/// Write the first sequence, and return its length.
#[inline]
fn one<T: Unit>(data: &[u8], out: &mut Output<'_, T>) -> usize {
    let (value, length) = match data[0] {
        0..0x80 => (data[0].into(), 1),
        0x80..0xE0 => (value::<2>(data), 2),
        0xE0..0xF0 => (value::<3>(data), 3),
        0xF0.. => (value::<4>(data), 4),
    };
    out.extend_by(&[value], T::of);
    length
}

/// The value of the first sequence, which has so many bytes.
#[inline(always)]
fn value<const LENGTH: usize>(data: &[u8]) -> u32 {
    let tail = data[1..LENGTH].iter().fold(0, |sum, &byte| sum << 6 | u32::from(byte & 0x3F));
    u32::from(data[0] & (0x7F >> LENGTH)) << (6 * (LENGTH - 1)) | tail
}

/// Write text as UTF-8 does; surrogates as if they were scalar values.
///
/// # Panics
/// It has no room.
pub fn to_utf8(text: Text<'_>, out: &mut Output<'_, u8>) {
    match text {
        Text::One(points) => encode(points, out),
        Text::Two(points) => encode(points, out),
        Text::Four(points) => encode(points, out),
    }
}

fn encode<P: Point>(points: &[P], out: &mut Output<'_, u8>) {
    let (blocks, rest) = points.as_chunks::<BLOCK>();
    blocks.iter().for_each(|block| encode_block(block, out));
    let mut block = [P::default(); BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    if rest.iter().all(|&point| point.into() < 0x800) {
        spell_short(&block, rest.len(), out);
    } else {
        spell_any(&block, rest.len(), out);
    }
}

/// Write the blocks that a text begins with up to one that begins with a sequence of four bytes, which is written
/// quicker by itself, or holds something rare or beyond Unicode, and return how many code points that is.
#[inline(never)]
pub fn blocks_of_scalars<P: Point>(points: &[P], out: &mut Output<'_, u8>) -> usize {
    let (blocks, _) = points.as_chunks::<BLOCK>();
    let is_usual = |&point: &P| !is_in(RARE, point) & (point <= P::of(P::LARGEST));
    let are_usual = |block: &&[P; BLOCK]| {
        block[0].into() < STARTS[2] && block.iter().fold(true, |all, point| all & is_usual(point))
    };
    BLOCK * blocks.iter().take_while(are_usual).map(|block| encode_block(block, out)).count()
}

/// All code points or-ed.
#[inline(always)]
fn all_bits<P: Point>(points: &[P]) -> u32 {
    points.iter().fold(0, |all, &point| all | point.into())
}

/// Write a block of code points.
#[inline]
pub fn encode_block<P: Point>(block: &[P; BLOCK], out: &mut Output<'_, u8>) {
    let all = all_bits(block);
    if all < 0x80 {
        return out.extend_by(block, |point| point.into() as u8);
    }
    let long = gathered(&block.map(|point| u8::from(point.into() >= 0x80).wrapping_neg()));
    match all {
        _ if long.count_ones() <= SPARSE => spell_sparse(block, long, out),
        ..0x800 => spell_short(block, BLOCK, out),
        _ => spell_long(block, all, out),
    }
}

/// A code point as a str holds it.
pub trait Point: Copy + Default + Ord + Into<u32> {
    /// The largest that a str of this kind holds.
    const LARGEST: u32;
    /// A value that is not larger.
    fn of(value: u32) -> Self;
    /// Text of them.
    fn text(points: &[Self]) -> Text<'_>;
    /// The difference, which wraps around.
    fn less(self, other: Self) -> Self;
    /// The sum, which wraps around.
    fn and(self, other: Self) -> Self;
    /// How many bytes more than one it takes.
    fn longer(self) -> Self;
    /// Whether eight of them are ASCII.
    fn are_ascii(points: &[Self; 8]) -> bool;
}

macro_rules! points {
    ($($point:ty: $text:ident, $largest:expr, $starts:expr;)*) => {
        $(impl Point for $point {
            const LARGEST: u32 = $largest;

            #[inline(always)]
            fn of(value: u32) -> Self {
                value as $point
            }

            #[inline(always)]
            fn text(points: &[Self]) -> Text<'_> {
                Text::$text(points)
            }

            #[inline(always)]
            fn less(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn longer(self) -> Self {
                $starts.iter().fold(0, |longer, &start| longer + <$point>::from(self >= start))
            }

            #[inline(always)]
            fn are_ascii(points: &[Self; 8]) -> bool {
                // By words: what vectors would find has to be moved to where it is compared.
                const HIGH: u64 = u64::MAX / <$point>::MAX as u64 * (<$point>::MAX - 0x7F) as u64;
                let (words, _) = points.as_chunks::<{ 8 / size_of::<$point>() }>();
                let word = |points: &[$point; 8 / size_of::<$point>()]| {
                    let bytes = points.map(<$point>::to_ne_bytes);
                    u64::from_ne_bytes(*bytes.as_flattened().first_chunk().expect("a word is eight bytes"))
                };
                words.iter().fold(0, |all, points| all | word(points)) & HIGH == 0
            }
        })*
    };
}

points! {
    u8: One, 0xFF, [0x80];
    u16: Two, 0xFFFF, [0x80, 0x800];
    u32: Four, LARGEST_IN_STR, STARTS;
}

/// Whether a code point is in a range, as far as a str of this kind holds it.
#[inline(always)]
pub fn is_in<P: Point>(range: Range, point: P) -> bool {
    range.0 <= P::LARGEST && point.less(P::of(range.0)) <= P::of(range.1.min(P::LARGEST) - range.0)
}

/// Write a block of ASCII but for some lanes.
#[inline(never)]
fn spell_sparse<P: Point>(block: &[P; BLOCK], long: u64, out: &mut Output<'_, u8>) {
    let (mut bytes, mut from, mut rest) = ([0; 2 * BLOCK], 0, long);
    for (byte, &point) in bytes.iter_mut().zip(block) {
        *byte = point.into() as u8;
    }
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize;
        let point = block[lane];
        out.extend_first::<BLOCK>(bytes[from..].first_chunk().expect("a block"), lane - from);
        out.extend_first(&wide(point.into()), 1 + point.longer().into() as usize);
        from = lane + 1;
        rest &= rest - 1;
    }
    out.extend_first::<BLOCK>(bytes[from..].first_chunk().expect("a block"), BLOCK - from);
}

/// Write `count` code points up to U+07FF.
fn spell_short<P: Point>(block: &[P; BLOCK], count: usize, out: &mut Output<'_, u8>) {
    let (mut sequences, mut lengths) = ([[0; 2]; BLOCK], [0; BLOCK]);
    for (lane, &point) in block.iter().enumerate() {
        let point = point.into() as u16;
        let is_two = u16::from(point >= 0x80).wrapping_neg();
        let two = 0xC0 | point >> 6 | (0x80 | point & 0x3F) << 8;
        sequences[lane] = (point & !is_two | two & is_two).to_le_bytes();
        lengths[lane] = 1 + u8::from(point >= 0x80);
    }
    out.extend_parts::<2, { 2 * BLOCK }>(&sequences[..count], &lengths[..count]);
}

/// Write a block with longer sequences, given all its code points or-ed.
fn spell_long<P: Point>(block: &[P; BLOCK], all: u32, out: &mut Output<'_, u8>) {
    let least = block.iter().fold(u32::MAX, |least, &point| least.min(point.into()));
    match least {
        0x800.. if all < 0x1_0000 => out.extend_bytes(block, |point| {
            let [first, second, third, _] = three(point.into()).to_le_bytes();
            [first, second, third]
        }),
        0x1_0000.. => out.extend_bytes(block, |point| four(point.into()).to_le_bytes()),
        0x800.. => spell_threes_and_fours(block, out),
        _ => spell_any(block, BLOCK, out),
    }
}

/// Write a block of sequences of three and four bytes.
fn spell_threes_and_fours<P: Point>(block: &[P; BLOCK], out: &mut Output<'_, u8>) {
    let is_four = |point: &P| (*point).into() >= STARTS[2];
    let sequences = block.map(|point| {
        let ([_, three, four], is_four) = (long_sequences(point.into()), u32::from(is_four(&point)).wrapping_neg());
        (three & !is_four | four & is_four).to_le_bytes()
    });
    let lengths = block.map(|point| 3 + u8::from(is_four(&point)));
    out.extend_parts::<LONGEST, { LONGEST * BLOCK }>(&sequences, &lengths);
}

/// Write `count` code points.
fn spell_any<P: Point>(block: &[P; BLOCK], count: usize, out: &mut Output<'_, u8>) {
    let (sequences, lengths) = (sequences(block), lengths(block));
    out.extend_parts::<LONGEST, { LONGEST * BLOCK }>(&sequences[..count], &lengths[..count]);
}

/// The sequences of some code points.
#[inline(always)]
pub fn sequences<P: Point>(block: &[P; BLOCK]) -> [[u8; LONGEST]; BLOCK] {
    let all = all_bits(block);
    // A loop for each is made into vectors.
    if all < 0x1_0000 { block.map(|point| narrow(point.into() as u16)) } else { block.map(|point| wide(point.into())) }
}

/// Their lengths.
#[inline(always)]
pub fn lengths<P: Point>(block: &[P; BLOCK]) -> [u8; BLOCK] {
    block.map(|point| 1 + point.longer().into() as u8)
}

/// The sequence of a code point.
#[inline(always)]
pub fn wide(point: u32) -> [u8; LONGEST] {
    let [is_two, is_three, is_four] = STARTS.map(|start| u32::from(point >= start).wrapping_neg());
    let [two, three, four] = long_sequences(point);
    let short = point & !is_two | two & is_two;
    let long = three & !is_four | four & is_four;
    (short & !is_three | long & is_three).to_le_bytes()
}

/// The bytes of the sequences of two, of three and of four, if the code point takes as many: a shorter one ends as the
/// longest does.
#[inline(always)]
fn long_sequences(point: u32) -> [u32; 3] {
    let four = four(point);
    [four >> 16 | 0xC0, four >> 8 | 0xE0, four]
}

/// The sequence of a code point up to U+FFFF.
#[inline(always)]
pub fn narrow(point: u16) -> [u8; LONGEST] {
    let [is_two, is_three] = [0x80, 0x800].map(|start| u16::from(point >= start).wrapping_neg());
    let last = 0x80 | point & 0x3F;
    let two = 0xC0 | point >> 6 | last << 8;
    let three = 0xE0 | point >> 12 | (0x80 | point >> 6 & 0x3F) << 8;
    let short = point & !is_two | two & is_two & !is_three | three & is_three;
    (u32::from(short) | u32::from(last) << 16).to_le_bytes()
}

/// The bytes of a sequence of two, the first lowest.
#[inline(always)]
pub fn two(point: u32) -> u32 {
    0xC0 | point >> 6 | tail(point, 0) << 8
}

/// The bytes of a sequence of three, the first lowest.
#[inline(always)]
pub fn three(point: u32) -> u32 {
    0xE0 | point >> 12 | tail(point, 1) << 8 | tail(point, 0) << 16
}

/// The bytes of a sequence of four, the first lowest.
#[inline(always)]
pub fn four(point: u32) -> u32 {
    0xF0 | point >> 18 | tail(point, 2) << 8 | tail(point, 1) << 16 | tail(point, 0) << 24
}

/// The continuation byte at a place from the last.
#[inline(always)]
fn tail(point: u32, place: u32) -> u32 {
    0x80 | (point >> (6 * place) & 0x3F)
}

/// The length in UTF-8 of text without surrogates and without values beyond Unicode.
pub fn utf8_bytes(text: Text<'_>) -> usize {
    text.len()
        + match text {
            Text::One(points) => super::ascii::count_beyond_ascii(points),
            Text::Two(points) => longer(points),
            Text::Four(points) => longer(points),
        }
}

/// How many bytes more than one each the code points take.
fn longer<P: Point>(points: &[P]) -> usize {
    let (blocks, rest) = points.as_chunks::<BLOCK>();
    blocks.iter().map(longer_in).sum::<usize>() + rest.iter().map(|point| point.longer().into() as usize).sum::<usize>()
}

/// The same of a block, of which the sum fits in a byte.
#[inline(always)]
pub fn longer_in<P: Point>(points: &[P; BLOCK]) -> usize {
    points.iter().fold(P::default(), |sum, point| sum.and(point.longer())).into() as usize
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    fn text() -> String {
        let words = [
            "ascii only, and more than a block of it, so that it is copied as a whole; ",
            "é",
            "ß a",
            "ж",
            "жук жив",
            "中",
            "中文字",
            "😀",
            "😀🎉",
            "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
        ];
        let most = if cfg!(miri) { 60 } else { 3000 };
        (0..most).map(|at: usize| words[(at * at + at / 7) % words.len()]).collect()
    }

    fn written<T: Copy>(count: usize, write: impl FnOnce(&mut Output<'_, T>)) -> Vec<T> {
        let mut memory = vec![MaybeUninit::uninit(); count];
        let mut out = Output::new(&mut memory);
        write(&mut out);
        out.finish();
        out.values().to_vec()
    }

    fn check(text: &str) {
        let points: Vec<u32> = text.chars().map(u32::from).collect();
        assert_eq!(written(points.len(), |out| decode_all::<u32>(text.as_bytes(), out)), points);
        assert_eq!(written(text.len(), |out| encode(&points, out)), text.as_bytes());
        assert_eq!(utf8_bytes(Text::Four(&points)), text.len());
        let two: Option<Vec<u16>> = points.iter().map(|&point| point.try_into().ok()).collect();
        if let Some(two) = two {
            assert_eq!(written(two.len(), |out| decode_all::<u16>(text.as_bytes(), out)), two);
            assert_eq!(written(text.len(), |out| encode(&two, out)), text.as_bytes());
            assert_eq!(utf8_bytes(Text::Two(&two)), text.len());
        }
        let one: Option<Vec<u8>> = points.iter().map(|&point| point.try_into().ok()).collect();
        if let Some(one) = one {
            assert_eq!(written(one.len(), |out| decode_all::<u8>(text.as_bytes(), out)), one);
            assert_eq!(written(text.len(), |out| encode(&one, out)), text.as_bytes());
            assert_eq!(utf8_bytes(Text::One(&one)), text.len());
        }
    }

    #[test]
    fn text_is_written_as_the_standard_library_writes_it() {
        for largest in ['\u{7F}', '\u{FF}', '\u{7FF}', '\u{FFFF}', char::MAX] {
            let text: String = text().chars().filter(|&char| char <= largest).collect();
            check(&text);
            let borders: Vec<usize> = text.char_indices().map(|(at, _)| at).take(150).collect();
            for (number, &at) in borders.iter().enumerate() {
                check(&text[..at]);
                check(&text[borders[number / 2]..at]);
            }
        }
    }

    #[test]
    fn ascii_with_a_few_others_is_written_as_the_standard_library_writes_it() {
        for other in ['\u{7F}', 'é', '中', '😀'] {
            let places = if cfg!(miri) { 62..66 } else { 0..2 * BLOCK };
            for (place, count) in places.flat_map(|place| [0, 1, 2, 5, 13].map(|count| (place, count))) {
                let mut text = vec!['a'; 3 * BLOCK];
                (0..count).for_each(|number| text[(place + 5 * number) % (2 * BLOCK)] = other);
                check(&text.iter().collect::<String>());
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many")]
    fn runs_of_any_lengths_are_written_as_the_standard_library_writes_them() {
        for (three, four) in (0..25).flat_map(|three| (0..20).map(move |four| (three, four))) {
            let run = "中".repeat(three) + &"😀".repeat(four);
            check(&format!("{}é{}", run.repeat(200 / (three + four).max(1)), "a".repeat(three)));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "too many")]
    fn every_scalar_value_is_written_as_the_standard_library_writes_it() {
        check(&('\0'..=char::MAX).collect::<String>());
        check(&('\0'..='\u{FFFF}').collect::<String>());
        check(&('\0'..='\u{FF}').collect::<String>());
    }
}
