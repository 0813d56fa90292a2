r"""A namespace for expressions and series of polars, and functions for its frames. Importing the module registers them.

polars reads ill-formed text from Arrow as it is, and panics when it is asked for the values. What is here goes by the
buffers of a column, so nothing panics.

>>> import polars
>>> frame = polars.DataFrame({"name": [b"caf\xc3\xa9", b"caf\xe9", None]})
>>> frame.select(polars.col("name").eightfold.is_well_formed()).to_series().to_list()
[True, False, None]
>>> frame.select(polars.col("name").eightfold.repair("latin-1").cast(polars.String)).to_series().to_list()
['café', 'café', None]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from eightfold.arguments import AnyErrors, AnyForm
from eightfold.columns.arguments import policy_argument
from eightfold.columns.arrays import convert as convert_array
from eightfold.columns.arrays import is_well_formed as is_array_well_formed
from eightfold.columns.arrays import repair_column
from eightfold.columns.arrow import check_names, pyarrow
from eightfold.columns.reports import audit as audit_table
from eightfold.columns.steps import shown_name
from eightfold.columns.values import BrokenColumnError
from eightfold.extras import needed_by
from eightfold.faults import ConversionError

with needed_by("eightfold.columns.polars", "polars"):
    import polars

_WITHOUT_TEXT = (polars.Boolean, polars.Null, polars.Object)  # Of objects Arrow gets the addresses.
_OF_BATCH = "rows count from the first of a batch of polars"
_Frame = TypeVar("_Frame", polars.DataFrame, polars.LazyFrame)


def repair(frame: _Frame, errors: str = "escape", *, binary: bool = True) -> _Frame:
    r"""Return a frame whose text is repaired to UTF-8; a LazyFrame is repaired batch by batch when it is collected.

    Columns of Python objects are left alone. An Enum gets other categories if one of its values changes; polars refuses
    that in a LazyFrame and in an expression, so cast it to String before.

    Args:
        frame: a DataFrame or a LazyFrame.
        errors, binary: as for :func:`eightfold.columns.repair`.

    Raises:
        ConversionError, ValueError: as for :func:`eightfold.columns.repair`.
            A field of a struct may not have a name with a null character.
        TypeError: it is not a frame, or a column with text holds a type too that pyarrow does not know.

    >>> frame = polars.LazyFrame({"name": [b"caf\xe9"], "id": [1]})
    >>> repair(frame, "latin-1").collect().row(0)
    (b'caf\xc3\xa9', 1)
    """
    errors = policy_argument(errors)
    _check_frame(frame)
    if isinstance(frame, polars.LazyFrame):
        return frame.map_batches(lambda batch: _repaired_batch(batch, errors, binary=binary), streamable=True)
    return frame.with_columns([_repaired(series, errors, binary=binary) for series in frame.get_columns()])


def _repaired_batch(batch: polars.DataFrame, errors: str, *, binary: bool) -> polars.DataFrame:
    try:
        return repair(batch, errors, binary=binary)
    except (ConversionError, BrokenColumnError) as error:
        error.add_note(_OF_BATCH)
        raise


def _check_frame(frame: object) -> None:
    if not isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
        raise TypeError(f"frame must be a DataFrame or a LazyFrame, not {type(frame).__name__}")


def audit(
    frame: polars.DataFrame | polars.LazyFrame,
    form: AnyForm = "utf-8",
    *,
    binary: bool = True,
    limit: int | None = None,
    threads: int | None = None,
) -> polars.DataFrame:
    r"""Return the faults of all text in a frame, as :func:`eightfold.columns.audit` does.

    Columns of Python objects are left out.

    Args:
        frame: a DataFrame or a LazyFrame.
        form: a Form or its name.
        binary: whether to audit binary columns too; False if they hold images, keys or hashes.
        limit: the maximum number of faults; None for all.
        threads: the maximum number of threads; None for as many as the machine has.

    Raises:
        BrokenColumnError: as for :func:`eightfold.columns.audit`. LookupError: unknown form.
        ValueError: ``limit`` or ``threads`` is out of range, or the name of a field has a null character.
        TypeError: it is not a frame, or a column with text holds a type too that pyarrow does not know.

    >>> audit(polars.DataFrame({"name": [b"ok", b"\xff"]})).select("column", "row", "kind").row(0)
    ('name', 1, 'invalid-byte')
    """
    _check_frame(frame)
    given = frame.collect() if isinstance(frame, polars.LazyFrame) else frame
    columns = {series.name: _in_arrow(series) for series in given.get_columns() if _holds_text(series.dtype)}
    found = audit_table(pyarrow().table(columns), form, binary=binary, limit=limit, threads=threads)
    report = polars.from_arrow(found)
    assert isinstance(report, polars.DataFrame)
    return report


def _holds_text(dtype: Any) -> bool:
    """Return whether a type holds text or binary values. Of others Arrow need not know, as of integers of 128 bits."""
    if isinstance(dtype, polars.Struct):
        return any(_holds_text(field.dtype) for field in dtype.fields)
    if isinstance(dtype, (polars.List, polars.Array)):
        return _holds_text(dtype.inner)
    return not (dtype in _WITHOUT_TEXT or dtype.is_numeric() or dtype.is_temporal())


def _in_arrow(series: polars.Series) -> Any:
    """Return a series as a ChunkedArray.

    Raises:
        TypeError: pyarrow does not know a type inside it; the message names the column.
        ValueError: the name of a field inside it has a null character.
    """
    pa = pyarrow()
    check_names("", series.dtype)
    try:
        return pa.chunked_array(series.alias(""))
    except pa.ArrowInvalid as error:
        raise TypeError(f"column {shown_name(series.name)}, {series.dtype}: {error}") from None


def _of_values(series: polars.Series) -> Any:
    if series.dtype == polars.Object:
        raise TypeError("a series of text or of binary values is required, not of Python objects")
    return _in_arrow(series)


def _repaired(series: polars.Series, errors: str, *, binary: bool) -> polars.Series:
    if not _holds_text(series.dtype):
        return series
    before = _in_arrow(series)
    after = repair_column(before, series.name, errors, binary=binary)
    if after is before:
        return series
    plain = _with_enums(series.dtype, lambda _: polars.String())
    if plain == series.dtype:
        return polars.Series(series.name, after, dtype=series.dtype)
    # An Enum that is inside another type has its categories in the metadata of Arrow too, and others become null.
    strings = series.cast(plain)
    repaired = _repaired(strings, errors, binary=binary)
    if repaired is strings:  # only categories change that no value has
        return series
    return repaired.cast(_with_enums(series.dtype, lambda enum: _repaired_enum(enum, errors)))


def _repaired_enum(enum: polars.Enum, errors: str) -> polars.Enum:
    """Return an Enum with its categories repaired; those that become equal become one."""
    return polars.Enum(_repaired(enum.categories, errors, binary=False).unique(maintain_order=True))


def _with_enums(dtype: Any, changed: Callable[[polars.Enum], Any]) -> Any:
    """Return a type in which each Enum is changed."""
    if isinstance(dtype, polars.Enum):
        return changed(dtype)
    if isinstance(dtype, polars.List):
        return polars.List(_with_enums(dtype.inner, changed))
    if isinstance(dtype, polars.Array):
        return polars.Array(_with_enums(dtype.inner, changed), dtype.size)
    if isinstance(dtype, polars.Struct):
        return polars.Struct({field.name: _with_enums(field.dtype, changed) for field in dtype.fields})
    return dtype


@polars.api.register_series_namespace("eightfold")
class SeriesNamespace:
    r"""What ``series.eightfold`` offers.

    >>> series = polars.Series("name", [b"ok", b"\xff"])
    >>> namespace = series.eightfold
    >>> namespace.is_well_formed().to_list(), namespace.repair("replace").to_list()
    ([True, False], [b'ok', b'\xef\xbf\xbd'])
    >>> namespace.audit()["row"].to_list(), namespace.convert("utf-8", "utf-16-be", "replace").to_list()
    ([1], [b'\x00o\x00k', b'\xff\xfd'])
    """

    def __init__(self, series: polars.Series) -> None:
        self._series = series

    def is_well_formed(self, form: AnyForm = "utf-8") -> polars.Series:
        """Return for each value whether it is well-formed, as :func:`eightfold.columns.is_well_formed`."""
        verdicts = is_array_well_formed(_of_values(self._series), form)
        return polars.Series(self._series.name, verdicts, dtype=polars.Boolean)

    def repair(self, errors: str = "escape") -> polars.Series:
        """Return the values repaired to UTF-8, as :func:`eightfold.columns.repair`."""
        return _repaired(self._series, errors, binary=True)

    def convert(self, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict") -> polars.Series:
        """Return the values converted, as :func:`eightfold.columns.convert`."""
        return polars.Series(self._series.name, convert_array(_of_values(self._series), source, target, errors))

    def audit(self, form: AnyForm = "utf-8") -> polars.DataFrame:
        """Return the faults of the values, as :func:`eightfold.columns.audit`."""
        return audit(self._series.to_frame(), form)


@polars.api.register_expr_namespace("eightfold")
class ExpressionNamespace:
    r"""What ``polars.col(...).eightfold`` offers.

    A value that cannot be converted raises a UnicodeError when the expression is computed: polars cannot pass on a
    ConversionError. Rows in its message count from the first of the batch that polars was at.

    >>> frame = polars.LazyFrame({"name": [b"ok", b"\xff"]})
    >>> name = polars.col("name").eightfold
    >>> frame.select(ok=name.is_well_formed(), name=name.repair("replace")).collect().rows()
    [(True, b'ok'), (False, b'\xef\xbf\xbd')]
    >>> frame.select(name.convert("utf-8", "utf-16-be", "replace")).collect().rows()
    [(b'\x00o\x00k',), (b'\xff\xfd',)]
    """

    def __init__(self, expression: polars.Expr) -> None:
        self._expression = expression

    def is_well_formed(self, form: AnyForm = "utf-8") -> polars.Expr:
        """Return for each value whether it is well-formed, as :func:`eightfold.columns.is_well_formed`."""
        return self._mapped(lambda series: SeriesNamespace(series).is_well_formed(form), polars.Boolean)

    def repair(self, errors: str = "escape") -> polars.Expr:
        """Return the values repaired to UTF-8, as :func:`eightfold.columns.repair`."""
        errors = policy_argument(errors)
        same = getattr(polars, "self_dtype", None)
        return self._mapped(lambda series: SeriesNamespace(series).repair(errors), same and same())

    def convert(self, source: AnyForm, target: AnyForm, errors: AnyErrors = "strict") -> polars.Expr:
        """Return the values of a text or binary column converted, as binary values."""
        binary = polars.Binary

        def converted(series: polars.Series) -> polars.Series:
            return SeriesNamespace(series).convert(source, target, errors).cast(binary)

        return self._mapped(converted, binary)

    def _mapped(self, function: Callable[[polars.Series], polars.Series], dtype: Any) -> polars.Expr:
        def mapped(series: polars.Series) -> polars.Series:
            # polars makes an error anew of its class and its message, and these classes need more.
            try:
                return function(series)
            except ConversionError as error:
                raise UnicodeError("; ".join([str(error), *_notes(error), _OF_BATCH])) from None
            except BrokenColumnError as error:
                raise ValueError(f"{error}; {_OF_BATCH}") from None

        return self._expression.map_batches(mapped, return_dtype=dtype, is_elementwise=True)


def _notes(error: BaseException) -> list[str]:
    return getattr(error, "__notes__", [])


__all__ = ["ExpressionNamespace", "SeriesNamespace", "audit", "repair"]
