//! Text that is ASCII but for faults is written in one pass as it is written in two, or not at all; by each form that has
//! ASCII as it is, whatever the faults are and wherever they stand.

mod forms;

use std::mem::MaybeUninit;

use eightfold_core::kernels::Level;
use eightfold_core::{Form, Halt, OnFault, Output, Pass, TextBuffer};
use forms::family;

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

/// What is written in one pass into the room that it asks for, if that is so.
fn written(pass: &Pass<'_>) -> Option<Vec<u32>> {
    let mut memory = vec![MaybeUninit::<u16>::uninit(); pass.nearly_ascii_room()?];
    let (is_so, values) = Output::written(&mut memory, |out| pass.write_nearly_ascii(out, |_| true));
    is_so.then(|| values.iter().map(|&value| value.into()).collect())
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

#[test]
fn few_flocks_are_taken_and_many_where_nothing_is_quicker() {
    let family = family();
    let (_, form) = family.iter().find(|(name, _)| name.as_str() == "utf-8").unwrap();
    for on_fault in POLICIES {
        let is_quicker = match Level::current() {
            Level::Portable => false,
            Level::Avx512 => true,
            _ => on_fault != OnFault::BackslashReplace,
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
        assert_eq!(pass(form, b"a", on_fault).nearly_ascii_room(), None);
    }
    assert_eq!(pass(form, b"a\xFF\xFF", OnFault::BackslashReplace).nearly_ascii_room(), None);
    assert_eq!(pass(form, b"ab\xFF\xFF", OnFault::BackslashReplace).nearly_ascii_room(), Some(16));
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
