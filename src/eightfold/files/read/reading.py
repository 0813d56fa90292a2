"""Reading a file or standard input in chunks, so memory does not grow with it; compressed and remote files too."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import cast

from eightfold.files import FileError, blaming
from eightfold.files.paths.addresses import is_remote, packing_of
from eightfold.files.paths.entries import Entry, is_one_file
from eightfold.files.paths.roots import Way

STANDARD_INPUT = "-"
CHUNK_BYTES = 256 * 1024
"""Large enough that a call costs nothing, and small enough for the nearest caches."""


_BEGINNING_BYTES = 16
"""The size of the beginning that is kept: longer than any signature."""


class Meter:
    """How much has been read so far, for a progress bar; for a compressed file, its own bytes count.

    Bytes that are read again do not count again; a finished file counts in full.
    """

    def __init__(self) -> None:
        self.files: int = 0
        self.bytes: int = 0
        self._lock = Lock()

    def add(self, *, files: int = 0, bytes: int = 0) -> None:
        """Add to both counts, from any thread."""
        with self._lock:
            self.files += files
            self.bytes += bytes


READ = Meter()
"""What this process has read."""


class Source:
    """A file that is being read; created by :func:`opened`.

    Attributes:
        path: the path as given; ``-`` is standard input.
        seekable: whether :meth:`rewind` can return to its first byte.
        beginning: the first bytes that were read in pieces, longer than any signature if the file is.
    """

    def __init__(self, path: str, file: io.BufferedReader, read: Callable[[], int] | None = None) -> None:
        """Wrap a file.

        Args:
            path: its name.
            file: the file to read.
            read: returns the number of bytes read from it, if that is not the number of bytes that it yields.
        """
        self.path = path
        self._read_of_it = read
        self._moving = Lock()
        self._passed = self._counted = 0
        self._ahead = b""
        self._failure: FileError | None = None
        self._ended = False
        self.beginning: bytes = b""
        self._file = file
        self.seekable: bool = file.seekable()
        self._start = file.tell() if self.seekable else 0

    def pieces(self, length: int | None = None) -> Iterator[tuple[bytes, bool]]:
        """Yield the rest in chunks, each with False; finally no bytes, with True.

        Args:
            length: the maximum size of a chunk; :data:`CHUNK_BYTES` by default.

        Raises:
            FileError: the file cannot be read.
        """
        ahead, self._ahead = self._ahead, b""
        for start in range(0, len(ahead), length or CHUNK_BYTES):
            yield ahead[start : start + (length or CHUNK_BYTES)], False
        if self._failure is not None:
            raise self._failure
        while chunk := self._read(length or CHUNK_BYTES):
            yield chunk, False
        yield b"", True

    def _read(self, length: int) -> bytes:
        if self._ended and not self.seekable:
            return b""  # A terminal would wait for more.
        with blaming(self.path):
            # Take what a pipe has now; `read` would wait until the chunk is full.
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
        """Count the file as read to its end, though the caller may have wanted only the beginning."""
        if not self._ended and self._read_of_it is None:
            self._count(self.length or 0)

    def head(self, length: int) -> bytes:
        """Return the first bytes of the rest without consuming them; from a pipe, those available, but at least some.

        Those before a place that cannot be read are returned; reading on fails there.

        Raises:
            FileError: the first cannot be read.
        """
        if self.reads_anywhere:
            return self.window(self._file.tell() - self._start, length)
        if self.seekable:
            return self._readable(length)
        try:
            while len(self._ahead) < min(length, _BEGINNING_BYTES) and (chunk := self._read(CHUNK_BYTES)):
                self._ahead += chunk
        except FileError as error:
            if not self._ahead:
                raise
            self._failure = error  # What was read before it comes first.
        return self._ahead[:length]

    def _readable(self, length: int) -> bytes:
        """Return the next bytes up to a length, the end, or a place that cannot be read; the position does not move."""
        found = b""
        with blaming(self.path), self._moving:
            here = self._file.tell()
            try:
                while chunk := self._file.read1(length - len(found)):
                    found += chunk
            except OSError:
                if not found:
                    raise
            self._file.seek(here)
        return found

    def window(self, start: int, length: int) -> bytes:
        """Return bytes from an offset on, fewer at the end, without moving the position; for a seekable source only.

        Several threads can do so at the same time.

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
        """Continue from an offset, up to which the file has been read by windows; for a seekable source only.

        Raises:
            FileError: that is not possible.
        """
        with blaming(self.path):
            self._file.seek(self._start + offset)
        self._passed = offset
        self._count(offset)

    @property
    def passed(self) -> int:
        """How many bytes of the content have been read, since the last return to the first."""
        return self._passed

    @property
    def reads_anywhere(self) -> bool:
        """Whether a window costs what its length does; of a compressed file it costs what is before it, too."""
        return self.seekable and self.length is not None

    @property
    def descriptor(self) -> int:
        """The descriptor of the file."""
        return self._file.fileno()

    @property
    def length(self) -> int | None:
        """The current size in bytes, if the system knows it: that of a regular file."""
        with suppress(OSError):
            status = os.fstat(self._file.fileno())
            return status.st_size - self._start if stat.S_ISREG(status.st_mode) else None
        return None

    def rewind(self) -> None:
        """Go back to the first byte.

        Raises:
            FileError: it is a pipe or the like.
        """
        with blaming(self.path):
            self._file.seek(self._start)
        self._passed = 0


