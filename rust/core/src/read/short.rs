//! Short input in one pass: the code points are written to the stack, and become a str once they are all known. For so
//! little, measuring first costs more than the text.

use std::mem::MaybeUninit;

use crate::code_point::LARGEST_IN_STR;
use crate::derive::piece;
use crate::kernels::{
    LANES, Level, Output, Shared, Source, Widened, Width, Words, count_beyond_ascii, gathered, low_64, window_at,
};
use crate::policy::{BACKSLASHED_BYTE, OnFault};
use crate::read::pass::Pass;
use crate::read::sequence::{NO_RUN, Step};

/// Of so many bytes the longest answers have room, each for one byte.
pub const SHORT_INPUT: usize = 1024;
/// What a step may write beyond what it says.
const SLACK: usize = 64;
/// A block, and what a step may read behind it.
type Window = [u8; 2 * LANES];
/// How many ASCII bytes are copied at once.
const STEP: usize = 8;

/// Memory for the code points of a short input.
pub type ShortPoints = [MaybeUninit<u32>; MOST_POINTS + SLACK];
/// The most code points that a short input becomes, and the most bytes that are read this way on any machine.
pub(super) const MOST_POINTS: usize = SHORT_INPUT * BACKSLASHED_BYTE;

impl Pass<'_> {
    /// Whether the input is short enough for [`Pass::read_short`].
    #[inline]
    #[must_use]
    pub fn is_short(&self) -> bool {
        let length = self.data.len();
        length <= SHORT_INPUT / 4 || length <= MOST_POINTS && length <= self.most_in_one_pass()
    }

    /// From more bytes on, two passes need less time.
    fn most_in_one_pass(&self) -> usize {
        let is_read_by_words = self.reads_words() && self.on_fault != OnFault::BackslashReplace;
        match Level::current() {
            Level::Avx512 => SHORT_INPUT / 2,
            Level::Portable if is_read_by_words => MOST_POINTS,
            Level::Neon | Level::Avx2 if is_read_by_words => SHORT_INPUT + SHORT_INPUT / 4,
            Level::Portable if self.on_fault == OnFault::Stop && self.is_dense() => SHORT_INPUT / 4,
            Level::Neon | Level::Avx2 | Level::Portable => SHORT_INPUT,
        }
    }

    /// Whether the form is read word by word as UTF-8 is.
    fn reads_words(&self) -> bool {
        self.form.agreement.is_total()
    }

    /// Whether so much is beyond ASCII that reading by blocks takes the least time.
    fn is_dense(&self) -> bool {
        let has_one_in = |few| count_beyond_ascii(self.data) > self.data.len() / few;
        match Level::current() {
            Level::Avx512 => has_one_in(8),
            Level::Portable => !self.reads_words() && has_one_in(2),
            // Of fewer bytes, and of words with ASCII between, blocks take up to a third more time than words.
            Level::Neon | Level::Avx2 if self.reads_words() => self.data.len() > SHORT_INPUT / 8 && has_one_in(2),
            Level::Neon | Level::Avx2 => has_one_in(8),
        }
    }

    /// The code points of a short input of bytes, and the narrowest kind of str for them; None where the form has no
    /// layout, the input is too long or something must be reported.
    #[must_use]
    pub fn read_short<'m>(&self, memory: &'m mut ShortPoints) -> Option<(&'m [u32], Width)> {
        if !self.is_short() || !self.is_final || self.largest != LARGEST_IN_STR {
            return None;
        }
        let (source, mut out) = (self.source()?, Output::new(memory));
        if !self.is_dense() || !source.write_short(&mut out) {
            out.truncate(0);
            if self.reads_words() {
                self.read_words(&source, &mut out)?;
            } else {
                self.read_steps(&source, &mut out)?;
            }
        }
        // All bits that occur in code points: the limits of the kinds are powers of two.
        let width = Width::of(out.values().iter().fold(0, |seen, point| seen | point));
        Some((out.into_written(), width))
    }

    /// Read UTF-8 word by word, and all else closely. That all of UTF-8 is shared is a constant here: by `Runs`, which
    /// look, 64 bytes took a fifth more time.
    #[inline(always)]
    fn read_words(&self, source: &Source<'_>, out: &mut Output<'_, u32>) -> Option<()> {
        let (mut at, words) = (0, Words { shared: Shared::ALL, answer: source.answer(), end_at_many: false });
        loop {
            (at, _) = source.write_words(words, [at, self.data.len()], out);
            if at == self.data.len() {
                return Some(());
            }
            at = match source.write_unit(piece::window(self.data, at), out) {
                0 => self.read_closely(at, out)?,
                length => at + length,
            };
        }
    }

    /// Read sequence by sequence.
    #[inline(always)]
    fn read_steps(&self, source: &Source<'_>, out: &mut Output<'_, u32>) -> Option<()> {
        let (layout, mut at, mut copy) = (source.layout, 0, [0; _]);
        for base in (0..self.data.len()).step_by(LANES) {
            let (bytes, window) = (&self.data[base..], window_at(self.data, base, &mut copy));
            let left = bytes.len().min(LANES);
            let [mut high, leads] = masks(bytes);
            if !layout.has_nul {
                // It needs a closer look.
                high |= nuls(bytes) & low_64(left);
            }
            let mut end = at - base;
            while end < left {
                end = out.go_on(|out| read_block(source, (window, left), [high, leads], end, out));
                if end < left {
                    end = self.read_closely(base + end, out)? - base;
                }
            }
            at = base + end;
        }
        Some(())
    }

    #[inline(never)]
    fn read_closely(&self, at: usize, out: &mut Output<'_, u32>) -> Option<usize> {
        match self.form.step_at(self.data, at, true, NO_RUN) {
            Step::Value { end, code_point } if code_point <= self.largest => {
                out.push(code_point);
                Some(end)
            }
            Step::Value { end, code_point } => self.answer(at, end, Some(code_point), out).ok(),
            Step::Unit { end } => self.answer(at, end, None, out).ok(),
            Step::Wait => None,
        }
    }
}

