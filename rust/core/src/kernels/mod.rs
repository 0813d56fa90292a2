//! Functions over slices that do the bulk of the work: measure UTF-8, convert between it and the kinds of str, find.
//!
//! No form is known here. Each file is one subject and can be replaced by code for other instruction sets: what the
//! functions promise stands at each of them, and nothing else of this crate depends on how they do it.

mod ascii;
mod ascii_prefix;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod fetch;
mod find;
mod input;
mod level;
mod output;
mod paired;
mod portable;
mod short;
mod simd;
mod source;
mod spelt;
mod text;
mod units;
mod utf8;

pub use ascii::{Ascii, copy_ascii, copy_without_nul, count_beyond_ascii, is_ascii};
pub(crate) use ascii_prefix::copy_ascii_prefix;
pub(crate) use find::run_length;
pub use find::{find_byte, find_pair, find_point};
pub use input::{Input, Script};
pub use output::Output;
pub(crate) use output::{append, append_up_to};
pub use paired::count_pairs;
pub use short::{SHORT_BYTES, ShortBuffer, write_short};
pub(crate) use simd::{tally, tally_units};
pub(crate) use source::Faults;
pub use source::{Answer, Extent, Notes, Source};
pub use spelt::{Spelt, Stretch};
pub use text::Scalar;
pub use text::Text;
pub use units::{Units, WideText};
pub use utf8::{Measured, Width, is_utf8, is_utf8_up_to};

pub use level::{Level, instruction_set};