def is_read_from(path: str, file: str | int) -> bool:
    """Return whether a path, or ``-`` for standard input, leads to a regular file, which is a path or a descriptor."""
    with suppress(OSError, AttributeError):  # It is closed, or not a file.
        return is_one_file(file, sys.stdin.fileno() if path == STANDARD_INPUT else path)
    return False


def draining_standard_input(paths: Iterable[str]) -> list[str]:
    """Return the paths of which reading uses up standard input: ``-``, and what leads to its pipe or terminal."""
    status = _stream_of_standard_input()

    def leads_there(path: str) -> bool:
        with suppress(OSError, ValueError):  # There is no such file.
            return status is not None and os.path.samestat(status, os.stat(path))
        return False

    return [path for path in paths if path == STANDARD_INPUT or leads_there(path)]


def _stream_of_standard_input() -> os.stat_result | None:
    with suppress(OSError, ValueError, AttributeError):  # It is closed.
        descriptor = sys.stdin.fileno()
        status = os.fstat(descriptor)
        return status if stat.S_ISFIFO(status.st_mode) or os.isatty(descriptor) else None
    return None


@contextmanager
def opened(file: str | Way, *, twice: bool = False, unpack: bool = False, regular: bool = False) -> Iterator[Source]:
    """Open a file, or standard input for ``-``, for reading in chunks; standard input stays open.

    Args:
        file: its path, or the address of a remote one; or the way to a regular file that was found.
        twice: it will be rewound; a pipe, a compressed or a remote file is copied to a temporary file first.
        unpack: if the name shows that the file is compressed, read its content.
        regular: refuse pipes, devices and the like before reading anything from them.

    Raises:
        FileError: the file cannot be opened, is a folder, or is not a regular file though one is required.
    """
    path = file if isinstance(file, str) else file.path
    unpack = unpack and bool(packing_of(path))
    stream = _standard_input() if path == STANDARD_INPUT else _file(file, regular=regular)
    try:
        source = _content(path, stream) if unpack else Source(path, stream)
        if twice and (unpack or not stream.seekable()):
            with _copied(source) as copy:
                yield copy
        else:
            yield source
        source.end()
    finally:
        READ.add(files=1)
        if path != STANDARD_INPUT:
            stream.close()


def _content(path: str, file: io.BufferedReader) -> Source:
    from eightfold.files.read.compression import Unpacked, unpacked

    content = unpacked(path, file, CHUNK_BYTES)
    return Source(path, content, lambda: cast(Unpacked, content.raw).consumed)


@contextmanager
def opened_entry(entry: Entry) -> Iterator[Source]:
    """Open a regular file for reading in chunks.

    Raises:
        FileError: it cannot be opened, or is not a regular file.
    """
    try:
        with _regular(entry) as file:
            source = Source(entry.path, file)
            yield source
            source.end()
    finally:
        READ.add(files=1)


def _file(file: str | Way, *, regular: bool) -> io.BufferedReader:
    if isinstance(file, Way):
        with file.entry() as entry:
            return _regular(entry)
    if is_remote(file):
        from eightfold.files.read.remote import fetched

        return fetched(file, CHUNK_BYTES)
    if regular:
        return _regular(Entry(file))
    with blaming(file):
        return open(file, "rb")


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
