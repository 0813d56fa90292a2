"""Sets of code points, as ranges: those of rows, and what two sets have in common or apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from eightfold.forms import Row
from eightfold.forms.rows import Range

Points = tuple[range, ...]
"""A set of code points: ranges that do not overlap."""


def points_within(row: Row, ranges: Sequence[Range]) -> Points:
    """Return the code points of a row whose units fit ranges; the units past the last range are free."""
    indices: list[range] = [range(1)]
    for at, (low, high) in enumerate(row.unit_ranges):
        width = high - low + 1
        first, last = ranges[at] if at < len(ranges) else (low, high)
        digits = range(max(first, low) - low, min(last, high) - low + 1)
        if digits == range(width):
            indices = [range(each.start * width, each.stop * width) for each in indices]
        else:
            starts = chain.from_iterable(indices) if digits else ()
            indices = [range(index * width + digits.start, index * width + digits.stop) for index in starts]
    return tuple(range(row.first + each.start, row.first + each.stop) for each in indices)


def points_of(rows: Iterable[Row]) -> Points:
    """Return the code points of some rows, in order."""
    return tuple(range(row.first, row.last + 1) for row in sorted(rows, key=lambda row: row.first))


def points_without(one: Points, other: Points) -> Points:
    """Return what is in `one` alone, in one pass: a row of another form may cut it into thousands of pieces."""
    taken = sorted(other, key=lambda each: each.start)
    found, at, reached = [], 0, 0
    for each in sorted(one, key=lambda each: each.start):
        start = max(each.start, reached)
        while at < len(taken) and taken[at].start < each.stop:
            found.append(range(start, taken[at].start))
            reached = max(reached, taken[at].stop)
            start = max(start, reached)
            at += 1
        found.append(range(start, each.stop))
    return tuple(filter(None, found))


def points_common(one: Points, other: Points) -> Points:
    """Return what is in both sets."""
    found = (range(max(a.start, b.start), min(a.stop, b.stop)) for a in one for b in other)
    return tuple(filter(None, found))
