//! Everything derived from a form's tables alone. Neither the kernels nor `Form` are known here.

// Some items are used only by the x86-64 kernels.
#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

pub mod agreement;
pub mod automaton;
pub mod fault_table;
pub mod layout;
pub mod piece;
pub mod spelling;
pub mod verdict;
pub mod wide;
