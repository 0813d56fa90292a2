//! Text of one kind, and of kinds side by side, that fills whole blocks: from every place in a block on, and of every
//! length up to several, it is written as the rows have it and read back as it was, into memory of exactly its size.

#![expect(unsafe_code, reason = "what is behind an output is read")]

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Missing, OnFault, Output, Pass, Sink, Survey, Text, TextBuffer, Width, encode_text};
use forms::{family, form, with_layouts};

/// What repeats. Sequences of one length fill a block without a gap; others are so dense, or so far apart, that eight
/// lanes hold more than four, or two at most.
const KINDS: [&[u32]; 15] = [
    &[0x61],
    &[0xE9],
    &[0x61, 0xE9],
    &[0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0xFF],
    &[0x44F],
    &[0x44F, 0x44F, 0x44F, 0x20],
    &[0x6F22],
    &[0xFFFD, 0x6F22, 0x3042, 0x3001, 0x0915, 0xAC00],
    &[0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x6F22, 0x20],
    &[0x1_F600],
    &[0x1_F600, 0x10_FFFF, 0x1_0000],
    &[0x1_F600, 0x1_F601, 0x1_F602, 0x20],
    &[0x1_F600, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68],
    &[0x61, 0xE9, 0x44F, 0x6F22, 0x1_F600],
    &RARE,
];
/// One in so many that a block of 64 holds one or two of them, each elsewhere.
const RARE: [u32; 41] = {
    let mut rare = [0x61; 41];
    rare[40] = 0x6F22;
    rare
};
/// What is ill-formed in all forms or in some, among them a lead surrogate byte sequence and two trail ones.
const SPOILT: [&[u8]; 8] =
    [b"\xFF", b"\x80", b"\xE2", b"\xF0", b"\0", b"\xF0\x9F\x98\x80", b"\xED\xA0\xBD", b"\xED\xB8\x80\xED\xB8\x80"];
/// More than a block of bytes, of units and of code points.
const PLACES: usize = 67;
const LONGEST: usize = 300;

/// A text of what a form has of a kind.
fn text(form: &Form, kind: &[u32], place: usize, length: usize) -> Vec<u32> {
    let known = kind.iter().copied().filter(|&point| form.write(point, &mut Vec::new()));
    std::iter::repeat_n(0x61, place).chain(known.cycle().take(length)).collect()
}

fn by_rows(form: &Form, points: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    assert!(points.iter().all(|&point| form.write(point, &mut bytes)));
    bytes
}

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault }
}

