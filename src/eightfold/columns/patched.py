"""A file that ends otherwise than it does on disk, such as a Parquet file with another footer."""

from __future__ import annotations

import io
from typing import Any, BinaryIO


class Patched(io.RawIOBase):
    """A file with another end, for reading.

    Args:
        file: the file.
        start: where its end begins.
        end: the other end.

    >>> Patched(io.BytesIO(b"abcdef"), 3, b"XY").read()
    b'abcXY'
    """

    def __init__(self, file: BinaryIO, start: int, end: bytes) -> None:
        super().__init__()
        self._file, self._start, self._end, self._at = file, start, end, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the offset of the next byte."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move to an offset, and return it."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._start + len(self._end)}[whence]
        self._at = base + offset
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and return how many bytes; fewer than there is room where the other end begins."""
        room = memoryview(buffer).cast("B")
        if self._at < self._start:
            self._file.seek(self._at)
            data = self._file.read(min(len(room), self._start - self._at))
        else:
            data = self._end[self._at - self._start :][: len(room)]
        room[: len(data)] = data
        self._at += len(data)
        return len(data)


__all__ = ["Patched"]
