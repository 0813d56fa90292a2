"""NumPy arrays of objects and of text. This module does not import NumPy: an array implies that it is loaded."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, Kind, Part, Scrubbed
from eightfold.text import is_well_formed

_PLAIN = frozenset((int, float, bool, type(None)))


def is_plain(value: Any) -> bool:
    """Return whether an element is of a common kind without surrogates, so that it can be skipped.

    >>> is_plain("a"), is_plain(None), is_plain("é")
    (True, True, False)
    """
    return value.isascii() if type(value) is str else type(value) in _PLAIN


def _array_kind(array: Any) -> Kind:
    return {"O": OBJECTS, "U": TEXTS}.get(array.dtype.kind) or _void_kind(array)


def _void_kind(value: Any) -> Kind:
    return UNKNOWN if _may_hold_text(value.dtype) else TEXTLESS


def _may_hold_text(dtype: Any) -> bool:
    fields = [dtype[name].base for name in dtype.names or ()]
    return dtype.base.kind in "OU" or any(map(_may_hold_text, fields))


def _bare(array: Any) -> Any:
    """Return an array as a plain ndarray, which does not mask or reshape its elements."""
    return array.view(sys.modules["numpy"].ndarray)


def _elements(array: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    bare = _bare(array)
    return zip(sys.modules["numpy"].ndindex(bare.shape), bare.flat, strict=True)


def _object_parts(array: Any) -> Iterator[Part]:
    return ((paths.cell, at, value) for at, value in _elements(array) if not is_plain(value))


def _fill_objects(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    bare = _bare(new)
    for _, at, value in parts:
        if scrubbed(value) is value:
            continue
        if at:
            bare[at] = scrubbed(value)
        else:
            bare.reshape(1)[0] = scrubbed(value)  # a zero-dimensional array would broadcast a list


def _text_parts(array: Any) -> Iterator[Part]:
    if not _is_unfit(array):
        return iter(())
    return ((paths.cell, at, value) for at, value in _elements(array) if not is_plain(value))


def _is_unfit(array: Any) -> bool:
    """Return whether an array of text, which NumPy stores as UTF-32, contains a surrogate."""
    order = array.dtype.byteorder
    is_little = sys.byteorder == "little" if order == "=" else order == "<"
    return not is_well_formed(_bare(array).tobytes(), "utf-32-le" if is_little else "utf-32-be")


def _remade_texts(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    """Return an array of the scrubbed texts, wide enough for all of them."""
    texts = {at: scrubbed(text) for _, at, text in parts}
    width = max(old.dtype.itemsize // 4, *map(len, texts.values()))
    new = old.astype(f"{old.dtype.byteorder}U{width}")
    bare = _bare(new)
    for at, text in texts.items():
        bare[at] = text
    return new


OBJECTS = Kind(_object_parts, blank=copy.copy, fill=_fill_objects)
TEXTS = Kind(_text_parts, make=_remade_texts, fleeting=True)
ARRAY = Kind(choose=_array_kind)
VOID = Kind(choose=_void_kind)

__all__ = ["ARRAY", "OBJECTS", "TEXTS", "VOID", "is_plain"]
