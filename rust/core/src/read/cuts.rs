//! Where an input can be cut into pieces that mean the same apart as together, and the threads that work on them.
//!
//! A cut is right before a well-formed sequence whose first unit never occurs later in a sequence. What precedes the
//! cut ends there in any case and reaches no further. The sequence is not a trail either, so no lead waits for it.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::ops::Range as Span;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;

use crate::code_point::{Range, TRAILS, holds};
use crate::form::Form;
use crate::read::sequence::Step;

/// The size of a piece, if the input can be cut there: some tens of microseconds of work.
pub const PIECE_BYTES: usize = 1 << 20;

/// More than a thread takes before its work begins: its stack, and what belongs to it alone.
const THREAD_BYTES: usize = 4 << 20;

/// How far back from the nominal end of a piece to search for a cut.
const REACH_BYTES: usize = 4096;

impl Form {
    /// The pieces of an input from an offset on.
    pub fn pieces<'a>(&'a self, data: &'a [u8], start: usize) -> impl Iterator<Item = Span<usize>> + 'a {
        let mut at = start;
        std::iter::from_fn(move || {
            let piece = at..self.piece_end(data, at);
            at = piece.end;
            (!piece.is_empty()).then_some(piece)
        })
    }

    fn piece_end(&self, data: &[u8], start: usize) -> usize {
        let nearest = (start + PIECE_BYTES..data.len()).step_by(PIECE_BYTES);
        nearest.filter_map(|near| self.cut_before(data, near)).next().unwrap_or(data.len())
    }

    fn cut_before(&self, data: &[u8], near: usize) -> Option<usize> {
        self.cut_between(data, near - REACH_BYTES, near)
    }

    /// The last cut above `least` and at most at `near`, both at units. More input may follow.
    #[must_use]
    pub fn cut_between(&self, data: &[u8], least: usize, near: usize) -> Option<usize> {
        let backward = (0..near.saturating_sub(least)).step_by(self.tables.unit_bytes).map(|back| near - back);
        { backward }.find(|&at| self.is_cut(data, at))
    }

    fn is_cut(&self, data: &[u8], at: usize) -> bool {
        let opens = self.tables.unit_at(data, at).is_some_and(|unit| self.only_opens(unit));
        let begins = |step| matches!(step, Step::Value { code_point, .. } if !holds(TRAILS, code_point));
        opens && begins(self.sequence_at(data, at, false))
    }

    /// Whether a unit occurs only at the beginning of a sequence, well-formed or not.
    pub(crate) fn only_opens(&self, unit: u32) -> bool {
        let goes_on = |ranges: &[Range]| ranges[1..].iter().any(|&range| holds(range, unit));
        let named = self.tables.units.iter().chain(&self.tables.names);
        !self.tables.rows.iter().any(|row| goes_on(&row.ranges))
            && !{ named }.any(|row| goes_on(&row.ranges) || row.runs_on(unit))
    }
}

/// Whether there is memory for a thread to begin: where the C library has none for the thread's own variables, it ends
/// the process.
fn has_room_for_a_thread() -> bool {
    let mut room = Vec::<u8>::new();
    let is_there = room.try_reserve_exact(THREAD_BYTES).is_ok();
    black_box(room); // Memory that nobody uses would not be asked for.
    is_there
}

/// Do the same work on each item, on at most this many threads at once, and return the results in order. If the system
/// has no more threads, the existing ones do all of it.
pub fn by_threads<T: Sync, R: Send>(threads: NonZeroUsize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let take_turns = || {
        while let Some((at, item)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, items.get(at)?)))
        {
            let result = work(item);
            results.lock().expect("no thread has panicked").push((at, result));
        }
    };
    let begun = Barrier::new(2);
    let begin = || {
        begun.wait();
        take_turns();
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(items.len()) {
            if !has_room_for_a_thread() || thread::Builder::new().spawn_scoped(scope, begin).is_err() {
                break;
            }
            // Nothing of this call takes the memory that the thread begins with.
            begun.wait();
        }
        take_turns();
    });
    let mut results = results.into_inner().expect("no thread has panicked");
    results.sort_unstable_by_key(|&(at, _)| at);
    results.into_iter().map(|(_, result)| result).collect()
}
