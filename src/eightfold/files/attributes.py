"""What a new file takes over from the one that it replaces: owner, permissions, access list, extended attributes.

Owner and access list are kept, or the file is not replaced: what was closed to others never opens. Times are those of
the new content. File capabilities are dropped, as they are whenever a file is written to.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import BinaryIO

from eightfold.files import FileError

_CAPABILITY = "security.capability"
_ACCESS_LIST = "system.posix_acl_access"
_NOT_TO_BE_KEPT = {getattr(errno, name, None) for name in ("ENOTSUP", "EPERM", "EACCES", "EINVAL", "ENODATA")}


def take_over(file: BinaryIO, target: str, old: os.stat_result) -> None:
    """Give a new file the attributes of the old one at a path.

    Raises:
        FileError: its owner or its access list cannot be kept. OSError: something else.
    """
    _keep_owner(file, target, old)
    _keep_extended(file, target)
    # Last: a change of owner or of the access list changes permissions.
    os.chmod(file.name, stat.S_IMODE(old.st_mode))


def _keep_owner(file: BinaryIO, target: str, old: os.stat_result) -> None:
    new = os.fstat(file.fileno())
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.chown(file.name, old.st_uid, old.st_gid)
    except OSError as error:
        raise FileError(
            target, f"its owner ({old.st_uid}:{old.st_gid}) cannot be kept: write to another file with -o"
        ) from error


def _keep_extended(file: BinaryIO, target: str) -> None:
    if not hasattr(os, "listxattr"):
        return
    kept = [name for name in _names(target) if name != _CAPABILITY]
    if _ACCESS_LIST in _names(file.name) and _ACCESS_LIST not in kept:
        os.removexattr(file.name, _ACCESS_LIST)  # The folder's default, which the old file does not have.
    for name in kept:
        _keep_one(file, target, name)


def _keep_one(file: BinaryIO, target: str, name: str) -> None:
    try:
        os.setxattr(file.name, name, os.getxattr(target, name))
    except OSError as error:
        if name == _ACCESS_LIST or error.errno not in _NOT_TO_BE_KEPT:
            raise


def _names(path: str) -> list[str]:
    with suppress(OSError):
        return os.listxattr(path)
    return []
