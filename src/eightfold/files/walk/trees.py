"""Trees that the core walks and examines, in threads: what needs no more than to be counted never becomes an object.

Files that are clean, or binary and skipped, are counted; all others are found as :mod:`eightfold.files.walk.walking`
finds them, in the same order. That module is the judge of what is taken, and does it where there is no core. It also
goes on where a configuration below the top could change what holds: such a folder is handed back, and begins a tree of
its own. Files that are given are examined one by one, as they come.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from eightfold._engine import only_in_core
from eightfold.files import FileError
from eightfold.files.paths.addresses import PACKED, TEMPORARY, packing_of
from eightfold.files.walk.globs import Pattern
from eightfold.files.walk.walking import CleanText, Folder, Found, OnError, Selection, Walk, Walking
from eightfold.forms import Form
from eightfold.text import decode_code_points

_TREE: Any = only_in_core("Tree")
_EXAMINER: Any = only_in_core("FileExaminer")
_FILE, _FOLDER, _IRREGULAR, _TEXT = 0, -1, -2, -3
_PACKED = tuple(os.fsencode("*" + "".join(f"[{each}{each.upper()}]" for each in ending)) for ending in PACKED)
_REASONS = {_IRREGULAR: "not a regular file", errno.ELOOP: "a symbolic link, which is not followed"}
_ASCII = bytes(range(0x80))
_MOST_OPEN = 8
"""So many trees lie in each other at most, as each has threads; deeper ones are walked here."""

Series = tuple[tuple[int, int], ...]
"""Ranges of bytes that follow one another."""
_Patterns = tuple[bytes, tuple[bytes, ...]]
"""The way from the folder of patterns to the top of a tree, and the patterns as they were written."""


class Passed(NamedTuple):
    """Files that needed no more: how many are clean, how many are binary, and how many bytes they have."""

    clean: int
    binary: int
    bytes: int


class Examination(NamedTuple):
    """What is looked for in files; whatever is not clean by it is found.

    Attributes:
        form: the form that they are in, without signatures and of 8-bit units.
        marks: a file that begins with one of these is found.
        may_differ: whether a file with a NUL near its beginning is found if it may be in units of 16 or 32 bits.
        skips_binary: whether other files with a NUL there are counted as binary.
        escapes: whether a file is found that has an escape of a surrogate, as JSON writes it.
        suspects: a file is found that has bytes in the ranges of one of these.
        lists: whether clean files are found too, as such.
        special: files that match one of these are found.
        unpack: whether files are found whose names say that they are compressed.
        output: the device and the inode of a file that is found, whatever it holds.
    """

    form: Form
    marks: tuple[bytes, ...] = ()
    may_differ: bool = True
    skips_binary: bool = True
    escapes: bool = False
    suspects: tuple[Series, ...] = ()
    lists: bool = False
    special: tuple[Pattern, ...] = ()
    unpack: bool = True
    output: tuple[int, int] | None = None


class _Selected(NamedTuple):
    """A selection as the core takes it."""

    include: _Patterns | None
    exclude: _Patterns | None
    configured_include: _Patterns | None
    configured_exclude: _Patterns | None
    ignored: list[_Patterns] | None
    handed_back: tuple[bytes, ...]
    temporary: bytes


class Trees(Walking):
    """Walks through folders, and looks at files that are given, by the core.

    Args:
        examination: returns what is looked for where a configuration gives files a form, whose name is empty if it
            gives none; None to find every file.
        on_passed: called with what was counted.
        threads: how many walk and examine.
        configurations: the names of files of configuration.
    """

    def __init__(
        self,
        examination: Callable[[str], Examination | None],
        on_passed: Callable[[Passed], object],
        threads: int,
        configurations: Iterable[str] = (),
    ) -> None:
        self._examination = examination
        self._on_passed = on_passed
        self._threads = threads
        self._configurations = tuple(map(os.fsencode, configurations))
        self._examiner = cache(self._begun_examiner)

    def __call__(self, top: Folder, on_error: OnError, selection: Selection, /) -> Iterator[Found]:
        """Yield the files of a folder that are taken and need more."""
        walk = Walk(on_error, selection)
        trees: list[Iterator[Found | Folder]] = [iter((top,))]
        while trees:
            met = next(trees[-1], None)
            if met is None:
                trees.pop()
            elif isinstance(met, Found):
                yield met
            elif walk.enter(met):
                examination = self._examination(_form_in(met)) if len(trees) <= _MOST_OPEN else None
                if examination is None:
                    yield from walk.files(met, is_entered=True)
                else:
                    trees.append(self._met(met, examination, on_error, selection))

    def given(self, found: Found, /) -> Found | None:
        """Return a file that was given, as clean text or unless it is; None if it is clean and counted."""
        examination, examiner = self._examiner(found.form)
        if examination is None or _is_special(found, examination):
            return found
        text = examiner.clean_text(os.fsencode(found.path))
        if text is None:
            return found
        if examination.lists:
            return found._replace(text=CleanText(*text))
        self._on_passed(Passed(1, 0, text[0]))
        return None

    def _begun_examiner(self, form: str) -> tuple[Examination | None, Any]:
        examination = self._examination(form)
        return examination, examination and _EXAMINER(examination.form, examination)

    def _met(
        self, top: Folder, examination: Examination, on_error: OnError, selection: Selection
    ) -> Iterator[Found | Folder]:
        """Yield the files that need more, and the folders that are handed back."""
        for clean, binary, size, left_out, findings in self._begun(top, examination, selection):
            self._on_passed(Passed(clean, binary, size))
            if left_out and top.ruled is not None:
                selection.leave(top.ruled, left_out)
            for path, inside, code, text in findings:
                if code == _FOLDER:
                    yield _handed_back(top, inside)
                elif code in (_FILE, _TEXT) or (inside and code not in _REASONS):
                    # A file that cannot be read is read again, so that its turn comes among the others; where too many
                    # files were open, one may be too few to matter.
                    form = "" if top.ruled is None else top.ruled.form_of(inside)
                    text_found = None if text is None else CleanText(*text)
                    yield Found(os.fsdecode(path), top.inside + inside, True, form, text_found)
                else:
                    on_error(FileError(os.fsdecode(path), _reason(path, code)))

    def _begun(self, top: Folder, examination: Examination, selection: Selection) -> Any:
        """Begin to walk.

        Raises:
            FileError: no thread can be had.
        """
        special = [_written(top.inside, examination.special)]
        if examination.unpack:
            special.append((b"", _PACKED))
        if top.ruled is not None:
            special.append(_written(top.ruled.way, (glob for glob, _ in top.ruled.rules.form_map)))
        try:
            selected = _selected(top, selection, self._configurations)
            return _TREE(os.fsencode(top.path), examination.form, selected, examination, special, self._threads)
        except OSError as error:
            raise FileError("-j", f"{error.strerror}: try a smaller number") from error


def can_walk() -> bool:
    """Return whether the core walks trees: it orders names as they are ordered here where they are UTF-8."""
    return _TREE is not None and sys.getfilesystemencoding() == "utf-8"


def can_examine(form: Form) -> bool:
    """Return whether the core can examine files in a form: of bytes, without signatures, with ASCII as it is."""
    is_of_bytes = not form.is_foreign and form.unit_bytes == 1 and not form.signatures
    return is_of_bytes and list(decode_code_points(_ASCII, form, "replace")) == list(_ASCII)


def _reason(path: bytes, code: int) -> str:
    """Return why something cannot be read; links are followed to a repository's file of patterns, and to no other."""
    is_followed = path.endswith(b"/info/exclude")
    return os.strerror(code) if is_followed and code > 0 else _REASONS.get(code) or os.strerror(code)


