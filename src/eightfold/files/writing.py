"""Writing a file whole or not at all, and standard output.

A new file is written beside the one that it replaces, synced to the disk, and renamed over it when it is whole. Until
then, and if anything fails, the old one is as it was. What this costs: a hard link of the old file keeps the old
content, and extended attributes are not carried over; its permissions are, and where allowed its owner.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from eightfold.files import FileError, blaming, file_error

STANDARD_OUTPUT = "standard output"
_NAME_KEPT = 40
"""Characters of the old name that the temporary one shows; at four bytes each it still fits any file system."""
_NEW_FILE_MODE = 0o666


@contextmanager
def replacing(path: str, backup_suffix: str = "") -> Iterator[BinaryIO]:
    """Open what will be the file at this path when the block ends without an exception.

    A symbolic link is followed: the file that it leads to is replaced, and the link stays. A device or a pipe, which
    cannot be replaced, is written to as it is.

    Args:
        path: the file; it need not exist.
        backup_suffix: where not empty, the old file is kept under its name with this after it.

    Raises:
        FileError: it cannot be written, it is a folder, or the backup exists already. Any OSError of the block is taken
            for one of this file.
    """
    target = os.path.realpath(path)
    with blaming(path):
        old = _status(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with open(target, "wb") as device:
                yield device
            return
        temporary = _name_beside(target)
        try:
            with _created(temporary, old) as file:
                _take_over(temporary, old)
                yield file
                file.flush()
                os.fsync(file.fileno())
            _exchange(temporary, target, backup_suffix if old else "")
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        _sync_folder(os.path.dirname(target))


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _name_beside(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name[:_NAME_KEPT]}.{os.urandom(8).hex()}.tmp")


def _created(temporary: str, old: os.stat_result | None) -> BinaryIO:
    # Born with the permissions of the old file, so that nobody can read it who could not read that one.
    mode = _NEW_FILE_MODE if old is None else stat.S_IMODE(old.st_mode)
    return open(temporary, "xb", opener=lambda path, flags: os.open(path, flags, mode))


def _take_over(temporary: str, old: os.stat_result | None) -> None:
    """Give a file the owner, where that is allowed, and the permissions of the one that it will replace."""
    if old is None:
        return
    if hasattr(os, "chown"):
        with suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, stat.S_IMODE(old.st_mode))


def _exchange(temporary: str, target: str, backup_suffix: str) -> None:
    if not backup_suffix:
        os.replace(temporary, target)
        return
    backup = target + backup_suffix
    if os.path.lexists(backup):
        raise FileError(backup, "the backup exists already: move it away or choose another suffix")
    try:
        _keep(target, backup)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(backup)
        raise


def _keep(target: str, backup: str) -> None:
    """Give the old file a second name; where there are no hard links, that of a copy."""
    try:
        os.link(target, backup)
    except OSError:
        import shutil

        shutil.copy2(target, backup)


def _sync_folder(folder: str) -> None:
    """Make a rename last through a power cut, where the system can: the file is whole either way."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """Open standard output for bytes, and flush it in the end.

    Raises:
        BrokenPipeError: its reader has gone. FileError: it is closed, or cannot be written for another reason.
    """
    if sys.stdout is None:
        raise FileError(STANDARD_OUTPUT, "it is closed")
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise file_error(STANDARD_OUTPUT, error) from error
