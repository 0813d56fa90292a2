"""The folder for what others must neither read nor write: a key, and locks.

It is `eightfold` in `$XDG_STATE_HOME` (by default `~/.local/state`), on Windows in `%LOCALAPPDATA%`. Nothing in it is
needed for long: without it, runs do not hold each other back, and what an interrupted run has left is not trusted.
Source: XDG Base Directory Specification 0.8.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from functools import cache

from eightfold.files.paths.addresses import TEMPORARY
from eightfold.files.paths.entries import NO_LINK, Entry

_KEY_BYTES = 32
_KEY = f".journals.key{TEMPORARY}"
"""A name that marks the file as this program's, so walking never finds it."""


def private_folder(inside: str = "") -> str | None:
    """Return the folder, or one inside it, creating it if it is missing.

    Returns None if no folder can be had that belongs to this user alone.
    """
    home = _state_home()
    if home is None:
        return None
    path = os.path.join(home, "eightfold")
    try:
        os.makedirs(path, 0o700, exist_ok=True)
        if not _is_private(os.lstat(path)):
            return None
        os.makedirs(os.path.join(path, inside), 0o700, exist_ok=True)
        return os.path.join(path, inside)
    except OSError:
        return None


def _state_home() -> str | None:
    local = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    if os.path.isabs(local):
        return local
    path = os.path.join(os.path.expanduser("~"), ".local", "state")
    return path if os.path.isabs(path) else None


def _is_private(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022


@cache
def key() -> bytes:
    """Return this user's key; if it cannot be stored, one that no other process has."""
    return _kept_key() or os.urandom(_KEY_BYTES)


def keeps_key() -> bool:
    """Return whether a later process of this user will have the same key."""
    return bool(_kept_key())


@cache
def _kept_key() -> bytes:
    folder = private_folder()
    if folder is not None:
        path = os.path.join(folder, _KEY)
        with suppress(OSError):
            return _read(path) or _made(path)
    return b""


def _read(path: str) -> bytes:
    try:
        descriptor = Entry(path).open(os.O_RDONLY | NO_LINK)
    except FileNotFoundError:
        return b""
    with open(descriptor, "rb") as file:
        found = file.read(_KEY_BYTES + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    if len(found) != _KEY_BYTES:
        raise OSError("not a key")
    return found


def _made(path: str) -> bytes:
    """Create the key, unless another process does so first, and return it."""
    from tempfile import mkstemp

    descriptor, name = mkstemp(TEMPORARY, ".", os.path.dirname(path))
    try:
        with open(descriptor, "wb") as file:
            file.write(os.urandom(_KEY_BYTES))
            file.flush()
            os.fsync(descriptor)
        _named(name, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)
    return _read(path)


def _named(name: str, path: str) -> None:
    """Give a file a name that no other file has; if the file system cannot do both at once, do not check."""
    try:
        os.link(name, path)
    except FileExistsError:
        pass
    except OSError:
        os.replace(name, path)
