//! What is derived once, at its first use.

use std::sync::OnceLock;

/// What a cell keeps. Where it is empty, `make` is called first, by each thread that finds it so; one result is kept.
///
/// `OnceLock::get_or_init` locks the cell while it is being filled. In the child of a process that forks meanwhile the
/// cell would stay locked, and its first use would wait for ever.
#[inline]
pub fn once<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    match cell.get() {
        Some(kept) => kept,
        None => filled(cell, make),
    }
}

#[cold]
#[inline(never)]
fn filled<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    // Another thread may have been faster.
    _ = cell.set(make());
    cell.get().expect("it is set")
}
