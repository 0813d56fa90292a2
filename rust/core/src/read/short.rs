//! Short input in one pass: the code points are written to the stack, and become a str once they are all known. For so
//! little, measuring first costs more than the text.

use std::mem::MaybeUninit;

use crate::code_point::LARGEST_IN_STR;
use crate::derive::layout::Layout;
use crate::kernels::{Input, Output, Width, count_beyond_ascii, gathered, low_64, widened, write_short_points};
use crate::memory::OutOfMemory;
use crate::policy::BACKSLASHED_BYTE;
use crate::read::pass::{Halt, Pass, Sink};
use crate::read::sequence::{NO_RUN, Step};

/// The most bytes that are read this way.
pub const SHORT_INPUT: usize = 256;
/// The most that are read sequence by sequence, where the kernels have stopped or there are none for blocks.
const SHORT_STEPS: usize = 128;
/// What a step may write beyond what it says.
const SLACK: usize = 64;
const LANES: usize = 64;
/// A block, and what a step may read behind it.
type Window = [u8; LANES + 16];
/// How many ASCII bytes are copied at once.
const STEP: usize = 8;

/// Memory for the code points of a short input.
pub type ShortPoints = [MaybeUninit<u32>; SHORT_INPUT * BACKSLASHED_BYTE + SLACK];

/// Code points, with which bits occur in them.
struct Points<'o, 'm> {
    out: &'o mut Output<'m, u32>,
    seen: u32,
}

impl Sink for Points<'_, '_> {
    fn reserve(&mut self, _: usize) -> Result<(), OutOfMemory> {
        Ok(())
    }

    #[inline(always)]
    fn put(&mut self, code_point: u32, _: usize, _: usize) -> Result<(), Halt> {
        self.seen |= code_point;
        self.out.push(code_point);
        Ok(())
    }

    fn take(&mut self, _: &Input<'_>, start: usize, _: usize) -> Result<usize, Halt> {
        Ok(start)
    }
}

impl Pass<'_> {
    /// The code points of a short input of bytes, and the narrowest kind of str for them; None where the form has no
    /// layout, the input is too long or something must be reported.
    #[must_use]
    pub fn read_short<'m>(&self, memory: &'m mut ShortPoints) -> Option<(&'m [u32], Width)> {
        if self.data.len() > SHORT_INPUT || !self.is_final || self.largest != LARGEST_IN_STR {
            return None;
        }
        let Some(Input::Bytes(source)) = self.input() else { return None };
        let mut out = Output::new(memory);
        let seen = if write_short_points(&source, &mut out) {
            out.values().iter().fold(0, |seen, point| seen | point)
        } else {
            out.truncate(0);
            let layout = self.form.layout.as_ref().filter(|_| self.data.len() <= SHORT_STEPS)?;
            self.read_blocks(layout, &mut out)?
        };
        Some((out.into_written(), width(seen)))
    }

    /// Whether a policy that answers all by itself has to answer what follows the first ASCII, and there is little else.
    #[must_use]
    pub fn begins_nearly_ascii(&self) -> bool {
        let (words, _) = self.data.as_chunks::<8>();
        let high = |word: &[u8; 8]| u64::from_le_bytes(*word) & 0x8080_8080_8080_8080;
        let Some((at, high)) = words.iter().map(high).enumerate().find(|&(_, high)| high != 0) else { return false };
        let at = 8 * at + high.trailing_zeros() as usize / 8;
        self.on_fault.answers_alone()
            && matches!(self.form.step_at(self.data, at, self.is_final, NO_RUN), Step::Unit { .. })
            && count_beyond_ascii(&self.data[at..]) <= self.data.len() / 5
    }

    #[inline(always)]
    fn read_blocks(&self, layout: &Layout, out: &mut Output<'_, u32>) -> Option<u32> {
        let (heads, mut seen, mut at, mut copy) = (layout.heads(), 0, 0, [0; _]);
        for base in (0..self.data.len()).step_by(LANES) {
            let window = window_at(self.data, base, &mut copy);
            let left = (self.data.len() - base).min(LANES);
            let [mut high, mut leads] = masks(window);
            if !layout.has_nul {
                // It needs a closer look.
                high |= nuls(window) & low_64(left);
            }
            let mut end = at - base;
            while end < left {
                leads &= !0 << end;
                let stopped = out.go_on(|out| {
                    while leads != 0 {
                        let next = leads.trailing_zeros() as usize;
                        let ascii = (high >> (end % LANES)).trailing_zeros() as usize;
                        copy_ascii(window, end, ascii, out);
                        let found = heads.read(*window[next % LANES..].first_chunk().expect("in the window"));
                        if found.misfit | ((end + ascii) ^ next) as u32 != 0 {
                            end += ascii;
                            return true;
                        }
                        seen |= found.value;
                        out.push(found.value);
                        end = next + found.length;
                        leads &= leads - 1;
                    }
                    if end >= left {
                        return false;
                    }
                    let ascii = ((high >> end).trailing_zeros() as usize).min(left - end);
                    copy_ascii(window, end, ascii, out);
                    end += ascii;
                    end < left
                });
                if stopped {
                    let (behind, more) = self.read_closely(base + end, out)?;
                    end = behind - base;
                    seen |= more;
                }
            }
            at = base + end;
        }
        Some(seen)
    }

    #[inline(never)]
    fn read_closely(&self, at: usize, out: &mut Output<'_, u32>) -> Option<(usize, u32)> {
        let mut points = Points { out, seen: 0 };
        let end = match self.form.step_at(self.data, at, true, NO_RUN) {
            Step::Value { end, code_point } if code_point <= self.largest => {
                points.put(code_point, at, end).ok()?;
                end
            }
            Step::Value { end, code_point } => self.answer(at, end, Some(code_point), &mut points).ok()?,
            Step::Unit { end } => self.answer(at, end, None, &mut points).ok()?,
            Step::Wait => return None,
        };
        Some((end, points.seen))
    }
}

/// The narrowest kind of str for code points, given all bits that occur in them.
fn width(seen: u32) -> Width {
    match seen {
        0..=0x7F => Width::Ascii,
        0x80..=0xFF => Width::Latin1,
        0x100..=0xFFFF => Width::Ucs2,
        _ => Width::Ucs4,
    }
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
    out.extend_loosely(&widened(bytes), count);
}

#[inline(always)]
fn window_at<'a>(data: &'a [u8], at: usize, copy: &'a mut Window) -> &'a Window {
    if let Some(window) = data[at..].first_chunk() {
        return window;
    }
    *copy = [0; _];
    copy[..data.len() - at].copy_from_slice(&data[at..]);
    copy
}

/// The bytes from 80 up and those from C0 up, one bit each.
#[inline(always)]
fn masks(window: &Window) -> [u64; 2] {
    let block: &[u8; LANES] = window.first_chunk().expect("a window is a block and more");
    [gathered(block), gathered(&block.map(|byte| byte & byte << 1))]
}

/// The bytes that are 00.
fn nuls(window: &Window) -> u64 {
    let block: &[u8; LANES] = window.first_chunk().expect("a window is a block and more");
    gathered(&block.map(|byte| if byte == 0 { 0x80 } else { 0 }))
}
