//! A pass over bytes from Python: the core as far as it has answers, then a handler for one fault.

use std::sync::Arc;

use eightfold_core::{Form, Halt, NO_RUN, OnFault, Pass, Pending, Sink, Span};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::ask::{Answer, Asking};
use crate::fault_object::fault_object;
use crate::handle::Reading;
use crate::heard::Heard;
use crate::released::released;
use crate::surveyed::Surveyed;

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
    /// Whether a sequence without a fixed length goes on where the pass ended.
    pub in_run: bool,
    /// Whether one goes on where the pass begins, and nothing has been read yet.
    begins_in_run: bool,
    /// What is known of the unit without a fixed length that was met last: see [`Form::run_in`].
    run: Span,
    asking: Asking,
}

impl<'py> Reader<'py> {
    /// A pass that begins at an offset.
    pub fn new(reading: Arc<Reading>, input: Bound<'py, PyBytes>, at: usize, largest: u32) -> Self {
        let limit = input.as_bytes().len();
        // The handler gets the whole fault, of which the core would have answered a part.
        let is_in_part = reading.form.is_answered_in_part(reading.on_fault);
        Reader {
            input,
            at,
            limit,
            on_fault: if is_in_part { OnFault::Stop } else { reading.on_fault },
            reading,
            largest,
            in_run: false,
            begins_in_run: false,
            run: NO_RUN,
            asking: Asking::default(),
        }
    }

    /// A pass over a piece of a stream, in which a sequence without a fixed length may go on that began in an earlier
    /// one.
    pub fn of_piece(reading: Arc<Reading>, data: Bound<'py, PyBytes>, at: usize, largest: u32, in_run: bool) -> Self {
        let in_run = in_run && reading.form.has_run();
        Reader { in_run, begins_in_run: in_run, ..Reader::new(reading, data, at, largest) }
    }

    /// The same pass over its input from an offset on.
    pub fn from(&self, at: usize) -> Self {
        Reader::new(self.reading.clone(), self.input.clone(), at, self.largest)
    }

    /// Whether there are sequences without a fixed length.
    pub fn has_run(&self) -> bool {
        self.reading.form.has_run()
    }

    /// Leave to the handler what gives several code points, where the target may lack one of them: a sink that stops
    /// for each code point must be able to go on right behind it.
    pub fn write_to(&mut self, target: &Form) {
        if !target.has_answers(self.on_fault) {
            self.on_fault = OnFault::Stop;
        }
    }

    /// Go on until something must be dealt with.
    pub fn next(&mut self, is_final: bool, sink: &mut (impl Sink + Send)) -> PyResult<Event> {
        if std::mem::take(&mut self.begins_in_run) {
            return self.rest_of_run();
        }
        match self.run(is_final, sink)? {
            Halt::End(at) => {
                self.at = at;
                if !is_final
                    && self.limit - at >= self.reading.form.tables.unit_bytes
                    && let Some(end) = self.entered_run()
                {
                    return self.ask(at, end, None);
                }
                self.in_run &= !is_final;
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
    pub fn measured(&self) -> PyResult<Option<Surveyed<'_>>> {
        Surveyed::new(self.input.py(), self.pass(true), self.at)
    }

    fn run(&self, is_final: bool, sink: &mut (impl Sink + Send)) -> PyResult<Halt> {
        let (pass, start, run) = (self.pass(is_final), self.at, self.run);
        let mut heard = Heard::new(sink);
        let halt = released(self.input.py(), pass.data.len(), || pass.run_within(start, run, &mut heard));
        heard.result()?;
        Ok(halt)
    }

    /// Let the handler answer a fault.
    fn ask(&mut self, start: usize, end: usize, code_point: Option<u32>) -> PyResult<Event> {
        self.at = start;
        self.run = self.reading.form.run_in(start, end).unwrap_or(self.run);
        let answer = self.asking.ask(&self.reading, &self.input, (start, end), code_point)?;
        Ok(self.follow(start, end, answer))
    }

    /// The end, so far, of a sequence without a fixed length that begins here and can be passed over: the built-in
    /// policies either raise at it or see no more than byte after byte, so that what follows in the next piece need not
    /// be seen with it. Another handler is called once with all of it.
    fn entered_run(&mut self) -> Option<usize> {
        let end = self.reading.form.run_at(self.input.as_bytes(), self.at).filter(|_| self.reading.is_built_in);
        self.in_run = end.is_some();
        end
    }

    /// Go over what belongs to a sequence without a fixed length that began in an earlier piece.
    fn rest_of_run(&mut self) -> PyResult<Event> {
        let (form, data, start) = (&self.reading.form, self.input.as_bytes(), self.at);
        let end = form.run_end(data, start);
        self.in_run = data.len() - end < form.tables.unit_bytes;
        if end == start || self.reading.answers_once() {
            self.at = end;
            return Ok(Event::Points { start, end, points: Vec::new() });
        }
        // As of a sequence that begins here.
        let fault = form.fault_at(data, start, true).expect("the whole input is there");
        let fault = fault_object(&self.input, 0, &self.reading.name, fault)?;
        self.run = form.run_in(start, end).unwrap_or(self.run);
        let answer = self.asking.ask_about(&self.reading, &self.input, (start, end), fault)?;
        Ok(self.follow(start, end, answer))
    }

    /// Go on where an answer says.
    fn follow(&mut self, start: usize, end: usize, answer: Answer<'py>) -> Event {
        self.at = answer.position;
        self.set_input(answer.data);
        Event::Points { start, end, points: answer.points }
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
}

/// Give a sink code points that stand for one span of the input; for sinks that take everything.
pub fn put_all(sink: &mut impl Sink, points: &[u32]) -> PyResult<()> {
    sink.reserve(points.len()).map_err(|_| PyMemoryError::new_err(()))?;
    for &point in points {
        sink.put(point, 0, 0).map_err(|_| PyMemoryError::new_err(()))?;
    }
    Ok(())
}
