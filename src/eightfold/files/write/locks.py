"""Locks on folders: one run at a time replaces files in a folder, wherever in the tree each run began.

A run locks its own folders exclusively and those above them with a shared lock, so it meets every run that began above
or below. If it meets one, it waits for a while, which suits many short runs in one folder, and is then refused. The
system releases a lock when its process ends, however it ends.

The folder itself is not locked: whoever can read a folder can lock it, and could hold others up for as long as they
like. Instead a file in the user's private folder (:mod:`eightfold.files.records.private`) is locked; it is removed with
its last lock. So runs of different users do not meet here; but where one user's run has stopped, its journal keeps
another user's from continuing. If there are no such locks (Windows, some file systems, a user without a private
folder), none is held.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256

from eightfold.files import FileError, file_error
from eightfold.files.paths.entries import NO_LINK
from eightfold.files.records.private import private_folder
from eightfold.files.write.flocks import HAS_LOCKS, is_at, locked

_MOST = 64
"""If there are more, the one folder that contains all of them is locked, since each lock takes an open file."""

_PATIENCE = 10.0
"""How many seconds a run waits for others before it gives up."""
_PAUSE = 0.02
"""How many seconds it waits before it tries again."""


@contextmanager
def held(paths: Iterable[str]) -> Iterator[None]:
    """Hold the folders that paths lead to, or lie in, while the block runs.

    Raises:
        FileError: another run has held one of them, or one above or below, for the whole waiting time.
    """
    place = private_folder("locks") if HAS_LOCKS else None
    if place is None:
        yield
        return
    own = _topmost({_folder(path) for path in paths})
    # A plan may name a file in folders that do not exist: nobody replaces a file there, and there may be many.
    above = {parent for folder in own for parent in _above(folder) if os.path.isdir(parent)}
    deadline = time.monotonic() + _PATIENCE
    with ExitStack() as locks:
        for folder in sorted(own | above):  # All runs use one order: otherwise two could wait for each other.
            lock = _Lock(folder, os.path.join(place, sha256(os.fsencode(folder)).hexdigest()))
            lock.take(deadline, shared=folder not in own)
            locks.callback(lock.release)
        yield


def _folder(path: str) -> str:
    real = os.path.realpath(path)
    return real if os.path.isdir(real) else os.path.dirname(real)


def _topmost(folders: set[str]) -> set[str]:
    """Return the folders that lie in no other of them."""
    topmost = {folder for folder in folders if folders.isdisjoint(_above(folder))}
    return topmost if len(topmost) <= _MOST else {os.path.commonpath(topmost)}


def _above(folder: str) -> Iterator[str]:
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


class _Lock:
    """A lock on a folder.

    Args:
        folder: the folder.
        path: the file that is locked for it.
    """

    def __init__(self, folder: str, path: str) -> None:
        self._folder = folder
        self._path = path
        self._descriptor = -1

    def take(self, deadline: float, *, shared: bool) -> None:
        """Lock the folder.

        Raises:
            FileError: others have held it until the deadline, or too many files are open.
        """
        while not self._taken(shared):
            if time.monotonic() >= deadline:
                reason = "another run is replacing files in this folder or in one below it: try again when it is done"
                raise FileError(self._folder, reason)
            time.sleep(_PAUSE)

    def _taken(self, shared: bool) -> bool:
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o600)
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):  # The folder can be locked, but too many files are open.
                raise file_error(self._folder, error) from error
            return True
        if locked(self._descriptor, shared=shared) is not False and is_at(self._descriptor, self._path):
            return True
        os.close(self._descriptor)
        self._descriptor = -1
        return False

    def release(self) -> None:
        """Release the folder, and remove the file if nobody else has locked it."""
        if self._descriptor < 0:
            return
        try:
            with suppress(OSError):
                if locked(self._descriptor) is not False and is_at(self._descriptor, self._path):
                    os.unlink(self._path)
        finally:
            os.close(self._descriptor)
            self._descriptor = -1
