//! A pass over an input that has been measured: what a str can be made of.

use eightfold_core::{Halt, LARGEST_IN_STR, Pass, Sink, Survey, Width};
use pyo3::prelude::*;

use crate::heard::Heard;
use crate::released::released;

/// A pass and what measuring it came to. Only [`Surveyed::new`] makes one, so that what belongs to one input is not
/// written with what was seen of another.
pub struct Surveyed<'a> {
    pass: Pass<'a>,
    start: usize,
    /// As far as it was measured.
    end: usize,
    survey: Survey,
}

impl<'a> Surveyed<'a> {
    /// Measure from an offset on, to the end or to where more input could change the answer; None where something must
    /// be handed out before.
    #[inline(always)]
    pub fn new(py: Python<'_>, pass: Pass<'a>, start: usize) -> PyResult<Option<Self>> {
        assert!(pass.largest <= LARGEST_IN_STR, "no str holds what this pass gives");
        let mut survey = Survey::begun(start);
        let mut heard = Heard::new(&mut survey);
        let halt = released(py, pass.data.len(), || pass.run(start, &mut heard));
        heard.result()?;
        let Halt::End(end) = halt else { return Ok(None) };
        // What is behind the end decides nothing before it, unless the end is inside a unit that was answered in part.
        let is_cut = pass.on_fault.answers_whole_units();
        let pass = if is_cut { Pass { data: &pass.data[..end], is_final: true, ..pass } } else { pass };
        Ok(Some(Surveyed { pass, start, end, survey }))
    }

    /// The pass.
    pub fn pass(&self) -> &Pass<'a> {
        &self.pass
    }

    /// How many code points it gives, and how wide they are.
    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    /// Where it ends.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The input, where it is ASCII and means itself.
    pub fn same(&self) -> Option<&'a [u8]> {
        let data = &self.pass.data[self.start..self.end];
        let is_same = self.survey.is_clean && self.survey.width == Width::Ascii && self.survey.count == data.len();
        is_same.then_some(data)
    }

    /// Write what was measured, unless the handler of a signal raises.
    pub fn write(&self, sink: &mut impl Sink) -> PyResult<()> {
        let mut heard = Heard::new(sink);
        self.pass.write(self.start, &self.survey, &mut heard);
        heard.result()
    }
}
