//! One form to another, without a str between.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "simdutf")]
use eightfold_core::kernels::ShortUnits;
use eightfold_core::kernels::{Width, is_ascii, is_utf8};
use eightfold_core::{
    Form, Halt, Held, Joined, LARGEST_IN_STR, Meter, Missing, OnFault, PIECE_BYTES, Pass, Pending, Sink, Text,
    Unwritten, Writer, by_threads,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_object::{bytes_if_written, bytes_of_parts, bytes_of_slice, bytes_of_text};
use crate::given::{Optional, Truth, bytes_of, offset_in};
use crate::handle::{Errors, Handle, Writing, shares_ascii};
use crate::made::{Made, Make};
use crate::memory::append;
use crate::names;
use crate::once::intern;
use crate::policy_names::PolicyName;
use crate::reader::{Event, Reader};
use crate::released::{RELEASE_BYTES, released};
use crate::running::Run;
use crate::threads::{PIECES_AHEAD, threads_of};

/// What `replace` writes, at either end.
pub const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Pieces that are longer, where an input cannot be cut, are not held whole.
const LONGEST_PIECE: usize = 4 * PIECE_BYTES;

/// A part of the output is full at this size. When the bytes are made, each goes back to the system as soon as it is
/// copied: the C library keeps none that is larger than 32 MiB for itself.
const PART_BYTES: usize = 33 << 20;

/// Longer inputs are converted piece by piece: between pieces signals are heard, and threads share them.
const LONGEST_DIRECT: usize = 16 << 20;

/// No more memory than this is kept from one conversion for the next.
const SPARE_BYTES: usize = 4 << 20;

thread_local! {
    /// What the last conversion was written to: new memory costs as much again, as its pages come one by one.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// What is beside the core's writer: it answers for code points that the form lacks.
pub struct Target<'py> {
    writing: Arc<Writing>,
    source: Bound<'py, PyAny>,
    replacement: char,
    /// Where the input begins in the whole source.
    offset: usize,
}

/// The core's writer for a policy.
pub fn writer(writing: &Writing, replacement: char, out: Vec<u8>) -> Writer<'_> {
    let mut bytes = Vec::new();
    let replaces = writing.missing == Missing::Replace && writing.form.write_all(&[u32::from(replacement)], &mut bytes);
    let unwritten = match writing.missing {
        Missing::Ignore => Unwritten::Write(bytes.into()),
        Missing::Replace if replaces => Unwritten::Write(bytes.into()),
        Missing::Stop | Missing::Replace => Unwritten::Stop,
        policy => Unwritten::Answer(policy),
    };
    Writer::new(&writing.form, unwritten, out)
}

impl<'py> Target<'py> {
    /// A target; `source` is the name of where code points come from.
    pub fn new(writing: &Arc<Writing>, source: Bound<'py, PyAny>, replacement: char) -> Self {
        Target { writing: writing.clone(), source, replacement, offset: 0 }
    }

    /// A target without an answer to any fault.
    pub fn strict(writing: &Arc<Writing>, source: Bound<'py, PyAny>) -> Self {
        Target::new(writing, source, REPLACEMENT)
    }

