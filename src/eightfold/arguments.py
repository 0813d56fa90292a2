"""Arguments of the verbs: what they may be, and how they are checked and read."""

from __future__ import annotations

import operator
import sys
from array import array
from typing import TYPE_CHECKING, SupportsIndex, TypeAlias

from eightfold.faults import wants_bytes, wants_text
from eightfold.forms import Form
from eightfold.policy import Errors

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Data: TypeAlias = ReadableBuffer
else:
    Data = bytes | bytearray | memoryview | array
"""Any bytes-like object: for type checkers, anything that supports the buffer protocol."""
AnyForm: TypeAlias = Form | str
AnyErrors: TypeAlias = Errors | str
_NATIVE_FORMATS = frozenset("bBcdefhHiIlLnNPqQ?")
"""The formats of items that a view can be cast from."""


def bytes_of(data: Data) -> bytes:
    """Return the bytes of any bytes-like object, contiguous or not; a `bytes` object is returned unchanged.

    Raises:
        TypeError: the object is not bytes-like.
    """
    if type(data) is bytes:
        return data
    try:
        return memoryview(data).tobytes()
    except TypeError:
        raise wants_bytes(data) from None


def text_of(text: str) -> str:
    """Return a str unchanged.

    Raises:
        TypeError: the object is not a str.
    """
    if not isinstance(text, str):
        raise wants_text(text)
    return text


def exactly(text: str) -> str:
    """Return a str as one that is not an instance of a subclass.

    Raises:
        TypeError: the object is not a str.
    """
    return str.__getitem__(text_of(text), slice(None))


def view_of(data: Data) -> memoryview:
    """Return a view of the bytes of any bytes-like object; those that are not side by side are copied.

    Raises:
        TypeError: the object is not bytes-like.
    """
    try:
        view = memoryview(data)
    except TypeError:
        raise wants_bytes(data) from None
    is_plain = view.c_contiguous and view.nbytes > 0 and view.format.lstrip("@") in _NATIVE_FORMATS
    return view.cast("B") if is_plain else memoryview(view.tobytes())


def size_of(given: SupportsIndex, name: str, *, least: int = 0) -> int:
    """Return the value of an argument that is a size, a limit or an offset.

    Raises:
        TypeError: it is not an integer. ValueError: it is below ``least``.
    """
    size = operator.index(given)
    if size < least:
        raise ValueError(f"{name} must be {least} or more, not {size}")
    return size


def limit_of(limit: object) -> int | None:
    """Return the maximum number of faults, None if there is none; one larger than any object is the largest size.

    Raises:
        TypeError: it is neither None nor an integer. ValueError: it is below 0.
    """
    if limit is None:
        return None
    most = operator.index(limit) if isinstance(limit, SupportsIndex) else None
    if most is None or most < 0:
        error = TypeError if most is None else ValueError
        raise error(f"limit must be None or a number of 0 or more, not {limit!r}")
    return min(most, sys.maxsize)


__all__ = [
    "AnyErrors",
    "AnyForm",
    "Data",
    "bytes_of",
    "exactly",
    "limit_of",
    "size_of",
    "text_of",
    "view_of",
]