/// What is written into memory of exactly as many values, behind which nothing may change.
fn filled<T: Copy + PartialEq + std::fmt::Debug>(
    count: usize,
    untouched: T,
    write: impl FnOnce(&mut Output<'_, T>),
) -> Vec<T> {
    let mut values = vec![MaybeUninit::new(untouched); count + 80];
    let ((), written) = Output::written(&mut values[..count], write);
    assert_eq!(written.len(), count, "the output is longer than its text");
    // SAFETY: every value was given one before the kernel wrote.
    let values: Vec<T> = values.iter().map(|value| unsafe { value.assume_init() }).collect();
    assert!(values[count..].iter().all(|&value| value == untouched), "wrote behind its output");
    values[..count].to_vec()
}

fn decoded(pass: &Pass<'_>, extent: &Survey) -> Vec<u32> {
    fn all<'a, T>(pass: &Pass<'_>, extent: &Survey, out: &mut Output<'a, T>)
    where
        Output<'a, T>: Sink,
    {
        pass.write(0, extent, out);
    }
    let count = extent.count;
    match extent.width {
        Width::Ascii | Width::Latin1 => {
            filled(count, 0xA5_u8, |out| all(pass, extent, out)).into_iter().map(u32::from).collect()
        }
        Width::Ucs2 => filled(count, 0xA5A5_u16, |out| all(pass, extent, out)).into_iter().map(u32::from).collect(),
        Width::Ucs4 => filled(count, 0xA5A5_A5A5, |out| all(pass, extent, out)),
    }
}

fn width(points: &[u32]) -> Width {
    let largest = points.iter().copied().max().unwrap_or(0);
    let widths = [Width::Ascii, Width::Latin1, Width::Ucs2, Width::Ucs4];
    widths.into_iter().find(|width| largest <= width.largest()).expect("no code point is larger")
}

fn check(name: &str, form: &Form, points: &[u32]) {
    let bytes = by_rows(form, points);
    let ones: Vec<u8> = points.iter().map(|&point| point as u8).collect();
    let twos: Vec<u16> = points.iter().map(|&point| point as u16).collect();
    let kinds = match width(points) {
        Width::Ascii | Width::Latin1 => vec![Text::One(&ones), Text::Two(&twos), Text::Four(points)],
        Width::Ucs2 => vec![Text::Two(&twos), Text::Four(points)],
        Width::Ucs4 => vec![Text::Four(points)],
    };
    for text in kinds {
        let mut size = 0_usize;
        assert_eq!(encode_text(form, text, 0, Missing::Stop, &mut size), Ok(()), "{name} {points:X?}");
        assert_eq!(size, bytes.len(), "{name} {points:X?}");
        let written = filled(size, 0xA5, |out| {
            assert_eq!(encode_text(form, text, 0, Missing::Stop, out), Ok(()), "{name} {points:X?}");
        });
        assert_eq!(written, bytes, "{name} {points:X?}");
        if let Some(scalar) = text.shared(&form.agreement) {
            assert_eq!(scalar.utf8_bytes(), size, "{name} {points:X?}");
            assert_eq!(filled(size, 0xA5, |out| scalar.write_utf8(out)), bytes, "{name} {points:X?}");
        }
    }
    let pass = pass(form, &bytes, OnFault::Stop);
    let extent = pass.measure(0).unwrap_or_else(|| panic!("{name}: a fault in {bytes:X?}"));
    assert_eq!((extent.count, extent.width), (points.len(), width(points)), "{name} {bytes:X?}");
    assert_eq!(decoded(&pass, &extent), points, "{name} {bytes:X?}");
}

#[test]
fn every_kind_is_written_and_read_from_every_place_on() {
    for (name, form) in family() {
        for (at, kind) in KINDS.iter().enumerate() {
            for place in 0..PLACES {
                // Some lengths from each place on: all of them, taken together.
                for length in ((place + at) % 13..LONGEST).step_by(67) {
                    check(&name, &form, &text(&form, kind, place, length));
                }
            }
        }
    }
}

/// What a form gives for bytes, by its rows and by its layout.
fn check_read(name: &str, [bare, form]: &[Form; 2], data: &[u8], on_fault: OnFault) {
    let read = |pass: &Pass| -> Vec<u32> {
        let mut buffer = TextBuffer::default();
        pass.run(0, &mut buffer);
        (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect()
    };
    let expected = read(&pass(bare, data, on_fault));
    let pass = pass(form, data, on_fault);
    assert_eq!(read(&pass), expected, "{name} {on_fault:?} {data:X?}");
    if let Some(extent) = pass.measure(0) {
        assert_eq!(extent.width, width(&expected), "{name} {on_fault:?} {data:X?}");
        assert_eq!(decoded(&pass, &extent), expected, "{name} {on_fault:?} {data:X?}");
    }
}

#[test]
fn what_is_ill_formed_is_answered_wherever_it_stands() {
    let answers = [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape];
    for (name, forms) in with_layouts() {
        for kind in KINDS {
            let clean = by_rows(&forms[1], &text(&forms[1], kind, 0, 80));
            for (place, bytes) in (0..clean.len().min(200)).flat_map(|place| SPOILT.map(|bytes| (place, bytes))) {
                let mut data = clean.clone();
                data.splice(place..place, bytes.iter().copied());
                check_read(&name, &forms, &data, answers[place % answers.len()]);
            }
        }
    }
}

/// UTF-8 without U+0000, without its layout and with it.
fn without_nul() -> [Form; 2] {
    [(); 2].map(|()| {
        let mut tables = form("utf-8").tables;
        (tables.rows[0].first, tables.rows[0].ranges[0].0) = (1, 1);
        Form::new(tables).expect("a small form")
    })
}

#[test]
fn nul_is_answered_wherever_it_stands_in_a_form_without_it() {
    let mut forms = without_nul();
    forms[0].layout = None;
    for kind in KINDS {
        let clean = by_rows(&forms[1], &text(&forms[1], kind, 0, 80));
        for place in 0..clean.len().min(200) {
            for spoilt in [&b"\0"[..], b"\0\xFF", b"\0a\x80"] {
                let mut data = clean.clone();
                data.splice(place..place, spoilt.iter().copied());
                for on_fault in [OnFault::Replace, OnFault::Ignore] {
                    check_read("without NUL", &forms, &data, on_fault);
                }
            }
        }
    }
}

#[test]
fn pairs_without_a_gap_end_wherever_something_else_stands() {
    let answers = [OnFault::Replace, OnFault::Ignore, OnFault::SurrogateEscape];
    for (name, forms) in with_layouts() {
        for unit in [b"\xED\xA0\xBD\xED\xB8\x80", b"\xED\xAF\xBF\xED\xBF\xBF", b"\xED\xA0\xBD\xE6\xBC\xA2"] {
            for start in 0..7 {
                let data: Vec<u8> = std::iter::repeat_n(b'a', start).chain(unit.repeat(64)).collect();
                for place in 180 + start..310 {
                    let on_fault = answers[place % answers.len()];
                    // Cut, spoilt, with something between, or with what may not stand there alone.
                    check_read(&name, &forms, &data[..place], on_fault);
                    for other in [data[place] ^ 0x10, data[place] ^ 0x40, data[place] ^ 0x08, b'a'] {
                        let mut data = data.clone();
                        data[place] = other;
                        check_read(&name, &forms, &data, on_fault);
                    }
                    for other in [&b"a"[..], b"\x80", b"\x80\x80", b"\xED\xB8\x80"] {
                        let mut data = data.clone();
                        data.splice(place..place, other.iter().copied());
                        check_read(&name, &forms, &data, on_fault);
                    }
                }
            }
        }
    }
}

#[test]
fn surrogates_far_apart_are_found_behind_text_without_any() {
    const QUIET: usize = 2500;
    for (name, forms) in with_layouts() {
        for (letter, place) in
            [0x6F22_u32, 0x44F, 0xD7A3].into_iter().flat_map(|letter| (0..64).map(move |at| (letter, at)))
        {
            let quiet = by_rows(&forms[1], &text(&forms[1], &[letter, letter, 0x61], place, QUIET));
            for odd in [&b"\xED\xA0\xBD\xED\xB8\x80"[..], b"\xED\xA0\xBD", b"\xED\xB8\x80", b"\0", b"\xC0\x80"] {
                let data = [&quiet[place..], odd, &quiet, odd, &quiet[..place], odd].concat();
                check_read(&name, &forms, &data, OnFault::Replace);
            }
        }
    }
}

#[test]
fn surrogates_are_told_apart_wherever_they_stand() {
    for (name, form) in family() {
        for kind in [[0x61_u32], [0x6F22], [0x1_F600]] {
            for place in 0..PLACES {
                // A pair, halves, halves in the wrong order, and pairs without a gap.
                for surrogates in
                    [&[0xD83D, 0xDE00][..], &[0xD83D], &[0xDE00], &[0xDE00, 0xD83D], &[0xD83D, 0xDE00, 0xD83D, 0xDE00]]
                {
                    let kind = |count| kind.iter().copied().cycle().take(count);
                    let points: Vec<u32> = kind(place).chain(surrogates.iter().copied()).chain(kind(70)).collect();
                    let (mut slow, mut fast, mut size) = (Vec::new(), Vec::new(), 0_usize);
                    let result = encode_text(&form, Text::Four(&points), 0, Missing::Replace, &mut fast);
                    assert_eq!(
                        encode_text(&form, Text::Four(&points), 0, Missing::Replace, &mut size),
                        result,
                        "{name}"
                    );
                    assert_eq!(size, fast.len(), "{name} {points:X?}");
                    for at in 0..points.len() {
                        // One code point or pair at a time is too little for a block.
                        let is_lead = |at: usize| points.get(at).is_some_and(|point| point >> 10 == 0xD800 >> 10);
                        let is_trail = |at: usize| points.get(at).is_some_and(|point| point >> 10 == 0xDC00 >> 10);
                        if is_trail(at) && at > 0 && is_lead(at - 1) {
                            continue;
                        }
                        let end = if is_lead(at) && is_trail(at + 1) { at + 2 } else { at + 1 };
                        let piece = Text::Four(&points[at..end]);
                        assert_eq!(encode_text(&form, piece, 0, Missing::Replace, &mut slow), Ok(()), "{name}");
                    }
                    assert_eq!(fast, slow, "{name} {points:X?}");
                    let mut buffer = TextBuffer::default();
                    let pass = pass(&form, &fast, OnFault::Replace);
                    pass.run(0, &mut buffer);
                    let extent = pass.measure(0).expect("every fault has an answer");
                    let points: Vec<u32> = (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect();
                    assert_eq!(decoded(&pass, &extent), points, "{name} {fast:X?}");
                }
            }
        }
    }
}
