r"""The work on one column of buffers, in one call. This module knows no Arrow library, only the layouts.

Buffers are data of a stranger. Each place is checked before it is used; buffers that contradict each other raise
:class:`BrokenColumnError`. The functions marked with `bind` are the reference implementation: the core has its own,
which examines values that are the same text in UTF-8 many at a time, without the global lock and on several threads.

Rows, starts and ends are returned as the bytes of 64-bit integers in the order of the machine, ready for a buffer.

>>> from array import array
>>> column = Column("offsets", 4, array("i", [0, 2, 3]), (b"ok\xff",), None, 0, 2)
>>> numbers(ill_formed_rows(column, "utf-8"))
array('q', [1])
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from eightfold._engine import bind, compare, twins_of
from eightfold.arguments import AnyErrors, AnyForm, Data
from eightfold.faults import KINDS, UNITS_KEPT, ConversionError
from eightfold.text import convert, faults, is_well_formed

NO_CODE_POINT = 0xFFFF_FFFF
"""The code point of a fault that has none, in the result of :func:`column_faults`."""
compare(NO_CODE_POINT=NO_CODE_POINT)

INLINE_BYTES = 12
"""The length of the longest value that lies in its view itself."""
_VIEW = struct.Struct("=i4sii")
_OUTSIDE = "its bytes are outside its buffer"
_FALLS = "its offset is greater than the next"
_SHORT = "the buffer of its places is too short"
_SHORT_VALIDITY = "the validity buffer is too short"
_LARGEST = {4: 2**31 - 1, 8: 2**63 - 1}


def row_place(column: str | None, row: int) -> str:
    """Return a row as errors name it, with the path of its column if that is known.

    >>> row_place("name", 3), row_place("", 3)
    ('column name, row 3', 'row 3')
    """
    return f"column {column}, row {row}" if column else f"row {row}"


class BrokenColumnError(ValueError):
    """Raised when the buffers of a column contradict each other.

    Attributes:
        row: the row, from 0.
        what: what is wrong there.
        column: the path of the column, if it is known.

    >>> str(BrokenColumnError(3, "its offset is greater than the next", "name"))
    'column name, row 3: its offset is greater than the next'
    """

    def __init__(self, row: int, what: str, column: str | None = None) -> None:
        super().__init__(f"{row_place(column, row)}: {what}")
        self.row: int = row
        self.what: str = what
        self.column: str | None = column

    def __reduce__(self) -> tuple[type[BrokenColumnError], tuple[int, str, str | None]]:
        return type(self), (self.row, self.what, self.column)


class Column(NamedTuple):
    """Values of which some may be null, as the buffers of an array hold them.

    Attributes:
        kind: ``offsets``, ``fixed`` or ``views``.
        width: the bytes of an offset, of a value or of a view.
        places: the buffer of offsets or of views; None if values are fixed.
        data: the buffers of the bytes: one, but for views any number.
        validity: the bits of the values that are not null; None if none is null.
        first: the index in the buffers of the first value.
        length: the number of values.

    >>> Column("fixed", 2, None, (b"abcd",), None, 0, 2).length
    2
    """

    kind: str
    width: int
    places: Data | None
    data: tuple[Data | None, ...]
    validity: Data | None
    first: int
    length: int

    @property
    def is_of_no_bytes(self) -> bool:
        """Whether all values are empty by their type: such rows take no space, and there may be any number of them."""
        return self.kind == "fixed" and not self.width


class Findings(NamedTuple):
    r"""The faults of a column, as buffers of one number or value for each.

    Attributes:
        rows, starts, ends: 64-bit integers; offsets count bytes of the value.
        kinds: 8-bit indices in :data:`eightfold.faults.KINDS`.
        code_points: 32-bit integers; `NO_CODE_POINT` for a fault without one.
        at_end: 8-bit integers, 1 if the end of the value cut the sequence short.
        unit_ends: 64-bit offsets into the units, one more than there are faults.
        units: the bytes of the faults one after the other, at most :data:`eightfold.faults.UNITS_KEPT` of each.

    >>> Findings(*column_faults(Column("fixed", 2, None, (b"ok\xff\xff",), None, 0, 2), "utf-8")).units
    b'\xff\xff'
    """

    rows: bytes
    starts: bytes
    ends: bytes
    kinds: bytes
    code_points: bytes
    at_end: bytes
    unit_ends: bytes
    units: bytes


class Changes(NamedTuple):
    """New values for some rows.

    Attributes:
        rows: the rows, in order.
        ends: where each new value ends in the values.
        values: the new values one after the other.
        asked: rows that the engine leaves to the verb: a value that cannot be converted, or one for a foreign handler.

    >>> numbers(Changes(*column_changes(Column("fixed", 1, None, (b"ab",), None, 0, 2), "utf-8", "utf-16-le")).rows)
    array('q', [0, 1])
    """

    rows: bytes
    ends: bytes
    values: bytes
    asked: bytes

    def items(self) -> Iterator[tuple[int, bytes]]:
        """Yield the rows with their new values."""
        start = 0
        for row, end in zip(numbers(self.rows), numbers(self.ends), strict=True):
            yield row, self.values[start:end]
            start = end


def numbers(data: bytes) -> array[int]:
    """Return 64-bit integers from their bytes.

    >>> numbers(bytes(16))
    array('q', [0, 0])
    """
    return array("q", data)


def each_value(column: Column, rows: Iterable[int] | None = None) -> Iterator[tuple[int, bytes]]:
    r"""Yield rows of a column with their values, without those that are null.

    Args:
        column: the column.
        rows: the rows; None for all.

    Raises:
        BrokenColumnError: a value lies outside its buffer, an offset falls, or a buffer is too short.

    >>> list(each_value(Column("fixed", 1, None, (b"abc",), b"\x05", 0, 3)))
    [(0, b'a'), (2, b'c')]
    """
    if not column.length:
        return
    validity = _bits(column)
    read = _READERS[column.kind](column)
    for row in range(column.length) if rows is None else rows:
        is_valid = validity is None or validity[(column.first + row) // 8] >> (column.first + row) % 8 & 1
        value = read(row, bool(is_valid))
        if is_valid:
            yield row, value


def _bytes(buffer: Data | None) -> memoryview:
    return memoryview(b"") if buffer is None else memoryview(buffer).cast("B")


def _bits(column: Column) -> memoryview | None:
    if column.validity is None or not column.length:
        return None
    bits = _bytes(column.validity)
    if len(bits) * 8 < column.first + column.length:
        raise BrokenColumnError(0, _SHORT_VALIDITY)
    return bits


class _OffsetsReader:
    """Reads values between offsets."""

    def __init__(self, column: Column) -> None:
        self._offsets = offsets_of(column.places, column.width, column.first, column.length)
        self._data = _bytes(column.data[0] if column.data else None)

    def __call__(self, row: int, is_valid: bool) -> bytes:
        check_pair(row, self._offsets[row], self._offsets[row + 1], len(self._data))
        return bytes(self._data[self._offsets[row] : self._offsets[row + 1]])


class _FixedReader:
    """Reads values of a fixed size."""

    def __init__(self, column: Column) -> None:
        self._width, self._first = column.width, column.first
        self._data = _bytes(column.data[0] if column.data else None)
        if self._first * self._width > len(self._data):
            raise BrokenColumnError(0, _SHORT)

    def __call__(self, row: int, is_valid: bool) -> bytes:
        start = (self._first + row) * self._width
        if start + self._width > len(self._data):
            raise BrokenColumnError(row, _OUTSIDE)
        return bytes(self._data[start : start + self._width])


class _ViewsReader:
    """Reads values behind views; the view of a null means nothing."""

    def __init__(self, column: Column) -> None:
        self._views, self._first = _bytes(column.places), column.first
        self._buffers = [_bytes(buffer) for buffer in column.data]
        if len(self._views) < (column.first + column.length) * _VIEW.size:
            raise BrokenColumnError(0, _SHORT)

    def __call__(self, row: int, is_valid: bool) -> bytes:
        at = (self._first + row) * _VIEW.size
        length, _, buffer, start = _VIEW.unpack_from(self._views, at)
        if not is_valid:
            return b""
        if 0 <= length <= INLINE_BYTES:
            return bytes(self._views[at + 4 : at + 4 + length])
        if length < 0 or not 0 <= buffer < len(self._buffers) or not 0 <= start <= len(self._buffers[buffer]) - length:
            raise BrokenColumnError(row, _OUTSIDE)
        return bytes(self._buffers[buffer][start : start + length])


_READERS: dict[str, Callable[[Column], Callable[[int, bool], bytes]]] = {
    "offsets": _OffsetsReader,
    "fixed": _FixedReader,
    "views": _ViewsReader,
}
"""What reads the value of a row, given whether it is valid, by the kind of the column."""


def offsets_of(buffer: Data | None, width: int, first: int, count: int) -> array[int]:
    """Return one more than so many offsets from a buffer that need not be aligned; they are not checked.

    Raises:
        BrokenColumnError: the buffer is too short.

    >>> offsets_of(array("i", [0, 2, 3]), 4, 1, 1)
    array('i', [2, 3])
    """
    data, typecode = _bytes(buffer), "i" if width == 4 else "q"
    if len(data) < (first + count + 1) * width:
        if count == 0:
            return array(typecode, [0])
        raise BrokenColumnError(0, _SHORT)
    return array(typecode, data[first * width : (first + count + 1) * width].tobytes())


def check_pair(row: int, start: int, end: int, limit: int) -> None:
    """Check the offsets of one row.

    Raises:
        BrokenColumnError: they fall, or are outside of so many bytes or elements.

    >>> check_pair(0, 0, 3, 3)
    """
    if start > end >= 0:
        raise BrokenColumnError(row, _FALLS)
    if not 0 <= start <= end <= limit:
        raise BrokenColumnError(row, _OUTSIDE)


@bind
def check_offsets(offsets: Data | None, width: int, first: int, count: int, limit: int) -> None:
    """Check the offsets of lists into so many elements.

    Args:
        offsets: a buffer of offsets of ``width`` bytes, 4 or 8.
        first, count: the lists to check.
        limit: the number of elements.

    Raises:
        BrokenColumnError: an offset is greater than the next, or outside of the elements.

    >>> check_offsets(array("i", [0, 2, 3]), 4, 0, 2, 3)
    """
    if count:
        found = offsets_of(offsets, width, first, count)
        for row in range(count):
            check_pair(row, found[row], found[row + 1], limit)


@bind
def ill_formed_rows(column: Column, form: AnyForm, *, threads: int = 1) -> bytes:
    r"""Return the rows of a column whose values are ill-formed, in order. Nulls are none of them.

    Args:
        column: the column.
        form: a Form or its name.
        threads: the maximum number of threads.

    Raises:
        BrokenColumnError: the buffers contradict each other.
        LookupError: unknown form.

    >>> numbers(ill_formed_rows(Column("fixed", 1, None, (b"a\xffb\xfe",), None, 0, 4), "utf-8"))
    array('q', [1, 3])
    """
    return array("q", (row for row, value in each_value(column) if not is_well_formed(value, form))).tobytes()


@bind
def cleared_bits(count: int, rows: bytes) -> bytes:
    """Return so many bits, all set but those of some rows.

    Args:
        count: the number of bits; those that fill the last byte are not defined.
        rows: 64-bit row numbers.

    Raises:
        ValueError: a row is beyond the bits.

    >>> cleared_bits(9, array("q", [0, 8]).tobytes()).hex()
    'fefe'
    """
    bits = bytearray(b"\xff" * ((count + 7) // 8))
    for row in numbers(rows):
        if not 0 <= row // 8 < len(bits):
            raise ValueError("there is no such row")
        bits[row // 8] &= ~(1 << row % 8)
    return bytes(bits)


@bind
def column_faults(
    column: Column, form: AnyForm, limit: int | None = None, *, threads: int = 1
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
    r"""Return the faults of all values of a column, in order: the parts of :class:`Findings`.

    Args:
        column: the column.
        form: a Form or its name.
        limit: the maximum number of faults; None for all.
        threads: the maximum number of threads.

    Raises:
        BrokenColumnError: the buffers contradict each other.
        LookupError: unknown form. ValueError: ``limit`` is out of range.

    >>> numbers(column_faults(Column("fixed", 1, None, (b"a\xff",), None, 0, 2), "utf-8")[0])
    array('q', [1])
    """
    rows, starts, ends, unit_ends = array("q"), array("q"), array("q"), array("q", [0])
    kinds, code_points, at_end, units = bytearray(), array("I"), bytearray(), bytearray()
    places = {kind: at for at, kind in enumerate(KINDS)}
    list(faults(b"", form, limit))  # refuses a limit that is out of range
    for row, value in each_value(column):
        left = None if limit is None else limit - len(rows)
        for fault in faults(value, form, left):
            rows.append(row)
            starts.append(fault.start)
            ends.append(fault.end)
            kinds.append(places[fault.kind])
            code_points.append(NO_CODE_POINT if fault.code_point is None else fault.code_point)
            at_end.append(fault.at_end)
            units += fault.units[:UNITS_KEPT]
            unit_ends.append(len(units))
    return (
        *(rows.tobytes(), starts.tobytes(), ends.tobytes(), bytes(kinds)),
        *(code_points.tobytes(), bytes(at_end), unit_ends.tobytes(), bytes(units)),
    )


@bind
def column_changes(
    column: Column, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict", *, threads: int = 1
) -> tuple[bytes, bytes, bytes, bytes]:
    r"""Return what the values of a column become in another form, where they change: the parts of :class:`Changes`.

    Args:
        column: the column, in the source form.
        source, target: Forms or names.
        errors: a policy, as for :func:`eightfold.convert`.
        threads: the maximum number of threads.

    Raises:
        BrokenColumnError: the buffers contradict each other.
        LookupError: unknown form or policy. ValueError: a form refuses the policy.

    >>> Changes(*column_changes(Column("fixed", 1, None, (b"a\xff",), None, 0, 2), "xtf-8", "utf-8")).values.decode()
    '\uefff'
    """
    convert(b"", source, target, errors)  # refuses a policy that does not exist
    rows, ends, new, asked = array("q"), array("q"), bytearray(), array("q")
    for row, value in each_value(column):
        try:
            converted = convert(value, source, target, errors)
        except ConversionError:
            asked.append(row)
            continue
        if converted != value:
            rows.append(row)
            new += converted
            ends.append(len(new))
    return rows.tobytes(), ends.tobytes(), bytes(new), asked.tobytes()


@bind
def spliced_column(column: Column, rows: bytes, ends: bytes, values: bytes) -> tuple[bytes | None, bytes, bytes | None]:
    """Return the places and the data of a column with new values for some rows, from its first value on.

    Fixed values have no places. For views, the data are a buffer behind those of the column, and a third part has one
    byte for each of these: 0 if it is no longer used. Some readers check whole buffers, not values, so a buffer with a
    value that is replaced is given up, and its other values are copied.

    Args:
        column: the column.
        rows, ends, values: the rows in order, and their values, as in :class:`Changes`.

    Raises:
        BrokenColumnError: the buffers contradict each other.
        OverflowError: the values do not fit 32-bit offsets.
        ValueError: the rows are not in order, or there is no value for one.

    >>> column = Column("offsets", 4, array("i", [0, 1, 2]), (b"ab",), None, 0, 2)
    >>> spliced_column(column, array("q", [1]).tobytes(), array("q", [3]).tobytes(), b"new")[1]
    b'anew'
    """
    new = dict(_new_values(column, numbers(rows), numbers(ends), values))
    if column.kind == "views":
        return _spliced_views(column, new)
    old = _values_of_all(column)
    parts = [new.get(row, value) for row, value in enumerate(old)]
    if column.kind == "fixed":
        return None, b"".join(parts), None
    typecode, places, end = ("i" if column.width == 4 else "q"), [0], 0
    for part in parts:
        end += len(part)
        places.append(end)
    if end > _LARGEST[column.width]:
        raise OverflowError("the values no longer fit 32-bit offsets")
    return array(typecode, places).tobytes(), b"".join(parts), None


def _new_values(column: Column, rows: Sequence[int], ends: Sequence[int], values: bytes) -> Iterator[tuple[int, bytes]]:
    starts = [0, *ends]
    are_in_order = all(one < other for one, other in pairwise(rows)) and sorted(starts) == starts
    are_within = not rows or (rows[0] >= 0 and rows[-1] < column.length)
    if len(rows) != len(ends) or not are_in_order or not are_within or starts[-1] > len(values):
        raise ValueError("the new values are not in the order of their rows")
    return ((row, values[start:end]) for row, start, end in zip(rows, starts, ends, strict=False))


def _values_of_all(column: Column) -> Iterator[bytes]:
    """Yield the values of all rows, null or not."""
    _bits(column)
    return (value for _, value in each_value(column._replace(validity=None)))


def _spliced_views(column: Column, new: dict[int, bytes]) -> tuple[bytes, bytes, bytes]:
    old = dict(each_value(column))
    size = _VIEW.size
    before = _bytes(column.places)[column.first * size : (column.first + column.length) * size]
    pointed = {row: _VIEW.unpack_from(before, row * size)[2] for row, value in old.items() if len(value) > INLINE_BYTES}
    given_up = {pointed[row] for row in new if row in pointed}
    views, data = bytearray(), bytearray()
    for row in range(column.length):
        value = new.get(row, old.get(row))
        if row not in new and value is not None and pointed.get(row) not in given_up:
            views += before[row * size : (row + 1) * size]
        elif value is None or len(value) <= INLINE_BYTES:
            views += struct.pack("=i", len(value or b"")) + (value or b"").ljust(INLINE_BYTES, b"\0")
        else:
            views += _VIEW.pack(len(value), value[:4], len(column.data), len(data))
            data += value
    return bytes(views), bytes(data), bytes(number not in given_up for number in range(len(column.data)))


TWINS = twins_of(__name__)
"""The reference implementation of each function, whichever engine is active."""

__all__ = [
    "NO_CODE_POINT",
    "BrokenColumnError",
    "Changes",
    "Column",
    "Findings",
    "TWINS",
    "check_offsets",
    "check_pair",
    "cleared_bits",
    "column_changes",
    "column_faults",
    "each_value",
    "ill_formed_rows",
    "numbers",
    "offsets_of",
    "row_place",
    "spliced_column",
]
