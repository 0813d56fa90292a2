"""`--files-from`: a list of files from another program, such as `git diff --name-only -z`, read as it arrives.

A name is bytes, and always names a local file, even if it looks like `-` or a URL.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser, path_argument
from eightfold.cli.output.ending import UsageError
from eightfold.files import FileError
from eightfold.files.path_text import why_too_long
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT, opened

LIST_EMPTY = "no file was read: the list of --files-from is empty"
_LONGEST_NAME = 1 << 16


@dataclass
class NamingOptions:
    """What the options of :func:`add_files_from` say; the options of a command that has them inherit these."""

    paths: Sequence[str] = ()
    files_from: str = ""
    null: bool = False
    _is_empty = False

    @property
    def lists_nothing(self) -> bool:
        """Whether a list was read to its end and names no file."""
        return self._is_empty

    def named(self, on_error: Callable[[FileError], None]) -> Iterable[str]:
        """Return the paths, or those in the list, which are read as they come.

        Args:
            on_error: as for :func:`names_in`.
        """
        return self._listed(on_error) if self.files_from else self.paths

    def _listed(self, on_error: Callable[[FileError], None]) -> Iterator[str]:
        name = None
        for name in names_in(self.files_from, b"\0" if self.null else b"\n", on_error):
            yield name
        self._is_empty = name is None

    def check_naming(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            UsageError: they do.
        """
        if self.null and not self.files_from:
            raise UsageError("-z needs --files-from")
        if self.files_from and self.paths:
            raise UsageError("--files-from and PATHs cannot be combined")

    def take_list(self) -> bool:
        """Replace the paths by those in the list, if there is one; return whether there is anything to read.

        Commands that write call this first, so that the list is complete before they write.

        Raises:
            UsageError: as for :meth:`check_naming`.
            FileError: the list cannot be read, or holds what is not a file name.
        """
        self.check_naming()
        self.paths = tuple(self.named(_raise))
        return bool(self.paths) or not self.files_from


def add_files_from(parser: CommandParser) -> None:
    """Add the options for a list of files."""
    parser.add_argument(
        "--files-from",
        type=path_argument,
        metavar="FILE",
        help="read the PATHs from this file, one per line (-: from standard input); each is a local file, even if it "
        "looks like a URL or -",
    )
    parser.add_argument(
        *("-z", "--null"), action="store_true", help="with --files-from: NUL, not a line feed, ends each PATH"
    )


def _raise(error: FileError) -> None:
    raise error


def names_in(path: str, end: bytes, on_error: Callable[[FileError], None]) -> Iterator[str]:
    """Yield the names in a list, as paths of local files.

    Args:
        path: the list; ``-`` is standard input.
        end: ends each name; it may be missing after the last one.
        on_error: called for a name that no file can have, and if the list cannot be read to its end.
    """
    try:
        for name in _names(path, end):
            if b"\0" in name:
                on_error(FileError(os.fsdecode(name), "a file name cannot contain NUL; use -z if NUL ends each name"))
            elif why_not := why_too_long(name):
                on_error(FileError(os.fsdecode(name), why_not))
            elif name:
                yield _local(os.fsdecode(name))
    except FileError as error:
        on_error(error)


def _names(path: str, end: bytes) -> Iterator[bytes]:
    rest = b""
    with opened(path) as source:
        for chunk, _ in source.pieces():
            *names, rest = (rest + chunk).split(end)
            yield from names
            if len(rest) > _LONGEST_NAME:
                hint = "" if end == b"\0" else "; use -z if NUL ends each name"
                raise FileError(path, f"a name has more than {_LONGEST_NAME:,} bytes{hint}")
    yield rest


def _local(name: str) -> str:
    """Return a name as a path that is nothing but a local file.

    >>> _local("notes.txt"), _local("-"), _local("https://example.org")
    ('notes.txt', './-', './https://example.org')
    """
    return os.path.join(os.curdir, name) if name == STANDARD_INPUT or is_remote(name) else name
