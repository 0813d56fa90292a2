//! A small tree from an input, in a folder of its own: what is written is also kept here, so that nobody need read it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::draw::Draw;
use crate::globs::Globs;

const NAMES: [&[u8]; 12] =
    [b"a", b"b", b".gitignore", b"ab", b".git", b".a", b".a~", b"h", b"info", b"exclude", b"\xFF", b"\xEE\x80\x80"];
const SEQUENCES: [&[u8]; 5] = ["é".as_bytes(), "你".as_bytes(), "😀".as_bytes(), b"\\ud800", b"\xED\xA0\x80"];
/// What makes a folder `.git` a repository to git: a file that names a reference, and two folders.
pub const HEAD: &[u8] = b"ref: refs/heads/a\n";
pub const BESIDE_HEAD: [&str; 2] = ["objects", "refs"];
/// What files `.git` name as the folder of the repository, if they name one.
pub const WAYS: [&str; 4] = [".git", "../.git", "a/.git", "../b/.git"];
/// A file is read in pieces of so many bytes.
const PIECE_BYTES: usize = 256 * 1024;
const MOST_ENTRIES: usize = 24;
/// More files than a batch has.
const MANY: usize = 300;

/// A file: so many times the letter x, and then some bytes.
pub struct Content {
    pub padding: usize,
    pub rest: Vec<u8>,
}

impl Content {
    /// The whole content.
    #[must_use]
    pub fn whole(&self) -> Vec<u8> {
        [vec![b'x'; self.padding], self.rest.clone()].concat()
    }
}

/// What lies in a folder.
pub enum Node {
    File(Content),
    Folder(Names),
    /// A link or a pipe.
    Other,
}

/// The entries of a folder.
pub type Names = BTreeMap<Vec<u8>, Node>;

/// A tree on the disk.
pub struct Grown {
    /// A folder with nothing else; the tree is in its folder `top`.
    place: PathBuf,
    pub names: Names,
    /// What the contents that are files of patterns mean.
    pub meanings: Vec<(Vec<u8>, Globs)>,
}

impl Grown {
    /// Write a tree.
    ///
    /// # Panics
    /// The temporary folder cannot be written.
    #[must_use]
    pub fn new(draw: &mut Draw<'_>) -> Grown {
        // In memory, if there is such a folder: a disk shared with others allows a tenth of the inputs.
        let memory = Path::new("/dev/shm");
        let temporary = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        // Such a folder may be shared with processes of other containers, which may have the same number.
        let place = (0..1000)
            .map(|at| temporary.join(format!("eightfold-fuzz-{}-{at}", std::process::id())))
            .find(|place| fs::create_dir(place).is_ok())
            .expect("a folder");
        fs::create_dir(place.join("top")).expect("a folder");
        fs::create_dir(place.join("outside")).expect("a folder");
        fs::write(place.join("outside/a"), b"\xFF").expect("a file");
        symlink("top", place.join("link")).expect("a link");
        let mut grown = Grown { place, names: Names::new(), meanings: Vec::new() };
        let mut folders = vec![Vec::new()];
        for _ in 0..draw.below(MOST_ENTRIES + 1) {
            grown.add(draw, &mut folders);
        }
        grown
    }

    /// The path of the tree, or of a link to it.
    #[must_use]
    pub fn top(&self, by_link: bool) -> PathBuf {
        self.place.join(if by_link { "link" } else { "top" })
    }

