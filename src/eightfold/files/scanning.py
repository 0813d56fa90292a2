"""Finding all faults of one file in one pass, in segments: one after the other, or several at once, by threads.

A segment ends behind a unit that is a whole sequence by itself and part of no other, such as an ASCII byte in UTF-8:
nothing that is before it can change what is behind it, so the faults of the segments are those of the whole. Where too
many bytes have no such unit (text without any ASCII, or bytes that are no text) the rest of the file is left to a
checker that carries over what is open, and documents of Corrected UTF-8, which have rules about the file as a whole,
have their own.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TypeVar

from eightfold import reference
from eightfold._engine import CORE
from eightfold.files import FileError
from eightfold.files.reading import Source
from eightfold.forms import Form
from eightfold.forms.definition import Range
from eightfold.stream import Checker, Located
from eightfold.text import LinePosition, faults, tally

SEGMENT_BYTES = 1024 * 1024
"""How long the segments are that threads scan."""
LARGE_BYTES = 8 * SEGMENT_BYTES
"""A file of this size is worth the start of threads."""
FAULTS_AHEAD = 4096
"""How many faults of a segment a thread finds before they are due: each takes hundreds of bytes."""
_HELD_BYTES = 64 * 1024
"""How many bytes are held to see where they can be cut."""
DOCUMENT = "corrected-utf-8-sig"
"""The form that has rules about a file as a whole, and warnings."""

Pieces = Iterator[tuple[bytes, bool]]
"""Bytes one after the other, each with whether they are the last."""
_Result = TypeVar("_Result")


def faults_in(source: Source, form: Form, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of what is left of a source, in order, with their places; whatever the number of threads.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    if form.name == DOCUMENT:
        return _in_document(source)
    number = _worth(source, threads)
    return _in_segments(_pieces(source, number), form, number)


def counts_in(source: Source, form: Form, threads: int = 1) -> Iterator[Counter[str]]:
    """Yield of one part of a source after the other how many faults there are of each kind; quicker than the faults.

    Args:
        source: the file.
        form: any but that of documents, which have warnings too.
        threads: how many may scan at once.

    Raises:
        FileError: it cannot be read; the faults before that have been counted.
    """
    number = _worth(source, threads)
    plain, _, pieces = _opened(form, _pieces(source, number))
    segments = _Segments(plain, pieces)
    yield from _in_order(partial(_counts, plain), segments, number)
    yield Counter(found.fault.kind for found in _checked(plain, segments.rest()))


def _counts(form: Form, data: bytes) -> Counter[str]:
    return Counter(tally(data, form))


def _worth(source: Source, threads: int) -> int:
    """Return how many threads a source is worth."""
    return threads if threads > 1 and (source.length or 0) >= LARGE_BYTES else 1


def _pieces(source: Source, threads: int) -> Pieces:
    return source.pieces() if threads == 1 else source.pieces(SEGMENT_BYTES)


def _in_document(source: Source) -> Iterator[Located]:
    from eightfold.corrected import Linter

    linter = Linter()
    for chunk, final in source.pieces():
        yield from linter.check(chunk, final)


def _in_segments(pieces: Pieces, form: Form, threads: int) -> Iterator[Located]:
    plain, offset, pieces = _opened(form, pieces)
    place, segments = (1, 1 + offset), _Segments(plain, pieces)
    for scan in _in_order(partial(SCAN if threads == 1 else begun, plain), segments, threads):
        yield from scan.behind(form.name, offset, *place)
        offset, place = offset + scan.length, scan.end()
    for found in _checked(plain, segments.rest()):
        yield _moved(found, form.name, offset, *place)


def _moved(found: Located, name: str, offset: int, line: int, column: int) -> Located:
    """Return a fault of bytes that begin at a place as one of the whole input."""
    before = column - 1 if found.line == 1 else 0
    return Located(found.fault.moved(offset).renamed(name), found.line + line - 1, found.column + before)


def _checked(form: Form, pieces: Pieces) -> Iterator[Located]:
    """Yield the faults of pieces that may be cut anywhere."""
    checker = None
    for chunk, final in pieces:
        checker = checker or Checker(form)
        yield from checker.check(chunk, final)


def _opened(form: Form, pieces: Pieces) -> tuple[Form, int, Pieces]:
    """Return the form that holds, how many bytes of signature there are, and the pieces behind them."""
    head, opening = b"", None
    while opening is None:
        chunk, final = next(pieces)
        head += chunk
        opening = reference.opening(form, head, final=final)
    plain, signature_length = opening
    return plain, signature_length, chain([(head[signature_length:], final)], pieces)


def _in_order(work: Callable[[bytes], _Result], segments: Iterable[bytes], threads: int) -> Iterator[_Result]:
    """Yield what work makes of segments; threads, where there are several, are at those that come next."""
    if threads == 1:
        yield from map(work, segments)
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    due: deque[Future[_Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for data in segments:
            due.append(pool.submit(work, data))
            if len(due) > 2 * threads:
                yield due.popleft().result()
        while due:
            yield due.popleft().result()


class Scan:
    r"""The faults of a segment, with their places in it or in the input that it is of: to be iterated over once.

    This is the reference's; the core has its own.

    >>> from eightfold.forms import form
    >>> scan = Scan(form("utf-8"), b"one\ntwo \xff")
    >>> [(found.fault.kind, found.line, found.column) for found in scan]
    [('invalid-byte', 2, 5)]
    >>> scan.end()
    (2, 6)
    """

    def __init__(self, form: Form, data: bytes) -> None:
        self.length = len(data)
        self._data = data
        self._faults = faults(data, form)
        self._position = LinePosition(form)
        self._passed = 0
        self._start = form.name, 0, 1, 1

    def look_ahead(self, count: int) -> None:
        """Find the first faults now, so many at most."""
        self._faults = chain(list(islice(self._faults, count)), self._faults)

    def behind(self, name: str, offset: int, line: int, column: int) -> Scan:
        """Return the faults as those of a whole input in which the segment begins at a place.

        Args:
            name: the form that was asked for.
            offset: where the segment begins.
            line, column: the place there.
        """
        self._start = name, offset, line, column
        return self

    def __iter__(self) -> Iterator[Located]:
        name, offset, _, _ = self._start
        for fault in self._faults:
            yield Located(fault.moved(offset).renamed(name), *self._place(fault.start))

    def end(self) -> tuple[int, int]:
        """Return the line and the column of the end, when all faults have been taken."""
        return self._place(self.length)

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the place of an offset, none before those that have been asked for."""
        self._position.pass_over(self._data[self._passed : offset])
        self._passed = offset
        _, _, line, column = self._start
        before = column - 1 if self._position.line == 1 else 0
        return self._position.line + line - 1, self._position.column + before


