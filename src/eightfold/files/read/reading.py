"""Reading a file or standard input in chunks, so that memory does not grow with it; compressed and remote ones too."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import cast

from eightfold.files import FileError, blaming
from eightfold.files.paths.addresses import is_remote, packing_of
from eightfold.files.paths.entries import Entry

STANDARD_INPUT = "-"
CHUNK_BYTES = 256 * 1024
"""Large enough for a call to cost nothing, and small enough for the nearest caches."""


_BEGINNING_BYTES = 16
"""How many bytes the beginning of a file has: more than any signature."""


class Meter:
    """How much has been read by now, for whoever looks on; of compressed files their own bytes count.

    What is read again does not count again; a file that is done counts as a whole.
    """

    def __init__(self) -> None:
        self.files: int = 0
        self.bytes: int = 0
        self._lock = Lock()

    def add(self, *, files: int = 0, bytes: int = 0) -> None:
        """Count more of both, in whichever thread."""
        with self._lock:
            self.files += files
            self.bytes += bytes


READ = Meter()
"""What this process has read."""


class Source:
    """A file that is being read. Made by :func:`opened`.

    Attributes:
        path: the file as it was given; ``-`` is standard input.
        seekable: whether :meth:`rewind` can go back to its first byte.
        beginning: the first bytes that were read piece by piece, longer than any signature if the file is.
    """

    def __init__(self, path: str, file: io.BufferedReader, read: Callable[[], int] | None = None) -> None:
        """Take a file.

        Args:
            path: its name.
            file: what is read.
            read: how many bytes of it have been read, where that is another number than that of the bytes that come.
        """
        self.path = path
        self._read_of_it = read
        self._moving = Lock()
        self._passed = self._counted = 0
        self._ahead = b""
        self._ended = False
        self.beginning: bytes = b""
        self._file = file
        self.seekable: bool = file.seekable()
        self._start = file.tell() if self.seekable else 0

    def pieces(self, length: int | None = None) -> Iterator[tuple[bytes, bool]]:
        """Yield what is left in chunks, each with False; last no bytes, with True.

        Args:
            length: how many bytes a chunk has at most; :data:`CHUNK_BYTES` where not given.

        Raises:
            FileError: it cannot be read.
        """
        ahead, self._ahead = self._ahead, b""
        for start in range(0, len(ahead), length or CHUNK_BYTES):
            yield ahead[start : start + (length or CHUNK_BYTES)], False
        while chunk := self._read(length or CHUNK_BYTES):
            yield chunk, False
        yield b"", True

    def _read(self, length: int) -> bytes:
        if self._ended and not self.seekable:
            return b""  # A terminal would wait for more.
        with blaming(self.path):
            # What a pipe has now is taken now; `read` would wait until the chunk is full.
            chunk = self._file.read1(length)
        if self._passed == len(self.beginning) < _BEGINNING_BYTES:
            self.beginning += chunk[: _BEGINNING_BYTES - self._passed]
        self._passed += len(chunk)
        self._ended = not chunk
        self._count(self._passed if self._read_of_it is None else self._read_of_it())
        return chunk

    def _count(self, passed: int) -> None:
        if passed > self._counted:
            READ.add(bytes=passed - self._counted)
            self._counted = passed

    def end(self) -> None:
        """Count it as read to its end, of which nobody may have wanted more than the beginning."""
        if not self._ended and self._read_of_it is None:
            self._count(self.length or 0)

    def head(self, length: int) -> bytes:
        """Return the first bytes of what is left, which stay there; of a pipe those that are there, but at least some.

        Raises:
            FileError: they cannot be read.
        """
        if self.seekable:
            return self.window(self._file.tell() - self._start, length)
        while len(self._ahead) < min(length, _BEGINNING_BYTES) and (chunk := self._read(CHUNK_BYTES)):
            self._ahead += chunk
        return self._ahead[:length]

    def window(self, start: int, length: int) -> bytes:
        """Return bytes from an offset on, fewer at the end, and stay where the source is; only of a seekable one.

        Threads can do so at the same time.

        Raises:
            FileError: they cannot be read.
        """
        with blaming(self.path):
            if self.length is not None and hasattr(os, "pread"):
                return os.pread(self._file.fileno(), length, self._start + start)
            with self._moving:
                here = self._file.tell()
                self._file.seek(self._start + start)
                found = self._file.read(length)
                self._file.seek(here)
                return found

    def pass_to(self, offset: int) -> None:
        """Go on from an offset, up to which it has been read by windows; only of a seekable one.

        Raises:
            FileError: that is not possible.
        """
        with blaming(self.path):
            self._file.seek(self._start + offset)
        self._passed = offset
        self._count(offset)

    @property
    def descriptor(self) -> int:
        """The descriptor of the file that is read."""
        return self._file.fileno()

    @property
    def length(self) -> int | None:
        """How many bytes there are now, where the system knows: of a regular file."""
        with suppress(OSError):
            status = os.fstat(self._file.fileno())
            return status.st_size - self._start if stat.S_ISREG(status.st_mode) else None
        return None

    def rewind(self) -> None:
        """Go back to the first byte.

        Raises:
            FileError: it is a pipe, or the like.
        """
        with blaming(self.path):
            self._file.seek(self._start)
        self._passed = 0


@contextmanager
def opened(path: str, *, twice: bool = False, unpack: bool = False, regular: bool = False) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, for reading in chunks; standard input stays open.

    Args:
        path: the file, or the address of a remote one.
        twice: it will be rewound; a pipe, and what is compressed or remote, is copied to a temporary file first.
        unpack: of a file whose name says that it is compressed, what is in it is read.
        regular: refuse pipes, devices and the like before anything is read of them.

    Raises:
        FileError: it cannot be opened, is a folder, or not a regular file where one is due.
    """
    unpack = unpack and bool(packing_of(path))
    file = _standard_input() if path == STANDARD_INPUT else _file(path, regular=regular)
    try:
        source = _content(path, file) if unpack else Source(path, file)
        if twice and (unpack or not file.seekable()):
            with _copied(source) as copy:
                yield copy
        else:
            yield source
        source.end()
    finally:
        READ.add(files=1)
        if path != STANDARD_INPUT:
            file.close()


