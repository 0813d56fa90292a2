//! The compiled engine: what a form's rows mean, fast. It knows no Python.
//!
//! A [`Form`] is compiled once from its [`Tables`]: an automaton over classes of code units, and what the form shares
//! with UTF-8. One loop, [`Pass::run`], cuts an input into sequences and hands code points to a [`Sink`]; text that the
//! form writes as UTF-8 does takes the kernels. The meaning is that of the reference in `eightfold.reference`, which
//! shares no code with this crate.

// Much is asked for by the kernels of x86-64 alone.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code, unused_mut, unused_variables))]

mod chunk;
mod derive;
mod form;
pub mod kernels;
mod read;
mod write;

pub use chunk::{CHUNK_BYTES, CHUNK_POINTS};
pub use derive::agreement::Agreement;
pub use derive::automaton::TooLarge;
pub use derive::layout::{Layout, Pairs};
pub use derive::spelling::{Lacking, Spelling};
pub use derive::verdict::Verdict;
pub use derive::wide::Wide;
pub use form::{FaultRow, Form, Range, Row, Tables};
pub use kernels::{Answer, Extent, Measured, Notes, Output, Source, Spelt, Stretch, Text, Width};
pub use read::cuts::{PIECE_BYTES, by_threads};
pub use read::fault::{Fault, Kind};
pub use read::line::Place as LinePlace;
pub use read::pass::{Halt, OnFault, Pass, Pending, Sink, Survey};
pub use read::scan::{Scan, Tally};
pub use read::sequence::{NO_RUN, Span, Step};
pub use write::encode::{Missing, Place, TextFault, encode_text};
pub use write::paired::Joined;
pub use write::text_buffer::TextBuffer;
pub use write::writer::{Held, Unwritten, Writer};

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
