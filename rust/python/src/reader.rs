//! A pass over bytes from Python: the core as far as it has answers, then a handler for one fault; that of a stream goes
//! on with `eightfold.run.Decoding`.

use std::sync::Arc;

use eightfold_core::{Form, Halt, NO_RUN, OnFault, Pass, Pending, Sink, Span};
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

use crate::ask::Asking;
use crate::handle::Reading;
use crate::memory::released;
use crate::names;
use crate::surveyed::Surveyed;

/// Bytes as they are; a snapshot of what any other object exports, which others may be writing to.
pub fn bytes_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    match data.cast_exact::<PyBytes>() {
        Ok(bytes) => Ok(bytes.clone()),
        Err(_) => Ok(view_of(data)?.call_method0(intern!(data.py(), "tobytes"))?.cast_into()?),
    }
}

/// A view of any bytes-like object.
pub fn view_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyMemoryView>> {
    let py = data.py();
    PyMemoryView::from(data).or_else(|error| {
        let has_none = error.is_instance_of::<PyTypeError>(py);
        Err(if has_none { PyErr::from_value(names::wants_bytes(py)?.call1((data,))?) } else { error })
    })
}

/// What reading came to.
pub enum Event {
    /// The end of the input, or where more input could change the answer.
    End,
    /// Code points that Python gave for a span of the input.
    Points {
        /// Where the span starts.
        start: usize,
        /// Where it ends.
        end: usize,
        /// What it gave.
        points: Vec<u32>,
    },
    /// A code point that the sink could not take.
    Unwritten(Pending),
}

/// A pass over bytes that can be gone on with after a fault.
pub struct Reader<'py> {
    /// The input; a handler may put another in its place.
    pub input: Bound<'py, PyBytes>,
    /// The offset to go on at.
    pub at: usize,
    /// Where the input ends for now; a cut.
    pub limit: usize,
    reading: Arc<Reading>,
    on_fault: OnFault,
    largest: u32,
    in_run: bool,
    /// A pass of Python's, which is gone on with.
    decoding: Option<Bound<'py, PyAny>>,
    /// What is known of the unit without a fixed length that was met last: see [`Form::run_in`].
    run: Span,
    asking: Asking,
}

impl<'py> Reader<'py> {
    /// A pass that begins at an offset.
    pub fn new(reading: Arc<Reading>, input: Bound<'py, PyBytes>, at: usize, largest: u32) -> Self {
        let limit = input.as_bytes().len();
        // The handler is told of the whole fault, of which the core would have answered a part.
        let is_in_part = reading.form.is_answered_in_part(reading.on_fault);
        Reader {
            input,
            at,
            limit,
            on_fault: if is_in_part { OnFault::Stop } else { reading.on_fault },
            reading,
            largest,
            in_run: false,
            decoding: None,
            run: NO_RUN,
            asking: Asking::default(),
        }
    }

    /// Go on with a pass of Python's.
    pub fn of(decoding: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = decoding.py();
        let reading = Arc::new(Reading::of(&decoding.getattr(intern!(py, "reading"))?)?);
        let input = decoding.getattr(intern!(py, "data"))?.cast_into()?;
        let at = decoding.getattr(intern!(py, "position"))?.extract()?;
        let largest = decoding.getattr(intern!(py, "largest"))?.extract()?;
        let mut reader = Reader::new(reading, input, at, largest);
        reader.in_run = decoding.getattr(intern!(py, "in_run"))?.is_truthy()?;
        reader.decoding = Some(decoding.clone());
        Ok(reader)
    }

    /// The same pass over its input from an offset on.
    pub fn from(&self, at: usize) -> Self {
        Reader::new(self.reading.clone(), self.input.clone(), at, self.largest)
    }

    /// Whether there are sequences without a fixed length.
    pub fn has_run(&self) -> bool {
        self.reading.form.has_run()
    }

    /// Leave to the handler what gives several code points, where the target may lack one of them: a sink that stops for
    /// each code point must be able to go on right behind it.
    pub fn write_to(&mut self, target: &Form) {
        if !target.has_answers(self.on_fault) {
            self.on_fault = OnFault::Stop;
        }
    }

