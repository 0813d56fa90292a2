//! The work on a whole column in one call: see `eightfold.columns.values`, which has the twins of these functions.

use std::num::NonZeroUsize;

use eightfold_core::{
    Bits, Broken, Column, ColumnLayout, Conversion, Effort, Fixed, Form, Narrow, OnFault, Replacements, Spliced,
    SplicedViews, Stopped, Views, WideOffsets, check,
};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::borrowed::Borrowed;
use crate::bytes_object::{bytes_of_size, bytes_of_slice};
use crate::convert::{REPLACEMENT, writer};
use crate::fault_object::UNITS_KEPT;
use crate::faults::limit_of;
use crate::given::Optional;
use crate::handle::{Errors, Handle};
use crate::heard::with_shared_ear;
use crate::names;
use crate::released::released;
use crate::threads::threads_of;

/// A column as Python gives it: a tuple `eightfold.columns.values.Column`.
pub struct Given<'py> {
    kind: String,
    width: usize,
    places: Bound<'py, PyAny>,
    data: Vec<Bound<'py, PyAny>>,
    validity: Bound<'py, PyAny>,
    first: usize,
    count: usize,
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(given: pyo3::Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (kind, width, places, data, validity, first, count) = given.extract()?;
        Ok(Given { kind, width, places, data, validity, first, count })
    }
}

/// The code point of a fault that has none, as `eightfold.columns.values.NO_CODE_POINT`.
pub const NO_CODE_POINT: u32 = u32::MAX;

/// Do something with a column, whose buffers are kept meanwhile.
fn with_column<R>(py: Python<'_>, given: &Given<'_>, work: impl FnOnce(&Column<'_>) -> PyResult<R>) -> PyResult<R> {
    let Given { kind, width, places, data, validity, first, count } = given;
    let (places, validity) = (Borrowed::of(places)?, Some(validity).filter(|given| !given.is_none()));
    let data: Vec<Borrowed> = data.iter().map(Borrowed::of).collect::<PyResult<_>>()?;
    let data: Vec<&[u8]> = data.iter().map(Borrowed::bytes).collect();
    let validity = validity.map(Borrowed::of).transpose()?;
    let short = |what| broken(py, Broken { row: 0, what });
    let bits = match &validity {
        Some(bytes) if *count > 0 => {
            Some(Bits::new(bytes.bytes(), *first, *count).ok_or_else(|| short("the validity buffer is too short"))?)
        }
        _ => None,
    };
    let only = data.first().copied().unwrap_or_default();
    let few = || short("the buffer of its places is too short");
    let layout = match (kind.as_str(), width) {
        _ if *count == 0 => ColumnLayout::Fixed(Fixed(0), &[]),
        ("offsets", 4) => {
            ColumnLayout::Narrow(Narrow(numbers(places.bytes(), *first, *count, 1).ok_or_else(few)?), only)
        }
        ("offsets", 8) => {
            ColumnLayout::Wide(WideOffsets(numbers(places.bytes(), *first, *count, 1).ok_or_else(few)?), only)
        }
        ("views", 16) => {
            let views = numbers(places.bytes(), *first, *count, 0).ok_or_else(few)?;
            ColumnLayout::Views(Views { views, buffers: &data })
        }
        ("fixed", width) => {
            let skipped = first.checked_mul(*width).and_then(|start| only.get(start..)).ok_or_else(few)?;
            ColumnLayout::Fixed(Fixed(*width), skipped)
        }
        _ => return Err(PyValueError::new_err(format!("no layout is called {kind} of {width} bytes"))),
    };
    work(&Column { layout, validity: bits, count: *count })
}

/// So many numbers from one of them on, and some more; None where the bytes are too few.
fn numbers<const BYTES: usize>(bytes: &[u8], first: usize, count: usize, more: usize) -> Option<&[[u8; BYTES]]> {
    let (all, _) = bytes.as_chunks::<BYTES>();
    all.get(first..first.checked_add(count)?.checked_add(more)?)
}

fn broken(py: Python<'_>, broken: Broken) -> PyErr {
    let made = names::broken_column(py).and_then(|class| class.call1((broken.row, broken.what)));
    made.map_or_else(|error| error, PyErr::from_value)
}

fn stopped(py: Python<'_>, stopped: Stopped) -> PyErr {
    match stopped {
        Stopped::Broken(at) => broken(py, at),
        Stopped::OutOfMemory => PyMemoryError::new_err(()),
        Stopped::TooLarge => PyOverflowError::new_err("the values no longer fit 32-bit offsets"),
        Stopped::Ended => PyRuntimeError::new_err("nothing ended the work"),
    }
}

/// Work on a column, unless the handler of a signal raises.
fn heard<R: Send>(
    py: Python<'_>,
    column: &Column<'_>,
    threads: NonZeroUsize,
    work: impl FnOnce(Effort<'_>) -> Result<R, Stopped> + Send,
) -> PyResult<R> {
    let done = with_shared_ear(|ear| {
        let goes_on = |bytes| ear.goes_on(bytes);
        released(py, column.bytes(), || work(Effort { threads, goes_on: &goes_on }))
    })?;
    done.map_err(|error| stopped(py, error))
}

/// Numbers as bytes in the order of the machine.
fn bytes_of_numbers<'py>(
    py: Python<'py>,
    numbers: impl ExactSizeIterator<Item = i64> + Send,
) -> PyResult<Bound<'py, PyBytes>> {
    bytes_of_size(py, b"", numbers.len() * 8, |out| numbers.for_each(|number| out.copy(&number.to_ne_bytes())))
}