SCAN = Scan if CORE is None else CORE.LocatedScan
"""The scan of the engine at work."""


def begun(form: Form, data: bytes) -> Scan:
    """Return the scan of a segment, whose first thousands of faults have been found."""
    scan = SCAN(form, data)
    scan.look_ahead(FAULTS_AHEAD)
    return scan


class _Segments:
    """The segments of a file, each a piece less what is behind its last unit that stands alone; and what is left."""

    def __init__(self, form: Form, pieces: Pieces) -> None:
        self._form = form
        self._pieces = pieces
        self._held = b""
        self._failure: FileError | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield segments until a piece cannot be cut, or cannot be read."""
        try:
            for chunk, final in self._pieces:
                data = self._held + chunk
                end = len(data) if final else segment_end(self._form, data, len(self._held))
                self._held = data[end:]
                if end:
                    yield data[:end]
                elif len(data) > _HELD_BYTES:
                    return
        except FileError as error:
            self._failure = error

    def rest(self) -> Pieces:
        """Yield what is left, if anything is, to be scanned in order.

        Raises:
            FileError: it cannot be read any further.
        """
        if self._held:
            yield self._held, False
        if self._failure is not None:
            raise self._failure
        yield from self._pieces


def segment_end(form: Form, data: bytes, start: int = 0) -> int:
    r"""Return where bytes of a form without signature can be cut last: behind a unit that stands alone, or 0.

    Args:
        form: the form.
        data: the bytes, from the beginning of a unit on.
        start: how many of them are known to have no such unit.

    >>> from eightfold.forms import form
    >>> segment_end(form("utf-8"), b"caf\xc3\xa9"), segment_end(form("utf-16-be"), b"\0a\xd8\x3d\xde\0")
    (3, 2)
    """
    width = form.unit_bytes
    for end in range(len(data) - len(data) % width, start, -width):
        if stands_alone(form, int.from_bytes(data[end - width : end], form.byte_order)):
            return end
    return 0


@lru_cache(maxsize=1024)
def stands_alone(form: Form, unit: int) -> bool:
    """Say whether a code unit is a whole sequence by itself, well-formed or not, and part of no other.

    >>> from eightfold.forms import form
    >>> [stands_alone(form("utf-8"), byte) for byte in (0x41, 0x80, 0xC3, 0xFF)]
    [True, False, False, True]
    """
    alone, joined = _ranges(form)
    return _among(unit, alone) and not _among(unit, joined)


@lru_cache
def _ranges(form: Form) -> tuple[set[Range], set[Range]]:
    """Return the ranges of units that are sequences by themselves, and of those that are parts of longer ones."""
    entries = (*form.sequences, *form.names)
    alone = {span for entry in entries if len(entry.unit_ranges) == 1 for span in entry.unit_ranges}
    joined = {span for entry in entries if len(entry.unit_ranges) > 1 for span in entry.unit_ranges}
    return alone, joined | set(form.run_unit.run + form.run_unit.unit_ranges if form.run_unit else ())


def _among(unit: int, ranges: Iterable[Range]) -> bool:
    return any(low <= unit <= high for low, high in ranges)
