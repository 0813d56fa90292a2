//! Examining: whether a file needs no more than to be counted, because it is clean, or binary and so left alone.

use std::borrow::Borrow;
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use eightfold_core::kernels::{count_beyond_ascii, find_byte, find_pair};
use eightfold_core::{Form, Scan};
use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, open, openat, stat};
use rustix::io::{Errno, read};

use crate::opening::{AT_ONCE, PATH_BYTES};
use crate::rules::Rules;
use crate::walk::Folder;

/// How much of a file is read at once, and the least of it that is the head.
const CHUNK_BYTES: usize = 256 * 1024;
const HEAD_BYTES: usize = 8192;
/// More bytes than that are held back between two chunks by a form with sequences of any length only.
const HELD_BYTES: usize = 64;
/// A larger file is worth several threads of its own.
const LARGE_BYTES: u64 = 8 << 20;
/// A shorter head is too little to tell units of 16 bits from anything else.
const TELLING_BYTES: usize = 64;
/// The bounds of `eightfold.evidence`: so many unlikely code points, one in so many, or else one in so many more.
const FEW: usize = 3;
const POINTS_FOR_AN_UNLIKELY: usize = 50;

/// What is looked for in files.
#[derive(Debug)]
pub struct Examination {
    /// The form without signatures, of 8-bit units.
    pub form: Arc<Form>,
    /// A file that begins with one of these needs more.
    pub marks: Vec<Vec<u8>>,
    /// Whether a file with a NUL in its head may be in another form.
    pub may_differ: bool,
    /// Whether a file with a NUL in its head is left alone.
    pub skips_binary: bool,
    /// Whether a file with an escape of a surrogate in JSON needs more.
    pub escapes: bool,
    /// A file that has bytes in the ranges of one of these, one after another, needs more.
    pub suspects: Vec<Vec<(u8, u8)>>,
    /// Whether files that are clean are found too.
    pub lists: bool,
    /// A file that matches one of these needs more, whatever it holds.
    pub special: Vec<Rules>,
    /// The device and the inode of a file that needs more, whatever it holds.
    pub output: Option<(i128, i128)>,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is clean, and has so many bytes.
    Clean(u64),
    /// The same, and it is to be found: how many bytes it has, and how many of them lie beyond ASCII.
    Text(u64, u64),
    /// It is left alone, and has so many bytes.
    Binary(u64),
    /// It needs more.
    More,
    /// It is no regular file any more.
    Irregular,
    /// It cannot be read.
    Unreadable(Errno),
}

impl Verdict {
    /// The verdict on a file that was not read to its end. A signal may be meant to end a read that hangs, so it is
    /// left to the caller whether the file is read again.
    fn without_content(reason: Errno) -> Self {
        if reason == Errno::INTR { Verdict::More } else { Verdict::Unreadable(reason) }
    }
}

/// Examines files one after another.
#[derive(Debug)]
pub struct Examiner<E> {
    examination: E,
    buffer: Box<[u8]>,
}

fn is_regular(status: &Stat) -> bool {
    FileType::from_raw_mode(status.st_mode) == FileType::RegularFile
}

impl<E: Borrow<Examination>> Examiner<E> {
    /// An examiner with a buffer of its own.
    #[must_use]
    pub fn new(examination: E) -> Self {
        Examiner { examination, buffer: vec![0; CHUNK_BYTES].into() }
    }

    /// Examine a file of an open folder.
    pub(crate) fn verdict(&mut self, folder: &Folder, name: &CStr) -> Verdict {
        let special = &self.examination.borrow().special;
        if !special.is_empty() {
            let path = [&folder.inside, name.to_bytes()].concat();
            if special.iter().any(|rules| rules.touch(&path)) {
                return Verdict::More;
            }
        }
        self.examined(folder, name).unwrap_or_else(Verdict::without_content)
    }

    /// Examine a file under a path that was given; links on the way are followed.
    pub fn verdict_of_path(&mut self, path: &[u8]) -> Verdict {
        self.examined_path(path).unwrap_or_else(Verdict::without_content)
    }

