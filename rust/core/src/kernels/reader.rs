//! Bytes of any form that has a layout, looked at block by block on any machine: masks show in which lanes sequences
//! begin, which of them are ill-formed, and where the layout does not apply. What callers do with a block is left to
//! them.

use super::lanes::{Begun, Read, low_64, stops_at};
use super::masks::{LANES, Window, lanes_before, lanes_behind, lanes_of};
use super::source::Source;
use crate::code_point::is_continuation;
use crate::derive::layout::{Layout, Pairs, SURROGATE_LEAD, SURROGATE_SECOND};
use crate::derive::leads::{Leads, Seconds, are_apart_in_utf8};
use crate::derive::piece::Surrogates;
use crate::policy::Answer;

/// The lanes of 64 bytes in which something begins that is read.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    /// All of them.
    pub begins: u64,
    /// Those in which an ill-formed unit begins.
    pub ill: u64,
    /// Those in which a joined surrogate pair begins.
    pub pairs: u64,
    /// Those with a lead byte of three bytes or more, and of four, also where what begins is ill-formed.
    pub leads: [u64; 2],
}

impl Lanes {
    /// Those of a window of which the others are known.
    #[inline(always)]
    pub fn of(window: &Window, [begins, ill, pairs]: [u64; 3]) -> Self {
        let leads = [0xE0, 0xF0].map(|least| begins & lanes_of(window, 0, |byte| byte >= least));
        Lanes { begins, ill, pairs, leads }
    }

    /// What begins before a lane.
    #[inline(always)]
    pub fn before(self, lane: usize) -> Self {
        Lanes { begins: self.begins & low_64(lane), pairs: self.pairs & low_64(lane), ..self }
    }
}

/// The findings about 64 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// What begins in them.
    pub lanes: Lanes,
    /// The length of what was read: to where reading stops, or where what begins in the block ends.
    pub length: usize,
    /// Whether reading continues behind the block.
    pub goes_on: bool,
}

/// A layout, with the facts that each block needs.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    /// The layout.
    pub layout: &'a Layout,
    leads: &'a Leads,
    /// What to do at ill-formed units.
    pub answer: Answer,
}

impl<'a> Reader<'a> {
    pub fn new(source: &Source<'a>) -> Self {
        let layout = source.layout;
        Reader { layout, leads: layout.leads(), answer: source.answer() }
    }

    /// Look at the block of a window, of which `left` bytes are to be read, at the border of something.
    #[inline(always)]
    pub fn look(&self, window: &Window, left: usize) -> Block {
        let high = lanes_of(window, 0, |byte| byte >= 0x80);
        let continuing = lanes_of(window, 0, is_continuation);
        let behind = lanes_behind(window, is_continuation);
        let continues = |by: u32| continuing >> by | behind << (64 - by);
        let is_three = lanes_of(window, 0, |byte| byte >= 0xE0);
        let is_four = if is_three == 0 { 0 } else { lanes_of(window, 0, |byte| byte >= 0xF0) };
        let two = self.taking(window, high & !continuing, is_three) & continues(1);
        let mut begun = Begun::new(two, [is_three, is_four], [continues(2), continues(3)]);
        let mut stops = self.parting(window);
        let mut joined = 0;
        if self.layout.pairs != Pairs::Apart && is_three != 0 {
            let surrogates = surrogates(window) & two;
            if surrogates != 0 {
                let pairs = begin_pairs(window, surrogates & continues(2)) & begun.three;
                let Surrogates { ill, parting, joined: leads } = self.layout.surrogates(surrogates, pairs);
                (begun.whole, stops, joined) = (begun.whole & !ill, stops | parting, leads);
            }
        }
        let mut taken = begun.taken(self.answer.is_by_byte(), is_three, 0);
        taken.add(joined, [3, 4, 5]);
        let mut ill = high & !begun.whole;
        if !self.layout.has_nul {
            ill |= lanes_of(window, 0, |byte| byte == 0);
        }
        stops |= stops_at(self.answer, ill, high);
        let Read { begins, length, goes_on } = taken.read(stops, left);
        let length = if goes_on { LANES + taken.next.trailing_ones() as usize } else { length };
        let [ill, pairs] = [ill, joined].map(|lanes| lanes & begins);
        let lanes = Lanes { begins, ill, pairs, leads: [is_three, is_four].map(|leads| leads & begins) };
        Block { lanes, length, goes_on }
    }

