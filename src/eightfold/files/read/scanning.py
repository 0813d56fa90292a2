"""Finding all faults of one file in one pass, in segments: one after the other, or several at once, by threads.

What segments are is in :mod:`eightfold.files.read.segments`. What cannot be cut is left to a checker that carries over
what is open, and documents of Corrected UTF-8, which have rules about the file as a whole, have their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from eightfold import reference
from eightfold._engine import bind, compare
from eightfold.files.read.reading import Source
from eightfold.files.read.segments import LargeFile, Pieces, Segment, Segments, opening, stands_alone, worth
from eightfold.forms import Form
from eightfold.stream import Checker, Located
from eightfold.text import LinePosition, faults, tally

FAULTS_AHEAD = 4096
"""How many faults of a segment a thread finds before they are due: each takes hundreds of bytes."""
compare(FAULTS_AHEAD=FAULTS_AHEAD)
DOCUMENT = "corrected-utf-8-sig"
"""The form that has rules about a file as a whole, and warnings."""

_Result = TypeVar("_Result")


def faults_in(source: Source, form: Form, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of what is left of a source, in order, with their places; whatever the number of threads.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    if form.name == DOCUMENT:
        return _in_document(source)
    if form.is_foreign:
        return _in_charset(source, form)
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
    if form.is_foreign:
        yield Counter(found.fault.kind for found in _in_charset(source, form))
        return
    opened = _Beginning(source, form, worth(source, threads))
    yield from opened.results(partial(_counts, opened.form))
    yield Counter(found.fault.kind for found in opened.rest())


def _counts(form: Form, segment: Segment) -> Counter[str]:
    return Counter(tally(segment.data, form))


def _in_document(source: Source) -> Iterator[Located]:
    from eightfold.corrected import Linter

    linter = Linter()
    for chunk, final in source.pieces():
        yield from linter.check(chunk, final)


def _in_charset(source: Source, form: Form) -> Iterator[Located]:
    from eightfold.files.read.foreign import foreign_faults

    return foreign_faults(source, form)


def _in_segments(source: Source, form: Form, threads: int) -> Iterator[Located]:
    opened = _Beginning(source, form, threads)
    offset, place = opened.start, (1, 1 + opened.start)
    for scan in opened.results(partial(_scan if threads == 1 else begun, opened.form)):
        yield from scan.behind(form.name, offset, *place)
        offset, place = offset + scan.length, scan.end()
    for found in opened.rest():
        yield _moved(found, form.name, offset, *place)


def _moved(found: Located, name: str, offset: int, line: int, column: int) -> Located:
    """Return a fault of bytes that begin at a place as one of the whole input."""
    before = column - 1 if found.line == 1 else 0
    return Located(found.fault.moved(offset).renamed(name), found.line + line - 1, found.column + before)


class _Beginning:
    """A source of which it is known how it begins.

    Args:
        source: the file.
        form: what it is to be in.
        threads: how many work on it, where it is a large file.

    Attributes:
        form: what it is in, without signatures.
        start: at which offset the first segment begins.
    """

    def __init__(self, source: Source, form: Form, threads: int) -> None:
        self._source = source
        self._threads = threads
        pieces = source.pieces()
        if threads > 1:
            self.form, self.start = opening(source, form)
        else:
            self.form, self.start, pieces = _behind_signature(form, pieces)
        self._segments = Segments(self.form, pieces, self.start, stands_alone)

    def results(self, work: Callable[[Segment], _Result]) -> Iterator[_Result]:
        """Yield what work makes of the segments, in order, up to where the source cannot be cut."""
        if self._threads > 1:
            large = LargeFile(self._source, self.form, self.start, stands_alone)
            yield from large.results(work, self._threads)
            self._segments = Segments(self.form, large.rest(), large.end, stands_alone)
        yield from map(work, self._segments)

    def rest(self) -> Iterator[Located]:
        """Yield the faults of what is left, as those of bytes that begin there."""
        checker = None
        for chunk, final in self._segments.rest():
            checker = checker or Checker(self.form)
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


def _scan(form: Form, segment: Segment) -> Scan:
    return Scan(form, segment.data)


def begun(form: Form, segment: Segment) -> Scan:
    """Return the scan of a segment, whose first thousands of faults have been found."""
    scan = _scan(form, segment)
    scan.look_ahead(FAULTS_AHEAD)
    return scan
