//! Code points of any kind of str, measured and written in a form that has a spelling.
//!
//! Sixteen code points below U+10000 are lanes of 16 bits; others are lanes of 32. What the form lacks is written one
//! by one unless it is marked, and so is a block with a pair that the form joins.

use eightfold_features::vectors;

use super::machine::*;
use super::sequences::lengths_16;
use super::speller::{Speller, Units, is_plain};
use super::{Bytes, fetch_ahead, part, put, store_16, store_32};
use crate::derive::spelling::Spelling;
use crate::kernels::output::Output;
use crate::kernels::spelt::{Spelt, Stretch};
use crate::kernels::text::Text;
use crate::kernels::{bulk, portable};
use crate::policy::Lacking;

/// The code points of a block.
const BLOCK: usize = 16;

/// Pass a text to `take` block by block. It takes some code points from an index on, where there is at least a block of
/// them, or none, and returns how many. Returns the index where reading ended.
#[inline]
#[vectors]
fn each_block<S: portable::Bytes>(
    spelt: &Spelt<'_>,
    (start, limit): (usize, usize),
    state: &mut S,
    take: impl Fn(&mut S, usize) -> usize,
) -> usize {
    let mut at = start;
    while at < limit {
        let taken = if limit - at >= BLOCK { take(state, at) } else { 0 };
        if taken == 0 {
            let end = at + by_ones(spelt, at, limit);
            let reached = portable::spell(spelt, at, end, state);
            if reached < end {
                return reached;
            }
            at = end;
        } else {
            at += taken;
        }
    }
    limit
}

/// How many code points are written one by one: those that the form lacks, or else a block.
fn by_ones(spelt: &Spelt<'_>, at: usize, limit: usize) -> usize {
    let block = at..limit.min(at + BLOCK);
    let lacking = block.clone().take_while(|&at| spelt.spelling.lacks(spelt.text.at(at))).count();
    if lacking > 0 { lacking } else { block.len() }
}

/// Pass a text of one byte per code point to two functions, one of which takes ASCII.
#[inline]
#[vectors]
fn each_of_one<S: portable::Bytes, const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    text: &[u8],
    span: (usize, usize),
    state: &mut S,
    take_ascii: impl Fn(&mut S, &[u8]),
    take: impl Fn(&mut S, &Speller<'_, IS_PLAIN, ANSWERS>, Units),
) -> usize {
    let speller = &Speller::<IS_PLAIN, ANSWERS>::new(spelt.spelling);
    each_block(spelt, span, state, |state, at| {
        let ascii = ascii_of_one(speller, &text[at..span.1]);
        if !ascii.is_empty() {
            take_ascii(state, ascii);
            return ascii.len();
        }
        let points = widened_8(load_16(text[at..].first_chunk().expect("a block")));
        let Some(units) = speller.units::<S>(points, || Some(zero())) else { return 0 };
        // Few forms lack any of these: they are left to the general path.
        if ANSWERS && !is_none(units.missing) {
            return 0;
        }
        take(state, speller, units);
        BLOCK
    })
}

/// Write a text of two bytes per code point.
#[inline]
#[vectors]
fn write_of_two<const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &[u16],
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let load = |at: usize| text[at..].first_chunk().map(|units| load_units(units));
    each_block(spelt, span, out, |out, at| {
        let taken = write_windows(spelt, speller, text, (at, span.1), out);
        if taken > 0 {
            return taken;
        }
        let Some(units) = speller.units::<u16>(load(at).expect("a block"), || load(at + 1)) else { return 0 };
        let written = speller.write_units::<u16>(units, out);
        written + answer(spelt, at + written, written < BLOCK, out)
    })
}

/// The most code points beyond ASCII in two blocks that are written one by one.
const RARE: u32 = 8;

/// Two blocks and the next unit.
type Window = [u16; 2 * BLOCK + 1];

