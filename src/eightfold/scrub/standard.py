"""The containers of the standard library, and its types that cannot hold text."""

from __future__ import annotations

import re
from collections import ChainMap, OrderedDict, UserDict, UserList, UserString, deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType, SimpleNamespace
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.attributes import carry_attributes, copied
from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, Kind, Part, Scrubbed, by_key
from eightfold.scrub.mappings import MAPPING, scrubbed_items
from eightfold.scrub.stores import (
    dict_kind,
    element_parts,
    is_same,
    item_parts,
    list_kind,
    pair_parts,
    set_kind,
    stored,
)

# --- tuples and frozen sets -------------------------------------------------------------------------------------------

_tuple_items = item_parts(tuple)


def _tuple_parts(items: Any) -> Iterable[Part]:
    names = getattr(items, "_fields", ())
    if len(names) != tuple.__len__(items):
        return _tuple_items(items)
    return ((paths.attribute, name, item) for name, item in zip(names, stored(tuple, items), strict=True))


def remade_text(old: Any, text: str) -> Any:
    """Return a str with another text, and with the type and attributes of the old one.

    Raises:
        TypeError: the class makes something else of the text.

    >>> remade_text("a", "b")
    'b'
    """
    if type(old) is str:
        return text
    new = _remade(old, text)
    if str.__ne__(new, text):
        raise TypeError("the constructor did not take the text")
    return new


def _remade(old: Any, content: Any) -> Any:
    cls: Any = type(old)
    new = cls._make(content) if hasattr(cls, "_make") else cls.__new__(cls, content)
    if type(new) is not cls:
        raise TypeError("the constructor returned an object of another class")
    carry_attributes(old, new)
    return new


def _remade_as(base: Any) -> Callable[[Any, Iterable[Part], Scrubbed], Any]:
    """Return a function that makes a tuple or frozenset of other content, if its class stores just that."""

    def make(old: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> Any:
        content = [scrubbed(part) for _, _, part in parts]
        if type(old) is base:
            return base(content)
        new = _remade(old, content)
        if not is_same(base.__iter__(new), content, ordered=base is tuple):
            raise TypeError("the constructor did not take the items")
        return new

    return make


# --- objects with attributes ------------------------------------------------------------------------------------------


def _namespace_parts(namespace: Any) -> Iterator[Part]:
    return pair_parts(vars(namespace).items())


def _fill_namespace(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
    items = dict(scrubbed_items(parts, scrubbed))
    vars(new).clear()
    vars(new).update(items)


def attribute_parts(*names: str) -> Callable[[Any], list[Part]]:
    """Return a function that lists attributes of an object; a missing attribute is treated as None.

    >>> [value for _, _, value in attribute_parts("real", "imag")(1)]
    [1, 0]
    """
    return lambda obj: [(paths.attribute, name, getattr(obj, name, None)) for name in names]


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
    # A subclass may have a property of this name.
    return Kind(attribute_parts(name), blank=copied, fill=fill_attributes, fleeting=True)


PATH = Kind(_path_parts, make=_remade_path, fleeting=True)
ARRAY = Kind(choose=_array_kind)

KINDS: dict[type, Kind] = {
    # Comes first, because an enumeration member may also be a tuple but cannot be copied.
    Enum: Kind(attribute_parts("name", "value"), fleeting=True),
    OrderedDict: dict_kind(OrderedDict),
    dict: dict_kind(dict),
    list: list_kind(list),
    tuple: Kind(_tuple_parts, make=_remade_as(tuple)),
    set: set_kind(set),
    frozenset: Kind(element_parts(frozenset), make=_remade_as(frozenset)),
    deque: list_kind(deque),
    UserDict: _held_in("data"),
    UserList: _held_in("data"),
    UserString: _held_in("data"),
    ChainMap: _held_in("maps"),
    MappingProxyType: MAPPING,
    SimpleNamespace: Kind(_namespace_parts, blank=copied, fill=_fill_namespace),
    re.Pattern: Kind(attribute_parts("pattern"), make=_remade_pattern),
}
"""Kinds by class; for a class that inherits from several of these, the first one applies."""

SCALARS = (
    *(type(None), type(Ellipsis), type(NotImplemented), int, float, complex, bytes, bytearray, memoryview, range),
    *(type, FunctionType, BuiltinFunctionType, MethodType, ModuleType),
)
"""Classes whose objects hold no text, or none that counts as data."""

__all__ = [
    *("ARRAY", "KINDS", "PATH", "SCALARS", "attribute_parts", "fill_attributes", "remade_text"),
]
