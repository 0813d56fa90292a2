//! Measuring UTF-8 agrees with the standard library, wherever in a block something stands.

mod forms;

use std::sync::LazyLock;

use eightfold_core::kernels::{Level, is_utf8_up_to};
use eightfold_core::{Form, Measured, Width};
use forms::form;

static UTF_8: LazyLock<Form> = LazyLock::new(|| form("utf-8"));

fn check(data: &[u8]) {
    let end = std::str::from_utf8(data).map_or_else(|error| error.valid_up_to(), str::len);
    let text = std::str::from_utf8(&data[..end]).expect("valid up to here");
    let largest = text.chars().map(u32::from).max().unwrap_or(0);
    let widths = [Width::Ascii, Width::Latin1, Width::Ucs2, Width::Ucs4];
    let width = widths.into_iter().find(|width| largest <= width.largest()).expect("no char is larger");
    let measured = Measured::new(data);
    let found = (measured.text(), measured.count(), measured.width());
    assert_eq!(found, (text, text.chars().count(), width), "{data:X?}");
    assert_eq!(is_utf8_up_to(data), end, "{data:X?}");
    let whole = Measured::whole(data).map(|measured| (measured.text(), measured.count(), measured.width()));
    assert_eq!(whole, (end == data.len()).then_some(found), "{data:X?}");
    for is_likely in [false, true] {
        let short = Measured::of_short(data, &UTF_8.agreement, is_likely);
        // Without vectors, and where there are fewer bytes than a vector has, little text is measured otherwise.
        let is_valid = end == data.len();
        assert!(short.is_none() || is_valid, "{data:X?}");
        assert!(short.is_some() || !is_valid || Level::current() == Level::Portable || data.len() < 35, "{data:X?}");
        let short = short.map(|measured| (measured.text(), measured.count(), measured.width()));
        assert_eq!(short.unwrap_or(found), found, "{data:X?}");
    }
}

#[test]
fn every_first_two_bytes_are_judged_alike_wherever_they_stand() {
    for lead in 0x80..=0xFF {
        for second in 0..=0xFF {
            for place in [0, 1, 61, 62, 63, 64, 125, 127] {
                let mut data = vec![b'a'; place];
                data.extend([lead, second, 0x80, 0x80, 0x80]);
                data.resize(200, b'a');
                check(&data);
                // The first two bytes with none, one and two continuation bytes behind them.
                for tail in 0..3 {
                    let mut data = "é".repeat(place / 2).into_bytes();
                    data.extend([lead, second]);
                    data.resize(data.len() + tail, 0xBF);
                    data.extend("漢".repeat(50).bytes());
                    check(&data);
                }
            }
        }
    }
}

#[test]
fn texts_of_every_length_are_measured_whole_cut_and_spoilt() {
    let pieces =
        ["a", "é", "ÿ", "Ā", "漢", "😀", "a long stretch of ASCII, longer than the sixty-four bytes of a block"];
    let mut state = 1_u32;
    let mut below = |count: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % count
    };
    for round in 0..3000 {
        let kinds = 1 + round % pieces.len();
        let mut data: Vec<u8> = (0..below(200)).flat_map(|_| pieces[below(kinds)].bytes()).collect();
        check(&data);
        let cut = below(data.len() + 1);
        check(&data[..cut]);
        if let Some(byte) = data.get_mut(cut) {
            *byte = [0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xED, 0xF0, 0xFF][below(9)];
            check(&data);
        }
    }
}

#[test]
fn what_is_wrong_is_found_at_every_place_of_long_text() {
    // Long text is processed in pieces of at most 256 bytes, from the beginning on or behind the first 64.
    let places = [0..20, 58..70, 124..132, 240..280, 310..324, 570..580, 760..790, 1000..1060, 2030..2070];
    let spoilt: [&[u8]; 12] = [
        b"\xFF",
        b"\xC0",
        b"\xC0a",
        b"\xC1a",
        b"\x80",
        b"\xC2",
        b"\xC1\xBF",
        b"\xE0\xA0",
        b"\xE0\x9F\xBF",
        b"\xED\xA0\x80",
        b"\xF0\x8F\xBF\xBF",
        b"\xF4\x90\x80\x80",
    ];
    for (first, sequence) in
        ["a", "é", "漢", "😀", "aé漢😀", "étéééé", "ߞߟéÿĀ"].into_iter().flat_map(|each| [("", each), ("a", each)])
    {
        let data = (first.to_owned() + &sequence.repeat(2400 / sequence.len())).into_bytes();
        check(&data);
        for place in places.iter().cloned().flatten() {
            check(&data[..place]);
            for bytes in spoilt {
                let mut spoilt = data.clone();
                spoilt[place..place + bytes.len()].copy_from_slice(bytes);
                check(&spoilt);
            }
        }
    }
}

/// A kernel for blocks leaves what may be part of a sequence that goes on behind its last block, and fewer bytes than
/// the next block needs: up to 66 bytes together, in which nothing is wrong.
#[test]
fn what_is_left_behind_the_last_block_is_measured_too() {
    let letters = ["é", "漢", "😀"];
    for (letter, before) in letters.into_iter().flat_map(|letter| (0..4).map(move |before| (letter, before))) {
        for (length, after) in (500..720).flat_map(|length| (0..3).map(move |after| (length, after))) {
            let count = (length - before - after) / letter.len();
            let mut data = ["a".repeat(before), letter.repeat(count)].concat().into_bytes();
            data.resize(length, b'a');
            check(&data);
        }
    }
}
