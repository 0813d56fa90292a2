//! Encoding by the kernels writes what the rows write, and where the form lacks a code point it stops there.

#![no_main]

use eightfold_core::{Form, Missing, Text, TextFault, encode_text};
use eightfold_fuzz::form_of;
use libfuzzer_sys::fuzz_target;

fn check(form: &Form, text: Text<'_>) {
    let mut expected = Vec::new();
    let end = (0..text.len()).find(|&at| !form.write_row(text.at(at), &mut expected)).unwrap_or(text.len());
    let mut out = Vec::new();
    let result = encode_text(form, text, 0, Missing::Stop, &mut out);
    assert_eq!(out, expected);
    match result {
        Ok(()) => assert_eq!(end, text.len()),
        Err(fault) => assert!(matches!(fault, TextFault::Missing { start, .. } if start == end)),
    }
    let (mut size, mut answered) = (0_usize, Vec::new());
    let measured = encode_text(form, text, 0, Missing::Ignore, &mut size);
    assert_eq!(encode_text(form, text, 0, Missing::Ignore, &mut answered), measured);
    assert_eq!((measured, size), (Ok(()), answered.len()));
}

fuzz_target!(|input: &[u8]| {
    let &[form, kind, ref data @ ..] = input else { return };
    let form = form_of(form);
    // A form that joins pairs writes them otherwise than their halves: the proofs have those.
    if form.tables.joins_pairs {
        return;
    }
    let two: Vec<u16> = data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    match kind % 3 {
        0 => check(form, Text::One(data)),
        1 => check(form, Text::Two(&two)),
        _ => {
            let four = data.as_chunks::<4>().0.iter().map(|unit| u32::from_le_bytes(*unit) % 0x11_0000);
            check(form, Text::Four(&four.collect::<Vec<_>>()));
        }
    }
});
