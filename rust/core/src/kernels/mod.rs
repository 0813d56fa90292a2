//! Functions over slices that do the bulk of the work: measure UTF-8, convert between it and the kinds of str, find.
//!
//! No form is known here: what is needed of one comes as plain views, such as a layout or a spelling, that are derived
//! from its tables. Each file is one subject and can be replaced by code for other instruction sets: what the functions
//! promise stands at each of them, and nothing else of this crate depends on how they do it.
//!
//! At the bottom are the types (`text`, `kind`, `measured`, `source`, `spelt`, `units`, `output`), then `words`,
//! `portable`, `validity`, `plain` and the library `simdutf`, of which `bulk` chooses, `short_units`, `transcoding` and
//! `replaced` by it, then `reader` and `speller`, which work in blocks on any machine, the instructions of each
//! processor (`x86`, `aarch64`), the kernels over vectors of 32 bytes that are compiled with them (`vectors`), then
//! `dispatch`, and at the top what measures and converts by it.

#![cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only the kernels with AVX-512 use some of this"))]

#[cfg(target_arch = "aarch64")]
mod aarch64;
mod ascii;
mod ascii_prefix;
mod bulk;
mod class;
mod decode;
mod dirty;
mod dispatch;
mod encode;
mod escaped;
mod fetch;
mod find;
mod input;
mod instead;
mod kept;
mod kind;
mod lanes;
mod level;
mod masks;
mod measured;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod neighbours;
mod output;
mod paired;
mod plain;
mod portable;
mod put;
mod reader;
mod replaced;
mod runs;
mod sample;
mod search;
mod short;
#[cfg(feature = "simdutf")]
mod short_units;
#[cfg(feature = "simdutf")]
mod simdutf;
mod source;
mod speller;
mod spelt;
mod text;
#[cfg(feature = "simdutf")]
mod transcoding;
#[cfg(feature = "simdutf")]
mod unicode;
mod units;
mod utf8;
#[cfg(feature = "simdutf")]
mod validated;
mod validity;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod vectors;
mod wide_text;
mod widen;
mod words;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use ascii::{Ascii, copy_ascii, copy_without_nul, count_beyond_ascii, has_nul, is_ascii, write_points};
pub(crate) use ascii_prefix::copy_ascii_prefix;
pub(crate) use bulk::{utf8_points, utf16_units};
pub use class::Class;
pub(crate) use dispatch::{tally, tally_units};
pub(crate) use find::run_length;
pub use find::{find_byte, find_pair, has_point};
pub use input::{Input, Script};
pub use kind::Unit;
pub(crate) use lanes::low_64;
pub(crate) use masks::{LANES, gathered, window_at};
pub use measured::{Measured, Scalar, Width};
pub use output::Output;
pub(crate) use output::{append, append_up_to};
pub use paired::count_pairs;
pub(crate) use reader::Reader;
pub(crate) use runs::{Runs, Words};
pub use sample::Sample;
pub(crate) use search::{count_byte, counted};
pub use search::{find_any, find_last, find_row};
pub(crate) use short::room_for;
pub use short::{write_by_words, write_scalars, write_short};
#[cfg(feature = "simdutf")]
pub use short_units::ShortUnits;
pub(crate) use source::Faults;
pub use source::{Extent, Notes, Source};
pub use spelt::{Spelt, Stretch};
pub use text::Text;
#[cfg(feature = "simdutf")]
pub use transcoding::Transcoding;
#[cfg(feature = "simdutf")]
pub use unicode::Unicode;
pub use units::Units;
pub use utf8::{is_utf8, is_utf8_up_to};
pub use wide_text::WideText;
pub(crate) use widen::Widened;
pub(crate) use words::Shared;

pub use level::{Level, instruction_set, instruction_sets};
