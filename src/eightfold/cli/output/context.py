r"""The line around a fault, with all that a terminal should not be given as escapes.

A byte that is part of no sequence is ``\xHH``; so are ASCII controls, and what else is not printable is ``\uHHHH`` or
``\UHHHHHHHH``. For reading, not for parsing: a backslash of the line itself stays as it is.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from eightfold import reference
from eightfold.cli.output.reports.findings import Context
from eightfold.cutting import boundary
from eightfold.faults import ESCAPED_SURROGATE, Fault
from eightfold.files.path_text import escape_of
from eightfold.files.read.reading import CHUNK_BYTES, Source
from eightfold.files.read.segments import opening
from eightfold.forms import Form
from eightfold.seam import longest_row
from eightfold.stream import Located
from eightfold.text import decode_code_points, faults

if TYPE_CHECKING:
    from eightfold.legacy import Piece

_BYTES_AROUND = 48
_MOST_BYTES = 16
"""How many bytes of a fault are shown: only a reserved sequence of Corrected UTF-8 can have more."""
_LONGEST_SEQUENCE = 16
"""More bytes than any sequence of a charset has, escape sequences included."""
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
        return Context(
            self._before(fault, found.column - 1),
            self._faulty(fault) + (_CUT if fault.end - fault.start > _MOST_BYTES else ""),
            self._after(fault),
        )

    def _before(self, fault: Fault, length: int) -> str:
        """Return the end of the part of the line before a fault, given the length of that part in bytes."""
        near = min(length, _BYTES_AROUND + self._longest)
        before = self._source.window(fault.start - near, near)
        before = before[self._cut(before, near - _BYTES_AROUND, "right") :]
        return (_CUT if len(before) < length else "") + self._shown(before)

    def _after(self, fault: Fault) -> str:
        """Return the beginning of the part of the line after a fault."""
        rest = self._rest(fault)
        after = rest[: self._cut(rest, _BYTES_AROUND, "left")]
        return self._shown(after) + (_CUT if len(after) < len(rest) else "")

    def _rest(self, fault: Fault) -> bytes:
        """Return the bytes of the line after a fault, or somewhat more of them than are shown."""
        return self._to_line_end(self._source.window(fault.end, _BYTES_AROUND + self._longest))

    def _cut(self, data: bytes, offset: int, side: Literal["left", "right"]) -> int:
        """Return where to cut a line near an offset: between sequences, whose bytes would look like faults."""
        offset = max(0, min(offset, len(data)))
        return boundary(data, offset, self._form, side) if 0 < offset < len(data) else offset

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
        at = 0
        for fault in faults(data, self._form):
            if at < fault.start:
                yield self._characters(data[at : fault.start])
            yield _escaped(data[fault.start : fault.end])
            at = fault.end
        yield self._characters(data[at:])

    def _read(self, data: bytes) -> str:
        return "".join(map(_readable, decode_code_points(data, self._form)))


class _Sequence(NamedTuple):
    """Bytes that are decoded together, and what is shown of them."""

    start: int
    end: int
    shown: str


class CharsetLines(Lines):
    """The lines of a source in a charset. It is decoded from its beginning on, since a charset may have a state.

    The lines are asked for in order. Near a fault, the source is decoded byte by byte, to see where each sequence ends.
    """

    def __init__(self, source: Source, asked: Form) -> None:
        from eightfold.legacy import CharsetDecoder, charset

        super().__init__(source, asked)
        self._decoder = CharsetDecoder(charset(asked.name))
        self._sequences: deque[_Sequence] = deque()
        self._content = b""
        self._at = self._end = 0
        """Where the next byte is in the content, and where the content ends in the source."""

    def _before(self, fault: Fault, length: int) -> str:
        first = fault.start - min(length, _BYTES_AROUND)
        self._pass_to(first - _LONGEST_SEQUENCE)
        self._decode_to(fault.start)
        while self._sequences and self._sequences[0].start < first:
            self._sequences.popleft()
        before = [found for found in self._sequences if found.start < fault.start]
        is_cut = (before[0].start if before else fault.start) > fault.start - length
        return (_CUT if is_cut else "") + "".join(found.shown for found in before)

    def _after(self, fault: Fault) -> str:
        end, line_end = fault.end + _BYTES_AROUND, fault.end + len(self._rest(fault))
        self._decode_to(min(end, line_end) + _LONGEST_SEQUENCE)
        line = [found for found in self._sequences if fault.end <= found.start < line_end]
        after = [found for found in line if found.end <= end]
        return "".join(found.shown for found in after) + (_CUT if len(after) < len(line) else "")

    def _pass_to(self, offset: int) -> None:
        """Decode what is far from all faults; it is not shown."""
        while (count := offset - self._end + len(self._content) - self._at) > 0 and self._has_more():
            chunk = self._content[self._at : self._at + count]
            for _ in self._decoder.pieces(chunk):
                pass
            self._at += len(chunk)

    def _decode_to(self, offset: int) -> None:
        """Decode byte by byte until what begins before an offset is decoded, or to the end."""
        while self._decoder.offset < offset:
            is_last = not self._has_more()
            byte = self._content[self._at : self._at + 1]
            self._at += len(byte)
            self._sequences += map(_sequence, self._decoder.pieces(byte, final=is_last))
            if is_last:
                return

    def _has_more(self) -> bool:
        """Return whether there is a next byte, after reading it."""
        if self._at == len(self._content):
            self._content, self._at = self._source.window(self._end, CHUNK_BYTES), 0
            self._end += len(self._content)
        return self._at < len(self._content)


def _sequence(found: Piece | Fault) -> _Sequence:
    if isinstance(found, Fault):
        return _Sequence(found.start, found.end, _escaped(found.units))
    shown = "".join(_readable(ord(each)) for each in found.text)
    return _Sequence(found.start, found.start + len(found.data), shown)


def _escaped(data: bytes) -> str:
    return "".join(map(_ESCAPES.__getitem__, data))


def _readable(code_point: int) -> str:
    if code_point <= sys.maxunicode and chr(code_point).isprintable():
        return chr(code_point)
    return escape_of(code_point)
