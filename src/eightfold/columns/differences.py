r"""The values in which two versions of a table differ.

A value is found by its *leaf*, an array of strings inside the table, counted in the order of columns, and by its place
there. A leaf under a dictionary has the values of the dictionary, or, `by_row`, those of the rows that refer to them:
Parquet does not keep how a dictionary is laid out, and Arrow IPC does not let one differ between record batches.

>>> before, after = (pyarrow().table({"name": pyarrow().array(["a", name])}) for name in ("b", "c"))
>>> (change,) = changes_between(before, after, 0)
>>> change.column, change.row, change.old, change.new
('name', 1, b'b', b'c')
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import Any, NamedTuple

from eightfold.columns.arrow import (
    as_type,
    binary_type,
    column_of,
    compute,
    holds,
    is_text,
    is_text_dictionary,
    name_of,
    no_rows,
    pyarrow,
    type_name,
)
from eightfold.columns.nested import Way, holds_text, shown_by
from eightfold.columns.steps import Shown, children, elements, shown_name, union_codes
from eightfold.columns.values import Column, check_offsets, ill_formed_rows
from eightfold.files.records.table_changes import ValueChange
from eightfold.forms.utf_8 import UTF_8
from eightfold.repair import PlanError


class _Leaf(NamedTuple):
    """An array of strings inside another, as binary values; and how the outermost array shows it.

    Of a dictionary by row, these are its entries, and the indices of the rows say which of them each shows.
    """

    array: Any
    way: Way | None
    indices: Any = None


def _leaves(array: Any, by_row: bool, way: Way | None = None) -> Iterator[_Leaf]:
    type = array.type
    if type_name(type):
        if is_text(type):
            yield _Leaf(_binary(array), way)
    elif not holds_text(type, binary=False):
        return
    elif isinstance(array, pyarrow().ExtensionArray):
        yield from _leaves(array.storage, by_row, way)
    elif by_row and is_text_dictionary(type):
        yield _Leaf(_binary(array.dictionary).cast(pyarrow().large_binary()), way, array.indices)
    else:
        for child, step in children(array):
            yield from _leaves(child, by_row, Way(step, way))


def _binary(array: Any) -> Any:
    """Return strings as binary values of a type that pyarrow can compare and take from."""
    given = as_type(array, binary_type(array.type))
    return given.cast(pyarrow().large_binary()) if type_name(given.type) == "binary_view" else given


def chunks_in(column: Any) -> list[Any]:
    """Return the arrays of a column of a table or of a record batch, one at least.

    >>> [len(chunk) for chunk in chunks_in(pyarrow().chunked_array([], pyarrow().string()))]
    [0]
    """
    return getattr(column, "chunks", [column]) or [no_rows(column.type)]


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
        old, new = (_Spread(chunks_in(given.column(at)), by_row) for given in (before, after))
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
        pa, (rows, entries) = pyarrow(), _comparable([*mine, *theirs])
        old, new = map(pa.chunked_array, (rows[: len(mine)], rows[len(mine) :]))
        if not old.is_null().equals(new.is_null()):
            raise PlanError("the result has other rows")
        places = compute().indices_nonzero(compute().not_equal(old, new))
        starts = [0, *accumulate(map(len, old.chunks))]
        differing = (each.take(places) for each in (old, new))
        values = (each.to_pylist() if entries is None else entries.take(each).to_pylist() for each in differing)
        for at, before, after in zip(places.to_pylist(), *values, strict=True):
            chunk = bisect_right(starts, at) - 1
            shown = shown_by(mine[chunk].way, at - starts[chunk])
            place = None if shown is None else shown._replace(row=self._first_rows[chunk] + shown.row)
            yield at, place, (before, after)


def _comparable(leaves: Sequence[_Leaf]) -> tuple[list[Any], Any]:
    """Return the values of leaves, or, of dictionaries by row, the places of equal values in one array; and this array.

    Values of dictionaries are not repeated for each row, as any number of rows may show a long one.
    """
    if leaves[0].indices is None:
        return [leaf.array for leaf in leaves], None
    entries = pyarrow().concat_arrays([leaf.array for leaf in leaves]).dictionary_encode()
    starts = accumulate((len(leaf.array) for leaf in leaves), initial=0)
    places = [entries.indices.slice(start, len(leaf.array)) for start, leaf in zip(starts, leaves, strict=False)]
    return [each.take(leaf.indices) for each, leaf in zip(places, leaves, strict=True)], entries.dictionary


def is_same(one: Any, other: Any) -> bool:
    """Return whether two tables or record batches hold the same values, floats by their bits.

    Raises:
        BrokenColumnError: buffers contradict each other. ArrowInvalid: pyarrow finds them invalid.

    >>> pa = pyarrow()
    >>> is_same(pa.table({"a": [float("nan")]}), pa.table({"a": [float("nan")]}))
    True
    """
    if one.num_columns != other.num_columns or one.num_rows != other.num_rows:
        return False
    pairs = list(zip(_columns(one), _columns(other), strict=True))
    for column in chain(*pairs):
        for chunk in chunks_in(column):
            _check_places(chunk)
    try:
        return all(_is_same_column(*pair) for pair in pairs) and not any(changes_between(one, other, 0))
    except PlanError:  # other rows of a dictionary are null
        return False


def _check_places(array: Any) -> None:
    """Check the places of all values of an array, which pyarrow follows unchecked where it compares.

    Raises:
        BrokenColumnError: a place is outside its buffer. ArrowInvalid: so is one in a list of views.
    """
    type = array.type
    if type_name(type):
        _check_places_of(column_of(array))
    elif isinstance(array, pyarrow().ExtensionArray):
        _check_places(array.storage)
    elif pyarrow().types.is_list_view(type) or pyarrow().types.is_large_list_view(type):
        array.validate(full=True)
    elif type.num_fields or pyarrow().types.is_dictionary(type):
        for child, _ in children(array):
            _check_places(child)


def _check_places_of(column: Column) -> None:
    if column.kind == "views":
        ill_formed_rows(column, UTF_8)
    elif column.kind == "offsets":
        (data,) = column.data
        limit = 0 if data is None else memoryview(data).nbytes
        check_offsets(column.places, column.width, column.first, column.length, limit)


def _columns(data: Any) -> list[Any]:
    return [data.column(at) for at in range(data.num_columns)]


def _is_same_column(one: Any, other: Any) -> bool:
    if one.type != other.type:
        return False
    # Only the values that rows of a dictionary show count, and changes_between compares those.
    if is_text_dictionary(one.type):
        return True
    # pyarrow takes 0.0 and -0.0 for equal, and NaN for no number that equals itself.
    return (one.equals(other) and not holds(one.type, pyarrow().types.is_floating)) or _has_same_bits(one, other)


def _has_same_bits(one: Any, other: Any) -> bool:
    """Return whether two columns of a type hold the same floats by their bits, and all else alike.

    False, too, if pyarrow cannot take such a column apart.
    """
    pa = pyarrow()
    try:
        mine, theirs = ([pa.chunked_array(each) for each in _parts_of(column)] for column in (one, other))
    except pa.ArrowException:
        return False
    return all(map(pa.ChunkedArray.equals, mine, theirs))


def _parts_of(column: Any) -> Iterator[list[Any]]:
    yield from map(list, zip(*map(_parts, chunks_in(column)), strict=True))


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
        yield from _parts(_as_lists(array))
    elif types.is_union(type):
        yield union_codes(array)
        yield from chain(*(_parts(child) for child, _ in children(array)))
    elif type.num_fields:
        yield array.is_null()
        yield from _parts_inside(array)
    else:
        yield array


def _as_lists(array: Any) -> Any:
    """Return maps as lists of structs. A cast of pyarrow makes runs inside invalid."""
    pa, entries = pyarrow(), elements(array)
    type = pa.list_(entries.type)
    if not len(array):
        return no_rows(type)
    return pa.Array.from_buffers(type, len(array), array.buffers()[:2], -1, array.offset, children=[entries])


def _parts_inside(array: Any) -> Iterator[Any]:
    types = pyarrow().types
    if types.is_struct(array.type):
        # pyarrow ends the process where it hides values of a union behind a null, and makes runs invalid.
        has_other_nulls = holds(array.type, types.is_union) or holds(array.type, types.is_run_end_encoded)
        inside = [child for child, _ in children(array)] if has_other_nulls else array.flatten()
        yield from chain(*map(_parts, inside))
    else:
        yield compute().list_value_length(array)
        # Of no lists whose one offset is not 0, pyarrow ends the process instead of giving no elements.
        yield from _parts(array.flatten() if len(array) else no_rows(array.type.value_type))


__all__ = ["changes_between", "chunks_in", "is_same"]