    /// Go on until something must be dealt with.
    pub fn next(&mut self, is_final: bool, sink: &mut (impl Sink + Send)) -> PyResult<Event> {
        let py = self.input.py();
        if std::mem::take(&mut self.in_run) {
            let end = self.reading.form.run_end(self.input.as_bytes(), self.at);
            let piece = self.synchronised()?.call_method1(intern!(py, "rest_of_run"), (end,))?;
            return self.follow(&piece);
        }
        match self.run(is_final, sink) {
            Halt::End(at) => {
                self.at = at;
                // A sequence without a fixed length goes on in the next piece, and its bytes need not be held.
                let may_enter = !is_final && at < self.limit && self.has_run();
                if may_enter && self.synchronised()?.call_method0(intern!(py, "enters_run"))?.is_truthy()? {
                    return self.ask(at, self.limit, None);
                }
                Ok(Event::End)
            }
            Halt::Fault { start, end, code_point } => self.ask(start, end, code_point),
            Halt::Unwritten(pending) => Ok(Event::Unwritten(pending)),
            Halt::OutOfMemory => Err(PyMemoryError::new_err(())),
        }
    }

    /// The pass as the core has it.
    pub fn pass(&self, is_final: bool) -> Pass<'_> {
        Pass {
            form: &self.reading.form,
            data: &self.input.as_bytes()[..self.limit],
            is_final,
            largest: self.largest,
            on_fault: self.on_fault,
        }
    }

    /// The whole input, measured; None where Python must be asked.
    pub fn measured(&self) -> Option<Surveyed<'_>> {
        Surveyed::new(self.input.py(), self.pass(true), self.at)
    }

    fn run(&self, is_final: bool, sink: &mut (impl Sink + Send)) -> Halt {
        let (pass, start, run) = (self.pass(is_final), self.at, self.run);
        released(self.input.py(), pass.data.len(), || pass.run_within(start, run, sink))
    }

    /// Let the handler answer a fault; a pass of Python's remembers what it was asked.
    fn ask(&mut self, start: usize, end: usize, code_point: Option<u32>) -> PyResult<Event> {
        let py = self.input.py();
        self.at = start;
        self.run = self.reading.form.run_in(start, end).unwrap_or(self.run);
        if self.decoding.is_none() {
            let answer = self.asking.ask(&self.reading, &self.input, (start, end), code_point)?;
            self.at = answer.position;
            self.set_input(answer.data);
            return Ok(Event::Points { start, end, points: answer.points });
        }
        let unit = names::decoded_type(py)?.call1((end, code_point))?;
        let piece = self.synchronised()?.call_method1(intern!(py, "ask"), (unit,))?;
        self.follow(&piece)
    }

    /// The pass as Python has it, at our place.
    fn synchronised(&self) -> PyResult<Bound<'py, PyAny>> {
        let decoding = self.decoding.clone().expect("only a pass of Python's stops before its input ends");
        decoding.setattr(intern!(decoding.py(), "position"), self.at)?;
        Ok(decoding)
    }

    /// Go on where Python's pass is now.
    fn follow(&mut self, piece: &Bound<'py, PyAny>) -> PyResult<Event> {
        let py = self.input.py();
        if let Some(decoding) = &self.decoding {
            self.at = decoding.getattr(intern!(py, "position"))?.extract()?;
            self.set_input(decoding.getattr(intern!(py, "data"))?.cast_into()?);
        }
        Ok(Event::Points {
            start: piece.getattr(intern!(py, "start"))?.extract()?,
            end: piece.getattr(intern!(py, "end"))?.extract()?,
            points: integers(&piece.getattr(intern!(py, "code_points"))?)?,
        })
    }

    /// What a handler has put in the place of the input has no pieces, and what it has passed over is behind them.
    fn set_input(&mut self, input: Bound<'py, PyBytes>) {
        if !input.is(&self.input) {
            self.run = NO_RUN;
        }
        if !input.is(&self.input) || self.at > self.limit {
            self.limit = input.as_bytes().len();
        }
        self.input = input;
    }

    /// Leave Python's pass where we are.
    pub fn finish(&mut self, is_final: bool) -> PyResult<()> {
        let decoding = self.synchronised()?;
        if is_final {
            decoding.setattr(intern!(decoding.py(), "in_run"), false)?;
        }
        Ok(())
    }
}

/// The integers of a sequence. PyO3's own conversion ends the process where there is no memory for them.
fn integers(sequence: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
    let mut integers = Vec::new();
    integers.try_reserve(sequence.len()?).map_err(|_| PyMemoryError::new_err(()))?;
    for each in sequence.try_iter()? {
        integers.push(each?.extract()?);
    }
    Ok(integers)
}

/// Give a sink code points that stand for one span of the input; for sinks that take everything.
pub fn put_all(sink: &mut impl Sink, points: &[u32]) -> PyResult<()> {
    sink.reserve(points.len()).map_err(|_| PyMemoryError::new_err(()))?;
    for &point in points {
        sink.put(point, 0, 0).map_err(|_| PyMemoryError::new_err(()))?;
    }
    Ok(())
}
