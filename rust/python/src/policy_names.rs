//! The policies that need no registration, by the places of their names.

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::str_object::ascii_of;

/// The policies that need no registration, as in `eightfold.policy.Errors`.
pub const POLICIES: [&str; 11] = [
    "strict",
    "replace",
    "ignore",
    "backslashreplace",
    "surrogatepass",
    "surrogateescape",
    "xmlcharrefreplace",
    "namereplace",
    "escape",
    "private-use",
    "java",
];

/// Policies that every form accepts, which the fast paths therefore need not check; they matter only if there is a
/// fault.
pub const PLAIN_POLICIES: [&str; 5] = ["strict", "replace", "surrogatepass", "surrogateescape", "backslashreplace"];

/// The index of a name in [`POLICIES`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PolicyName(usize);

impl PolicyName {
    /// The name that a caller passed, if it is one of them.
    #[inline]
    pub fn of(errors: &Bound<'_, PyAny>) -> Option<PolicyName> {
        let given = ascii_of(errors.cast_exact::<PyString>().ok()?)?;
        POLICIES.iter().position(|name| name.as_bytes() == given).map(PolicyName)
    }

    /// Its index.
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }

    /// Whether this is the name `strict`.
    #[inline]
    pub fn is_strict(self) -> bool {
        POLICIES[self.0] == "strict"
    }

    /// Whether this is the name `ignore`, which some forms reject.
    #[inline]
    pub fn is_ignore(self) -> bool {
        POLICIES[self.0] == "ignore"
    }

    /// Whether this is one of [`PLAIN_POLICIES`].
    #[inline]
    pub fn is_plain(self) -> bool {
        PLAIN_POLICIES.contains(&POLICIES[self.0])
    }
}
