"""The place of a byte offset in a file, for people: its line and its column."""

from __future__ import annotations

from typing import NamedTuple

from eightfold import reference
from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.text import LinePosition


class LineAndColumn(NamedTuple):
    """A line and a column in bytes, both 1-based."""

    line: int
    column: int


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
        position = position or LinePosition(_announced(form, content))
        whole = len(content) - len(content) % form.unit_bytes
        position.pass_over(content[:whole])
        rest = content[whole:]
        if final or not left:
            return LineAndColumn(position.line, position.column + len(rest))
    return None


def _announced(form: Form, head: bytes) -> Form:
    opening = reference.opening(form, head)
    return form if opening is None else opening[0]
