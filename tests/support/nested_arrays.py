"""Nested arrays of pyarrow with any bytes in them, and the places of their faults."""

from __future__ import annotations

from typing import Any

import pytest

from eightfold import columns
from support.arrow_arrays import array_of

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[arrow]'")

VALUES = [b"ok", b"\xff", b"caf\xc3\xa9", b"b\xfe"]


def text(values: list[bytes | None], type: Any = None, first: int = 0) -> Any:
    """Return an array of strings, or of another type, which is a slice that begins behind some others."""
    return array_of(pa, type or pa.string(), values, first)


def lists(make: Any, offsets: list[int], values: Any, nulls: tuple[int, ...] = ()) -> Any:
    """Return lists behind two that are sliced off."""
    number = pa.int64() if make is pa.large_list else pa.int32()
    stored = pa.array([0, 0, *offsets], number)
    bits = sum((row not in nulls) << (row + 2) for row in range(len(offsets) - 1)) | 3
    validity = pa.py_buffer(bits.to_bytes(len(offsets) // 8 + 1, "little"))
    whole = pa.Array.from_buffers(
        make(values.type), len(offsets) + 1, [validity, stored.buffers()[1]], children=[values]
    )
    return whole.slice(2)


def places(array: Any, **options: Any) -> list[tuple[str, int, bytes]]:
    """Return the path, the row and the bytes of each fault in an array, as the column `c` of a table."""
    report = columns.audit(pa.table({"c": array}), **options).to_pylist()
    return [(fault["column"], fault["row"], fault["bytes"]) for fault in report]
