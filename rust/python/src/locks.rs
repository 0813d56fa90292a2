//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock keeps, whoever panicked meanwhile.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
