"""What dicts, lists, deques, sets and tuples store, and how copies of the mutable ones are filled; also for subclasses.

A subclass may offer something else than it stores: a dict of lists, for example, the last item of each. So objects are
read with the methods of the base class. A copy is filled with its own methods, which may maintain an index; if it then
does not store exactly the given parts, the methods of the base class fill it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from eightfold.scrub import paths
from eightfold.scrub.attributes import copied
from eightfold.scrub.kinds import Kind, Part, Scrubbed

_Put = Callable[[Any, Any, list[Any]], None]
"""Replaces the content of an object, with the methods of a class."""


def stored(base: Any, obj: Any) -> Iterator[Any]:
    """Return an iterator over what an object stores as an instance of a base class.

    Raises:
        TypeError: the object's own class offers more or less than that, so it keeps something elsewhere.

    >>> list(stored(list, [1, 2]))
    [1, 2]
    """
    # An overridden `__iter__` that offers as many only transforms or reorders what is stored. It may never end.
    count = base.__len__(obj)
    if type(obj).__iter__ is not base.__iter__ and sum(1 for _ in islice(obj, count + 1)) != count:
        raise _elsewhere(obj)
    found: Iterator[Any] = base.__iter__(obj)
    return found


def is_same(content: Iterable[Any], other: Iterable[Any], *, ordered: bool = True) -> bool:
    """Return whether two contents are the same objects; equal ones may hold different text.

    >>> is_same([1, None], [1, None]), is_same([[]], [[]])
    (True, False)
    """
    arranged = list if ordered else sorted
    return arranged(map(id, content)) == arranged(map(id, other))


def _elsewhere(obj: Any) -> TypeError:
    return TypeError(f"a {type(obj).__name__} does not offer what it stores")


def _filling(base: Any, put: _Put, read: Callable[[Any], Iterable[Any]]) -> Callable[[Any, list[Any]], None]:
    """Return a function that fills a copy with the methods of its class or, if these store otherwise, of a base."""

    def fill(new: Any, content: list[Any]) -> None:
        put(type(new), new, content)
        if type(new) is not base and not is_same(read(new), content, ordered=base is not set):
            put(base, new, content)

    return fill


# --- lists, deques and sets -------------------------------------------------------------------------------------------


def _extend(cls: Any, new: Any, content: list[Any]) -> None:
    cls.clear(new)
    cls.extend(new, content)


def _update(cls: Any, new: Any, content: list[Any]) -> None:
    cls.clear(new)
    cls.update(new, content)


def item_parts(base: Any) -> Callable[[Any], Iterator[Part]]:
    """Return a function that yields the items of a sequence, which is an instance of a base class.

    >>> [(index, item) for _, index, item in item_parts(list)(["a"])]
    [(0, 'a')]
    """
    return lambda items: ((paths.index, index, item) for index, item in enumerate(stored(base, items)))


def element_parts(base: Any) -> Callable[[Any], Iterator[Part]]:
    """Return a function that yields the elements of a set, which is an instance of a base class.

    >>> [element for _, _, element in element_parts(set)({"a"})]
    ['a']
    """
    return lambda elements: ((paths.element, element, element) for element in stored(base, elements))


def _kind(base: Any, parts: Callable[[Any], Iterator[Part]], put: _Put) -> Kind:
    fill = _filling(base, put, base.__iter__)
    return Kind(parts, blank=copied, fill=lambda new, parts, scrubbed: fill(new, _scrubbed_all(parts, scrubbed)))


def _scrubbed_all(parts: Iterable[Part], scrubbed: Scrubbed) -> list[Any]:
    return [scrubbed(part) for _, _, part in parts]


def list_kind(base: Any) -> Kind:
    """Return the kind of a list or deque.

    >>> new = []
    >>> list_kind(list).fill(new, [(str, 0, "a")], str.upper)
    >>> new
    ['A']
    """
    return _kind(base, item_parts(base), _extend)


def set_kind(base: Any) -> Kind:
    """Return the kind of a set.

    >>> new = set()
    >>> set_kind(set).fill(new, [(str, "a", "a")], str.upper)
    >>> new
    {'A'}
    """
    return _kind(base, element_parts(base), _update)


# --- dicts ------------------------------------------------------------------------------------------------------------


def pair_parts(pairs: Iterable[tuple[Any, Any]]) -> Iterator[Part]:
    """Yield the keys and the values of pairs: each key before its value.

    >>> [part for _, _, part in pair_parts([("a", 1)])]
    ['a', 1]
    """
    for key, value in pairs:
        yield paths.key, key, key
        yield paths.value, key, value


def _set_items(cls: Any, new: Any, content: list[Any]) -> None:
    cls.clear(new)
    parts = iter(content)
    for key, value in zip(parts, parts, strict=True):
        cls.__setitem__(new, key, value)


def dict_kind(base: Any) -> Kind:
    """Return the kind of a dict. An OrderedDict has its own, because the methods of dict would lose its order.

    >>> new = {}
    >>> dict_kind(dict).fill(new, pair_parts([("a", "b")]), str.upper)
    >>> new
    {'A': 'B'}
    """
    fill = _filling(base, _set_items, lambda new: chain.from_iterable(base.items(new)))

    def parts(items: Any) -> Iterator[Part]:
        _offered(base, items)
        return pair_parts(base.items(items))

    def filled(new: Any, parts: Iterable[Part], scrubbed: Scrubbed) -> None:
        fill(new, _scrubbed_all(parts, scrubbed))
        if not all(scrubbed(value) is value for value in _offered(base, new)):
            raise _elsewhere(new)

    return Kind(parts, blank=copied, fill=filled)


def _offered(base: Any, items: Any) -> list[Any]:
    """Return the values that a dict offers, if its class determines them itself; else nothing.

    Raises:
        TypeError: it offers other keys than it stores, so it keeps something elsewhere.
    """
    cls: Any = type(items)
    if cls is base or not _determines(cls, base):
        return []
    keys, pairs = set(base.keys(items)), _pairs(items)
    if set(items) != keys or (pairs and {key for key, _ in pairs} != keys):
        raise _elsewhere(items)
    return [value for _, value in pairs]


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    try:
        return [(key, value) for key, value in items.items()]
    except Exception:  # an empty list, for example, has no last item; what is stored can be read all the same
        return []


@lru_cache(maxsize=256)
def _determines(cls: type, base: type) -> bool:
    return any(getattr(cls, name) is not getattr(base, name) for name in ("__iter__", "keys", "items"))


__all__ = [
    *("dict_kind", "element_parts", "is_same", "item_parts", "list_kind", "pair_parts", "set_kind", "stored"),
]