    /// Let Python answer for a code point that the form lacks: its bytes, or an exception.
    pub fn ask(&self, code_point: Bound<'py, PyAny>, start: usize, end: usize) -> PyResult<Bound<'py, PyBytes>> {
        let place = Made((code_point, start.wrapping_add(self.offset), end.wrapping_add(self.offset)));
        let (py, replacement) = (self.source.py(), Made(self.replacement.to_string()));
        let given = (self.writing.object.bind(py), &self.source, place, replacement);
        Ok(names::replaced(py)?.run(given)?.cast_into()?)
    }

    /// Write what Python answers for a code point that the core could not write.
    fn answer(&self, writer: &mut Writer<'_>, pending: Pending) -> PyResult<()> {
        let code_point = pending.code_point.make(self.source.py())?;
        let bytes = self.ask(code_point, pending.start, pending.end)?;
        append(&mut writer.out, bytes.as_bytes())
    }

    /// Write a code point.
    pub fn put(&self, writer: &mut Writer<'_>, code_point: u32, start: usize, end: usize) -> PyResult<()> {
        loop {
            match writer.put(code_point, start, end) {
                Ok(()) => return Ok(()),
                Err(Halt::Unwritten(pending)) => {
                    self.answer(writer, pending)?;
                    // Else it was a lead before this code point that could not be written.
                    if pending.resume == end {
                        return Ok(());
                    }
                }
                Err(_) => return Err(PyMemoryError::new_err(())),
            }
        }
    }

    /// Write a lead that is held: nothing follows it.
    pub fn finish(&self, writer: &mut Writer<'_>) -> PyResult<()> {
        match writer.finish(0) {
            Ok(()) => Ok(()),
            Err(Halt::Unwritten(pending)) => self.answer(writer, pending),
            Err(_) => Err(PyMemoryError::new_err(())),
        }
    }

    /// Read until the input ends, and write.
    fn take(&self, reader: &mut Reader<'py>, writer: &mut Writer<'_>, is_final: bool) -> PyResult<()> {
        loop {
            match reader.next(is_final, writer).map_err(|error| self.converted(error))? {
                Event::End => break,
                Event::Unwritten(pending) => {
                    self.answer(writer, pending)?;
                    reader.at = pending.resume;
                }
                Event::Points { start, end, points } => {
                    for point in points {
                        self.put(writer, point, start, end)?;
                    }
                }
            }
        }
        if is_final { self.finish(writer) } else { Ok(()) }
    }

    /// Read all that is left, and write.
    fn take_rest(&self, mut reader: Reader<'py>, writer: &mut Writer<'_>) -> PyResult<()> {
        reader.write_to(&self.writing.form);
        self.take(&mut reader, writer, true)
    }

    /// Read up to an offset, and write; no more is held than what a piece comes to. Say whether that is where it ended:
    /// a handler may have put other data in the place of these.
    fn take_up_to(&self, reader: &mut Reader<'py>, end: usize, parts: &mut Vec<Vec<u8>>) -> PyResult<bool> {
        let writing = self.writing.clone();
        let mut writer = writer(&writing, REPLACEMENT, parts.pop().unwrap_or_default());
        let (input, mut last) = (reader.input.clone(), end);
        reader.write_to(&writing.form);
        loop {
            // Who asks to stop is heard between pieces.
            self.source.py().check_signals()?;
            // What a handler has put in the place of the input may end right at the last limit.
            last = last.min(reader.input.as_bytes().len());
            // What may go on without an end is not cut.
            let limit = if reader.has_run() { last } else { last.min(reader.at + PIECE_BYTES) };
            reader.limit = limit;
            self.take(reader, &mut writer, limit == last)?;
            if writer.out.len() >= PART_BYTES {
                parts.push(std::mem::take(&mut writer.out));
            }
            if reader.limit != limit {
                // A handler has gone further, or put other data there.
                last = reader.limit;
            } else if limit == last {
                parts.push(writer.out);
                return Ok(reader.input.is(&input) && reader.at == end);
            }
        }
    }

    /// Read all, and count what would be written.
    pub fn count(&self, reader: &mut Reader<'py>) -> PyResult<usize> {
        let mut meter = Meter::new(&self.writing.form);
        // The policy answers nothing: what Python is asked about raises.
        loop {
            match reader.next(true, &mut meter).map_err(|error| self.converted(error))? {
                Event::End => break,
                Event::Unwritten(pending) => self.answer(&mut meter.writer, pending)?,
                Event::Points { .. } => {}
            }
        }
        self.finish(&mut meter.writer)?;
        Ok(meter.bytes())
    }

    /// Convert a long input piece by piece, several at once: what a piece has that Python must answer is met when those
    /// before it are written. No more is held than what has been written, and some pieces.
    fn take_pieces(&self, reader: &Reader<'py>, threads: NonZeroUsize, parts: &mut Vec<Vec<u8>>) -> PyResult<()> {
        let (py, writing) = (reader.input.py(), self.writing.clone());
        let (input, pass) = (reader.input.clone(), reader.pass(true));
        let pieces: Vec<_> = pass.form.pieces(input.as_bytes(), reader.at).collect();
        for batch in pieces.chunks(PIECES_AHEAD * threads.get()) {
            py.check_signals()?;
            let convert = |piece: &Range<usize>| {
                let pass = Pass { data: &pass.data[..piece.end], ..pass };
                let is_short = piece.len() < LONGEST_PIECE;
                is_short.then(|| writer(&writing, REPLACEMENT, Vec::new()).wrote(&pass, piece.start)).flatten()
            };
            let converted = py.detach(|| by_threads(threads, batch, convert));
            for (piece, converted) in batch.iter().zip(converted) {
                if let Some(part) = converted {
                    add(part, parts)?;
                } else if !self.take_up_to(&mut reader.from(piece.start), piece.end, parts)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The ConversionError for a DecodeError of ours; anything else as it is.
    fn converted(&self, error: PyErr) -> PyErr {
        self.raised(&error).err().unwrap_or(error)
    }

    fn raised(&self, error: &PyErr) -> PyResult<()> {
        let py = self.source.py();
        let value = error.value(py);
        if !value.is_instance(names::decode_error_type(py)?)? || value.getattr(intern!(py, "fault"))?.is_none() {
            return Ok(());
        }
        let unit = (value.getattr(intern!(py, "start"))?, value.getattr(intern!(py, "end"))?);
        let name = self.writing.object.bind(py).getattr(intern!(py, "name"))?;
        let fault = value.getattr(intern!(py, "fault"))?;
        names::raise_conversion(py)?.run((&self.source, name, Made(self.offset), fault, Made(unit))).map(|_| ())
    }
}

/// Add to the last part, or begin another.
fn add(part: Vec<u8>, parts: &mut Vec<Vec<u8>>) -> PyResult<()> {
    match parts.last_mut() {
        Some(last) if last.len() < PART_BYTES => append(last, &part)?,
        _ => parts.push(part),
    }
    Ok(())
}

/// Return bytes of one form as bytes of another: see `eightfold.text.convert`.
#[pyfunction]
#[pyo3(
    signature = (data, source, target, errors=Errors::Strict, *, threads=Optional::Absent),
    text_signature = "(data, source, target, errors='strict', *, threads=1)"
)]
pub fn convert<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    errors: Errors<'py>,
    threads: Optional<'py>,
) -> PyResult<Bound<'py, PyBytes>> {
    let (source, target) = (Handle::of(source)?, Handle::of(target)?);
    let (from, to) = (source.get(), target.get());
    from.check_both(to, py, &errors)?;
    let threads = threads_of(&threads)?;
    let content = bytes_of(data)?;
    // Offsets count in all of the data here, whatever the signature.
    let (plain, skipped) = from.announced(content.as_bytes());
    let reading = from.reading(py, plain, &errors, true)?;
    let writing = to.writing(py, &errors)?;
    let rest = &content.as_bytes()[skipped..];
    if is_same_text(py, &reading.form, &writing.form, rest) {
        return same_text(content, skipped, to.mark());
    }
    if let Some(bytes) = direct(py, [&reading.form, &writing.form], rest, to.mark(), threads)? {
        return Ok(bytes);
    }
    let target = Target::new(&writing, from.name.bind(py).clone().into_any(), REPLACEMENT);
    let mut reader = Reader::new(reading, content, skipped, u32::MAX);
    if reader.limit < 2 * PIECE_BYTES {
        let mut out = SPARE.take();
        out.extend_from_slice(to.mark());
        let mut writer = writer(&writing, REPLACEMENT, out);
        target.take_rest(reader, &mut writer)?;
        return written(py, writer.out);
    }
    let mut parts = vec![to.mark().to_vec()];
    if threads.get() == 1 && !reader.has_run() {
        let end = reader.limit;
        target.take_up_to(&mut reader, end, &mut parts)?;
    } else {
        target.take_pieces(&reader, threads, &mut parts)?;
    }
    bytes_of_parts(py, parts)
}

