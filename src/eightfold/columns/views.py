"""Views that share their bytes: any number of rows may show one buffer, so each distinct view is changed once.

Made row by row, it could take any amount of memory. The rows refer to distinct views as they do to a dictionary.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from eightfold.columns.arrow import column_of, compute, pyarrow, validity_of
from eightfold.columns.values import INLINE_BYTES

_VIEW_BYTES = 16


class SharedViews(NamedTuple):
    """The views of an array, each once.

    Attributes:
        distinct: an array of them, in the order in which rows show them first.
        rows: for each row its place among these; null for null.
    """

    distinct: Any
    rows: Any

    def spread(self, new: Any, array: Any) -> Any:
        """Return the array with other views in place of the distinct ones.

        Args:
            new: an array of them, of any type of views.
            array: the array that the views are of.
        """
        pa, count = pyarrow(), len(self.rows)
        views = _fixed(new).take(self.rows)  # zeros for null
        buffers = [validity_of(array, count), views.buffers()[1], *new.buffers()[2:]]
        return pa.Array.from_buffers(new.type, count, buffers)


def shared_views(array: Any) -> SharedViews | None:
    """Return the views of an array, of text or of binary values, that share bytes; None for any other array.

    >>> shared_views(pyarrow().array(["longer than a view"], pyarrow().string_view())) is None
    True
    """
    column = column_of(array)
    if column.kind != "views" or not _are_there(array):
        return None
    size = buffer_sizes(array)
    if not size or size_behind(array) <= size:
        return None
    pa, views = pyarrow(), _fixed(array)
    found = compute().if_else(array.is_valid(), views, pa.scalar(None, views.type)).dictionary_encode()
    buffers = [None, found.dictionary.buffers()[1], *column.data]
    return SharedViews(pa.Array.from_buffers(array.type, len(found.dictionary), buffers), found.indices)


def _are_there(array: Any) -> bool:
    """Return whether the buffers of an array of views have as many views and bits as it has rows."""
    (bits, views), end = array.buffers()[:2], array.offset + len(array)
    return views is not None and views.size >= end * _VIEW_BYTES and (bits is None or 8 * bits.size >= end)


def _fixed(array: Any) -> Any:
    """Return the views of an array, null or not, as values of a fixed size."""
    pa = pyarrow()
    return pa.Array.from_buffers(pa.binary(_VIEW_BYTES), len(array), [None, array.buffers()[1]], 0, array.offset)


def buffer_sizes(array: Any) -> int:
    """Return how many bytes the buffers behind the views of an array have together.

    >>> buffer_sizes(pyarrow().array(["short"], pyarrow().string_view()))
    0
    """
    return sum(0 if each is None else each.size for each in array.buffers()[2:])


def size_behind(array: Any) -> int:
    """Return how many bytes the values of an array of views have together that are in other buffers.

    The length begins each view; up to 12 bytes are in the view itself.

    >>> size_behind(pyarrow().array(["short", "longer than a view", None], pyarrow().string_view()))
    18
    """
    pa = pyarrow()
    numbers = pa.Array.from_buffers(pa.int32(), 4 * len(array), [None, array.buffers()[1]], 0, 4 * array.offset)
    # Every fourth number, by a mask: taking an element from lists of four takes twice as long.
    marks = pa.py_buffer(b"\x11" * (len(array) // 2 + 1))
    lengths = numbers.filter(pa.Array.from_buffers(pa.bool_(), len(numbers), [None, marks])).filter(array.is_valid())
    total: int = compute().sum(lengths.filter(compute().greater(lengths, INLINE_BYTES)), min_count=0).as_py()
    return total


__all__ = ["SharedViews", "buffer_sizes", "shared_views", "size_behind"]