/// Read a block from a lane on, of which so many bytes are left, given the lanes of bytes that are no ASCII and of
/// leads; return where that ends: behind what is left, or where a closer look is needed.
#[inline(always)]
fn read_block(
    source: &Source<'_>,
    (window, left): (&Window, usize),
    [high, leads]: [u64; 2],
    start: usize,
    out: &mut Output<'_, u32>,
) -> usize {
    let (heads, mut end) = (source.layout.heads(), start);
    while end < left {
        let mut leads = leads & !low_64(end);
        let mut is_fit = true;
        // Where the next one begins does not wait for the length of this one.
        while leads != 0 && is_fit {
            let next = leads.trailing_zeros() as usize;
            let ascii = (high >> (end % LANES)).trailing_zeros() as usize;
            copy_ascii(window, end, ascii, out);
            let found = heads.read(*window[next % LANES..].first_chunk().expect("in the window"));
            is_fit = found.misfit | ((end + ascii) ^ next) as u32 == 0;
            if is_fit {
                out.push(found.value);
                end = next + found.length;
                leads &= leads - 1;
            } else {
                end += ascii;
            }
        }
        if is_fit && end < left {
            let ascii = ((high >> end).trailing_zeros() as usize).min(left - end);
            copy_ascii(window, end, ascii, out);
            end += ascii;
        }
        if end < left {
            match source.write_unit(*window[end % LANES..].first_chunk().expect("in the window"), out) {
                0 => return end,
                length => end += length,
            }
        }
    }
    end
}

/// Copy ASCII.
#[inline(always)]
fn copy_ascii(window: &Window, start: usize, count: usize, out: &mut Output<'_, u32>) {
    let mut done = 0;
    while count - done > STEP {
        copy_step(window, start + done, STEP, out);
        done += STEP;
    }
    copy_step(window, start + done, count - done, out);
}

/// Copy a step of ASCII, of which so many bytes count.
#[inline(always)]
fn copy_step(window: &Window, start: usize, count: usize, out: &mut Output<'_, u32>) {
    let bytes = *window[start % LANES..].first_chunk().expect("in the window");
    out.extend_loosely(&u32::of_bytes(bytes), count);
}

/// The lanes of a block that a mask is made of, at the beginning of some bytes. They are not looked at in the copy:
/// what has just been stored would have to be waited for.
#[inline(always)]
fn lanes_of(bytes: &[u8], mask: impl Fn(&[u8; LANES]) -> u64) -> u64 {
    const HALF: usize = LANES / 2;
    let mut block = [0; LANES];
    match (bytes.first_chunk(), bytes.first_chunk::<HALF>(), bytes.last_chunk::<HALF>()) {
        (Some(block), _, _) => mask(block),
        (_, Some(first), Some(last)) => {
            block[..HALF].copy_from_slice(first);
            block[HALF..].copy_from_slice(last);
            // The halves overlap, and say the same of what is in both.
            let lanes = mask(&block);
            lanes & low_64(HALF) | lanes >> HALF << (bytes.len() - HALF)
        }
        _ => {
            block[..bytes.len()].copy_from_slice(bytes);
            mask(&block)
        }
    }
}

/// The lanes of bytes from 80 up.
#[inline(always)]
pub(crate) fn high_lanes(bytes: &[u8]) -> u64 {
    lanes_of(bytes, gathered)
}

/// The lanes of bytes from 80 up and of those from C0 up.
#[inline(always)]
fn masks(bytes: &[u8]) -> [u64; 2] {
    [high_lanes(bytes), lanes_of(bytes, |block| gathered(&block.map(|byte| byte & byte << 1)))]
}

/// The lanes of bytes that are 00; behind the bytes they mean nothing.
fn nuls(bytes: &[u8]) -> u64 {
    lanes_of(bytes, |block| gathered(&block.map(|byte| if byte == 0 { 0x80 } else { 0 })))
}