    fn examined_path(&mut self, path: &[u8]) -> Result<Verdict, Errno> {
        // Not only once it is open: who writes to a pipe may wait for one reader, who stays.
        if !is_regular(&stat(path)?) {
            return Ok(Verdict::Irregular);
        }
        self.read(&open(path, OFlags::RDONLY | AT_ONCE, Mode::empty())?)
    }

    fn examined(&mut self, folder: &Folder, name: &CStr) -> Result<Verdict, Errno> {
        if folder.path.len() + 1 + name.count_bytes() >= PATH_BYTES {
            return Err(Errno::NAMETOOLONG);
        }
        // A link or a pipe may have come in its place since it was listed.
        self.read(&openat(&folder.handle, name, OFlags::RDONLY | OFlags::NOFOLLOW | AT_ONCE, Mode::empty())?)
    }

    fn read(&mut self, file: &OwnedFd) -> Result<Verdict, Errno> {
        let status = fstat(file)?;
        if !is_regular(&status) {
            return Ok(Verdict::Irregular);
        }
        let examination = self.examination.borrow();
        if examination.output == Some((status.st_dev.into(), status.st_ino.into())) {
            return Ok(Verdict::More);
        }
        self.read_content(file, u64::try_from(status.st_size).unwrap_or(0))
    }

    /// Examine what a file holds that had this size. It may have grown since, and may grow as fast as it is read.
    fn read_content(&mut self, file: &OwnedFd, size: u64) -> Result<Verdict, Errno> {
        let examination = self.examination.borrow();
        let mut held = read(file, &mut *self.buffer)?;
        if size >= LARGE_BYTES || (held as u64) < size.min(HEAD_BYTES as u64) {
            return Ok(Verdict::More);
        }
        if let Some(verdict) = examination.by_head(&self.buffer[..held.min(HEAD_BYTES)], size) {
            return Ok(verdict);
        }
        let (mut passed, mut beyond) = (held as u64, 0);
        loop {
            let is_last = passed == size && held < CHUNK_BYTES;
            let Some(rest) = examination.passed_over(&self.buffer[..held], is_last) else {
                return Ok(Verdict::More);
            };
            beyond += examination.beyond_ascii(&self.buffer[..rest]);
            if is_last {
                return Ok(examination.clean(passed, beyond));
            }
            self.buffer.copy_within(rest..held, 0);
            let kept = held - rest;
            let more = read(file, &mut self.buffer[kept..])?;
            if more == 0 {
                let is_clean = examination.passed_over(&self.buffer[..kept], true).is_some();
                beyond += examination.beyond_ascii(&self.buffer[..kept]);
                return Ok(if is_clean { examination.clean(passed, beyond) } else { Verdict::More });
            }
            held = kept + more;
            passed += more as u64;
            if passed >= LARGE_BYTES {
                return Ok(Verdict::More);
            }
        }
    }
}

impl Examination {
    /// The verdict that the head of a file allows.
    fn by_head(&self, head: &[u8], size: u64) -> Option<Verdict> {
        if self.marks.iter().any(|mark| head.starts_with(mark)) {
            return Some(Verdict::More);
        }
        if !(self.may_differ || self.skips_binary) || !head.contains(&0) {
            return None;
        }
        if self.may_differ && (!self.skips_binary || may_be_wide(head)) {
            return Some(Verdict::More);
        }
        Some(Verdict::Binary(size))
    }

    /// Where what more input decides begins in clean bytes; None if they are not clean.
    fn passed_over(&self, data: &[u8], is_final: bool) -> Option<usize> {
        let mut scan = Scan { form: &self.form, data, is_final, at: 0, limit: data.len() };
        if scan.stops_at_fault(&mut ()) || data.len() - scan.at > HELD_BYTES || (is_final && scan.at < data.len()) {
            return None;
        }
        let passed = if is_final { 0 } else { scan.at };
        let is_suspect = self.suspects.iter().any(|ranges| has_series(data, ranges, passed))
            || (self.escapes && has_escape(data, is_final));
        (!is_suspect).then_some(scan.at)
    }

