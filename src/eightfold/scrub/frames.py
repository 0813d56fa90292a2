"""Series, indexes and frames of pandas and polars. This module imports neither: an object implies its package.

Text stored by Arrow or polars is UTF-8 and has no surrogates, so only columns of Python objects are examined.
The paths are those of pandas: ``["name"].array[3]`` is the fourth element of a column, ``.index[3]`` a row's label.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.arrays import is_plain
from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, CollisionError, Kind, Part, Scrubbed, by_key

# --- pandas: arrays ---------------------------------------------------------------------------------------------------

_NUMERIC = "biufcmM"
_OF_NO_OBJECTS = frozenset(("ArrowExtensionArray", "IntervalArray", "PeriodArray"))


def _extension_kind(array: Any) -> Kind:
    bases = {base.__name__ for base in type(array).__mro__}
    if "Categorical" in bases:
        return CATEGORICAL
    if array.dtype.kind in _NUMERIC or bases & _OF_NO_OBJECTS:
        return TEXTLESS
    return ELEMENTS if "NumpyExtensionArray" in bases and array.to_numpy().dtype.kind == "O" else UNKNOWN


def _elements(array: Any) -> Iterator[tuple[int, Any]]:
    return ((at, value) for at, value in enumerate(array.to_numpy()) if not is_plain(value))


def _element_parts(array: Any) -> Iterator[Part]:
    return ((paths.index, at, value) for at, value in _elements(array))


def _fill_elements(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    for _, at, value in parts:
        new[at] = scrubbed(value)


def _category_parts(array: Any) -> Iterator[Part]:
    yield paths.attribute, "categories", array.categories


def _remade_categories(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    return old.rename_categories(by_key(parts, scrubbed)["categories"])


# --- pandas: labels ---------------------------------------------------------------------------------------------------


def _index_parts(labels: Any) -> Iterator[Part]:
    if hasattr(labels, "levels"):
        yield from ((_name, at, name) for at, name in enumerate(labels.names))
        yield from ((_level, at, level.rename(None)) for at, level in enumerate(labels.levels))
        return
    yield paths.attribute, "name", labels.name
    kind = _extension_kind(labels.array)
    if kind is CATEGORICAL:
        yield paths.attribute, "categories", labels.categories
    elif kind is ELEMENTS:
        yield from ((paths.index, at, label) for at, label in _elements(labels.array))
    elif kind is UNKNOWN:
        yield paths.attribute, "array", labels.array


def _name(at: int) -> str:
    return f".names[{at}]"


def _level(at: int) -> str:
    return f".levels[{at}]"


def _remade_index(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    parts = list(parts)
    if hasattr(old, "levels"):
        levels = [scrubbed(level) for show, _, level in parts if show is _level]
        return old.set_levels(levels).set_names([scrubbed(name) for show, _, name in parts if show is _name])
    new = old
    changed = {at: scrubbed(label) for show, at, label in parts if show is paths.index}
    named = by_key((part for part in parts if part[0] is paths.attribute), scrubbed)
    if "categories" in named:
        new = old.rename_categories(named["categories"])
    elif changed:
        new = _relabelled(old, changed)
    return new.rename(named["name"])


def _relabelled(old: Any, changed: dict[int, Any]) -> Any:
    labels = old.array.to_numpy().copy()
    before = list(labels)
    for at, label in changed.items():
        labels[at] = label
    _refuse_collisions(before, labels)
    return sys.modules["pandas"].Index(labels, dtype=old.dtype, tupleize_cols=False)


def _refuse_collisions(before: Sequence[Any], after: Iterable[Any]) -> None:
    firsts: dict[Any, int] = {}
    is_hashable = sys.modules["pandas"].api.types.is_hashable
    for at, label in enumerate(after):
        first = firsts.setdefault(label, at) if is_hashable(label) else at
        if before[first] is not before[at] and before[first] != before[at]:
            raise CollisionError(paths.index, first, at)


# --- pandas: series and frames ----------------------------------------------------------------------------------------


def _series_parts(series: Any) -> Iterator[Part]:
    for name in ("name", "index", "array", "attrs"):
        yield paths.attribute, name, getattr(series, name)


def _remade_series(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    parts = list(parts)
    changed = {name: scrubbed(part) for _, name, part in parts if scrubbed(part) is not part}
    new = old.copy(deep=False)
    if "array" in changed:
        array = changed["array"]
        new = type(old)(array, index=old.index, dtype=_dtype_of(array), copy=False).__finalize__(old)
    for name in ("name", "index", "attrs"):
        if name in changed:
            setattr(new, name, changed[name])
    return new


def _dtype_of(array: Any) -> Any:
    """Return the dtype with which pandas keeps an array unchanged instead of inferring that objects are text."""
    return getattr(array.dtype, "numpy_dtype", array.dtype)


def _frame_parts(frame: Any) -> Iterator[Part]:
    for name in ("columns", "index", "attrs"):
        yield paths.attribute, name, getattr(frame, name)
    for at, label in enumerate(frame.columns):
        array = frame.iloc[:, at].array
        if _extension_kind(array) is not TEXTLESS:
            yield _column, (at, label), array


def _column(at_and_label: tuple[int, Any]) -> str:
    return f"{paths.index(at_and_label[1])}.array"


def _remade_frame(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    series = sys.modules["pandas"].Series
    new = old.copy(deep=False)
    for show, key, part in parts:
        changed = scrubbed(part)
        if changed is part:
            continue
        if show is paths.attribute:
            setattr(new, key, changed)
        else:
            # Use the frame's own index, so that pandas aligns nothing.
            new.isetitem(key[0], series(changed, index=new.index, dtype=_dtype_of(changed), copy=False))
    return new


EXTENSION = Kind(choose=_extension_kind)
ELEMENTS = Kind(_element_parts, blank=lambda array: array.copy(), fill=_fill_elements)
CATEGORICAL = Kind(_category_parts, make=_remade_categories, fleeting=True)
INDEX = Kind(_index_parts, make=_remade_index, fleeting=True)
SERIES = Kind(_series_parts, make=_remade_series, fleeting=True)
FRAME = Kind(_frame_parts, make=_remade_frame, fleeting=True)

# --- polars -----------------------------------------------------------------------------------------------------------


def _polars_kind(series: Any) -> Kind:
    if _base_of(series.dtype) == "Object":
        return POLARS_OBJECTS
    return UNKNOWN if _may_hold_objects(series.dtype) else TEXTLESS


def _base_of(dtype: Any) -> str:
    return str(dtype.base_type().__name__)


def _may_hold_objects(dtype: Any) -> bool:
    inner = [field.dtype for field in getattr(dtype, "fields", ())]
    if hasattr(dtype, "inner"):
        inner.append(dtype.inner)
    return _base_of(dtype) == "Object" or any(map(_may_hold_objects, inner))


def _polars_object_parts(series: Any) -> Iterator[Part]:
    return ((paths.index, at, value) for at, value in enumerate(series.to_list()) if not is_plain(value))


def _remade_polars_objects(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    values = old.to_list()
    for _, at, value in parts:
        values[at] = scrubbed(value)
    return type(old)(old.name, values, dtype=old.dtype)


def _polars_frame_parts(frame: Any) -> Iterator[Part]:
    for series in frame.get_columns():
        if _polars_kind(series) is not TEXTLESS:
            yield paths.index, series.name, series


def _remade_polars_frame(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    return old.with_columns([scrubbed(series) for _, _, series in parts])


POLARS_OBJECTS = Kind(_polars_object_parts, make=_remade_polars_objects, fleeting=True)
POLARS_SERIES = Kind(choose=_polars_kind)
POLARS_FRAME = Kind(_polars_frame_parts, make=_remade_polars_frame, fleeting=True)

__all__ = ["EXTENSION", "FRAME", "INDEX", "POLARS_FRAME", "POLARS_SERIES", "SERIES"]
