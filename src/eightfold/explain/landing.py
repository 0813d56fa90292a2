r"""Finds where the row at an offset begins, without stepping through all rows before it.

A *border* is an offset at which one row ends and the next begins; rows after a border do not depend on the bytes before
it. Shortly before the given offset, rows are followed from every place where one could begin. No row is longer than the
longest entry of the form's tables, so one of these places is a border. When all of these chains of rows have met, they
have met the true one. If they do not meet, as in a form designed for that or in a sequence without a fixed length, the
core scans the bytes before the offset.

>>> from eightfold.forms import form
>>> border_before(form("utf-8"), b"\x80\xc3\xa9" * 1000, 2000)
1999
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from eightfold import reference
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.pieces import fault_at, well_formed_end
from eightfold.stream import Checker

ENOUGH = 1024 * 1024
"""How many bytes to gather before finding the next border and dropping the bytes before it."""
_WINDOWS = (16, 1024)
"""Window sizes in which the chains must meet, in multiples of the longest row."""


@dataclass(frozen=True, slots=True)
class Landing:
    """The place at which an explanation begins.

    Attributes:
        offset: a border at or before the given offset.
        content: the bytes read from there on, or after the run if there is one.
        form: the form at this place; None if it is not known yet, in which case the offset is 0.
        run: a fault without a fixed length that begins at the offset, or None.
    """

    offset: int
    content: bytes
    form: Form | None = None
    run: Fault | None = None


def landed(asked: Form, chunks: Iterator[bytes], start: int) -> Landing:
    r"""Read enough chunks to find the row that contains the byte at an offset; the last chunk may extend past it.

    >>> from eightfold.forms import form
    >>> landing = landed(form("utf-8"), iter([b"ab\xc3", b"\xa9cd"]), 3)
    >>> landing.offset, landing.content
    (2, b'\xc3\xa9cd')
    """
    content, opening = b"", None
    while opening is None and (chunk := next(chunks, b"")):
        content += chunk
        opening = reference.opening(asked, content, final=False)
    if opening is None or start < opening[1]:
        return Landing(0, content)
    form, skipped = opening
    return _Descent(form, chunks, start).landing(content[skipped:], skipped)


class _Descent:
    """Advances from border to border, up to an offset."""

    def __init__(self, form: Form, chunks: Iterator[bytes], start: int) -> None:
        self._form = form
        self._chunks = chunks
        self._start = start

    def landing(self, content: bytes, offset: int) -> Landing:
        """Return the last border needed; the content begins at a border, ``offset`` bytes into the input."""
        while True:
            content += self._gathered(min(ENOUGH, self._start + 1 - offset) - len(content))
            here = min(self._start - offset, len(content))
            border = border_before(self._form, content, here)
            offset, content = offset + border, content[border:]
            if len(content) > self._start - offset or len(content) + border < ENOUGH:
                return Landing(offset, content, self._form)
            if len(content) >= ENOUGH:
                # There was no border to advance to: the content is one sequence without a fixed length.
                run, content = self._run(content)
                run = run.moved(offset)
                if run.end > self._start:
                    return Landing(offset, content, self._form, run)
                offset = run.end

    def _gathered(self, least: int) -> bytes:
        """Return at least this many bytes, or fewer at the end of the input."""
        parts = []
        while least > 0 and (chunk := next(self._chunks, b"")):
            parts.append(chunk)
            least -= len(chunk)
        return b"".join(parts)

    def _run(self, content: bytes) -> tuple[Fault, bytes]:
        """Return the fault that spans a content without borders, and the bytes read after it."""
        checker, passed = Checker(self._form), 0
        found = checker.check(content)
        while not found:
            passed += len(content)
            content = next(self._chunks, b"")
            found = checker.check(content, final=not content)
        run = found[0].fault
        return run, content[run.end - passed :]


def border_before(form: Form, content: bytes, offset: int) -> int:
    r"""Return a border at or shortly before an offset; 0, the start of the content, is a border.

    >>> from eightfold.forms import form
    >>> border_before(form("utf-8"), "é".encode() * 1000, 1001)
    1000
    """
    longest = _longest(form)
    stretch = _stretch_before(form, content, offset)
    if stretch is not None and offset - stretch > _WINDOWS[0] * longest:
        return _border_in(form, content, stretch, offset)
    for rows in _WINDOWS:
        begin = offset - rows * longest
        begin -= begin % form.unit_bytes
        if begin <= 0:
            break
        met = _meeting(form, content[begin:offset])
        if met is not None:
            return _last_border(form, content, begin + met, offset)
    return _last_border(form, content, 0, offset)


def _longest(form: Form) -> int:
    """Return the length in bytes of the longest row, decoding unit or named fault of fixed length."""
    return max(len(entry.unit_ranges) for entry in (*form.sequences, *form.names)) * form.unit_bytes


def _stretch_before(form: Form, content: bytes, offset: int) -> int | None:
    """Return the start of a stretch of bytes that could all continue a sequence without a fixed length, or None."""
    row = form.run_unit
    if row is None or form.unit_bytes > 1:
        return None
    begin = content[:offset].translate(_marking(row.run, others=True)).rfind(1) + 1
    return begin if begin < offset else None


def _border_in(form: Form, content: bytes, stretch: int, offset: int) -> int:
    """Return a border before an offset in a stretch: close to it, or where a sequence begins that goes on to it."""
    at = border_before(form, content, stretch) if stretch else 0
    while at < stretch:
        end = _row_end(form, content[:offset], at)
        if end is None:
            return at
        at = end
    # Here no sequence without a fixed length has begun, and the next one that begins goes on to the offset.
    assert form.run_unit is not None
    begun = content[at:offset].translate(_marking(form.run_unit.unit_ranges[:1], others=False)).find(1)
    end = offset if begun < 0 else at + begun
    begin = max(at, end - _WINDOWS[0] * _longest(form))
    met = _meeting(form, content[begin:end], in_run=False)
    return _last_border(form, content, at if met is None else begin + met, offset)


def _marking(ranges: Iterable[tuple[int, int]], *, others: bool) -> bytes:
    """Return a table for `bytes.translate` that maps bytes in ranges (or the others) to 1, and the rest to 0."""
    held = {unit for first, last in ranges for unit in range(first, last + 1)}
    return bytes((unit in held) != others for unit in range(256))


def _meeting(form: Form, window: bytes, *, in_run: bool = True) -> int | None:
    """Return where the rows that begin at each of the first places of a window have all met, or None if they have not.

    With ``in_run`` the window may begin inside a sequence without a fixed length.
    """
    places = set(range(0, _longest(form), form.unit_bytes))
    if in_run and form.run_unit is not None:
        places |= {reference.run_end(form, window, place) for place in places}
    while len(places) > 1:
        if max(places) >= len(window):
            return None
        first = min(places)
        end = _row_end(form, window, first)
        if end is None:
            return None
        places.remove(first)
        places.add(end)
    met = places.pop()
    return met if met < len(window) else None


def _row_end(form: Form, content: bytes, start: int) -> int | None:
    """Return the end of the row that begins at an offset, or None if it is not certain yet."""
    step = reference.sequence_at(form, content, start, final=False)
    if step is None or step.code_point is not None:
        return None if step is None else step.end
    fault = fault_at(form, content, start, final=False)
    return None if fault is None else fault.end


def _last_border(form: Form, content: bytes, start: int, stop: int) -> int:
    """Scan from a border, and return the last border at or before an offset."""
    scanned, at = content[:stop], start
    while (at := well_formed_end(form, scanned, at, final=False)) < stop:
        fault = fault_at(form, scanned, at, final=False)
        if fault is None:
            break
        at = fault.end
    return at


__all__ = ["Landing", "border_before", "landed"]
