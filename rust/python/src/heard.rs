//! Signals during long calls: what a pass writes to lets Python run its handlers of signals now and then, so that
//! Ctrl-C is heard while the core is at work.

use std::mem::take;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use eightfold_core::kernels::{Input, Script};
use eightfold_core::{Halt, OutOfMemory, Place, Sink, by_threads};
use pyo3::prelude::*;

use crate::locks::locked;

/// Bytes or code points between two looks at the clock.
const STEP: usize = 1 << 18;

/// Time between two looks for signals. Another thread may keep the lock of the interpreter for 5 ms each time.
const EVERY: Duration = Duration::from_millis(100);

/// Who is asked whether a call goes on.
pub trait Hears {
    /// Add work that has been done, and say whether the call goes on. If not, a handler has raised.
    fn goes_on(&mut self, amount: usize) -> bool;
}

/// The ear of a call: it counts what has been done, and looks for signals when it is time.
#[derive(Default)]
pub struct Ear {
    done: usize,
    last: Option<Instant>,
    raised: Option<PyErr>,
}

impl Hears for Ear {
    #[inline]
    fn goes_on(&mut self, amount: usize) -> bool {
        self.done = self.done.saturating_add(amount);
        self.done < STEP || self.listens()
    }
}

impl Ear {
    #[cold]
    fn listens(&mut self) -> bool {
        self.done = 0;
        let now = Instant::now();
        if self.raised.is_none() && now.duration_since(*self.last.get_or_insert(now)) >= EVERY {
            self.last = Some(now);
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        self.raised.is_none()
    }

    /// What a handler raised.
    pub fn result(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}

/// The ear of a call that works on several threads: only the one that called listens, and all of them end.
pub struct SharedEar {
    caller: ThreadId,
    ear: Mutex<Ear>,
    is_over: AtomicBool,
}

/// One thread's part of a [`SharedEar`].
pub struct Worker<'a> {
    shared: &'a SharedEar,
    done: usize,
}

impl Hears for Worker<'_> {
    #[inline]
    fn goes_on(&mut self, amount: usize) -> bool {
        self.done = self.done.saturating_add(amount);
        self.done < STEP || self.shared.goes_on(take(&mut self.done))
    }
}

impl SharedEar {
    fn new() -> Self {
        SharedEar { caller: thread::current().id(), ear: Mutex::default(), is_over: AtomicBool::new(false) }
    }

    /// As [`Hears::goes_on`], from any thread.
    pub fn goes_on(&self, amount: usize) -> bool {
        if thread::current().id() == self.caller && !locked(&self.ear).goes_on(amount) {
            self.is_over.store(true, Ordering::Relaxed);
        }
        !self.is_over.load(Ordering::Relaxed)
    }
}

/// Do work with an ear that several threads share.
pub fn with_shared_ear<R>(work: impl FnOnce(&SharedEar) -> R) -> PyResult<R> {
    let shared = SharedEar::new();
    let result = work(&shared);
    take(&mut *locked(&shared.ear)).result()?;
    Ok(result)
}

/// As [`by_threads`]; `work` is given an ear.
pub fn heard_by_threads<T: Sync, R: Send>(
    threads: NonZeroUsize,
    items: &[T],
    work: impl Fn(&T, Worker<'_>) -> R + Sync,
) -> PyResult<Vec<R>> {
    let each = |shared: &SharedEar| {
        by_threads(threads, items, |item| shared.goes_on(0).then(|| work(item, Worker { shared, done: STEP })))
    };
    // Nothing has ended the work, so each item has been done.
    Ok(with_shared_ear(each)?.into_iter().flatten().collect())
}

/// A sink, or a place for bytes, with an ear. To end a pass when a handler has raised, it refuses to make room.
pub struct Heard<'a, T, E = Ear> {
    inner: &'a mut T,
    ear: E,
}

impl<'a, T> Heard<'a, T> {
    /// Give it an ear.
    pub fn new(inner: &'a mut T) -> Self {
        Heard { inner, ear: Ear::default() }
    }

    /// What a handler raised; where there is something, nothing else about the pass counts.
    pub fn result(self) -> PyResult<()> {
        self.ear.result()
    }
}

impl<'a, T, E: Hears> Heard<'a, T, E> {
    /// Give it a worker's ear.
    pub fn by(inner: &'a mut T, ear: E) -> Self {
        Heard { inner, ear }
    }

    fn worked(&mut self, amount: usize) -> Result<(), OutOfMemory> {
        if self.ear.goes_on(amount) { Ok(()) } else { Err(OutOfMemory) }
    }

    /// Take step by step what can be taken at once. A step may end just before its limit, where that cuts a unit.
    #[inline(always)]
    fn by_steps<O: From<OutOfMemory>>(
        &mut self,
        start: usize,
        limit: usize,
        mut take: impl FnMut(&mut T, usize, usize) -> Result<usize, O>,
    ) -> Result<usize, O> {
        const LONGEST_UNIT: usize = 8;
        let mut at = start;
        loop {
            let step_limit = limit.min(at.saturating_add(STEP));
            let end = take(self.inner, at, step_limit)?;
            let goes_on = end > at && end < limit && end + LONGEST_UNIT > step_limit;
            self.worked(end - at)?;
            at = end;
            if !goes_on {
                return Ok(at);
            }
        }
    }
}

impl<T: Sink, E: Hears> Sink for Heard<'_, T, E> {
    fn reserve(&mut self, source_bytes: usize) -> Result<(), OutOfMemory> {
        self.worked(source_bytes)?;
        self.inner.reserve(source_bytes)
    }

    #[inline(always)]
    fn put(&mut self, code_point: u32, start: usize, end: usize) -> Result<(), Halt> {
        self.inner.put(code_point, start, end)
    }

    #[inline(always)]
    fn put_ascii(&mut self, characters: &[u8], start: usize, end: usize) -> Result<(), Halt> {
        self.inner.put_ascii(characters, start, end)
    }

    #[inline]
    fn take(&mut self, input: &Input<'_>, start: usize, limit: usize) -> Result<usize, Halt> {
        if !input.has_steps() {
            let end = self.inner.take(input, start, limit)?;
            self.worked(end - start)?;
            return Ok(end);
        }
        self.by_steps(start, limit, |inner, start, limit| inner.take(input, start, limit))
    }
}

impl<T: Place, E: Hears> Place for Heard<'_, T, E> {
    fn reserve(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        self.worked(bytes)?;
        self.inner.reserve(bytes)
    }

    #[inline(always)]
    fn put(&mut self, bytes: &[u8]) {
        self.inner.put(bytes);
    }

    #[inline]
    fn take(&mut self, script: &Script<'_>, start: usize, limit: usize) -> Result<usize, OutOfMemory> {
        self.by_steps(start, limit, |inner, start, limit| inner.take(script, start, limit))
    }
}
