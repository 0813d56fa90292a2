"""Files cut into segments that mean separately what they mean together, so several can be worked on at once.

A segment ends after a unit that is a whole sequence by itself and never part of another, such as an ASCII byte in
UTF-8: nothing before it can change the meaning of what follows. If too many bytes have no such unit (text without any
ASCII, or bytes that are not text), the rest of the file is worked on in order.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, TypeVar

from eightfold import reference
from eightfold.files import SHRUNK, FileError
from eightfold.files.parallel.threads import in_order, processors
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import STANDARD_INPUT, Source
from eightfold.forms import Form
from eightfold.forms.rows import Range
from eightfold.text import opening_of

SEGMENT_BYTES = 1024 * 1024
"""The length of the segments that threads work on."""
LARGE_BYTES = 8 * SEGMENT_BYTES
"""A file of this size is worth starting threads."""
_HELD_BYTES = 64 * 1024
"""The number of bytes held to find a place for a cut."""
LONGEST_SIGNATURE = 16
"""More bytes than any form's signature or unit has."""
_REACH_BYTES = 4 * 1024
"""The distance from the end of a segment at which a cut is first looked for."""

Pieces = Iterator[tuple[bytes, bool]]
"""Pieces of bytes in order, each with whether it is the last."""
Ends = Callable[[Form, int], bool]
"""Whether a segment of a form can end after a code unit."""
_Result = TypeVar("_Result")


def small_size(path: str) -> int | None:
    """Return the size of a file that is one piece of work; None for a large one, or one without a size.

    Args:
        path: the path as given: ``-`` and remote files have no size. Errors are left to opening the file.
    """
    if path == STANDARD_INPUT or is_remote(path):
        return None
    with suppress(OSError):
        status = os.stat(path)
        return status.st_size if status.st_size < LARGE_BYTES and stat.S_ISREG(status.st_mode) else None
    return 0


def worth(source: Source, threads: int) -> int:
    """Return how many of these threads a source is worth: more threads than processors would wait for each other."""
    return min(threads, processors()) if threads > 1 and (source.length or 0) >= LARGE_BYTES else 1


def opening(source: Source, form: Form) -> tuple[Form, int]:
    """Return the form that applies to a seekable source, and the size of its signature in bytes."""
    return opening_of(form, source.window(0, LONGEST_SIGNATURE))


class Segment(NamedTuple):
    """A part of a file, and its offset."""

    start: int
    data: bytes


class Segments:
    """The segments of a file that is read from beginning to end, each close to a piece of it; and the rest.

    Args:
        form: one without signatures.
        pieces: the content behind the signature, each piece with whether it is the last.
        start: the offset of that content.
        ends: where segments can end.
    """

    def __init__(self, form: Form, pieces: Pieces, start: int, ends: Ends) -> None:
        self._form = form
        self._pieces = pieces
        self._start = start
        self._ends = ends
        self._held = b""
        self._failure: FileError | None = None

    def __iter__(self) -> Iterator[Segment]:
        """Yield segments until a piece cannot be cut, or cannot be read."""
        try:
            for chunk, final in self._pieces:
                data = self._held + chunk
                end = len(data) if final else segment_end(self._form, data, self._ends, len(self._held))
                self._held = data[end:]
                if end:
                    yield Segment(self._start, data[:end])
                    self._start += end
                elif len(data) > _HELD_BYTES:
                    return
        except FileError as error:
            self._failure = error

    def rest(self) -> Pieces:
        """Yield the rest, if there is any, to be worked on in order: pieces, each with whether it is the last.

        Raises:
            FileError: it cannot be read any further.
        """
        if self._held:
            yield self._held, False
        if self._failure is not None:
            raise self._failure
        yield from self._pieces


