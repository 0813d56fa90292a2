//! Short text that is UTF-8 but for a few faults is written piece by piece as it is written whole, or not at all: every row
//! of a few pieces, in each form that shares UTF-8.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::{Form, Halt, Measured, OnFault, Output, Pass, Patched, Text, TextBuffer, Width};
use forms::family;

const POLICIES: [OnFault; 4] = [OnFault::Ignore, OnFault::BackslashReplace, OnFault::Replace, OnFault::SurrogateEscape];
/// Sequences of each length, what begins none, what lacks its end, and what other forms have besides UTF-8.
const PIECES: [&[u8]; 10] = [
    b"a",
    b"\xC3\xA9",
    b"\xE4\xB8\xAD",
    b"\xF0\x9F\x98\x80",
    b"\xFF",
    b"\x80",
    b"\xE4\xB8",
    b"\xF0\x9F\x98",
    b"\xED\xA0\x80",
    b"\0",
];

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: 0x10_FFFF, on_fault }
}

/// The code points that a pass gives, and the narrowest kind of str for them.
fn walked(pass: &Pass<'_>) -> (Vec<u32>, Width) {
    let mut buffer = TextBuffer::default();
    assert_eq!(pass.run(0, &mut buffer), Halt::End(pass.data.len()));
    (points(buffer.text()), buffer.width())
}

fn points(text: Text<'_>) -> Vec<u32> {
    (0..text.len()).map(|at| text.at(at)).collect()
}

/// The code points in the kind of str that the text asks for.
fn written(text: &Patched<'_>) -> Vec<u32> {
    match text.width() {
        Width::Ascii | Width::Latin1 => filled(text, |text, out| text.write(out, Measured::write_latin1)),
        Width::Ucs2 => filled(text, |text, out| text.write(out, Measured::write_ucs2)),
        Width::Ucs4 => filled(text, |text, out| text.write(out, Measured::write_ucs4)),
    }
}

fn filled<T: Copy + Into<u32>>(text: &Patched<'_>, write: impl FnOnce(&Patched<'_>, &mut Output<'_, T>)) -> Vec<u32> {
    let mut memory = vec![MaybeUninit::uninit(); text.count()];
    let ((), values) = Output::written(&mut memory, |out| write(text, out));
    assert_eq!(values.len(), text.count());
    values.iter().map(|&value| value.into()).collect()
}

/// Each row of so many pieces.
fn rows(count: u32) -> impl Iterator<Item = Vec<u8>> {
    let place = |row: usize, place: u32| PIECES[row / PIECES.len().pow(place) % PIECES.len()];
    (0..PIECES.len().pow(count)).map(move |row| (0..count).flat_map(|at| place(row, at)).copied().collect())
}

#[test]
fn what_is_written_in_pieces_is_what_is_written_whole() {
    for (name, form) in family().iter().filter(|(_, form)| form.agreement.is_total()) {
        let mut taken = 0;
        for data in (0..=4).flat_map(rows) {
            for on_fault in POLICIES {
                let pass = pass(form, &data, on_fault);
                let Some(text) = Patched::new(pass) else { continue };
                taken += 1;
                assert_eq!((written(&text), text.width()), walked(&pass), "{name} {on_fault:?} {data:X?}");
            }
        }
        assert!(taken > 10_000, "{name}");
    }
}

#[test]
fn a_few_faults_are_taken_wherever_they_stand_and_no_more() {
    let family = family();
    let (_, form) = family.iter().find(|(name, _)| name.as_str() == "utf-8").unwrap();
    let text = "ж".repeat(40);
    for place in 0..=40 {
        let mut data = text.clone().into_bytes();
        data.insert(2 * place, 0xFF);
        for on_fault in POLICIES {
            let pass = pass(form, &data, on_fault);
            assert_eq!(written(&Patched::new(pass).expect("one fault")), walked(&pass).0, "{place}");
        }
    }
    for (faults, is_taken) in [(4, true), (5, false)] {
        let data = ["жжжжжжжж".as_bytes(), b"\xFF"].concat().repeat(faults);
        assert_eq!(Patched::new(pass(form, &data, OnFault::Replace)).is_some(), is_taken);
    }
    for on_fault in [OnFault::Stop, OnFault::SurrogatePass] {
        assert!(Patched::new(pass(form, b"\xD0\xB6\xFF", on_fault)).is_none());
    }
    let unfinished = Pass { is_final: false, ..pass(form, b"\xD0\xB6\xFF", OnFault::Replace) };
    assert!(Patched::new(unfinished).is_none());
}
