//! Writing: from code points to the bytes of a form, or to a str. Nothing here diagnoses input.

#[cfg(feature = "simdutf")]
mod direct;
pub mod encode;
pub mod fit;
pub mod meter;
pub mod paired;
pub mod short;
pub mod text_buffer;
pub mod writer;
