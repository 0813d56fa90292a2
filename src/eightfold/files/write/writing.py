"""Writing a file whole or not at all, and standard output.

A new file is written beside the old one, synced to the disk, and renamed over it when it is complete. Until then, and
if anything fails, the old file is unchanged. Owner, permissions and attributes are kept. What a rename would silently
break is refused: a read-only file, and a file with further names (hard links), which would keep the old content.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, NamedTuple

from eightfold.files import FileError, blaming, file_error
from eightfold.files.paths.entries import Entry, check_regular
from eightfold.files.paths.roots import Way
from eightfold.files.read.reading import is_read_from
from eightfold.files.write.attributes import take_over
from eightfold.files.write.temporary import hand_over, temporary_beside

_STANDARD_OUTPUT = "standard output"
EXISTS = "this file already exists; move it or choose another name"
"""Why a new file is refused."""
_NEW_FILE_MODE = 0o666
_PRIVATE_MODE = 0o600
_MOST_LINKS = 40


class Snapshot(NamedTuple):
    """Shows whether a file is unchanged, as far as its status can show it.

    A change that keeps the size, within the same tick of the file system's clock, goes unnoticed.
    """

    device: int
    inode: int
    size: int
    modified_ns: int


def snapshot(file: Way) -> Snapshot | None:
    """Return the current status of a file; None if it is out of reach, which opening it will report."""
    with suppress(OSError, FileError), file.entry() as entry:
        return _taken(entry.status())
    return None


def snapshot_of(descriptor: int) -> Snapshot:
    """Return the status of an open file."""
    return _taken(os.fstat(descriptor))


def _taken(status: os.stat_result) -> Snapshot:
    return Snapshot(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def replacing(
    path: str | Entry,
    backup_suffix: str = "",
    read: Snapshot | None = None,
    *,
    journaled: bool = False,
    new: bool = False,
) -> Iterator[BinaryIO]:
    """Open a file that takes the place of the one at this path when the block ends without an exception.

    A symbolic link is followed: the file behind it is replaced, and the link stays. A device or a pipe, which cannot be
    replaced, is written to directly, and so is a file that is open in this process, such as `/dev/stdout`. None of this
    applies to an entry of an open folder.

    Args:
        path: the file; it need not exist.
        backup_suffix: if not empty, the old file is kept under its name followed by this.
        read: the status of the file when its content was read; if it has changed since, it is not replaced.
        journaled: a journal knows both files and outlives the rename: see :meth:`Journals.sync`; otherwise the folder
            is synced, so that the rename survives a power cut.
        new: whether the block runs only if there is no file yet, and no other run that writes a new one there.

    Raises:
        FileError: the file cannot be written, must not be replaced, is a folder, or its backup exists already. Any
            OSError raised in the block is attributed to this file.
    """
    target = path if isinstance(path, Entry) else Entry(os.path.realpath(path))
    called = path.path if isinstance(path, Entry) else path
    with blaming(called):
        # A file that was read is replaced: its result would be written behind it.
        if target is not path and read is None and (descriptor := _open_file(called)) is not None:
            with open(os.dup(descriptor), "wb") as own:
                yield own
            return
        old = _status(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with _device(target, old) as device:
                yield device
            return
        backup = target.beside(target.path + backup_suffix) if old and backup_suffix else None
        if old is not None and not new:
            _check_replaceable(called, target, old, backup)
        with temporary_beside(target, _NEW_FILE_MODE if old is None else _PRIVATE_MODE, alone=new) as file:
            # Only now: another run may have been writing it until then.
            if new and _status(target) is not None:
                raise FileError(called, EXISTS)
            yield file
            file.flush()
            if old is not None:
                take_over(file, called, target, old)
            os.fsync(file.fileno())
            _check_unchanged(called, target, read)
            with _kept(target, backup, called + backup_suffix):
                hand_over(file, target)
        if not journaled:
            target.sync_folder()


def is_written_at_once(path: str) -> bool:
    """Return whether what is written to a path goes there at once: see :func:`replacing` on devices and open files."""
    with suppress(OSError):
        return _open_file(path) is not None or not stat.S_ISREG(os.stat(path).st_mode)
    return False


def leads_to_standard_output(path: str) -> bool:
    """Return whether a path leads to the open file that is standard output, as `/dev/stdout` does."""
    with suppress(OSError, AttributeError):  # It is closed, or not a file.
        return _open_file(path) == sys.stdout.fileno()
    return False


def _open_file(path: str) -> int | None:
    """Return the descriptor of an open file of this process that a path leads to, as those in `/dev/fd` do."""
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder)
        if folder in (f"/proc/{os.getpid()}/fd", "/dev/fd"):
            return int(name) if os.path.exists(path) and name.isdigit() else None
        try:
            path = os.path.join(folder, os.readlink(path))
        except OSError:
            return None
    return None


def _device(target: Entry, status: os.stat_result) -> BinaryIO:
    if target.folder is not None:
        check_regular(status)
    return open(target.path, "wb")


def _status(target: Entry) -> os.stat_result | None:
    try:
        return target.status()
    except FileNotFoundError:
        return None


def _check_replaceable(path: str, target: Entry, old: os.stat_result, backup: Entry | None) -> None:
    if not old.st_mode & 0o222:
        raise FileError(path, "it is read-only: make it writable first, or use -o to write to another file")
    if not target.may_be_written():
        is_system = target.is_on_read_only_system()
        why = "its file system is read-only" if is_system else "you do not have permission to write to it"
        raise FileError(path, f"{why}: use -o to write to another file")
    others = old.st_nlink - 1 - _is_same(target, backup)
    if others > 0:
        raise FileError(
            path,
            f"it has {others + 1} names (hard links), and only one of them would change: "
            "use -o to write to another file",
        )


def _check_unchanged(path: str, target: Entry, read: Snapshot | None) -> None:
    if read is None:
        return
    now = _status(target)
    if now is None or _taken(now) != read:
        raise FileError(path, "another program changed it while it was being read: nothing was written, try again")


@contextmanager
def _kept(target: Entry, backup: Entry | None, called: str) -> Iterator[None]:
    """Keep the target's file under the name of its backup, unless the block fails before it replaces that file."""
    if backup is None:
        yield
        return
    _keep(target, backup, called)
    old = target.own_status()
    try:
        yield
    except BaseException:
        # A signal may come just after the rename: then the backup is all that is left of the old file.
        with suppress(OSError):
            if os.path.samestat(target.own_status(), old):
                backup.unlink()
        raise