/// As [`bytes_of_numbers`], of numbers in pieces.
fn bytes_of_pieces<'py, T: Sync>(
    py: Python<'py>,
    pieces: &[Vec<T>],
    number: impl Fn(&T) -> i64 + Send + Sync,
) -> PyResult<Bound<'py, PyBytes>> {
    let count: usize = pieces.iter().map(Vec::len).sum();
    bytes_of_size(py, b"", count * 8, |out| {
        pieces.iter().flatten().for_each(|each| out.copy(&number(each).to_ne_bytes()));
    })
}

/// The form of values, which has no signatures.
fn form_of(form: &Bound<'_, PyAny>) -> PyResult<std::sync::Arc<Form>> {
    let handle = Handle::of(form)?;
    if handle.get().is_signed() { Err(has_signatures()) } else { Ok(handle.get().form.clone()) }
}

fn has_signatures() -> PyErr {
    PyValueError::new_err("a form with signatures is not for whole columns")
}

/// Return the rows of a column whose values are ill-formed: see `eightfold.columns.values.ill_formed_rows`.
#[pyfunction]
#[pyo3(signature = (column, form, *, threads=Optional::Absent), text_signature = "(column, form, *, threads=1)")]
pub fn ill_formed_rows<'py>(
    py: Python<'py>,
    column: Given<'py>,
    form: &Bound<'py, PyAny>,
    threads: Optional<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (form, threads) = (form_of(form)?, threads_of(&threads)?);
    with_column(py, &column, |column| {
        let found = heard(py, column, threads, |effort| form.ill_formed_rows(column, effort))?;
        bytes_of_pieces(py, &found, |&row| row as i64)
    })
}

/// Return as many bits as there are rows, all set but those of some rows: see `eightfold.columns.values.cleared_bits`.
#[pyfunction]
#[pyo3(text_signature = "(count, rows)")]
pub fn cleared_bits<'py>(py: Python<'py>, count: usize, rows: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, count.div_ceil(8), |bits| {
        bits.fill(0xFF);
        let (rows, _) = rows.as_bytes().as_chunks::<8>();
        for row in rows {
            let row = usize::try_from(i64::from_ne_bytes(*row)).unwrap_or(usize::MAX);
            let byte = bits.get_mut(row / 8).ok_or_else(|| PyValueError::new_err("there is no such row"))?;
            *byte &= !(1 << (row % 8));
        }
        Ok(())
    })
}

/// What `column_faults` returns: rows, starts, ends, kinds, code points, whether at the end, ends of units, units.
type Faults<'py> = (
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
    Bound<'py, PyBytes>,
);

