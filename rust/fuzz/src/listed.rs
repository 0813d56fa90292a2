//! What a walk through a tree must find, by what was written, one entry after another.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use eightfold_core::{Form, Step};

use crate::globs::Globs;
use crate::grown::{BESIDE_HEAD, Content, Grown, HEAD, Names, Node, WAYS};
use crate::{FORMS, forms, judged};

static UTF_8: LazyLock<Form> = LazyLock::new(|| forms::form("utf-8"));

const HEAD_BYTES: usize = 8192;
const TELLING_BYTES: usize = 64;

/// What is asked of files, as in `eightfold_tree::Examination`.
pub struct Asked {
    /// The number of the form.
    pub form: usize,
    pub marks: Vec<Vec<u8>>,
    pub may_differ: bool,
    pub skips_binary: bool,
    pub escapes: bool,
    pub suspects: Vec<Vec<(u8, u8)>>,
    pub lists: bool,
    pub special: Vec<Globs>,
}

/// Which files are taken, as in `eightfold_tree::Selection`.
#[derive(Clone)]
pub struct Chosen {
    pub include: Option<Globs>,
    pub exclude: Option<Globs>,
    pub configured_include: Option<Globs>,
    pub configured_exclude: Option<Globs>,
    pub ignored: Option<Vec<Globs>>,
    pub handed_back: Vec<u8>,
    pub temporary: Vec<u8>,
}

/// What a finding says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    File,
    /// How many bytes a file has, and how many beyond ASCII.
    Text(u64, u64),
    Folder,
    Irregular,
    Unreadable,
}

/// A path, the way there from the top, and what is said of it.
pub type Place = (Vec<u8>, Vec<u8>, Says);

/// What a walk finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listed {
    pub clean: usize,
    pub binary: usize,
    pub bytes: u64,
    pub left_out: usize,
    pub places: Vec<Place>,
}

enum Judged {
    Clean,
    Binary,
    More,
    /// Binary, or it needs more: evidence decides, which is judged elsewhere.
    Either,
}

/// A walk by the book.
pub struct Lister<'a> {
    grown: &'a Grown,
    asked: &'a Asked,
    chosen: &'a Chosen,
    pub listed: Listed,
    /// Files of which more than one thing may be said.
    pub open: BTreeSet<Vec<u8>>,
    /// Whether a file of patterns was met that has no known meaning.
    pub is_unknown: bool,
}

impl<'a> Lister<'a> {
    /// Walk through all of a tree.
    #[must_use]
    pub fn run(grown: &'a Grown, top: &Path, asked: &'a Asked, chosen: &'a Chosen) -> Lister<'a> {
        let mut lister =
            Lister { grown, asked, chosen, listed: Listed::default(), open: BTreeSet::new(), is_unknown: false };
        lister.folder(&grown.names, top, &[], chosen.ignored.clone());
        lister
    }

    fn folder(&mut self, names: &'a Names, path: &Path, way: &[&'a [u8]], ignored: Option<Vec<Globs>>) {
        if !way.is_empty() && names.contains_key(&self.chosen.handed_back) {
            return self.add(path, way, Says::Folder);
        }
        let ignored = ignored.map(|outer| if way.is_empty() { outer } else { self.ignoring(names, path, way, outer) });
        let mut sorted: Vec<_> = names.iter().collect();
        sorted.sort_by_key(|(name, _)| in_a_str(name));
        for are_folders in [false, true] {
            for (name, node) in &sorted {
                let inside = [way, &[name.as_slice()]].concat();
                let path = path.join(OsStr::from_bytes(name));
                let is_temporary = name.starts_with(b".") && name.ends_with(&self.chosen.temporary);
                match node {
                    Node::File(content) if !are_folders && !is_temporary && self.takes(&inside, false, &ignored) => {
                        self.file(content, &path, &inside);
                    }
                    Node::Folder(below) if are_folders && !is_temporary && self.takes(&inside, true, &ignored) => {
                        self.folder(below, &path, &inside, ignored.clone());
                    }
                    _ => {}
                }
            }
        }
    }

    /// The rules that hold in a folder, the weakest first.
    fn ignoring(&mut self, names: &Names, path: &Path, way: &[&[u8]], outer: Vec<Globs>) -> Vec<Globs> {
        let mut rules = outer;
        if let Some(git) = names.contains_key(b".git".as_slice()).then(|| self.git_of(path)).flatten() {
            rules.clear();
            rules.extend(self.patterns(&git.join("info/exclude"), way.len()));
        }
        if let Some(Node::File(_)) = names.get(b".gitignore".as_slice()) {
            rules.extend(self.patterns(&path.join(".gitignore"), way.len()));
        }
        rules
    }

    /// The folder that git takes for the repository of a folder with an entry `.git`: that, or what it names, if it
    /// looks like one.
    fn git_of(&mut self, folder: &Path) -> Option<PathBuf> {
        let mut git = folder.join(".git");
        if let Ok(content) = regular(&git) {
            let is_known = |way: &&&str| format!("gitdir: {way}\n").as_bytes() == content;
            let way = WAYS.iter().find(is_known);
            self.is_unknown |= way.is_none() && content.starts_with(b"gitdir: ");
            git = folder.join(way?);
        }
        let head = regular(&git.join("HEAD")).unwrap_or_default();
        self.is_unknown |= !head.is_empty() && head != HEAD;
        let is_whole = head == HEAD && BESIDE_HEAD.iter().all(|name| may_be_searched(&git.join(name)));
        is_whole.then_some(git)
    }

