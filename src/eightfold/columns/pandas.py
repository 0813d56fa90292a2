r"""The accessor ``.eightfold`` of series and frames of pandas. Importing the module registers it.

It reads columns of Arrow types and of pandas 3's ``str`` by their buffers, because pandas raises when it is asked for
ill-formed values; of a column of objects it reads each ``str``, surrogates included, and each ``bytes``; of
a categorical column it reads the categories.

>>> import pandas
>>> names = pandas.Series(["ok", "cut \ud83d", b"caf\xe9", None, 3], dtype=object)
>>> names.eightfold.is_well_formed().tolist()
[True, False, False, <NA>, <NA>]
>>> names.eightfold.repair("replace").tolist()
['ok', 'cut �', b'caf\xef\xbf\xbd', None, 3]
"""

from __future__ import annotations

import operator
from importlib import import_module
from typing import Any

from eightfold.columns.arguments import policy_argument
from eightfold.columns.arrays import convert as convert_array
from eightfold.columns.arrays import is_well_formed as is_array_well_formed
from eightfold.columns.arrays import repair_column
from eightfold.columns.arrow import chunked, compute, pyarrow
from eightfold.columns.nested import check_depth, holds_text
from eightfold.columns.reports import audit as audit_table
from eightfold.extras import needed_by
from eightfold.faults import ConversionError
from eightfold.text import decode, encode

with needed_by("eightfold.columns.pandas", "pandas"):
    pandas: Any = import_module("pandas")  # which has no types of its own

_STR_FORM, _JOINING_FORM = "generalized-utf-8", "wtf-8"
"""The forms in which the surrogates of a str are written: each as itself; and a pair as one code point."""
_BY_ROW = [("row", "ascending"), ("start", "ascending")]


class SeriesAccessor:
    r"""What ``series.eightfold`` offers.

    >>> accessor = pandas.Series([b"ok", b"\xff"]).eightfold
    >>> accessor.audit()["row"].tolist(), accessor.is_well_formed().tolist(), accessor.repair("replace").tolist()
    ([1], [True, False], [b'ok', b'\xef\xbf\xbd'])
    """

    def __init__(self, series: Any) -> None:
        self._series = series

    def is_well_formed(self) -> Any:
        """Return for each value whether it is well-formed UTF-8; NA for nulls and for objects that are not text."""
        series = self._series
        found = _verdicts(series).to_pylist() if _holds_text(series) else [None] * len(series)
        return pandas.Series(found, index=series.index, name=series.name, dtype="boolean")

    def audit(self) -> Any:
        """Return the faults of the values as a DataFrame, as :func:`eightfold.columns.audit`.

        Rows count positions, from 0. Offsets into a str count the bytes of its UTF-8, three for each surrogate.
        """
        return self._series.to_frame(_label(self._series.name)).eightfold.audit()

    def repair(self, errors: str = "escape") -> Any:
        """Return the values repaired to UTF-8, as :func:`eightfold.columns.repair`. The type of the column is kept.

        Of a categorical column all categories are repaired; those that become equal become one.
        """
        errors, series = policy_argument(errors), self._series
        if not _holds_text(series):
            return series
        if _has_text_categories(series):
            repaired = _with_categories_repaired(series, errors)
        elif _is_of_objects(series):
            repaired = _repaired_objects(series, errors)
        else:
            (before,) = _parts(series)
            after = repair_column(before, _label(series.name), errors)
            repaired = series if after is before else _like(series, after)
        return series if repaired is series else repaired.__finalize__(series)


