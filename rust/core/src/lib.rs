//! The compiled engine: it implements the meaning of a form's rows, fast. Nothing here depends on Python.
//!
//! A [`Form`] is compiled once from its [`Tables`] into an automaton over classes of code units and a description of
//! what the form shares with UTF-8. One loop, [`Pass::run`], splits the input into sequences and passes code points to
//! a [`Sink`]; the kernels handle the stretches that they know how to read. The reference in `eightfold.reference`
//! defines the results and shares no code with this crate.

mod chunk;
mod code_point;
mod code_units;
mod columns;
mod derive;
mod form;
pub mod kernels;
mod memory;
mod once;
mod policy;
mod read;
mod tables;
mod write;

pub use chunk::{CHUNK_BYTES, CHUNK_POINTS};
pub use code_point::{LARGEST_IN_STR, Range};
pub use columns::changes::{Changes, Conversion, Replacements, Spliced, SplicedViews};
pub use columns::column::{
    Bits, Broken, Column, Fixed, Layout as ColumnLayout, Narrow, Views, Wide as WideOffsets, check,
};
pub use columns::findings::{Effort, Found, Stopped};
pub use derive::agreement::Agreement;
pub use derive::automaton::{Automaton, DEAD, Entry, NONE, State, TooLarge};
pub use derive::instead::Instead;
pub use derive::layout::{Layout, Pairs};
pub use derive::spelling::Spelling;
pub use derive::verdict::Verdict;
pub use derive::wide::Wide;
pub use form::Form;
pub use kernels::{Extent, Measured, Notes, Output, Source, Spelt, Stretch, Text, Width};
pub use memory::OutOfMemory;
pub use policy::{Answer, Lacking, Missing, OnFault};
pub use read::boundary::Part;
pub use read::count::Count;
pub use read::cuts::{PIECE_BYTES, by_threads};
pub use read::fault::Fault;
pub use read::line::Place as LinePlace;
pub use read::one_by_one::Attempt;
pub use read::one_pass::OnePass;
pub use read::pass::{Halt, Pass, Pending, Sink, Survey};
pub use read::scan::{Scan, Tally};
pub use read::sequence::{NO_RUN, Span, Step};
pub use read::short::{SHORT_INPUT, ShortPoints};
pub use read::short_ascii::ShortAscii;
pub use tables::{FaultRow, Kind, Row, Tables};
pub use write::encode::{Place, TextFault, encode_text};
pub use write::fit::Fit;
pub use write::meter::Meter;
pub use write::paired::{Held, Joined};
pub use write::short::ShortBytes;
pub use write::text_buffer::TextBuffer;
pub use write::writer::{Unwritten, Writer};
