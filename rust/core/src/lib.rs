//! The compiled engine: what a form's rows mean, fast. It knows no Python.
//!
//! A [`Form`] is compiled once from its [`Tables`]: an automaton over classes of code units, and what the form shares
//! with UTF-8. One loop, [`Pass::run`], cuts an input into sequences and hands code points to a [`Sink`]; text that the
//! form writes as UTF-8 does takes the kernels. The meaning is that of the reference in `eightfold.reference`, which
//! shares no code with this crate.

// Much is asked for by the kernels of x86-64 alone.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_mut, unused_variables))]

mod agreement;
mod automaton;
mod chunk;
mod cuts;
mod encode;
mod fault;
mod fault_table;
mod form;
pub mod kernels;
mod layout;
mod line;
mod nearly_ascii;
mod paired;
mod pass;
mod piece;
mod scan;
mod sequence;
mod spelling;
mod text_buffer;
mod verdict;
mod wide;
mod writer;

pub use agreement::Agreement;
pub use automaton::TooLarge;
pub use chunk::{CHUNK_BYTES, CHUNK_POINTS};
pub use cuts::{PIECE_BYTES, by_threads};
pub use encode::{Missing, Place, TextFault, encode_text};
pub use fault::{Fault, Kind};
pub use form::{FaultRow, Form, Range, Row, Tables};
pub use kernels::{Answer, Extent, Measured, Notes, Output, Source, Spelt, Stretch, Text, Width};
pub use layout::{Layout, Pairs};
pub use line::Place as LinePlace;
pub use paired::Joined;
pub use pass::{Halt, OnFault, Pass, Pending, Sink, Survey};
pub use scan::{Scan, Tally};
pub use sequence::{NO_RUN, Span, Step};
pub use spelling::{Lacking, Spelling};
pub use text_buffer::TextBuffer;
pub use verdict::Verdict;
pub use wide::Wide;
pub use writer::{Held, Unwritten, Writer};

/// The largest code point that a Python str holds.
pub const LARGEST_IN_STR: u32 = 0x10_FFFF;

/// Memory could not be had for the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory;

impl From<std::collections::TryReserveError> for OutOfMemory {
    fn from(_: std::collections::TryReserveError) -> Self {
        OutOfMemory
    }
}
