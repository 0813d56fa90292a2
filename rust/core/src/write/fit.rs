//! How much of a text fits into so many bytes of a form.

use crate::chunk::{CHUNK_POINTS, WINDOW_POINTS, point_window_after};
use crate::form::Form;
use crate::kernels::{Script, Text};
use crate::policy::Missing;
use crate::read::sequence::Step;

/// So few code points are measured one by one.
const FEW_POINTS: usize = 32;
/// The same of those that are not likely to fit all, which the kernels measure more than once.
const FEW_TO_CUT: usize = 96;
/// The most bytes that a code point is likely to take.
const LIKELY_BYTES: usize = 3;

/// The part of a text that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The index where it ends.
    pub end: usize,
    /// The bytes that it takes.
    pub bytes: usize,
    /// The code points that the form lacks, as one unit of error, if bytes are left and these come next.
    pub missing: Option<(usize, usize)>,
}

impl Form {
    /// The longest part of a text, from an index on, that takes at most so many bytes. It does not end between the
    /// halves of a pair that the form joins, or that would be read back as one code point. It ends sooner if `goes_on`,
    /// which is given how many code points have just been measured, says so.
    #[must_use]
    pub fn fit(&self, text: Text<'_>, start: usize, room: usize, mut goes_on: impl FnMut(usize) -> bool) -> Fit {
        let script = self.script(self.spelling.as_ref(), Missing::Stop, text);
        let fitting = Fitting { form: self, shares_utf8: self.agreement.is_total(), text, room };
        let (mut fit, mut window) = (Fit { end: start, bytes: 0, missing: None }, WINDOW_POINTS);
        while fit.end < text.len() {
            let before = fit.end;
            if let Some(script) = script.as_ref().filter(|_| !fitting.is_little(&fit)) {
                fitting.take(script, &mut fit, &mut goes_on);
            }
            window = point_window_after(fit.end - before, window);
            // One more than can follow shows that it does not fit.
            let count = if fitting.is_little(&fit) { FEW_TO_CUT + 1 } else { window };
            if !fitting.walk(&mut fit, count) || !goes_on(fit.end - before) {
                break;
            }
        }
        fitting.without_half(start, fit)
    }
}

struct Fitting<'a> {
    form: &'a Form,
    shares_utf8: bool,
    text: Text<'a>,
    room: usize,
}

impl Fitting<'_> {
    /// How many code points can follow at most: each takes a unit at least.
    fn most_points(&self, fit: &Fit) -> usize {
        (self.text.len() - fit.end).min((self.room - fit.bytes) / self.form.tables.unit_bytes)
    }

    /// Whether so few code points can follow that they are better measured one by one.
    fn is_little(&self, fit: &Fit) -> bool {
        let fits_all = (self.room - fit.bytes) / LIKELY_BYTES >= self.text.len() - fit.end;
        self.most_points(fit) <= if fits_all { FEW_POINTS } else { FEW_TO_CUT }
    }

    /// Go on with the kernels, until they stop or not much more fits.
    fn take(&self, script: &Script<'_>, fit: &mut Fit, goes_on: &mut impl FnMut(usize) -> bool) {
        let mut size = CHUNK_POINTS;
        while fit.end < self.text.len() {
            let count = size.min(self.most_points(fit));
            let limit = self.text.whole_up_to(fit.end + count).max(fit.end);
            let stretch = script.measure(fit.end, limit);
            if stretch.bytes > self.room - fit.bytes {
                if count <= FEW_POINTS {
                    return;
                }
                size = count / 2;
                continue;
            }
            let taken = stretch.end - fit.end;
            (fit.end, fit.bytes) = (stretch.end, fit.bytes + stretch.bytes);
            if taken == 0 || stretch.end < limit || !goes_on(taken) {
                return;
            }
        }
    }

    /// Go on with some code points, one by one; return false if the next one does not fit or is lacking.
    fn walk(&self, fit: &mut Fit, window: usize) -> bool {
        let limit = self.text.len().min(fit.end + window);
        while fit.end < limit {
            let (code_point, next) = self.form.next_written(self.text, fit.end);
            let left = self.room - fit.bytes;
            match self.length(code_point) {
                Some(bytes) if bytes <= left => (fit.end, fit.bytes) = (next, fit.bytes + bytes),
                Some(_) => return false,
                None => {
                    let missing = || (fit.end, self.form.missing_end(self.text, fit.end));
                    fit.missing = (left > 0).then(missing);
                    return false;
                }
            }
        }
        true
    }

    /// The bytes that a code point takes, if the form has it.
    #[inline]
    fn length(&self, code_point: u32) -> Option<usize> {
        let shared = char::from_u32(code_point).filter(|_| self.shares_utf8);
        shared.map_or_else(|| self.form.length(code_point), |char| Some(char.len_utf8()))
    }

    /// The part without a lead at its end that would be read back together with the trail that follows.
    fn without_half(&self, start: usize, fit: Fit) -> Fit {
        if fit.end == start || self.text.whole_up_to(fit.end) == fit.end {
            return fit;
        }
        let mut pair = Vec::new();
        self.form.write(self.text.at(fit.end - 1), &mut pair);
        let lead = pair.len();
        self.form.write(self.text.at(fit.end), &mut pair);
        let is_one = matches!(self.form.sequence_at(&pair, 0, true), Step::Value { end, .. } if end > lead);
        let fit_before = Fit { end: fit.end - 1, bytes: fit.bytes - lead, missing: None };
        if is_one { fit_before } else { fit }
    }
}
