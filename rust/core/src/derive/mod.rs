//! Everything derived from a form's tables alone. Neither the kernels nor `Form` are known here.

// Some of it is asked for by the kernels of x86-64 alone.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

pub mod agreement;
pub mod automaton;
pub mod fault_table;
pub mod layout;
pub mod piece;
pub mod spelling;
pub mod verdict;
pub mod wide;
