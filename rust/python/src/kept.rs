//! The policies that a form has been asked for, each made once. No Python runs while the lock is held: a thread that
//! waits for it in a free-threaded build would keep the others from stopping.

use std::sync::{Arc, Mutex, OnceLock};

use pyo3::prelude::*;

use crate::locks::locked;
use crate::policy_names::{POLICIES, PolicyName};

/// Where a policy is asked for: one of the forms that a form with signatures announces, or 0 for itself, and whether
/// the other end of a conversion asks.
type Place = (usize, bool);

/// Where the short ways ask.
const HERE: Place = (0, false);

/// What is kept for a form.
pub struct Policies<T> {
    /// Those for [`HERE`], which are read without a lock.
    here: [OnceLock<Arc<T>>; POLICIES.len()],
    elsewhere: Mutex<Vec<(Place, usize, Arc<T>)>>,
}

impl<T> Default for Policies<T> {
    fn default() -> Self {
        Policies { here: [const { OnceLock::new() }; _], elsewhere: Mutex::default() }
    }
}

impl<T> Policies<T> {
    /// The policy that is kept, or the one that `make` makes, kept if it lasts and so has an index in [`POLICIES`], and
    /// if there is memory for that.
    pub fn kept(&self, index: Option<usize>, place: Place, make: impl FnOnce() -> PyResult<T>) -> PyResult<Arc<T>> {
        if let Some(found) = index.and_then(|index| self.found(index, place)) {
            return Ok(found);
        }
        let policy = Arc::new(make()?);
        match index {
            Some(index) if place == HERE => _ = self.here[index].set(policy.clone()),
            Some(index) => self.keep_elsewhere((place, index, policy.clone())),
            None => {}
        }
        Ok(policy)
    }

    fn keep_elsewhere(&self, policy: (Place, usize, Arc<T>)) {
        let mut elsewhere = locked(&self.elsewhere);
        if elsewhere.try_reserve(1).is_ok() {
            elsewhere.push(policy);
        }
    }

    fn found(&self, index: usize, place: Place) -> Option<Arc<T>> {
        if place == HERE {
            return self.here[index].get().cloned();
        }
        let fits = |each: &&(Place, usize, Arc<T>)| (each.0, each.1) == (place, index);
        locked(&self.elsewhere).iter().find(fits).map(|(_, _, policy)| policy.clone())
    }

    /// What is kept about a policy for the form itself.
    #[inline]
    pub fn known(&self, policy: PolicyName) -> Option<&T> {
        self.here[policy.index()].get().map(|policy| &**policy)
    }

    /// Show all of them to the collector.
    pub fn visit_each<E>(&self, mut visit: impl FnMut(&T) -> Result<(), E>) -> Result<(), E> {
        self.here.iter().filter_map(OnceLock::get).try_for_each(|policy| visit(policy))?;
        // Who holds a lock is at work with the handle, which then is not garbage.
        match self.elsewhere.try_lock() {
            Ok(elsewhere) => elsewhere.iter().try_for_each(|(_, _, policy)| visit(policy)),
            Err(_) => Ok(()),
        }
    }
}