/// The short way of `convert`: bytes that are the same in both forms.
#[inline]
pub fn short<'py>(
    [data, source, target]: [&Bound<'py, PyAny>; 3],
    policy: Option<PolicyName>,
) -> Option<Bound<'py, PyAny>> {
    let content = data.cast_exact::<PyBytes>().ok()?.as_bytes();
    let (source, target) = (Handle::known(source)?, Handle::known(target)?);
    if !source.is_plain || !target.is_plain || content.len() >= RELEASE_BYTES {
        return None;
    }
    if !source.takes(policy) || !target.takes(policy) {
        return None;
    }
    is_same_text(data.py(), &source.form, &target.form, content).then(|| data.clone())
}

/// Whether the input is valid UTF-8 that both forms share.
fn is_same_text(py: Python<'_>, from: &Form, to: &Form, data: &[u8]) -> bool {
    released(py, data.len(), || {
        from.agreement.before_parting(data) == data.len()
            && to.agreement.before_parting(data) == data.len()
            && is_utf8(data)
    })
}

/// The bytes in another form where they can be made without reading code points; None where they cannot.
fn direct<'py>(
    py: Python<'py>,
    [from, to]: [&Form; 2],
    data: &[u8],
    mark: &[u8],
    threads: NonZeroUsize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    #[cfg(feature = "simdutf")]
    if let Some(bytes) = transcoded(py, from, to, data, mark)? {
        return Ok(Some(bytes));
    }
    if shares_ascii(from)
        && threads.get() == 1
        && let Some(bytes) = of_ascii(py, data, to, mark)?
    {
        return Ok(Some(bytes));
    }
    if shares_ascii(to) { of_wide_ascii(py, from, data, mark) } else { Ok(None) }
}

