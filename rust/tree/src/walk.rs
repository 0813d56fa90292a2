//! Walking: the folders of a tree one after another, each with its files that are taken, in order.
//!
//! Files come before folders, both sorted. A folder is opened from one that it lies in and no link is followed. What
//! is found is what `eightfold.files.walk.walking` finds, which is the judge.

use std::collections::VecDeque;
use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::vec;

use rustix::fs::{Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, accessat, openat, statat};
use rustix::io::{Errno, fcntl_dupfd_cloexec};

use crate::opening::{self, FOLDER, PATH_BYTES};
use crate::order::compare;
use crate::rules::{Rules, exclude_of, read_rules};

/// So many folders that lie in each other are kept open until the last folder in them is entered. Deeper ones are
/// opened by their way from the last of these: a tree may be deeper than a process may have files open.
const DEPTH_KEPT: usize = 8;

/// Which files of a tree are taken.
#[derive(Debug, Default)]
pub struct Selection {
    /// If there are any, a file must match one of these.
    pub include: Option<Rules>,
    /// Files and folders that match are left out.
    pub exclude: Option<Rules>,
    /// As `include`, of a configuration: what it leaves out is counted.
    pub configured_include: Option<Rules>,
    /// As `exclude`, of a configuration.
    pub configured_exclude: Option<Rules>,
    /// The rules of ignore files that hold at the top, the weakest first; None to ignore nothing.
    pub ignored: Option<Vec<Rules>>,
    /// A folder below the top that has an entry of one of these names is handed back, and not entered.
    pub handed_back: Vec<Vec<u8>>,
    /// The ending of the names of temporary files, which begin with a dot.
    pub temporary: Vec<u8>,
}

/// A place in a tree, and what is the matter with it.
#[derive(Debug)]
pub struct Finding {
    /// Its path.
    pub path: Vec<u8>,
    /// Its way from the top.
    pub inside: Vec<u8>,
    /// What was found there.
    pub what: What,
}

/// What was found at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A file needs more than to be counted.
    File,
    /// A file is clean: how many bytes it has, and how many of them lie beyond ASCII.
    Text(u64, u64),
    /// A folder is handed back.
    Folder,
    /// It is no regular file any more.
    Irregular,
    /// It cannot be read.
    Unreadable(Errno),
}

/// A folder that was listed.
#[derive(Debug)]
pub struct Folder {
    /// Its path.
    pub path: Vec<u8>,
    /// The way there from the top: empty, or names with a slash each.
    pub inside: Vec<u8>,
    /// The open folder.
    pub handle: OwnedFd,
}

impl Folder {
    /// A place in the folder.
    pub fn finding(&self, name: &CStr, what: What) -> Finding {
        let name = name.to_bytes();
        Finding { path: joined(&self.path, name), inside: [&self.inside, name].concat(), what }
    }
}

/// What comes next on a walk.
#[derive(Debug)]
pub enum Next {
    /// A folder and its files.
    Files(Arc<Folder>, vec::IntoIter<CString>),
    /// What Python decides about.
    Finding(Finding),
}

type Ignoring = Option<Arc<Vec<Arc<Rules>>>>;

/// A folder that is not entered yet.
struct Due {
    path: Vec<u8>,
    inside: Vec<u8>,
    depth: usize,
    /// The nearest folder around it that is kept open; None at the top.
    around: Option<Arc<Folder>>,
    ignored: Ignoring,
}

/// The entries of a folder.
#[derive(Default)]
struct Entries {
    files: Vec<CString>,
    folders: Vec<CString>,
    /// Why the list ends early.
    failure: Option<Errno>,
    has_git: bool,
    has_ignore_file: bool,
    is_handed_back: bool,
}

/// A walk through a tree.
pub struct Walk {
    selection: Selection,
    due: Vec<Due>,
    next: VecDeque<Next>,
    /// How many files and folders a configuration has left out so far.
    pub left_out: usize,
}

impl Walk {
    /// A walk from a folder on.
    #[must_use]
    pub fn new(top: Vec<u8>, mut selection: Selection) -> Walk {
        let ignored = selection.ignored.take().map(|rules| Arc::new(rules.into_iter().map(Arc::new).collect()));
        let due = vec![Due { path: top, inside: Vec::new(), depth: 0, around: None, ignored }];
        Walk { selection, due, next: VecDeque::new(), left_out: 0 }
    }

