"""Which entries of a folder ``.gitignore`` files ignore: the files in the folder itself and in those above it.

The deepest file decides first, and in it the last line; then ``.git/info/exclude``. The content of an ignored folder is
never considered, so nothing in it can be included again. Two things that git considers are not considered here: the
machine's ``core.excludesFile``, since the result should not depend on who runs the check, and the index: a tracked file
that matches a pattern is ignored.

Source: gitignore(5); gitrepository-layout(5); for what a repository is, ``read_gitfile_gently`` and
``is_git_directory`` in git's setup.c, and ``is_nonbare_repository_dir`` in its dir.c.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO, NamedTuple

from eightfold.files import FileError, file_error
from eightfold.files.paths.entries import Entry
from eightfold.files.paths.roots import Root
from eightfold.files.walk.globs import Pattern, deciding, patterns

_GIT = ".git"
IGNORE_FILE = ".gitignore"
# Patterns take more memory than their text, and each is compared with each entry.
_MOST_BYTES = 1 << 20
_HEAD = re.compile(rb"ref:[ \t\n\r]*refs/|[0-9A-Fa-f]{40}")
"""How the HEAD of a repository begins: with the name of a reference, or with the hash of a commit."""


class _Rules(NamedTuple):
    """The patterns of one file, and the path from its folder to this one: empty, or names with a slash after each."""

    patterns: tuple[Pattern, ...]
    way: bytes = b""


_NO_RULES = _Rules(())


class Ignored:
    """What is ignored in one folder. For a folder inside it, see :meth:`inside`.

    Args:
        folder: the folder.
        on_error: called with each ignore file that cannot be read, or has more than a mebibyte.
        outer: the rules that apply to the whole folder, the weakest first.
    """

    def __init__(self, folder: str, on_error: Callable[[FileError], None], outer: tuple[_Rules, ...] = ()) -> None:
        self._on_error = on_error
        # A repository inside a repository has its own rules.
        exclude = _exclude(folder)
        kept = outer if exclude is None else (self._rules_of(Entry(exclude)),)
        self._rules = tuple(rules for rules in (*kept, self._own(folder)) if rules.patterns)

    @classmethod
    def from_repository(cls, folder: str, on_error: Callable[[FileError], None]) -> Ignored:
        """Return what is ignored in a folder that may lie anywhere in a repository.

        Ignore files in the folder itself are reported by its path as it is given.
        """
        top = os.path.realpath(folder)
        names: list[str] = []
        while not _repository(top):
            top, name = os.path.split(top)
            if not name:
                return cls(folder, on_error)
            names.insert(0, name)
        if not names:
            return cls(folder, on_error)
        found, at = cls(top, on_error), top
        for name in names[:-1]:
            at = os.path.join(at, name)
            found = found.inside(at)
        return found.inside(folder, names[-1])

    def inside(self, folder: str, name: str = "", *, reports: bool = True) -> Ignored:
        """Return what is ignored in a folder inside this one, and report ignore files there that cannot be read.

        Args:
            folder: the folder.
            name: its name, if the path does not end with it.
            reports: whether ignore files that cannot be read are reported.
        """
        step = os.fsencode(name or os.path.basename(folder)) + b"/"
        outer = tuple(each._replace(way=each.way + step) for each in self._rules)
        found = Ignored(folder, self._on_error if reports else lambda error: None, outer)
        found._on_error = self._on_error
        return found

    def rules(self) -> list[tuple[bytes, tuple[Pattern, ...]]]:
        """Return the rules that hold, the weakest first: the way from their folder to this one, and their patterns."""
        return [(each.way, each.patterns) for each in self._rules]

    def has(self, name: str, *, is_folder: bool) -> bool:
        """Return whether an entry of the folder is ignored; git's own files always are."""
        if name == _GIT:
            return True
        entry = os.fsencode(name)
        for rules in reversed(self._rules):
            decided = deciding(rules.patterns, rules.way + entry, is_folder=is_folder)
            if decided is not None:
                return decided
        return False

    def _own(self, folder: str) -> _Rules:
        with suppress(OSError, FileError):
            try:
                return self._rules_if_regular(Entry(os.path.join(folder, IGNORE_FILE)))
            except OSError as error:
                if error.errno != errno.ENAMETOOLONG:
                    raise
            # Of the files in the folder, those with shorter names may be within reach.
            with Root(folder).entry(IGNORE_FILE) as entry:
                return self._rules_if_regular(entry)
        return _NO_RULES

    def _rules_if_regular(self, entry: Entry) -> _Rules:
        # git does not follow a link here either, and reading a pipe of this name would never end.
        return self._rules_of(entry) if stat.S_ISREG(entry.own_status().st_mode) else _NO_RULES

    def _rules_of(self, entry: Entry) -> _Rules:
        try:
            with open(entry.open_regular(), "rb") as file:
                content = _all_of(file).removeprefix(codecs.BOM_UTF8)
        except FileNotFoundError:
            return _NO_RULES
        except OSError as error:
            self._on_error(file_error(entry.path, error))
            return _NO_RULES
        return _Rules(patterns(line.removesuffix(b"\r") for line in content.split(b"\n")))


