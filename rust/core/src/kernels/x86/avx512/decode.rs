//! Bytes of any form that has a layout, written as code points. [`clean`] writes text that needs no checks, and
//! [`points`](super::points) what begins in a block that [`measure`](super::measure) has noted: `compress` drops the
//! lanes in which nothing begins.

use eightfold_features::avx512;

use super::look::{Reader, Window, window};
use super::points::{put_latin1, put_narrow, put_points};
use super::{clean, fetch_ahead};
use crate::chunk::CHUNK_BYTES;
use crate::derive::layout::Pairs;
use crate::kernels::escaped::put_escaped;
use crate::kernels::output::Output;
use crate::kernels::source::{Note, Notes, Source};
use crate::policy::Answer;

/// Write from an offset to a limit, or to where the kernel stops, as bytes, and return the end. With `ESCAPES`,
/// ill-formed bytes are answered with backslashes, else with one value each.
#[avx512]
pub fn write_ucs1<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u8>,
) -> usize {
    let put_clean = |text: &[u8], out: &mut Output<'_, u8>| clean::write_ucs1(text, source.layout.shift(), out);
    write::<_, ESCAPES>(source, (start, limit), out, put_clean, |reader, window, note, out| {
        put_latin1(reader, window, note, out);
    })
}

/// As [`write_ucs1`], as 16-bit units.
#[avx512]
pub fn write_ucs2<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u16>,
) -> usize {
    let put_clean = |text: &[u8], out: &mut Output<'_, u16>| {
        clean::write_ucs2::<false, By<ESCAPES>>(text, source.layout.shift(), out)
    };
    write::<_, ESCAPES>(source, (start, limit), out, put_clean, |reader, window, note, out| {
        put_narrow::<By<ESCAPES>>(reader, window, note, out);
    })
}

/// Who writes code points: each has code of its own, which is inlined.
enum By<const ESCAPES: bool> {}
/// See [`By`].
enum Short {}

/// As [`write_ucs1`], as 32-bit units.
#[avx512]
pub fn write_ucs4<const ESCAPES: bool>(
    source: &Source<'_>,
    start: usize,
    limit: usize,
    out: &mut Output<'_, u32>,
) -> usize {
    let joins = source.layout.pairs == Pairs::Joined;
    let put_clean = |text: &[u8], out: &mut Output<'_, u32>| clean::write_ucs4(text, source.layout.shift(), joins, out);
    write::<_, ESCAPES>(source, (start, limit), out, put_clean, |reader, window, note, out| {
        put_points::<By<ESCAPES>>(reader, window, [note.begins, note.ill, note.odd], out);
    })
}

/// Write short bytes as 32-bit units without measuring them first, and return whether they could all be read.
#[avx512]
pub fn write_short(source: &Source<'_>, out: &mut Output<'_, u32>) -> bool {
    let (reader, mut carry, mut copy) = (Reader::new(source), 0, [0; 72]);
    for at in (0..source.data.len()).step_by(64) {
        let (window, left) = (window(source.data, at, &mut copy), source.data.len() - at);
        let block = reader.any_block(window, left, carry);
        if !block.goes_on && block.length < left {
            return false;
        }
        let begins = if reader.answer == Answer::Drop { block.begins & !block.ill } else { block.begins };
        if reader.answer == Answer::Backslash && block.ill != 0 {
            put_escaped([begins, block.ill], window, out, |begins, out| {
                put_points::<Short>(&reader, window, [begins, 0, block.odd], out);
            });
        } else {
            put_points::<Short>(&reader, window, [begins, block.ill, block.odd], out);
        }
        carry = block.carry;
    }
    true
}

/// Write by the notes of an earlier measurement, or else measure and write chunk by chunk.
#[inline]
#[avx512]
fn write<T: From<u8>, const ESCAPES: bool>(
    source: &Source<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'_, T>,
    put_clean: impl Fn(&[u8], &mut Output<'_, T>),
    put_block: impl Fn(&Reader<'_>, &Window, &Note, &mut Output<'_, T>),
) -> usize {
    if let Some(text) = source.known(start, limit) {
        put_clean(text, out);
        return limit;
    }
    out.go_on(|out| write_noted::<_, ESCAPES>(source, (start, limit), out, put_clean, put_block))
}

/// As [`write`], of what is not known to be clean.
#[inline]
#[avx512]
fn write_noted<T: From<u8>, const ESCAPES: bool>(
    source: &Source<'_>,
    (start, limit): (usize, usize),
    out: &mut Output<'_, T>,
    put_clean: impl Fn(&[u8], &mut Output<'_, T>),
    put_block: impl Fn(&Reader<'_>, &Window, &Note, &mut Output<'_, T>),
) -> usize {
    let (reader, mut copy, mut own) = (Reader::new(source), [0; 72], Notes::default());
    let (mut at, mut given, mut goes_on) = (start, source.notes, true);
    while at < limit && goes_on {
        let noted = given.take().and_then(|notes| notes.stretch(at).inspect(|_| goes_on = notes.is_full()));
        // A stretch that ended for lack of room before its first block is of no use.
        let noted = noted.filter(|&(end, _)| end > at).or_else(|| {
            let chunk_limit = limit.min(at + CHUNK_BYTES);
            own.clear();
            goes_on = reader.measure(source, (at, chunk_limit), &mut own).end >= chunk_limit;
            own.stretch(at)
        });
        let Some((end, blocks)) = noted.filter(|&(end, _)| end > at) else { break };
        for note in blocks {
            if at < note.at() {
                put_clean(&source.data[at..note.at()], out);
            }
            fetch_ahead(source.data, note.at());
            let window = window(source.data, note.at(), &mut copy);
            if ESCAPES {
                put_escaped([note.begins, note.ill], window, out, |begins, out| {
                    put_block(&reader, window, &note.with(begins, 0), out);
                });
            } else {
                put_block(&reader, window, note, out);
            }
            at = note.at() + note.length();
        }
        if at < end {
            put_clean(&source.data[at..end], out);
            at = end;
        }
    }
    at
}
