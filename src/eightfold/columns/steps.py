"""The arrays inside an array, and the step from the rows of each to the rows of the outer one that show them."""

from __future__ import annotations

import json
from array import array as numbers_array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from eightfold.columns.arrow import compute, name_of, pyarrow
from eightfold.columns.unsupported import UnsupportedTypeError
from eightfold.columns.values import BrokenColumnError, check_offsets, offsets_of

_BLOCK_ROWS = 1 << 16
_LONGEST_NAME, _CUT_NAME = 1024, 100


class Shown(NamedTuple):
    """A row and the step or the path that leads on: a row that shows a value, or one that is shown.

    >>> Shown(3, "[0]").row
    3
    """

    row: int
    step: str


class Step(Protocol):
    """How the rows of an array show those of an array inside it.

    Attributes:
        keeps_order: whether no row is shown earlier than one that comes before it.
    """

    keeps_order: bool

    def outer(self, rows: range) -> Iterable[range]:
        """Yield the rows of the outer array that show one of some rows of the inner array, in order.

        Rows that show the same take no time of their own, as a run may have any number of them.
        """

    def inner(self, row: int, rows: range) -> Shown:
        """Return the first of some rows of the inner array that a row of the outer array shows, and the step to it."""

    def marked(self, marks: bytearray) -> bytearray:
        """Return a byte for each row of the outer array: 1 if it shows one that is marked with 1, else 0."""


def children(array: Any) -> Iterator[tuple[Any, Step]]:
    """Yield the arrays inside an array that its rows show, each with the step that leads from it to those rows.

    Raises:
        BrokenColumnError: the offsets of a list or a reference to a value lead nowhere.
        UnsupportedTypeError: a type that is not known here.

    >>> [(child, step)] = children(pyarrow().array([["a"], ["b", "c"]]))
    >>> child.to_pylist(), list(step.outer(range(2, 3))), step.inner(1, range(2, 3))
    (['a', 'b', 'c'], [range(1, 2)], Shown(row=2, step='[1]'))
    """
    types, type = pyarrow().types, array.type
    if types.is_list(type) or types.is_large_list(type) or types.is_map(type):
        first, end = bounds(array)
        _check_buffers(array)
        yield elements(array).slice(first, end - first), _Lists(array)
    elif types.is_fixed_size_list(type):
        size = type.list_size
        _check_buffers(array)
        if (array.offset + len(array)) * size > len(array.values):
            raise BrokenColumnError(0, "there are fewer elements than its lists have")
        yield array.values.slice(array.offset * size, len(array) * size), _FixedLists(array)
    elif types.is_struct(type):
        _check_buffers(array)
        valid = _Validity(array)
        for at in range(type.num_fields):
            yield array.field(at), _Fields(valid, type.field(at))
    elif types.is_dictionary(type):
        _check_buffers(array)
        yield array.dictionary, References(array.indices, len(array.dictionary), "")
    elif types.is_run_end_encoded(type):
        _check_buffers(array)
        runs = _Runs(array)
        yield array.values.slice(array.find_physical_offset(), array.find_physical_length()), runs
    elif types.is_union(type):
        _check_buffers(array)
        yield from _members(array)
    else:
        raise UnsupportedTypeError(type)


def _check_buffers(array: Any) -> None:
    """Check the lengths of buffers and inner arrays: pyarrow reads beyond the end of short ones, or aborts."""
    try:
        array.validate()
    except pyarrow().ArrowInvalid as error:
        raise BrokenColumnError(0, str(error)) from None


def _members(array: Any) -> Iterator[tuple[Any, Step]]:
    """Yield the members of a union, each with its step."""
    pa, type = pyarrow(), array.type
    codes = union_codes(array)
    unknown = compute().invert(compute().is_in(codes, pa.array(type.type_codes, pa.int8())))
    if compute().any(unknown).as_py():
        raise BrokenColumnError(compute().indices_nonzero(unknown)[0].as_py(), "its type is not one of the union")
    for at, code in enumerate(type.type_codes):
        step, child, chosen = f".{shown_name(name_of(type.field(at)))}", array.field(at), compute().equal(codes, code)
        if type.mode == "sparse":
            yield child, _Chosen(chosen, step)
        else:
            references = compute().if_else(chosen, union_offsets(array), pa.scalar(None, pa.int32()))
            yield child, References(references, len(child), step)


