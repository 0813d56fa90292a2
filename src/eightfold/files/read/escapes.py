r"""Finding the escapes of unpaired surrogates in the JSON of a file, together with what is ill-formed in it.

What an escape is, is in :mod:`eightfold.jsonescapes`. Segments are cut where no escape is open, so that each can be
examined apart. The JSON path of an escape depends on everything before it. It is found in one pass over the file, which
ends with the last escape: where a file can be read at any offset, nothing of it is read for paths before there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from eightfold._engine import bind
from eightfold.faults import ESCAPED_SURROGATE, EscapedSurrogateFault, Severity
from eightfold.files import SHRUNK, FileError
from eightfold.files.read.places import Places
from eightfold.files.read.reading import CHUNK_BYTES, Source
from eightfold.files.read.segments import stands_alone
from eightfold.forms import Form, Row
from eightfold.forms.utf_8 import UTF_8
from eightfold.jsonescapes import ALPHABET, ESCAPE_BYTES, Unpaired, unpaired_escapes
from eightfold.jsonpath import KEY_BYTES, JsonPosition
from eightfold.seam import longest_row
from eightfold.stream import Converter, Located
from eightfold.text import LinePosition, decode_code_points, encode_code_points

_IN_ESCAPES = frozenset(ALPHABET)
_ASCII = Form("ascii", [Row(0, 0x7F, (0, 0x7F))], source="RFC 20")
_AT_ONCE = 4096
"""How many escapes of a segment are found ahead."""
Start = tuple[str, int, int, int]
"""The form that was asked for, the offset of a segment in the file, and its line and column there."""


class JsonReading(NamedTuple):
    """How the JSON of a file is read.

    Attributes:
        lines: whether each line is a text of its own.
        severity: that of the faults.
    """

    lines: bool = False
    severity: Severity = "warning"


@lru_cache(maxsize=1024)
def is_between_escapes(form: Form, unit: int) -> bool:
    """Return whether a segment of JSON can end behind a code unit: a whole sequence, behind which no escape is open.

    >>> from eightfold.forms import form
    >>> [is_between_escapes(form("utf-8"), byte) for byte in b'",z3u']
    [True, True, True, False, False]
    """
    return unit not in _IN_ESCAPES and stands_alone(form, unit)


def count_escapes(form: Form, data: bytes) -> Counter[str]:
    """Return how many escapes of unpaired surrogates are in a segment, by kind of fault."""
    text, count, at = narrowed(form, data), 0, 0
    while at < len(text):
        found, at = unpaired_escapes(text, at, _AT_ONCE)
        count += len(found)
    return Counter({ESCAPED_SURROGATE: count} if count else {})


def narrowed(form: Form, data: bytes) -> bytes:
    r"""Return one byte for each code unit of data in a form without signature; ASCII is itself, all else is not.

    >>> from eightfold.forms import form
    >>> narrowed(form("utf-16-le"), "{é😀}".encode("utf-16-le"))
    b'{???}'
    """
    if form.unit_bytes == 1:
        return data
    return encode_code_points(decode_code_points(data, _units_of(form), "replace"), _ASCII, "replace")


@lru_cache
def _units_of(form: Form) -> Form:
    last = (1 << form.unit_bits) - 1
    rows = [Row(0, last, (0, last))]
    return Form("code-units", rows, unit_bits=form.unit_bits, byte_order=form.byte_order, source="its own units")


class Paths:
    """The JSON paths of places in a file, which are asked for in order.

    Args:
        source: the file.
        form: the form that it is in, without signature.
        start: the offset behind its signature.
        lines: whether each line is a text of its own.
    """

    def __init__(self, source: Source, form: Form, start: int, *, lines: bool) -> None:
        self._source = source
        self._form = form
        self._converter = None if form is UTF_8 else Converter(form, UTF_8, "replace")
        self._key_bytes = KEY_BYTES if form is UTF_8 else KEY_BYTES * longest_row(form)
        self._position = JsonPosition(lines=lines)
        self._reached = self._known = start
        self._reads_behind = source.reads_anywhere
        self._at_once = lines or not self._reads_behind

    def of(self, data: bytes, starts: Sequence[int]) -> list[str]:
        """Return the paths of some offsets in the current segment.

        Raises:
            FileError: what is before it cannot be read again.
        """
        while self._known < self._reached:
            self._pass_over(self._again(), 0)
        if self._converter is not None:
            return [self._converted(data, start) for start in starts]
        start, self._known = self._known - self._reached, self._reached + starts[-1]
        return self._position.paths(data, start, starts, partial(self._rest, data))

    def _converted(self, data: bytes, start: int) -> str:
        self._pass_over(data, self._known - self._reached, start)
        return self._position.paths(b"", 0, [0], lambda _: self._rest(data, start))[0]

    def _rest(self, data: bytes, start: int) -> bytes:
        """Return what follows an offset, behind the segment too if the file can be read anywhere."""
        rest = data[start : start + self._key_bytes]
        if len(rest) < self._key_bytes and self._reads_behind:
            rest += self._source.window(self._reached + len(data), self._key_bytes - len(rest))
        # A sequence that is cut at the end is left out: it is not ill-formed.
        return rest if self._form is UTF_8 else Converter(self._form, UTF_8, "replace").convert(rest)

    def leave(self, data: bytes) -> None:
        """Go on behind the current segment."""
        if self._at_once:
            self._pass_over(data, self._known - self._reached)
        self._reached += len(data)

    def _again(self) -> bytes:
        data = self._source.window(self._known, min(CHUNK_BYTES, self._reached - self._known))
        if not data:
            raise FileError(self._source.path, SHRUNK)
        return data

    def _pass_over(self, data: bytes, start: int, end: int | None = None) -> None:
        end = len(data) if end is None else end
        self._known += end - start
        if self._converter is not None:
            data = self._converter.convert(data[start:end])
            start, end = 0, len(data)
        self._position.pass_over(data, start, end)


class Escapes:
    """The escapes of one segment.

    Args:
        form: the form of the file, without signature.
        data: the segment.
    """

    def __init__(self, form: Form, data: bytes) -> None:
        self.data: bytes = data
        self._form = form
        self._text = narrowed(form, data)
        self._ahead = unpaired_escapes(self._text, 0, _AT_ONCE)

    def __bool__(self) -> bool:
        return bool(self._ahead[0])

    def located(self, start: Start, paths: Paths, severity: Severity) -> Iterator[Located]:
        """Yield them as faults, in order.

        Args:
            start: where the segment begins.
            paths: the paths in the file, of which this is the current segment.
            severity: that of the faults.

        Raises:
            FileError: as for :meth:`Paths.of`.
        """
        unit = self._form.unit_bytes
        places = EscapesLocated(self._form, self.data, severity, start)
        found, reached = self._ahead
        while found:
            yield from places.of(found, paths.of(self.data, [at * unit for at, _, _ in found]))
            found, reached = unpaired_escapes(self._text, reached, _AT_ONCE)


@bind
class EscapesLocated:
    """Makes faults of the escapes of a segment, some after the other, with their places.

    Args:
        form: the form of the file, without signature.
        data: the segment.
        severity: that of the faults.
        start: where the segment begins.
    """

    def __init__(self, form: Form, data: bytes, severity: Severity, start: Start) -> None:
        self._name, self._offset, line, column = start
        self._unit = form.unit_bytes
        self._data = data
        self._severity = severity
        self._places = Places(form, data, line, column)

    def of(self, found: Sequence[Unpaired], paths: Sequence[str]) -> list[Located]:
        """Return the next escapes as faults; each has its path."""
        return [self._located(at * self._unit, point, path) for (at, point, _), path in zip(found, paths, strict=True)]

    def _located(self, start: int, code_point: int, path: str) -> Located:
        end = start + ESCAPE_BYTES * self._unit
        fault = EscapedSurrogateFault(
            ESCAPED_SURROGATE, self._name, self._offset + start, self._offset + end, self._data[start:end], code_point,
            severity=self._severity, json_path=path,
        )  # fmt: skip
        return Located(fault, *self._places.of(start))


class EscapeChecker:
    """Finds the escapes of bytes piece by piece, where they cannot be cut into segments.

    Args:
        form: the form of the bytes, without signature.
        name: the form that was asked for.
        paths: their paths.
        severity: that of the faults.
    """

    def __init__(self, form: Form, name: str, paths: Paths, severity: Severity) -> None:
        self._form = form
        self._name = name
        self._paths = paths
        self._severity = severity
        self._position = LinePosition(form)
        self._held = b""
        self._offset = 0

    def check(self, chunk: bytes, final: bool = False) -> list[Located]:
        """Return the escapes that are decided now."""
        content = self._held + chunk
        unit = self._form.unit_bytes
        whole = len(content) if final else decided_end(self._form, content)
        data, self._held = content[:whole], content[whole:]
        start = self._name, self._offset, self._position.line, self._position.column
        found = list(Escapes(self._form, data).located(start, self._paths, self._severity))
        self._paths.leave(data)
        self._position.pass_over(data[: len(data) - len(data) % unit])
        self._offset += len(data)
        return found


def decided_end(form: Form, data: bytes) -> int:
    r"""Return up to where whole units of data are decided, whatever follows.

    >>> from eightfold.forms import form
    >>> decided_end(form("utf-8"), rb'["\ud83d')
    2
    """
    width = form.unit_bytes
    whole = len(data) - len(data) % width
    _, end = unpaired_escapes(narrowed(form, data[:whole]), final=False)
    return end * width
