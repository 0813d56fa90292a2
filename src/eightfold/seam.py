r"""The seam of a text file: the place where the text written next meets the bytes that already stand before it.

A form that joins surrogate pairs writes a pair in other bytes than its halves. So a trail must not be written after a
lead that is already in the file: the lead's bytes are replaced by those of the supplementary code point.

Source: WTF-8 section 6.5 (concatenation).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedIOBase
from typing import NamedTuple

from eightfold.cutting import boundary
from eightfold.forms import Form
from eightfold.reference import LEADS, sequence_at, signed, surrogate_at, unit_at

_READ_ONLY = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK"))


class Lead(NamedTuple):
    """A lead surrogate at the end of some bytes, and how many of them are its own."""

    code_point: int
    length: int


class SeamError(Exception):
    """The bytes before the seam cannot be read, or cannot be changed."""


def leads_at_end(form: Form, data: bytes) -> Iterator[Lead]:
    r"""Yield what looks like the lead surrogate at the end of some bytes, by the form's own tables, the shortest first.

    >>> from eightfold.forms import form
    >>> [*leads_at_end(form("wtf-8"), b"a\xed\xa0\xbd")], [*leads_at_end(form("wtf-8"), b"\xed\xb8\x80")]
    ([Lead(code_point=55357, length=3)], [])
    """
    for start in range(len(data) - form.unit_bytes, len(data) - longest_row(form) - 1, -form.unit_bytes):
        ends = (sequence_at(form, data, start), surrogate_at(form, data, start)) if start >= 0 else ()
        points = {found.code_point for found in ends if found is not None and found.end == len(data)}
        yield from (Lead(point, len(data) - start) for point in points if point is not None and point in LEADS)


def may_be_inside(form: Form, data: bytes) -> bool:
    r"""Return whether bytes of whole units may be the inside or the end of a longer sequence, well-formed or not.

    >>> from eightfold.forms import form
    >>> may_be_inside(form("wtf-8"), b"\xed\xa0\xbd"), may_be_inside(form("wtf-8"), b"\xa0\xbd")
    (False, True)
    """
    units = [unit_at(form, data, at) or 0 for at in range(0, len(data), form.unit_bytes)]
    rows = [entry.unit_ranges for entry in (*form.sequences, *form.names)]
    parts = [row[start:] for row in rows for start in range(1, len(row))]
    parts += [(each,) for entry in (*form.units, *form.names) for each in entry.run]
    # What is longer may end with the bytes, or go on behind them.
    return any(all(low <= unit <= high for unit, (low, high) in zip(units, part, strict=False)) for part in parts)


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
        begun: whether text or a signature has been written.
    """

    def __init__(self, binary: BufferedIOBase, path: str | bytes | os.PathLike[str] | int, *, appends: bool) -> None:
        self.continued: bool = False
        self.begun: bool = False
        self._binary = binary
        self._path = path
        self._appends = appends
        self._settled: tuple[int | None, bytes] | None = None

    def settle(self, data: bytes) -> None:
        """Write what an encoder still held: it ends here, and other text may follow."""
        self._binary.write(data)
        self._settled = (self.position(), data) if data else None

    def pass_over(self) -> None:
        """Note that text is written here."""
        self.continued, self.begun, self._settled = True, True, None

    def cut(self, size: int) -> None:
        """Note that the file now ends at ``size`` bytes."""
        if self._settled is not None and size < (self._settled[0] or 0):
            self._settled = None

    def lead(self, asked: Form) -> Lead | None:
        """Return the lead surrogate directly before the seam, or None.

        In a form of a user in which a lead may be the end of a longer sequence, all that precedes it is read.

        Raises:
            SeamError: the file cannot be read there.
        """
        form, _ = signed(asked)
        try:
            data = self._before(longest_row(form))
            for lead in leads_at_end(form, data):
                if not may_be_inside(form, data[-lead.length :]) or self._stands_alone(asked, lead):
                    return lead
        except OSError as error:
            raise SeamError from error
        return None

    def join(self, length: int, pair: bytes) -> None:
        """Replace a lead of so many bytes directly before the seam by the bytes of a pair.

        Raises:
            SeamError: the file cannot be changed there.
        """
        try:
            start = (self.position() or 0) - length
            if self._appends:
                self._binary.truncate(start)
            self._binary.seek(start)
        except OSError as error:
            raise SeamError from error
        self._binary.write(pair)

    def _stands_alone(self, asked: Form, lead: Lead) -> bool:
        """Return whether the bytes of a lead are not part of a longer sequence, by all that precedes the seam."""
        data = self._before(self.position() or 0)
        start = len(data) - lead.length
        return boundary(data, start, asked) == start

    def is_at_start(self) -> bool:
        """Return whether nothing precedes the seam; in a pipe, whether nothing has been written."""
        position = self.position()
        return not (self.begun if position is None else position)

    def position(self) -> int | None:
        """Return where the next bytes go, in bytes from the start; None in a pipe."""
        if not self._binary.seekable():
            return None
        if not self._appends:
            return self._binary.tell()
        self._binary.flush()
        return os.fstat(self._binary.fileno()).st_size

    def _before(self, count: int) -> bytes:
        position = self.position()
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