def _content(path: str, file: io.BufferedReader) -> Source:
    from eightfold.files.read.compression import Unpacked, unpacked

    content = unpacked(path, file, CHUNK_BYTES)
    return Source(path, content, lambda: cast(Unpacked, content.raw).consumed)


@contextmanager
def opened_entry(entry: Entry) -> Iterator[Source]:
    """Open a regular file for reading in chunks.

    Raises:
        FileError: it cannot be opened, or is another kind of file.
    """
    try:
        with _regular(entry) as file:
            source = Source(entry.path, file)
            yield source
            source.end()
    finally:
        READ.add(files=1)


def _file(path: str, *, regular: bool) -> io.BufferedReader:
    if is_remote(path):
        from eightfold.files.read.remote import fetched

        return fetched(path, CHUNK_BYTES)
    if regular:
        return _regular(Entry(path))
    with blaming(path):
        return open(path, "rb")


def _regular(entry: Entry) -> io.BufferedReader:
    with blaming(entry.path):
        return open(entry.open_regular(), "rb")


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:
        raise FileError("standard input", "it is closed")
    return cast(io.BufferedReader, sys.stdin.buffer)


@contextmanager
def _copied(source: Source) -> Iterator[Source]:
    import tempfile

    with tempfile.TemporaryFile() as copy:
        for chunk, _ in source.pieces():
            with blaming(source.path):
                copy.write(chunk)
        copy.seek(0)
        yield Source(source.path, cast(io.BufferedReader, copy), lambda: 0)