    /// Add an entry to a folder, often the last one.
    fn add(&mut self, draw: &mut Draw<'_>, folders: &mut Vec<Vec<Vec<u8>>>) {
        let choice = draw.byte();
        let way = if choice & 1 == 0 { folders.last() } else { folders.get(usize::from(choice >> 1) % folders.len()) };
        let way = way.cloned().unwrap_or_default();
        let names = folder_at(&mut self.names, &way);
        let name = name(draw);
        let folder = way.iter().fold(self.place.join("top"), |path, name| path.join(OsStr::from_bytes(name)));
        let path = folder.join(OsStr::from_bytes(&name));
        if names.contains_key(&name) {
            return;
        }
        let node = match draw.below(8) {
            0..=3 => Some(Node::File(content(draw, &name, &mut self.meanings))),
            4 | 5 => Some(Node::Folder(Names::new())),
            6 => Some(Node::Other),
            _ if choice == 0xFE => return add_many(names, &folder),
            _ => None,
        };
        let is_made = match &node {
            Some(Node::File(content)) => fs::write(&path, content.whole()).is_ok(),
            Some(Node::Folder(_)) => fs::create_dir(&path).is_ok(),
            Some(Node::Other) => {
                symlink(draw.one(&["..", "../../outside/a", "../outside", ".", "none"]), &path).is_ok()
            }
            None => mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).is_ok(),
        };
        if !is_made {
            return;
        }
        if matches!(node, Some(Node::Folder(_))) {
            folders.push([way, vec![name.clone()]].concat());
        }
        if matches!(node, Some(Node::File(_))) && draw.byte() == 1 {
            // To root it says nothing.
            fs::set_permissions(&path, Permissions::from_mode(0o000)).expect("its own file");
        }
        let node = match node {
            Some(Node::Folder(_)) if name == b".git" => Node::Folder(repository(draw, &path)),
            node => node.unwrap_or(Node::Other),
        };
        names.insert(name, node);
    }
}

impl Drop for Grown {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.place);
    }
}

fn folder_at<'a>(names: &'a mut Names, way: &[Vec<u8>]) -> &'a mut Names {
    way.iter().fold(names, |names, name| match names.get_mut(name) {
        Some(Node::Folder(below)) => below,
        _ => unreachable!("a folder that was made"),
    })
}

fn name(draw: &mut Draw<'_>) -> Vec<u8> {
    let choice = draw.below(16);
    if let Some(name) = NAMES.get(choice) {
        return name.to_vec();
    }
    let name: Vec<u8> =
        draw.bytes(choice - NAMES.len() + 1).iter().copied().filter(|byte| !b"/\0".contains(byte)).collect();
    if [&b""[..], b".", b".."].contains(&&*name) { b"c".to_vec() } else { name }
}

fn content(draw: &mut Draw<'_>, name: &[u8], meanings: &mut Vec<(Vec<u8>, Globs)>) -> Content {
    let kind = draw.byte();
    if matches!(name, b".gitignore" | b"exclude") && kind != 1 {
        let globs = Globs::draw(draw);
        let end: &[u8] = draw.one(&[b"\n", b"\r\n"]);
        let mark: &[u8] = if kind == 2 { b"\xEF\xBB\xBF" } else { b"" };
        let rest = [mark, &globs.lines().join(end), end].concat();
        meanings.push((rest.clone(), globs));
        return Content { padding: 0, rest };
    }
    if name == b".git" && kind != 1 {
        return Content { padding: 0, rest: format!("gitdir: {}\n", draw.one(&WAYS)).into_bytes() };
    }
    let count = draw.below(48);
    if kind == 3 {
        // Across the end of a piece, at each of its bytes.
        let padding = PIECE_BYTES - draw.below(16);
        return Content { padding, rest: draw.one(&SEQUENCES).repeat(count) };
    }
    let rest = draw.bytes(count).repeat(if kind == 2 { 8 } else { 1 });
    Content { padding: 0, rest }
}

/// Fill a folder `.git` with what makes it a repository, most often with all of it.
fn repository(draw: &mut Draw<'_>, path: &Path) -> Names {
    let (flags, mut names) = (draw.byte() & draw.byte(), Names::new());
    if flags & 1 == 0 {
        fs::write(path.join("HEAD"), HEAD).expect("a file");
        names.insert(b"HEAD".to_vec(), Node::File(Content { padding: 0, rest: HEAD.to_vec() }));
    }
    for (_, name) in BESIDE_HEAD.iter().enumerate().filter(|(at, _)| flags >> (at + 1) & 1 == 0) {
        fs::create_dir(path.join(name)).expect("a folder");
        names.insert(name.as_bytes().to_vec(), Node::Folder(Names::new()));
    }
    names
}

fn add_many(names: &mut Names, folder: &Path) {
    for number in 0..MANY {
        let name = format!("{number}");
        if !names.contains_key(name.as_bytes()) && fs::write(folder.join(&name), "").is_ok() {
            names.insert(name.into_bytes(), Node::File(Content { padding: 0, rest: Vec::new() }));
        }
    }
}
