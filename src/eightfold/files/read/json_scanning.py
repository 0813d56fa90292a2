"""Finding all faults of a JSON file in one pass: what is ill-formed, and the escapes of unpaired surrogates.

As :mod:`eightfold.files.read.scanning`, but segments end where no escape is open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from eightfold.files.read.escapes import EscapeChecker, Escapes, JsonReading, Paths, count_escapes, is_between_escapes
from eightfold.files.read.reading import Source
from eightfold.files.read.scanning import (
    DOCUMENT,
    AnyChecker,
    Beginning,
    FirstFaults,
    Scan,
    Scanning,
    counts,
    in_document,
    in_segments,
    merged,
    scan_by,
)
from eightfold.files.read.segments import Segment, worth
from eightfold.forms import Form
from eightfold.reference import signed
from eightfold.stream import Checker, Located


def faults_in_json(source: Source, form: Form, json: JsonReading, threads: int = 1) -> Iterator[Located]:
    """Yield the faults of what is left of a source: see :func:`eightfold.files.read.scanning.faults_in`.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded.
    """
    if form.name == DOCUMENT:
        return in_document(source, escape_checker(source, form, json))
    return _in_segments(source, form, json, worth(source, threads))


def escape_checker(source: Source, form: Form, json: JsonReading) -> EscapeChecker:
    """Return what finds the escapes of a source that is read whole, from its first byte on, in pieces."""
    plain, _ = signed(form)
    return EscapeChecker(plain, form.name, Paths(source, plain, 0, lines=json.lines), json.severity)


def first_faults_in_json(
    source: Source, form: Form, json: JsonReading, most: int, threads: int = 1
) -> Iterator[Located | Counter[str]]:
    """Yield the first faults, then the counts: see :func:`eightfold.files.read.scanning.first_faults_in`.

    Raises:
        FileError: it cannot be read; the faults before that have been yielded or counted.
    """

    def count(form: Form, segment: Segment) -> Counter[str]:
        return counts(form, segment) + count_escapes(form, segment.data)

    threads = worth(source, threads)
    opened = Beginning(source, form, threads, is_between_escapes)
    # Where no fault is shown, no path is needed.
    paths = Paths(source, opened.form, opened.start, lines=json.lines or not most)
    first = FirstFaults(most, _scanning(paths, json, threads), count)
    yield from first.of(opened, form.name, _checkers(paths, json))


def _in_segments(source: Source, form: Form, json: JsonReading, threads: int) -> Iterator[Located]:
    opened = Beginning(source, form, threads, is_between_escapes)
    paths = Paths(source, opened.form, opened.start, lines=json.lines)
    yield from in_segments(opened, form.name, _scanning(paths, json, threads), _checkers(paths, json))


def _scanning(paths: Paths, json: JsonReading, threads: int) -> Scanning:
    scan = scan_by(threads)
    return lambda form, segment: _JsonScan(scan(form, segment), Escapes(form, segment.data), (paths, json))


def _checkers(paths: Paths, json: JsonReading) -> Callable[[Form], AnyChecker]:
    return lambda form: JsonChecker(Checker(form), EscapeChecker(form, form.name, paths, json.severity))


class _JsonScan:
    """A scan that also finds escapes of unpaired surrogates: see :class:`eightfold.files.read.scanning.Scan`."""

    def __init__(self, scan: Scan, escapes: Escapes, reading: tuple[Paths, JsonReading]) -> None:
        self.length: int = scan.length
        self._scan = scan
        self._escapes = escapes
        self._paths, self._json = reading
        self._start = "", 0, 1, 1

    def behind(self, name: str, offset: int, line: int, column: int, /) -> _JsonScan:
        self._start = name, offset, line, column
        self._scan.behind(name, offset, line, column)
        return self

    def __iter__(self) -> Iterator[Located]:
        if not self._escapes:
            return iter(self._scan)
        return merged(self._scan, self._escapes.located(self._start, self._paths, self._json.severity))

    def end(self) -> tuple[int, int]:
        self._paths.leave(self._escapes.data)
        return self._scan.end()


class JsonChecker:
    """A checker that also finds escapes of unpaired surrogates: see :class:`eightfold.stream.Checker`."""

    def __init__(self, *checkers: AnyChecker) -> None:
        self._checkers = checkers

    def check(self, chunk: bytes, final: bool = False, /) -> list[Located]:
        """As :meth:`eightfold.stream.Checker.check`."""
        return list(merged(*(each.check(chunk, final) for each in self._checkers)))
