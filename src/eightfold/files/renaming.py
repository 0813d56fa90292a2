"""Renaming files without ever overwriting one, and the log by which that is undone.

A name is taken only where none is: by the one call that looks and renames at once (`renameat2` with RENAME_NOREPLACE on
Linux, `renamex_np` with RENAME_EXCL on macOS, `rename` on Windows). Where the file system lacks it, a file gets the new
name first as a hard link, which fails if the name is taken, and then loses the old one. Where there are no hard links
either, and for folders, the name is looked up first: a file that another program makes in the moment between is
replaced there, a folder only if it is empty.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, BinaryIO, NamedTuple

from eightfold.files import FileError
from eightfold.files.names import as_path, as_text, shown
from eightfold.files.reading import Source
from eightfold.files.records import heading, record, records

KIND = "log of names"
_AT_FDCWD = -100
_NOREPLACE = 1
_EXCLUSIVE = 4
_NAME_MAX = 255
_LACKING = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
_Renamer = Callable[[bytes, bytes], int]


class Renaming(NamedTuple):
    """A file of a folder, by the path that this has at the moment, and the two names, as Python has names of files."""

    folder: str
    old: str
    new: str

    @property
    def old_path(self) -> str:
        """The path before."""
        return os.path.join(self.folder, self.old)

    @property
    def new_path(self) -> str:
        """The path after."""
        return os.path.join(self.folder, self.new)

    def back(self) -> Renaming:
        """Return the way back."""
        return Renaming(self.folder, self.new, self.old)


def obstacle(renaming: Renaming) -> str:
    """Return why a file cannot have its new name; nothing where it can, for all that can be known before.

    >>> obstacle(Renaming("", "a", ".."))
    'every folder has an entry .. already'
    """
    new = os.fsencode(renaming.new)
    if not new:
        return "nothing would be left of the name"
    if renaming.new in (os.curdir, os.pardir):
        return f"every folder has an entry {renaming.new} already"
    for separator in ("/", "\0", os.sep):
        if separator in renaming.new:
            return f"a name cannot hold {shown(separator)}"
    limit = _longest(renaming.folder)
    if len(new) > limit:
        return f"the new name would have {len(new)} bytes, and {limit} is the limit here"
    return "there is a file of that name already" if os.path.lexists(renaming.new_path) else ""


def _longest(folder: str) -> int:
    with suppress(OSError, AttributeError, ValueError):
        return os.pathconf(folder or os.curdir, "PC_NAME_MAX")
    return _NAME_MAX


def rename(renaming: Renaming) -> None:
    """Give a file its new name, where no other file has it.

    Raises:
        FileError: there is one, or the system refuses.
    """
    why = obstacle(renaming)
    if why:
        raise FileError(renaming.old_path, f"{why}: {shown(renaming.new)}")
    try:
        _rename(os.fsencode(renaming.old_path), os.fsencode(renaming.new_path))
    except FileExistsError as error:
        # A file system that takes names for the same which are not, letters of either case say, finds it only now.
        raise FileError(renaming.old_path, f"there is a file of that name already: {shown(renaming.new)}") from error
    except OSError as error:
        raise FileError(renaming.old_path, error.strerror or str(error)) from error


def _rename(old: bytes, new: bytes) -> None:
    exclusive = _exclusive()
    if exclusive is None:
        os.rename(old, new) if os.name == "nt" else _rename_by_link(old, new)
        return
    code = exclusive(old, new)
    if code in _LACKING:
        _rename_by_link(old, new)
    elif code:
        raise OSError(code, os.strerror(code))


@cache
def _exclusive() -> _Renamer | None:
    """Return the system's call that renames and never replaces, which returns 0 or a number of an error."""
    if os.name == "nt":
        return None
    import ctypes

    libc: Any = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        return _told(ctypes.get_errno, lambda old, new: libc.renamex_np(old, new, _EXCLUSIVE))
    if hasattr(libc, "renameat2"):
        return _told(ctypes.get_errno, lambda old, new: libc.renameat2(_AT_FDCWD, old, _AT_FDCWD, new, _NOREPLACE))
    return None


def _told(number: Callable[[], int], call: _Renamer) -> _Renamer:
    return lambda old, new: number() if call(old, new) else 0


def _rename_by_link(old: bytes, new: bytes) -> None:
    if not stat.S_ISDIR(os.lstat(old).st_mode):
        try:
            os.link(old, new, follow_symlinks=False)
        except FileExistsError:
            raise
        except (OSError, NotImplementedError):
            pass  # No hard links here.
        else:
            os.unlink(old)
            return
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(old, new)


def write_log(file: BinaryIO, renamings: Iterable[Renaming]) -> None:
    r"""Write what will be renamed, in this order. Names stand there as XTF-8 text, from which they come back.

    >>> from io import BytesIO
    >>> write_log(file := BytesIO(), [Renaming("", "caf\udce9", "café")])
    >>> file.getvalue().splitlines()[1]
    b'{"folder": "", "old": "caf\\uefe9", "new": "caf\\u00e9"}'
    """
    file.write(heading(KIND))
    for each in renamings:
        file.write(record({name: value and as_text(value) for name, value in each._asdict().items()}))


def read_log(source: Source) -> Iterator[Renaming]:
    """Yield what a log says was to be renamed, in this order.

    Raises:
        FileError: it cannot be read, or is no such log.
    """
    for number, values in records(source, KIND):
        yield _renaming(source, number, values)


def _renaming(source: Source, number: int, values: Any) -> Renaming:
    try:
        folder, old, new = values["folder"], values["old"], values["new"]
        return Renaming(folder and as_path(folder), as_path(old), as_path(new))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileError(source.path, f"line {number}: this is no line of such a log ({error})") from error