/// Write two blocks at a time as long as neither needs a closer look, and return the number of code points.
#[inline]
#[vectors]
fn write_windows<const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &[u16],
    (start, limit): (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let mut at = start;
    while at + 2 * BLOCK <= limit {
        let Some(window) = text[at..].first_chunk() else { break };
        fetch_ahead(text, at);
        if !put_ascii(speller, window, out) {
            let taken = if ANSWERS && speller.is_cut { write_rare(spelt, window, at, out) } else { 0 };
            if taken > 0 {
                at += taken;
                continue;
            }
            let block = |place: usize| load_units(part(window, place));
            let first = speller.units::<[u16; 1]>(block(0), || Some(block(1)));
            let second = speller.units::<[u16; 2]>(block(BLOCK), || Some(block(BLOCK + 1)));
            let (Some(first), Some(second)) = (first, second) else { break };
            if !speller.is_whole(or(first.missing, second.missing)) {
                let written = speller.write_units::<[u16; 3]>(first, out);
                at += written + answer(spelt, at + written, written < BLOCK, out);
                continue;
            }
            speller.write_both(&first, &second, out);
        }
        at += 2 * BLOCK;
    }
    at - start
}

/// If the form lacks the code point at an index, write what stands for it, and return how many code points were read.
#[inline]
fn answer(spelt: &Spelt<'_>, at: usize, is_missing: bool, out: &mut Output<'_, u8>) -> usize {
    if is_missing { portable::spell(spelt, at, at + 1, out) - at } else { 0 }
}

/// If few code points are beyond ASCII, write all up to the first of them, and return how many those are.
#[inline]
#[vectors]
fn write_rare(spelt: &Spelt<'_>, window: &Window, at: usize, out: &mut Output<'_, u8>) -> usize {
    let units = [0, BLOCK].map(|at| load_units(part(window, at)));
    let least = zero();
    let ascii = units.map(|units| {
        let is_ascii = equal_16(and(units, each_16(!0x7F)), least);
        not_and(equal_16(units, least), is_ascii)
    });
    let others = !mask(signed_16(ascii));
    if !(1..=RARE).contains(&others.count_ones()) {
        return 0;
    }
    let first = others.trailing_zeros() as usize;
    let Some((bytes, length)) = portable::bytes_at(spelt, at + first) else { return 0 };
    // SAFETY: the first store writes 32 bytes; the second writes 16 more from the first byte that is not ASCII, which
    // is one of these 32 and begins a sequence of at most 16.
    unsafe {
        put(out, first + length, |room| {
            store_32(packed_16(units), room, 0);
            store_16(load_16(&bytes.to_le_bytes()), room, first);
        });
    }
    first + 1
}

/// Write a text of four bytes per code point, each block in lanes as narrow as it allows.
#[inline]
#[vectors]
fn write_of_four<const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &[u32],
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    let load = |at: usize| text[at..].first_chunk().map(|points| load_points(points));
    let write = |out: &mut Output<'_, u8>, at: usize| {
        fetch_ahead(text, at);
        let [first, second] = [0, 8].map(|half| load(at + half).expect("half a block"));
        if speller.are_supplementary([first, second]) {
            speller.write_supplementary([first, second], out);
            return BLOCK;
        }
        if let (Some(low), Some(high)) = (speller.fours(first), speller.fours(second)) {
            speller.write_fours::<u8>(first, low, out);
            speller.write_fours::<u16>(second, high, out);
            return BLOCK;
        }
        if is_none(and(or(first, second), each_32(!0xFFFF))) {
            let next = || Some(packed_32([load(at + 1)?, load(at + 9)?]));
            let Some(units) = speller.units::<u32>(packed_32([first, second]), next) else { return 0 };
            let written = speller.write_units::<u32>(units, out);
            return written + answer(spelt, at + written, written < BLOCK, out);
        }
        let Some(block) = speller.points::<u8>(first, || load(at + 1)) else { return 0 };
        let written = speller.write_points::<u8>(block, out);
        if written < 8 {
            return written + answer(spelt, at + written, true, out);
        }
        let Some(block) = speller.points::<u16>(second, || load(at + 9)) else { return 8 };
        let written = 8 + speller.write_points::<u16>(block, out);
        written + answer(spelt, at + written, written < BLOCK, out)
    };
    out.go_on(|out| each_block(spelt, span, out, write))
}