class _Validity:
    """The validity of an array, row by row."""

    def __init__(self, array: Any) -> None:
        self._bits: Any = array.buffers()[0]
        self._first = array.offset
        self._array = array

    @cached_property
    def _view(self) -> memoryview:
        return memoryview(self._bits).cast("B")

    def __getitem__(self, row: int) -> bool:
        if self._bits is None:
            return True
        at = self._first + row
        return bool(self._view[at // 8] >> at % 8 & 1)

    def among(self, rows: range) -> Iterator[range]:
        """Yield those of some rows that are valid, in order."""
        if self._bits is None:
            yield rows
        elif len(rows) == 1:
            yield from [rows] if self[rows.start] else ()
        else:
            for some in _blocks(rows):
                yield from _set(self._array.slice(some.start, len(some)).is_valid(), some.start)


def _blocks(rows: range) -> Iterator[range]:
    """Yield rows, some at a time."""
    for start in range(rows.start, rows.stop, _BLOCK_ROWS):
        yield range(start, min(start + _BLOCK_ROWS, rows.stop))


def _set(flags: Any, first: int) -> Iterator[range]:
    """Yield the places of the flags of a BooleanArray that are set, counted from a number."""
    for at in compute().indices_nonzero(flags).to_pylist() if flags.true_count else ():
        yield range(first + at, first + at + 1)


def _marked(marks: bytearray) -> Iterator[int]:
    """Yield the places of the marks that are set."""
    at = marks.find(1)
    while at >= 0:
        yield at
        at = marks.find(1, at + 1)


class _Lists:
    """The step from an element to its list."""

    keeps_order = True

    def __init__(self, array: Any) -> None:
        self._array, self._valid = array, _Validity(array)

    @cached_property
    def _offsets(self) -> numbers_array[int]:
        array = self._array
        return offsets_of(array.buffers()[1], offset_width(array.type), array.offset, len(array))

    def outer(self, rows: range) -> Iterator[range]:
        offsets = self._offsets
        first, last = (bisect_right(offsets, offsets[0] + row) - 1 for row in (rows[0], rows[-1]))
        for parent in range(first, last + 1):
            if self._valid[parent] and offsets[parent] < offsets[parent + 1]:
                yield range(parent, parent + 1)

    def inner(self, row: int, rows: range) -> Shown:
        start = self._offsets[row] - self._offsets[0]
        element = max(rows.start, start)
        return Shown(element, f"[{element - start}]")

    def marked(self, marks: bytearray) -> bytearray:
        offsets, found = self._offsets, bytearray(len(self._array))
        at = marks.find(1)
        while at >= 0:
            parent = bisect_right(offsets, offsets[0] + at) - 1
            found[parent] = self._valid[parent]
            at = marks.find(1, offsets[parent + 1] - offsets[0])
        return found


class _FixedLists:
    """The step from an element to its list of fixed size."""

    keeps_order = True

    def __init__(self, array: Any) -> None:
        self._size, self._count, self._valid = array.type.list_size, len(array), _Validity(array)

    def outer(self, rows: range) -> Iterator[range]:
        return self._valid.among(range(rows[0] // self._size, rows[-1] // self._size + 1))

    def inner(self, row: int, rows: range) -> Shown:
        element = max(rows.start, row * self._size)
        return Shown(element, f"[{element - row * self._size}]")

    def marked(self, marks: bytearray) -> bytearray:
        found = bytearray(self._count)
        at = marks.find(1)
        while at >= 0:
            parent = at // self._size
            found[parent] = self._valid[parent]
            at = marks.find(1, (parent + 1) * self._size)
        return found


class _Fields:
    """The step from a field to its struct."""

    keeps_order = True

    def __init__(self, valid: _Validity, field: Any) -> None:
        self._valid, self._step = valid, f".{shown_name(name_of(field))}"

    def outer(self, rows: range) -> Iterator[range]:
        return self._valid.among(rows)

    def inner(self, row: int, rows: range) -> Shown:
        return Shown(row, self._step)

    def marked(self, marks: bytearray) -> bytearray:
        for row in _marked(marks):
            marks[row] = self._valid[row]
        return marks


class References:
    """The step from a value to the rows that refer to it by its index: of a dictionary, a dense union, or shared views.

    >>> list(References(pyarrow().array([1, 0, 1], pyarrow().int8()), 2, "").outer(range(1, 2)))
    [range(0, 1), range(2, 3)]
    """

    keeps_order = False

    def __init__(self, references: Any, limit: int, step: str) -> None:
        self._references, self._step = references, step
        _check_references(references, limit)

    @cached_property
    def _firsts(self) -> dict[int, int]:
        pa = pyarrow()
        rows = pa.table([self._references, pa.array(range(len(self._references)), pa.int64())], ["to", "row"])
        firsts = rows.group_by("to").aggregate([("row", "min")])
        return dict(zip(firsts["to"].to_pylist(), firsts["row_min"].to_pylist(), strict=True))

    @cached_property
    def _by_value(self) -> tuple[memoryview, memoryview]:
        """The values that are referred to, in order, once for each reference, and the row of each, in order too."""
        pa, known = pyarrow(), len(self._references) - self._references.null_count
        rows = pa.array(range(len(self._references)), pa.int64())
        table = pa.table([self._references.cast(pa.int64()), rows], ["to", "row"])
        ordered = table.sort_by([("to", "ascending"), ("row", "ascending")]).slice(0, known)
        values, rows = (_int64s(ordered[name].combine_chunks()) for name in ("to", "row"))
        return values, rows

    def outer(self, rows: range) -> Iterator[range]:
        """Yield the rows that refer to one of some values, in order."""
        if len(rows) == 1:
            first = self._firsts.get(rows.start)
            if first is None:
                return
            yield range(first, first + 1)
        # The others are asked for only where the first is not shown.
        values, referring = self._by_value
        found = referring[bisect_left(values, rows.start) : bisect_left(values, rows.stop)]
        for row in found[1:] if len(rows) == 1 else sorted(found):
            yield range(row, row + 1)

    def inner(self, row: int, rows: range) -> Shown:
        """Return the value that a row refers to."""
        return Shown(rows.start if len(rows) == 1 else self._references[row].as_py(), self._step)

    def marked(self, marks: bytearray) -> bytearray:
        """Return a byte for each row: 1 if it refers to a value that is marked with 1, else 0."""
        pa = pyarrow()
        values = pa.Array.from_buffers(pa.uint8(), len(marks), [None, pa.py_buffer(marks)])
        found = values.take(self._references).fill_null(0)
        return bytearray(memoryview(found.buffers()[1])[found.offset : found.offset + len(found)])


def _int64s(array: Any) -> memoryview:
    """Return the values of an Int64Array without nulls."""
    return memoryview(array.buffers()[1]).cast("B").cast("q")[array.offset : array.offset + len(array)]


def _check_references(references: Any, limit: int) -> None:
    ends = compute().min_max(references).as_py()
    if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < limit:
        outside = compute().or_(compute().less(references, 0), compute().greater_equal(references, limit))
        row = compute().indices_nonzero(outside)[0].as_py()
        raise BrokenColumnError(row, "it refers to a value that does not exist")


class _Chosen:
    """The step from a member of a sparse union to the rows that show it."""

    keeps_order = True

    def __init__(self, chosen: Any, step: str) -> None:
        self._chosen, self._step = chosen, step

    def outer(self, rows: range) -> Iterator[range]:
        for some in _blocks(rows):
            yield from _set(self._chosen.slice(some.start, len(some)), some.start)

    def inner(self, row: int, rows: range) -> Shown:
        return Shown(row, self._step)

    def marked(self, marks: bytearray) -> bytearray:
        for row in _marked(marks):
            marks[row] = self._chosen[row].as_py()
        return marks


class _Runs:
    """The step from the value of a run to its rows."""

    keeps_order = True

    def __init__(self, array: Any) -> None:
        ends = array.run_ends
        is_rising = len(ends) < 2 or compute().all(compute().greater(ends[1:], ends[:-1])).as_py()
        reach = ends[-1].as_py() if len(ends) else 0
        if not is_rising or (len(ends) and ends[0].as_py() < 1) or len(array.values) < len(ends):
            raise BrokenColumnError(0, "the ends of its runs do not rise")
        if reach < array.offset + len(array):
            raise BrokenColumnError(max(0, reach - array.offset), "no run reaches it")
        self._array, self._first = array, array.find_physical_offset()

    def _rows(self, run: int) -> range:
        ends, array, at = self._array.run_ends, self._array, self._first + run
        start = ends[at - 1].as_py() if at else 0
        return range(max(0, start - array.offset), min(len(array), ends[at].as_py() - array.offset))

    def outer(self, rows: range) -> tuple[range]:
        return (range(self._rows(rows[0]).start, self._rows(rows[-1]).stop),)

    def inner(self, row: int, rows: range) -> Shown:
        if len(rows) == 1:
            return Shown(rows.start, "")
        ends, place = self._array.run_ends, row + self._array.offset
        return Shown(bisect_right(ends, place, key=lambda end: end.as_py()) - self._first, "")

    def marked(self, marks: bytearray) -> bytearray:
        found = bytearray(len(self._array))
        for run in _marked(marks):
            rows = self._rows(run)
            found[rows.start : rows.stop] = b"\1" * len(rows)
        return found


def elements(array: Any) -> Any:
    """Return all elements of an array of lists or maps: of a map, structs of key and value.

    >>> elements(pyarrow().array([["a"], ["b"]])[1:]).to_pylist()
    ['a', 'b']
    """
    if not pyarrow().types.is_map(array.type):
        return array.values
    pa, entry = pyarrow(), array.type.field(0)
    # The keys or the items may go on behind the last entry.
    count = min(len(array.keys), len(array.items))
    entries = [array.keys.slice(0, count), array.items.slice(0, count)]
    return pa.StructArray.from_arrays(entries, fields=[entry.type.field(0), entry.type.field(1)])


def offset_width(type: Any) -> int:
    """Return the bytes of an offset of lists.

    >>> offset_width(pyarrow().large_list(pyarrow().int8()))
    8
    """
    return 8 if pyarrow().types.is_large_list(type) else 4


def bounds(array: Any) -> tuple[int, int]:
    """Return where the elements begin and end that the rows of an array of lists show.

    Raises:
        BrokenColumnError: an offset is greater than the next, or outside of the elements.

    >>> bounds(pyarrow().array([["a"], ["b"], ["c"]])[1:2])
    (1, 2)
    """
    width, buffer = offset_width(array.type), array.buffers()[1]
    limit = min(len(array.keys), len(array.items)) if pyarrow().types.is_map(array.type) else len(array.values)
    check_offsets(buffer, width, array.offset, len(array), limit)
    if not len(array):
        return 0, 0
    (first,) = offsets_of(buffer, width, array.offset, 0)
    (end,) = offsets_of(buffer, width, array.offset + len(array), 0)
    return first, end


def union_codes(array: Any) -> Any:
    """Return the type codes of a union's rows; pyarrow's own ignore where a slice begins.

    Of no rows that another library gives, the buffer may be empty although they begin behind its first code.

    >>> pa = pyarrow()
    >>> union = pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array(["a", "b"]), pa.array([1, 2])])
    >>> union_codes(union[1:]).to_pylist()
    [1]
    """
    pa = pyarrow()
    if not len(array):
        return pa.array([], pa.int8())
    return pa.Array.from_buffers(pa.int8(), len(array), [None, array.buffers()[1]], 0, array.offset)


def union_offsets(array: Any) -> Any:
    """Return the offsets of a dense union's rows into its members.

    >>> pa = pyarrow()
    >>> codes, offsets = pa.array([0, 0], pa.int8()), pa.array([1, 0], pa.int32())
    >>> union_offsets(pa.UnionArray.from_dense(codes, offsets, [pa.array(["a", "b"])])[1:]).to_pylist()
    [0]
    """
    pa = pyarrow()
    return pa.Array.from_buffers(pa.int32(), len(array), [None, array.buffers()[2]], 0, array.offset)


def shown_name(name: str) -> str:
    r"""Return a name as a path begins with it: unchanged, or as a JSON string if it is not a plain word.

    A name of more than 1,024 characters is cut, as each fault of its column repeats it.

    >>> shown_name("name"), shown_name("a.b"), shown_name("")
    ('name', '"a.b"', '""')
    >>> len(shown_name("a" * 1025))
    103
    """
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_CUT_NAME]}…"
    return name if name.isidentifier() and name.isprintable() else json.dumps(name, ensure_ascii=not name.isprintable())


__all__ = [
    "References",
    "Shown",
    "Step",
    "bounds",
    "children",
    "elements",
    "offset_width",
    "shown_name",
    "union_codes",
    "union_offsets",
]
