"""Finding all faults of one file in one pass: piece after piece, or in segments that threads scan at once.

A segment ends behind a unit that is a whole sequence by itself and part of no other, such as an ASCII byte in UTF-8:
nothing that is before it can change what is behind it, so the faults of the segments are those of the whole. Where a
piece has no such unit (text without any ASCII, or bytes that are no text) the rest of the file is scanned in order, and
so are documents of Corrected UTF-8, which have rules about the file as a whole.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple, Protocol

from eightfold import reference
from eightfold.files import FileError
from eightfold.files.reading import Source
from eightfold.forms import Form
from eightfold.run import well_formed_end
from eightfold.stream import Checker, Located
from eightfold.text import LinePosition

SEGMENT_BYTES = 1024 * 1024
LARGE_BYTES = 8 * SEGMENT_BYTES
"""A file of this size is worth the start of threads."""
_NEAR_BYTES = 4096
_DOCUMENT = "corrected-utf-8-sig"


class FaultFinder(Protocol):
    """Finds the faults of a file piece by piece."""

    def check(self, chunk: bytes, final: bool = False) -> list[Located]:
        """Return the faults that are certain now, with their places in the whole file."""


def checker_of(form: Form) -> FaultFinder:
    """Return what finds the faults of a file: its form's, and those of a document where the form has rules on them."""
    if form.name == _DOCUMENT:
        from eightfold.corrected import Linter

        return Linter()
    return Checker(form)


def faults_in(source: Source, form: Form, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of what is left of a source, in order, with their places; whatever the number of threads.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    if threads > 1 and form.name != _DOCUMENT and (source.length or 0) >= LARGE_BYTES:
        yield from _in_segments(source, form, threads)
        return
    checker = checker_of(form)
    for chunk, final in source.pieces():
        yield from checker.check(chunk, final)


class Scan(NamedTuple):
    """What a segment came to.

    Attributes:
        found: its faults, with their places in it.
        length: how many bytes it has.
        line: the line of the byte behind it, where its first byte is in line 1.
        column: the column of that byte, likewise.
    """

    found: list[Located]
    length: int
    line: int
    column: int


def scanned(form: Form, data: bytes) -> Scan:
    r"""Return the faults of a segment, and where it ends. This is all that is done to each byte of a large file.

    >>> from eightfold.forms import form
    >>> scan = scanned(form("utf-8"), b"one\ntwo")
    >>> scan.found, scan.length, scan.line, scan.column
    ([], 7, 2, 4)
    """
    position = LinePosition(form)
    position.pass_over(data)
    clean = well_formed_end(form, data, 0, final=True) == len(data)
    return Scan([] if clean else Checker(form).check(data, final=True), len(data), position.line, position.column)


class _Place:
    """How far a file has been scanned."""

    def __init__(self, form: str, offset: int) -> None:
        self._form = form
        self._offset = offset
        self._line = 1
        self._column = 1 + offset

    def moved(self, found: Iterable[Located]) -> Iterator[Located]:
        """Yield faults with places from here on as faults of the whole file."""
        for fault, line, column in found:
            column += self._column - 1 if line == 1 else 0
            yield Located(fault.moved(self._offset).renamed(self._form), line + self._line - 1, column)

    def pass_over(self, scan: Scan) -> None:
        """Go on behind a segment."""
        self._offset += scan.length
        self._column = scan.column + (self._column - 1 if scan.line == 1 else 0)
        self._line += scan.line - 1


def _in_segments(source: Source, form: Form, threads: int) -> Iterator[Located]:
    from concurrent.futures import Future, ThreadPoolExecutor

    pieces = source.pieces(SEGMENT_BYTES)
    head, _ = next(pieces)
    opening = reference.opening(form, head)
    assert opening is not None  # a large file has more bytes than any signature
    plain, signature_length = opening
    place = _Place(form.name, signature_length)
    segments = _Segments(plain, chain([(head[signature_length:], False)], pieces))
    due: deque[Future[Scan]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for data in segments:
            due.append(pool.submit(scanned, plain, data))
            if len(due) > 2 * threads:
                yield from _taken(due.popleft().result(), place)
        while due:
            yield from _taken(due.popleft().result(), place)
    checker = Checker(plain)
    for chunk, final in segments.rest():
        yield from place.moved(checker.check(chunk, final))


def _taken(scan: Scan, place: _Place) -> Iterator[Located]:
    yield from place.moved(scan.found)
    place.pass_over(scan)


class _Segments:
    """The segments of a file, each a piece less what is behind its last unit that stands alone; and what is left."""

    def __init__(self, form: Form, pieces: Iterator[tuple[bytes, bool]]) -> None:
        self._form = form
        self._pieces = pieces
        self._held = b""
        self._failure: FileError | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield segments until a piece cannot be cut, or cannot be read."""
        try:
            for chunk, final in self._pieces:
                data = self._held + chunk
                end = len(data) if final else segment_end(self._form, data)
                self._held = data[end:]
                if not end:
                    return
                yield data[:end]
        except FileError as error:
            self._failure = error

    def rest(self) -> Iterator[tuple[bytes, bool]]:
        """Yield what is left, to be scanned in order.

        Raises:
            FileError: it cannot be read any further.
        """
        yield self._held, False
        if self._failure is not None:
            raise self._failure
        yield from self._pieces


def segment_end(form: Form, data: bytes) -> int:
    r"""Return where bytes of a form without signature can be cut last: behind a unit that stands alone, or 0.

    >>> from eightfold.forms import form
    >>> segment_end(form("utf-8"), b"caf\xc3\xa9"), segment_end(form("utf-16-be"), b"\0a\xd8\x3d\xde\0")
    (3, 2)
    """
    if form.unit_bytes > 1:
        starts = range(len(data) - len(data) % form.unit_bytes - form.unit_bytes, -1, -form.unit_bytes)
        ends = (at + form.unit_bytes for at in starts if stands_alone(form, _unit(form, data, at)))
        return next(ends, 0)
    near = data[-_NEAR_BYTES:].rstrip(_joined_bytes(form))
    return max(0, len(data) - _NEAR_BYTES) + len(near) if near else len(data.rstrip(_joined_bytes(form)))


def _unit(form: Form, data: bytes, start: int) -> int:
    return int.from_bytes(data[start : start + form.unit_bytes], form.byte_order)


@lru_cache
def _joined_bytes(form: Form) -> bytes:
    return bytes(byte for byte in range(256) if not stands_alone(form, byte))


def stands_alone(form: Form, unit: int) -> bool:
    """Say whether a code unit is a whole sequence by itself, well-formed or not, and part of no other.

    >>> from eightfold.forms import form
    >>> [stands_alone(form("utf-8"), byte) for byte in (0x41, 0x80, 0xC3, 0xFF)]
    [True, False, False, True]
    """
    entries = (*form.sequences, *form.names)
    alone = any(_among(unit, entry.unit_ranges) for entry in entries if len(entry.unit_ranges) == 1)
    joined = any(_among(unit, entry.unit_ranges) for entry in entries if len(entry.unit_ranges) > 1)
    return alone and not joined and not (form.run_unit and _among(unit, form.run_unit.run + form.run_unit.unit_ranges))


def _among(unit: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(low <= unit <= high for low, high in ranges)
