//! The automaton of a form as plain data, read-only: tests compare it with one that they derive from the rows.

use eightfold_core::{DEAD, NONE};
use pyo3::prelude::*;

use crate::handle::Handle;

/// What a state knows: the complete entry, the length of the maximal subpart, and whether some entry continues, some
/// row matches, and some row continues.
type State = (Option<u16>, u8, bool, bool, bool);
/// What an entry means: its base, the weight of each unit, and its index among the form's units if it is no row.
type Entry = (u32, Vec<u32>, Option<usize>);
/// States, the first unit of each class, the next states by class, entries.
type Table = (Vec<State>, Vec<u32>, Vec<Vec<Option<u16>>>, Vec<Entry>);

/// Return the automaton of a form: its states, the first unit of each class, the state after each class, its entries.
#[pyfunction]
pub fn automaton(form: &Bound<'_, PyAny>) -> PyResult<Table> {
    let handle = Handle::of(form)?;
    let automaton = &handle.get().form.automaton;
    let some = |number: u16, none: u16| (number != none).then_some(number);
    let shown = automaton
        .states
        .iter()
        .map(|state| (some(state.accept, NONE), state.subpart, state.goes_on, state.fits_row, state.row_goes_on));
    let classes = automaton.classes();
    let after = |state: usize| {
        let state = u16::try_from(state).unwrap_or(DEAD);
        classes.iter().map(|&unit| some(automaton.next(state, unit), DEAD)).collect()
    };
    let next = (0..automaton.states.len()).map(after).collect();
    let entries = automaton.entries.iter().map(|entry| (entry.base, entry.weights.clone(), entry.unit)).collect();
    Ok((shown.collect(), classes, next, entries))
}
