"""Locking an open file (`flock`), where the system has such locks; it releases one when its process ends."""

from __future__ import annotations

import os

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

HAS_LOCKS = fcntl is not None
"""Whether the system has such locks, though perhaps not on every file system."""


def locked(descriptor: int, *, shared: bool = False) -> bool | None:
    """Lock an open file without waiting.

    Args:
        descriptor: the file.
        shared: let others lock it too, if they share it.

    Returns:
        whether that succeeded: False if another has locked it, None if there are no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # ENOLCK, ENOTSUP and the like
        return None
    return True


def is_at(descriptor: int, path: str) -> bool:
    """Return whether an open file is still at a path: another run may have removed it before it was locked."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    except FileNotFoundError:
        return False
