"""Timestamps of the Parquet type INT96, which pyarrow reads as nanoseconds in 64 bits: years 1677 to 2262.

Later and earlier ones wrap round without an error, so that a copy has other timestamps. Here they are read as seconds,
which hold all that INT96 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eightfold.columns.arrow import compute, pyarrow

FIRST_SECOND, LAST_SECOND = -(2**63 // 10**9), 2**63 // 10**9 - 1
"""The seconds since 1970 whose nanoseconds all fit into 64 bits."""


def int96_columns(schema: Any) -> list[str]:
    """Return the paths of the columns of a ParquetSchema whose values are INT96, also of those inside other types."""
    columns = map(schema.column, range(len(schema)))
    return [column.path for column in columns if column.physical_type == "INT96"]


def is_kept(array: Any) -> bool:
    """Return whether all timestamps of an array, or inside it, are in the range of nanoseconds.

    Args:
        array: what was read with seconds as the unit of INT96. Another unit says nothing, so the answer is no.

    >>> [is_kept(pyarrow().array([seconds, None], pyarrow().timestamp("s"))) for seconds in (0, 2**40)]
    [True, False]
    """
    return all(_is_in_range(leaf) for leaf in _leaves(array) if pyarrow().types.is_timestamp(leaf.type))


def _is_in_range(array: Any) -> bool:
    if array.type.unit != "s":
        return False
    ends = compute().min_max(array.cast(pyarrow().int64())).as_py()
    return ends["min"] is None or (ends["min"] >= FIRST_SECOND and ends["max"] <= LAST_SECOND)


def _leaves(array: Any) -> Iterator[Any]:
    """Yield the arrays inside an array that hold no others: of lists, maps and structs what is not null."""
    if not array.type.num_fields:
        yield array
        return
    inside = array.flatten()
    for each in inside if isinstance(inside, list) else [inside]:
        yield from _leaves(each)


__all__ = ["FIRST_SECOND", "LAST_SECOND", "int96_columns", "is_kept"]
