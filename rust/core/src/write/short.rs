//! Short text in one pass: the bytes are written to the stack, and copied once their number is known. For so little,
//! measuring first costs more than the text.

use std::mem::MaybeUninit;

use crate::derive::instead::Instead;
use crate::form::Form;
use crate::kernels::{Level, Output, Text, find_point, write_short};
use crate::policy::Missing;
use crate::write::encode::encode_text;

/// How many bytes a text may become that is written this way.
const SHORT_RESULT: usize = 8192;
/// Up to so many code points, what a form shares with UTF-8 is written by the kernel for little text.
const SHORT_POINTS: usize = 256;
/// The same where there are no kernels that write blocks.
const SHORT_POINTS_ALONE: usize = 1024;

/// Memory for the bytes of a short text.
pub type ShortBytes = [MaybeUninit<u8>; SHORT_RESULT];

impl Form {
    /// The bytes of a short text; None where it is too long, or has something that the form lacks and the policy has no
    /// answer or is not known.
    #[inline]
    #[must_use]
    pub fn write_short<'m>(
        &self,
        text: Text<'_>,
        policy: Option<Missing>,
        memory: &'m mut ShortBytes,
    ) -> Option<&'m [u8]> {
        let mut out = Output::new(memory);
        let start = if self.shares(text) { write_short(text, self.instead(policy), &mut out) } else { 0 };
        if start < text.len() {
            let policy = policy?;
            if text.len() - start > out.room() / self.most_bytes(policy) {
                return None;
            }
            encode_text(self, text, start, policy, &mut out).ok()?;
        }
        Some(out.into_written())
    }

    /// What is written instead of surrogates under a policy, if that is known.
    #[inline]
    fn instead(&self, policy: Option<Missing>) -> &Instead {
        let spelling = policy.and_then(|policy| self.spelling_under(policy));
        spelling.map_or(&Instead::Stop, |spelling| &spelling.instead)
    }

    /// Whether a text is short, and written as UTF-8 does but for surrogates.
    #[inline]
    fn shares(&self, text: Text<'_>) -> bool {
        let shares = || {
            self.agreement.is_total()
                || self.agreement.is_worthwhile() && find_point(text, self.agreement.apart()).is_none()
        };
        let most = if Level::current() == Level::Portable { SHORT_POINTS_ALONE } else { SHORT_POINTS };
        text.len() <= most && shares()
    }
}
