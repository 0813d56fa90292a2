//! Faults of bytes as Python objects: checking, counting and iterating. The core finds them.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::vec;

use eightfold_core::{Fault, Form, Scan, Step, Tally};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString};

use crate::fault_object::{fault_object, kind_name};
use crate::given::{Optional, Truth, number_of, offset_in};
use crate::handle::Handle;
use crate::heard::{Heard, Worker, heard_by_threads};
use crate::made::Made;
use crate::names;
use crate::peeking::{Ahead, Finder, peeking_methods};
use crate::released::{RELEASE_BYTES, released};
use crate::running::Run;
use crate::threads::{PIECES_AHEAD, THREADS_BYTES, threads_of};
use crate::window::Window;

/// The number of faults found ahead of demand, as `eightfold.files.read.scanning.FAULTS_AHEAD`.
pub const FAULTS_AHEAD: usize = 4096;

/// The number of faults after which the next one is looked for nearby first, if that takes a table, built once for a
/// form.
const FAULTS_FAR: usize = 1000;

/// The start of the first ill-formed decoding unit from an offset on and true, or the offset where more input could
/// change the answer and false.
fn first_stop(py: Python<'_>, form: &Form, data: &[u8], at: usize, is_final: bool) -> PyResult<(usize, bool)> {
    let mut scan = Scan { form, data, is_final, at, limit: data.len() };
    let (mut nothing, length) = ((), data.len() - at);
    let mut heard = Heard::new(&mut nothing);
    let is_fault = released(py, length, || scan.stops_at_fault(&mut heard));
    heard.result()?;
    Ok((scan.at, is_fault))
}

/// The pieces of an input for several threads; none if one thread should do all of it.
fn pieces_of(form: &Form, data: &[u8], at: usize, threads: NonZeroUsize) -> Vec<Range<usize>> {
    if threads.get() == 1 || data.len() < THREADS_BYTES {
        return Vec::new();
    }
    form.pieces(data, at).collect()
}

/// The length in bytes of the longest sequence of fixed length.
fn longest_sequence(form: &Form) -> usize {
    let (rows, units) = (form.tables.rows.iter(), form.tables.units.iter());
    let lengths = rows.map(|row| row.ranges.len()).chain(units.map(|unit| unit.ranges.len()));
    lengths.max().unwrap_or(1) * form.tables.unit_bytes
}

/// Say whether bytes follow the definition of a form: see `eightfold.text.is_well_formed`.
#[pyfunction]
#[pyo3(signature = (data, form, *, threads=Optional::Absent), text_signature = "(data, form, *, threads=1)")]
pub fn is_well_formed(data: &Bound<'_, PyAny>, form: &Bound<'_, PyAny>, threads: Optional<'_>) -> PyResult<bool> {
    let (handle, threads) = (Handle::of(form)?, threads_of(&threads)?);
    let (mut window, py) = (Window::new(data)?, data.py());
    let (plain, mut at) = handle.get().announced(window.data.as_bytes(py));
    let form = &handle.get().plain(plain).form;
    loop {
        let (seen, is_final) = (window.data.as_bytes(py), window.is_final());
        let pieces = if is_final { pieces_of(form, seen, at, threads) } else { Vec::new() };
        if !pieces.is_empty() {
            let is_clean = |piece: &Range<usize>, ear: Worker<'_>| {
                let mut scan = scan_of(form, seen, piece);
                !scan.stops_at_fault(&mut Heard::by(&mut (), ear)) && scan.at == scan.limit
            };
            let clean = py.detach(|| heard_by_threads(threads, &pieces, is_clean))?;
            return Ok(clean.into_iter().all(|is_clean| is_clean));
        }
        let (stop, is_fault) = first_stop(py, form, seen, at, is_final)?;
        // Anything longer than every sequence is an ill-formed unit without a fixed length.
        if is_fault || is_final || seen.len() - stop > longest_sequence(form) {
            return Ok(stop == seen.len());
        }
        window.slide(py, stop)?;
        at = 0;
    }
}

/// A scan of a piece of an input that is completely present.
fn scan_of<'a>(form: &'a Form, data: &'a [u8], piece: &Range<usize>) -> Scan<'a> {
    Scan { form, data, is_final: true, at: piece.start, limit: piece.end }
}

