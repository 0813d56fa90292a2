"""Compressed files: reading and writing their content. The ending of the name decides which files are compressed.

A file may consist of several compressed ones in a row, and zeros may follow, as tapes and block devices leave them.
Anything else behind it is an error, and so is a premature end. Memory does not grow with the content.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

from eightfold.extras import ZSTD, installing
from eightfold.files import FileError
from eightfold.files.paths.addresses import packing_of

_PIECE_BYTES = 64 * 1024
"""The number of bytes of a compressed file that are read at once."""


class Decompressor(Protocol):
    """Reads one of the compressed files in a row, with the interface of the standard library."""

    @property
    def eof(self) -> bool:
        """Whether its end has been read."""

    @property
    def needs_input(self) -> bool:
        """Whether it needs more input to go on."""

    @property
    def unused_data(self) -> bytes:
        """The input behind its end."""

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Accept input, and return at most ``max_length`` bytes of the decompressed data."""


class Compression(NamedTuple):
    """A way to compress.

    Attributes:
        name: its name.
        decompressor: creates a decompressor.
        errors: the exceptions that it raises for broken data.
        writer: creates the file that compresses what is written to it into another one.
    """

    name: str
    decompressor: Callable[[], Decompressor]
    errors: tuple[type[Exception], ...]
    writer: Callable[[BinaryIO], Any]


def _gzip() -> Compression:
    from gzip import GzipFile
    from zlib import error

    # Without a name and a time, the same content gives the same file.
    return Compression("gzip", _Gunzip, (error,), lambda file: GzipFile("", "wb", fileobj=file, mtime=0))


def _bzip2() -> Compression:
    from bz2 import BZ2Decompressor, BZ2File

    return Compression("bzip2", BZ2Decompressor, (OSError,), lambda file: BZ2File(file, "wb"))


def _xz() -> Compression:
    from lzma import FORMAT_XZ, LZMADecompressor, LZMAError, LZMAFile

    return Compression("xz", lambda: LZMADecompressor(FORMAT_XZ), (LZMAError,), lambda file: LZMAFile(file, "wb"))


def _zstd() -> Compression:
    zstd = import_module(ZSTD)
    # Its command writes a checksum; its library does not by default.
    options = {zstd.CompressionParameter.checksum_flag: 1}
    return Compression(
        "zstd", zstd.ZstdDecompressor, (zstd.ZstdError,), lambda file: zstd.ZstdFile(file, "wb", options=options)
    )


_COMPRESSIONS: Mapping[str, Callable[[], Compression]] = {".gz": _gzip, ".bz2": _bzip2, ".xz": _xz, ".zst": _zstd}


def _compression(path: str) -> Compression:
    ending = packing_of(path)
    try:
        return _COMPRESSIONS[ending]()
    except ImportError as error:
        if ending == ".zst" and sys.version_info < (3, 14):
            raise FileError(path, f"it is compressed with zstd; to read it: {installing('zstd')}") from error
        raise FileError(path, f"this Python was built without support for {ending} ({error})") from error


def unpacked(path: str, file: BinaryIO, length: int) -> io.BufferedReader:
    """Return a file with the content of a compressed one.

    Args:
        path: its name, which shows how it is compressed.
        file: the compressed file; it is closed with the other.
        length: the number of bytes to read ahead.

    Raises:
        FileError: the package that reads it is not installed.
    """
    return io.BufferedReader(Unpacked(file, _compression(path)), length)


class Unpacked(io.RawIOBase):
    """The content of a compressed file. Seeking backwards starts again from the beginning.

    Reading raises an OSError if the file is broken, cut short, or followed by anything else.
    """

    def __init__(self, file: BinaryIO, compression: Compression) -> None:
        self._file = file
        self._compression = compression
        self._begin()

    def _begin(self) -> None:
        self._decompressor = self._compression.decompressor()
        self._at = 0
        self.consumed: int = 0
        """The number of bytes read from the compressed file."""

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return whether the compressed file is seekable."""
        return self._file.seekable()

    def tell(self) -> int:
        """Return the position in the content."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to an offset in the content, from its beginning or from the current position."""
        target = offset + (self._at if whence == os.SEEK_CUR else 0)
        if target < self._at:
            self._file.seek(0)
            self._begin()
        while self._at < target and self._next(min(target - self._at, _PIECE_BYTES)):
            pass
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        """Read some bytes; none at the end of the content."""
        found = self._next(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def _next(self, length: int) -> bytes:
        """Return some bytes of the content; none at its end."""
        found = b""
        while not found and (data := self._due()) is not None:
            found = self._decompressed(data, length)
        self._at += len(found)
        return found

    def _decompressed(self, data: bytes, length: int) -> bytes:
        try:
            return self._decompressor.decompress(data, length)
        except self._compression.errors as error:
            raise OSError(f"its {self._compression.name} data is corrupt {self._place} ({error})") from error

    def _due(self) -> bytes | None:
        """Return what to decompress next: nothing if more output of the last input is due; None at the end."""
        if self._decompressor.eof:
            return self._behind(self._decompressor.unused_data)
        if not self._decompressor.needs_input:
            return b""
        if data := self._read():
            return data
        raise OSError(f"its {self._compression.name} data is truncated {self._place}")

    def _behind(self, data: bytes) -> bytes | None:
        """Return the beginning of the next compressed file, without the zeros before it."""
        while not (begun := data.lstrip(b"\0")):
            data = self._read()
            if not data:
                return None
        self._decompressor = self._compression.decompressor()
        return begun

    @property
    def _place(self) -> str:
        return f"after byte {self._at} of the decompressed data"

    def _read(self) -> bytes:
        data = self._file.read(_PIECE_BYTES)
        self.consumed += len(data)
        return data

    def close(self) -> None:
        """Close both files."""
        self._file.close()
        super().close()


class _Gunzip:
    """zlib's decompressor, with the interface of the others."""

    def __init__(self) -> None:
        from zlib import decompressobj

        self._inner = decompressobj(wbits=31)
        self._has_more = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._has_more

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        # More output may be due, though no input is left.
        self._has_more = len(found) == max_length or bool(self._inner.unconsumed_tail)
        return found


@contextmanager
def packing(path: str, file: BinaryIO) -> Iterator[BinaryIO]:
    """Open a file that compresses what is written to it, as its name asks; it is complete when the block ends.

    Raises:
        FileError: the package that writes it is not installed.
    """
    with _compression(path).writer(file) as writer:
        writer.write(b"")  # Else nothing would become a zstd file without a frame, which is cut short.
        yield cast(BinaryIO, writer)
