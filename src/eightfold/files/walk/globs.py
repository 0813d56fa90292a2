r"""Patterns for paths: the language of ``.gitignore``, for those files and for the options of commands.

A pattern matches what git says it matches: patterns and names are bytes, so ``?`` is one byte of a name, and two
asterisks mean more than one only between slashes. (And if they are the first special characters, since git first
removes the literal text that both sides share: ``a**/b`` matches ``ab`` too.) The slash after them may be quoted by a
backslash; then they stand for at least one folder: ``**\/b`` matches ``a/b``, and not ``b``.

Source: gitignore(5), Pattern format.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

_SPECIAL = re.compile(rb"[*?\[\\]")
_LAST_STARS = re.compile(rb"(?<!\\)\*{2,}\Z")
_NOTHING = rb"(?!)"
# The shortest match of each is tried first.
_ANY = rb"[^/]*?"
_ANY_FOLDERS, _SOME_FOLDERS, _ALL_INSIDE = rb"(?:.*?/)??", rb".*?/", rb".*"
_ACROSS_FOLDERS = (_ANY_FOLDERS, _SOME_FOLDERS, _ALL_INSIDE)
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb"\t\n\r\x20",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


class Pattern(NamedTuple):
    """One pattern.

    Attributes:
        matcher: what a path must match in full, or its name alone.
        negated: whether a match includes the path again.
        of_folders: whether only a folder matches.
        of_names: whether only the name is matched, in any folder.
        written: the pattern as it was given.
    """

    matcher: re.Pattern[bytes]
    negated: bool
    of_folders: bool
    of_names: bool
    written: bytes = b""

    def matches(self, path: bytes, *, is_folder: bool) -> bool:
        """Return whether the pattern matches a path, which is relative to the folder of the pattern."""
        if self.of_folders and not is_folder:
            return False
        return self.matcher.fullmatch(path.rpartition(b"/")[2] if self.of_names else path) is not None


def pattern(line: bytes) -> Pattern | None:
    r"""Return the pattern of one line, which a NUL ends, or None for an empty line and a comment.

    >>> pattern(b"*.log").matches(b"deep/down/today.log", is_folder=False)
    True
    >>> pattern(b"/build/").matches(b"build", is_folder=False)
    False
    """
    line = line.partition(b"\0")[0]
    if not line or line.startswith(b"#"):
        return None
    line = written = _without_trailing_spaces(line)
    negated = line.startswith(b"!")
    line = line[negated:]
    of_folders = line.endswith(b"/")
    line = line[: len(line) - of_folders]
    of_names = b"/" not in line
    expression = _expression(line.removeprefix(b"/"))
    return Pattern(re.compile(expression, re.DOTALL), negated, of_folders, of_names, written)


def patterns(lines: Iterable[bytes]) -> tuple[Pattern, ...]:
    """Return the patterns of lines."""
    return tuple(found for line in lines if (found := pattern(line)) is not None)


def globs(given: Iterable[str]) -> tuple[Pattern, ...]:
    """Return the patterns given to an option."""
    return patterns(map(os.fsencode, given))


def of_files(found: Pattern) -> Pattern:
    """Return the pattern with which to select files: one of folders then matches all files in them.

    >>> of_files(pattern(b"build/")).matches(b"a/build/b/c", is_folder=False)
    True
    >>> of_files(pattern(b"*.log")).written
    b'*.log'
    """
    mark = b"!" * found.negated
    folder = found.written[len(mark) : -1]
    if not found.of_folders or not folder:
        return found
    way = b"**/" if found.of_names else b""
    # Two asterisks before the slash would match no folder as well.
    inside = pattern(mark + way + _LAST_STARS.sub(b"*", folder) + b"/**")
    return found if inside is None else inside


def deciding(found: tuple[Pattern, ...], path: bytes, *, is_folder: bool) -> bool | None:
    """Return whether the last pattern that matches a path selects it, or being negated does not; None if none matches.

    >>> logs = patterns([b"*.log", b"!keep.log"])
    >>> [deciding(logs, name, is_folder=False) for name in (b"a.log", b"keep.log", b"a.txt")]
    [True, False, None]
    """
    for each in reversed(found):
        if each.matches(path, is_folder=is_folder):
            return not each.negated
    return None


def _without_trailing_spaces(line: bytes) -> bytes:
    """Return a line without trailing spaces, except one quoted by a backslash."""
    kept = line.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + backslashes % 2]


def _expression(glob: bytes) -> bytes:
    """Return the regular expression of a glob.

    Between two asterisks, the first match of what stands between them suffices: a later one leaves less for the rest.
    The same holds between two parts that match across folders, whatever single asterisks stand between them. So there
    is no backtracking into what has matched, and time does not grow with the number of asterisks.
    """
    special = _SPECIAL.search(glob)
    plain = len(glob) if special is None else special.start()
    names = (b"_%d" % number for number in count())
    groups = _split(list(_parts(glob, plain)), _ACROSS_FOLDERS)
    pieces = [_joined([b"".join(parts) for parts in _split(group, (_ANY,))], names) for group in groups]
    return re.escape(glob[:plain]) + _joined(pieces, names)


def _split(parts: Sequence[bytes], marks: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Split parts before each one that is among the marks; the first group begins with none, and may be empty."""
    starts = [0, *(at for at, part in enumerate(parts) if part in marks)]
    return [parts[start:end] for start, end in zip(starts, [*starts[1:], len(parts)], strict=True)]


