//! Short ASCII with faults between, to which nothing is answered: what is left of it are the bytes that are ASCII.

use std::mem::MaybeUninit;

use crate::derive::layout::Layout;
use crate::derive::piece::{Piece, window};
use crate::kernels::Ascii;
use crate::policy::OnFault;
use crate::read::pass::Pass;
use crate::read::short::MOST_POINTS;

/// Memory for what is left.
pub type ShortAscii = [MaybeUninit<u8>; MOST_POINTS];

impl Pass<'_> {
    /// What is left of a short input without its faults; None where that is not ASCII.
    ///
    /// # Panics
    /// This is not to be [tried](Pass::may_be_ascii_around_faults).
    #[must_use]
    pub fn read_short_ascii<'m>(&self, memory: &'m mut ShortAscii) -> Option<Ascii<'m>> {
        let layout = self.layout_around_faults().expect("the input is short, and its faults are ignored");
        Ascii::around(self.data, memory, |at| match layout.piece(&window(self.data, at)) {
            Piece::IllFormed(length) => Some(at + length),
            _ => None,
        })
    }

    /// Whether [`Pass::read_short_ascii`] may be asked: nothing is answered to faults, the form has a layout, and the
    /// input is short.
    #[must_use]
    pub fn may_be_ascii_around_faults(&self) -> bool {
        self.layout_around_faults().is_some()
    }

    fn layout_around_faults(&self) -> Option<&Layout> {
        let is_dropped = self.on_fault == OnFault::Ignore && self.is_final && self.data.len() <= MOST_POINTS;
        let layout = self.form.layout.as_ref().filter(|_| is_dropped)?;
        (layout.has_nul && layout.escape.is_none()).then_some(layout)
    }
}
