"""Whether tables share their buffers, as they do where a repair changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eightfold.columns.nested import holds_text
from eightfold.columns.steps import children


def share_buffers(one: Any, other: Any) -> bool:
    """Return whether two tables or record batches have the same buffers.

    >>> from eightfold.columns.arrow import pyarrow
    >>> table = pyarrow().table({"name": ["a"]})
    >>> share_buffers(table, table.select(["name"])), share_buffers(table, pyarrow().table({"name": ["a"]}))
    (True, False)
    """
    return list(map(_addresses, one.columns)) == list(map(_addresses, other.columns))


def _addresses(column: Any) -> list[list[int | None]]:
    chunks = getattr(column, "chunks", [column])
    return [[None if each is None else each.address for each in _buffers(chunk)] for chunk in chunks]


def _buffers(array: Any) -> list[Any]:
    return [*array.buffers(), *(each for values in _dictionaries(array) for each in values.buffers())]


def _dictionaries(array: Any) -> Iterator[Any]:
    """Yield the dictionaries that an array has, or has inside: their buffers are not among its own."""
    if hasattr(array, "dictionary"):
        yield array.dictionary
        yield from _dictionaries(array.dictionary)
    elif hasattr(array, "storage"):
        yield from _dictionaries(array.storage)
    elif array.type.num_fields and holds_text(array.type, binary=False):  # binary values are not repaired
        for child, _ in children(array):
            yield from _dictionaries(child)


__all__ = ["share_buffers"]
