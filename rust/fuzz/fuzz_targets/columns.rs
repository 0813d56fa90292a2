//! Columns whose offsets and views say anything at all: an error, or the rows that are ill-formed one by one.

#![no_main]

use std::num::NonZeroUsize;

use eightfold_core::{Column, ColumnLayout, Effort, Fixed, Form, Narrow, Scan, Views, WideOffsets};
use eightfold_fuzz::form_of;
use libfuzzer_sys::fuzz_target;

fn is_clean(form: &Form, data: &[u8]) -> bool {
    Scan { form, data, is_final: true, at: 0, limit: data.len() }.is_clean()
}

fn check(form: &Form, column: &Column<'_>) {
    let effort = Effort { threads: NonZeroUsize::MIN, goes_on: &|_| true };
    let found = form.ill_formed_rows(column, effort);
    let Ok(found) = found else { return assert!(column.check(0..column.count).is_err()) };
    let is_ill = |&row: &usize| column.value(row).is_ok_and(|value| !is_clean(form, value));
    assert_eq!(found.concat(), (0..column.count).filter(is_ill).collect::<Vec<_>>());
    let _ = form.column_faults(column, 100, effort);
}

fuzz_target!(|input: &[u8]| {
    let &[form, kind, places, ref rest @ ..] = input else { return };
    let (places, data) = rest.split_at(rest.len().min(usize::from(places)));
    let (four, eight, sixteen) = (places.as_chunks::<4>().0, places.as_chunks::<8>().0, places.as_chunks::<16>().0);
    let (layout, count) = match kind % 4 {
        0 => (ColumnLayout::Narrow(Narrow(four), data), four.len().saturating_sub(1)),
        1 => (ColumnLayout::Wide(WideOffsets(eight), data), eight.len().saturating_sub(1)),
        2 => (ColumnLayout::Fixed(Fixed(places.len()), data), data.len() / places.len().max(1)),
        _ => (ColumnLayout::Views(Views { views: sixteen, buffers: &[data, places] }), sixteen.len()),
    };
    if kind % 4 == 2 && places.is_empty() {
        return;
    }
    check(form_of(form), &Column { layout, validity: None, count });
});
