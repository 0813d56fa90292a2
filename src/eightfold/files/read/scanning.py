"""Finding all faults of one file in one pass, in segments: one after the other, or several at once, by threads.

What segments are is in :mod:`eightfold.files.read.segments`. What cannot be cut is left to a checker that carries over
what is open, and documents of Corrected UTF-8, which have rules about the file as a whole, have their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Protocol, TypeVar

from eightfold import reference
from eightfold._engine import bind, compare
from eightfold.files.read.places import Places
from eightfold.files.read.reading import Source
from eightfold.files.read.segments import Ends, LargeFile, Pieces, Segment, Segments, opening, stands_alone, worth
from eightfold.forms import Form
from eightfold.stream import Checker, Located
from eightfold.text import faults, tally

FAULTS_AHEAD = 4096
"""How many faults of a segment a thread finds before they are due: each takes hundreds of bytes."""
compare(FAULTS_AHEAD=FAULTS_AHEAD)
DOCUMENT = "corrected-utf-8-sig"
"""The form that has rules about a file as a whole, and warnings."""

_Result = TypeVar("_Result")


class AnyScan(Protocol):
    """The faults of a segment: see :class:`Scan`."""

    @property
    def length(self) -> int:
        """The number of bytes."""

    def behind(self, name: str, offset: int, line: int, column: int, /) -> AnyScan:
        """Return the faults as those of a whole input in which the segment begins at a place."""

    def __iter__(self) -> Iterator[Located]:
        """Return the faults in order."""

    def end(self) -> tuple[int, int]:
        """Return the line and the column of the end, when all faults have been taken."""


class AnyChecker(Protocol):
    """What finds the faults of bytes piece by piece: see :class:`eightfold.stream.Checker`."""

    def check(self, chunk: bytes, final: bool = False, /) -> list[Located]:
        """Return the faults that are decided now."""


Scanning = Callable[[Form, Segment], AnyScan]
CheckerOf = Callable[[Form], AnyChecker]
Counting = Callable[[Form, Segment], Counter[str]]


def faults_in(source: Source, form: Form, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of what is left of a source, in order, with their places; whatever the number of threads.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    if form.name == DOCUMENT:
        return in_document(source)
    return _in_segments(source, form, worth(source, threads))


def counts_in(source: Source, form: Form, threads: int = 1) -> Iterator[Counter[str]]:
    """Yield of one part of a source after the other how many faults there are of each kind; quicker than the faults.

    Args:
        source: the file.
        form: any but that of documents, which have warnings too.
        threads: how many may scan at once.

    Raises:
        FileError: it cannot be read; the faults before that have been counted.
    """
    yield from counts_of(Beginning(source, form, worth(source, threads)), counts, Checker)


def counts_of(opened: Beginning, count: Counting, checker_of: CheckerOf) -> Iterator[Counter[str]]:
    """Yield the counts of one part of a source after the other; see :func:`in_segments`."""
    yield from opened.results(partial(count, opened.form))
    yield Counter(found.fault.kind for found in opened.rest(checker_of))


def counts(form: Form, segment: Segment) -> Counter[str]:
    """Return how many faults a segment has of each kind."""
    return Counter(tally(segment.data, form))


def in_document(source: Source, *others: AnyChecker) -> Iterator[Located]:
    """Yield the faults of a document, and those that other checkers find in it."""
    from eightfold.corrected import Linter

    linter = Linter()
    for chunk, final in source.pieces():
        found = linter.check(chunk, final)
        yield from merged(found, *(other.check(chunk, final) for other in others)) if others else found


def _in_segments(source: Source, form: Form, threads: int) -> Iterator[Located]:
    opened = Beginning(source, form, threads)
    yield from in_segments(opened, form.name, scan_by(threads), Checker)


def in_segments(opened: Beginning, name: str, scan_of: Scanning, checker_of: CheckerOf) -> Iterator[Located]:
    """Yield the faults of a source, in order.

    Args:
        opened: the source.
        name: the form that was asked for.
        scan_of: returns the faults of a segment.
        checker_of: returns what finds the faults of bytes that cannot be cut into segments.
    """
    offset, place = opened.start, (1, 1 + opened.start)
    for scan in opened.results(partial(scan_of, opened.form)):
        yield from scan.behind(name, offset, *place)
        offset, place = offset + scan.length, scan.end()
    for found in opened.rest(checker_of):
        yield _moved(found, name, offset, *place)


def merged(*faults: Iterable[Located]) -> Iterator[Located]:
    """Yield faults that are in order apart in the order of their offsets."""
    from heapq import merge

    return merge(*faults, key=lambda found: found.fault.start)


def _moved(found: Located, name: str, offset: int, line: int, column: int) -> Located:
    """Return a fault of bytes that begin at a place as one of the whole input."""
    before = column - 1 if found.line == 1 else 0
    return Located(found.fault.moved(offset).renamed(name), found.line + line - 1, found.column + before)


class Beginning:
    """A source of which it is known how it begins.

    Args:
        source: the file.
        form: what it is to be in.
        threads: how many work on it, where it is a large file.
        ends: where segments can end.

    Attributes:
        form: what it is in, without signatures.
        start: at which offset the first segment begins.
    """

    def __init__(self, source: Source, form: Form, threads: int, ends: Ends = stands_alone) -> None:
        self._source = source
        self._threads = threads
        self._ends = ends
        pieces = source.pieces()
        if threads > 1:
            plain, start = opening(source, form)
        else:
            plain, start, pieces = _behind_signature(form, pieces)
        self.form: Form = plain
        self.start: int = start
        self._segments = Segments(self.form, pieces, self.start, ends)

    def results(self, work: Callable[[Segment], _Result]) -> Iterator[_Result]:
        """Yield what work makes of the segments, in order, up to where the source cannot be cut."""
        if self._threads > 1:
            large = LargeFile(self._source, self.form, self.start, self._ends)
            yield from large.results(work, self._threads)
            self._segments = Segments(self.form, large.rest(), large.end, self._ends)
        yield from map(work, self._segments)

    def rest(self, checker_of: CheckerOf) -> Iterator[Located]:
        """Yield the faults of what is left, as those of bytes that begin there."""
        checker = None
        for chunk, final in self._segments.rest():
            checker = checker or checker_of(self.form)
            yield from checker.check(chunk, final)


def _behind_signature(form: Form, pieces: Pieces) -> tuple[Form, int, Pieces]:
    """Return the form that holds, how many bytes of signature there are, and the pieces behind them."""
    head, opened = b"", None
    while opened is None:
        chunk, final = next(pieces)
        head += chunk
        opened = reference.opening(form, head, final=final)
    plain, length = opened
    return plain, length, chain([(head[length:], final)], pieces)


@bind
class Scan:
    r"""The faults of a segment, with their places in it or in the input that it is of: to be iterated over once.

    >>> from eightfold.forms import form
    >>> scan = Scan(form("utf-8"), b"one\ntwo \xff")
    >>> [(found.fault.kind, found.line, found.column) for found in scan]
    [('invalid-byte', 2, 5)]
    >>> scan.end()
    (2, 6)
    """

    def __init__(self, form: Form, data: bytes) -> None:
        self.length: int = len(data)
        self._data = data
        self._form = form
        self._faults = faults(data, form)
        self.behind(form.name, 0, 1, 1)

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
        self._name, self._offset = name, offset
        self._places = Places(self._form, self._data, line, column)
        return self

    def __iter__(self) -> Iterator[Located]:
        for fault in self._faults:
            yield Located(fault.moved(self._offset).renamed(self._name), *self._places.of(fault.start))

    def end(self) -> tuple[int, int]:
        """Return the line and the column of the end, when all faults have been taken."""
        return self._places.of(self.length)


def _scan(form: Form, segment: Segment) -> Scan:
    return Scan(form, segment.data)


def scan_by(threads: int) -> Callable[[Form, Segment], Scan]:
    """Return what scans a segment: where threads do so, they find the first thousands of faults meanwhile."""
    return _scan if threads == 1 else begun


def begun(form: Form, segment: Segment) -> Scan:
    """Return the scan of a segment, whose first thousands of faults have been found."""
    scan = _scan(form, segment)
    scan.look_ahead(FAULTS_AHEAD)
    return scan
