"""The attributes that objects hold beside their content, in `__dict__` and in slots; and copies that keep them."""

from __future__ import annotations

import copy
from collections import ChainMap, Counter, UserDict, UserList, defaultdict, deque
from contextlib import suppress
from functools import cached_property, lru_cache
from types import MemberDescriptorType, SimpleNamespace
from typing import Any, TypeVar

T = TypeVar("T")

_WITHOUT_ATTRIBUTES = frozenset(
    (
        *(vars(cls)["__copy__"] for cls in (defaultdict, deque, ChainMap, UserDict, UserList)),
        *(vars(cls)["__reduce__"] for cls in (Counter, SimpleNamespace)),
    )
)
"""Methods by which the standard library copies some of its classes; they omit some attributes of a subclass."""
_ADAPTER = "_sa_adapter"
"""The attribute by which a collection of SQLAlchemy is tied to the object that holds it."""


def attributes(obj: Any) -> dict[Any, Any]:
    """Return the attributes of an object, by name, or by descriptor if they are in slots.

    >>> from types import SimpleNamespace
    >>> attributes(SimpleNamespace(a=1)), attributes("a")
    ({'a': 1}, {})
    """
    held: dict[Any, Any] = dict(getattr(obj, "__dict__", ()))
    cls: Any = type(obj)
    for slot in _slots(cls):
        with suppress(AttributeError):
            held[slot] = slot.__get__(obj)
    return held


def carry_attributes(old: Any, new: Any) -> None:
    """Give the attributes of an object to another one of its class.

    >>> from types import SimpleNamespace
    >>> new = SimpleNamespace()
    >>> carry_attributes(SimpleNamespace(a=1), new)
    >>> new
    namespace(a=1)
    """
    for name, value in attributes(old).items():
        set_attribute(new, name, value)


def set_attribute(obj: Any, name: Any, value: Any) -> None:
    """Set an attribute, which has its name or its descriptor in :func:`attributes`.

    >>> from types import SimpleNamespace
    >>> new = SimpleNamespace()
    >>> set_attribute(new, "a", 1)
    >>> new
    namespace(a=1)
    """
    if isinstance(name, MemberDescriptorType):
        with suppress(AttributeError):  # members of C classes may be read-only
            name.__set__(obj, value)
    else:
        obj.__dict__[name] = value


def copied(obj: T) -> T:
    """Return a copy by the protocol of the object's class, with all attributes; its content is then replaced.

    >>> class Words(Counter): pass
    >>> words = Words("a")
    >>> words.language = "de"
    >>> copied(words).language
    'de'
    """
    cls: Any = type(obj)
    if _ADAPTER in getattr(obj, "__dict__", ()):
        return _untied(obj)
    new = copy.copy(obj)
    if getattr(cls, "__copy__", cls.__reduce__) in _WITHOUT_ATTRIBUTES:
        carry_attributes(obj, new)
    return new


def _untied(collection: T) -> T:
    """Return an empty copy of a collection of SQLAlchemy, which does not tell the object that holds it what changes."""
    cls: Any = type(collection)
    new: T = cls.__new__(cls)
    carry_attributes(collection, new)
    del vars(new)[_ADAPTER]
    return new


@lru_cache(maxsize=256)
def _slots(cls: type) -> tuple[MemberDescriptorType, ...]:
    members = (member for base in cls.__mro__ for name, member in vars(base).items() if name != "__dict__")
    return tuple(member for member in members if isinstance(member, MemberDescriptorType))


@lru_cache(maxsize=256)
def cached_properties(cls: type) -> frozenset[str]:
    """Return the names of the properties that an object of a class keeps in its `__dict__` once they are computed."""
    members = (member for base in cls.__mro__ for member in vars(base).items())
    return frozenset(name for name, member in members if isinstance(member, cached_property))


__all__ = ["attributes", "cached_properties", "carry_attributes", "copied", "set_attribute"]