/// What bytes of ASCII are in a form, each of them a character: nothing is read, and nothing copied. None where they
/// are more, or the form lacks one of them.
fn of_ascii<'py>(py: Python<'py>, data: &[u8], form: &Form, mark: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if !released(py, data.len(), || is_ascii(data)) {
        return Ok(None);
    }
    bytes_of_text(py, (form, Missing::Stop), Text::One(data), mark)
}

/// What wide units are in a form that shares ASCII, if a look at the first ones says that all may be ASCII, and they
/// are.
fn of_wide_ascii<'py>(py: Python<'py>, from: &Form, data: &[u8], mark: &[u8]) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let pass = Pass { form: from, data, is_final: true, largest: LARGEST_IN_STR, on_fault: OnFault::Stop };
    let likely = pass.guess().filter(|guess| guess.width == Width::Ascii && data.len() < LONGEST_DIRECT);
    let Some(guess) = likely else { return Ok(None) };
    let mut width = None;
    let bytes = bytes_if_written(py, mark, guess.count, |out| width = pass.write_guessed_ucs1(&guess, out))?;
    Ok(bytes.filter(|_| width == Some(Width::Ascii)))
}

/// What clean bytes are in another form, where the core knows both as encodings of Unicode: measured, then written
/// once.
#[cfg(feature = "simdutf")]
fn transcoded<'py>(
    py: Python<'py>,
    from: &Form,
    to: &Form,
    data: &[u8],
    mark: &[u8],
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    if data.len() >= LONGEST_DIRECT {
        return Ok(None);
    }
    let mut short = ShortUnits::new();
    match released(py, data.len(), || to.transcoding(from, data, &mut short)) {
        Some(text) => bytes_if_written(py, mark, text.bytes(), |out| text.write(out)),
        None => Ok(None),
    }
}

fn same_text<'py>(content: Bound<'py, PyBytes>, skipped: usize, mark: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    if skipped == 0 && mark.is_empty() {
        return Ok(content);
    }
    let text = &content.as_bytes()[skipped..];
    PyBytes::new_with(content.py(), mark.len() + text.len(), |out| {
        out[..mark.len()].copy_from_slice(mark);
        out[mark.len()..].copy_from_slice(text);
        Ok(())
    })
}

/// A code point with the start and the end of what it came from.
type Placed = (u32, usize, usize);

