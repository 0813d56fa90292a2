//! Code points of any kind of str, written as UTF-8. Other forms are written in `encode`.

use std::arch::x86_64::*;

use eightfold_features::avx512;

use super::single::Single;
use super::{Lengths, bytes_32, fetch_ahead, halves_32, put_one_or_two, put_sequences, units_16, units_32};
use crate::kernels::lanes::low_64;
use crate::kernels::output::Output;

/// Write code points up to U+00FF, one byte each, as UTF-8.
#[avx512]
pub fn from_latin1(text: &[u8], out: &mut Output<'_, u8>) {
    out.go_on(|out| put_latin1(text, out));
}

#[inline]
#[avx512]
fn put_latin1(text: &[u8], out: &mut Output<'_, u8>) {
    let (blocks, rest) = text.as_chunks::<32>();
    for block in blocks {
        fetch_ahead(block, 0);
        put_one_or_two(_mm512_cvtepu8_epi16(bytes_32(block, 0)), 32, out);
    }
    put_one_or_two(_mm512_cvtepu8_epi16(bytes_32(rest, 0)), rest.len(), out);
}

/// Write code points up to U+FFFF, 16 bits each, as UTF-8; a surrogate becomes its three bytes.
#[avx512]
pub fn from_ucs2(text: &[u16], out: &mut Output<'_, u8>) {
    out.go_on(|out| put_ucs2(text, out));
}

#[inline]
#[avx512]
fn put_ucs2(text: &[u16], out: &mut Output<'_, u8>) {
    let (lengths, mut at, mut was_single) = (Lengths::new(false, false), 0, false);
    while at < text.len() {
        fetch_ahead(text, at);
        let points = units_32(text, at);
        let [two, three] = [0x80, 0x800].map(|start| _mm512_cmpge_epu16_mask(points, _mm512_set1_epi16(start)));
        let is_single = three != 0 && two == three;
        let count = if is_single && was_single { Single::OF_UTF_8.write_units(&text[at..], out) } else { 0 };
        was_single = is_single;
        if count == 0 {
            put_block_of_ucs2(points, text.len() - at, three, &lengths, out);
        }
        at += if count > 0 { count } else { 32 };
    }
}

/// Write up to 32 lanes of 16 bits, given those of three bytes.
#[inline]
#[avx512]
fn put_block_of_ucs2(points: __m512i, left: usize, three: u32, lengths: &Lengths, out: &mut Output<'_, u8>) {
    if three == 0 {
        return put_one_or_two(points, left, out);
    }
    for (half, points) in halves_32(points).into_iter().enumerate() {
        put_sequences(lengths.sequences(points), low_64(4 * left.saturating_sub(16 * half)), out);
    }
}

/// Write code points, 32 bits each, as UTF-8; a surrogate becomes its three bytes.
#[avx512]
pub fn from_ucs4(text: &[u32], out: &mut Output<'_, u8>) {
    out.go_on(|out| put_ucs4(text, out));
}

#[inline]
#[avx512]
fn put_ucs4(text: &[u32], out: &mut Output<'_, u8>) {
    let lengths = Lengths::new(false, false);
    let (blocks, rest) = text.as_chunks::<16>();
    for block in blocks {
        fetch_ahead(block, 0);
        put_sequences(lengths.sequences(units_16(block, 0)), !0, out);
    }
    put_sequences(lengths.sequences(units_16(rest, 0)), low_64(4 * rest.len()), out);
}