    /// Which of some lead bytes have one of their second bytes behind them, provided that a continuation byte is there.
    #[inline(always)]
    fn taking(&self, window: &Window, leads: u64, is_three: u64) -> u64 {
        if self.leads.are_of_utf8 {
            return leads & !lanes_before(window, are_apart_in_utf8);
        }
        let mut takes = leads;
        for &(low, span) in &self.leads.idle {
            if low < 0xE0 || is_three != 0 {
                takes &= !lanes_of(window, 0, |byte| byte.wrapping_sub(low) <= span);
            }
        }
        for narrow in &self.leads.narrow {
            if narrow.lead < 0xE0 || is_three != 0 {
                let led = led(window, narrow.lead);
                if led != 0 {
                    takes &= !led | seconds(window, narrow);
                }
            }
        }
        takes
    }

    /// The lanes in which something begins that parts from the layout.
    #[inline(always)]
    fn parting(&self, window: &Window) -> u64 {
        let mut lanes = 0;
        for &(low, span) in &self.leads.parting {
            lanes |= lanes_of(window, 0, |byte| byte.wrapping_sub(low) <= span);
        }
        for parting in &self.leads.parting_seconds {
            let led = led(window, parting.lead);
            if led != 0 {
                lanes |= led & seconds(window, parting);
            }
        }
        lanes
    }

    /// Whether a sequence in some lanes begins at a border or behind it: see [`Layout::borders`].
    pub fn reaches(&self, window: &Window, whole: u64, [lead, second, third]: [u8; 3]) -> bool {
        let leads = whole & lanes_of(window, 0, |byte| byte >= lead);
        let behind = || {
            let seconds = |is: fn(u8, u8) -> bool| lanes_of(window, 1, |byte| is(byte, second));
            let thirds = || lanes_of(window, 2, |byte| byte >= third);
            leads
                & (!led(window, lead)
                    | seconds(|byte, least| byte > least)
                    | seconds(|byte, least| byte == least) & thirds())
        };
        leads != 0 && (self.layout.lead_decides || behind() != 0)
    }
}

/// The lanes of a lead byte.
#[inline(always)]
fn led(window: &Window, lead: u8) -> u64 {
    lanes_of(window, 0, |byte| byte == lead)
}

/// The lanes before one of some second bytes.
#[inline(always)]
fn seconds(window: &Window, &Seconds { low, span, .. }: &Seconds) -> u64 {
    lanes_of(window, 1, |byte| byte.wrapping_sub(low) <= span)
}

/// The lanes in which surrogate byte sequences begin, provided that continuation bytes follow.
#[inline(always)]
fn surrogates(window: &Window) -> u64 {
    let first = led(window, SURROGATE_LEAD);
    if first == 0 { 0 } else { first & lanes_of(window, 1, |byte| byte >= SURROGATE_SECOND) }
}

/// The least second byte of a trail.
const TRAIL_SECOND: u8 = 0xB0;

/// The surrogate byte sequences that begin a pair.
#[inline(always)]
fn begin_pairs(window: &Window, surrogates: u64) -> u64 {
    let trails = surrogates & lanes_of(window, 1, |byte| byte >= TRAIL_SECOND);
    let is_trail = |at: usize| {
        window[at] == SURROGATE_LEAD
            && (TRAIL_SECOND..0xC0).contains(&window[at + 1])
            && is_continuation(window[at + 2])
    };
    let behind = (0..3).fold(0, |lanes, lane| lanes | u64::from(is_trail(LANES + lane)) << lane);
    surrogates & !trails & (trails >> 3 | behind << 61)
}
