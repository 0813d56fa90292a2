r"""The values in which two versions of a table differ, and a table with such values in it.

A value is found by its *leaf*, an array of strings inside the table, counted in the order of columns, and by its place
there. A leaf under a dictionary has the values of the dictionary, or, `by_row`, those of the rows that refer to them:
Parquet does not keep how a dictionary is laid out, and Arrow IPC does not let one differ between record batches.

>>> before, after = (pyarrow().table({"name": pyarrow().array(["a", name])}) for name in ("b", "c"))
>>> (change,) = changes_between(before, after, 0)
>>> change.column, change.row, change.old, change.new
('name', 1, b'b', b'c')
>>> with_values(after, [change], old=True).equals(before)
True
"""

from __future__ import annotations

from array import array as numbers_array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from eightfold.columns.arrow import as_type, binary_type, column_of, compute, is_text, name_of, pyarrow, type_name
from eightfold.columns.carriers import carried_form
from eightfold.columns.nested import Way, holds_text, shown_by
from eightfold.columns.rebuilding import assembled
from eightfold.columns.splicing import changed_rows, spliced
from eightfold.columns.steps import Shown, children, shown_name, union_codes
from eightfold.columns.values import each_value
from eightfold.files.records.table_changes import ValueChange
from eightfold.repair import PlanError

_OTHER_VALUES = "the plan is for other values: make a new one"


class _Leaf(NamedTuple):
    """An array of strings inside another, as binary values; and how the outermost array shows it."""

    array: Any
    way: Way | None


def _leaves(array: Any, by_row: bool, way: Way | None = None) -> Iterator[_Leaf]:
    type = array.type
    if type_name(type):
        if is_text(type):
            yield _Leaf(_binary(array), way)
    elif _has_no_leaves(type):
        return
    elif isinstance(array, pyarrow().ExtensionArray):
        yield from _leaves(array.storage, by_row, way)
    elif by_row and _is_dictionary(type):
        yield _Leaf(_binary(array.dictionary).take(array.indices), way)
    else:
        for child, step in children(array):
            yield from _leaves(child, by_row, Way(step, way))


def _has_no_leaves(type: Any) -> bool:
    return carried_form(type) is not None or not holds_text(type, binary=False)


def _is_dictionary(type: Any) -> bool:
    """Return whether a type is a dictionary of strings, and not one of lists or the like."""
    return pyarrow().types.is_dictionary(type) and is_text(type.value_type)


def _binary(array: Any) -> Any:
    """Return strings as binary values of a type that pyarrow can compare and take from."""
    given = as_type(array, binary_type(array.type))
    return given.cast(pyarrow().large_binary()) if type_name(given.type) == "binary_view" else given


def _chunks(column: Any) -> list[Any]:
    """Return the arrays of a column of a table or of a record batch, one at least."""
    return getattr(column, "chunks", [column]) or [pyarrow().nulls(0, column.type)]


def changes_between(before: Any, after: Any, group: int, *, by_row: bool = True) -> Iterator[ValueChange]:
    """Yield the values in which two versions of some rows differ.

    Args:
        before, after: Tables or RecordBatches of pyarrow, of the same types and the same number of rows.
        group: the number of the row group, for the changes.
        by_row: whether dictionaries count as the rows that refer to them.

    Raises:
        BrokenColumnError: buffers contradict each other.
        PlanError: they differ in more than values.
    """
    leaf = 0
    for at in range(before.num_columns):
        name = shown_name(name_of(before.schema.field(at)))
        old, new = (_Spread(_chunks(given.column(at)), by_row) for given in (before, after))
        for number, changes in enumerate(old.differences(new)):
            for row, shown, values in changes:
                place, path = shown or (None, "")
                yield ValueChange(name + path, group, place, leaf + number, row, *values)
        leaf += old.leaf_count


_Difference = tuple[int, Shown | None, tuple[bytes, bytes]]


class _Spread:
    """The leaves of a column, each over all chunks."""

    def __init__(self, chunks: list[Any], by_row: bool) -> None:
        self._leaves = list(zip(*(list(_leaves(chunk, by_row)) for chunk in chunks), strict=True))
        self._first_rows = [0, *accumulate(map(len, chunks))]
        self.leaf_count: int = len(self._leaves)

    def differences(self, other: _Spread) -> Iterator[Iterator[_Difference]]:
        """Yield the differences of each leaf: its place, the row and the path that show it, and both values."""
        for mine, theirs in zip(self._leaves, other._leaves, strict=True):
            yield self._between(mine, theirs)

    def _between(self, mine: Sequence[_Leaf], theirs: Sequence[_Leaf]) -> Iterator[_Difference]:
        pa = pyarrow()
        old, new = (pa.chunked_array([leaf.array for leaf in each]) for each in (mine, theirs))
        if len(old) != len(new) or not old.is_null().equals(new.is_null()):
            raise PlanError("the result has other rows")
        places = compute().indices_nonzero(compute().not_equal(old, new))
        starts = [0, *accumulate(len(leaf.array) for leaf in mine)]
        pairs = zip(places.to_pylist(), old.take(places).to_pylist(), new.take(places).to_pylist(), strict=True)
        for at, before, after in pairs:
            chunk = bisect_right(starts, at) - 1
            shown = shown_by(mine[chunk].way, at - starts[chunk])
            place = None if shown is None else shown._replace(row=self._first_rows[chunk] + shown.row)
            yield at, place, (before, after)


