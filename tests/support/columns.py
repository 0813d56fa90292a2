"""Columns of buffers made by hand: each layout of some values, with garbage where nulls are and around the values."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import Any

from eightfold.columns.values import Column

Values = Sequence[bytes | None]
GARBAGE = b"\xf0\x9f\xff"
"""What stands behind nulls and around the values: ill-formed by itself and with what follows."""


def bits_of(values: Values, first: int) -> bytes | None:
    """Return validity bits behind others, or None if no value is null."""
    if None not in values:
        return None
    bits = bytearray((first + len(values) + 7) // 8)
    for at, value in enumerate(values, first):
        bits[at // 8] |= (value is not None) << at % 8
    return bytes(bits)


def with_offsets(values: Values, width: int = 4, first: int = 0) -> Column:
    """Return a column with offsets, which begins with so many other values."""
    stored = [GARBAGE] * first + [GARBAGE if value is None else value for value in values] + [GARBAGE]
    offsets = array("i" if width == 4 else "q", [0])
    for value in stored:
        offsets.append(offsets[-1] + len(value))
    return Column("offsets", width, offsets, (b"".join(stored),), bits_of(values, first), first, len(values))


def with_views(values: Values, first: int = 0) -> Column:
    """Return a column of views into two buffers; the views of nulls point nowhere."""
    buffers, views = [bytearray(GARBAGE), bytearray(GARBAGE)], bytearray(b"\xff" * 16 * first)
    for at, value in enumerate(values):
        views += b"\xff" * 16 if value is None else _view(value, buffers[at % 2], at % 2)
    data = tuple(bytes(buffer) for buffer in buffers)
    return Column("views", 16, bytes(views), data, bits_of(values, first), first, len(values))


def _view(value: bytes, buffer: bytearray, number: int) -> bytes:
    if len(value) <= 12:
        return struct.pack("=i", len(value)) + value.ljust(12, b"\0")
    buffer += value
    return struct.pack("=i4sii", len(value), value[:4], number, len(buffer) - len(value))


def with_fixed(values: Values, width: int, first: int = 0) -> Column:
    """Return a column of values of one size."""
    stored = b"".join([b"\xff" * width] * first + [b"\xff" * width if value is None else value for value in values])
    return Column("fixed", width, None, (stored,), bits_of(values, first), first, len(values))


def layouts(values: Values) -> list[Column]:
    """Return a column of each layout that has these values."""
    return [
        with_offsets(values),
        with_offsets(values, first=3),
        with_offsets(values, 8),
        with_offsets(values, 8, first=9),
        with_views(values),
        with_views(values, first=2),
    ]


def unaligned(data: Any) -> memoryview:
    """Return the same bytes at an odd address."""
    copied = bytes(memoryview(data).cast("B"))
    return memoryview(b"\0" + copied)[1:]
