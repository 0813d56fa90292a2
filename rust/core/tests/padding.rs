//! A few units wherever they may stand: behind 0 to 128 bytes of padding, at every alignment of memory, and cut at
//! every place. What the kernels read is what the automaton reads, which knows nothing of blocks.

mod forms;

use eightfold_core::{Form, Halt, OnFault, Pass, TextBuffer};
use forms::family;

/// Sequences of each length at their edges, halves of pairs and pairs, what is ill-formed in some form, runs.
const UNITS: [&[u8]; 20] = [
    b"\x7F\0",
    b"\x80",
    b"\xC0\x80",
    b"\xC2\x80\xC1",
    b"\xDF\xBF\xBF",
    b"\xE0\x9F\x80",
    b"\xE0\xA0\x80\xE0",
    b"\xED\x9F\xBF",
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xED\xA0\xBD",
    b"\xED\xB8\x80\xED\xA0",
    b"\xEE\xBE\x80\xFF",
    b"\xEF\xBF\xBF\xE2\x82",
    b"\xF0\x8F\x80\x80",
    b"\xF0\x9F\x98\x80\xF0\x9F\x98",
    b"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xFC\x84\x80\x80\x80\x80",
    b"\xFE\x80\xFF\xFE",
    b"\xFF",
];
const PADDING: usize = 128;
const ALIGNMENT: usize = 64;
const BEHIND: [&[u8]; 2] = [b"", b"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"];
const ANSWERS: [OnFault; 4] = [OnFault::Replace, OnFault::Stop, OnFault::Ignore, OnFault::SurrogateEscape];

/// A form, and the same without kernels.
fn pairs() -> Vec<(String, Form, Form)> {
    let mut bare = family();
    let with_kernels = family().into_iter().filter(|(_, form)| form.layout.is_some() || form.wide.is_some());
    let both = |(name, form): (String, Form)| {
        let mut other = bare.remove(&name).expect("the same family");
        (other.layout, other.wide) = (None, None);
        (name, form, other)
    };
    with_kernels.map(both).collect()
}

/// What a pass gives, and where and why it ends.
fn read(form: &Form, data: &[u8], on_fault: OnFault, is_final: bool) -> (Vec<u32>, Halt) {
    let mut buffer = TextBuffer::default();
    let halt = Pass { form, data, is_final, largest: 0x10_FFFF, on_fault }.run(0, &mut buffer);
    ((0..buffer.text().len()).map(|at| buffer.text().at(at)).collect(), halt)
}

/// What a form gives for the whole and, cut anywhere near some units, for the first part and the second.
fn check((name, form, bare): &(String, Form, Form), data: &[u8], on_fault: OnFault, cuts: impl Iterator<Item = usize>) {
    let whole = read(bare, data, on_fault, true);
    assert_eq!(read(form, data, on_fault, true), whole, "{name} {on_fault:?} {data:X?}");
    for cut in cuts {
        let first = read(form, &data[..cut], on_fault, false);
        assert_eq!(first, read(bare, &data[..cut], on_fault, false), "{name} {on_fault:?} {cut} {data:X?}");
        if let (mut points, Halt::End(at)) = first {
            let (rest, halt) = read(form, &data[at..], on_fault, true);
            points.extend(rest);
            let is_end = |halt| matches!(halt, Halt::End(_));
            assert_eq!(
                (points, is_end(halt)),
                (whole.0.clone(), is_end(whole.1)),
                "{name} {on_fault:?} {cut} {data:X?}"
            );
        }
    }
}

#[test]
fn units_behind_any_padding_cut_anywhere() {
    for forms in &pairs() {
        for (units, padding) in UNITS.iter().flat_map(|units| (0..=PADDING).map(move |padding| (units, padding))) {
            let behind = BEHIND[padding % 2];
            let data = [&b"a".repeat(padding)[..], units, behind].concat();
            let near = padding.saturating_sub(2)..=data.len().min(padding + units.len() + 2);
            check(forms, &data, ANSWERS[padding % ANSWERS.len()], near);
        }
    }
}

#[test]
fn units_at_any_alignment() {
    #[repr(align(64))]
    struct Aligned([u8; ALIGNMENT + 2 * PADDING]);
    let mut memory = Aligned([b'x'; ALIGNMENT + 2 * PADDING]);
    for forms in &pairs() {
        for (units, start) in UNITS.iter().flat_map(|units| (0..ALIGNMENT).map(move |start| (units, start))) {
            for padding in [0, 1, 31, 32, 63, 64, 65, 128] {
                let length = padding + units.len();
                let place = &mut memory.0[start..start + length];
                place.fill(b'a');
                place[padding..].copy_from_slice(units);
                check(forms, place, ANSWERS[start % ANSWERS.len()], std::iter::empty());
            }
        }
    }
}

#[test]
fn a_planted_fault_is_found() {
    let forms = &pairs()[0];
    let data = [&b"a".repeat(60)[..], b"\xFF", b"b"].concat();
    let (points, _) = read(&forms.1, &data, OnFault::Replace, true);
    let (shifted, _) = read(&forms.2, &data[1..], OnFault::Replace, true);
    assert_ne!(points, shifted);
}
