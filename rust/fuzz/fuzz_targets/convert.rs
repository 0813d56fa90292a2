//! A conversion is the composition of decoding and encoding, for each pair of forms and each policy at faults, of an
//! input alone and behind a chunk of text.

#![no_main]

use eightfold_core::{CHUNK_BYTES, Form, Halt, OnFault, Pass, Unwritten, Writer};
use eightfold_fuzz::{LARGEST, form_of, one_by_one, prefix};
use libfuzzer_sys::fuzz_target;

/// So many bytes are long enough for what depends on what has been read.
const LONG: usize = 1024;

/// What a pass gives, written in a form: these code points, if there are any and the form has them all.
fn check(pass: &Pass<'_>, target: &Form, points: Option<Vec<u32>>) {
    let mut expected = Vec::new();
    let is_written = points.is_some_and(|points| target.write_all(&points, &mut expected));
    let written = Writer::new(target, Unwritten::Stop, Vec::new()).wrote(pass, 0);
    assert_eq!(written, is_written.then_some(expected));
}

fn check_strict(source: &Form, target: &Form, data: &[u8]) {
    let (points, end) = prefix(source, data, u32::MAX);
    let pass = Pass { form: source, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    check(&pass, target, (end == data.len()).then_some(points));
}

/// Convert text, given as code points, with an input behind it.
fn check_behind(before: &[u32], data: &[u8], [source, target]: [&Form; 2], on_fault: OnFault) {
    let mut whole = Vec::new();
    assert!(source.write_all(before, &mut whole));
    whole.extend(data);
    let pass = Pass { form: source, data: &whole, is_final: true, largest: LARGEST, on_fault };
    let points = one_by_one(source, data, on_fault).map(|points| [before, &points].concat()).or_else(|| {
        let mut points = Vec::new();
        (pass.run(0, &mut points) == Halt::End(whole.len())).then_some(points)
    });
    check(&pass, target, points);
}

fuzz_target!(|input: &[u8]| {
    let &[source, target, policy, ref data @ ..] = input else { return };
    let (source, target) = (form_of(source), form_of(target));
    let on_fault = OnFault::ALL[usize::from(policy >> 1) % OnFault::ALL.len()];
    check_strict(source, target, data);
    check_behind(&[], data, [source, target], on_fault);
    // Whether a chunk was wide says how the next one is read.
    let word = if policy & 1 == 1 { [0x416, 0x20] } else { [0x77, 0x20] };
    let long = data.repeat(LONG / data.len().max(1));
    check_behind(&word.repeat(CHUNK_BYTES / 2), &long, [source, target], on_fault);
});
