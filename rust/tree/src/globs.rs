//! Patterns for paths, as `eightfold.files.walk.globs` defines them, which says what they mean and by which source.

/// A class of bytes: its name and its ranges.
type Class = (&'static [u8], &'static [(u8, u8)]);

/// The classes that a bracket may name.
const CLASSES: [Class; 12] = [
    (b"alnum", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
    (b"alpha", &[(b'A', b'Z'), (b'a', b'z')]),
    (b"blank", &[(b' ', b' '), (b'\t', b'\t')]),
    (b"cntrl", &[(0x00, 0x1F), (0x7F, 0x7F)]),
    (b"digit", &[(b'0', b'9')]),
    (b"graph", &[(0x21, 0x7E)]),
    (b"lower", &[(b'a', b'z')]),
    (b"print", &[(0x20, 0x7E)]),
    (b"punct", &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]),
    (b"space", &[(b'\t', b'\n'), (b'\r', b'\r'), (b' ', b' ')]),
    (b"upper", &[(b'A', b'Z')]),
    (b"xdigit", &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
];

/// A set of bytes, a bit for each.
#[derive(Debug, Default)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] &= !(1 << (byte % 64));
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }
}

/// A part of a glob.
#[derive(Debug)]
enum Part {
    /// This byte.
    Byte(u8),
    /// Any byte but a slash.
    Any,
    /// One of the bytes of a set.
    OneOf(Box<ByteSet>),
    /// No byte: the glob is broken.
    Nothing,
    /// Any bytes but slashes.
    Name,
    /// Any names with a slash each.
    Folders,
    /// The same, but at least one slash.
    SomeFolders,
    /// Everything.
    Rest,
}

impl Part {
    fn takes(&self, byte: u8) -> bool {
        match self {
            Part::Byte(own) => *own == byte,
            Part::Any => byte != b'/',
            Part::OneOf(set) => set.has(byte),
            _ => false,
        }
    }
}

/// One pattern.
#[derive(Debug)]
pub struct Pattern {
    /// What a path must begin with.
    plain: Vec<u8>,
    parts: Vec<Part>,
    negated: bool,
    of_folders: bool,
    of_names: bool,
}

impl Pattern {
    /// The pattern of a line, which a NUL ends; None for an empty line and a comment.
    pub fn new(line: &[u8]) -> Option<Pattern> {
        let line = line.split(|&byte| byte == 0).next().unwrap_or_default();
        if line.is_empty() || line[0] == b'#' {
            return None;
        }
        let line = without_trailing_spaces(line);
        let (line, negated) = line.strip_prefix(b"!").map_or((line, false), |rest| (rest, true));
        let (line, of_folders) = line.strip_suffix(b"/").map_or((line, false), |rest| (rest, true));
        let glob = line.strip_prefix(b"/").unwrap_or(line);
        let plain = glob.iter().position(|byte| b"*?[\\".contains(byte)).unwrap_or(glob.len());
        Some(Pattern {
            plain: glob[..plain].to_vec(),
            parts: parts(glob, plain),
            negated,
            of_folders,
            of_names: !line.contains(&b'/'),
        })
    }

    /// Whether the pattern matches a path, which is relative to the folder of the pattern.
    pub fn matches(&self, path: &[u8], is_folder: bool) -> bool {
        if self.of_folders && !is_folder {
            return false;
        }
        let name = if self.of_names { path.rsplit(|&byte| byte == b'/').next().unwrap_or(path) } else { path };
        name.strip_prefix(&*self.plain).is_some_and(|rest| is_match(&self.parts, rest))
    }
}

/// Whether the last pattern that matches a path selects it, or being negated does not; None if none matches.
pub fn deciding(patterns: &[Pattern], path: &[u8], is_folder: bool) -> Option<bool> {
    patterns.iter().rev().find(|each| each.matches(path, is_folder)).map(|each| !each.negated)
}

