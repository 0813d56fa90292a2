//! What the targets share: the forms, and the judge. The judge reads one sequence at a time by the automaton, which the
//! proofs compare with the rows, and compares each value with the rows here once more; it uses no kernel.

pub mod draw;
pub mod globs;
pub mod grown;
pub mod listed;

use std::sync::{Arc, LazyLock};

use eightfold_core::{Form, OnFault, Range, Step, Tables};

#[path = "../../core/tests/forms/mod.rs"]
mod forms;

/// The largest code point of a str.
pub const LARGEST: u32 = 0x10_FFFF;

/// All forms, in the order of their names.
pub static FORMS: LazyLock<Vec<Arc<Form>>> = LazyLock::new(|| forms::family().into_values().map(Arc::new).collect());

/// The form that a byte stands for.
pub fn form_of(byte: u8) -> &'static Form {
    &FORMS[usize::from(byte) % FORMS.len()]
}

fn unit_at(tables: &Tables, data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..at + tables.unit_bytes)?;
    let add = |sum: u32, &byte: &u8| sum << 8 | u32::from(byte);
    Some(if tables.big_endian { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) })
}

/// The index of the sequence at an offset among all that ranges allow, in their order.
fn index_in(tables: &Tables, ranges: &[Range], data: &[u8], at: usize) -> Option<u64> {
    ranges.iter().enumerate().try_fold(0, |index, (place, &(low, high))| {
        let unit = unit_at(tables, data, at + place * tables.unit_bytes)?;
        (low <= unit && unit <= high).then(|| index * (u64::from(high - low) + 1) + u64::from(unit - low))
    })
}

/// The longest sequence of a row at an offset: its end and its value.
fn by_rows(form: &Form, data: &[u8], at: usize) -> Option<(usize, u32)> {
    let tables = &form.tables;
    let read = |row: &eightfold_core::Row| {
        let index = index_in(tables, &row.ranges, data, at)?;
        Some((at + row.ranges.len() * tables.unit_bytes, row.first + index as u32))
    };
    tables.rows.iter().filter_map(read).max_by_key(|&(end, _)| end)
}

/// The step at an offset of a whole input.
///
/// # Panics
/// The automaton gives a value that no row has, does not move, or leaves the input.
pub fn judged(form: &Form, data: &[u8], at: usize) -> Step {
    let step = form.sequence_at(data, at, true);
    match step {
        Step::Value { end, code_point } => assert_eq!(by_rows(form, data, at), Some((end, code_point))),
        Step::Unit { end } => assert!(at < end && end <= data.len()),
        Step::Wait => panic!("nothing follows"),
    }
    step
}

/// What a whole input means up to its first fault, and where that is or the input ends.
pub fn prefix(form: &Form, data: &[u8], largest: u32) -> (Vec<u32>, usize) {
    let (mut points, mut at) = (Vec::new(), 0);
    while at < data.len() {
        match judged(form, data, at) {
            Step::Value { end, code_point } if code_point <= largest => {
                points.push(code_point);
                at = end;
            }
            _ => break,
        }
    }
    (points, at)
}

/// What one sequence after another gives under a policy that answers without a handler; None where it raises, or knows
/// the bytes of a surrogate.
pub fn one_by_one(form: &Form, data: &[u8], on_fault: OnFault) -> Option<Vec<u32>> {
    let (mut points, mut at) = (Vec::new(), 0);
    while at < data.len() {
        at = match judged(form, data, at) {
            Step::Value { end, code_point } if code_point <= LARGEST => {
                points.push(code_point);
                end
            }
            Step::Value { end, .. } | Step::Unit { end } => match on_fault {
                OnFault::Replace => {
                    points.push(0xFFFD);
                    end
                }
                OnFault::Ignore => end,
                OnFault::BackslashReplace => {
                    points.extend(
                        data[at..end].iter().flat_map(|byte| format!("\\x{byte:02x}").into_bytes()).map(u32::from),
                    );
                    end
                }
                _ => return None,
            },
            Step::Wait => unreachable!("nothing follows"),
        }
    }
    Some(points)
}
