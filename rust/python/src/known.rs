//! A cache of what is known about what callers pass as a form. A lookup takes no call to Python, no dict and no
//! reference count.
//!
//! A name is identified by its characters, because each code object of Python has its own str for `"utf-8"`; a Form by
//! its address, which stays unique if what is known keeps the Form alive. Entries are never removed, so readers need no
//! lock; a key without a free slot is resolved as on first use.

use std::sync::OnceLock;

use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::str_object::ascii_of;

const SLOTS: usize = 256;
/// How many slots a key may be in, its own included.
const STEPS: usize = 4;

/// What is known under some keys.
pub struct Known<T>([OnceLock<(Key, T)>; SLOTS + STEPS]);

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

    /// The first of the slots that the key may be in.
    #[inline(always)]
    fn slot(self) -> usize {
        let [head, tail, middle] = self.words;
        let mixed = (head ^ tail.rotate_left(29) ^ middle).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize % SLOTS
    }

    /// Compare word by word: a wider load would wait for the words just stored, which was measured at 4 ns.
    #[inline(always)]
    fn is(self, other: Key) -> bool {
        let pairs = self.words.into_iter().zip(other.words);
        self.length == other.length && pairs.fold(0, |differing, (one, another)| differing | (one ^ another)) == 0
    }
}

impl<T> Known<T> {
    /// Nothing is known.
    pub const fn new() -> Self {
        Known([const { OnceLock::new() }; _])
    }

    #[inline(always)]
    fn slots(&self, key: Key) -> &[OnceLock<(Key, T)>] {
        &self.0[key.slot()..][..STEPS]
    }

    /// What is known under a key.
    #[inline(always)]
    pub fn get(&self, key: Key) -> Option<&T> {
        let found = self.slots(key).iter().map_while(OnceLock::get).find(|(known, _)| known.is(key));
        found.map(|(_, value)| value)
    }

    /// Remember something under a key, if there is room.
    pub fn remember(&self, key: Key, value: T) {
        let mut known = (key, value);
        for slot in self.slots(key) {
            match slot.set(known) {
                Ok(()) => return,
                Err(refused) => known = refused,
            }
        }
    }
}
