"""Reading a file or standard input in chunks, so that memory does not grow with it; compressed and remote ones too."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

from eightfold.files import FileError, blaming
from eightfold.files.addresses import is_remote, packing_of

STANDARD_INPUT = "-"
CHUNK_BYTES = 256 * 1024
"""Large enough for a call to cost nothing, and small enough for the nearest caches."""


class Source:
    """A file that is being read. Made by :func:`opened`.

    Attributes:
        path: the file as it was given; ``-`` is standard input.
        seekable: whether :meth:`rewind` can go back to its first byte.
    """

    def __init__(self, path: str, file: io.BufferedReader) -> None:
        self.path = path
        self._file = file
        self.seekable = file.seekable()
        self._start = file.tell() if self.seekable else 0

    def pieces(self, length: int | None = None) -> Iterator[tuple[bytes, bool]]:
        """Yield what is left in chunks, each with False; last no bytes, with True.

        Args:
            length: how many bytes a chunk has at most; :data:`CHUNK_BYTES` where not given.

        Raises:
            FileError: it cannot be read.
        """
        while chunk := self._read(length or CHUNK_BYTES):
            yield chunk, False
        yield b"", True

    def _read(self, length: int) -> bytes:
        with blaming(self.path):
            # What a pipe has now is taken now; `read` would wait until the chunk is full.
            return self._file.read1(length)

    def head(self, length: int) -> bytes:
        """Return the first bytes of what is left, which stay there; only of a source that is seekable.

        Raises:
            FileError: they cannot be read.
        """
        return self.window(self._file.tell() - self._start, length)

    def window(self, start: int, length: int) -> bytes:
        """Return bytes from an offset on, fewer at the end, and stay where the source is; only of a seekable one.

        Raises:
            FileError: they cannot be read.
        """
        with blaming(self.path):
            here = self._file.tell()
            self._file.seek(self._start + start)
            found = self._file.read(length)
            self._file.seek(here)
            return found

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


@contextmanager
def opened(path: str, *, twice: bool = False, unpack: bool = False) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, for reading in chunks; standard input stays open.

    Args:
        path: the file, or the address of a remote one.
        twice: it will be rewound; a pipe, and what is compressed or remote, is copied to a temporary file first.
        unpack: of a file whose name says that it is compressed, what is in it is read.

    Raises:
        FileError: it cannot be opened, or is a folder.
    """
    unpack = unpack and bool(packing_of(path))
    file = _standard_input() if path == STANDARD_INPUT else _file(path)
    try:
        if unpack:
            from eightfold.files.compression import unpacked

            file = unpacked(path, file, CHUNK_BYTES)
        if twice and (unpack or not file.seekable()):
            with _copied(path, file) as copy:
                yield Source(path, copy)
        else:
            yield Source(path, file)
    finally:
        if path != STANDARD_INPUT:
            file.close()


def _file(path: str) -> io.BufferedReader:
    if is_remote(path):
        from eightfold.files.remote import fetched

        return fetched(path, CHUNK_BYTES)
    with blaming(path):
        return open(path, "rb")


def _standard_input() -> io.BufferedReader:
    if sys.stdin is None:
        raise FileError("standard input", "it is closed")
    return cast(io.BufferedReader, sys.stdin.buffer)


@contextmanager
def _copied(path: str, file: io.BufferedReader) -> Iterator[io.BufferedReader]:
    import tempfile

    with tempfile.TemporaryFile() as copy:
        for chunk, _ in Source(path, file).pieces():
            with blaming(path):
                copy.write(chunk)
        copy.seek(0)
        yield cast(io.BufferedReader, copy)