    /// Enter a folder.
    fn enter(&mut self, folder: Due) {
        let handle = match open(&folder) {
            Ok(handle) => handle,
            // If it may be searched, its configuration or ignore file is within reach even so.
            Err(Errno::ACCESS) if folder.depth > 0 && may_be_searched(&folder.path) => return self.hand_back(folder),
            Err(error) => return self.found_unreadable(folder.path, error),
        };
        let mut entries = self.entries(&handle);
        if entries.is_handed_back && folder.depth > 0 {
            return self.hand_back(folder);
        }
        let ignored = self.ignoring(&folder, &handle, &entries);
        self.select(&mut entries, &folder.inside, ignored.as_ref());
        if let Some(error) = entries.failure {
            self.found_unreadable(folder.path.clone(), error);
        }
        let here = Arc::new(Folder { path: folder.path, inside: folder.inside, handle });
        let around = if folder.depth < DEPTH_KEPT { Some(here.clone()) } else { folder.around };
        for name in entries.folders.into_iter().rev() {
            self.due.push(Due {
                path: joined(&here.path, name.to_bytes()),
                inside: [&here.inside, name.to_bytes(), b"/"].concat(),
                depth: folder.depth + 1,
                around: around.clone(),
                ignored: ignored.clone(),
            });
        }
        if !entries.files.is_empty() {
            self.next.push_back(Next::Files(here, entries.files.into_iter()));
        }
    }

    fn hand_back(&mut self, folder: Due) {
        let inside = folder.inside.strip_suffix(b"/").unwrap_or_default().to_vec();
        self.next.push_back(Next::Finding(Finding { path: folder.path, inside, what: What::Folder }));
    }

    fn found_unreadable(&mut self, path: Vec<u8>, error: Errno) {
        self.next.push_back(Next::Finding(Finding { path, inside: Vec::new(), what: What::Unreadable(error) }));
    }

    /// List a folder.
    fn entries(&self, handle: &OwnedFd) -> Entries {
        let mut entries = Entries::default();
        // The open folder itself is read, not "." in it: a folder that may be listed but not searched has its names.
        let listing = match fcntl_dupfd_cloexec(handle, 0).and_then(Dir::new) {
            Ok(listing) => listing,
            Err(error) => return Entries { failure: Some(error), ..entries },
        };
        for entry in listing {
            match entry {
                Ok(entry) => self.add(&mut entries, handle, entry.file_name(), entry.file_type()),
                Err(error) => entries.failure = Some(error),
            }
        }
        entries
    }

    fn add(&self, entries: &mut Entries, handle: &OwnedFd, name: &CStr, kind: FileType) {
        let bytes = name.to_bytes();
        if bytes == b"." || bytes == b".." {
            return;
        }
        let kind = match kind {
            // A file if that cannot be known, as reading it reports that.
            FileType::Unknown => own_kind(handle, name).unwrap_or(FileType::RegularFile),
            _ => kind,
        };
        entries.has_git |= bytes == b".git";
        entries.has_ignore_file |= bytes == b".gitignore" && own_kind(handle, name) == Some(FileType::RegularFile);
        entries.is_handed_back |= self.selection.handed_back.iter().any(|each| each == bytes);
        if bytes.starts_with(b".") && bytes.ends_with(&self.selection.temporary) {
            return;
        }
        match kind {
            FileType::RegularFile => entries.files.push(name.to_owned()),
            FileType::Directory => entries.folders.push(name.to_owned()),
            _ => {}
        }
    }

    /// The rules of ignore files that hold in a folder, the weakest first.
    fn ignoring(&mut self, folder: &Due, handle: &OwnedFd, entries: &Entries) -> Ignoring {
        let outer = folder.ignored.clone()?;
        if folder.depth == 0 || !(entries.has_git || entries.has_ignore_file) {
            return Some(outer);
        }
        let path = Path::new(OsStr::from_bytes(&folder.path));
        let exclude = if entries.has_git { exclude_of(path) } else { None };
        // A repository inside a repository has its own rules.
        let mut rules = if exclude.is_some() { Vec::new() } else { outer.to_vec() };
        if let Some(exclude) = exclude {
            rules.extend(self.rules_or_finding(read_rules(CWD, &exclude, OFlags::empty(), &folder.inside), &exclude));
        }
        if entries.has_ignore_file {
            let name = Path::new(".gitignore");
            rules.extend(
                self.rules_or_finding(read_rules(handle, name, OFlags::NOFOLLOW, &folder.inside), &path.join(name)),
            );
        }
        Some(Arc::new(rules))
    }

    fn rules_or_finding(&mut self, rules: Result<Option<Rules>, Errno>, path: &Path) -> Option<Arc<Rules>> {
        rules
            .unwrap_or_else(|error| {
                self.found_unreadable(path.as_os_str().as_bytes().to_vec(), error);
                None
            })
            .map(Arc::new)
    }

    /// Keep the entries that are taken, and sort them.
    fn select(&mut self, entries: &mut Entries, inside: &[u8], ignored: Option<&Arc<Vec<Arc<Rules>>>>) {
        let mut path = inside.to_vec();
        for (names, are_folders) in [(&mut entries.files, false), (&mut entries.folders, true)] {
            names.retain(|name| {
                path.truncate(inside.len());
                path.extend_from_slice(name.to_bytes());
                let taken = self.selection.takes(&path, name.to_bytes(), are_folders, ignored);
                self.left_out += usize::from(taken == Taken::LeftOut);
                taken == Taken::Yes
            });
            names.sort_unstable_by(|left, right| compare(left.to_bytes(), right.to_bytes()));
        }
    }
}

