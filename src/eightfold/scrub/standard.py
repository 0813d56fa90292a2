"""The containers of the standard library, and its types that cannot hold text."""

from __future__ import annotations

import copy
import re
from collections import ChainMap, UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, Kind, Part, Scrubbed, by_key

# --- sequences and sets -----------------------------------------------------------------------------------------------


def _item_parts(items: Any) -> Iterator[Part]:
    return ((paths.index, index, item) for index, item in enumerate(items))


def _fill_items(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    new.clear()
    new.extend(scrubbed(item) for _, _, item in parts)


def _tuple_parts(items: Any) -> Iterable[Part]:
    names = getattr(items, "_fields", ())
    if len(names) != len(items):
        return _item_parts(items)
    return ((paths.attribute, name, item) for name, item in zip(names, items, strict=True))


def _set_parts(elements: Any) -> Iterator[Part]:
    return ((paths.element, element, element) for element in elements)


def _fill_set(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    new.clear()
    new.update(scrubbed(element) for _, _, element in parts)


def remade(old: Any, content: Any) -> Any:
    """Return a str, tuple or frozenset with new content and with the type and attributes of the old one.

    >>> remade((1, 2), [3])
    (3,)
    """
    cls: Any = type(old)
    new = cls._make(content) if hasattr(cls, "_make") else cls.__new__(cls, content)
    if hasattr(new, "__dict__"):
        new.__dict__.update(old.__dict__)
    return new


def _remade_items(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    return remade(old, (scrubbed(item) for _, _, item in parts))


# --- mappings ---------------------------------------------------------------------------------------------------------


def item_parts_of(items: Mapping[Any, Any]) -> Iterator[Part]:
    """Yield the keys and the values of a mapping: each key before its value.

    >>> [value for _, _, value in item_parts_of({"a": 1})]
    ['a', 1]
    """
    for key, value in items.items():
        yield paths.key, key, key
        yield paths.value, key, value


def scrubbed_items(parts: Iterable[Part], scrubbed: Scrubbed) -> Iterator[tuple[Any, Any]]:
    """Yield the scrubbed items of parts from :func:`item_parts_of`.

    >>> dict(scrubbed_items(item_parts_of({"a": "b"}), str.upper))
    {'A': 'B'}
    """
    values = (scrubbed(value) for _, _, value in parts)
    return zip(values, values, strict=True)


def _fill_dict(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    new.clear()
    for key, value in scrubbed_items(parts, scrubbed):
        new[key] = value


def _remade_mapping(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    """Return a mapping of an unknown class, created by its constructor, if it then holds the given items."""
    items = list(scrubbed_items(parts, scrubbed))
    once = dict(items)
    new = type(old)(once if len(once) == len(items) else items)
    if list(new.items()) != items:
        raise TypeError("the constructor did not take the items")
    return new


def _namespace_parts(namespace: Any) -> Iterator[Part]:
    return item_parts_of(vars(namespace))


def _fill_namespace(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    items = dict(scrubbed_items(parts, scrubbed))
    vars(new).clear()
    vars(new).update(items)


# --- objects with attributes ------------------------------------------------------------------------------------------


def attribute_parts(*names: str) -> Callable[[Any], Iterator[Part]]:
    """Return a function that yields attributes of an object; a missing attribute is treated as None.

    >>> [value for _, _, value in attribute_parts("real", "imag")(1)]
    [1, 0]
    """
    return lambda obj: ((paths.attribute, name, getattr(obj, name, None)) for name in names)


def fill_attributes(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    """Set the attributes that change, even of frozen objects."""
    for _, name, value in parts:
        if scrubbed(value) is not value:
            object.__setattr__(new, name, scrubbed(value))


def _path_parts(path: Any) -> Iterator[Part]:
    return ((paths.component, index, text) for index, text in enumerate(path.parts))


def _remade_path(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    """Return a path of scrubbed components, if a path can have these and they lead the same way."""
    components = tuple(scrubbed(text) for _, _, text in parts)
    new = type(old)(*components)
    if new.parts != components or _way(new) != _way(old):
        raise TypeError("the path would have other components")
    return new


def _way(path: Any) -> tuple[bool, bool, int]:
    """Return what a path would lose or gain if a component became a drive, a root or ``..``."""
    return bool(path.drive), bool(path.root), path.parts.count("..")


def _remade_pattern(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
    return re.compile(by_key(parts, scrubbed)["pattern"], old.flags)


def _array_kind(array: Any) -> Kind:
    return UNKNOWN if array.typecode in ("u", "w") else TEXTLESS


# --- the tables -------------------------------------------------------------------------------------------------------


def _held_in(name: str) -> Kind:
    return Kind(attribute_parts(name), blank=copy.copy, fill=fill_attributes)


_ITEMS = Kind(_item_parts, blank=copy.copy, fill=_fill_items)
MAPPING = Kind(item_parts_of, make=_remade_mapping, fleeting=True)
PATH = Kind(_path_parts, make=_remade_path, fleeting=True)
ARRAY = Kind(choose=_array_kind)

KINDS: dict[type, Kind] = {
    # Comes first, because an enumeration member may also be a tuple but cannot be copied.
    Enum: Kind(attribute_parts("name", "value")),
    dict: Kind(item_parts_of, blank=copy.copy, fill=_fill_dict),
    list: _ITEMS,
    tuple: Kind(_tuple_parts, make=_remade_items),
    set: Kind(_set_parts, blank=copy.copy, fill=_fill_set),
    frozenset: Kind(_set_parts, make=_remade_items),
    deque: _ITEMS,
    UserDict: _held_in("data"),
    UserList: _held_in("data"),
    UserString: _held_in("data"),
    ChainMap: _held_in("maps"),
    MappingProxyType: MAPPING,
    SimpleNamespace: Kind(_namespace_parts, blank=copy.copy, fill=_fill_namespace),
    re.Pattern: Kind(attribute_parts("pattern"), make=_remade_pattern),
}
"""Kinds by class; for a class that inherits from several of these, the first one applies."""

SCALARS = (
    *(type(None), type(Ellipsis), type(NotImplemented), int, float, complex, bytes, bytearray, memoryview, range),
    *(type, FunctionType, BuiltinFunctionType, MethodType, ModuleType),
)
"""Classes whose objects hold no text, or none that counts as data."""

__all__ = [
    *("ARRAY", "KINDS", "MAPPING", "PATH", "SCALARS", "attribute_parts", "fill_attributes", "item_parts_of"),
    *("remade", "scrubbed_items"),
]
