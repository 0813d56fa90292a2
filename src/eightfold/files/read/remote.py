"""Remote files: fsspec reads and writes a path with a scheme, such as `s3://` or `https://`; it knows many.

A file from a network is read once, from its beginning, as a pipe is, except by :func:`random_access`. Output is
assembled locally first, so nothing is sent if the work fails. Whether others see a partial upload depends on the
server.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, BinaryIO

from eightfold.extras import installing
from eightfold.files import FileError

_SENT_AT_ONCE = 1024 * 1024
_LONGEST_REASON = 300


def fetched(path: str, length: int) -> io.BufferedReader:
    """Return a remote file for reading.

    Args:
        path: its address.
        length: the number of bytes to read ahead, besides what fsspec reads.

    Raises:
        FileError: it does not exist, or the package that reads it is not installed.
    """
    return io.BufferedReader(_Fetched(path, _opened(path, "rb")), length)


class _Fetched(io.RawIOBase):
    """A remote file, whose every failure is an OSError."""

    def __init__(self, path: str, file: Any) -> None:
        self._path = path
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        with _blaming(self._path):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class _Anywhere(_Fetched):
    """A remote file that is read at any offset."""

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        with _blaming(self._path):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())


def random_access(path: str) -> io.BufferedReader:
    """Return a remote file for reading at any offset, as most services of files allow.

    Raises:
        FileError: as for :func:`fetched`.
    """
    return io.BufferedReader(_Anywhere(path, _opened(path, "rb")), _SENT_AT_ONCE)


def files_under(address: str) -> list[tuple[str, str, int]]:
    """Return the files under an address: for each its own address, its path below, and its size in bytes.

    Raises:
        FileError: they cannot be listed.
    """
    system, root = _system(address)
    with _blaming(address):
        found = system.find(root, detail=True)
        base = root.rstrip("/")
        return [
            (system.unstrip_protocol(name), name[len(base) :].lstrip("/") or name.rpartition("/")[2], each["size"])
            for name, each in found.items()
        ]


def remove_remote(addresses: Iterable[str]) -> None:
    """Remove files, those that exist.

    Raises:
        FileError: one cannot be removed.
    """
    for address in addresses:
        system, inside = _system(address)
        with _blaming(address), suppress(FileNotFoundError):
            system.rm_file(inside)


@contextmanager
def sending(path: str, *, folders: bool = False) -> Iterator[BinaryIO]:
    """Open a file that is sent to a remote address when the block ends without an exception.

    Args:
        path: the address.
        folders: whether to make the folders above it where there are such.

    Raises:
        FileError: it cannot be written.
    """
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as whole:
        yield whole
        whole.seek(0)
        with _blaming(path), _opened(path, "wb", folders=folders) as target:
            shutil.copyfileobj(whole, target, _SENT_AT_ONCE)


def _opened(path: str, mode: str, *, folders: bool = False) -> Any:
    system, inside = _system(path)
    with _blaming(path):
        try:
            return system.open(inside, mode)
        except FileNotFoundError:
            if not folders:
                raise
            system.makedirs(inside.rpartition("/")[0], exist_ok=True)
            return system.open(inside, mode)


def _system(path: str) -> tuple[Any, str]:
    """Return what fsspec calls the file system of an address, and the path in it."""
    try:
        url_to_fs = import_module("fsspec.core").url_to_fs
    except ImportError as error:
        raise FileError(path, f"it is remote; to read it: {installing('remote')}") from error
    scheme, mark, rest = path.partition("://")
    with _blaming(path):
        system, inside = url_to_fs(scheme.lower() + mark + rest)
        return system, inside


@contextmanager
def _blaming(path: str) -> Iterator[None]:
    """Turn any exception of the library behind a scheme into a FileError; each library raises its own."""
    try:
        yield
    except FileError:
        raise
    except NotImplementedError as error:
        raise FileError(path, "this kind of address cannot be written to") from error
    except Exception as error:
        raise FileError(path, _reason(path, error)) from error


def _reason(path: str, error: BaseException) -> str:
    """Return the reason: the exception behind a missing file, if that says more than the file's name."""
    if getattr(error, "errno", None) == errno.ECONNREFUSED:
        return os.strerror(errno.ECONNREFUSED)  # asyncio puts the address into the words of the system.
    if isinstance(status := getattr(error, "status", None), int):
        return f"the server answers {status} {getattr(error, 'message', '')}".rstrip()
    if "InvalidUrl" in type(error).__name__:
        return "not a valid address"
    if isinstance(error, ImportError) and path.lower().startswith(("http:", "https:")):
        return f"to read it: {installing('remote')}"
    said = getattr(error, "strerror", None) or str(error)
    if said and said.strip("/") not in path:
        return _bounded(said)
    if error.__cause__ is not None:
        return _reason(path, error.__cause__)
    return "there is no such file" if isinstance(error, FileNotFoundError) else type(error).__name__


def _bounded(said: str) -> str:
    """Return the first line of a message; some libraries list every place where they have looked for something."""
    first, *more = said.split("\n", 1)
    return first[:_LONGEST_REASON] + " ..." * bool(more or len(first) > _LONGEST_REASON)
