"""Finding all faults of one file in one pass, in segments: one after the other, or several at once, by threads.

For segments see :mod:`eightfold.files.read.segments`. What cannot be cut is left to a checker that carries its state
over. Documents of Corrected UTF-8 have rules about the whole file, and so a checker of their own.
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
"""The number of faults of a segment that a thread finds ahead of time: each takes hundreds of bytes."""
compare(FAULTS_AHEAD=FAULTS_AHEAD)
DOCUMENT = "corrected-utf-8-sig"
"""The form that has rules about the whole file, and warnings."""

_Result = TypeVar("_Result")


def faults_in(source: Source, form: Form, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of the rest of a source, in order, with their places; the same for any number of threads.

    Raises:
        FileError: the file cannot be read; the faults before that place have been yielded.
    """
    if form.name == DOCUMENT:
        return _in_document(source)
    return _in_segments(source, form, worth(source, threads))


def counts_in(source: Source, form: Form, threads: int = 1) -> Iterator[Counter[str]]:
    """Yield the number of faults of each kind for one part of a source after the other; faster than the faults.

    Args:
        source: the file.
        form: any form except that of documents, which have warnings too.
        threads: the maximum number of threads.

    Raises:
        FileError: the file cannot be read; the faults before that place have been counted.
    """
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


def _in_segments(source: Source, form: Form, threads: int) -> Iterator[Located]:
    opened = _Beginning(source, form, threads)
    offset, place = opened.start, (1, 1 + opened.start)
    for scan in opened.results(partial(_scan if threads == 1 else begun, opened.form)):
        yield from scan.behind(form.name, offset, *place)
        offset, place = offset + scan.length, scan.end()
    for found in opened.rest():
        yield _moved(found, form.name, offset, *place)


def _moved(found: Located, name: str, offset: int, line: int, column: int) -> Located:
    """Return a fault of bytes that begin at a place as a fault of the whole input."""
    before = column - 1 if found.line == 1 else 0
    return Located(found.fault.moved(offset).renamed(name), found.line + line - 1, found.column + before)


class _Beginning:
    """A source whose beginning has been examined.

    Args:
        source: the file.
        form: the form to read it in.
        threads: the number of threads, if the file is large.

    Attributes:
        form: the form that it is in, without signatures.
        start: the offset of the first segment.
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
        """Yield the results of the work on the segments, in order, up to where the source cannot be cut."""
        if self._threads > 1:
            large = LargeFile(self._source, self.form, self.start, stands_alone)
            yield from large.results(work, self._threads)
            self._segments = Segments(self.form, large.rest(), large.end, stands_alone)
        yield from map(work, self._segments)

    def rest(self) -> Iterator[Located]:
        """Yield the faults of the rest, as faults of bytes that begin there."""
        checker = None
        for chunk, final in self._segments.rest():
            checker = checker or Checker(self.form)
            yield from checker.check(chunk, final)


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
        self._faults = faults(data, form)
        self._position = LinePosition(form)
        self._passed = 0
        self._start = form.name, 0, 1, 1

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
        self._start = name, offset, line, column
        return self

    def __iter__(self) -> Iterator[Located]:
        name, offset, _, _ = self._start
        for fault in self._faults:
            yield Located(fault.moved(offset).renamed(name), *self._place(fault.start))

    def end(self) -> tuple[int, int]:
        """Return the line and the column of the end, after all faults have been taken."""
        return self._place(self.length)

    def _place(self, offset: int) -> tuple[int, int]:
        """Return the place of an offset; offsets must not decrease from call to call."""
        self._position.pass_over(self._data[self._passed : offset])
        self._passed = offset
        _, _, line, column = self._start
        before = column - 1 if self._position.line == 1 else 0
        return self._position.line + line - 1, self._position.column + before


def _scan(form: Form, segment: Segment) -> Scan:
    return Scan(form, segment.data)


def begun(form: Form, segment: Segment) -> Scan:
    """Return the scan of a segment, with its first thousands of faults already found."""
    scan = _scan(form, segment)
    scan.look_ahead(FAULTS_AHEAD)
    return scan
