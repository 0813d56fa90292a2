//! Patterns that are drawn, not read: each knows what it means, and is then written as a line. So nothing here parses,
//! and a match is tried in every way, with no thought for time.

use crate::draw::Draw;

/// A part of a name.
#[derive(Clone, Copy)]
enum Atom {
    Byte(u8),
    Quoted(u8),
    Any,
    Star,
    OneOf(&'static [u8]),
    NoneOf(&'static [u8]),
    Range(u8, u8),
}

const ATOMS: [Atom; 12] = [
    Atom::Byte(b'a'),
    Atom::Star,
    Atom::Byte(b'b'),
    Atom::Byte(b'.'),
    Atom::Any,
    Atom::Quoted(b'a'),
    Atom::Quoted(b'*'),
    Atom::OneOf(b"ab"),
    Atom::OneOf(b"]-"),
    Atom::NoneOf(b"a"),
    Atom::Range(b'a', b'g'),
    Atom::Byte(0xFF),
];

/// A part of a path.
enum Level {
    /// `**`.
    Any,
    Name(Vec<Atom>),
}

/// A pattern.
pub struct Glob {
    negated: bool,
    anchored: bool,
    of_folders: bool,
    levels: Vec<Level>,
}

impl Glob {
    fn draw(draw: &mut Draw<'_>) -> Glob {
        let flags = draw.byte();
        let levels = (0..=draw.below(3)).map(|_| Level::draw(draw)).collect();
        Glob { negated: flags & 1 != 0, anchored: flags & 2 != 0, of_folders: flags & 4 != 0, levels }
    }

    /// The line that says it.
    fn line(&self) -> Vec<u8> {
        let levels: Vec<_> = self.levels.iter().map(Level::written).collect();
        let flag = |is_set: bool, sign: &'static [u8]| if is_set { sign } else { b"" };
        [flag(self.negated, b"!"), flag(self.anchored, b"/"), &levels.join(&b'/'), flag(self.of_folders, b"/")].concat()
    }

    fn matches(&self, path: &[&[u8]], is_folder: bool) -> bool {
        let of_names = !self.anchored && self.levels.len() == 1;
        let path = if of_names { &path[path.len() - 1..] } else { path };
        (is_folder || !self.of_folders) && matches_levels(&self.levels, path)
    }
}

impl Level {
    fn draw(draw: &mut Draw<'_>) -> Level {
        let count = draw.below(4);
        let mut atoms: Vec<Atom> = (0..count).map(|_| draw.one(&ATOMS)).collect();
        // Two asterisks in a row are one, or mean folders: that is the other kind.
        atoms.dedup_by(|next, last| matches!((next, last), (Atom::Star, Atom::Star)));
        if atoms.is_empty() { Level::Any } else { Level::Name(atoms) }
    }

    fn written(&self) -> Vec<u8> {
        match self {
            Level::Any => b"**".to_vec(),
            Level::Name(atoms) => atoms.iter().flat_map(|atom| atom.written()).collect(),
        }
    }
}

impl Atom {
    fn written(self) -> Vec<u8> {
        match self {
            Atom::Byte(byte) => vec![byte],
            Atom::Quoted(byte) => vec![b'\\', byte],
            Atom::Any => vec![b'?'],
            Atom::Star => vec![b'*'],
            Atom::OneOf(bytes) => [b"[", bytes, b"]"].concat(),
            Atom::NoneOf(bytes) => [b"[!", bytes, b"]"].concat(),
            Atom::Range(low, high) => vec![b'[', low, b'-', high, b']'],
        }
    }

    fn takes(self, byte: u8) -> bool {
        match self {
            Atom::Byte(own) | Atom::Quoted(own) => own == byte,
            Atom::Any | Atom::Star => true,
            Atom::OneOf(bytes) => bytes.contains(&byte),
            Atom::NoneOf(bytes) => !bytes.contains(&byte),
            Atom::Range(low, high) => low <= byte && byte <= high,
        }
    }
}

fn matches_levels(levels: &[Level], path: &[&[u8]]) -> bool {
    match levels {
        [] => path.is_empty(),
        [Level::Any] => !path.is_empty(),
        [Level::Any, rest @ ..] => (0..=path.len()).any(|skipped| matches_levels(rest, &path[skipped..])),
        [Level::Name(atoms), rest @ ..] => {
            path.split_first().is_some_and(|(name, below)| matches_name(atoms, name) && matches_levels(rest, below))
        }
    }
}

fn matches_name(atoms: &[Atom], name: &[u8]) -> bool {
    match atoms {
        [] => name.is_empty(),
        [Atom::Star, rest @ ..] => (0..=name.len()).any(|skipped| matches_name(rest, &name[skipped..])),
        [atom, rest @ ..] => {
            name.split_first().is_some_and(|(&byte, more)| atom.takes(byte) && matches_name(rest, more))
        }
    }
}

/// Patterns of one place, which lies so many folders below the top, or above it by a way.
#[derive(Clone)]
pub struct Globs {
    globs: std::rc::Rc<Vec<Glob>>,
    lead: &'static [u8],
    depth: usize,
}

impl Globs {
    /// Some patterns that hold at the top.
    pub fn draw(draw: &mut Draw<'_>) -> Globs {
        let lead = draw.one(&[b"".as_slice(), b"", b"", b"b/"]);
        let globs = (0..=draw.below(3)).map(|_| Glob::draw(draw)).collect();
        Globs { globs: std::rc::Rc::new(globs), lead, depth: 0 }
    }

    /// The same patterns in a folder so deep.
    #[must_use]
    pub fn at(&self, depth: usize) -> Globs {
        Globs { lead: b"", depth, ..self.clone() }
    }

    /// The way from their folder to the top.
    #[must_use]
    pub fn lead(&self) -> Vec<u8> {
        self.lead.to_vec()
    }

    /// Their lines.
    #[must_use]
    pub fn lines(&self) -> Vec<Vec<u8>> {
        self.globs.iter().map(Glob::line).collect()
    }

    /// Whether the last that matches an entry selects it; None if none does.
    #[must_use]
    pub fn decide(&self, path: &[&[u8]], is_folder: bool) -> Option<bool> {
        self.globs.iter().rev().find(|glob| glob.matches(&self.seen(path), is_folder)).map(|glob| !glob.negated)
    }

    /// Whether any matches a file.
    #[must_use]
    pub fn touch(&self, path: &[&[u8]]) -> bool {
        self.globs.iter().any(|glob| glob.matches(&self.seen(path), false))
    }

    fn seen<'a>(&self, path: &[&'a [u8]]) -> Vec<&'a [u8]> {
        let lead = self.lead.strip_suffix(b"/").into_iter();
        lead.chain(path[self.depth..].iter().copied()).collect()
    }
}