/// Where a piece begins, a tuple: see `eightfold.pieces.converted_piece`.
pub struct Begun {
    /// The offset in the data at which the text begins.
    start: usize,
    /// The offset of the data in the source.
    offset: usize,
    /// 1 plus the index of the signature whose form applies; 0 if there is none.
    chosen: usize,
    in_run: bool,
    /// A lead that waits for the next code point.
    lead: Option<Placed>,
    /// Whether to count the pairs that the target joins.
    counts: bool,
}

impl<'py> FromPyObject<'_, 'py> for Begun {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (start, offset, chosen, in_run, lead, counts) = given.extract()?;
        Ok(Begun { start, offset, chosen, in_run, lead, counts })
    }
}

/// What a piece came to, a tuple of these.
pub struct Piece<'py> {
    written: Bound<'py, PyBytes>,
    /// The bytes to hold for the next piece.
    held: Bound<'py, PyBytes>,
    /// The offset of the held bytes in the source.
    offset: usize,
    in_run: bool,
    /// A lead that waits for the next code point.
    lead: Option<Placed>,
    /// The number of pairs that the target joined, and the first of them.
    joined_count: usize,
    first_joined: Option<Placed>,
}

impl<'py> Make<'py> for Piece<'py> {
    fn make(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Piece { written, held, offset, in_run, lead, joined_count, first_joined } = self;
        (written, held, offset, in_run, lead, joined_count, first_joined).make(py)
    }
}

/// Convert a piece of a stream as far as is certain: see `eightfold.pieces.converted_piece`.
#[pyfunction]
#[pyo3(
    signature = (source, target, errors, data, begun, r#final),
    text_signature = "(source, target, errors, data, begun, final)"
)]
pub fn converted_piece<'py>(
    source: &Bound<'py, PyAny>,
    target: &Bound<'py, PyAny>,
    errors: Errors<'py>,
    data: Bound<'py, PyBytes>,
    begun: Begun,
    r#final: Truth,
) -> PyResult<Made<Piece<'py>>> {
    let py = data.py();
    let offset = begun.offset;
    let start = offset_in(data.as_bytes(), begun.start)?;
    let (source, target) = (Handle::of(source)?, Handle::of(target)?);
    let reading = source.get().reading(py, begun.chosen, &errors, true)?;
    let writing = target.get().writing(py, &errors)?;
    let mut reader = Reader::of_piece(reading, data, start, u32::MAX, begun.in_run);
    reader.write_to(&writing.form);
    let end = Target { offset, ..Target::new(&writing, source.get().name.bind(py).clone().into_any(), REPLACEMENT) };
    let mut writer = writer(&writing, REPLACEMENT, SPARE.take());
    // A lead of an earlier piece stands before offset 0 of this one: its place is counted round the end of the range.
    let within = |at: usize| at.wrapping_sub(offset);
    let held = |(code_point, start, end)| Held { code_point, start: within(start), end: within(end) };
    writer.held = begun.lead.map(held);
    writer.joined = begun.counts.then(Joined::default);
    end.take(&mut reader, &mut writer, r#final.0)?;
    let beyond = |at: usize| at.wrapping_add(offset);
    let placed = |held: Held| (held.code_point, beyond(held.start), beyond(held.end));
    let (lead, joined) = (writer.held.map(placed), writer.joined.unwrap_or_default());
    Ok(Made(Piece {
        held: bytes_of_slice(py, &reader.input.as_bytes()[reader.at..])?,
        offset: beyond(reader.at),
        in_run: reader.in_run,
        written: written(py, writer.out)?,
        lead,
        joined_count: joined.count,
        first_joined: joined.first.map(placed),
    }))
}

/// The bytes that were written; the memory is kept for what comes next, unless it is much.
fn written(py: Python<'_>, mut out: Vec<u8>) -> PyResult<Bound<'_, PyBytes>> {
    let written = bytes_of_slice(py, &out);
    if out.capacity() <= SPARE_BYTES {
        out.clear();
        SPARE.set(out);
    }
    written
}
