//! Columns: many values in a few buffers, as Arrow lays them out. Buffers are data of a stranger: every place is
//! checked before it is used, and a buffer that contradicts itself is an error with its row.

pub mod changes;
pub mod column;
pub mod findings;
pub mod suspects;
