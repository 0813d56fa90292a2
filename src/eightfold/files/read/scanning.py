"""Finding all faults of one file in one pass, in segments: one after the other, or several at once, by threads.

For segments see :mod:`eightfold.files.read.segments`. What cannot be cut is left to a checker that carries its state
over. Documents of Corrected UTF-8 have rules about the whole file, and so a checker of their own.
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
"""The number of faults of a segment that a thread finds ahead of time: each takes hundreds of bytes."""
compare(FAULTS_AHEAD=FAULTS_AHEAD)
DOCUMENT = "corrected-utf-8-sig"
"""The form that has rules about the whole file, and warnings."""

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
    """Yield the faults of the rest of a source, in order, with their places; the same for any number of threads.

    Raises:
        FileError: the file cannot be read; the faults before that place have been yielded.
    """
    if form.name == DOCUMENT:
        return in_document(source)
    if form.is_foreign:
        return _in_charset(source, form)
    return _in_segments(source, form, worth(source, threads))


def first_faults_in(source: Source, form: Form, most: int, threads: int = 1) -> Iterator[Located | Counter[str]]:
    """Yield the first faults of the rest of a source, then how many more there are of each kind, part by part.

    Counting is many times faster than listing.

    Args:
        source: the file.
        form: any form except that of documents, which have warnings too.
        most: the maximum number of faults to yield.
        threads: the maximum number of threads.

    Raises:
        FileError: the file cannot be read; the faults before that place have been yielded or counted.
    """
    if form.is_foreign:
        yield from _first(_in_charset(source, form), most)
        return
    threads = worth(source, threads)
    first = FirstFaults(most, scan_by(threads), counts)
    yield from first.of(Beginning(source, form, threads), form.name, Checker)


def _first(faults: Iterator[Located], most: int) -> Iterator[Located | Counter[str]]:
    yield from islice(faults, most)
    while more := list(islice(faults, FAULTS_AHEAD)):
        yield Counter(found.fault.kind for found in more)


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


def _in_charset(source: Source, form: Form) -> Iterator[Located]:
    from eightfold.files.read.foreign import foreign_faults

    return foreign_faults(source, form)


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
    for some in opened.rest(checker_of):
        for found in some:
            yield moved(found, name, offset, *place)


class FirstFaults:
    """The first faults of a source, and how many more there are of each kind.

    Args:
        most: the maximum number of faults.
        scan_of: returns the faults of a segment.
        count: returns how many faults a segment has of each kind.
    """

    def __init__(self, most: int, scan_of: Scanning, count: Counting) -> None:
        self._left = most
        self._scan_of = scan_of
        self._count = count

    def of(self, opened: Beginning, name: str, checker_of: CheckerOf) -> Iterator[Located | Counter[str]]:
        """Yield the faults of a source, and then the counts of one part after the other: see :func:`in_segments`."""
        offset, place = opened.start, (1, 1 + opened.start)
        for scan, counted in opened.results(partial(self._work, opened.form)):
            if scan is None or not self._left:
                yield counted()
                continue
            shown: Counter[str] = Counter()
            for found in islice(scan.behind(name, offset, *place), self._left):
                shown[found.fault.kind] += 1
                yield found
            self._left -= shown.total()
            if self._left:
                offset, place = offset + scan.length, scan.end()
            else:
                yield counted() - shown
        for some in opened.rest(checker_of):
            first, more = some[: self._left], some[self._left :]
            self._left -= len(first)
            for found in first:
                yield moved(found, name, offset, *place)
            if more:
                yield Counter(found.fault.kind for found in more)

    def _work(self, form: Form, segment: Segment) -> tuple[AnyScan | None, Callable[[], Counter[str]]]:
        """Return the scan of a segment, while faults are listed, and what returns its counts."""
        if self._left:
            return self._scan_of(form, segment), partial(self._count, form, segment)
        counted = self._count(form, segment)
        return None, lambda: counted


def merged(*faults: Iterable[Located]) -> Iterator[Located]:
    """Yield faults that are in order apart in the order of their offsets."""
    from heapq import merge

    return merge(*faults, key=lambda found: found.fault.start)


def moved(found: Located, name: str, offset: int, line: int, column: int) -> Located:
    """Return a fault of bytes that begin at a place as a fault of the whole input."""
    before = column - 1 if found.line == 1 else 0
    return Located(found.fault.moved(offset).renamed(name), found.line + line - 1, found.column + before)


class Beginning:
    """A source whose beginning has been examined.

    Args:
        source: the file.
        form: the form to read it in.
        threads: the number of threads, if the file is large.
        ends: where segments can end.

    Attributes:
        form: the form that it is in, without signatures.
        start: the offset of the first segment.
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
        """Yield the results of the work on the segments, in order, up to where the source cannot be cut."""
        if self._threads > 1:
            large = LargeFile(self._source, self.form, self.start, self._ends)
            yield from large.results(work, self._threads)
            self._segments = Segments(self.form, large.rest(), large.end, self._ends)
        yield from map(work, self._segments)

    def rest(self, checker_of: CheckerOf) -> Iterator[list[Located]]:
        """Yield the faults of the rest, those of one piece after the other, as faults of bytes that begin there."""
        checker = None
        for chunk, final in self._segments.rest():
            checker = checker or checker_of(self.form)
            yield checker.check(chunk, final)


def _behind_signature(form: Form, pieces: Pieces) -> tuple[Form, int, Pieces]:
    """Return the form that applies, the size of the signature, and the pieces behind it."""
    head, opened = b"", None
    while opened is None:
        chunk, final = next(pieces)
        head += chunk
        opened = reference.opening(form, head, final=final)
    plain, length = opened
    return plain, length, chain([(head[length:], final)], pieces)


@bind
class Scan:
    r"""The faults of a segment, with their places in it or in the whole input; iterate over it once.

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
        """Find the first faults now, at most so many."""
        self._faults = chain(list(islice(self._faults, count)), self._faults)

    def behind(self, name: str, offset: int, line: int, column: int) -> Scan:
        """Return the faults as those of a whole input in which the segment begins at a place.

        Args:
            name: the name of the form that was asked for.
            offset: the offset of the segment.
            line, column: the place of that offset.
        """
        self._name, self._offset = name, offset
        self._places = Places(self._form, self._data, line, column)
        return self

    def __iter__(self) -> Iterator[Located]:
        for fault in self._faults:
            yield Located(fault.moved(self._offset).renamed(self._name), *self._places.of(fault.start))

    def end(self) -> tuple[int, int]:
        """Return the line and the column of the end, after all faults have been taken."""
        return self._places.of(self.length)


def _scan(form: Form, segment: Segment) -> Scan:
    return Scan(form, segment.data)


def scan_by(threads: int) -> Callable[[Form, Segment], Scan]:
    """Return what scans a segment: where threads do so, they find the first thousands of faults meanwhile."""
    return _scan if threads == 1 else begun


def begun(form: Form, segment: Segment) -> Scan:
    """Return the scan of a segment, with its first thousands of faults already found."""
    scan = _scan(form, segment)
    scan.look_ahead(FAULTS_AHEAD)
    return scan
