//! Short text that is UTF-8 but for a few faults, each of which the policy answers: measured piece by piece, and written
//! once. For so little, the kernels of `pass` cost more to begin with than to run.

use std::array;

use crate::kernels::{Measured, Output, Width};
use crate::read::pass::{Pass, Sink, Survey};
use crate::read::sequence::{NO_RUN, Step};

/// The most faults.
const MOST_FAULTS: usize = 4;

/// A fault: where it starts and ends.
type Fault = (usize, usize);

/// Pieces of valid UTF-8, with a fault behind each but the last.
pub struct Patched<'a> {
    pass: Pass<'a>,
    pieces: [Option<(Measured<'a>, Option<Fault>)>; MOST_FAULTS + 1],
    survey: Survey,
}

impl<'a> Patched<'a> {
    /// Measure the whole input of a pass. None if the form does not share all of UTF-8, if the input has more faults than a
    /// few or anything that UTF-8 lacks, and if the policy does not answer by itself.
    #[must_use]
    pub fn new(pass: Pass<'a>) -> Option<Self> {
        if !(pass.on_fault.answers_alone() && pass.is_final && pass.form.agreement.is_total()) {
            return None;
        }
        let mut patched = Patched { pass, pieces: array::from_fn(|_| None), survey: Survey::begun(0) };
        let mut at = 0;
        for place in 0..=MOST_FAULTS {
            let piece = Measured::new(&pass.data[at..]);
            at += piece.text().len();
            patched.survey.add(&piece, at);
            // With twice as many as may be, if the others are as close together as these.
            let are_many = place >= 2 && place * pass.data.len() > 2 * MOST_FAULTS * at;
            if are_many {
                return None;
            }
            let fault = if at == pass.data.len() { None } else { Some(patched.measure_answer(&mut at)?) };
            patched.pieces[place] = Some((piece, fault));
            if fault.is_none() {
                return Some(patched);
            }
        }
        None
    }

    /// Answer the fault at an offset, which is moved behind it.
    fn measure_answer(&mut self, at: &mut usize) -> Option<Fault> {
        let Step::Unit { end } = self.pass.form.step_at(self.pass.data, *at, true, NO_RUN) else { return None };
        let fault = (*at, end);
        *at = self.pass.answer(fault.0, end, None, &mut self.survey).ok()?;
        Some(fault)
    }

    /// The number of code points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.survey.count
    }

    /// The narrowest kind of str that holds them.
    #[must_use]
    pub fn width(&self) -> Width {
        self.survey.width
    }

    /// Write the code points; `put` writes those of a piece.
    ///
    /// # Panics
    /// There is no room for them.
    pub fn write<'o, T>(&self, out: &mut Output<'o, T>, put: impl Fn(&Measured<'a>, &mut Output<'o, T>))
    where
        Output<'o, T>: Sink,
    {
        for (piece, fault) in self.pieces.iter().map_while(Option::as_ref) {
            put(piece, out);
            if let &Some((start, end)) = fault {
                let answered = self.pass.answer(start, end, None, out);
                debug_assert!(answered.is_ok(), "an answer that was measured");
            }
        }
    }
}