/// The blocks of 64 bytes of ASCII with which a text begins, if they are written as they stand. Shorter runs do not
/// count: the branch would be mispredicted as often as not.
#[inline]
#[vectors]
fn ascii_of_one<'a, const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &'a [u8],
) -> &'a [u8] {
    let is_kept = |bytes: &&[u8; 64]| {
        let bytes = Bytes::of(bytes, 0);
        bytes.are_ascii() && speller.keeps(|| bytes.equal(0) != 0)
    };
    &text[..64 * text.as_chunks().0.iter().take_while(is_kept).count()]
}

/// The bytes of 32 code points of two bytes each, if they are ASCII and written as they stand.
#[inline]
#[vectors]
fn ascii_of_two<const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    units: &Window,
) -> Option<Vector> {
    let units = [0, BLOCK].map(|at| load_units(part(units, at)));
    if !is_none(and(or(units[0], units[1]), each_16(!0x7F))) {
        return None;
    }
    let bytes = packed_16(units);
    let has_nul = || !is_none(equal_8(bytes, zero()));
    speller.keeps(has_nul).then_some(bytes)
}

/// The bytes that code points of one byte each take, counted by which of them take two. None if some may take another
/// number, or if the form lacks one.
#[inline]
#[vectors]
fn bytes_of_one(spelling: &Spelling, text: &[u8]) -> Option<usize> {
    let first = u8::try_from(spelling.starts[0]).ok()?;
    let mut missing = spelling.missing.iter().take_while(|range| range.0 <= 0xFF);
    let (missing, more) = (missing.next(), missing.next());
    // The only code points that may be lacking are those just below the first of two bytes.
    let is_odd = missing.is_some_and(|range| range.0 < 0x80 || range.1 + 1 != spelling.starts[0]) || more.is_some();
    if is_odd || spelling.escapes.is_some_and(|range| range.0 <= 0xFF) {
        return None;
    }
    let lowest = missing.map_or(first, |range| range.0 as u8);
    let nul_is_two = spelling.nul_is_two;
    let (blocks, rest) = text.as_chunks::<64>();
    let (mut longer, mut lacks) = (0, zero());
    // A block adds at most two to a lane, which holds 255.
    for blocks in blocks.chunks(127) {
        let mut counts = zero();
        for block in blocks {
            for bytes in Bytes::of(block, 0).0 {
                let two = at_least_8(bytes, each_8(first));
                let longer = if nul_is_two { or(two, equal_8(bytes, zero())) } else { two };
                // Lanes with all bits set are -1.
                counts = sub_8(counts, longer);
                if lowest < first {
                    lacks = or(lacks, not_and(two, at_least_8(bytes, each_8(lowest))));
                }
            }
        }
        longer += sum_8(counts);
    }
    let is_lacking = !is_none(lacks) || rest.iter().any(|byte| (lowest..first).contains(byte));
    let of_rest = rest.iter().filter(|&&byte| byte >= first || (byte == 0 && nul_is_two)).count();
    (!is_lacking).then_some(text.len() + longer + of_rest)
}

/// The same if they are written as UTF-8 does.
#[inline]
#[vectors]
fn bytes_as_utf8(spelling: &Spelling, text: &[u8]) -> Option<usize> {
    if spelling.starts[0] != 0x80 || spelling.is_shifted() {
        return None;
    }
    // If each takes one byte, none is a U+0000 of two.
    let has_nul = |bytes: usize| spelling.nul_is_two && bytes > text.len() && text.contains(&0);
    bytes_of_one(spelling, text).filter(|&bytes| !has_nul(bytes))
}

