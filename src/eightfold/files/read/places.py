"""The place of a byte offset in a file, for people: its line and its column."""

from __future__ import annotations

from typing import NamedTuple

from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.text import LinePosition, opening_of


class LineAndColumn(NamedTuple):
    """A line and a column in bytes, both 1-based."""

    line: int
    column: int


class Places:
    r"""The places of offsets in a segment, which are asked for in order.

    Args:
        form: the form of the segment, without signature.
        data: the segment.
        line, column: the place at which it begins.

    >>> from eightfold.forms import form
    >>> places = Places(form("utf-8"), b"two\nthree", 7, 3)
    >>> places.of(1), places.of(6)
    ((7, 4), (8, 3))
    """

    def __init__(self, form: Form, data: bytes, line: int = 1, column: int = 1) -> None:
        self._data = data
        self._position = LinePosition(form, line, column)
        self._passed = 0

    def of(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, none before those that have been asked for."""
        self._position.pass_over(self._data[self._passed : offset])
        self._passed = offset
        return self._position.line, self._position.column


def place_of(source: Source, form: Form, offset: int) -> LineAndColumn | None:
    """Return the place of an offset, as :func:`eightfold.locate` does, by reading the file again; None for a pipe.

    Raises:
        FileError: the file cannot be read.
    """
    if not source.seekable:
        return None
    source.rewind()
    position, left, rest = None, offset, b""
    for chunk, final in source.pieces():
        content = rest + chunk[:left]
        left -= min(left, len(chunk))
        # Only the first chunk can hold a signature; the position takes whole code units.
        position = position or LinePosition(opening_of(form, content)[0])
        whole = len(content) - len(content) % form.unit_bytes
        position.pass_over(content[:whole])
        rest = content[whole:]
        if final or not left:
            return LineAndColumn(position.line, position.column + len(rest))
    return None
