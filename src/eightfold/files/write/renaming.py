"""Renaming files without ever overwriting one, and the log by which that is undone.

A rename must fail if the new name exists. One system call looks and renames at once (`renameat2` with RENAME_NOREPLACE
on Linux, `renameatx_np` with RENAME_EXCL on macOS, `rename` on Windows). If the file system lacks it, the file first
gets the new name as a hard link, which fails if the name exists, and then loses the old one. If there are no hard links
either, and for folders, the name is looked up first: a file that another program creates in between is replaced, a
folder only if it is empty.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, BinaryIO, NamedTuple

from eightfold.files import FileError
from eightfold.files.path_text import as_path, as_text, shown
from eightfold.files.paths.roots import steps
from eightfold.files.read.reading import Source
from eightfold.files.records.json_lines import heading, record, records
from eightfold.text import is_well_formed

KIND = "log of names"
_AT_FDCWD = -100
_AT_FDCWD_DARWIN = -2
_NOREPLACE = 1
_EXCLUSIVE = 4
_NAME_MAX = 255
_LACKING = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_Renamer = Callable[[bytes, bytes, int | None], int]
_Folder = int | None
"""The descriptor of an open folder, or None if names are paths."""


class Renaming(NamedTuple):
    """A file, by the current path of its folder, with its old and its new name as Python represents file names.

    In a log the path is relative to the root (:mod:`eightfold.files.paths.roots`).
    """

    folder: str
    old: str
    new: str

    @property
    def old_path(self) -> str:
        """The path before."""
        return os.path.join(self.folder, self.old)

    def back(self) -> Renaming:
        """Return the reverse renaming."""
        return Renaming(self.folder, self.new, self.old)


def obstacle(renaming: Renaming, folder: _Folder = None) -> str:
    """Return why a file cannot have its new name; empty if it can, as far as can be known beforehand.

    Args:
        renaming: the file and its names.
        folder: the descriptor of its folder, if that is open.

    >>> obstacle(Renaming("", "a", ".."))
    'every folder already has an entry ..'
    """
    new = os.fsencode(renaming.new)
    why_not = "the new name would be empty" if not new else why_no_name(renaming.new)
    if why_not:
        return why_not
    limit = _longest(renaming.folder if folder is None else folder)
    if len(new) > limit:
        return f"the new name would have {len(new)} bytes, and {limit} is the limit here"
    return "a file with that name already exists" if _is_taken(_called(renaming, renaming.new, folder), folder) else ""


def why_no_name(name: str) -> str:
    """Return why a str is not a valid name in a folder; empty if it is one.

    >>> why_no_name("a/b"), why_no_name("a")
    ('a name cannot contain /', '')
    """
    if name in (os.curdir, os.pardir):
        return f"every folder already has an entry {name}"
    for separator in ("/", "\0", os.sep):
        if separator in name:
            return f"a name cannot contain {shown(separator)}"
    return ""


def _longest(folder: str | int) -> int:
    with suppress(OSError, AttributeError, ValueError):
        return os.pathconf(os.curdir if folder == "" else folder, "PC_NAME_MAX")
    return _NAME_MAX


def _called(renaming: Renaming, name: str, folder: _Folder) -> bytes:
    """Return a name as calls take it: a path if the folder is not open."""
    return os.fsencode(os.path.join(renaming.folder, name) if folder is None else name)


def _is_taken(name: bytes, folder: _Folder) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    return True


def is_there(renaming: Renaming, name: str, folder: _Folder = None) -> bool:
    """Return whether the folder of a renaming has an entry with a name."""
    return _is_taken(_called(renaming, name, folder), folder)


def rename(renaming: Renaming, folder: _Folder = None) -> None:
    """Give a file its new name, unless another file has it.

    Args:
        renaming: the file and its names.
        folder: the descriptor of its folder, if that is open.

    Raises:
        FileError: another file has the name, or the system refuses.
    """
    why = obstacle(renaming, folder)
    if why:
        raise FileError(renaming.old_path, f"{why}: {shown(renaming.new)}")
    try:
        _rename(_called(renaming, renaming.old, folder), _called(renaming, renaming.new, folder), folder)
    except FileExistsError as error:
        # A file system that treats different names as equal, such as those that differ in case, reports it only now.
        raise FileError(renaming.old_path, f"a file with that name already exists: {shown(renaming.new)}") from error
    except OSError as error:
        raise FileError(renaming.old_path, error.strerror or str(error)) from error


def _rename(old: bytes, new: bytes, folder: _Folder) -> None:
    exclusive = _exclusive()
    if exclusive is None:
        os.rename(old, new) if os.name == "nt" else _rename_by_link(old, new, folder)
        return
    code = exclusive(old, new, folder)
    if code in _LACKING:
        _rename_by_link(old, new, folder)
    elif code:
        raise OSError(code, os.strerror(code))


@cache
def _exclusive() -> _Renamer | None:
    """Return the system call that renames but never replaces; it returns 0 or an error number."""
    if os.name == "nt":
        return None
    import ctypes

    libc: Any = ctypes.CDLL(None, use_errno=True)
    for name, here, flag in (("renameatx_np", _AT_FDCWD_DARWIN, _EXCLUSIVE), ("renameat2", _AT_FDCWD, _NOREPLACE)):
        if hasattr(libc, name):
            return _by(getattr(libc, name), here, flag, ctypes.get_errno)
    return None


def _by(call: Any, here: int, flag: int, number: Callable[[], int]) -> _Renamer:
    def renamed(old: bytes, new: bytes, folder: _Folder) -> int:
        at = here if folder is None else folder
        return number() if call(at, old, at, new, flag) else 0

    return renamed


def _rename_by_link(old: bytes, new: bytes, folder: _Folder) -> None:
    if not stat.S_ISDIR(os.stat(old, dir_fd=folder, follow_symlinks=False).st_mode):
        try:
            os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            pass  # No hard links here.
        else:
            os.unlink(old, dir_fd=folder)
            return
    if _is_taken(new, folder):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)


def write_log(file: BinaryIO, renamings: Iterable[Renaming]) -> None:
    r"""Write the planned renamings, in this order. Names are written as XTF-8 text, which restores them exactly.

    >>> from io import BytesIO
    >>> write_log(file := BytesIO(), [Renaming("", "caf\udce9", "café")])
    >>> file.getvalue().splitlines()[1]
    b'{"folder": "", "old": "caf\\uefe9", "new": "caf\\u00e9"}'
    """
    file.write(heading(KIND))
    for each in renamings:
        file.write(record({name: value and as_text(value) for name, value in each._asdict().items()}))


def read_log(source: Source) -> Iterator[Renaming]:
    """Yield the renamings in a log, in order; the folders are paths relative to the root.

    Raises:
        FileError: it cannot be read, is not such a log, or an entry leads out of the root.
    """
    for number, values in records(source, KIND):
        yield _renaming(source, number, values)


def _renaming(source: Source, number: int, values: Any) -> Renaming:
    try:
        folder, old, new = (values[name] for name in Renaming._fields)
        if not isinstance(folder, str):
            raise TypeError("a folder is not a string")
        found = Renaming(os.path.join("", *steps(as_path(folder))) if folder else "", _name(old), _name(new))
        # Undoing such a line could create a .git from a folder that came with the tree.
        if is_well_formed(os.fsencode(found.old), "utf-8"):
            raise ValueError(f"'{shown(found.old)}' is UTF-8, so it was not renamed")
        return found
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(source.path, f"line {number}: this is not a line of such a log ({error})") from error


def _name(text: str) -> str:
    name = as_path(text)
    why_not = why_no_name(name)
    if why_not:
        raise ValueError(f"'{shown(name)}' is not a name in a folder: {why_not}")
    return name
