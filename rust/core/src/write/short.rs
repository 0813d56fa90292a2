//! Short text in one pass: the bytes are written to the stack, and copied once their number is known. For so little,
//! measuring first costs more than the text.

use std::mem::MaybeUninit;

use crate::form::Form;
use crate::kernels::{Output, Script, Text, find_point, write_short};
use crate::memory::OutOfMemory;
use crate::policy::Missing;
use crate::write::encode::{Place, encode_text};

/// How many bytes a text may become that is written this way.
const SHORT_RESULT: usize = 8192;
/// Up to so many code points, what a form shares with UTF-8 is written by the kernel for little text.
const SHORT_POINTS: usize = 256;

/// Memory for the bytes of a short text.
pub type ShortBytes = [MaybeUninit<u8>; SHORT_RESULT];

/// The bytes of a text that is, from an index on, written as UTF-8 does but for surrogates.
struct Shared<'o, 'm>(&'o mut Output<'m, u8>);

impl Place for Shared<'_, '_> {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) {
        self.0.copy(bytes);
    }

    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        Ok(script.write_short(start, limit, self.0))
    }
}

impl Form {
    /// The bytes of a short text; None where it is too long, or the policy has no answer or is not known. The policy is
    /// asked for where the form lacks something.
    #[inline]
    #[must_use]
    pub fn write_short<'m>(
        &self,
        text: Text<'_>,
        policy: impl FnOnce() -> Option<Missing>,
        memory: &'m mut ShortBytes,
    ) -> Option<&'m [u8]> {
        let mut out = Output::new(memory);
        let is_shared = self.shares(text);
        let start = if is_shared { write_short(text, &mut out) } else { 0 };
        if start < text.len() {
            let policy = policy()?;
            if text.len() - start > out.room() / self.most_bytes(policy) {
                return None;
            }
            let written = match is_shared {
                true => encode_text(self, text, start, policy, &mut Shared(&mut out)),
                false => encode_text(self, text, start, policy, &mut out),
            };
            written.ok()?;
        }
        Some(out.into_written())
    }

    /// Whether a text is short, and written as UTF-8 does but for surrogates.
    #[inline]
    fn shares(&self, text: Text<'_>) -> bool {
        let shares = || {
            self.agreement.is_total()
                || self.agreement.is_worthwhile() && find_point(text, self.agreement.apart()).is_none()
        };
        text.len() <= SHORT_POINTS && shares()
    }
}
