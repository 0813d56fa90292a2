"""Values before or after changes, put into a table; what a leaf is, see :mod:`eightfold.columns.differences`.

>>> from eightfold.columns.differences import changes_between
>>> before, after = (pyarrow().table({"name": pyarrow().array(["a", name])}) for name in ("b", "c"))
>>> with_values(after, list(changes_between(before, after, 0)), old=True).equals(before)
True
"""

from __future__ import annotations

from array import array as numbers_array
from collections.abc import Callable, Sequence
from typing import Any

from eightfold.columns.arrow import (
    as_type,
    binary_type,
    column_of,
    compute,
    is_text,
    is_text_dictionary,
    pyarrow,
    type_name,
)
from eightfold.columns.differences import chunks_in
from eightfold.columns.nested import holds_text
from eightfold.columns.rebuilding import with_children
from eightfold.columns.splicing import changed_rows, spliced
from eightfold.columns.values import each_value
from eightfold.files.records.table_changes import ValueChange
from eightfold.repair import PlanError

_OTHER_VALUES = "the plan is for other values: make a new one"
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
        by_row: as for :func:`~eightfold.columns.differences.changes_between`.

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
        for chunk in chunks_in(column):
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
    if not holds_text(type, binary=False):
        return array
    if by_row and is_text_dictionary(type):
        values = following(len(array))
        return _Dictionary(array).with_values(values) if values else array
    return with_children(array, lambda child: _put(child, following, by_row))


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
            for expected in {values[row][0] for row in rows}:
                self._check(entry, expected)
            for row in rows:
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


__all__ = ["with_values"]
