//! Everything derived from a form's tables alone. Neither the kernels nor `Form` are known here.

#![cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "only the kernels of x86-64 use some of this"))]

pub mod agreement;
pub mod automaton;
pub mod fault_table;
pub mod heads;
pub mod instead;
pub mod layout;
pub mod leads;
pub mod piece;
pub mod spelling;
pub mod verdict;
pub mod wide;
