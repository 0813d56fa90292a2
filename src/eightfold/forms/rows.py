"""The lines of an encoding's tables: rows, which are well-formed, and fault rows, which have a name.

Data only: :mod:`eightfold.reference` defines what they mean. A row that contradicts itself cannot be built.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple, NoReturn, SupportsIndex

from eightfold.faults import KINDS, Kind, code_point_name

Range = tuple[int, int]

LARGEST_VALUE = 0xFFFFFFFF
MOST_UNITS = 255
"""The maximum number of code units in a sequence of a table."""


def _range(given: SupportsIndex | Sequence[SupportsIndex]) -> Range:
    low: SupportsIndex
    high: SupportsIndex
    if isinstance(given, (tuple, list)) and len(given) == 2:
        low, high = given
    elif isinstance(given, range):
        if not given or given != range(given[0], given[-1] + 1):
            raise ValueError(f"a range of code units has at least one value and leaves none out, unlike {given}")
        low, high = given[0], given[-1]
    elif isinstance(given, SupportsIndex):
        low = high = given
    else:
        raise TypeError(f"the range of a code unit must be (lowest, highest), a range or one value, not {given!r}")
    first, last = _integers("code units", low, high)
    if not 0 <= first <= last <= LARGEST_VALUE:
        raise ValueError(f"not a range of code units: {first:X}-{last:X}")
    return first, last


def _shown(ranges: Sequence[Range]) -> str:
    return " ".join(f"{low:02X}" if low == high else f"{low:02X}-{high:02X}" for low, high in ranges)


class Fixed:
    """An immutable object, so that the results of its checks and all derived data stay valid."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be set")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable: {name!r} cannot be deleted")


class Row(Fixed):
    """A range of code points and the code units that write them: one line of an encoding's table.

    The code point is ``first`` plus the mixed-radix index of the units within their ranges, so the product of the
    ranges' widths must be the number of code points: a row proves itself.

    Args:
        first, last: the first and last code point, inclusive.
        unit_ranges: for each code unit, its lowest and highest value, inclusive; or a `range`; or a single value.
        source: the document that the row comes from.

    A row is immutable; it can be copied and pickled.

    Raises:
        ValueError: the widths do not match the number of code points, there are more than 255 code units, or a range is
            empty or leaves values out.
        TypeError: a code point is not an integer, a range is neither a pair of integers, a `range` nor an integer, or
            the source is not a str.

    >>> Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))
    Row(U+0080-U+07FF: C2-DF 80-BF)
    """

    __slots__ = ("first", "last", "source", "unit_ranges")

    first: int
    last: int
    source: str
    unit_ranges: tuple[Range, ...]

    def __init__(
        self,
        first: SupportsIndex,
        last: SupportsIndex,
        *unit_ranges: SupportsIndex | Sequence[SupportsIndex],
        source: str = "",
    ) -> None:
        first, last = _integers("code points", first, last)
        check_type("the source of a row", source, str)
        facts = {"first": first, "last": last, "unit_ranges": tuple(map(_range, unit_ranges)), "source": source}
        for name, fact in facts.items():
            object.__setattr__(self, name, fact)
        if not unit_ranges or not 0 <= first <= last <= LARGEST_VALUE:
            raise ValueError(f"{self} is empty or out of range")
        _check_length(self.unit_ranges)
        _check_count(self, self.unit_ranges, first, last)

    def __reduce__(self) -> tuple[Any, ...]:
        return _row, (self.first, self.last, self.unit_ranges, self.source)

    def __repr__(self) -> str:
        return f"Row({_points(self.first, self.last)}: {_shown(self.unit_ranges)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def _facts(self) -> tuple[Any, ...]:
        return self.first, self.last, self.unit_ranges


def _row(first: int, last: int, unit_ranges: tuple[Range, ...], source: str) -> Row:
    return Row(first, last, *unit_ranges, source=source)


class FaultRow(NamedTuple):
    """An ill-formed sequence that has a name. Create one with :func:`fault_row`, which checks it.

    >>> fault_row("invalid-byte", (0xFE, 0xFF)).unit_ranges
    ((254, 255),)

    Attributes:
        kind: the kind of fault.
        unit_ranges: as in :class:`Row`.
        first, last: the first and last intended code point, or None for both.
        run: ranges of units that continue the sequence; any number of them may follow. No longer row or
            decoding unit of the form may begin with the same units.
        source: the document that the row comes from.
    """

    kind: Kind
    unit_ranges: tuple[Range, ...]
    first: int | None = None
    last: int | None = None
    run: tuple[Range, ...] = ()
    source: str = ""


