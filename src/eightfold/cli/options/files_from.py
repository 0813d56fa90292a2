"""`--files-from`: the files that another program names, such as `git diff --name-only -z`, read as they come.

A name is bytes, and always that of a local file: one that looks like `-` or a URL is a file of that name too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from eightfold.files import FileError
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT, opened

_LONGEST_NAME = 1 << 16


def names_in(path: str, end: bytes, on_error: Callable[[FileError], None]) -> Iterator[str]:
    """Yield the names in a list, as paths of local files.

    Args:
        path: the list; ``-`` is standard input.
        end: ends each name; it may be missing after the last one.
        on_error: called with a name that no file can have, and with a list that cannot be read to its end.
    """
    try:
        for name in _names(path, end):
            if b"\0" in name:
                on_error(FileError(os.fsdecode(name), "a file name cannot contain NUL; use -z if NUL ends each name"))
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
