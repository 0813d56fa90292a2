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
from io import BufferedWriter, FileIO
from typing import Any, BinaryIO
from zlib import crc32

from eightfold.files.parallel.signals import signals_held
from eightfold.files.paths.addresses import TEMPORARY
from eightfold.files.paths.entries import NO_LINK, Entry

try:
    import fcntl
except ImportError:  # Windows, which refuses to remove a file that is open: that is lock enough.
    fcntl = None  # type: ignore[assignment]

PLACES = 8
"""How many runs can write to one target at the same time."""
_SYNCED_BYTES = 32 << 20
"""So much waits for the disk at most."""
_NAME_KEPT = 40
"""Characters of the target's name that are shown; at four bytes each it still fits any file system."""


@contextmanager
def temporary_beside(target: Entry, mode: int) -> Iterator[BinaryIO]:
    """Make a locked file beside the target, whose strays are removed first; in the end it is gone, unless renamed.

    Args:
        target: the file that it will replace; no symbolic link.
        mode: its permissions, less the process's umask.

    Raises:
        OSError: it cannot be made, or as many runs as there are places are writing to this target.
    """
    places = list(_places(target))
    for place in places:
        _clear(place)
    with signals_held() as let_them_come:
        file = next(filter(None, (_claimed(place, mode) for place in places)), None)
        if file is None:
            raise OSError(
                errno.EBUSY, f"{PLACES} runs are writing to it at the same time: try again when they are done"
            )
        with file:
            try:
                let_them_come()
                yield file
            finally:
                _remove(file, target)


def hand_over(file: BinaryIO, target: Entry) -> None:
    """Rename a temporary file to its target, locked to the last so that nobody takes it for a stray."""
    if fcntl is None:
        file.close()
    _named(file, target).replace(target)


def clear_strays(target: Entry) -> None:
    """Remove what runs that were killed have left beside a target that is not to be written."""
    for place in _places(target):
        _clear(place)


def _named(file: BinaryIO, target: Entry) -> Entry:
    return target.beside(os.path.join(os.path.dirname(target.path), os.path.basename(file.name)))


def _remove(file: BinaryIO, target: Entry) -> None:
    """Remove our file, if it still has its name, which may be that of another run's by now."""
    entry = _named(file, target)
    with suppress(OSError):
        if fcntl is None:
            file.close()
            entry.unlink()
        elif _is_at(file.fileno(), entry):
            entry.unlink()


def _places(target: Entry) -> Iterator[Entry]:
    folder, name = os.path.split(target.path)
    # Names that begin alike are told apart by their sum.
    summed = f"{crc32(os.fsencode(name)):08X}"
    for place in range(PLACES):
        yield target.beside(os.path.join(folder, f".{name[:_NAME_KEPT]}.{summed}-{place}{TEMPORARY}"))


class _Synced(FileIO):
    """A file whose content goes to the disk while it is written.

    Nobody can stop a process that waits until all of a large file is on a slow disk.
    """

    _unsynced = 0

    def write(self, data: Any, /) -> int:
        """Write, and wait for the disk if much has been written since that was done last."""
        written = super().write(data)
        self._unsynced += written
        if self._unsynced >= _SYNCED_BYTES:
            self._unsynced = 0
            _sync(self.fileno())
        return written


_sync = getattr(os, "fdatasync", os.fsync)


def _claimed(place: Entry, mode: int) -> BinaryIO | None:
    """Make a file and lock it; None where another run has it, or took it for a stray before it was locked."""
    try:
        file = BufferedWriter(_Synced(place.name, "xb", opener=lambda _, flags: place.open(flags, mode)))
    except FileExistsError:
        return None
    if _lock(file.fileno(), without_locks=True) and _is_at(file.fileno(), place):
        return file
    file.close()
    return None


def _clear(place: Entry) -> None:
    """Remove the file of a run that was killed, if there is one."""
    with suppress(OSError):
        if fcntl is None:
            place.unlink()
            return
        descriptor = place.open(os.O_RDWR | NO_LINK)
        try:
            if _lock(descriptor, without_locks=False) and _is_at(descriptor, place):
                place.unlink()
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


def _is_at(descriptor: int, entry: Entry) -> bool:
    """Return whether an entry is still that of this file, and it is a regular one."""
    opened = os.fstat(descriptor)
    try:
        return stat.S_ISREG(opened.st_mode) and os.path.samestat(opened, entry.own_status())
    except FileNotFoundError:
        return False
