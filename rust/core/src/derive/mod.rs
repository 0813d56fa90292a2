//! What is derived from a form's tables, and nothing else of it.

pub mod agreement;
pub mod automaton;
pub mod fault_table;
pub mod layout;
pub mod piece;
pub mod spelling;
pub mod verdict;
pub mod wide;