def _keep(target: Entry, backup: Entry, called: str) -> None:
    """Give the old file a second name; if there are no hard links, copy it."""
    if _is_same(target, backup):
        return  # A run was killed after this step.
    if _exists(backup):
        raise _backup_exists(called)
    try:
        target.link(backup)
    except FileExistsError as error:
        raise _backup_exists(called) from error
    except OSError:
        _copy(target, backup)


def _exists(entry: Entry) -> bool:
    with suppress(FileNotFoundError):
        return bool(entry.own_status())
    return False


def _backup_exists(backup: str) -> FileError:
    return FileError(backup, "the backup already exists: move it or choose another suffix")


def _is_same(target: Entry, backup: Entry | None) -> bool:
    try:
        return backup is not None and os.path.samestat(target.own_status(), backup.own_status())
    except OSError:
        return False


def _copy(target: Entry, backup: Entry) -> None:
    from shutil import copyfileobj

    with temporary_beside(backup, _PRIVATE_MODE) as file:
        with open(target.open_regular(), "rb") as old:
            status = os.fstat(old.fileno())
            copyfileobj(old, file)
        file.flush()
        take_over(file, backup.path, target, status)
        times = status.st_atime_ns, status.st_mtime_ns
        os.utime(file.fileno() if os.utime in os.supports_fd else file.name, ns=times)
        os.fsync(file.fileno())
        hand_over(file, backup)


def check_not_output(path: str) -> None:
    """Refuse to read a file, or ``-`` for standard input, that standard output goes to: its end would never come.

    Raises:
        FileError: it does.
    """
    with suppress(OSError, AttributeError):  # It is closed, or not a file.
        output = sys.stdout.fileno()
        if is_read_from(path, output) and os.fstat(output).st_size > 0:
            raise FileError(path, "standard output goes to this file too: write to another file")


def output_identity() -> tuple[int, int] | None:
    """Return the device and the inode of the regular file that standard output goes to; None if it is not one."""
    with suppress(OSError, AttributeError):  # It is closed, or not a file.
        status = os.fstat(sys.stdout.fileno())
        return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None
    return None


@contextmanager
def standard_output() -> Iterator[BinaryIO]:
    """Open standard output for bytes, and flush it at the end.

    Raises:
        BrokenPipeError: its reader has gone. FileError: it is closed, or cannot be written for another reason.
    """
    if sys.stdout is None:
        raise FileError(_STANDARD_OUTPUT, "it is closed")
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise file_error(_STANDARD_OUTPUT, error) from error
