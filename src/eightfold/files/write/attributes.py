"""What a new file takes over from the one that it replaces: owner, permissions, access list, extended attributes.

Owner and access list are kept, or the file is not replaced: a file closed to others is never opened to them. Times are
those of the new content. File capabilities are dropped, as by any write to a file.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import BinaryIO

from eightfold.files import FileError
from eightfold.files.paths.entries import Entry

_CAPABILITY = "security.capability"
_ACCESS_LIST = "system.posix_acl_access"
_NOT_TO_BE_KEPT = {getattr(errno, name, None) for name in ("ENOTSUP", "EPERM", "EACCES", "EINVAL", "ENODATA")}


def take_over(file: BinaryIO, path: str, target: Entry, old: os.stat_result) -> None:
    """Give a new file the attributes of the old one.

    Args:
        file: the new file.
        path: the name of the old file in messages.
        target: the old file.
        old: its status.

    Raises:
        FileError: its owner or its access list cannot be kept. OSError: something else failed.
    """
    _keep_owner(file, path, old)
    if hasattr(os, "listxattr"):
        with target.handle() as handle:
            _keep_extended(file.fileno(), handle)
    # Last, because changing the owner or the access list changes permissions.
    os.chmod(file.fileno() if os.chmod in os.supports_fd else file.name, stat.S_IMODE(old.st_mode))


def _keep_owner(file: BinaryIO, path: str, old: os.stat_result) -> None:
    new = os.fstat(file.fileno())
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.chown(file.fileno(), old.st_uid, old.st_gid)
    except OSError as error:
        raise FileError(
            path, f"its owner ({old.st_uid}:{old.st_gid}) cannot be preserved: use -o to write to another file"
        ) from error


def _keep_extended(new: int, old: int | str) -> None:
    kept = [name for name in _names(old) if name != _CAPABILITY]
    if _ACCESS_LIST in _names(new) and _ACCESS_LIST not in kept:
        os.removexattr(new, _ACCESS_LIST)  # The folder's default, which the old file does not have.
    for name in kept:
        _keep_one(new, old, name)


def _keep_one(new: int, old: int | str, name: str) -> None:
    try:
        os.setxattr(new, name, os.getxattr(old, name))
    except OSError as error:
        if name == _ACCESS_LIST or error.errno not in _NOT_TO_BE_KEPT:
            raise


def _names(file: int | str) -> list[str]:
    with suppress(OSError):
        return os.listxattr(file)
    return []
