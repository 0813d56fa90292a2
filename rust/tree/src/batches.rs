//! Batches: threads take the files of a walk in turns and examine them; what they found is taken in order.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;
use std::{io, mem, process, thread, vec};

use crate::examine::{Examination, Examiner, Verdict};
use crate::walk::{Finding, Folder, Next, Walk, What};

/// How many files and how many folders a batch has at most: a thread has these folders open.
const FILES: usize = 256;
const FOLDERS: usize = 3;
/// How many batches may be done before the first of them is taken, for each thread, and for all: while a file with
/// faults is looked at in Python, threads go on.
const AHEAD: usize = 8;
const LEAST_AHEAD: usize = 128;
/// So many batches without findings are done before whoever takes them is woken: where there are as many threads as
/// processors, that interrupts one of them.
const WORTH_WAKING: usize = LEAST_AHEAD / 4;

/// What came of some files.
#[derive(Debug, Default)]
pub struct Batch {
    /// How many are clean.
    pub clean: usize,
    /// How many are binary.
    pub binary: usize,
    /// How many bytes both have.
    pub bytes: u64,
    /// How many files and folders a configuration has left out.
    pub left_out: usize,
    /// All else, in order.
    pub findings: Vec<Finding>,
}

/// A part of a batch that is not examined yet.
enum Piece {
    Files(Arc<Folder>, Vec<CString>),
    Finding(Finding),
}

/// What threads take from.
struct Due {
    walk: Walk,
    /// The files that the last batch had no room for.
    rest: Option<(Arc<Folder>, vec::IntoIter<CString>)>,
    number: usize,
}

impl Due {
    /// The next batch: its number, its pieces, and how much a configuration has left out of it.
    fn take(&mut self) -> Option<(usize, Vec<Piece>, usize)> {
        let (mut pieces, mut room) = (Vec::new(), FILES);
        while room > 0 && pieces.len() < FOLDERS {
            match self.rest.take().map(|(folder, names)| Next::Files(folder, names)).or_else(|| self.walk.next()) {
                Some(Next::Finding(finding)) => pieces.push(Piece::Finding(finding)),
                Some(Next::Files(folder, mut names)) => {
                    let taken: Vec<_> = names.by_ref().take(room).collect();
                    room -= taken.len();
                    self.rest = (names.len() > 0).then(|| (folder.clone(), names));
                    pieces.push(Piece::Files(folder, taken));
                }
                None => break,
            }
        }
        let left_out = mem::take(&mut self.walk.left_out);
        (!pieces.is_empty() || left_out > 0).then(|| {
            self.number += 1;
            (self.number - 1, pieces, left_out)
        })
    }
}

/// What threads have done.
#[derive(Default)]
struct Done {
    batches: BTreeMap<usize, Batch>,
    /// The number of the batch that is taken next.
    next: usize,
    /// How many batches there are, once it is known.
    total: Option<usize>,
    is_abandoned: bool,
    /// A thread has panicked, and a batch will never come.
    has_failed: bool,
}

impl Done {
    /// Add a batch, and return whether that is to be said.
    fn add(&mut self, number: usize, batch: Batch) -> bool {
        self.batches.insert(number, batch);
        self.batches.len() >= WORTH_WAKING || self.batches.values().any(|batch| !batch.findings.is_empty())
    }

    /// Take all batches that follow the last one taken, as one.
    fn take(&mut self) -> Option<Batch> {
        let mut batch = self.batches.remove(&self.next)?;
        self.next += 1;
        while let Some(more) = self.batches.remove(&self.next) {
            batch.append(more);
            self.next += 1;
        }
        Some(batch)
    }
}

struct Shared {
    examination: Examination,
    due: Mutex<Due>,
    done: Mutex<Done>,
    /// Something is done.
    is_ready: Condvar,
    /// Something was taken.
    has_room: Condvar,
    ahead: usize,
}

impl Shared {
    fn new(walk: Walk, examination: Examination, threads: NonZeroUsize) -> Shared {
        Shared {
            examination,
            due: Mutex::new(Due { walk, rest: None, number: 0 }),
            done: Mutex::default(),
            is_ready: Condvar::new(),
            has_room: Condvar::new(),
            ahead: LEAST_AHEAD.max(AHEAD * threads.get()),
        }
    }

