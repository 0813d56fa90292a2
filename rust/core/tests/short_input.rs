//! Short bytes are read in one pass as the automaton reads them unit by unit: every row of a few pieces, in every form
//! of bytes that has a layout, under every policy, and at every place about the borders of blocks.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Halt, OnFault, Pass, SHORT_INPUT, ShortAscii, ShortPoints, Step, TextBuffer, Width};
use forms::family;

/// Sequences of each length, what begins none, what lacks its end, surrogates, and what some forms have besides UTF-8.
const PIECES: [&[u8]; 14] = [
    b"a",
    b"\xC3\xA9",
    b"\xE4\xB8\xAD",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
    b"\x80",
    b"\xE4\xB8",
    b"\xF0\x9F\x98",
    b"\xED\xA0\x80",
    b"\xED\xB0\x80",
    b"\0",
    b"\xC0\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xE0\x80",
];

/// The forms that are read in this way.
fn with_layout() -> Vec<(String, Form)> {
    family().into_iter().filter(|(_, form)| form.layout.is_some()).collect()
}

/// The code points, unit by unit; None where the policy does not answer.
fn walked(form: &Form, data: &[u8], on_fault: OnFault) -> Option<Vec<u32>> {
    let (mut at, mut points) = (0, Vec::new());
    while at < data.len() {
        at = match form.sequence_at(data, at, true) {
            Step::Wait => unreachable!("nothing follows"),
            Step::Value { end, code_point } if code_point <= 0x10_FFFF => {
                points.push(code_point);
                end
            }
            Step::Value { end, .. } | Step::Unit { end } => answered(form, data, (at, end), on_fault, &mut points)?,
        };
    }
    Some(points)
}

/// Answer a fault, and return where to continue.
fn answered(
    form: &Form,
    data: &[u8],
    (start, end): (usize, usize),
    on_fault: OnFault,
    points: &mut Vec<u32>,
) -> Option<usize> {
    let bytes = &data[start..end];
    match on_fault {
        OnFault::Stop => return None,
        OnFault::Ignore => {}
        OnFault::Replace => points.push(0xFFFD),
        OnFault::SurrogatePass => {
            let (point, next) = form.surrogate_at(data, start)?;
            points.push(point);
            return Some(next);
        }
        OnFault::SurrogateEscape => {
            let high: Vec<u32> = bytes.iter().take_while(|&&byte| byte >= 0x80).map(|&byte| byte.into()).collect();
            points.extend(high.iter().map(|byte| 0xDC00 + byte));
            return (!high.is_empty()).then_some(start + high.len());
        }
        OnFault::BackslashReplace => {
            points.extend(bytes.iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()).map(u32::from));
        }
    }
    Some(end)
}

fn read(form: &Form, data: &[u8], on_fault: OnFault) -> Option<(Vec<u32>, Width)> {
    let mut memory: ShortPoints = [const { MaybeUninit::uninit() }; _];
    let pass = Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault };
    pass.read_short(&mut memory).map(|(points, width)| (points.to_vec(), width))
}

/// What is left without faults, where that is found to be ASCII.
fn left(form: &Form, data: &[u8], on_fault: OnFault) -> Option<Vec<u32>> {
    let mut memory: ShortAscii = [const { MaybeUninit::uninit() }; _];
    let pass = Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault };
    pass.may_be_ascii_around_faults()
        .then(|| pass.read_short_ascii(&mut memory))?
        .map(|ascii| ascii.bytes().iter().map(|&byte| byte.into()).collect())
}

/// The narrowest kind of str.
fn width(points: &[u32]) -> Width {
    match points.iter().max() {
        None | Some(0..=0x7F) => Width::Ascii,
        Some(0x80..=0xFF) => Width::Latin1,
        Some(0x100..=0xFFFF) => Width::Ucs2,
        Some(_) => Width::Ucs4,
    }
}

fn check(name: &str, form: &Form, data: &[u8]) {
    for on_fault in OnFault::ALL {
        let expected = walked(form, data, on_fault).map(|points| (points.clone(), width(&points)));
        assert_eq!(read(form, data, on_fault), expected, "{name} {on_fault:?} {data:X?}");
        if let Some(left) = left(form, data, on_fault) {
            assert_eq!(Some(left), expected.map(|(points, _)| points), "{name} {on_fault:?} {data:X?}");
        }
    }
}

/// Each row of so many pieces.
fn rows(count: u32) -> impl Iterator<Item = Vec<u8>> {
    let place = |row: usize, place: u32| PIECES[row / PIECES.len().pow(place) % PIECES.len()];
    (0..PIECES.len().pow(count)).map(move |row| (0..count).flat_map(|at| place(row, at)).copied().collect())
}

#[test]
fn every_row_of_pieces_is_read_as_unit_by_unit() {
    for (name, form) in with_layout() {
        (0..=3).flat_map(rows).for_each(|data| check(&name, &form, &data));
    }
}

#[test]
fn every_row_of_pieces_is_read_so_at_the_border_of_blocks() {
    for (name, form) in with_layout() {
        for data in rows(2) {
            for before in 55..66 {
                check(&name, &form, &[&b"a".repeat(before), &data[..], b"tail"].concat());
                for char in ["ж", "中", "😀"] {
                    let filled = char.repeat(before / char.len());
                    check(&name, &form, &[&b"a".repeat(before % char.len()), filled.as_bytes(), &data].concat());
                }
            }
        }
    }
}

