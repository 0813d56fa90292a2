//! Short ASCII with faults between, to which nothing is answered: what is left of it are the bytes that are ASCII.

use std::mem::MaybeUninit;

use crate::derive::piece::{Piece, window};
use crate::kernels::Ascii;
use crate::policy::OnFault;
use crate::read::pass::Pass;
use crate::read::short::SHORT_INPUT;

/// Memory for what is left.
pub type ShortAscii = [MaybeUninit<u8>; SHORT_INPUT];

impl Pass<'_> {
    /// What is left of a short input without its faults; None where that is not ASCII, something is answered to faults, the
    /// form has no layout or the input is too long.
    #[must_use]
    pub fn read_short_ascii<'m>(&self, memory: &'m mut ShortAscii) -> Option<Ascii<'m>> {
        let (data, is_dropped) = (self.data, self.on_fault == OnFault::Ignore && self.is_final);
        if !is_dropped || data.len() > memory.len() {
            return None;
        }
        let layout = self.form.layout.as_ref().filter(|layout| layout.has_nul && layout.escape.is_none())?;
        Ascii::around(data, memory, |at| match layout.piece(&window(data, at)) {
            Piece::IllFormed(length) => Some(at + length),
            _ => None,
        })
    }
}
