"""Temporary files beside their targets: a lock shows that one is being written; those of killed runs are removed.

A temporary file is named after its target, as one of :data:`PLACES` places: `.NAME.SUM-PLACE.eightfold.tmp`. The file
is locked (`flock`) while its writer lives, so the next run with the same target can distinguish a stray, which has no
lock, from the work of another run, which it leaves alone. Without locks, nothing is considered a stray.
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
from eightfold.files.write.flocks import HAS_LOCKS, locked

PLACES = 8
"""The maximum number of runs that can write to one target at the same time."""
_SYNCED_BYTES = 32 << 20
"""The maximum number of bytes that wait for the disk."""
_NAME_KEPT = 40
"""The number of characters of the target's name in it; with four bytes each it still fits any file system."""

_TOO_LONG = "the path of a temporary file beside it is too long: name a folder above it instead, or a shorter path"


@contextmanager
def temporary_beside(target: Entry, mode: int, *, alone: bool = False) -> Iterator[BinaryIO]:
    """Create a locked file beside the target, removing strays first; it is removed at the end, unless renamed.

    Args:
        target: the file that it will replace; not a symbolic link.
        mode: its permissions, before the process's umask.
        alone: whether no other run that is alone may be writing to this target.

    Raises:
        OSError: it cannot be created, or as many runs as there are places are writing to this target: one, if alone.
    """
    places = list(_places(target))
    for place in places:
        _clear(place)
    if alone:
        del places[1:]
    with signals_held() as let_them_come:
        file = next(filter(None, (_claimed(place, mode) for place in places)), None)
        if file is None:
            runs = "another run is" if alone else f"{PLACES} runs are"
            raise OSError(errno.EBUSY, f"{runs} writing to it at the same time: try again later")
        with file:
            try:
                let_them_come()
                yield file
            finally:
                _remove(file, target)


def hand_over(file: BinaryIO, target: Entry) -> None:
    """Rename a temporary file to its target, keeping the lock so that nobody considers it a stray."""
    if not HAS_LOCKS:
        file.close()
    _named(file, target).replace(target)


def clear_strays(target: Entry) -> None:
    """Remove what killed runs have left beside a target that will not be written."""
    for place in _places(target):
        _clear(place)


def _named(file: BinaryIO, target: Entry) -> Entry:
    return target.beside(os.path.join(os.path.dirname(target.path), os.path.basename(file.name)))


def _remove(file: BinaryIO, target: Entry) -> None:
    """Remove the file, if it still has its name; by now the name may belong to another run's file."""
    entry = _named(file, target)
    with suppress(OSError):
        if not HAS_LOCKS:
            file.close()
            entry.unlink()
        elif _is_at(file.fileno(), entry):
            entry.unlink()


def _places(target: Entry) -> Iterator[Entry]:
    folder, name = os.path.split(target.path)
    # The checksum distinguishes names that begin alike.
    summed = f"{crc32(os.fsencode(name)):08X}"
    for place in range(PLACES):
        yield target.beside(os.path.join(folder, f".{name[:_NAME_KEPT]}.{summed}-{place}{TEMPORARY}"))


class _Synced(FileIO):
    """A file that is written to the disk as it grows.

    A process that waits until all of a large file is on a slow disk cannot be stopped.
    """

    _unsynced = 0

    def write(self, data: Any, /) -> int:
        """Write, and wait for the disk if much has been written since the last wait."""
        written = super().write(data)
        self._unsynced += written
        if self._unsynced >= _SYNCED_BYTES:
            self._unsynced = 0
            _sync(self.fileno())
        return written


_sync = getattr(os, "fdatasync", os.fsync)


def _claimed(place: Entry, mode: int) -> BinaryIO | None:
    """Create and lock a file; None if another run has it, or removed it as a stray before it was locked."""
    try:
        file = BufferedWriter(_Synced(place.name, "xb", opener=lambda _, flags: place.open(flags, mode)))
    except FileExistsError:
        return None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # Its path, as its name fits.
            raise OSError(error.errno, _TOO_LONG) from None
        raise
    if locked(file.fileno()) is not False and _is_at(file.fileno(), place):
        return file
    file.close()
    return None


def _clear(place: Entry) -> None:
    """Remove the file of a killed run, if there is one."""
    with suppress(OSError):
        if not HAS_LOCKS:  # Windows refuses to remove an open file, which is as good as a lock.
            place.unlink()
            return
        descriptor = place.open(os.O_RDWR | NO_LINK)
        try:
            if locked(descriptor) and _is_at(descriptor, place):
                place.unlink()
        finally:
            os.close(descriptor)


def _is_at(descriptor: int, entry: Entry) -> bool:
    """Return whether an entry still refers to this file, and the file is a regular one."""
    opened = os.fstat(descriptor)
    try:
        return stat.S_ISREG(opened.st_mode) and os.path.samestat(opened, entry.own_status())
    except FileNotFoundError:
        return False
