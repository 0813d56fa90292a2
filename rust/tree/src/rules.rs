//! Patterns with the place that they are relative to, and the files of git that hold some.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType, Mode, OFlags, accessat, fstat, openat, readlinkat, stat};
use rustix::io::Errno;

use crate::globs::{Pattern, deciding};
use crate::opening::{AT_ONCE, read_retrying};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
/// How the names of references begin.
const REFERENCES: &[u8] = b"refs/";
/// How many digits the shorter one of git's kinds of hash has.
const HASH_DIGITS: usize = 40;

/// Patterns, and the way from their folder to a path.
#[derive(Debug)]
pub struct Rules {
    patterns: Vec<Pattern>,
    /// The way from their folder to the top: empty, or names with a slash each.
    lead: Vec<u8>,
    /// How much of a path from the top lies above their folder.
    skipped: usize,
}

impl Rules {
    /// The patterns of lines that hold at the top, and the way there from their folder.
    pub fn at_top<'a>(lead: Vec<u8>, lines: impl IntoIterator<Item = &'a [u8]>) -> Rules {
        Rules { patterns: lines.into_iter().filter_map(Pattern::new).collect(), lead, skipped: 0 }
    }

    /// The patterns of a file of git in a folder, by the way there from the top.
    fn in_folder(content: &[u8], inside: &[u8]) -> Rules {
        let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content);
        let lines = content.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Rules { skipped: inside.len(), ..Rules::at_top(Vec::new(), lines) }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// What the patterns decide of a path from the top, as [`deciding`] says it.
    pub fn decide(&self, path: &[u8], is_folder: bool) -> Option<bool> {
        deciding(&self.patterns, &self.seen(path), is_folder)
    }

    /// Whether a pattern matches a file, negated or not.
    pub fn touch(&self, path: &[u8]) -> bool {
        let seen = self.seen(path);
        self.patterns.iter().any(|each| each.matches(&seen, false))
    }

    /// A path from the top as the patterns see it.
    fn seen<'a>(&self, path: &'a [u8]) -> Cow<'a, [u8]> {
        let path = &path[self.skipped..];
        if self.lead.is_empty() { Cow::Borrowed(path) } else { Cow::Owned([&self.lead, path].concat()) }
    }
}

/// Read the patterns of a file of git, by its path from a folder; no file has none. The flags say whether a link
/// is followed.
///
/// # Errors
///
/// It cannot be read, is no regular file, or has more than a mebibyte.
pub fn read_rules(folder: impl AsFd, path: &Path, links: OFlags, inside: &[u8]) -> Result<Option<Rules>, Errno> {
    match content(folder, path, links) {
        Ok(content) => Ok(Some(Rules::in_folder(&content, inside)).filter(|rules| !rules.is_empty())),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The path of `info/exclude` if a repository begins in a folder, which has an entry `.git`: git passes over some. The
/// path is that of the file `.git` if this cannot be read, so that reading it reports why.
/// Source: `read_gitfile_gently` and `is_git_directory` in git's setup.c; `is_nonbare_repository_dir` in its dir.c.
pub fn exclude_of(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if is_closed(&git) {
        return Some(git);
    }
    // In a worktree or a submodule, `.git` is a file that names the actual folder, which may name the shared one.
    let kept = said(&git, b"gitdir: ").map_or(git, |way| folder.join(way));
    let shared = shared(&kept);
    (is_head(&kept.join("HEAD")) && has_content(&shared)).then(|| shared.join("info/exclude"))
}

/// Whether a path is that of a regular file that cannot be read; one that is too large can be.
fn is_closed(path: &Path) -> bool {
    let is_regular = stat(path).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::RegularFile);
    is_regular && content(CWD, path, OFlags::empty()).is_err_and(|error| error != Errno::FBIG)
}

/// Whether a file can be a repository's HEAD: the name of a reference, also as a link, or the hash of a commit.
fn is_head(path: &Path) -> bool {
    if let Ok(target) = readlinkat(CWD, path, Vec::new()) {
        return target.to_bytes().starts_with(REFERENCES);
    }
    let content = content(CWD, path, OFlags::empty()).unwrap_or_default();
    let hash = content.get(..HASH_DIGITS).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    hash || content.strip_prefix(b"ref:").is_some_and(|name| {
        let blanks = name.iter().take_while(|byte| b" \t\n\r".contains(byte)).count();
        name[blanks..].starts_with(REFERENCES)
    })
}

fn has_content(shared: &Path) -> bool {
    ["objects", "refs"].iter().all(|name| accessat(CWD, shared.join(name), Access::EXEC_OK, AtFlags::empty()).is_ok())
}

/// The folder that a repository shares with its worktrees: its own one if it is not a worktree.
fn shared(git: &Path) -> PathBuf {
    said(&git.join("commondir"), b"").map_or(git.to_owned(), |way| git.join(way))
}

/// The path after a prefix in one of git's files.
fn said(path: &Path, prefix: &[u8]) -> Option<PathBuf> {
    let content = content(CWD, path, OFlags::empty()).ok()?;
    let kept = content.len() - content.iter().rev().take_while(|byte| b"\r\n".contains(byte)).count();
    let way = content[..kept].strip_prefix(prefix)?;
    (!way.is_empty()).then(|| Path::new(OsStr::from_bytes(way)).to_owned())
}

/// The most bytes of a file of patterns, or of one of git's files.
const MOST_BYTES: usize = 1 << 20;

/// What a regular file holds, by its path from a folder.
fn content(folder: impl AsFd, path: &Path, links: OFlags) -> Result<Vec<u8>, Errno> {
    let file = openat(folder, path, OFlags::RDONLY | AT_ONCE | links, Mode::empty())?;
    match FileType::from_raw_mode(fstat(&file)?.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(Errno::ISDIR),
        _ => return Err(Errno::INVAL),
    }
    let (mut content, mut piece) = (Vec::new(), vec![0; 1 << 14]);
    loop {
        match read_retrying(&file, &mut piece)? {
            0 => return Ok(content),
            length if content.len() + length > MOST_BYTES => return Err(Errno::FBIG),
            length => content.extend_from_slice(&piece[..length]),
        }
    }
}
