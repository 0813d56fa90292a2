"""New values in an array of text or of binary values, for some of its rows."""

from __future__ import annotations

from array import array as numbers_array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eightfold.columns.arrow import column_of, pyarrow, validity_of
from eightfold.columns.values import BrokenColumnError, Changes, Column, numbers, spliced_column

_PIECE_BYTES = 1 << 20
"""Twice as many bytes without a change are left where they are. A chunk more costs as much as a copy of 100 KB."""


def changed_rows(values: Iterable[tuple[int, bytes]]) -> Changes:
    """Return changes that give rows, which come in order, their values.

    >>> changed_rows([(3, b"new")]).values
    b'new'
    """
    rows, ends, data = numbers_array("q"), numbers_array("q"), bytearray()
    for row, value in values:
        rows.append(row)
        data += value
        ends.append(len(data))
    return Changes(rows.tobytes(), ends.tobytes(), bytes(data), b"")


def spliced(array: Any, column: Column, changes: Changes, type: Any) -> Any:
    """Return an array of text or of binary values with new values for some rows.

    Args:
        array: the array.
        column: its buffers.
        changes: the values.
        type: the type of the result, of the same layout.

    Raises:
        BrokenColumnError: buffers contradict each other, or a value does not fit its fixed size.
        OverflowError: the values do not fit 32-bit offsets.

    >>> array = pyarrow().array(["a", "b"])
    >>> spliced(array, column_of(array), changed_rows([(1, b"new")]), array.type).to_pylist()
    ['a', 'new']
    """
    pa = pyarrow()
    if column.kind == "fixed":
        _check_sizes(column, changes)
    places, data, used = spliced_column(column, changes.rows, changes.ends, changes.values)
    kept = [buffer if is_used else pa.py_buffer(b"") for buffer, is_used in zip(column.data, used or b"", strict=False)]
    buffers = [*([] if places is None else [pa.py_buffer(places)]), *kept, pa.py_buffer(data)]
    validity = validity_of(array, len(array))
    return pa.Array.from_buffers(type, len(array), [validity, *buffers])


def pieces_spliced(array: Any, changes: Changes) -> Iterator[Any]:
    """Yield arrays one after the other: from a change to another near it, and those between, with their own buffers.

    Raises:
        BrokenColumnError, OverflowError: as for :func:`spliced`.

    >>> [piece.to_pylist() for piece in pieces_spliced(pyarrow().array(["a", "b"]), changed_rows([(1, b"new")]))]
    [['a', 'new']]
    """
    rows, ends = numbers(changes.rows), numbers(changes.ends)
    for first, last, piece in _stretches(rows, array):
        if first == last:
            yield array.slice(piece.start, len(piece))
            continue
        changed, skipped = array.slice(piece.start, len(piece)), ends[first - 1] if first else 0
        here = _less(rows[first:last], piece.start), _less(ends[first:last], skipped)
        new = Changes(*here, changes.values[skipped : ends[last - 1]], b"")
        yield spliced(changed, column_of(changed), new, array.type)


def _stretches(rows: Sequence[int], array: Any) -> Iterator[tuple[int, int, range]]:
    """Yield the stretches of an array with and without changes: the bounds of their changes, and their rows."""
    count, step, end = len(array), max(1, len(array) * _PIECE_BYTES // max(1, array.nbytes)), 0
    for first, last in _near(rows, step):
        start = rows[first] if rows[first] - end >= step else end
        if start > end:
            yield first, first, range(end, start)
        end = rows[last - 1] + 1 if count - rows[last - 1] > step else count
        yield first, last, range(start, end)
    if end < count:
        yield len(rows), len(rows), range(end, count)


def _less(places: numbers_array[int], by: int) -> bytes:
    return (numbers_array("q", (place - by for place in places)) if by else places).tobytes()


def _near(rows: Sequence[int], step: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of groups of rows: those in the same block of so many rows, or in blocks side by side.

    >>> list(_near([0, 9, 10, 35], 10))
    [(0, 3), (3, 4)]
    """
    first = at = 0
    while at < len(rows):
        block = rows[at] // step + 1
        at = bisect_left(rows, block * step, at)
        if at == len(rows) or rows[at] >= (block + 1) * step:
            yield first, at
            first = at


def _check_sizes(column: Column, changes: Changes) -> None:
    for row, value in changes.items():
        if len(value) != column.width:
            size = f"{column.width} bytes"
            raise BrokenColumnError(row, f"the repaired value does not fit {size}: cast the column to binary first")


__all__ = ["changed_rows", "pieces_spliced", "spliced"]