    /// How many bytes lie beyond ASCII; 0 where nobody asks.
    fn beyond_ascii(&self, data: &[u8]) -> u64 {
        if self.lists { count_beyond_ascii(data) as u64 } else { 0 }
    }

    fn clean(&self, bytes: u64, beyond: u64) -> Verdict {
        if self.lists { Verdict::Text(bytes, beyond) } else { Verdict::Clean(bytes) }
    }
}

/// Whether bytes lie in some ranges one after another; before an offset, they may also be cut off by the end of the
/// data.
fn has_series(data: &[u8], ranges: &[(u8, u8)], passed: usize) -> bool {
    let mut at = 0;
    while let Some(found) = next_series(&data[at..], ranges) {
        at += found;
        let is_whole = data.len() - at >= ranges.len();
        let are_inside = data[at..].iter().zip(ranges).all(|(byte, &(low, high))| (low..=high).contains(byte));
        if are_inside && (is_whole || at < passed) {
            return true;
        }
        at += 1;
    }
    false
}

/// Where bytes next may lie in some ranges one after another.
fn next_series(data: &[u8], ranges: &[(u8, u8)]) -> Option<usize> {
    match *ranges {
        [(lead, last), second, ..] if lead == last => {
            find_pair(data, &[(lead, second)]).or_else(|| data.ends_with(&[lead]).then(|| data.len() - 1))
        }
        [first, ..] => find_byte(data, &[first]),
        [] => None,
    }
}

/// Whether bytes may have the escape of a surrogate in JSON, or end in what may become one.
fn has_escape(data: &[u8], is_final: bool) -> bool {
    let mut at = 0;
    while let Some(found) = find_pair(&data[at..], &[(b'\\', (b'u', b'u'))]) {
        at += found + 2;
        if data.get(at).is_some_and(|byte| byte.eq_ignore_ascii_case(&b'd')) {
            return true;
        }
    }
    !is_final && (data.ends_with(b"\\") || data.ends_with(b"\\u"))
}

/// Whether there may be evidence for units of 16 or 32 bits in a head with a NUL. `eightfold.evidence` refuses bytes
/// with many unlikely code points; here the likeliest of these are counted, so it decides of what is left.
fn may_be_wide(head: &[u8]) -> bool {
    if head.len() < TELLING_BYTES {
        return true;
    }
    let whole = &head[..head.len() / 4 * 4];
    let (halves, _) = whole.as_chunks::<2>();
    let (words, _) = whole.as_chunks::<4>();
    let is_bad_half = |unit: u16| unit < 8 || (0xE000..0xF900).contains(&unit);
    let is_bad_word = |unit: u32| !(8..=0x10_FFFF).contains(&unit);
    !(is_refused(halves, |unit| is_bad_half(u16::from_le_bytes(*unit)))
        && is_refused(halves, |unit| is_bad_half(u16::from_be_bytes(*unit)))
        && is_refused(words, |unit| is_bad_word(u32::from_le_bytes(*unit)))
        && is_refused(words, |unit| is_bad_word(u32::from_be_bytes(*unit))))
}

