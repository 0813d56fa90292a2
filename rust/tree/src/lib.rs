//! The files of folders that patterns select, and which of them need no more than to be counted. Knows no Python.
//!
//! A [`Walk`] lists folders, an [`Examination`] says what is looked for in files, an [`Examiner`] looks, and
//! [`Batches`] do both in threads. What they decide is what `eightfold.files.walk` and the commands decide without a
//! core: whatever is not certain here is a [`Finding`], and decided there.

#![cfg(unix)]

mod batches;
mod examine;
mod globs;
mod opening;
mod order;
mod rules;
mod walk;

pub use batches::{Batch, Batches, Taken};
pub use examine::{Examination, Examiner, Verdict};
pub use rules::Rules;
pub use walk::{Finding, Selection, Walk, What};