/// Count the faults of bytes by their kinds: see `eightfold.text.tally`.
#[pyfunction]
#[pyo3(signature = (data, form, *, threads=Optional::Absent), text_signature = "(data, form, *, threads=1)")]
pub fn tally<'py>(
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    threads: Optional<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let (handle, threads) = (Handle::of(form)?, threads_of(&threads)?);
    let (mut window, py) = (Window::new(data)?, data.py());
    let (plain, mut at) = handle.get().announced(window.data.as_bytes(py));
    let form = &handle.get().plain(plain).form;
    let mut tally = Tally::default();
    loop {
        let (seen, is_final) = (window.data.as_bytes(py), window.is_final());
        let mut pieces = if is_final { pieces_of(form, seen, at, threads) } else { Vec::new() };
        if pieces.is_empty() {
            pieces.push(at..seen.len());
        }
        let count = |piece: &Range<usize>, ear: Worker<'_>| {
            let mut scan = Scan { is_final, ..scan_of(form, seen, piece) };
            (scan.tally(&mut Heard::by(&mut (), ear)), scan.at)
        };
        let counted = released(py, seen.len(), || heard_by_threads(threads, &pieces, count))?;
        counted.iter().for_each(|(counts, _)| tally.add(counts));
        if is_final {
            break;
        }
        window.slide(py, counted.last().map_or(at, |&(_, stop)| stop))?;
        at = 0;
    }
    let counts = PyDict::new(py);
    tally.counts().try_for_each(|(kind, count)| counts.set_item(kind_name(py, kind)?, Made(count)))?;
    Ok(counts)
}

/// The fast path of `is_well_formed`.
pub fn short_is_well_formed<'py>([data, form]: [&Bound<'py, PyAny>; 2]) -> Option<Bound<'py, PyAny>> {
    let data = data.cast_exact::<PyBytes>().ok()?.as_bytes();
    let handle = Handle::known(form)?;
    if !handle.is_plain || data.len() >= RELEASE_BYTES {
        return None;
    }
    let is_well_formed = first_stop(form.py(), &handle.form, data, 0, true).ok()?.0 == data.len();
    Some(PyBool::new(form.py(), is_well_formed).to_owned().into_any())
}

/// Yield the faults of bytes, in order: see `eightfold.text.faults`.
#[pyfunction]
#[pyo3(
    signature = (data, form, limit=None, *, threads=Optional::Absent),
    text_signature = "(data, form, limit=None, *, threads=1)"
)]
pub fn faults<'py>(
    data: &Bound<'py, PyAny>,
    form: &Bound<'py, PyAny>,
    limit: Option<&Bound<'py, PyAny>>,
    threads: Optional<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let (handle, threads) = (Handle::of(form)?, threads_of(&threads)?);
    let window = Window::new(data)?;
    let asked = handle.get();
    let (plain, at) = asked.announced(window.data.as_bytes(py));
    let form = asked.plain(plain).form.clone();
    let content = window.data.as_bytes(py);
    let pieces = if window.is_final() { pieces_of(&form, content, at, threads) } else { Vec::new() };
    let left = limit_of(limit)?;
    let limit_here = if pieces.is_empty() { content.len() } else { at };
    let place = Place { at, limit: limit_here, found: Vec::new().into_iter() };
    let faults = Faults {
        place,
        name: asked.name.clone_ref(py),
        form,
        threads,
        pieces: pieces.into_iter(),
        ahead: VecDeque::new(),
        window,
        met: None,
        found: 0,
        left,
        peeked: Ahead::new(),
    };
    Ok(Bound::new(py, faults)?.into_any())
}

/// The most faults to yield; a number that no object can hold is the largest. `itertools.islice` is not an option: with
/// two threads at once it reads freed memory.
pub fn limit_of(limit: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let Some(limit) = limit else { return Ok(usize::MAX) };
    let asked = || Ok(names::limit_of(limit.py())?.run((limit,))?.extract().unwrap_or(usize::MAX));
    number_of(limit).map_or_else(asked, Ok)
}

/// A part of the window: its known faults, and where to look for more.
#[derive(Default)]
struct Place {
    found: vec::IntoIter<Fault>,
    at: usize,
    limit: usize,
}

/// The faults of bytes, in order.
#[pyclass(module = "eightfold._native", weakref)]
pub struct Faults {
    window: Window,
    form: Arc<Form>,
    name: Py<PyString>,
    threads: NonZeroUsize,
    place: Place,
    /// Parts that threads have scanned already.
    ahead: VecDeque<Place>,
    /// Pieces not scanned yet.
    pieces: vec::IntoIter<Range<usize>>,
    /// The fault that comes next, until there is an object of it: without memory for one, it still comes next.
    met: Option<Fault>,
    /// How many faults have been found, and how many more to find.
    found: usize,
    left: usize,
    peeked: Ahead,
}

peeking_methods!(Faults);

impl Finder for Faults {
    fn ahead(&mut self) -> &mut Ahead {
        &mut self.peeked
    }