/// Return the faults of a column: see `eightfold.columns.values.column_faults`.
#[pyfunction]
#[pyo3(
    signature = (column, form, limit=None, *, threads=Optional::Absent),
    text_signature = "(column, form, limit=None, *, threads=1)"
)]
pub fn column_faults<'py>(
    py: Python<'py>,
    column: Given<'py>,
    form: &Bound<'py, PyAny>,
    limit: Option<&Bound<'py, PyAny>>,
    threads: Optional<'py>,
) -> PyResult<Faults<'py>> {
    let (form, threads, limit) = (form_of(form)?, threads_of(&threads)?, limit_of(limit)?);
    with_column(py, &column, |column| {
        let pieces = heard(py, column, threads, |effort| form.column_faults(column, limit, effort))?;
        let mut found = Vec::new();
        let count = pieces.iter().map(Vec::len).sum::<usize>().min(limit);
        found.try_reserve_exact(count).map_err(|_| PyMemoryError::new_err(()))?;
        found.extend(pieces.into_iter().flatten().take(count));
        let kept = |at: usize| &found[at].bytes[..found[at].bytes.len().min(UNITS_KEPT)];
        let all = 0..found.len();
        let size = all.clone().map(|at| kept(at).len()).sum();
        let ends = std::iter::once(0).chain(found.iter().scan(0, |end, each| {
            *end += each.bytes.len().min(UNITS_KEPT) as i64;
            Some(*end)
        }));
        Ok((
            bytes_of_numbers(py, found.iter().map(|each| each.row as i64))?,
            bytes_of_numbers(py, found.iter().map(|each| each.fault.start as i64))?,
            bytes_of_numbers(py, found.iter().map(|each| each.fault.end as i64))?,
            bytes_of_size(py, b"", found.len(), |out| {
                found.iter().for_each(|each| out.copy(&[each.fault.kind.index() as u8]));
            })?,
            bytes_of_size(py, b"", found.len() * 4, |out| {
                found.iter().for_each(|each| out.copy(&each.fault.code_point.unwrap_or(NO_CODE_POINT).to_ne_bytes()));
            })?,
            bytes_of_size(py, b"", found.len(), |out| {
                found.iter().for_each(|each| out.copy(&[u8::from(each.fault.at_end)]));
            })?,
            bytes_of_size(py, b"", (found.len() + 1) * 8, |out| ends.for_each(|end| out.copy(&end.to_ne_bytes())))?,
            bytes_of_size(py, b"", size, |out| all.for_each(|at| out.copy(kept(at))))?,
        ))
    })
}

/// What `column_changes` returns: rows, ends of new values, new values, rows to ask about.
type Changed<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Return what values of a column become in another form: see `eightfold.columns.values.column_changes`.
#[pyfunction]
#[pyo3(
    signature = (column, source, target, errors=Errors::Strict, *, threads=Optional::Absent),
    text_signature = "(column, source, target, errors='strict', *, threads=1)"
)]
pub fn column_changes<'py>(
    py: Python<'py>,
    column: Given<'py>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    errors: Errors<'py>,
    threads: Optional<'py>,
) -> PyResult<Changed<'py>> {
    let (source, target) = (Handle::of(source)?, Handle::of(target)?);
    let (from, to) = (source.get(), target.get());
    from.check_both(to, py, &errors)?;
    if from.is_signed() || to.is_signed() {
        return Err(has_signatures());
    }
    let threads = threads_of(&threads)?;
    let (reading, writing) = (from.reading(py, 0, &errors, true)?, to.writing(py, &errors)?);
    // Python answers for what the core answers in part only, as for single values.
    let is_answered = writing.form.has_answers(reading.on_fault) && !reading.form.is_answered_in_part(reading.on_fault);
    let conversion = Conversion {
        source: &reading.form,
        on_fault: if is_answered { reading.on_fault } else { OnFault::Stop },
        target: &writing.form,
        unwritten: writer(&writing, REPLACEMENT, Vec::new()).unwritten,
    };
    with_column(py, &column, |column| {
        let changes = heard(py, column, threads, |effort| conversion.changes(column, effort))?;
        let count = changes.iter().map(|each| each.rows.len()).sum::<usize>();
        let asked = changes.iter().map(|each| each.asked.len()).sum::<usize>();
        let size = changes.iter().map(|each| each.bytes.len()).sum();
        Ok((
            bytes_of_size(py, b"", count * 8, |out| {
                changes.iter().flat_map(|each| &each.rows).for_each(|&row| out.copy(&(row as i64).to_ne_bytes()));
            })?,
            bytes_of_size(py, b"", count * 8, |out| {
                let mut before = 0;
                for each in &changes {
                    each.ends.iter().for_each(|&end| out.copy(&((before + end) as i64).to_ne_bytes()));
                    before += each.bytes.len();
                }
            })?,
            bytes_of_size(py, b"", size, |out| changes.iter().for_each(|each| out.copy(&each.bytes)))?,
            bytes_of_size(py, b"", asked * 8, |out| {
                changes.iter().flat_map(|each| &each.asked).for_each(|&row| out.copy(&(row as i64).to_ne_bytes()));
            })?,
        ))
    })
}

