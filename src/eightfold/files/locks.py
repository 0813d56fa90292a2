"""Locks on folders: one run at a time replaces files in them, wherever in a tree each of the runs began.

A run holds its own folders alone, and those above them together with others: so it meets every run that began above it
or below. It waits for a while then, as suits many short runs in one folder, before it is refused. The system lets go of
a lock when its process ends, however that ends, and nothing is left behind. Where there are no such locks (Windows,
some file systems, folders that may not be listed) none is held.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

from eightfold.files import FileError, file_error

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

_MOST = 64
"""More folders are not held one by one, since each takes an open file: then the one is that all of them are in."""

_PATIENCE = 10.0
"""How many seconds a run waits for others before it gives up."""
_PAUSE = 0.02
"""How many seconds it waits before it asks again."""


@contextmanager
def held(paths: Iterable[str]) -> Iterator[None]:
    """Hold the folders that paths lead to, or lie in, while the block runs.

    Raises:
        FileError: another run has held one of them, one above, or one below, all the time we waited.
    """
    if fcntl is None:
        yield
        return
    own = _topmost({_folder(path) for path in paths})
    above = {parent for folder in own for parent in _above(folder)}
    deadline = time.monotonic() + _PATIENCE
    with ExitStack() as locks:
        for folder in sorted(own | above):  # All runs in one order: else two could wait for each other.
            _lock(locks, folder, fcntl.LOCK_EX if folder in own else fcntl.LOCK_SH, deadline)
        yield


def _folder(path: str) -> str:
    real = os.path.realpath(path)
    return real if os.path.isdir(real) else os.path.dirname(real)


def _topmost(folders: set[str]) -> set[str]:
    """Return the folders that are in no other."""
    topmost = {folder for folder in folders if folders.isdisjoint(_above(folder))}
    return topmost if len(topmost) <= _MOST else {os.path.commonpath(topmost)}


def _above(folder: str) -> Iterator[str]:
    while (parent := os.path.dirname(folder)) != folder:
        yield parent
        folder = parent


def _lock(locks: ExitStack, folder: str, kind: int, deadline: float) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):  # Not a folder that cannot be held, but one too many.
            raise file_error(folder, error) from error
        return
    locks.callback(os.close, descriptor)
    with suppress(OSError):
        while not _locked(descriptor, kind):
            if time.monotonic() >= deadline:
                told = "another run is replacing files in it, or in a folder of it: try again when that is done"
                raise FileError(folder, told)
            time.sleep(_PAUSE)


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
