"""Files for pyarrow to write to: it asks for more than the method `write`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Sink:
    """A file to write to, which passes everything on.

    Args:
        write: called with each piece of data.

    >>> parts = []
    >>> sink = Sink(parts.append)
    >>> sink.write(b"data"), sink.tell(), parts
    (4, 4, [b'data'])
    """

    closed: bool = False

    def __init__(self, write: Callable[[Any], object]) -> None:
        self._write = write
        self._bytes = 0

    def write(self, data: Any) -> int:
        """Write all of the data; return how many bytes that is."""
        self._write(data)
        self._bytes += len(data)
        return len(data)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._bytes

    def flush(self) -> None:
        """Do nothing: whoever opened the file flushes it."""

    def close(self) -> None:
        """Do nothing: whoever opened the file closes it."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def readable(self) -> bool:
        """Return False."""
        return False

    def seekable(self) -> bool:
        """Return False."""
        return False


class HeldEnd(Sink):
    """A sink that holds back the rest on request.

    >>> sink = HeldEnd(print)
    >>> sink.hold()
    >>> sink.write(b"end"), sink.end
    (3, b'end')
    """

    def __init__(self, write: Callable[[Any], object]) -> None:
        super().__init__(write)
        self._held: list[bytes] = []

    def hold(self) -> None:
        """Hold back all that follows."""
        self._write = lambda data: self._held.append(bytes(data))

    @property
    def end(self) -> bytes:
        """What was held back."""
        return b"".join(self._held)


__all__ = ["HeldEnd", "Sink"]
