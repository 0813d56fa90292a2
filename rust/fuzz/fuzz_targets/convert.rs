//! A conversion is the composition of decoding and encoding, for each pair of forms.

#![no_main]

use eightfold_core::{OnFault, Pass, Unwritten, Writer};
use eightfold_fuzz::{form_of, prefix};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let &[source, target, ref data @ ..] = input else { return };
    let (source, target) = (form_of(source), form_of(target));
    let (points, end) = prefix(source, data, u32::MAX);
    let mut expected = Vec::new();
    let is_clean = end == data.len() && target.write_all(&points, &mut expected);
    let pass = Pass { form: source, data, is_final: true, largest: u32::MAX, on_fault: OnFault::Stop };
    let written = Writer::new(target, Unwritten::Stop, Vec::new()).wrote(&pass, 0);
    assert_eq!(written, is_clean.then_some(expected));
});
