"""Arrays with other text in them. An array in which nothing changes stays itself, and keeps its buffers."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from eightfold.columns.arrow import column_of, compute, is_text, pyarrow, type_name, validity_of
from eightfold.columns.carriers import carried_form
from eightfold.columns.nested import Leaf, Way, check_depth, holds_text
from eightfold.columns.schemas import type_with
from eightfold.columns.steps import References, bounds, children, offset_width, union_codes
from eightfold.columns.unsupported import refuse_pickled
from eightfold.columns.views import shared_views

Change = Callable[[Leaf], Any]
"""Returns an array of text as it should be: the same object if it is so already."""


def rebuilt(array: Any, change: Change, way: Way | None = None, *, binary: bool = True, carriers: bool = False) -> Any:
    """Return an array with each array of text inside it changed.

    Args:
        array: an Array.
        change: the change.
        way: how the outermost array shows this one; None if it is the outermost.
        binary: whether to change binary values too.
        carriers: whether to put the binary values that carriers store, changed, in place of them; they stay otherwise.

    Raises:
        BrokenColumnError: the offsets of a list or a reference to a value lead nowhere.
        TypeError: a type that holds text and is not known here.

    >>> array = pyarrow().array([["a"], ["b"]])
    >>> rebuilt(array, lambda leaf: leaf.array) is array
    True
    """
    if type_name(array.type):
        return _changed(array, change, way) if binary or is_text(array.type) else array
    if way is None:
        check_depth(array.type)
    is_carrier = carried_form(array.type) is not None
    if is_carrier and carriers:
        return rebuilt(array.storage, change, way)
    if is_carrier or not holds_text(array.type, binary=binary):
        return array
    refuse_pickled(array.type)
    if isinstance(array, pyarrow().ExtensionArray):
        before = array.storage  # each access makes a new object
        storage = rebuilt(before, change, way, binary=False, carriers=carriers)
        return array if storage is before else _extended(array.type, storage)
    old = list(children(array))
    new = [rebuilt(child, change, Way(step, way), binary=binary, carriers=carriers) for child, step in old]
    is_same = all(one is other for (one, _), other in zip(old, new, strict=True))
    return array if is_same else _assembled(array, new)


def _changed(array: Any, change: Change, way: Way | None) -> Any:
    shared = shared_views(array)
    if shared is None:
        return change(Leaf(array, column_of(array), None, way))
    distinct, rows = shared
    new = change(Leaf(distinct, column_of(distinct), None, Way(References(rows, len(distinct), ""), way)))
    return array if new is distinct else shared.spread(new, array)


def _extended(type: Any, storage: Any) -> Any:
    if storage.type != type.storage_type:  # binary values of another form, which the extension type cannot hold
        return storage
    return pyarrow().ExtensionArray.from_storage(type, storage)


def with_children(array: Any, change: Callable[[Any], Any]) -> Any:
    """Return an array with each array directly inside it changed, to the same type; the same object if none changes.

    >>> pa = pyarrow()
    >>> with_children(pa.array([["a"], None]), lambda child: pa.array(["new"])).to_pylist()
    [['new'], None]
    """
    if isinstance(array, pyarrow().ExtensionArray):
        before = array.storage  # each access makes a new object
        storage = change(before)
        return array if storage is before else pyarrow().ExtensionArray.from_storage(array.type, storage)
    old = [child for child, _ in children(array)]
    new = [change(child) for child in old]
    return array if all(map(operator.is_, old, new)) else _assembled(array, new)


def _assembled(array: Any, inner: Sequence[Any]) -> Any:
    """Return an array with other arrays inside it, which are as long as those of `steps.children`.

    >>> pa = pyarrow()
    >>> _assembled(pa.array([["a"], None, ["b"]])[1:], [pa.array(["new"])]).to_pylist()
    [None, ['new']]
    """
    types, type = pyarrow().types, array.type
    if types.is_dictionary(type):
        return pyarrow().DictionaryArray.from_arrays(array.indices, inner[0], ordered=type.ordered, safe=False)
    if types.is_run_end_encoded(type):
        return _runs(array, inner[0])
    made = type_with(type, [_field(type.field(at), child) for at, child in enumerate(inner)])
    if types.is_union(type):
        return _union(array, made, inner)
    has_offsets = types.is_list(type) or types.is_large_list(type) or types.is_map(type)
    return _with_offsets(array, made, inner) if has_offsets else _made(array, made, [], inner)


def _field(field: Any, child: Any) -> Any:
    return field if field.type == child.type else field.with_type(child.type)


def _made(array: Any, type: Any, places: list[Any], inner: Sequence[Any]) -> Any:
    validity = validity_of(array, len(array))
    return pyarrow().Array.from_buffers(type, len(array), [validity, *places], children=list(inner))


def _with_offsets(array: Any, type: Any, inner: Sequence[Any]) -> Any:
    """Return lists of other elements: those that the array shows, so offsets count from the first of these."""
    pa, first = pyarrow(), bounds(array)[0]
    if first == array.offset == 0:
        return _made(array, type, [array.buffers()[1]], inner)
    number = pa.int64() if offset_width(array.type) == 8 else pa.int32()
    offsets = pa.Array.from_buffers(number, len(array) + 1, [None, array.buffers()[1]], 0, array.offset)
    return _made(array, type, [compute().subtract(offsets, pa.scalar(first, number)).buffers()[1]], inner)


def _runs(array: Any, values: Any) -> Any:
    pa = pyarrow()
    ends = array.run_ends.slice(array.find_physical_offset(), array.find_physical_length())
    number = ends.type
    ends = compute().subtract(ends, pa.scalar(array.offset, number))
    ends = compute().min_element_wise(ends, pa.scalar(len(array), number))
    # RunEndEncodedArray.from_buffers would refuse ill-formed strings: hidden ones, or those that an undo brings back.
    return pa.Array.from_buffers(pa.run_end_encoded(number, values.type), len(array), [None], children=[ends, values])


def _union(array: Any, type: Any, inner: Sequence[Any]) -> Any:
    pa = pyarrow()
    if type.mode == "dense":
        return pa.Array.from_buffers(type, len(array), array.buffers()[:3], 0, array.offset, children=list(inner))
    codes = pa.concat_arrays([union_codes(array), pa.array([], pa.int8())]).buffers()[1]
    return pa.Array.from_buffers(type, len(array), [None, codes], 0, children=list(inner))


__all__ = ["Change", "rebuilt", "with_children"]
