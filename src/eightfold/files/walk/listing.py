"""The names in a folder and the folders inside it, or in an archive, and its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from eightfold.files import FileError, blaming, file_error
from eightfold.files.walk.archives import members
from eightfold.files.walk.names import FOLDER, Name

OnError = Callable[[FileError], None]


def names_of(path: str, on_error: OnError) -> Iterator[Name]:
    """Yield the names at a path, those inside a folder before its own.

    Args:
        path: a folder (the names inside it and its own), a zip or a tar (those of its members and its own), or a file.
        on_error: called with each folder that cannot be listed; listing continues after it.

    Raises:
        FileError: the file does not exist; or, after its own name, it is an archive that cannot be read.
    """
    unread = None
    with blaming(path):
        os.lstat(path)
    if os.path.isdir(path):
        yield from _names_below(path, on_error)
    elif os.path.isfile(path):
        try:
            yield from members(path)
        except FileError as error:
            unread = error
    place, name = os.path.split(path.rstrip(os.sep))
    if name not in ("", os.curdir, os.pardir):
        yield _in_folder(place, name)
    if unread is not None:
        raise unread


def _names_below(path: str, on_error: OnError) -> Iterator[Name]:
    # A list instead of recursion: folders may be nested more deeply than Python's calls.
    due = [(path, iter(_entries(path, on_error)))]
    while due:
        folder, entries = due[-1]
        entry = next(entries, None)
        if entry is None:
            due.pop()
            if due:
                yield _in_folder(*os.path.split(folder))
        elif entry.is_dir(follow_symlinks=False):
            due.append((entry.path, iter(_entries(entry.path, on_error))))
        else:
            yield _in_folder(folder, entry.name)


def _entries(folder: str, on_error: OnError) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        on_error(file_error(folder, error))
        return []


def _in_folder(place: str, name: str) -> Name:
    try:
        target = os.fsencode(os.readlink(os.path.join(place, name)))
    except OSError:
        target = None
    return Name(place, os.fsencode(name), FOLDER, target)
