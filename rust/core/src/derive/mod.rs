//! Everything derived from a form's tables alone. Nothing here reads input or knows a policy of the caller.

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
