//! Text in one pass, to memory that holds whatever it becomes. Where it is short, measuring it first costs more than
//! the text; and so it does anywhere, with something instead of surrogates, if no kernel does it by blocks.

use std::mem::MaybeUninit;

use crate::chunk::CHUNK_POINTS;
use crate::derive::instead::{Instead, RARE};
use crate::form::Form;
use crate::kernels::{
    Level, Output, Sample, Spelt, Text, has_point, room_for, write_by_words, write_scalars, write_short,
};
use crate::policy::Missing;
use crate::write::encode::encode_text;

/// How many bytes a text may become that is written this way.
const SHORT_RESULT: usize = 8192;
/// Up to so many code points, what a form shares with UTF-8 is written by the kernel for little text.
const SHORT_POINTS: usize = 256;
/// The same where something else is written instead of scalar values.
const FEW_POINTS: usize = 64;
/// The same where there are no kernels that write blocks.
const SHORT_POINTS_ALONE: usize = 2048;
/// In so many at the beginning there is something rare if there is much of it.
const LOOK_AHEAD: usize = 64;

/// Of more code points what they may become would be more memory than a verb may hold beside its output.
const MOST_AT_ONCE: usize = 1 << 22;

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
        let is_plain = self.agreement.is_total() && text.len() <= SHORT_POINTS;
        let start = if is_plain { write_scalars(text, &mut out) } else { 0 };
        let is_whole = start == text.len() || self.write_others(text, start, policy, &mut out);
        is_whole.then(|| &*out.into_written())
    }

    /// Write the rest of a short text from an index on, and return whether that could be done: see
    /// [`write_short`](Form::write_short).
    // Called, it takes 3 to 5 ns more, a twentieth of the time of 64 bytes.
    #[inline(always)]
    fn write_others(&self, text: Text<'_>, start: usize, policy: Option<Missing>, out: &mut Output<'_, u8>) -> bool {
        let (instead, rest) = (self.instead(policy), text.slice(start, text.len()));
        let count = match self.agreement.is_total() {
            _ if !is_short(text) => 0,
            true => write_short(rest, instead, out),
            false => self.write_what_is_shared(rest, instead, out),
        };
        let at = start + count;
        if at == text.len() {
            return true;
        }
        policy.is_some_and(|policy| {
            let has_room = text.len() - at <= out.room() / self.most_bytes(policy);
            has_room && encode_text(self, text, at, policy, out).is_ok()
        })
    }

    /// How a long text is written in one pass; None where measuring it first takes no more time, or what it may become
    /// is more memory than a verb may hold.
    #[must_use]
    pub fn at_once<'a>(&'a self, text: Text<'a>, policy: Missing) -> Option<AtOnce<'a>> {
        let spelling = self.spelling_under(policy)?;
        let instead = &spelling.instead;
        let is_known = self.is_known(instead) && *instead != Instead::Stop && text.len() <= MOST_AT_ONCE;
        let is_tried = is_known && Level::current() == Level::Portable;
        let way = is_tried.then(|| way(text, *instead)).flatten()?;
        let spelt = Spelt { spelling, agreement: &self.agreement, text };
        Some(AtOnce { spelt, way, room: room_for(text, instead)? })
    }

    /// What is written instead of what is rare under a policy, if that is known.
    #[inline]
    fn instead(&self, policy: Option<Missing>) -> &Instead {
        let spelling = policy.and_then(|policy| self.spelling_under(policy));
        spelling.map_or(&Instead::Stop, |spelling| &spelling.instead)
    }

    /// As [`write_short`], in a form that does not share all of UTF-8: nothing where it does not share all of the text.
    fn write_what_is_shared(&self, text: Text<'_>, instead: &Instead, out: &mut Output<'_, u8>) -> usize {
        let is_alone = Level::current() == Level::Portable;
        if (is_alone || text.len() <= FEW_POINTS) && self.is_known(instead) {
            return write_by_words(text, instead, out);
        }
        let has_none = self.agreement.is_worthwhile() && !has_point(text, self.agreement.apart());
        if !has_none {
            return 0;
        }
        let start = write_scalars(text, out);
        start + write_short(text.slice(start, text.len()), &Instead::Stop, out)
    }

    /// Whether it is known what becomes of all that the form does not share with UTF-8.
    #[inline]
    fn is_known(&self, instead: &Instead) -> bool {
        self.agreement.is_total() || instead.is_of_scalars() && instead.covers(self.agreement.apart())
    }
}

/// Whether a text is written as UTF-8 without looking for more than what is rare. Without kernels for blocks that pays
/// up to a greater length, unless there is likely to be much of that.
#[inline]
fn is_short(text: Text<'_>) -> bool {
    let begins_with_rare = || has_point(text.slice(0, LOOK_AHEAD), &[RARE]);
    text.len() <= SHORT_POINTS
        || Level::current() == Level::Portable && text.len() <= SHORT_POINTS_ALONE && !begins_with_rare()
}

/// A long text, and how it is written in one pass.
pub struct AtOnce<'a> {
    spelt: Spelt<'a>,
    way: Way,
    room: usize,
}

impl AtOnce<'_> {
    /// In how many bytes it has room whatever it becomes.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Write it, and return whether to its end: not where something is neither a scalar value nor a surrogate with an
    /// answer. `goes_on` says whether to go on, and is called now and then with the code points since the last time.
    pub fn write(&self, out: &mut Output<'_, u8>, mut goes_on: impl FnMut(usize) -> bool) -> bool {
        let (text, mut at) = (self.spelt.text, 0);
        while at < text.len() {
            let limit = text.whole_up_to(text.len().min(at + CHUNK_POINTS));
            if self.write_part(at, limit, out) < limit || !goes_on(limit - at) {
                return false;
            }
            at = limit;
        }
        true
    }

    fn write_part(&self, start: usize, limit: usize, out: &mut Output<'_, u8>) -> usize {
        let Spelt { spelling, text, .. } = self.spelt;
        match self.way {
            Way::Words => start + write_short(text.slice(start, limit), &spelling.instead, out),
            Way::Blocks => self.spelt.write_at_once(start, limit, out),
        }
    }
}

/// How a long text is written in one pass.
enum Way {
    /// Words of one length at once, and else one code point after the other.
    Words,
    /// Blocks of any lengths, without branches.
    Blocks,
}

/// How a long text is written in the least time; None if that is to measure it first. Words are looked at in vain where
/// many hold something that is rare, or sequences of several lengths.
fn way(text: Text<'_>, instead: Instead) -> Option<Way> {
    let sample = Sample::of(text, instead);
    if !sample.is_even_with_few() {
        return Some(Way::Blocks);
    }
    (sample.has_some() || !instead.is_of_scalars()).then_some(Way::Words)
}
