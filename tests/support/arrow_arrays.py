"""Arrays of pyarrow with any bytes in them, also where its own constructors refuse them."""

from __future__ import annotations

from typing import Any

from support.columns import Values, with_offsets, with_views


def array_of(pa: Any, type: Any, values: Values, first: int = 0) -> Any:
    """Return an array of a type of text or binary values, which is a slice that begins behind some others."""
    if pa.types.is_string_view(type) or pa.types.is_binary_view(type):
        column = with_views(values, first)
    elif pa.types.is_large_string(type) or pa.types.is_large_binary(type):
        column = with_offsets(values, 8, first)
    else:
        column = with_offsets(values, 4, first)
    validity = None if column.validity is None else pa.py_buffer(column.validity)
    buffers = [validity, pa.py_buffer(column.places), *map(pa.py_buffer, column.data)]
    return pa.Array.from_buffers(type, len(values), buffers, offset=first)


def addresses(array: Any) -> list[int | None]:
    """Return the addresses of an array's buffers."""
    return [None if buffer is None else buffer.address for buffer in array.buffers()]


def bytes_of(pa: Any, array: Any) -> list[bytes | None]:
    """Return the values of an array of text or binary values as bytes, by its buffers."""
    from eightfold.columns.arrow import as_type, binary_type, chunks_of

    return [value for chunk in chunks_of(array) for value in as_type(chunk, binary_type(chunk.type)).to_pylist()]
