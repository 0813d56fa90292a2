//! Text that is ASCII but for faults is written in one pass as it is written in two, or not at all; by each form that
//! has ASCII as it is, whatever the faults are and wherever they stand.

mod forms;
mod one_pass;

use eightfold_core::kernels::Level;
use eightfold_core::{Attempt, Form, Halt, OnFault, Pass, TextBuffer};
use forms::family;
use one_pass::written_as;

const POLICIES: [OnFault; 4] = [OnFault::Ignore, OnFault::BackslashReplace, OnFault::Replace, OnFault::SurrogateEscape];
/// What begins no sequence, what a sequence lacks its end of, and what is no fault.
const OTHERS: [&[u8]; 8] =
    [b"\xFF", b"\x80", b"\xED\xA0\x80", b"\xF0\x9F\x98", b"\xC0\xAF", b"\xE2\x82\xFE", b"\xF5\x80", b"\xC3\xA9"];

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault }
}

fn walked(pass: &Pass<'_>) -> Vec<u32> {
    let mut buffer = TextBuffer::default();
    assert_eq!(pass.run(0, &mut buffer), Halt::End(pass.data.len()));
    (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect()
}

/// What is written in one pass, if that is so.
fn written(pass: &Pass<'_>) -> Option<Vec<u32>> {
    let (attempt, found) = one_pass::written(&pass.in_one_pass()?);
    (attempt == Attempt::Done).then_some(found)
}

fn has_ascii(form: &Form) -> bool {
    let ascii: Vec<u8> = (0..0x80).collect();
    form.tables.unit_bytes == 1 && walked(&pass(form, &ascii, OnFault::Ignore)) == (0..0x80).collect::<Vec<u32>>()
}

#[test]
fn what_is_written_in_one_pass_is_what_is_written_in_two() {
    let mut forms = 0;
    for (name, form) in family().iter().filter(|(_, form)| has_ascii(form)) {
        forms += 1;
        for (length, place) in (1..200).flat_map(|length| [0, 1, length / 2, length - 1, length].map(|at| (length, at)))
        {
            let other = OTHERS[(length + place) % OTHERS.len()];
            let mut data = vec![0x61; length];
            data.splice(place..place, other.iter().copied());
            let holds_other_text = walked(&pass(form, &data, OnFault::Ignore)) != vec![0x61; length];
            for on_fault in POLICIES {
                let pass = pass(form, &data, on_fault);
                let expected = walked(&pass);
                if let Some(found) = written(&pass) {
                    assert_eq!(found, expected, "{name} {on_fault:?} {data:X?}");
                } else {
                    let is_in_vain = on_fault == OnFault::BackslashReplace && 2 * other.len() > data.len();
                    assert!(is_in_vain || holds_other_text, "{name} {on_fault:?} {data:X?}");
                }
            }
        }
    }
    assert!(forms >= 4);
}

/// A form with escapes may have faults too, to which an answer is ASCII, and longer than they are, or none.
#[test]
fn answers_to_faults_next_to_escapes_may_be_narrow_and_long() {
    let family = family();
    let mut wide = 0;
    for (on_fault, length) in POLICIES.into_iter().flat_map(|on_fault| [(on_fault, 100), (on_fault, 9000)]) {
        for escapes in 0..40 {
            let data = [&vec![0x61; length][..], &vec![0xFF; escapes], b"\xEE\xBE\x80"].concat();
            let pass = pass(&family["xtf-8"], &data, on_fault);
            if let Some(found) = written(&pass) {
                assert_eq!(found, walked(&pass), "{on_fault:?} {length} {escapes}");
                assert!(found.iter().any(|&point| point > 0xFF), "{on_fault:?} {length} {escapes}");
                wide += 1;
            }
        }
    }
    assert!(wide > 100, "{wide}");
}

/// Text beyond U+00FF, with anything else at each place of its beginning and at its end, up to two sequences of which
/// one may need a wider str.
#[test]
fn wide_text_is_written_in_one_pass_as_it_is_in_two() {
    // So long that it is not short anywhere.
    const REPEATS: usize = 1500;
    let others = OTHERS.iter().copied().chain(["a", "ab😀c", "中", "😀", "\u{EFC0}", "\u{FFFF}"].map(str::as_bytes));
    let others: Vec<&[u8]> =
        others.chain([&b"\xED\xB0\x80\x80"[..], b"\xE0\x9F\xBF", b"\xF4\x90\x80\x80", b"\0"]).collect();
    let (mut taken, mut wider) = (0, 0);
    for (name, form) in family().iter().filter(|(_, form)| has_ascii(form)) {
        for (run, &other) in
            ["中", "😀", "жук, é ", "né "].iter().flat_map(|run| others.iter().map(move |other| (run, other)))
        {
            for place in 0..7 {
                let (before, behind) = (run.repeat(place), run.repeat(REPEATS - place));
                let data = [before.as_bytes(), other, behind.as_bytes(), &other[..other.len() / 2 + 1]].concat();
                for on_fault in [OnFault::Ignore, OnFault::Replace, OnFault::SurrogateEscape] {
                    let pass = pass(form, &data, on_fault);
                    let found = written(&pass);
                    taken += usize::from(found.is_some() && pass.begun_width().is_some());
                    if let Some(found) = found {
                        let most = pass.in_one_pass().expect("it has been written so").width.largest();
                        assert!(found.iter().all(|&point| point <= most), "{name} {on_fault:?} {data:X?}");
                        assert_eq!(found, walked(&pass), "{name} {on_fault:?} {data:X?}");
                    } else if let Some(found) = written_wider(&pass) {
                        wider += 1;
                        assert_eq!(found, walked(&pass), "{name} {on_fault:?} {data:X?}");
                    }
                }
            }
        }
    }
    assert_eq!(taken > 1000, Level::current() == Level::Portable, "{taken}");
    assert!(wider > 100, "{wider}");
}

/// Text with something else throughout, close together and less so, which words and blocks take turns to write.
#[test]
fn dirty_text_is_written_in_one_pass_as_it_is_in_two() {
    const TEXTS: [&[&str]; 5] = [
        &["中", "文", "。"],
        &["ж", "у", "к", " "],
        &["a", "é", "中", "ж"],
        &["中", "a", "😀"],
        &["😀", "🚀", "\u{10FFFF}", "\u{10000}"],
    ];
    let others = OTHERS.iter().copied().chain(["\u{EFC0}", "\u{FFFF}", "é"].map(str::as_bytes));
    let faults: [&[u8]; 6] = [b"\xED\xB0\x80", b"\xE0\x9F\xBF", b"\xF0\x8F", b"\0", b"\xFE\x80", b"\xF0\x9F\xFE\x80"];
    let others: Vec<&[u8]> = others.chain(faults).collect();
    let (mut state, mut taken) = (1_u64, 0);
    let mut draw = |count: usize| {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (state >> 33) as usize % count
    };
    for (name, form) in family().iter().filter(|(_, form)| has_ascii(form)) {
        for (text, one_in) in TEXTS.iter().flat_map(|text| [2, 4, 8, 16, 40].map(|one_in| (text, one_in))) {
            // So long that it is not read in one piece.
            let (mut data, length) = (Vec::new(), 9000 + draw(9000));
            while data.len() < length {
                let is_other = draw(one_in) == 0;
                let next = if is_other { others[draw(others.len())] } else { text[draw(text.len())].as_bytes() };
                data.extend_from_slice(next);
            }
            for on_fault in [OnFault::Ignore, OnFault::Replace, OnFault::SurrogateEscape] {
                let pass = pass(form, &data, on_fault);
                if let Some(found) = written(&pass).or_else(|| written_wider(&pass)) {
                    taken += 1;
                    assert_eq!(found, walked(&pass), "{name} {on_fault:?} {one_in} {data:X?}");
                }
            }
        }
    }
    assert_eq!(taken > 100, Level::current() == Level::Portable, "{taken}");
}

/// A sequence in the last block of a piece may end behind the piece.
#[test]
fn dirty_text_may_become_clean_where_a_piece_ends() {
    let (family, piece) = (family(), 8192);
    for (length, shift, clean) in (2..7).flat_map(|length| {
        (0..70).flat_map(move |shift| (60..140).step_by(length).map(move |clean| (length, shift, clean)))
    }) {
        // A piece begins behind ASCII.
        let mut data = ["中".repeat(shift % 2), "ж".repeat(shift / 2)].concat().into_bytes();
        while data.len() < piece - clean {
            data.extend_from_slice(&["中".repeat(length).as_bytes(), b"\xFF"].concat());
        }
        data.extend_from_slice("文".repeat(100).as_bytes());
        let pass = pass(&family["utf-8"], &data, OnFault::Replace);
        let found = written(&pass);
        assert_eq!(found.is_some(), Level::current() == Level::Portable);
        assert!(found.is_none_or(|found| found == walked(&pass)), "{length} {shift} {clean}");
    }
}

/// What is written where the text begins as if it were narrower than it is.
fn written_wider(pass: &Pass<'_>) -> Option<Vec<u32>> {
    let once = pass.in_one_pass()?;
    let (Attempt::Wider(at), narrow) = written_as::<u16>(&once, once.room, 0) else { return None };
    let (attempt, rest) = written_as::<u32>(&once, pass.data.len() - at, at);
    (attempt == Attempt::Done).then(|| [narrow, rest].concat())
}

#[test]
fn few_flocks_are_taken_and_many_where_nothing_is_quicker() {
    let family = family();
    let (_, form) = family.iter().find(|(name, _)| name.as_str() == "utf-8").unwrap();
    for on_fault in POLICIES {
        // Where kernels have to measure the text first.
        let is_quicker = match Level::current() {
            Level::Portable => false,
            Level::Avx512 => matches!(on_fault, OnFault::Ignore | OnFault::BackslashReplace),
            _ => on_fault == OnFault::Ignore,
        };
        for (distance, is_taken) in [(1000, true), (200, true), (4, !is_quicker)] {
            let data: Vec<u8> = (1..20_000).map(|at| if at % distance == 0 { 0xFF } else { 0x61 }).collect();
            let pass = pass(form, &data, on_fault);
            let found = written(&pass);
            assert_eq!(found.is_some(), is_taken, "{on_fault:?} {distance}");
            assert!(found.is_none_or(|found| found == walked(&pass)));
        }
    }
    for on_fault in [OnFault::Stop, OnFault::SurrogatePass] {
        assert_eq!(pass(form, b"a", on_fault).in_one_pass().map(|once| once.room), None);
    }
    assert_eq!(pass(form, b"a\xFF\xFF", OnFault::BackslashReplace).in_one_pass().map(|once| once.room), None);
    assert_eq!(pass(form, b"ab\xFF\xFF", OnFault::BackslashReplace).in_one_pass().map(|once| once.room), Some(16));
}

#[test]
fn more_escapes_than_were_expected_are_not_taken() {
    let family = family();
    let (_, form) = family.iter().find(|(name, _)| name.as_str() == "utf-8").unwrap();
    for (faults, is_taken) in [(0, true), (2000, true), (4000, false), (40_000, false)] {
        let data = [&[0x61; 80_000][..], &vec![0xFF; faults]].concat();
        let data: Vec<u8> = [&[0xFF; 100][..], &data].concat();
        let found = written(&pass(form, &data, OnFault::BackslashReplace));
        assert_eq!(found.is_some(), is_taken, "{faults}");
        assert!(found.is_none_or(|found| found == walked(&pass(form, &data, OnFault::BackslashReplace))));
    }
}

#[test]
fn escapes_among_ascii_are_written_in_one_pass_if_nothing_else_is_first() {
    let family = family();
    let (_, form) = family.iter().find(|(name, _)| name.as_str() == "xtf-8").unwrap();
    for (length, place) in (1..200).flat_map(|length| [0, 1, length / 2, length - 1, length].map(|at| (length, at))) {
        for escapes in [&b"\xFF"[..], b"\x80", b"\xE2\x82", b"\xF0\x9F\x98"] {
            let mut data = vec![0x61; length];
            data.splice(place..place, escapes.iter().copied());
            for on_fault in [OnFault::Stop, OnFault::Ignore, OnFault::Replace] {
                let pass = pass(form, &data, on_fault);
                assert_eq!(written(&pass), Some(walked(&pass)), "{on_fault:?} {data:X?}");
            }
        }
    }
    for data in [&b"text"[..], b"text \xC3\xA9 \xFF"] {
        assert_eq!(pass(form, data, OnFault::Stop).in_one_pass().map(|once| once.room), None);
    }
}