    fn find<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Whoever collects all of them in one call hears no signal.
        if self.found.is_multiple_of(FAULTS_AHEAD) {
            py.check_signals()?;
        }
        while self.left > 0 {
            if self.met.is_none() {
                self.met = self.next_here(py)?;
            }
            if let Some(fault) = self.met {
                let object = fault_object(self.window.data.bind(py), self.window.offset, &self.name, fault)?;
                self.met = None;
                self.left -= 1;
                self.found += 1;
                return Ok(Some(object));
            }
            if self.place.limit < self.window.data.as_bytes(py).len() {
                self.place = self.next_place(py)?;
            } else if self.window.is_final() {
                return Ok(None);
            } else {
                self.window.slide(py, self.place.at)?;
                self.place = Place { at: 0, limit: self.window.data.as_bytes(py).len(), ..Place::default() };
            }
        }
        Ok(None)
    }

    fn visited(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.window.visited(visit)
    }
}

impl Faults {
    fn next_here(&mut self, py: Python<'_>) -> PyResult<Option<Fault>> {
        if let Some(fault) = self.place.found.next() {
            return Ok(Some(fault));
        }
        let (data, is_final) = (self.window.data.as_bytes(py), self.window.is_final());
        let (at, limit) = (self.place.at, self.place.limit);
        let mut scan = Scan { form: &self.form, data, is_final, at, limit };
        if (self.form.agreement.is_total() || self.found > FAULTS_FAR)
            && let Some(fault) = scan.near_fault()
        {
            self.place.at = scan.at;
            return Ok(Some(fault));
        }
        let mut nothing = ();
        let mut heard = Heard::new(&mut nothing);
        let fault = released(py, limit - scan.at, || scan.next_fault(&mut heard));
        // Otherwise the iterator stays where it was.
        heard.result()?;
        self.place.at = scan.at;
        Ok(fault)
    }

    /// The next piece; threads scan it together with some that follow it.
    fn next_place(&mut self, py: Python<'_>) -> PyResult<Place> {
        if self.ahead.is_empty() {
            // The ear of a batch that takes less time than there is between two looks for signals never looks.
            py.check_signals()?;
            let batch: Vec<_> = self.pieces.clone().take(PIECES_AHEAD * self.threads.get()).collect();
            let (form, data) = (&self.form, self.window.data.as_bytes(py));
            let work = |piece: &Range<usize>, ear: Worker<'_>| {
                let (mut scan, mut nothing) = (scan_of(form, data, piece), ());
                let mut heard = Heard::by(&mut nothing, ear);
                // Where there is no memory for more, the scan goes on here later.
                let mut found = Vec::new();
                while found.len() < FAULTS_AHEAD
                    && found.try_reserve(1).is_ok()
                    && let Some(fault) = scan.next_fault(&mut heard)
                {
                    found.push(fault);
                }
                Place { found: found.into_iter(), at: scan.at, limit: scan.limit }
            };
            self.ahead = py.detach(|| heard_by_threads(self.threads, &batch, work))?.into();
            self.pieces.by_ref().take(batch.len()).for_each(drop);
        }
        Ok(self.ahead.pop_front().unwrap_or_default())
    }
}

/// Return where the first unit starts that is ill-formed or not yet certain: see `eightfold.pieces.well_formed_end`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final), text_signature = "(form, data, start, *, final)")]
pub fn well_formed_end(
    form: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    start: usize,
    r#final: Truth,
) -> PyResult<Made<usize>> {
    let start = offset_in(data.as_bytes(), start)?;
    Ok(Made(first_stop(data.py(), &Handle::of(form)?.get().form, data.as_bytes(), start, r#final.0)?.0))
}

/// Return the fault at an ill-formed decoding unit: see `eightfold.reference.fault_at`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final=Truth(true)), text_signature = "(form, data, start, *, final=True)")]
pub fn fault_at<'py>(
    form: &Bound<'py, PyAny>,
    data: &Bound<'py, PyBytes>,
    start: usize,
    r#final: Truth,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let handle = Handle::of(form)?;
    let fault = handle.get().form.fault_at(data.as_bytes(), offset_in(data.as_bytes(), start)?, r#final.0);
    fault.map(|fault| fault_object(data, 0, &handle.get().name, fault)).transpose()
}

/// The end of a sequence, and its code point.
type Sequence = (usize, Option<u32>);

/// Return the sequence at an offset, its end and its code point: see `eightfold.reference.sequence_at`.
#[pyfunction]
#[pyo3(signature = (form, data, start, *, r#final=Truth(true)), text_signature = "(form, data, start, *, final=True)")]
pub fn sequence_at(
    form: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    start: usize,
    r#final: Truth,
) -> PyResult<Made<Option<Sequence>>> {
    let start = offset_in(data.as_bytes(), start)?;
    Ok(Made(match Handle::of(form)?.get().form.sequence_at(data.as_bytes(), start, r#final.0) {
        Step::Wait => None,
        Step::Value { end, code_point } => Some((end, Some(code_point))),
        Step::Unit { end } => Some((end, None)),
    }))
}
