"""Data to be scrubbed, and a picture of it (`shape`) that defines the expected result.

CPython's UTF-16, which joins pairs, and its UTF-8 define what a str must become; neither shares anything with the code
under test.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclass
class Plain:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class Frozen:
    first: Any
    second: Any = None


@dataclass(slots=True)
class Slotted:
    first: Any
    second: Any = None


@dataclass(frozen=True, slots=True)
class FrozenSlotted:
    first: Any
    second: Any = None


@dataclass(frozen=True)
class OwnSlots:
    """Python's own `copy` fails for it."""

    __slots__ = ("first", "second")
    first: Any
    second: Any


T = TypeVar("T")


@dataclass
class Typed(Generic[T]):
    first: T
    second: Any = None


DATACLASSES = (Plain, Frozen, Slotted, FrozenSlotted, OwnSlots, Typed)


# --- the picture ------------------------------------------------------------------------------------------------------

Picture = tuple[Any, Any]
POLICIES = ("replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace")


def parts(obj: Any) -> list[Any] | None:
    """Return the content of a container, in its order if it has one, and None for anything else."""
    if isinstance(obj, dict):
        return [part for item in obj.items() for part in item]
    if isinstance(obj, (list, tuple, deque, set, frozenset)):
        return list(obj)
    if isinstance(obj, DATACLASSES):
        return [obj.first, obj.second]
    return None


def shape(obj: Any) -> Picture:
    """Return the types and the texts of data, as tuples that can be compared; a container seen before is a number."""
    return _shape(obj, {})


def _shape(obj: Any, met: dict[int, int]) -> Picture:
    held = parts(obj)
    if held is None:
        return type(obj), obj if isinstance(obj, str) else repr(obj)
    if isinstance(obj, (set, frozenset)):
        return type(obj), frozenset(shape(part) for part in held)
    if id(obj) in met:
        return type(obj), met[id(obj)]
    met[id(obj)] = len(met)
    keys = set(range(0, len(held), 2)) if isinstance(obj, dict) else set()
    return type(obj), tuple(shape(part) if at in keys else _shape(part, met) for at, part in enumerate(held))


class CollisionError(Exception):
    """Elements of a set, or keys of a dict, that become equal by a change."""


def with_texts(picture: Picture, change: Callable[[str], str]) -> Picture:
    cls, content = picture
    if issubclass(cls, str):
        return cls, change(content)
    if not isinstance(content, (tuple, frozenset)):
        return picture
    changed = [with_texts(part, change) for part in content]
    unique = changed[::2] if issubclass(cls, dict) else changed if isinstance(content, frozenset) else []
    if len(set(map(_as_compared, unique))) < len(unique):
        raise CollisionError
    return cls, type(content)(changed)


def _as_compared(picture: Picture) -> Picture:
    """Return a picture in which a named tuple is a tuple: they are equal."""
    cls, content = picture
    if not isinstance(content, (tuple, frozenset)):
        return picture
    return tuple if issubclass(cls, tuple) else cls, type(content)(map(_as_compared, content))


def texts(picture: Picture) -> Iterator[str]:
    cls, content = picture
    if issubclass(cls, str):
        yield content
    elif isinstance(content, (tuple, frozenset)):
        for part in content:
            yield from texts(part)


def by_cpython(text: str, errors: str) -> str:
    """Return a text with pairs joined, and a policy applied to the remaining surrogates."""
    units = text.encode("utf-16-le", "surrogatepass")
    if errors == "replace":
        return units.decode("utf-16-le", "replace")  # on encoding it would be a question mark
    return units.decode("utf-16-le", "surrogatepass").encode("utf-8", errors).decode("utf-8")


def is_fit(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_all_fit(obj: Any) -> bool:
    return all(map(is_fit, texts(shape(obj))))


ROOMS: dict[str, Callable[[Any], Any]] = {
    "list": lambda part: [part],
    "tuple": lambda part: (1, part),
    "deque": lambda part: deque([part]),
    "set": lambda part: {part},
    "frozenset": lambda part: frozenset({part}),
    "key": lambda part: {part: 1},
    "value": lambda part: {1: part},
    "tuple in a key": lambda part: {(part,): 1},
    "named tuple": lambda part: Pair(1, part),
    "depth": lambda part: [[{"a": [part]}]],
    **{cls.__name__: (lambda part, cls=cls: cls(1, part)) for cls in DATACLASSES},
}
