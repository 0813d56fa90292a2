r"""The line around a fault, with all that a terminal should not be given as escapes.

A byte that is part of no sequence is ``\xHH``; so are ASCII controls, and what else is not printable is ``\uHHHH`` or
``\UHHHHHHHH``. For reading, not for parsing: a backslash of the line itself stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

from eightfold import reference
from eightfold.cli.output.reports.findings import Context
from eightfold.cutting import boundary
from eightfold.faults import ESCAPED_SURROGATE, Fault
from eightfold.files.path_text import escape_of
from eightfold.files.read.reading import Source
from eightfold.files.read.segments import opening
from eightfold.forms import Form
from eightfold.seam import longest_row
from eightfold.stream import Located
from eightfold.text import decode_code_points, faults

_BYTES_AROUND = 48
_MOST_BYTES = 16
"""How many bytes of a fault are shown: only a reserved sequence of Corrected UTF-8 can have more."""
_CUT = "…"
_ESCAPES = tuple(f"\\x{byte:02X}" for byte in range(0x100))


class Lines:
    """The lines of a source that can be read at any offset.

    Args:
        source: the file.
        asked: the form that it is checked in.
    """

    def __init__(self, source: Source, asked: Form) -> None:
        self._source = source
        self._form, _ = opening(source, asked)
        self._longest = longest_row(self._form)
        self._feed = reference.encoded(self._form, 0x0A) or b"\n"
        # Where faults are dense the same few bytes lie between them, and around each of them.
        self._characters = lru_cache(1 << 10)(self._read)

    def around(self, found: Located) -> Context:
        """Return the line around a fault, as far as it is near."""
        fault = found.fault
        length = found.column - 1
        near = min(length, _BYTES_AROUND + self._longest)
        before = self._source.window(fault.start - near, near)
        before = before[self._cut(before, near - _BYTES_AROUND, "right") :]
        rest = self._to_line_end(self._source.window(fault.end, _BYTES_AROUND + self._longest))
        after = rest[: self._cut(rest, _BYTES_AROUND, "left")]
        return Context(
            (_CUT if len(before) < length else "") + self._shown(before),
            self._faulty(fault) + (_CUT if fault.end - fault.start > _MOST_BYTES else ""),
            self._shown(after) + (_CUT if len(after) < len(rest) else ""),
        )

    def _cut(self, data: bytes, offset: int, side: Literal["left", "right"]) -> int:
        """Return where to cut a line near an offset: between sequences, whose bytes would look like faults."""
        offset = max(0, min(offset, len(data)))
        is_cut = 0 < offset < len(data) and not self._form.is_foreign
        return boundary(data, offset, self._form, side) if is_cut else offset

    def _faulty(self, fault: Fault) -> str:
        if fault.kind == ESCAPED_SURROGATE:  # Its bytes are well-formed.
            return self._shown(fault.units)
        return _escaped(fault.units[:_MOST_BYTES])

    def _to_line_end(self, data: bytes) -> bytes:
        width = self._form.unit_bytes
        ends = (at for at in range(0, len(data), width) if data.startswith(self._feed, at))
        return data[: next(ends, len(data))]

    def _shown(self, data: bytes) -> str:
        return "".join(self._parts(data))

    def _parts(self, data: bytes) -> Iterator[str]:
        if self._form.is_foreign:
            yield from _foreign_parts(data, self._form)
            return
        at = 0
        for fault in faults(data, self._form):
            if at < fault.start:
                yield self._characters(data[at : fault.start])
            yield _escaped(data[fault.start : fault.end])
            at = fault.end
        yield self._characters(data[at:])

    def _read(self, data: bytes) -> str:
        return "".join(map(_readable, decode_code_points(data, self._form)))


def _foreign_parts(data: bytes, form: Form) -> Iterator[str]:
    from eightfold.legacy import CharsetDecoder, Piece, charset

    for found in CharsetDecoder(charset(form.name)).pieces(data, final=True):
        yield from (_readable(ord(each)) for each in found.text) if isinstance(found, Piece) else _escaped(found.units)


def _escaped(data: bytes) -> str:
    return "".join(map(_ESCAPES.__getitem__, data))


def _readable(code_point: int) -> str:
    if code_point <= sys.maxunicode and chr(code_point).isprintable():
        return chr(code_point)
    return escape_of(code_point)
