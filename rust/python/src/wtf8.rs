//! Concatenation of strings of a form: see `eightfold.wtf8`.

use eightfold_core::Form;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_object::bytes_of_slice;
use crate::handle::Handle;
use crate::memory::append;
use crate::running::Run;

/// The length of a surrogate in the forms that have rows for the halves of a pair.
const SURROGATE_BYTES: usize = 3;

/// Return well-formed parts as one, with a lead and a trail that meet joined to one code point: see
/// `eightfold.wtf8.joined`.
#[pyfunction]
pub fn joined<'py>(form: &Bound<'py, PyAny>, parts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let handle = Handle::of(form)?;
    let form = &handle.get().form;
    let mut whole = Vec::new();
    for part in parts.run_iter()? {
        let part = part?.cast_into::<PyBytes>()?;
        let mut part = part.as_bytes();
        if let Some(pair) = pair_at_seam(form, &whole, part) {
            whole.truncate(whole.len() - SURROGATE_BYTES);
            let mut bytes = Vec::new();
            form.write_all(&pair, &mut bytes);
            append(&mut whole, &bytes)?;
            part = &part[SURROGATE_BYTES..];
        }
        append(&mut whole, part)?;
    }
    bytes_of_slice(parts.py(), &whole)
}

/// The lead that ends one string and the trail that begins the next, if both are there.
fn pair_at_seam(form: &Form, left: &[u8], right: &[u8]) -> Option<[u32; 2]> {
    let (lead, _) = form.surrogate_at(left, left.len().checked_sub(SURROGATE_BYTES)?)?;
    let (trail, _) = form.surrogate_at(right, 0)?;
    (lead < 0xDC00 && trail >= 0xDC00).then_some([lead, trail])
}
