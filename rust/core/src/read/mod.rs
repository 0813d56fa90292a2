//! Reading: from the bytes of a form to code points and faults. Nothing here writes a form.

pub mod boundary;
pub mod count;
pub mod cuts;
pub mod dirty;
pub mod fault;
pub mod line;
pub mod lookup;
pub mod nearly_ascii;
pub mod one_by_one;
pub mod one_pass;
pub mod pass;
pub mod scan;
pub mod sequence;
pub mod short;
pub mod short_ascii;
