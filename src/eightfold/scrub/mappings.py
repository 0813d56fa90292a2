"""Mappings that are not dicts: they are examined by their items, and copied by their constructor.

A mapping may hold more than its items, such as several values for a key. Then the mapping that its class makes of the
items differs from it, and it cannot be examined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import FunctionType, MethodType
from typing import Any

from eightfold.scrub.attributes import attributes, cached_properties, set_attribute
from eightfold.scrub.kinds import Kind, Part, Scrubbed
from eightfold.scrub.stores import pair_parts

_Items = list[tuple[Any, Any]]
_NUMBERS = (type(None), int, float)
_OF_NO_CONTENT = (*_NUMBERS, FunctionType, MethodType)


def scrubbed_items(parts: Iterable[Part], scrubbed: Scrubbed) -> Iterator[tuple[Any, Any]]:
    """Yield the scrubbed items of parts from :func:`eightfold.scrub.stores.pair_parts`.

    >>> dict(scrubbed_items(pair_parts([("a", "b")]), str.upper))
    {'A': 'B'}
    """
    values = (scrubbed(value) for _, _, value in parts)
    return zip(values, values, strict=True)


def _item_parts(mapping: Any) -> Iterator[Part]:
    items = list(mapping.items())
    if items and _holds_more(mapping, items):
        raise TypeError("the items are not all that the mapping holds")
    return pair_parts(items)


def _holds_more(mapping: Any, items: _Items) -> bool:
    """Return whether a mapping differs from one that its class makes of its items.

    If the class cannot make one, the items are taken to be all: the mapping cannot be copied, so nothing gets lost.
    """
    try:
        again = _made(type(mapping), items)
    except Exception:  # a user-defined class may raise anything
        return False
    return len(again) != len(mapping) or not _is_equal(again, mapping)


def _made(cls: Any, items: _Items) -> Any:
    """Return a mapping of a class with the given items, from a dict or, if that is refused, from a list.

    Raises:
        TypeError: the constructor takes neither.
    """
    once = dict(items)
    for content in (once, items) if len(once) == len(items) else (items,):
        with suppress(Exception):
            new = cls(content)
            if type(new) is cls and list(new.items()) == items:
                return new
    raise TypeError("the constructor did not take the items")


def _is_equal(again: Any, mapping: Any) -> bool:
    """Compare by the class's own ``==``; if it has none, by attributes, because `Mapping` compares only items."""
    own: Any = type(mapping).__eq__
    if own not in (Mapping.__eq__, object.__eq__):
        return bool(again == mapping)
    return _contents(again) == _contents(mapping)


def _contents(mapping: Any) -> dict[Any, Any]:
    """Return the attributes of a mapping that may hold something; a cached hash or a method does not."""
    return {name: value for name, value in attributes(mapping).items() if not isinstance(value, _OF_NO_CONTENT)}


def _remade(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    parts = list(parts)
    # This raises an error if nothing shows that the items are all.
    again = _made(type(old), list(scrubbed_items(parts, lambda part: part)))
    new = _made(type(old), list(scrubbed_items(parts, scrubbed)))
    _carry_settings(old, again, new)
    return new


def _carry_settings(old: Any, again: Any, new: Any) -> None:
    """Give a copy the numbers, such as a limit, and the functions that do not come from the items.

    Those are what `again`, which its class has made of the same items, does not have.
    """
    with suppress(Exception):
        hash(again)  # A class may keep its hash once it has been asked for it.
    cls: Any = type(old)
    others, computed = attributes(again), cached_properties(cls)
    for name, value in attributes(old).items():
        if name in computed:
            continue
        other = others.get(name)
        is_number = isinstance(value, _NUMBERS) and isinstance(other, _NUMBERS) and other != value
        if is_number or _is_other_function(value, other, old):
            set_attribute(new, name, value)


def _is_other_function(value: Any, other: Any, old: Any) -> bool:
    """Return whether an attribute of an object is a function that neither it nor its class has made."""
    if not isinstance(value, (FunctionType, MethodType)) or getattr(value, "__self__", None) is old:
        return False
    return getattr(other, "__code__", None) is not getattr(value, "__code__", old)


MAPPING = Kind(_item_parts, make=_remade, fleeting=True)

__all__ = ["MAPPING", "scrubbed_items"]