/// Whether parts match all of a text. Between two parts of any length the first match of what stands between them
/// suffices, as a later one leaves less for the rest: so only the last of each kind is tried again.
fn is_match(parts: &[Part], text: &[u8]) -> bool {
    let (mut part, mut at) = (0, 0);
    let (mut name, mut folders) = (None, None);
    let slash = |start: usize| text[start..].iter().position(|&byte| byte == b'/').map(|length| start + length);
    loop {
        match parts.get(part) {
            Some(Part::Rest) => return true,
            Some(Part::Name) => {
                part += 1;
                name = Some((part, at));
                continue;
            }
            Some(Part::Folders) => {
                part += 1;
                (name, folders) = (None, Some((part, at)));
                continue;
            }
            Some(Part::SomeFolders) => {
                if let Some(end) = slash(at) {
                    (part, at) = (part + 1, end + 1);
                    (name, folders) = (None, Some((part, at)));
                    continue;
                }
            }
            Some(one) if text.get(at).is_some_and(|&byte| one.takes(byte)) => {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            None if at == text.len() => return true,
            _ => {}
        }
        let longer = name.filter(|&(_, end)| text.get(end).is_some_and(|&byte| byte != b'/'));
        if let Some((behind, end)) = longer {
            (part, at) = (behind, end + 1);
            name = Some((part, at));
        } else if let Some((behind, end)) = folders.and_then(|(behind, start)| Some((behind, slash(start)?))) {
            (part, at) = (behind, end + 1);
            (name, folders) = (None, Some((part, at)));
        } else {
            return false;
        }
    }
}

/// A line without trailing spaces, except one quoted by a backslash.
fn without_trailing_spaces(line: &[u8]) -> &[u8] {
    let kept = line.len() - line.iter().rev().take_while(|&&byte| byte == b' ').count();
    let backslashes = line[..kept].iter().rev().take_while(|&&byte| byte == b'\\').count();
    &line[..line.len().min(kept + backslashes % 2)]
}

/// The parts of a glob from its first special character on.
fn parts(glob: &[u8], start: usize) -> Vec<Part> {
    let (mut parts, mut at) = (Vec::new(), start);
    while at < glob.len() {
        let (part, end) = match glob[at] {
            b'*' => stars(glob, at, at == start),
            b'[' => bracket(glob, at + 1),
            b'?' => (Part::Any, at + 1),
            // A backslash quotes what follows it; at the end it quotes nothing, and nothing matches.
            b'\\' => (glob.get(at + 1).map_or(Part::Nothing, |&byte| Part::Byte(byte)), at + 2),
            byte => (Part::Byte(byte), at + 1),
        };
        parts.push(part);
        at = end;
    }
    parts
}

/// The part of the asterisks at an offset, and where it ends.
fn stars(glob: &[u8], at: usize, is_first: bool) -> (Part, usize) {
    let end = at + glob[at..].iter().take_while(|&&byte| byte == b'*').count();
    let begins = is_first || glob[at - 1] == b'/';
    match glob[end..] {
        _ if end - at == 1 || !begins => (Part::Name, end),
        [] => (Part::Rest, end),
        [b'/', ..] => (Part::Folders, end + 1),
        // git tries no folder at all only before a slash that is not quoted.
        [b'\\', b'/', ..] => (Part::SomeFolders, end + 2),
        _ => (Part::Name, end),
    }
}

/// The part of a bracket opened before an offset, and where it ends.
fn bracket(glob: &[u8], at: usize) -> (Part, usize) {
    let negated = matches!(glob.get(at), Some(b'!' | b'^'));
    let first = at + usize::from(negated);
    let mut set = Box::new(ByteSet::default());
    let (mut at, mut low) = (first, None);
    while glob.get(at).is_some_and(|&byte| byte != b']' || at == first) {
        let ranges = if let Some(end) = class_end(glob, at) {
            let class = CLASSES.iter().find(|(name, _)| *name == &glob[at + 2..end - 2]);
            let Some((_, ranges)) = class else { return (Part::Nothing, glob.len()) };
            (low, at) = (None, end);
            ranges.to_vec()
        } else if let (b'-', Some(least), Some(_)) = (glob[at], low, glob.get(at + 1).filter(|&&byte| byte != b']')) {
            let (most, end) = quoted(glob, at + 1);
            (low, at) = (None, end);
            vec![(least, most)]
        } else {
            let (byte, end) = quoted(glob, at);
            (low, at) = (Some(byte), end);
            vec![(byte, byte)]
        };
        ranges.into_iter().flat_map(|(low, high)| low..=high).for_each(|byte| set.add(byte));
    }
    if at >= glob.len() {
        return (Part::Nothing, glob.len()); // It is never closed.
    }
    if negated {
        set.0 = set.0.map(|bits| !bits);
    }
    set.remove(b'/');
    (Part::OneOf(set), at + 1)
}

/// The end of a character class, such as `[:alpha:]`, that begins at an offset; None if none does.
fn class_end(glob: &[u8], at: usize) -> Option<usize> {
    let inside = glob[at..].strip_prefix(b"[:")?;
    let length = inside.iter().position(|&byte| byte == b']')?;
    (length > 0 && inside[length - 1] == b':').then_some(at + 2 + length + 1)
}

/// The byte at an offset, or the byte quoted by a backslash there, and where it ends.
fn quoted(glob: &[u8], at: usize) -> (u8, usize) {
    let at = at + usize::from(glob[at] == b'\\' && at + 1 < glob.len());
    (glob[at], at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_selected(line: &[u8], path: &[u8]) -> bool {
        Pattern::new(line).is_some_and(|pattern| pattern.matches(path, false))
    }

    #[test]
    fn globs_match_as_git_says() {
        for (line, taken, left) in [
            (&b"*.log"[..], &b"a/b/today.log"[..], &b"a/today.logs"[..]),
            (b"/a", b"a", b"b/a"),
            (b"a/**/b", b"a/x/y/b", b"a/xb"),
            (b"a**/b", b"ab", b"a/c"),
            (b"**/x/*y", b"a/x/x/zy", b"x/z/y"),
            (b"[[:upper:]x-]", b"-", b"y"),
            (b"a/[!b]", b"a/c", b"a/b"),
            (b"**\\/a?", b"x/y/ab", b"ab"),
            (b"a/**\\/b", b"a/x/y/b", b"a/b"),
            (b"a**\\/b", b"ax/y/b", b"axb"),
            (b"**\\/**\\/b", b"x/y/b", b"x/b"),
            (b"x\0junk", b"x", b"x\0junk"),
            (b"x  \0", b"x", b"x  "),
        ] {
            assert!(is_selected(line, taken), "{line:?} {taken:?}");
            assert!(!is_selected(line, left), "{line:?} {left:?}");
        }
        assert!(!is_selected(b"[a", b"[a") && !is_selected(b"a\\", b"a") && !is_selected(b"#a", b"#a"));
    }

    #[test]
    fn time_does_not_grow_with_the_number_of_asterisks() {
        let (glob, path) = ([b"**/".repeat(100), b"*a".repeat(100), b"b".to_vec()].concat(), b"a/".repeat(2000));
        assert!(!is_selected(&glob, &path));
        assert!(!is_selected(&[b"**\\/a/".repeat(100), b"b".to_vec()].concat(), &path));
    }
}
