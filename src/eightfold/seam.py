r"""The seam of a text file: the place where the text written next meets the bytes that already stand before it.

A form that joins surrogate pairs writes a pair in other bytes than its halves. So a trail must not be written after a
lead that is already in the file: the lead's bytes are replaced by those of the supplementary code point.

Source: WTF-8 section 6.5 (concatenation).
"""

from __future__ import annotations

import os
from io import BufferedIOBase
from typing import NamedTuple

from eightfold.forms import Form
from eightfold.reference import LEADS, encoded, joined, sequence_at, surrogate_at

_READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))


class Lead(NamedTuple):
    """A lead surrogate at the end of some bytes, and how many of them are its own."""

    code_point: int
    length: int


class SeamError(Exception):
    """The bytes before the seam cannot be read, or cannot be changed."""


def lead_at_end(form: Form, data: bytes) -> Lead | None:
    r"""Return the lead surrogate at the end of some bytes, by the form's own tables, or None.

    >>> from eightfold.forms import form
    >>> lead_at_end(form("wtf-8"), b"a\xed\xa0\xbd"), lead_at_end(form("wtf-8"), b"\xed\xb8\x80")
    (Lead(code_point=55357, length=3), None)
    """
    for start in range(len(data) - form.unit_bytes, len(data) - longest_row(form) - 1, -form.unit_bytes):
        for found in (sequence_at(form, data, start), surrogate_at(form, data, start)) if start >= 0 else ():
            point = None if found is None or found.end < len(data) else found.code_point
            if point is not None and point in LEADS:
                return Lead(point, len(data) - start)
    return None


def longest_row(form: Form) -> int:
    """Return the length of the form's longest sequence, in bytes.

    >>> from eightfold.forms import form
    >>> longest_row(form("wtf-8")), longest_row(form("cesu-8"))
    (4, 6)
    """
    return max(len(row.unit_ranges) for row in form.rows) * form.unit_bytes


class Seam:
    """The place where the next text meets the content of a binary file.

    Args:
        binary: the file. What was written to it need not have reached the disk.
        path: the path that it was opened by, or its descriptor.
        appends: whether everything written goes to the end of the file.

    Attributes:
        continued: whether the encoder that writes next wrote the text before, and so knows its last lead.
    """

    def __init__(self, binary: BufferedIOBase, path: str | bytes | os.PathLike[str] | int, *, appends: bool) -> None:
        self.continued: bool = False
        self._binary = binary
        self._path = path
        self._appends = appends
        self._settled: tuple[int | None, bytes] | None = None

    def settle(self, data: bytes) -> None:
        """Write what an encoder still held: it ends here, and other text may follow."""
        self._binary.write(data)
        self._settled = (self._position(), data) if data else None

    def pass_over(self) -> None:
        """Note that text is written here."""
        self.continued, self._settled = True, None

    def cut(self, size: int) -> None:
        """Note that the file now ends at ``size`` bytes."""
        if self._settled is not None and size < (self._settled[0] or 0):
            self._settled = None

    def lead(self, form: Form) -> Lead | None:
        """Return the lead surrogate directly before the seam, or None.

        Raises:
            SeamError: the file cannot be read there.
        """
        try:
            return lead_at_end(form, self._before(longest_row(form)))
        except OSError as error:
            raise SeamError from error

    def join(self, form: Form, lead: Lead, trail: int) -> None:
        """Replace a lead directly before the seam by the supplementary code point of the pair.

        Raises:
            SeamError: the file cannot be changed there.
        """
        pair = encoded(form, joined(lead.code_point, trail))
        assert pair is not None  # a form that joins pairs writes them
        try:
            start = (self._position() or 0) - lead.length
            if self._appends:
                self._binary.truncate(start)
            self._binary.seek(start)
        except OSError as error:
            raise SeamError from error
        self._binary.write(pair)

    def _position(self) -> int | None:
        """Return where the next bytes go, in bytes from the start; None in a pipe."""
        if not self._binary.seekable():
            return None
        if not self._appends:
            return self._binary.tell()
        self._binary.flush()
        return os.fstat(self._binary.fileno()).st_size

    def _before(self, count: int) -> bytes:
        position = self._position()
        if self._settled is not None and self._settled[0] == position:
            return self._settled[1]
        if not position:  # The beginning; that of a pipe is where it was opened.
            return b""
        start = max(position - count, 0)
        read = self._read if self._binary.readable() else self._read_again
        return read(start, position - start)

    def _read(self, start: int, count: int) -> bytes:
        here = self._binary.tell()
        self._binary.seek(start)
        try:
            return self._binary.read(count)
        finally:
            self._binary.seek(here)

    def _read_again(self, start: int, count: int) -> bytes:
        """Read from a file that is open for writing only, by opening it again."""
        self._binary.flush()
        own = self._binary.fileno()
        for path in (f"/dev/fd/{own}", self._path):
            data = _read_if_same(path, own, start, count)
            if data is not None:
                return data
        raise OSError("the file cannot be opened for reading")


def _read_if_same(path: str | bytes | os.PathLike[str] | int, own: int, start: int, count: int) -> bytes | None:
    """Return bytes of the file at a path if it is the file already open and can be read, else None."""
    if isinstance(path, int):
        return None
    try:
        descriptor = os.open(path, _READ_ONLY)
    except OSError:
        return None
    try:
        if not os.path.samestat(os.fstat(descriptor), os.fstat(own)):
            return None
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            file.seek(start)
            return file.read(count)
    except OSError:
        return None
    finally:
        os.close(descriptor)