    fn work(&self) {
        let _guard = Guard(self);
        let mut examiner = Examiner::new(&self.examination);
        while self.wait_for_room() {
            let Some((number, pieces, left_out)) = lock(&self.due).take() else { break };
            let batch = examined(&mut examiner, pieces, left_out);
            if lock(&self.done).add(number, batch) {
                self.is_ready.notify_one();
            }
        }
        let number = lock(&self.due).number;
        lock(&self.done).total = Some(number);
        self.is_ready.notify_one();
    }

    /// Wait until there is room for another batch; returns false once nobody takes any.
    fn wait_for_room(&self) -> bool {
        let is_full = |done: &mut Done| done.batches.len() >= self.ahead && !done.is_abandoned;
        let done = self.has_room.wait_while(lock(&self.done), is_full).unwrap_or_else(PoisonError::into_inner);
        !done.is_abandoned
    }
}

/// Says that its thread has panicked, if it has.
struct Guard<'a>(&'a Shared);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.done).has_failed = true;
            self.0.is_ready.notify_one();
        }
    }
}

fn examined(examiner: &mut Examiner<&Examination>, pieces: Vec<Piece>, left_out: usize) -> Batch {
    let mut batch = Batch { left_out, ..Batch::default() };
    for piece in pieces {
        match piece {
            Piece::Finding(finding) => batch.findings.push(finding),
            Piece::Files(folder, names) => {
                for name in names {
                    let verdict = examiner.verdict(&folder, &name);
                    batch.add(verdict, || folder.finding(&name, what_of(verdict)));
                }
            }
        }
    }
    batch
}

fn what_of(verdict: Verdict) -> What {
    match verdict {
        Verdict::Irregular => What::Irregular,
        Verdict::Unreadable(error) => What::Unreadable(error),
        Verdict::Text(bytes, beyond) => What::Text(bytes, beyond),
        _ => What::File,
    }
}

impl Batch {
    /// Add the batch that follows.
    fn append(&mut self, more: Batch) {
        self.clean += more.clean;
        self.binary += more.binary;
        self.bytes += more.bytes;
        self.left_out += more.left_out;
        self.findings.extend(more.findings);
    }

    fn add(&mut self, verdict: Verdict, finding: impl FnOnce() -> Finding) {
        match verdict {
            Verdict::Clean(bytes) => {
                self.clean += 1;
                self.bytes += bytes;
            }
            Verdict::Binary(bytes) => {
                self.binary += 1;
                self.bytes += bytes;
            }
            _ => self.findings.push(finding()),
        }
    }
}

/// The batches of a walk, which threads make.
pub struct Batches {
    shared: Arc<Shared>,
    /// The process that has the threads.
    process: u32,
}

/// Whether there is another batch.
pub enum Taken {
    /// There is.
    Batch(Batch),
    /// There is none yet.
    Later,
    /// There is none.
    End,
    /// The process was forked, and the threads are in the one that it was forked from.
    Elsewhere,
}

impl Batches {
    /// Begin with as many threads as can be had, at most so many.
    ///
    /// # Errors
    ///
    /// None can be had.
    pub fn new(walk: Walk, examination: Examination, threads: NonZeroUsize) -> io::Result<Batches> {
        let shared = Arc::new(Shared::new(walk, examination, threads));
        begin(&shared)?;
        let _ = (1..threads.get()).try_for_each(|_| begin(&shared));
        Ok(Batches { shared, process: process::id() })
    }

