//! A cache from what callers pass as a form to its handle. A lookup takes no call to Python, no dict and no reference
//! count.
//!
//! A name is identified by its characters, because each code object of Python has its own str for `"utf-8"`; a Form by
//! its address. Entries are never removed, so readers need no lock; a key without a free slot is resolved as on first
//! use. The handle keeps the Form alive, so its address stays unique.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::handle::Handle;
use crate::memory::ascii_of;

const SLOTS: usize = 256;
/// How many slots a key may be in, its own included.
const STEPS: usize = 4;

struct Known {
    key: Key,
    handle: Py<Handle>,
}

static KNOWN: [OnceLock<Known>; SLOTS + STEPS] = [const { OnceLock::new() }; SLOTS + STEPS];

/// A complete name of 4 to 24 ASCII characters (the words may overlap), or an address.
#[derive(Clone, Copy)]
pub struct Key {
    words: [u64; 3],
    length: usize,
}

impl Key {
    /// The key of the object that was passed as a form.
    #[inline(always)]
    pub fn of(form: &Bound<'_, PyAny>) -> Option<Key> {
        match form.cast_exact::<PyString>() {
            Ok(name) => Key::of_name(ascii_of(name)?),
            Err(_) => Some(Key { words: [form.as_ptr() as u64, 0, 0], length: usize::MAX }),
        }
    }

    #[inline(always)]
    fn of_name(name: &[u8]) -> Option<Key> {
        let long = |at: usize| name[at..].first_chunk().map_or(0, |word| u64::from_ne_bytes(*word));
        let short = |at: usize| name[at..].first_chunk().map_or(0, |word| u32::from_ne_bytes(*word).into());
        let length = name.len();
        let words = match length {
            4..8 => [short(0), short(length - 4), 0],
            8..=16 => [long(0), long(length - 8), 0],
            17..=24 => [long(0), long(length - 8), long(8)],
            _ => return None,
        };
        Some(Key { words, length })
    }

    #[inline(always)]
    fn slots(self) -> &'static [OnceLock<Known>] {
        let [head, tail, middle] = self.words;
        let mixed = (head ^ tail.rotate_left(29) ^ middle).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let first = (mixed >> 32) as usize % SLOTS;
        &KNOWN[first..first + STEPS]
    }

    /// Compare word by word: a wider load would wait for the words just stored, which was measured at 4 ns.
    #[inline(always)]
    fn is(self, other: Key) -> bool {
        let pairs = self.words.into_iter().zip(other.words);
        self.length == other.length && pairs.fold(0, |differing, (one, another)| differing | (one ^ another)) == 0
    }

    /// The handle stored under this key.
    #[inline(always)]
    pub fn handle(self) -> Option<&'static Py<Handle>> {
        let found = self.slots().iter().map_while(OnceLock::get).find(|known| known.key.is(self));
        found.map(|known| &known.handle)
    }

    /// Remember the handle, if there is room.
    pub fn remember(self, handle: &Bound<'_, Handle>) {
        let mut known = Known { key: self, handle: handle.clone().unbind() };
        for slot in self.slots() {
            match slot.set(known) {
                Ok(()) => return,
                Err(refused) => known = refused,
            }
        }
    }
}

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