def _is_special(found: Found, examination: Examination) -> bool:
    """Return whether a file needs more by its path."""
    is_packed = examination.unpack and bool(packing_of(found.path))
    return is_packed or any(glob.matches(found.inside, is_folder=False) for glob in examination.special)


def _form_in(folder: Folder) -> str:
    return "" if folder.ruled is None else folder.ruled.rules.form


def _written(way: bytes, patterns: Iterable[Pattern]) -> _Patterns:
    return way, tuple(each.written for each in patterns)


def _selected(top: Folder, selection: Selection, configurations: tuple[bytes, ...]) -> _Selected:
    def given(patterns: tuple[Pattern, ...]) -> _Patterns | None:
        return _written(top.inside, patterns) if patterns else None

    def configured(patterns: tuple[Pattern, ...], *, beside: tuple[Pattern, ...]) -> _Patterns | None:
        return _written(top.ruled.way, patterns) if top.ruled is not None and patterns and not beside else None

    rules = None if top.ruled is None else top.ruled.rules
    return _Selected(
        given(selection.include),
        given(selection.exclude),
        configured(() if rules is None else rules.include, beside=selection.include),
        configured(() if rules is None else rules.exclude, beside=selection.exclude),
        None if top.ignored is None else [_written(way, patterns) for way, patterns in top.ignored.rules()],
        configurations,
        os.fsencode(TEMPORARY),
    )


def _handed_back(top: Folder, inside: bytes) -> Folder:
    """Return a folder below the top of a tree, before it is entered."""
    *ways, last = os.fsdecode(inside).split("/")
    folder = top
    for name in ways:
        outer = folder.ignored
        folder = folder.below(name)
        # What is wrong with an ignore file was reported when the core read it.
        folder.ignored = None if outer is None else outer.inside(folder.path, reports=False)
    return folder.below(last)