    fn patterns(&mut self, path: &Path, depth: usize) -> Option<Globs> {
        match regular(path) {
            Ok(content) => {
                let meaning = self.grown.meanings.iter().find(|(written, _)| *written == content);
                self.is_unknown |= meaning.is_none() && !content.is_empty();
                meaning.map(|(_, globs)| globs.at(depth))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(_) => {
                self.add(path, &[], Says::Unreadable);
                None
            }
        }
    }

    fn takes(&mut self, path: &[&[u8]], is_folder: bool, ignored: &Option<Vec<Globs>>) -> bool {
        let decide = |globs: &Option<Globs>| globs.as_ref().and_then(|globs| globs.decide(path, is_folder));
        let is_missing = |globs: &Option<Globs>| !is_folder && globs.is_some() && decide(globs) != Some(true);
        let is_ignored = ignored.as_ref().is_some_and(|rules| {
            path.last() == Some(&b".git".as_slice())
                || rules.iter().filter_map(|globs| globs.decide(path, is_folder)).next_back() == Some(true)
        });
        if is_ignored || decide(&self.chosen.exclude) == Some(true) || is_missing(&self.chosen.include) {
            return false;
        }
        let is_left_out =
            decide(&self.chosen.configured_exclude) == Some(true) || is_missing(&self.chosen.configured_include);
        self.listed.left_out += usize::from(is_left_out);
        !is_left_out
    }

    fn file(&mut self, content: &Content, path: &Path, way: &[&[u8]]) {
        if self.asked.special.iter().any(|globs| globs.touch(way)) {
            return self.add(path, way, Says::File);
        }
        if fs::File::open(path).is_err() {
            return self.add(path, way, Says::Unreadable);
        }
        let size = (content.padding + content.rest.len()) as u64;
        match self.asked.judge(content) {
            Judged::Clean if self.asked.lists => {
                let beyond = content.whole().iter().filter(|byte| !byte.is_ascii()).count();
                self.add(path, way, Says::Text(size, beyond as u64));
            }
            Judged::Clean => {
                self.listed.clean += 1;
                self.listed.bytes += size;
            }
            Judged::Binary => {
                self.listed.binary += 1;
                self.listed.bytes += size;
            }
            Judged::More => self.add(path, way, Says::File),
            Judged::Either => _ = self.open.insert(path.as_os_str().as_bytes().to_vec()),
        }
    }

    fn add(&mut self, path: &Path, way: &[&[u8]], says: Says) {
        self.listed.places.push((path.as_os_str().as_bytes().to_vec(), way.join(&b'/'), says));
    }
}

impl Asked {
    fn judge(&self, content: &Content) -> Judged {
        let whole = content.whole();
        let head = &whole[..whole.len().min(HEAD_BYTES)];
        if self.marks.iter().any(|mark| head.starts_with(mark)) {
            return Judged::More;
        }
        if head.contains(&0) {
            match (self.may_differ, self.skips_binary) {
                (false, true) => return Judged::Binary,
                (true, true) if head.len() >= TELLING_BYTES => return Judged::Either,
                (true, _) => return Judged::More,
                (false, false) => {}
            }
        }
        if self.is_clean(content) && !self.is_suspect(&whole) { Judged::Clean } else { Judged::More }
    }

    /// Whether every sequence is a value. Padding is a letter many times, so it is judged once.
    fn is_clean(&self, content: &Content) -> bool {
        let form = &FORMS[self.form];
        let (data, mut at) = ([b"x", &*content.rest].concat(), usize::from(content.padding == 0));
        while at < data.len() {
            match judged(form, &data, at) {
                Step::Value { end, .. } => at = end,
                _ => return false,
            }
        }
        true
    }

    fn is_suspect(&self, whole: &[u8]) -> bool {
        let has = |ranges: &Vec<(u8, u8)>| {
            let are_inside =
                |bytes: &[u8]| bytes.iter().zip(ranges).all(|(byte, &(low, high))| (low..=high).contains(byte));
            whole.windows(ranges.len()).any(are_inside)
        };
        let is_escape = |three: &[u8]| three == b"\\ud" || three == b"\\uD";
        self.suspects.iter().any(has) || (self.escapes && whole.windows(3).any(is_escape))
    }
}

/// Whether an entry is a folder, or to the system looks like a program, as a pipe may: git asks for no more.
fn may_be_searched(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|status| status.permissions().mode() & 0o111 != 0)
}

/// What a file holds that is no folder and no pipe.
fn regular(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() { fs::read(path) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// A name as Python has it: what is UTF-8, and U+DC80 to U+DCFF for all other bytes.
fn in_a_str(name: &[u8]) -> Vec<u32> {
    let form = &*UTF_8;
    let (mut points, mut at) = (Vec::new(), 0);
    while at < name.len() {
        at = match judged(form, name, at) {
            Step::Value { end, code_point } => {
                points.push(code_point);
                end
            }
            Step::Unit { end } => {
                points.extend(name[at..end].iter().map(|&byte| 0xDC00 + u32::from(byte)));
                end
            }
            Step::Wait => unreachable!("nothing follows"),
        };
    }
    points
}
