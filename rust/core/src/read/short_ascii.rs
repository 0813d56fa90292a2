//! A few bytes of ASCII with faults between, to which nothing is answered: what is left of them are the bytes that are ASCII.

use std::mem::MaybeUninit;

use crate::derive::layout::Layout;
use crate::derive::piece::{Piece, window};
use crate::kernels::{AMONG_SLACK, Ascii, count_beyond_ascii, low_64};
use crate::policy::OnFault;
use crate::read::pass::Pass;
use crate::read::short::{LANES, high_lanes};

/// The most bytes that are read this way.
pub const SHORT_DIRTY_BYTES: usize = 1024;
/// If more than one in so many bytes is beyond ASCII, some of them are likely to be text.
const FEW: usize = 8;

/// Memory for what is left of them.
pub type ShortAscii = [MaybeUninit<u8>; SHORT_DIRTY_BYTES + AMONG_SLACK];

impl Pass<'_> {
    /// What is left of a few bytes without their faults; None where that is not ASCII, something is answered to faults, the
    /// form has no layout or the input is too long.
    #[must_use]
    pub fn read_short_ascii<'m>(&self, memory: &'m mut ShortAscii) -> Option<Ascii<'m>> {
        let (data, is_dropped) = (self.data, self.on_fault == OnFault::Ignore && self.is_final);
        if !is_dropped || data.len() > SHORT_DIRTY_BYTES || count_beyond_ascii(data) > data.len() / FEW {
            return None;
        }
        let layout = self.form.layout.as_ref().filter(|layout| layout.has_nul && layout.escape.is_none())?;
        is_ill_or_ascii(layout, data).then(|| Ascii::among(data, memory))
    }
}

/// Whether what begins with a byte from 80 up is ill-formed, wherever one is. Such units hold no ASCII.
fn is_ill_or_ascii(layout: &Layout, data: &[u8]) -> bool {
    let mut end = 0;
    for (base, block) in (0..).step_by(LANES).zip(data.chunks(LANES)) {
        let mut high = high_lanes(block) & !low_64(end.max(base) - base);
        while high != 0 {
            let at = base + high.trailing_zeros() as usize;
            let Piece::IllFormed(length) = layout.piece(&window(data, at)) else { return false };
            end = at + length;
            high &= !low_64(end - base);
        }
    }
    true
}
