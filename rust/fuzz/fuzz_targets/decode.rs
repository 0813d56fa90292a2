//! Decoding by the kernels, under every policy, whole, in two pieces, measured first and in one pass, means what the
//! judge says; and faults are where it says, with a name.

#![no_main]

use eightfold_core::{Attempt, Form, Halt, OnFault, Pass, Scan, Step, TextBuffer};
use eightfold_fuzz::{LARGEST, form_of, judged, one_by_one, prefix};
use libfuzzer_sys::fuzz_target;

#[path = "../../core/tests/one_pass/mod.rs"]
mod one_pass;

/// Text that is longer is not short on any machine.
const LONG: usize = 5000;

fn pass<'a>(form: &'a Form, data: &'a [u8], on_fault: OnFault) -> Pass<'a> {
    Pass { form, data, is_final: true, largest: LARGEST, on_fault }
}

fn text(buffer: &TextBuffer) -> Vec<u32> {
    (0..buffer.text().len()).map(|at| buffer.text().at(at)).collect()
}

fn check_pieces(form: &Form, data: &[u8], cut: usize, on_fault: OnFault) {
    let (mut whole, mut parts) = (TextBuffer::default(), TextBuffer::default());
    let expected = pass(form, data, on_fault).run(0, &mut whole);
    let mut halt = Pass { is_final: false, ..pass(form, &data[..cut], on_fault) }.run(0, &mut parts);
    if let Halt::End(at) = halt {
        assert!(at <= cut);
        halt = pass(form, data, on_fault).run(at, &mut parts);
    }
    assert_eq!((halt == Halt::End(data.len()), text(&parts)), (expected == Halt::End(data.len()), text(&whole)));
}

/// Text that is long, as it is written in one pass, if it is.
fn check_one_pass(form: &Form, data: &[u8], on_fault: OnFault) {
    let long = data.repeat(LONG / data.len().max(1) + 1);
    let pass = pass(form, &long, on_fault);
    let shares_ascii = form.agreement.apart().first().is_some_and(|&(lowest, _)| lowest > 0x7F);
    let ways = [pass.in_one_pass().filter(|_| shares_ascii), pass.in_one_pass_if_dirty()];
    for once in ways.into_iter().flatten() {
        let (attempt, points) = one_pass::written(&once);
        if attempt == Attempt::Done {
            let expected = one_by_one(form, &long, on_fault).unwrap_or_else(|| {
                let mut whole = TextBuffer::default();
                assert_eq!(pass.run(0, &mut whole), Halt::End(long.len()));
                text(&whole)
            });
            assert_eq!(points, expected);
        }
    }
}

fn check(form: &Form, data: &[u8], cut: usize, on_fault: OnFault) {
    let mut whole = TextBuffer::default();
    let halt = pass(form, data, on_fault).run(0, &mut whole);
    if let Some(expected) = one_by_one(form, data, on_fault) {
        assert_eq!((halt, text(&whole)), (Halt::End(data.len()), expected));
    }
    let survey = pass(form, data, on_fault).measure(0);
    assert_eq!(survey.map(|survey| survey.count), (halt == Halt::End(data.len())).then(|| whole.text().len()));
    if on_fault == OnFault::Stop {
        let (points, end) = prefix(form, data, LARGEST);
        assert_eq!(text(&whole), points);
        assert!(matches!(halt, Halt::End(at) | Halt::Fault { start: at, .. } if at == end));
    }
    check_pieces(form, data, cut, on_fault);
}

fn check_faults(form: &Form, data: &[u8]) {
    let scan = Scan { form, data, is_final: true, at: 0, limit: data.len() };
    let (mut at, faults) = (0, scan.collect::<Vec<_>>());
    let mut expected = Vec::new();
    while at < data.len() {
        at = match judged(form, data, at) {
            Step::Value { end, .. } => end,
            _ => {
                let fault = form.fault_at(data, at, true).expect("a fault has a name");
                expected.push(fault);
                fault.end
            }
        }
    }
    assert_eq!(faults, expected);
}

fuzz_target!(|input: &[u8]| {
    let &[form, policy, cut, ref data @ ..] = input else { return };
    let (form, on_fault) = (form_of(form), OnFault::ALL[usize::from(policy) % OnFault::ALL.len()]);
    check(form, data, usize::from(cut) % (data.len() + 1), on_fault);
    check_one_pass(form, data, on_fault);
    check_faults(form, data);
});