def is_same(one: Any, other: Any) -> bool:
    """Return whether two tables or record batches hold the same values; NaN is itself, by its bits.

    >>> pa = pyarrow()
    >>> is_same(pa.table({"a": [float("nan")]}), pa.table({"a": [float("nan")]}))
    True
    """
    if one.num_columns != other.num_columns or one.num_rows != other.num_rows:
        return False
    pairs = zip(_columns(one), _columns(other), strict=True)
    return all(_is_same_column(*pair) for pair in pairs) and not any(changes_between(one, other, 0))


def _columns(data: Any) -> list[Any]:
    return [data.column(at) for at in range(data.num_columns)]


def _is_same_column(one: Any, other: Any) -> bool:
    if one.type != other.type:
        return False
    # Of dictionaries only the values of rows count, which changes_between compares.
    return one.equals(other) or _is_dictionary(one.type) or _has_same_bits(one, other)


def _has_same_bits(one: Any, other: Any) -> bool:
    """Return whether two columns of a type hold the same floats by their bits, and all else alike.

    False, too, if pyarrow cannot take such a column apart.
    """
    pa = pyarrow()
    try:
        mine, theirs = ([pa.concat_arrays(each) for each in _parts_of(column)] for column in (one, other))
    except pa.ArrowException:
        return False
    return len(mine) == len(theirs) and all(map(pa.Array.equals, mine, theirs))


def _parts_of(column: Any) -> Iterator[list[Any]]:
    yield from map(list, zip(*map(_parts, _chunks(column)), strict=True))


def _parts(array: Any) -> Iterator[Any]:
    """Yield arrays that say together what an array says, with integers of the same bits in place of floats."""
    pa, types, type = pyarrow(), pyarrow().types, array.type
    if types.is_floating(type):
        yield array.view({16: pa.int16(), 32: pa.int32(), 64: pa.int64()}[type.bit_width])
    elif isinstance(array, pa.ExtensionArray):
        yield from _parts(array.storage)
    elif types.is_dictionary(type):
        yield from _parts(array.dictionary.take(array.indices))
    elif types.is_run_end_encoded(type):
        runs = array.find_physical_offset(), array.find_physical_length()
        yield array.run_ends.slice(*runs)
        yield from _parts(array.values.slice(*runs))
    elif types.is_map(type):
        yield from _parts(array.cast(pa.list_(type.field(0))))
    elif types.is_union(type):
        yield union_codes(array)
        yield from chain(*(_parts(child) for child, _ in children(array)))
    elif type.num_fields:
        yield array.is_null()
        yield from _parts_inside(array)
    else:
        yield array


def _parts_inside(array: Any) -> Iterator[Any]:
    if pyarrow().types.is_struct(array.type):
        yield from chain(*map(_parts, array.flatten()))
    else:
        yield compute().list_value_length(array)
        yield from _parts(array.flatten())


# --- putting values in ------------------------------------------------------------------------------------------------

_Values = dict[int, tuple[bytes, bytes]]
"""By their places in an array: the value that is there, and the value to put there."""
_Next = Callable[[int], _Values]
"""Returns the values to put into the next array of so many values."""


def with_values(data: Any, changes: Sequence[ValueChange], *, old: bool, by_row: bool = True) -> Any:
    """Return some rows with the values before or after changes.

    Args:
        data: a Table or a RecordBatch.
        changes: the changes, which say what is there instead.
        old: whether to put in the values before them rather than those after.
        by_row: as for :func:`changes_between`.

    Raises:
        PlanError: a value is not what the changes say, or there is no such value.
        BrokenColumnError: buffers contradict each other.
        OverflowError: a value is too large for the offsets of its type.
    """
    wanted: dict[int, _Values] = {}
    for change in changes:
        there, instead = (change.new, change.old) if old else (change.old, change.new)
        wanted.setdefault(change.leaf, {})[change.at] = there, instead
    columns, leaf = [], 0
    for at in range(data.num_columns):
        putting = _Putting(wanted, leaf, by_row=by_row)
        columns.append(putting.column(data.column(at)))
        leaf = putting.end
    if any(wanted.values()):
        raise PlanError(_OTHER_VALUES)
    return type(data).from_arrays(columns, schema=data.schema)