/// Measure from an index to a limit, or to where this kernel stops.
#[vectors]
pub fn spelt_bytes(spelt: &Spelt<'_>, start: usize, limit: usize) -> Stretch {
    if let Text::One(text) = spelt.text
        && let Some(bytes) = bytes_of_one(spelt.spelling, &text[start..limit])
    {
        return Stretch { end: limit, bytes };
    }
    let mut bytes = 0;
    let span = (start, limit);
    let end = match (is_plain(spelt.spelling), spelt.spelling.lacking) {
        (true, Lacking::Stop) => count::<true, false>(spelt, span, &mut bytes),
        (false, Lacking::Stop) => count::<false, false>(spelt, span, &mut bytes),
        (true, _) => count::<true, true>(spelt, span, &mut bytes),
        (false, _) => count::<false, true>(spelt, span, &mut bytes),
    };
    Stretch { end, bytes }
}

#[inline]
#[vectors]
fn count<const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    span: (usize, usize),
    bytes: &mut usize,
) -> usize {
    let speller = &Speller::<IS_PLAIN, ANSWERS>::new(spelt.spelling);
    match spelt.text {
        Text::One(text) => each_of_one::<_, IS_PLAIN, ANSWERS>(
            spelt,
            text,
            span,
            bytes,
            |bytes, ascii| *bytes += ascii.len(),
            |bytes, _, units| *bytes += BLOCK + lengths_16(&units).count_ones() as usize,
        ),
        Text::Two(text) => each_block(spelt, span, bytes, |bytes, at| count_of_two(speller, text, (at, span.1), bytes)),
        Text::Four(text) => {
            each_block(spelt, span, bytes, |bytes, at| count_of_four(speller, text, (at, span.1), bytes))
        }
    }
}

/// Count the bytes of blocks of two bytes per code point as long as none needs a closer look, and return the number of
/// code points.
#[inline]
#[vectors]
fn count_of_two<const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &[u16],
    (start, limit): (usize, usize),
    bytes: &mut usize,
) -> usize {
    let [mut shorter, mut missing] = [zero(); 2];
    let mut at = start;
    // A block adds at most two to a lane, which holds 65535.
    for block in text[start..limit].as_chunks::<BLOCK>().0.iter().take(0x7FFF) {
        fetch_ahead(text, at);
        let next = || text[at + 1..].first_chunk().map(|units| load_units(units));
        let Some(units) = speller.units::<u16>(load_units(block), next) else { break };
        // Lanes with all bits set are -1.
        shorter = sub_16(sub_16(shorter, units.one), units.up_to_two);
        if ANSWERS {
            missing = sub_16(missing, units.missing);
        }
        at += BLOCK;
    }
    *bytes += 3 * (at - start) - sum_16(shorter);
    count_answers(speller, sum_16(missing), bytes);
    at - start
}

/// The same for four bytes per code point.
#[inline]
#[vectors]
fn count_of_four<const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    text: &[u32],
    (start, limit): (usize, usize),
    bytes: &mut usize,
) -> usize {
    let [mut longer, mut most, mut missing] = [zero(); 3];
    let mut at = start;
    // A block adds at most two to a lane, which holds 2 ** 32 - 1.
    for block in text[start..limit].as_chunks().0.iter().take(0x7FFF_FFFF) {
        fetch_ahead(text, at);
        let next = || text[at + 1..].first_chunk().map(|points| load_points(points));
        let Some(block) = speller.points::<u32>(load_points(block), next) else { break };
        longer = sub_32(sub_32(longer, block.two_or_three), block.three);
        most = sub_32(most, block.most);
        if ANSWERS {
            missing = sub_32(missing, block.missing);
        }
        at += 8;
    }
    // `longer` has counted those of three bytes and more once.
    let of_most = if speller.spelling.splits { 4 } else { 2 };
    *bytes += at - start + sum_32(longer) + of_most * sum_32(most);
    count_answers(speller, sum_32(missing), bytes);
    at - start
}

