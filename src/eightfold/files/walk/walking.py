"""The files that a path stands for: itself, or the selected regular files in a folder and the folders inside it.

Inside a folder no symbolic link is followed, so no file is met twice and no cycle is walked. A path given by the user
is followed and always included: patterns select only among files that were found. This program's own temporary files
are never found.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from eightfold.files import FileError, file_error
from eightfold.files.paths.addresses import is_temporary
from eightfold.files.walk.globs import Pattern, deciding
from eightfold.files.walk.ignoring import Ignored


class Found(NamedTuple):
    """A file that a path stands for.

    Attributes:
        path: the path to open and to show.
        inside: its path relative to the walked folder, as patterns see it; for a given path, the path itself.
        walked: whether it was found in a folder rather than given.
    """

    path: str
    inside: bytes
    walked: bool


class Selection(NamedTuple):
    """Which files in a folder to include. Patterns are those of ``.gitignore``, relative to the walked folder.

    Attributes:
        include: if there are any, a file must match one of these.
        exclude: files and folders that match one of these are skipped.
        ignore: whether to skip what ``.gitignore`` files ignore.
    """

    include: tuple[Pattern, ...] = ()
    exclude: tuple[Pattern, ...] = ()
    ignore: bool = False

    def takes(self, inside: bytes, *, is_folder: bool) -> bool:
        """Return whether to include a file or enter a folder."""
        if deciding(self.exclude, inside, is_folder=is_folder):
            return False
        return is_folder or not self.include or deciding(self.include, inside, is_folder=False) is True


EVERYTHING = Selection()
OnError = Callable[[FileError], None]


def files_under(path: str, on_error: OnError) -> Iterator[str]:
    """Yield the path, or if it is a folder, all files in it: see :func:`found_under`."""
    return (found.path for found in found_under(path, on_error))


def found_under(path: str, on_error: OnError, selection: Selection = EVERYTHING) -> Iterator[Found]:
    """Yield the path, or if it is a folder, the files in it, sorted by name; files come before folders.

    Args:
        path: a file or a folder; a file need not exist: reading it reports that.
        on_error: called with each folder that cannot be listed and each ignore file that cannot be read; walking
            continues after it.
        selection: which files in a folder to include.
    """
    if os.path.isdir(path):
        yield from _Walk(on_error, selection).files(path)
    else:
        yield Found(path, os.fsencode(os.path.normpath(path)), walked=False)


class _Walk:
    def __init__(self, on_error: OnError, selection: Selection) -> None:
        self._on_error = on_error
        self._selection = selection

    def files(self, top: str) -> Iterator[Found]:
        """Yield the selected files of a folder."""
        # A list instead of recursion: folders may be nested more deeply than Python's calls.
        due: list[tuple[str, bytes, Ignored | None]] = [(top, b"", None)]
        while due:
            folder, inside, outer = due.pop()
            ignored = self._ignored(folder, outer)
            files, folders = self._entries(folder, inside, ignored)
            for name in files:
                yield Found(os.path.join(folder, name), inside + os.fsencode(name), walked=True)
            due += [(os.path.join(folder, name), inside + os.fsencode(name) + b"/", ignored) for name in folders[::-1]]

    def _ignored(self, folder: str, outer: Ignored | None) -> Ignored | None:
        if not self._selection.ignore:
            return None
        return Ignored.from_repository(folder, self._on_error) if outer is None else outer.inside(folder)

    def _entries(self, folder: str, inside: bytes, ignored: Ignored | None) -> tuple[list[str], list[str]]:
        """Return the names of the selected files and folders in a folder, each sorted."""
        files: list[str] = []
        folders: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    kind = _kind(entry)
                    if kind is not None and self._takes(entry.name, inside, ignored, is_folder=kind is _FOLDER):
                        (folders if kind is _FOLDER else files).append(entry.name)
        except OSError as error:
            self._on_error(file_error(folder, error))
        return sorted(files), sorted(folders)

    def _takes(self, name: str, inside: bytes, ignored: Ignored | None, *, is_folder: bool) -> bool:
        if is_temporary(name) or (ignored is not None and ignored.has(name, is_folder=is_folder)):
            return False
        return self._selection.takes(inside + os.fsencode(name), is_folder=is_folder)


_FILE, _FOLDER = "file", "folder"


def _kind(entry: os.DirEntry[str]) -> str | None:
    """Return what an entry is; None if it is neither a regular file nor a folder."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return _FOLDER
        return _FILE if entry.is_file(follow_symlinks=False) else None
    except OSError:
        return _FILE  # It has gone, or is out of reach, since it was listed: reading it reports that.
