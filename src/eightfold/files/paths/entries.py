"""Entries of folders: looked at, opened, renamed and removed by the descriptor of their folder, if there is one.

Each call that takes a path resolves it again, and somebody may place a link on the way between two calls. An entry
whose folder is open stays in that folder, and no link in it is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opening must not wait: nobody may ever open the other end of a pipe."""
BY_DESCRIPTOR = {os.open, os.stat, os.unlink, os.rename, os.link} <= os.supports_dir_fd and bool(NO_LINK)
"""Whether the system has descriptors of folders, and can refuse links."""


class Entry(NamedTuple):
    """A file, by its path or by its name in a folder that is open.

    Attributes:
        path: the whole path.
        folder: the descriptor of its folder; None if the path is used.
    """

    path: str
    folder: int | None = None

    @property
    def name(self) -> str:
        """The argument for calls: the name in the open folder, or the path."""
        return self.path if self.folder is None else os.path.basename(self.path)

    def beside(self, path: str) -> Entry:
        """Return another entry of the folder, by its path."""
        return Entry(path, self.folder)

    def open(self, flags: int, mode: int = 0o777) -> int:
        """Return a descriptor, without waiting for anybody."""
        return os.open(self.name, flags | _AT_ONCE, mode, dir_fd=self.folder)

    def status(self) -> os.stat_result:
        """Return the status of the file; a link is followed if the path is used."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=self.folder is None)

    def own_status(self) -> os.stat_result:
        """Return the status of the entry itself, which may be a link."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    def unlink(self) -> None:
        """Remove the entry."""
        if self.folder is None:
            os.unlink(self.path)
        else:
            os.unlink(self.name, dir_fd=self.folder)

    def replace(self, other: Entry) -> None:
        """Rename the entry to another one of the same folder, which it replaces."""
        if self.folder is None:
            os.replace(self.path, other.path)
        else:
            os.replace(self.name, other.name, src_dir_fd=self.folder, dst_dir_fd=other.folder)

    def link(self, other: Entry) -> None:
        """Give the file another name in the same folder."""
        if self.folder is None:
            os.link(self.path, other.path)
        else:
            os.link(self.name, other.name, src_dir_fd=self.folder, dst_dir_fd=other.folder, follow_symlinks=False)

    def sync_folder(self) -> None:
        """Let the names in the entry's folder survive a power cut, if the system can do that."""
        with suppress(OSError):
            name = os.path.dirname(self.path) if self.folder is None else os.curdir
            descriptor = os.open(name, os.O_RDONLY, dir_fd=self.folder)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def may_be_written(self) -> bool:
        """Return whether this process may write to the file."""
        effective = os.access in os.supports_effective_ids
        return os.access(self.name, os.W_OK, dir_fd=self.folder, effective_ids=effective)

    def is_on_read_only_system(self) -> bool:
        """Return whether nobody may write to the file: its file system is mounted read-only."""
        with suppress(OSError, AttributeError):  # Windows does not say.
            return bool(os.statvfs(self.path).f_flag & os.ST_RDONLY)
        return False

    @contextmanager
    def handle(self) -> Iterator[int | str]:
        """Yield what calls accept that do not know folders: the path, or a descriptor of the file."""
        if self.folder is None:
            yield self.path
            return
        descriptor = self.open_regular()
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def open_regular(self) -> int:
        """Return a descriptor for reading; only a regular file is opened, as far as that can be known beforehand.

        Raises:
            OSError: it is another kind of file, or a link in an open folder.
        """
        check_regular(self.status())
        descriptor = self.open(os.O_RDONLY | (0 if self.folder is None else NO_LINK))
        try:
            check_regular(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def is_one_file(file: str | int, other: str | int) -> bool:
    """Return whether two paths or descriptors lead to the same regular file."""
    with suppress(OSError):
        status = os.stat(file)
        return stat.S_ISREG(status.st_mode) and os.path.samestat(status, os.stat(other))
    return False


def check_regular(status: os.stat_result) -> None:
    """Refuse anything but a regular file.

    Raises:
        OSError: it is something else.
    """
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link, which is not followed")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