/// Each form with one of its rows left out: the layouts of such forms have gaps where the family has none.
fn with_gaps() -> impl Iterator<Item = (String, Form)> {
    with_layout().into_iter().flat_map(|(name, form)| {
        (0..form.tables.rows.len()).filter_map(move |row| {
            let mut tables = form.tables.clone();
            tables.rows.remove(row);
            Form::new(tables).ok().map(|form| (format!("{name} without row {row}"), form))
        })
    })
}

#[test]
fn forms_with_gaps_are_read_so() {
    let mut read_some = 0;
    for (name, form) in with_gaps() {
        if form.layout.is_none() {
            assert!(read(&form, b"text", OnFault::Replace).is_none());
            continue;
        }
        read_some += 1;
        rows(2).for_each(|data| check(&name, &form, &data));
        for point in (0x80..0x11_0000).step_by(0x3FD).filter_map(char::from_u32) {
            check(&name, &form, format!("x{point}y").as_bytes());
        }
    }
    assert!(read_some > 20, "{read_some}");
}

#[test]
fn faults_among_ascii_are_read_so_at_every_place() {
    for (name, form) in with_layout() {
        for data in PIECES {
            for [before, behind] in (0..140).flat_map(|before| [0, 1, 9, 70].map(|behind| [before, behind])) {
                check(&name, &form, &[&b"a".repeat(before), data, &b"z".repeat(behind)].concat());
            }
        }
    }
}

#[test]
fn ascii_is_what_is_left_of_faults_to_which_nothing_is_answered() {
    let form = forms::form("utf-8");
    for (piece, is_fault) in PIECES.map(|piece| (piece, str::from_utf8(piece).is_err())) {
        for place in 0..256 {
            let data = [&b"a".repeat(place), piece, &b"z".repeat(256 - place)].concat();
            let others = piece.iter().filter(|byte| !byte.is_ascii()).count();
            let ascii = left(&form, &data, OnFault::Ignore).map(|points| points.len());
            assert_eq!(ascii, (is_fault || others == 0).then(|| data.len() - others), "{place} {piece:X?}");
        }
    }
    let longest = size_of::<ShortAscii>();
    for length in [longest, longest + 1] {
        let data = [&b"a".repeat(length - 1)[..], b"\xFF"].concat();
        assert_eq!(left(&form, &data, OnFault::Ignore).is_some(), length == longest);
        assert!(left(&form, &data, OnFault::Replace).is_none());
    }
}

#[test]
fn every_two_bytes_are_read_so() {
    for (name, form) in with_layout() {
        for bytes in 0..=u16::MAX {
            let [first, second] = bytes.to_be_bytes();
            check(&name, &form, &[b'x', first, second, 0x80, b'y']);
            check(&name, &form, &[&b"a".repeat(61), &[first, second, 0x80][..], b"y"].concat());
        }
    }
}

#[test]
fn what_is_cut_by_the_end_waits_unless_nothing_follows() {
    let mut waited = 0;
    for (name, form) in with_layout() {
        for (text, before) in
            ["é", "漢", "😀"].into_iter().flat_map(|text| [0, 1, 5, 60, 70].map(|count| (text, count)))
        {
            let (mut data, point) = (b"a".repeat(before), text.chars().next().expect("one"));
            form.write(point.into(), &mut data);
            for cut in before + 1..data.len() {
                let pass = |is_final| Pass {
                    form: &form,
                    data: &data[..cut],
                    is_final,
                    largest: 0x10_FFFF,
                    on_fault: OnFault::Replace,
                };
                let end = |is_final| pass(is_final).run(0, &mut TextBuffer::default());
                assert_eq!(end(false), Halt::End(before), "{name} {text} {cut}");
                assert_eq!(end(true), Halt::End(cut), "{name} {text} {cut}");
                waited += 1;
            }
        }
    }
    assert!(waited > 100, "{waited}");
}

#[test]
fn what_is_too_long_or_unfinished_is_not_read() {
    let form = forms::form("utf-8");
    let pass = |data, is_final| Pass { form: &form, data, is_final, largest: 0x10_FFFF, on_fault: OnFault::Replace };
    assert!(pass(b"\xC3", false).read_short(&mut [const { MaybeUninit::uninit() }; _]).is_none());
    let data = [0xFF; 4 * SHORT_INPUT + 1];
    for on_fault in [OnFault::Replace, OnFault::BackslashReplace] {
        let is_short = |length: &usize| Pass { on_fault, ..pass(&data[..*length], true) }.is_short();
        let longest = (0..=data.len()).rev().find(is_short).expect("nothing is short");
        assert!((256..data.len()).contains(&longest));
        assert!(read(&form, &data[..longest + 1], on_fault).is_none());
        // All answers have room.
        let (points, _) = read(&form, &data[..longest], on_fault).expect("an answer for each");
        assert_eq!(points.len(), if on_fault == OnFault::Replace { longest } else { 4 * longest });
    }
}