/// The places and the data of a column with new values, and of views which buffers are still used.
type Places<'py> = (Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);

/// Return a column with new values for some rows: see `eightfold.columns.values.spliced_column`.
#[pyfunction]
#[pyo3(text_signature = "(column, rows, ends, values)")]
pub fn spliced_column<'py>(
    py: Python<'py>,
    column: Given<'py>,
    rows: &Bound<'py, PyBytes>,
    ends: &Bound<'py, PyBytes>,
    values: &Bound<'py, PyBytes>,
) -> PyResult<Places<'py>> {
    let (rows, ends) = (numbers_of(rows)?, numbers_of(ends)?);
    let new = Replacements::of(&rows, &ends, values.as_bytes(), column.count);
    let new = new.ok_or_else(|| PyValueError::new_err("the new values are not in the order of their rows"))?;
    let width = column.width;
    let too_large = || stopped(py, Stopped::TooLarge);
    with_column(py, &column, |column| {
        if let ColumnLayout::Views(views) = &column.layout {
            let made = released(py, size_of_val(views.views), || SplicedViews::new(column, views, new));
            let made = made.map_err(|error| stopped(py, error))?;
            if i32::try_from(made.used.len()).is_err() {
                return Err(too_large());
            }
            let used: Vec<u8> = made.used.iter().map(|&used| used.into()).collect();
            let of = |bytes: &[u8]| bytes_of_slice(py, bytes);
            return Ok((Some(of(made.views.as_flattened())?), of(&made.data)?, Some(of(&used)?)));
        }
        let failed = |error| broken(py, error);
        let spliced = released(py, column.bytes(), || Spliced::new(*column, new)).map_err(failed)?;
        let is_fixed = matches!(column.layout, ColumnLayout::Fixed(..));
        if width == 4 && !is_fixed && i32::try_from(spliced.size).is_err() {
            return Err(too_large());
        }
        // The sizes have just been found by the same walk over the same buffers.
        let data = bytes_of_size(py, b"", spliced.size, |out| _ = spliced.write(out))?;
        if is_fixed {
            return Ok((None, data, None));
        }
        let places = bytes_of_size(py, b"", (column.count + 1) * width, |out| {
            let mut put = |end: usize| match width {
                4 => out.copy(&(end as i32).to_ne_bytes()),
                _ => out.copy(&(end as i64).to_ne_bytes()),
            };
            put(0);
            spliced.each_end(put);
        })?;
        Ok((Some(places), data, None))
    })
}

fn numbers_of(bytes: &Bound<'_, PyBytes>) -> PyResult<Vec<usize>> {
    let (numbers, _) = bytes.as_bytes().as_chunks::<8>();
    let mut found = Vec::new();
    found.try_reserve_exact(numbers.len()).map_err(|_| PyMemoryError::new_err(()))?;
    found.extend(numbers.iter().map(|&number| usize::try_from(i64::from_ne_bytes(number)).unwrap_or(usize::MAX)));
    Ok(found)
}

/// Check offsets into so many elements: see `eightfold.columns.values.check_offsets`.
#[pyfunction]
#[pyo3(text_signature = "(offsets, width, first, count, limit)")]
pub fn check_offsets(
    py: Python<'_>,
    offsets: &Bound<'_, PyAny>,
    width: usize,
    first: usize,
    count: usize,
    limit: usize,
) -> PyResult<()> {
    let offsets = Borrowed::of(offsets)?;
    let few = || broken(py, Broken { row: 0, what: "the buffer of its places is too short" });
    if count == 0 {
        return Ok(());
    }
    let checked = match width {
        4 => check(&Narrow(numbers(offsets.bytes(), first, count, 1).ok_or_else(few)?), limit, 0..count),
        _ => check(&WideOffsets(numbers(offsets.bytes(), first, count, 1).ok_or_else(few)?), limit, 0..count),
    };
    checked.map_err(|error| broken(py, error))
}