impl Iterator for Walk {
    type Item = Next;

    fn next(&mut self) -> Option<Next> {
        while self.next.is_empty() {
            let folder = self.due.pop()?;
            self.enter(folder);
        }
        self.next.pop_front()
    }
}

#[derive(PartialEq, Eq)]
enum Taken {
    Yes,
    No,
    /// A configuration leaves it out.
    LeftOut,
}

impl Selection {
    fn takes(&self, path: &[u8], name: &[u8], is_folder: bool, ignored: Option<&Arc<Vec<Arc<Rules>>>>) -> Taken {
        if ignored.is_some_and(|rules| is_ignored(rules, path, name, is_folder)) {
            return Taken::No;
        }
        let is_excluded = |rules: &Option<Rules>| is_selected(rules, path, is_folder) == Some(true);
        let is_missing =
            |rules: &Option<Rules>| !is_folder && rules.is_some() && is_selected(rules, path, is_folder) != Some(true);
        if is_excluded(&self.exclude) || is_missing(&self.include) {
            return Taken::No;
        }
        let is_left_out = is_excluded(&self.configured_exclude) || is_missing(&self.configured_include);
        if is_left_out { Taken::LeftOut } else { Taken::Yes }
    }
}

fn is_selected(rules: &Option<Rules>, path: &[u8], is_folder: bool) -> Option<bool> {
    rules.as_ref().and_then(|rules| rules.decide(path, is_folder))
}

/// Whether the strongest rules that decide of an entry ignore it; git's own files always are.
fn is_ignored(rules: &[Arc<Rules>], path: &[u8], name: &[u8], is_folder: bool) -> bool {
    name == b".git" || rules.iter().rev().find_map(|each| each.decide(path, is_folder)) == Some(true)
}

fn open(folder: &Due) -> Result<OwnedFd, Errno> {
    if folder.path.len() >= PATH_BYTES {
        return Err(Errno::NAMETOOLONG);
    }
    // A link that the user names is followed.
    let Some(around) = &folder.around else { return openat(CWD, &*folder.path, FOLDER, Mode::empty()) };
    let way = folder.inside[around.inside.len()..].strip_suffix(b"/").unwrap_or_default();
    opening::folder(around.handle.as_fd(), way)
}

fn may_be_searched(folder: &[u8]) -> bool {
    accessat(CWD, folder, Access::EXEC_OK, AtFlags::empty()).is_ok()
}

/// What an entry is by itself, not by the list of its folder; None if that cannot be known.
fn own_kind(folder: &OwnedFd, name: &CStr) -> Option<FileType> {
    let status = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(status.st_mode))
}

fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let slash: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, slash, name].concat()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::{env, fs, process};

    use super::*;

    #[test]
    fn no_link_that_comes_above_a_folder_is_followed_however_deep_that_is() {
        let scratch = env::temp_dir().join(format!("eightfold-walk-{}", process::id()));
        let (top, names) = (scratch.join("top"), ["d"; 2 * DEPTH_KEPT]);
        for (tree, name) in [(&top, "inside"), (&scratch.join("elsewhere"), "outside")] {
            let mut folder = tree.clone();
            for each in names {
                folder.push(each);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join(name), "").unwrap();
            }
        }
        let mut walk = Walk::new(top.as_os_str().as_bytes().to_vec(), Selection::default());
        // No folder is opened before the files of the one above it have been taken.
        let mut next = || match walk.next() {
            Some(Next::Files(folder, names)) => names.map(|name| folder.finding(&name, What::File).inside).collect(),
            other => panic!("{other:?}"),
        };
        let mut found: Vec<Vec<Vec<u8>>> = (0..=DEPTH_KEPT).map(|_| next()).collect();
        fs::rename(top.join("d"), scratch.join("gone")).unwrap();
        symlink(scratch.join("elsewhere/d"), top.join("d")).unwrap();
        found.extend((DEPTH_KEPT + 1..names.len()).map(|_| next()));
        // As where the system lacks the one call.
        let there = openat(CWD, &scratch, FOLDER, Mode::empty()).unwrap();
        let opened = ["gone/d/d", "top/d/d"].map(|way| opening::folder_by_names(there.as_fd(), way.as_bytes()).is_ok());
        assert_eq!(opened, [true, false]);
        fs::remove_dir_all(&scratch).unwrap();
        let expected = (1..=names.len()).map(|depth| vec![[b"d/".repeat(depth), b"inside".to_vec()].concat()]);
        assert_eq!(found, expected.collect::<Vec<_>>());
    }
}
