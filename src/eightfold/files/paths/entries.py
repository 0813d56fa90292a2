"""Entries of folders: what is looked at, opened, renamed or removed, by the descriptor of the folder if it has one.

A path is resolved anew by each call that takes it, and somebody may put a link in its way between two of them. An entry
whose folder is open stays in that folder, and no link in it is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opening waits for nobody: the other end of a pipe may never come."""
BY_DESCRIPTOR = {os.open, os.stat, os.unlink, os.rename, os.link} <= os.supports_dir_fd and bool(NO_LINK)
"""Whether the system knows folders by descriptors, and can refuse links."""


class Entry(NamedTuple):
    """A file, by its path or by its name in a folder that is open.

    Attributes:
        path: the whole path.
        folder: the descriptor of its folder; None where the path is used.
    """

    path: str
    folder: int | None = None

    @property
    def name(self) -> str:
        """What calls take: the name in the folder that is open, or the path."""
        return self.path if self.folder is None else os.path.basename(self.path)

    def beside(self, path: str) -> Entry:
        """Return another entry of the folder, by its path."""
        return Entry(path, self.folder)

    def open(self, flags: int, mode: int = 0o777) -> int:
        """Return a descriptor, which does not wait for anybody."""
        return os.open(self.name, flags | _AT_ONCE, mode, dir_fd=self.folder)

    def status(self) -> os.stat_result:
        """Return what the file is like; a link is followed where the path is used."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=self.folder is None)

    def own_status(self) -> os.stat_result:
        """Return what the entry itself is like, which may be a link."""
        return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)

    def unlink(self) -> None:
        """Remove the entry."""
        if self.folder is None:
            os.unlink(self.path)
        else:
            os.unlink(self.name, dir_fd=self.folder)

    def replace(self, other: Entry) -> None:
        """Rename the entry to another of the same folder, which is replaced."""
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

    def may_be_written(self) -> bool:
        """Return whether this process may write to the file."""
        effective = os.access in os.supports_effective_ids
        return os.access(self.name, os.W_OK, dir_fd=self.folder, effective_ids=effective)

    @contextmanager
    def handle(self) -> Iterator[int | str]:
        """Open what the calls take that know no folders: the path, or a descriptor of the file."""
        if self.folder is None:
            yield self.path
            return
        descriptor = self.open_regular()
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def open_regular(self) -> int:
        """Return a descriptor to read from; nothing but a regular file is opened, as far as that can be known before.

        Raises:
            OSError: it is another kind of file, or a link in a folder that is open.
        """
        check_regular(self.status())
        descriptor = self.open(os.O_RDONLY | (0 if self.folder is None else NO_LINK))
        try:
            check_regular(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def check_regular(status: os.stat_result) -> None:
    """Refuse what is not a regular file.

    Raises:
        OSError: it is something else.
    """
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link, which is not followed")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