class _Putting:
    """Values on their way into a column, whose first leaf has a number."""

    def __init__(self, wanted: dict[int, _Values], first: int, *, by_row: bool) -> None:
        self._by_row = by_row
        self._wanted, self._first, self._passed = wanted, first, dict[int, int]()
        self.end = first

    def column(self, column: Any) -> Any:
        """Return the column with its values in it."""
        pa, made = pyarrow(), []
        for chunk in _chunks(column):
            self.end = self._first
            made.append(_put(chunk, self._next, self._by_row))
        return pa.chunked_array(made, column.type) if isinstance(column, pa.ChunkedArray) else made[0]

    def _next(self, count: int) -> _Values:
        leaf, self.end = self.end, self.end + 1
        start = self._passed.get(leaf, 0)
        self._passed[leaf] = start + count
        wanted = self._wanted.get(leaf, {})
        here = sorted(at for at in wanted if start <= at < start + count)
        return {at - start: wanted.pop(at) for at in here}


def _put(array: Any, following: _Next, by_row: bool) -> Any:
    """Return an array with values put into each array of strings inside it; the same object if there are none."""
    type = array.type
    if type_name(type):
        return _put_into(array, following(len(array))) if is_text(type) else array
    if _has_no_leaves(type):
        return array
    if isinstance(array, pyarrow().ExtensionArray):
        storage = _put(array.storage, following, by_row)
        return array if storage is array.storage else pyarrow().ExtensionArray.from_storage(type, storage)
    if by_row and _is_dictionary(type):
        values = following(len(array))
        return _Dictionary(array).with_values(values) if values else array
    inner = [child for child, _ in children(array)]
    changed = [_put(child, following, by_row) for child in inner]
    return array if all(one is other for one, other in zip(inner, changed, strict=True)) else assembled(array, changed)


def _put_into(array: Any, values: _Values) -> Any:
    if not values:
        return array
    column = column_of(array)
    there = dict(each_value(column, values))
    if there != {at: expected for at, (expected, _) in values.items()}:
        raise PlanError(_OTHER_VALUES)
    return spliced(array, column, changed_rows((at, value) for at, (_, value) in values.items()), array.type)


class _Dictionary:
    """A dictionary whose rows get values: an entry is replaced if all of its rows get the same; else one is added."""

    def __init__(self, array: Any) -> None:
        self._array, self._indices, self._entries = array, array.indices, array.dictionary
        counts = compute().value_counts(self._indices).to_pylist()
        self._counts = {each["values"]: each["counts"] for each in counts}

    def with_values(self, values: _Values) -> Any:
        """Return the dictionary with values for some rows."""
        replaced, added, moved = self._plan(values)
        entries, pa = _put_into(self._entries, replaced), pyarrow()
        if added:
            new = as_type(pa.array(list(added), binary_type(entries.type)), entries.type)
            entries = pa.concat_arrays([entries, new])
        indices = self._moved(moved) if moved else self._indices
        return pa.DictionaryArray.from_arrays(indices, entries, ordered=self._array.type.ordered, safe=False)

    def _plan(self, values: _Values) -> tuple[_Values, dict[bytes, int], dict[int, int]]:
        """Return the entries to replace, those to add with their indices, and the rows that move to these."""
        replaced: _Values = {}
        added: dict[bytes, int] = {}
        moved: dict[int, int] = {}
        for entry, rows in self._by_entry(values).items():
            wanted = {values[row] for row in rows}
            if len(wanted) == 1 and self._counts[entry] == len(rows):
                replaced[entry] = wanted.pop()
                continue
            for row in rows:
                self._check(entry, values[row][0])
                moved[row] = added.setdefault(values[row][1], len(self._entries) + len(added))
        return dict(sorted(replaced.items())), added, moved

    def _by_entry(self, values: _Values) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        entries = self._indices.take(pyarrow().array(list(values), pyarrow().int64())).to_pylist()
        for row, entry in zip(values, entries, strict=True):
            if entry is None:
                raise PlanError(_OTHER_VALUES)
            found.setdefault(entry, []).append(row)
        return found

    def _check(self, entry: int, expected: bytes) -> None:
        if dict(each_value(column_of(self._entries), [entry])) != {entry: expected}:
            raise PlanError(_OTHER_VALUES)

    def _moved(self, moved: dict[int, int]) -> Any:
        pa = pyarrow()
        indices = numbers_array("q", self._indices.cast(pa.int64()).fill_null(0).to_pylist())
        for row, entry in moved.items():
            indices[row] = entry
        made = pa.Array.from_buffers(pa.int64(), len(indices), [None, pa.py_buffer(indices)])
        valid = compute().is_valid(self._indices)
        return compute().if_else(valid, made, pa.scalar(None, pa.int64())).cast(self._indices.type)


__all__ = ["changes_between", "is_same", "with_values"]
