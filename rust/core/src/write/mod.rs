//! Writing: from code points to the bytes of a form, and to the kinds of str.

pub mod encode;
pub mod paired;
pub mod text_buffer;
pub mod writer;