def _joined(pieces: Sequence[bytes], names: Iterator[bytes]) -> bytes:
    """Join expressions so that of each between the first and the last one only the first match is tried."""
    if len(pieces) == 1:
        return pieces[0]
    first, *between, last = pieces
    named = zip(between, names, strict=False)
    return first + b"".join(b"(?=(?P<%s>%s))(?P=%s)" % (name, piece, name) for piece, name in named) + last


def _parts(glob: bytes, start: int) -> Iterator[bytes]:
    """Yield the regular expressions of the parts of a glob from its first special character on."""
    at = start
    while at < len(glob):
        if glob[at] == ord("*"):
            part, end = _stars(glob, at, is_first=at == start)
        elif glob[at] == ord("["):
            part, end = _bracket(glob, at + 1)
        elif glob[at] == ord("?"):
            part, end = rb"[^/]", at + 1
        else:
            # A backslash quotes what follows it; at the end it quotes nothing, and nothing matches.
            at += glob[at] == ord("\\")
            part, end = re.escape(glob[at : at + 1]) or _NOTHING, at + 1
        yield part
        at = end


def _stars(glob: bytes, at: int, *, is_first: bool) -> tuple[bytes, int]:
    """Return the expression of the asterisks at an offset, and where the part ends."""
    end = len(glob) - len(glob[at:].lstrip(b"*"))
    if end - at == 1 or not (is_first or glob[at - 1 : at] == b"/"):
        return _ANY, end
    if end == len(glob):
        return _ALL_INSIDE, end
    if glob.startswith(b"/", end):
        return _ANY_FOLDERS, end + 1
    # git tries no folder at all only before a slash that is not quoted.
    return (_SOME_FOLDERS, end + 2) if glob.startswith(rb"\/", end) else (_ANY, end)


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """Return the expression of a bracket opened before an offset, and where it ends."""
    negated = glob[at : at + 1] in (b"!", b"^")
    first = at = at + negated
    members = b""
    low: int | None = None
    while at < len(glob) and (glob[at] != ord("]") or at == first):
        if (end := _class_end(glob, at)) is not None:
            member, low, at = _CLASSES.get(glob[at + 2 : end - 2]), None, end
            if member is None:
                return _NOTHING, len(glob)
        elif glob[at] == ord("-") and low is not None and glob[at + 1 : at + 2] not in (b"", b"]"):
            high, at = _quoted(glob, at + 1)
            member, low = _range(low, high), None
        else:
            low, at = _quoted(glob, at)
            member = _range(low, low)
        members += member
    if at >= len(glob):
        return _NOTHING, len(glob)  # It is never closed.
    if negated:
        return b"[^/" + members + b"]", at + 1
    return (b"(?!/)[" + members + b"]" if members else _NOTHING), at + 1


def _class_end(glob: bytes, at: int) -> int | None:
    """Return the end of a character class, such as ``[:alpha:]``, that begins at an offset; None if none does."""
    if glob[at : at + 2] != b"[:":
        return None
    end = glob.find(b"]", at + 2)
    return end + 1 if end > at + 2 and glob[end - 1] == ord(":") else None


def _quoted(glob: bytes, at: int) -> tuple[int, int]:
    """Return the byte at an offset, or the byte quoted by a backslash there, and where it ends."""
    at += glob[at] == ord("\\") and at + 1 < len(glob)
    return glob[at], at + 1


def _range(low: int, high: int) -> bytes:
    return b"\\x%02x-\\x%02x" % (low, high) if low <= high else b""
