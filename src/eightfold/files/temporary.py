"""Temporary files beside their targets: who is writing one is known by its lock, and strays of killed runs are removed.

A temporary file is named after its target, as one of :data:`PLACES` places: `.NAME.SUM-PLACE.eightfold.tmp`. While its
writer lives the file is locked (`flock`), so whoever comes next to the same target can tell a stray, which nobody
locks, from the work of another run, which is left alone. Where there are no locks, nothing is taken for a stray.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO
from zlib import crc32

from eightfold.files.signals import signals_held

try:
    import fcntl
except ImportError:  # Windows, which refuses to remove a file that is open: that is lock enough.
    fcntl = None  # type: ignore[assignment]

PLACES = 8
"""How many runs can write to one target at the same time."""
_ENDING = ".eightfold.tmp"
_NAME_KEPT = 40
"""Characters of the target's name that are shown; at four bytes each it still fits any file system."""
_LOOKING = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def is_temporary(path: str) -> bool:
    """Return whether a file has the name of a temporary file of ours.

    >>> is_temporary("folder/.notes.txt.1A2B3C4D-0.eightfold.tmp"), is_temporary("notes.tmp")
    (True, False)
    """
    return os.path.basename(path).startswith(".") and path.endswith(_ENDING)


@contextmanager
def temporary_beside(target: str, mode: int) -> Iterator[BinaryIO]:
    """Make a locked file beside the target, whose strays are removed first; in the end it is gone, unless renamed.

    Args:
        target: the file that it will replace; no symbolic link.
        mode: its permissions, less the process's umask.

    Raises:
        OSError: it cannot be made, or as many runs as there are places are writing to this target.
    """
    places = list(_places(target))
    for path in places:
        _clear(path)
    with signals_held() as let_them_come:
        file = next(filter(None, (_claimed(path, mode) for path in places)), None)
        if file is None:
            raise OSError(
                errno.EBUSY, f"{PLACES} runs are writing to it at the same time: try again when they are done"
            )
        with file:
            try:
                let_them_come()
                yield file
            finally:
                _remove(file)


def hand_over(file: BinaryIO, target: str) -> None:
    """Rename a temporary file to its target, locked to the last so that nobody takes it for a stray."""
    if fcntl is None:
        file.close()
    os.replace(file.name, target)


def clear_strays(target: str) -> None:
    """Remove what runs that were killed have left beside a target that is not to be written."""
    for path in _places(os.path.realpath(target)):
        _clear(path)


def _remove(file: BinaryIO) -> None:
    """Remove our file, if it still has its name, which may be that of another run's by now."""
    with suppress(OSError):
        if fcntl is None:
            file.close()
            os.unlink(file.name)
        elif _is_at(file.fileno(), file.name):
            os.unlink(file.name)


def _places(target: str) -> Iterator[str]:
    folder, name = os.path.split(target)
    # Names that begin alike are told apart by their sum.
    summed = f"{crc32(os.fsencode(name)):08X}"
    return (os.path.join(folder, f".{name[:_NAME_KEPT]}.{summed}-{place}{_ENDING}") for place in range(PLACES))


def _claimed(path: str, mode: int) -> BinaryIO | None:
    """Make a file and lock it; None where another run has it, or took it for a stray before it was locked."""
    try:
        file = open(path, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115
    except FileExistsError:
        return None
    if _lock(file.fileno(), without_locks=True) and _is_at(file.fileno(), path):
        return file
    file.close()
    return None


def _clear(path: str) -> None:
    """Remove the file of a run that was killed, if there is one."""
    with suppress(OSError):
        if fcntl is None:
            os.unlink(path)
            return
        descriptor = os.open(path, _LOOKING)
        try:
            if _lock(descriptor, without_locks=False) and _is_at(descriptor, path):
                os.unlink(path)
        finally:
            os.close(descriptor)


def _lock(descriptor: int, *, without_locks: bool) -> bool:
    """Lock a file, and return whether that was possible; ``without_locks`` is the answer where there are none."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without_locks
    return True


def _is_at(descriptor: int, path: str) -> bool:
    """Return whether a path still leads to this file, and it is a regular one."""
    opened = os.fstat(descriptor)
    try:
        return stat.S_ISREG(opened.st_mode) and os.path.samestat(opened, os.lstat(path))
    except FileNotFoundError:
        return False