/// Count what stands for code points that the form lacks, each of which has been counted as one byte.
fn count_answers<const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    missing: usize,
    bytes: &mut usize,
) {
    *bytes = *bytes + speller.answer.unwrap_or(1) * missing - missing;
}

/// The sum of lanes of 16 bits.
#[inline]
#[vectors]
fn sum_16(lanes: Vector) -> usize {
    let [even, odd] = [and(lanes, each_32(0xFFFF)), right_32::<16>(lanes)];
    sum_32(add_32(even, odd))
}

/// The sum of lanes of 32 bits.
#[inline]
#[vectors]
fn sum_32(lanes: Vector) -> usize {
    let [even, odd] = [and(lanes, each_64(0xFFFF_FFFF)), right_64::<32>(lanes)];
    sum_64(add_64(even, odd)) as usize
}

/// Write from an index to a limit, or to where the kernel stops; the end is returned.
#[vectors]
pub fn write_spelt(spelt: &Spelt<'_>, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
    if let Text::One(text) = spelt.text
        && let Some(bytes) = bytes_as_utf8(spelt.spelling, &text[start..limit])
    {
        let text = &text[start..limit];
        if bytes == text.len() {
            out.copy(text);
        } else {
            // Bulk conversion is twice as fast, and counting first costs a tenth.
            // SAFETY: the bytes were counted, and the text is written as in UTF-8.
            unsafe { bulk::latin1_to_utf8(text, bytes, out) };
        }
        return limit;
    }
    let span = (start, limit);
    match (is_plain(spelt.spelling), spelt.spelling.lacking) {
        (true, Lacking::Stop) => write::<true, false>(spelt, span, out),
        (false, Lacking::Stop) => write::<false, false>(spelt, span, out),
        (true, _) => write::<true, true>(spelt, span, out),
        (false, _) => write::<false, true>(spelt, span, out),
    }
}

/// Write all of a text by the spelling of UTF-8.
#[vectors]
pub fn write_utf8(spelt: &Spelt<'_>, out: &mut Output<'_, u8>) {
    let span = (0, spelt.text.len());
    _ = match spelt.text {
        Text::One(_) => write_spelt(spelt, 0, span.1, out),
        Text::Two(text) => write_of_two(spelt, &Speller::<true, false>::of_utf8(spelt.spelling), text, span, out),
        Text::Four(text) => write_of_four(spelt, &Speller::<true, false>::of_utf8(spelt.spelling), text, span, out),
    };
}

/// Each kind of text has functions of its own: calling a shared one would spill all registers.
#[inline]
#[vectors]
fn write<const IS_PLAIN: bool, const ANSWERS: bool>(
    spelt: &Spelt<'_>,
    span: (usize, usize),
    out: &mut Output<'_, u8>,
) -> usize {
    match spelt.text {
        Text::One(text) => each_of_one::<_, IS_PLAIN, ANSWERS>(
            spelt,
            text,
            span,
            out,
            |out, ascii| out.copy(ascii),
            |out, speller, units| _ = speller.write_units::<u8>(units, out),
        ),
        Text::Two(text) => write_of_two(spelt, &Speller::<IS_PLAIN, ANSWERS>::new(spelt.spelling), text, span, out),
        Text::Four(text) => write_of_four(spelt, &Speller::<IS_PLAIN, ANSWERS>::new(spelt.spelling), text, span, out),
    }
}

/// Write code points as they stand if all are ASCII; otherwise write nothing and return false.
#[inline]
#[vectors]
fn put_ascii<const IS_PLAIN: bool, const ANSWERS: bool>(
    speller: &Speller<'_, IS_PLAIN, ANSWERS>,
    units: &Window,
    out: &mut Output<'_, u8>,
) -> bool {
    let Some(ascii) = ascii_of_two(speller, units) else { return false };
    // SAFETY: as many bytes are written.
    unsafe { put(out, 2 * BLOCK, |room| store_32(ascii, room, 0)) };
    true
}
