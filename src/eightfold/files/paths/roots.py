"""Roots: the folder to which the paths in a plan or a log are relative, and which they never leave.

Somebody else may have written such a file. So its paths are taken apart here, and every step starts from the descriptor
of the folder before it and follows no link. The root itself is named by the user and never read from the file; links on
the way to it are followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from eightfold.files import FileError, blaming
from eightfold.files.path_text import shown, why_too_long
from eightfold.files.paths.entries import BY_DESCRIPTOR, NO_LINK, Entry

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for opening a folder on the way: on Linux without asking for permission to list it."""


def steps(path: str) -> list[str]:
    """Return the names that make up a relative path.

    Raises:
        ValueError: it is absolute, or leads upwards.

    >>> steps("./letters/old.txt")
    ['letters', 'old.txt']
    >>> steps("../secret")
    Traceback (most recent call last):
    ValueError: '../secret' leads out of the root
    """
    if os.path.isabs(path) or os.path.splitdrive(path)[0] or path.startswith("/"):
        raise ValueError(f"'{shown(path)}' is an absolute path")
    found = [name for name in path.replace(os.sep, "/").split("/") if name not in ("", os.curdir)]
    if os.pardir in found:
        raise ValueError(f"'{shown(path)}' leads out of the root")
    return found


class Root:
    """A root.

    Args:
        path: the folder, as the user named it; empty for the current one.
    """

    def __init__(self, path: str = "") -> None:
        self.path = path
        self._real = ""

    @property
    def real(self) -> str:
        """Its path without links, as it was when this was asked first."""
        self._real = self._real or os.path.realpath(self.path or os.curdir)
        return self._real

    def relative(self, path: str) -> str:
        """Return the path of a file relative to the root, without links; empty for the root itself.

        Raises:
            FileError: it lies outside the root, or is too long for a plan or a log.
        """
        real = os.path.realpath(path or os.curdir)
        if real == self.real:
            return ""
        below = os.path.join(self.real, "")
        if not real.startswith(below):
            raise FileError(path, f"it is outside {shown(self.real)}: use --root to name a folder that contains it")
        relative = real[len(below) :]
        if why_not := why_too_long(os.fsencode(relative)):
            raise FileError(path, why_not)
        return relative

    def join(self, path: str) -> str:
        """Return the path of a file, from its path relative to the root."""
        return os.path.join(self.path, path) if self.path else path

    @contextmanager
    def entry(self, path: str, *, new: bool = False) -> Iterator[Entry]:
        """Open the folder of a file, by its path relative to the root.

        Args:
            path: the path.
            new: create missing folders; the file need not exist.

        Raises:
            FileError: a link is on the way, or a folder is missing. ValueError: the path leads out of the root.
        """
        *folders, name = steps(path) or [""]
        if not name:
            raise ValueError("this is the root folder, not a file in it")
        with self.folder(os.path.join("", *folders), new=new) as folder:
            if folder is None and (not new or os.path.lexists(self.join(path))):
                self._check_by_path([*folders, name], new=new)
            yield Entry(self.join(path), folder)

    @contextmanager
    def folder(self, path: str, *, new: bool = False) -> Iterator[int | None]:
        """Open a folder, by its path relative to the root; yields None if the system has no such descriptors.

        Args:
            path: the path.
            new: create missing folders.

        Raises:
            FileError: a link is on the way, or a folder is missing. ValueError: the path leads out of the root.
        """
        names = steps(path)
        with blaming(self.path or os.curdir):
            if new:
                with suppress(FileExistsError):  # A file is there: that it is no folder is found next.
                    os.makedirs(self.path or os.curdir)
            folder = os.open(self.path or os.curdir, _FOLDER) if BY_DESCRIPTOR else None
        if folder is None:
            self._check_by_path(names, new=new)
            yield None
            return
        try:
            way = self.path
            for name in names:
                way = os.path.join(way, name)
                before, folder = folder, _step(folder, way, name, new=new)
                os.close(before)
            yield folder
        finally:
            os.close(folder)

    def _check_by_path(self, names: list[str], *, new: bool) -> None:
        way = self.path
        for name in names:
            way = os.path.join(way, name)
            with blaming(way):
                if new:
                    with suppress(FileExistsError):
                        os.mkdir(way)
                _check_no_link(way, os.lstat(way))


class Way(NamedTuple):
    """The way to a file: a path, or from a root, on which no link is followed.

    A file that was found in a folder is reached from that, since whoever can write to the folder may have put a link on
    the way to it meanwhile.

    Attributes:
        path: the path of the file.
        root: the folder that the user named; None if the path is used.
        folder: the path of the file's folder from there.
    """

    path: str
    root: Root | None = None
    folder: str = ""

    @classmethod
    def to_found(cls, path: str, inside: str) -> Way:
        """Return the way to a file that was found in a folder, by its path and that from there.

        >>> Way.to_found("logs/old/a.txt", "old/a.txt").folder
        'old'
        """
        return cls(path, Root(path[: len(path) - len(inside)]), os.path.dirname(inside))

    @property
    def real(self) -> str:
        """The path without the links on the way to the root."""
        if self.root is None:
            return self.path
        return os.path.join(self.root.real, self.folder, os.path.basename(self.path))

    def beside(self, name: str) -> Way:
        """Return the way to another entry of the folder, which is known by its real path."""
        return Way(os.path.join(os.path.dirname(self.real), name), self.root, self.folder)

    @contextmanager
    def entry(self) -> Iterator[Entry]:
        """Open the folder of the file, if it is reached from a root.

        Raises:
            FileError: a link is on the way, or a folder is missing.
        """
        if self.root is None:
            yield Entry(self.path)
            return
        with self.root.folder(self.folder) as folder:
            if folder is None:
                with suppress(FileNotFoundError):
                    _check_no_link(self.path, os.lstat(self.path))
            yield Entry(self.path, folder)


def _step(folder: int, way: str, name: str, *, new: bool) -> int:
    """Open a folder inside an open one."""
    with blaming(way):
        if new:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=folder)
        try:
            return os.open(name, _FOLDER | NO_LINK, dir_fd=folder)
        except OSError:
            _check_no_link(way, os.stat(name, dir_fd=folder, follow_symlinks=False))
            raise


def _check_no_link(way: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise FileError(way, "a symbolic link, which is not followed")