def fault_row(
    kind: Kind,
    *unit_ranges: SupportsIndex | Sequence[SupportsIndex],
    meant: Sequence[SupportsIndex] | None = None,
    run: Sequence[Sequence[SupportsIndex]] = (),
    source: str = "",
) -> FaultRow:
    """Return a checked :class:`FaultRow`.

    Args:
        kind: the kind of fault.
        unit_ranges: for each code unit, its lowest and highest value, inclusive; or a `range`; or a single value.
        meant: the first and last code point that the units would stand for.
        run: ranges of units that continue the sequence; any number of them may follow.
        source: the document that the row comes from.

    Raises:
        ValueError: unknown kind; no units, or more than 255; a range that is not one; or code points whose number is
            not the product of the ranges' widths.
        TypeError: a range is neither a pair of integers, a `range` nor an integer, or another argument is of the wrong
            type.

    >>> fault_row("overlong", (0xC0, 0xC1), (0x80, 0xBF), meant=(0, 0x7F)).kind
    'overlong'
    """
    if meant is not None and not (isinstance(meant, (tuple, list)) and len(meant) == 2):
        raise TypeError(f"the intended code points must be (first, last), not {meant!r}")
    if not isinstance(run, Sequence):
        raise TypeError(f"the ranges of a run must be a sequence, not {run!r}")
    first, last = (None, None) if meant is None else _integers("code points", *meant)
    row = FaultRow(kind, tuple(map(_range, unit_ranges)), first, last, tuple(map(_range, run)), source)
    check_fault_row(row)
    return row


def check_fault_row(row: FaultRow) -> None:
    """Check a fault row, which may not come from :func:`fault_row`.

    Raises:
        ValueError, TypeError: as for :func:`fault_row`.
    """
    check_type("the kind of a fault row", row.kind, str)
    check_type("the source of a fault row", row.source, str)
    if row.kind not in KINDS:
        raise ValueError(f"unknown kind of fault: {row.kind!r}")
    for ranges in (row.unit_ranges, row.run):
        if not isinstance(ranges, tuple) or ranges != tuple(map(_range, ranges)) or not _are_ints(*chain(*ranges)):
            raise TypeError(f"the ranges of {row} are not pairs of integers")
    if not row.unit_ranges:
        raise ValueError(f"{row} is empty: a sequence has at least one code unit")
    _check_length(row.unit_ranges)
    if (row.first is None) != (row.last is None):
        raise ValueError(f"{row}: the first and the last intended code point are both given, or neither is")
    if row.first is not None and row.last is not None:
        if not _are_ints(row.first, row.last):
            raise TypeError(f"code points must be integers, not {row.first!r} and {row.last!r}")
        if not 0 <= row.first <= row.last <= LARGEST_VALUE:
            raise ValueError(f"{row}: the intended code points are out of range")
        _check_count(row, row.unit_ranges, row.first, row.last)


def _points(first: int, last: int) -> str:
    return f"{code_point_name(first)}-{code_point_name(last)}"


def check_type(what: str, given: object, kind: type) -> None:
    """Check the type of an argument.

    Raises:
        TypeError: it is another.
    """
    if not isinstance(given, kind):
        raise TypeError(f"{what} must be of type {kind.__name__}, not {given!r}")


def _integers(what: str, first: SupportsIndex, last: SupportsIndex) -> Range:
    """Return integers of any kind, such as NumPy's, as ints."""
    try:
        return operator.index(first), operator.index(last)
    except TypeError:
        raise TypeError(f"{what} must be integers, not {first!r} and {last!r}") from None


def _are_ints(*given: object) -> bool:
    """Return whether integers are ints: those of NumPy overflow."""
    return all(isinstance(each, int) for each in given)


def _check_length(unit_ranges: Sequence[Range]) -> None:
    if len(unit_ranges) > MOST_UNITS:
        raise ValueError(f"a sequence has at most {MOST_UNITS} code units, not {len(unit_ranges)}")


def _check_count(row: object, unit_ranges: Sequence[Range], first: int, last: int) -> None:
    widths = prod(high - low + 1 for low, high in unit_ranges)
    if widths != last - first + 1:
        raise ValueError(f"{row}: the units have {widths} values for {last - first + 1} code points")