/// Whether too many units are unlikely.
fn is_refused<U>(units: &[U], is_bad: impl Fn(&U) -> bool) -> bool {
    let unlikely = units.iter().filter(|unit| is_bad(unit)).count();
    unlikely > FEW.min(units.len() / FEW).max(units.len() / POINTS_FOR_AN_UNLIKELY)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::{env, fs, process};

    use eightfold_core::{Row, Tables};
    use rustix::fs::{CWD, mknodat, symlinkat};

    use super::*;

    pub(crate) fn ascii() -> Examination {
        let row = Row { first: 0, last: 0x7F, ranges: vec![(0, 0x7F)] };
        let tables = Tables {
            unit_bytes: 1,
            big_endian: false,
            joins_pairs: false,
            rows: vec![row],
            units: Vec::new(),
            names: Vec::new(),
        };
        Examination {
            form: Arc::new(Form::new(tables).expect("it is small")),
            marks: Vec::new(),
            may_differ: true,
            skips_binary: true,
            escapes: false,
            suspects: Vec::new(),
            lists: false,
            special: Vec::new(),
            output: None,
        }
    }

    #[test]
    fn bytes_in_a_series_of_ranges_are_seen_up_to_the_end_of_the_data() {
        let ranges = [(b'a', b'a'), (b'b', b'd'), (b'e', b'e')];
        for (data, passed, has) in [
            ("ade", 0, true),
            ("aade", 0, true),
            ("aafade", 0, true),
            ("adf", 3, false),
            ("xad", 3, true),
            ("xad", 1, false),
            ("xa", 2, true),
            ("xa", 1, false),
            ("", 0, false),
        ] {
            assert_eq!(has_series(data.as_bytes(), &ranges, passed), has, "{data} {passed}");
        }
        assert!(has_series(b"xyc", &[(b'b', b'd')], 0));
        assert!(!has_series(b"xye", &[(b'b', b'd')], 3));
        assert!(has_series(b"xe", &[(b'b', b'e'), (b'a', b'a')], 2));
    }

    #[test]
    fn bytes_beyond_ascii_are_counted_where_files_are_listed() {
        let examination = Examination { lists: true, ..ascii() };
        assert_eq!(examination.clean(5, examination.beyond_ascii(b"na\xC3\xAFve")), Verdict::Text(5, 2));
        assert_eq!((ascii().beyond_ascii(b"\xC3"), ascii().clean(5, 0)), (0, Verdict::Clean(5)));
    }

    #[test]
    fn a_read_is_not_begun_again_where_a_signal_ended_it() {
        assert_eq!(Verdict::without_content(Errno::INTR), Verdict::More);
        assert_eq!(Verdict::without_content(Errno::IO), Verdict::Unreadable(Errno::IO));
    }

    #[test]
    fn a_file_that_grows_is_not_read_for_ever() {
        let path = env::temp_dir().join(format!("eightfold-growing-{}", process::id()));
        for (bytes, verdict) in [(LARGE_BYTES - 1, Verdict::Clean(LARGE_BYTES - 1)), (LARGE_BYTES, Verdict::More)] {
            fs::write(&path, vec![b'a'; usize::try_from(bytes).unwrap()]).unwrap();
            let file = OwnedFd::from(fs::File::open(&path).unwrap());
            assert_eq!(Examiner::new(&ascii()).read_content(&file, 1), Ok(verdict));
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_came_in_the_place_of_a_file_is_neither_followed_nor_waited_for() {
        let path = env::temp_dir().join(format!("eightfold-tree-{}", process::id()));
        fs::create_dir(&path).unwrap();
        fs::write(path.join("file"), "text").unwrap();
        symlinkat("file", CWD, path.join("link")).unwrap();
        mknodat(CWD, path.join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        let handle = openat(CWD, &path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let folder = Folder { path: path.as_os_str().as_bytes().to_vec(), inside: Vec::new(), handle };
        let examination = ascii();
        let mut examiner = Examiner::new(&examination);
        let names = [c"file", c"link", c"pipe", c"none", c"."];
        let verdicts = names.map(|name| examiner.verdict(&folder, name));
        let given =
            names.map(|name| examiner.verdict_of_path(path.join(name.to_str().unwrap()).as_os_str().as_bytes()));
        fs::remove_dir_all(&path).unwrap();
        let expected = [
            Verdict::Clean(4),
            Verdict::Unreadable(Errno::LOOP),
            Verdict::Irregular,
            Verdict::Unreadable(Errno::NOENT),
            Verdict::Irregular,
        ];
        assert_eq!(verdicts, expected);
        // Of what is given, links are followed.
        assert_eq!(given, [Verdict::Clean(4), Verdict::Clean(4), expected[2], expected[3], expected[4]]);
    }
}
