"""A form of one's own, written as lines of rows, and the limits that keep it small."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from eightfold.forms import Form, Row, forms
from eightfold.forms.rows import Range
from eightfold.reference import signed

NAME = "own"
MOST_ROWS = 32
MOST_UNITS = 6
MOST_CHARACTERS = 4096
MOST_COMBINATIONS = 100_000
_RANGE = re.compile(r"(?:U\+|0x)?([0-9A-F]{1,8})(?:(?:-|\.\.)(?:U\+|0x)?([0-9A-F]{1,8}))?", re.ASCII | re.IGNORECASE)


def form_of(given: dict[str, Any]) -> Form:
    r"""Return the form that lines of rows define, each ``CODE POINTS: UNITS``; the rest of a line after # is a comment.

    Args:
        given: ``rows`` (the lines), ``unit_bits``, ``longest_match`` and ``joins_pairs``.

    Raises:
        ValueError: a line is not a row, or the rows contradict each other. The message names the line or the rows.

    >>> own = {"rows": "U+0000-U+007F: 00-7F\n80-7FF: C2-DF 80-BF  # two bytes"}
    >>> form_of({**own, "unit_bits": 8, "longest_match": False, "joins_pairs": False}).rows[1]
    Row(U+0080-U+07FF: C2-DF 80-BF)
    """
    rows: list[Row] = []
    for number, line in enumerate(given["rows"].split("\n"), start=1):
        written = line.partition("#")[0].strip()
        if not written:
            continue
        if len(rows) == MOST_ROWS:
            raise ValueError(f"line {number}: a form typed here has at most {MOST_ROWS} rows")
        try:
            rows.append(_row(written))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
    return Form(
        NAME,
        rows,
        unit_bits=given["unit_bits"],
        longest_match=given["longest_match"],
        joins_pairs=given["joins_pairs"],
        byte_order="big",
        source="typed by you",
    )


def _row(written: str) -> Row:
    points, colon, units = written.partition(":")
    ranges = [_range(each) for each in units.split()]
    if not colon or not ranges:
        raise ValueError("a row is CODE POINTS: UNITS, such as U+0080-U+07FF: C2-DF 80-BF")
    if len(ranges) > MOST_UNITS:
        raise ValueError(f"a sequence typed here has at most {MOST_UNITS} units")
    first, last = _range(points.strip())
    return Row(first, last, *ranges, source="typed by you")


def _range(written: str) -> Range:
    found = _RANGE.fullmatch(written)
    if found is None:
        raise ValueError(f"{written[:40]!r} is not a hex number or a range such as 80-7FF")
    return int(found[1], 16), int(found[2] or found[1], 16)


def is_comparable(own: Form) -> bool:
    """Return whether comparing a form with the built-in ones is cheap: :mod:`eightfold.family` combines rows.

    >>> from eightfold.forms import form
    >>> is_comparable(form("utf-8"))
    True
    """
    others = [signed(each)[0] for each in forms() if each.unit_bits == own.unit_bits]
    asked = chain.from_iterable(
        ((own, each, each), (each, own, own), (own, own, each), (each, each, own)) for each in others
    )
    combined = (
        _combinations(text, writer, entry.unit_ranges) for text, writer, reader in asked for entry in reader.sequences
    )
    return sum(combined) <= MOST_COMBINATIONS


def _combinations(text: Form, writer: Form, ranges: Sequence[Range]) -> int:
    """Return how many rows of a text are combined where sequences of a writer exactly fill some ranges of units."""
    ways = [1, *[0] * len(ranges)]
    for at, row in ((at, row) for at in range(len(ranges)) for row in writer.rows):
        end = at + len(row.unit_ranges)
        if ways[at] and end <= len(ranges) and all(map(_meet, row.unit_ranges, ranges[at:end])):
            points = (row.first, row.last)
            ways[end] += ways[at] * sum(_meet(points, (each.first, each.last)) for each in text.rows)
    return ways[-1]


def _meet(one: Range, other: Range) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


__all__ = ["MOST_CHARACTERS", "MOST_ROWS", "MOST_UNITS", "NAME", "form_of", "is_comparable"]