class LargeFile:
    """The segments of a large file, which threads read and work on, except the last and what cannot be cut.

    Args:
        source: the file.
        form: its form, without signatures.
        start: the offset of the first segment.
        ends: where segments can end.

    Attributes:
        end: the offset behind the last segment worked on.
    """

    def __init__(self, source: Source, form: Form, start: int, ends: Ends) -> None:
        self._source = source
        self._form = form
        self._ends = ends
        self.end: int = start

    def results(self, work: Callable[[Segment], _Result], threads: int) -> Iterator[_Result]:
        """Yield the results of the work, done by so many threads, on the segments in order.

        Raises:
            FileError: the file cannot be read.
        """

        def work_on(span: tuple[int, int]) -> tuple[int, _Result]:
            start, end = span
            return end, work(Segment(start, self._read(start, end)))

        for end, result in in_order(work_on, self._spans(), threads):
            self.end = end
            self._source.pass_to(end)
            yield result

    def rest(self) -> Pieces:
        """Return the rest, from :attr:`end` on: pieces, each with whether it is the last.

        Raises:
            FileError: the file cannot be read.
        """
        self._source.pass_to(self.end)
        return self._source.pieces()

    def _spans(self) -> Iterator[tuple[int, int]]:
        start, unit = self.end, self._form.unit_bytes
        step = max(unit, SEGMENT_BYTES - SEGMENT_BYTES % unit)
        for near in range(start + step, self._source.length or 0, step):
            end = self._cut_before(near, start)
            if not end:
                return
            yield start, end
            start = end

    def _cut_before(self, near: int, start: int) -> int:
        """Return the last place for a cut between two offsets, or 0."""
        for reach in (min(_REACH_BYTES, near - start), near - start):
            begin = near - reach + reach % self._form.unit_bytes
            end = segment_end(self._form, self._read(begin, near), self._ends)
            if end:
                return begin + end
        return 0

    def _read(self, start: int, end: int) -> bytes:
        data = self._source.window(start, end - start)
        if len(data) < end - start:
            raise FileError(self._source.path, SHRUNK)
        return data


def segment_end(form: Form, data: bytes, ends: Ends, start: int = 0) -> int:
    r"""Return the last place where bytes of a form without signatures can be cut, or 0.

    Args:
        form: the form.
        data: the bytes, from the beginning of a unit on.
        ends: says after which units they can be cut.
        start: the number of bytes known to have no such unit.

    >>> from eightfold.forms import form
    >>> segment_end(form("utf-8"), b"caf\xc3\xa9", stands_alone)
    3
    >>> segment_end(form("utf-16-be"), b"\0a\xd8\x3d\xde\0", stands_alone)
    2
    """
    if form.unit_bytes == 1:
        end = len(data[start:].rstrip(_within(form, ends)))
        return start + end if end else 0
    width = form.unit_bytes
    for end in range(len(data) - len(data) % width, start, -width):
        if ends(form, int.from_bytes(data[end - width : end], form.byte_order)):
            return end
    return 0


@lru_cache
def _within(form: Form, ends: Ends) -> bytes:
    """Return the bytes after which no segment of a form ends."""
    return bytes(byte for byte in range(256) if not ends(form, byte))


@lru_cache(maxsize=1024)
def stands_alone(form: Form, unit: int) -> bool:
    """Return whether a code unit is a whole sequence by itself, well-formed or not, and never part of another.

    >>> from eightfold.forms import form
    >>> [stands_alone(form("utf-8"), byte) for byte in (0x41, 0x80, 0xC3, 0xFF)]
    [True, False, False, True]
    """
    alone, joined = _ranges(form)
    return _among(unit, alone) and not _among(unit, joined)


@lru_cache(maxsize=1024)
def is_whole_text(form: Form, unit: int) -> bool:
    """Return whether a code unit is a code point by itself, never part of another, and not a surrogate.

    >>> from eightfold.forms import form
    >>> [is_whole_text(form("utf-8"), byte) for byte in (0x41, 0x80, 0xC3, 0xFF)]
    [True, False, False, False]
    """
    points = [row.first + unit - low for row in form.rows for low, high in row.unit_ranges[:1] if low <= unit <= high]
    return stands_alone(form, unit) and bool(points) and points[0] not in reference.SURROGATES


@lru_cache
def _ranges(form: Form) -> tuple[set[Range], set[Range]]:
    """Return the ranges of units that are sequences by themselves, and of those that are parts of longer ones."""
    entries = (*form.sequences, *form.names)
    alone = {span for entry in entries if len(entry.unit_ranges) == 1 for span in entry.unit_ranges}
    joined = {span for entry in entries if len(entry.unit_ranges) > 1 for span in entry.unit_ranges}
    return alone, joined | set(form.run_unit.run + form.run_unit.unit_ranges if form.run_unit else ())


def _among(unit: int, ranges: Iterable[Range]) -> bool:
    return any(low <= unit <= high for low, high in ranges)