    /// Take the next batch, and wait for it no longer than this.
    ///
    /// # Panics
    ///
    /// A thread has.
    #[must_use]
    pub fn take(&self, longest: Duration) -> Taken {
        if !self.has_threads() {
            return Taken::Elsewhere;
        }
        let is_due = |done: &Done| done.batches.contains_key(&done.next) || done.total == Some(done.next);
        let is_late = |done: &mut Done| !is_due(done) && !done.has_failed;
        let done = lock(&self.shared.done);
        let waited = self.shared.is_ready.wait_timeout_while(done, longest, is_late);
        let (mut done, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if let Some(batch) = done.take() {
            self.shared.has_room.notify_all();
            return Taken::Batch(batch);
        }
        if done.total == Some(done.next) {
            return Taken::End;
        }
        assert!(!done.has_failed, "a thread that examines files has panicked");
        Taken::Later
    }

    /// Whether there are threads in this process. Otherwise nobody may ever release a lock that one of them held.
    fn has_threads(&self) -> bool {
        process::id() == self.process
    }
}

/// The threads end with the file at which they are; nobody waits for them, as a file may take long.
impl Drop for Batches {
    fn drop(&mut self) {
        if self.has_threads() {
            abandon(&self.shared);
        }
    }
}

fn begin(shared: &Arc<Shared>) -> io::Result<()> {
    let shared = shared.clone();
    Builder::new().name("eightfold-tree".to_owned()).spawn(move || shared.work()).map(drop)
}

fn abandon(shared: &Shared) {
    lock(&shared.done).is_abandoned = true;
    shared.has_room.notify_all();
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::{env, fs};

    use super::*;
    use crate::examine::tests::ascii;
    use crate::walk::Selection;

    fn batch(findings: usize) -> Batch {
        let finding = || Finding { path: b"a".to_vec(), inside: b"a".to_vec(), what: What::File };
        Batch { clean: 1, findings: (0..findings).map(|_| finding()).collect(), ..Batch::default() }
    }

    #[test]
    fn many_batches_or_a_finding_are_worth_waking_for() {
        let mut done = Done::default();
        assert!((1..WORTH_WAKING).all(|number| !done.add(number, batch(0))));
        assert!(done.add(WORTH_WAKING, batch(0)));
        // The first is not done yet.
        assert!(done.take().is_none());
        assert!(done.add(0, batch(0)));
        assert_eq!(done.take().map(|all| all.clean), Some(WORTH_WAKING + 1));
        let next = done.next;
        assert!(!done.add(next, batch(0)));
        assert!(done.add(next + 2, batch(1)));
        assert_eq!(done.take().map(|all| (all.clean, all.findings.len())), Some((1, 0)));
        // What it waits for is said, too.
        assert!(done.add(next + 1, batch(0)));
        assert_eq!(done.take().map(|all| (all.clean, all.findings.len())), Some((2, 1)));
        assert!(!done.add(next + 3, batch(0)));
    }

    #[test]
    fn threads_that_wait_for_room_go_on_once_something_is_taken() {
        let top = env::temp_dir().join(format!("eightfold-batches-{}", process::id()));
        let folders = FOLDERS * (LEAST_AHEAD + 2);
        for number in 0..folders {
            let folder = top.join(number.to_string());
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), "text").unwrap();
        }
        let walk = Walk::new(top.as_os_str().as_bytes().to_vec(), Selection::default());
        let batches = Batches::new(walk, ascii(), NonZeroUsize::MIN).unwrap();
        while lock(&batches.shared.done).batches.len() < LEAST_AHEAD {
            thread::yield_now();
        }
        let mut clean = 0;
        while let Taken::Batch(batch) = batches.take(Duration::from_secs(60)) {
            clean += batch.clean;
        }
        fs::remove_dir_all(&top).unwrap();
        assert_eq!(clean, folders);
    }

    #[test]
    #[should_panic(expected = "a thread that examines files has panicked")]
    fn a_batch_that_will_never_come_is_not_waited_for() {
        let walk = Walk::new(b"/nowhere".to_vec(), Selection::default());
        let shared = Arc::new(Shared::new(walk, ascii(), NonZeroUsize::MIN));
        let batches = Batches { shared: shared.clone(), process: process::id() };
        let failing = thread::spawn(move || {
            let _guard = Guard(&shared);
            assert!(lock(&shared.due).take().is_none(), "it took a batch");
        });
        failing.join().unwrap_err();
        let _ = batches.take(Duration::from_secs(600));
    }
}