def _all_of(file: BinaryIO) -> bytes:
    content = file.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def _exclude(folder: str) -> str | None:
    """Return the path of ``info/exclude`` if a repository begins in a folder, or None.

    The path is that of the file ``.git`` if this cannot be read, so that reading it reports why.
    """
    git = _repository(folder)
    if os.path.isfile(git):
        return git
    return os.path.join(_shared(git), "info", "exclude") if git else None


def _repository(folder: str) -> str:
    """Return the path of the folder that holds the repository that begins in a folder; empty if none does.

    A file ``.git`` that cannot be read begins one, as for git, and is returned itself. What git passes over, such as an
    empty folder, one that was copied in part, or a submodule that was copied without its repository, must not switch
    off the ignore files above it.
    """
    git = os.path.join(folder, _GIT)
    if not os.path.exists(git):
        return ""
    if _is_closed(git):
        return git
    # In a worktree or a submodule, `.git` is a file that names the actual folder, which may name the shared one.
    kept = os.path.join(folder, _said(git, "gitdir: ") or _GIT)
    return kept if _is_head(os.path.join(kept, "HEAD")) and _has_content(_shared(kept)) else ""


def _is_closed(path: str) -> bool:
    """Return whether a path is that of a regular file that cannot be read; one that is too large can be."""
    try:
        if os.path.isfile(path):
            with open(Entry(path).open_regular(), "rb") as file:
                _all_of(file)
    except OSError as error:
        return error.errno != errno.EFBIG
    return False


def _is_head(path: str) -> bool:
    with suppress(OSError, ValueError):  # The path may have a NUL.
        return os.readlink(path).startswith("refs/")
    return _HEAD.match(_content_of(path)) is not None


def _has_content(shared: str) -> bool:
    with suppress(ValueError):  # The path has a NUL.
        return all(os.access(os.path.join(shared, name), os.X_OK) for name in ("objects", "refs"))
    return False


def _shared(git: str) -> str:
    """Return the folder that a repository shares with its worktrees: its own one if it is not a worktree."""
    return os.path.join(git, _said(os.path.join(git, "commondir")))


def _said(path: str, prefix: str = "") -> str:
    """Return the path after a prefix in one of git's files; empty if there is none."""
    said = os.fsdecode(_content_of(path).rstrip(b"\r\n"))
    return said.removeprefix(prefix) if said.startswith(prefix) else ""


def _content_of(path: str) -> bytes:
    """Return what is in one of git's files; nothing if it cannot be read."""
    with suppress(OSError, ValueError), open(Entry(path).open_regular(), "rb") as file:
        return _all_of(file)
    return b""