class FrameAccessor:
    r"""What ``frame.eightfold`` offers.

    >>> accessor = pandas.DataFrame({"id": [1, 2], "name": [b"ok", b"\xff"]}).eightfold
    >>> accessor.audit()[["column", "row", "kind"]].values.tolist()
    [['name', 1, 'invalid-byte']]
    >>> accessor.repair("replace")["name"].tolist()
    [b'ok', b'\xef\xbf\xbd']
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def audit(self) -> Any:
        """Return the faults of all text as a DataFrame, as :func:`eightfold.columns.audit`."""
        pa, reports = pyarrow(), []
        for label, series in self._frame.items():
            name = _label(label)
            if _holds_text(series):
                parts = [audit_table(pa.table([part], [name])) for part in _audited_parts(series)]
                reports.append(parts[0] if len(parts) == 1 else pa.concat_tables(parts).sort_by(_BY_ROW))
        found = pa.concat_tables(reports) if reports else audit_table(pa.table({}))
        return found.to_pandas()

    def repair(self, errors: str = "escape") -> Any:
        """Return a frame whose text is repaired, as :func:`eightfold.columns.repair`; other columns are shared."""
        errors, new = policy_argument(errors), self._frame.copy(deep=False)
        for at in range(new.shape[1]):
            series = self._frame.iloc[:, at]
            repaired = SeriesAccessor(series).repair(errors)
            if repaired is not series:
                new.isetitem(at, repaired)
        return new


def _label(label: object) -> str:
    """Return the label of a column as text that Arrow can hold."""
    return "" if label is None else decode(encode(str(label), _STR_FORM), "utf-8", "backslashreplace")


def _is_of_objects(series: Any) -> bool:
    return not hasattr(series.array, "__arrow_array__") or getattr(series.dtype, "storage", "pyarrow") == "python"


def _in_arrow(series: Any) -> Any:
    """Return a series that is not of objects as a ChunkedArray.

    Its array gives its buffers. The series itself does so from pandas 3.0 on; before, pyarrow asked it for each value.
    """
    return chunked(series.array.__arrow_array__())


def _categories(series: Any) -> Any:
    """Return the categories of a categorical column as a series; None for another column."""
    if not isinstance(series.dtype, pandas.CategoricalDtype):
        return None
    categories = series.dtype.categories
    return pandas.Series(categories, dtype=categories.dtype, name=series.name)


def _has_text_categories(series: Any) -> bool:
    categories = _categories(series)
    return categories is not None and _holds_text(categories)


def _codes(series: Any) -> Any:
    """Return for each row of a categorical column which category it has; null if it has none."""
    codes = series.cat.codes.to_numpy()
    return pyarrow().array(codes, mask=codes < 0)


def _holds_text(series: Any) -> bool:
    categories = _categories(series)
    if categories is not None:
        return _holds_text(categories)
    if _is_of_objects(series):
        dtype = series.dtype
        values = dtype.subtype if isinstance(dtype, pandas.SparseDtype) else dtype
        return values == "object" or hasattr(dtype, "storage")
    # pandas before 3.0 cannot give Arrow all of these.
    if isinstance(series.dtype, pandas.IntervalDtype):
        return False
    type = _in_arrow(series).type
    check_depth(type)
    return holds_text(type)


def _parts(series: Any, form: str = _STR_FORM) -> list[Any]:
    """Return the text of a series as arrays: one by its buffers; of objects one of all str, and one of all bytes."""
    if not _is_of_objects(series):
        return [_in_arrow(series)]
    pa, values = pyarrow(), list(series)
    texts = [encode(value, form) if isinstance(value, str) else None for value in values]
    others = [value if isinstance(value, bytes) else None for value in values]
    return [pa.array(texts, pa.large_binary()), pa.array(others, pa.large_binary())]


def _verdicts(series: Any) -> Any:
    """Return for each value whether it is well-formed, as an array of Arrow."""
    if _has_text_categories(series):
        return _verdicts(_categories(series)).take(_codes(series))
    verdicts = [is_array_well_formed(part) for part in _parts(series)]
    return verdicts[0] if len(verdicts) == 1 else compute().coalesce(*verdicts)


def _audited_parts(series: Any) -> list[Any]:
    """Return the text of a series as arrays; of a categorical column each value that is ill-formed, and else null."""
    if not _has_text_categories(series):
        return _parts(series)
    codes = _codes(series)
    is_well_formed = _verdicts(_categories(series)).take(codes)
    ill_formed = compute().if_else(is_well_formed, pyarrow().scalar(None, codes.type), codes)
    return [part.take(ill_formed) for part in _parts(_categories(series))]


def _with_categories_repaired(series: Any, errors: str) -> Any:
    """Return a categorical column with other categories, of which those that became equal are one."""
    before = _categories(series)
    try:
        after = SeriesAccessor(before).repair(errors)
    except ConversionError as error:
        error.add_note("the rows are those of the categories")
        raise
    if after is before:
        return series
    places, categories = pandas.factorize(after)
    codes = series.cat.codes.to_numpy()
    new = places[codes]
    new[codes < 0] = -1
    dtype = pandas.CategoricalDtype(pandas.Index(categories, dtype=before.dtype), ordered=series.dtype.ordered)
    made = pandas.Categorical.from_codes(new, dtype=dtype)
    return pandas.Series(made, index=series.index, name=series.name)


def _repaired_objects(series: Any, errors: str) -> Any:
    # The halves of a pair are joined; each other surrogate is one fault of a str, although it is three of UTF-8.
    texts, others = _parts(series, _JOINING_FORM)
    is_one, name = errors == "replace", _label(series.name)
    new_texts = (
        convert_array(texts, _JOINING_FORM, "utf-8", errors) if is_one else repair_column(chunked(texts), name, errors)
    )
    new_others = repair_column(chunked(others), name, errors)
    values = list(series)
    new = [
        _object(value, text, other)
        for value, text, other in zip(values, new_texts.to_pylist(), new_others.to_pylist(), strict=True)
    ]
    if all(map(operator.is_, values, new)):
        return series
    return pandas.Series(new, index=series.index, name=series.name, dtype=series.dtype)


def _object(value: object, text: bytes | None, other: bytes | None) -> object:
    """Return a value, or what it was repaired to, if that is different."""
    new = other if text is None else decode(text, "utf-8")
    return value if new is None or new == value else new


def _like(series: Any, array: Any) -> Any:
    """Return a series of an array with the index, the name and the type of another."""
    made = series.dtype.__from_arrow__(array)
    return pandas.Series(made, index=series.index, name=series.name, copy=False)


pandas.api.extensions.register_series_accessor("eightfold")(SeriesAccessor)
pandas.api.extensions.register_dataframe_accessor("eightfold")(FrameAccessor)

__all__ = ["FrameAccessor", "SeriesAccessor"]
