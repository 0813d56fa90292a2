r"""Nested data made fit for writers of UTF-8, which have no bytes for surrogates: what is unfit, where, and the cure.

What is looked into: str, dict (keys too), list, tuple, set, frozenset, `collections.deque`, named tuples and
dataclasses, and what inherits from them (OrderedDict, defaultdict, Counter, ...). Every other object is left alone:
bytes, but also models of pydantic or attrs, iterators, arrays, and attributes that are no fields. Text that holds JSON
is the business of `jsontext`.

The work has three steps, none of them recursive, so that depth is no limit: a survey finds the strs that are unfit; of
the containers only those that lead to one are copied, so that all others stay the very same objects; and a copy that
can be changed is there before it is filled, so that cycles keep their shape.

Source: RFC 3629 section 3, whose UTF-8 has no surrogates; a pair that was split into two code points is joined as in
WTF-8 section 6.1.
"""

from __future__ import annotations

import copy
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import islice
from reprlib import Repr
from types import MemberDescriptorType
from typing import Any, NamedTuple, TypeVar, get_args

from eightfold._engine import CORE
from eightfold.faults import ConversionError, EncodeError, Fault
from eightfold.forms.utf_8 import REASONS, UTF_8
from eightfold.policy import Errors, check_policy
from eightfold.reference import LEADS, SURROGATES, TRAILS, joined
from eightfold.text import AnyErrors, convert, decode, encode, encode_faults, is_encodable

T = TypeVar("T")
Part = tuple[Callable[[Any], str], Any, Any]
"""A part of a container: how its step in a path is shown, what by, and the part itself."""

_BUILT_IN = frozenset(get_args(Errors))
_LEAVING_SURROGATES = ("surrogatepass", "surrogateescape")


def _any_of(code_points: range) -> str:
    return f"[{chr(code_points[0])}-{chr(code_points[-1])}]"


# A pair, or a surrogate in none. It begins with one class of characters, which `re` finds many times faster than a
# choice between two.
_PAIR_OR_UNPAIRED = re.compile(f"{_any_of(SURROGATES)}(?:(?<={_any_of(LEADS)}){_any_of(TRAILS)})?")


def scrub(obj: T, errors: AnyErrors = "replace") -> T:
    r"""Return nested data without surrogates, fit for JSON, Arrow, databases and whatever else writes UTF-8.

    A surrogate pair that was split into two code points is joined; then the policy is applied to each surrogate that is
    left. Types are kept. What was fit comes back as the very same object: the whole, or any part of it. Objects that
    are shared, or that hold themselves, are so in the result too; the input is never changed.

    Args:
        obj: any object; what is looked into is said at the head of :mod:`eightfold.scrub`.
        errors: ``replace`` (U+FFFD), ``ignore``, ``backslashreplace``, ``xmlcharrefreplace``, ``namereplace``,
            ``strict``, or a handler known to :func:`codecs.lookup_error`, which is called as by
            :func:`eightfold.convert`: with an EncodeError whose object is that one character.

    Raises:
        EncodeError: there is an unpaired surrogate, and the policy is strict. Offsets count code points of its object,
            the str; the reason names the path.
        ValueError: two keys of a dict, or two elements of a set, would become one; both paths are named. Or the policy
            is ``surrogatepass`` or ``surrogateescape``, which leave what is unfit as it is.
        TypeError: an object of a class of your own cannot be copied; the path is named.
        LookupError: no such policy, or one that utf-8 does not have (``escape``).

    >>> scrub({"messages": [{"content": "h\ud83d\ude00 \ud83d"}, "fine"]})
    {'messages': [{'content': 'h😀 �'}, 'fine']}
    """
    check_errors(errors)
    survey = _Survey(obj)
    return _copied(survey, errors).get(id(obj), obj) if survey.unfit else obj


def scrub_report(obj: object) -> list[tuple[str, Fault]]:
    r"""Return where nested data are unfit for UTF-8, and what is there; nothing where `scrub` changes nothing.

    Args:
        obj: any object, as for :func:`scrub`.

    Returns:
        Pairs of a path and a fault, in order; the faults of a str are those of :func:`eightfold.encode_faults`, so
        offsets count its code points. An object that is met again is not reported again.

        A path is written ``messages[3].content``: an index in brackets, a field or a key that is an identifier after a
        dot, any other key in brackets and, if it is a str, in double quotes (``["a b"]``), an element of a set in
        braces (``{"a b"}``). What is in a key and not in its value has `` (key)`` after the key. The object itself is
        ``$``. Surrogates in a path are written as escapes, so that a path can always be printed; keys and elements that
        are no str are shortened as by :mod:`reprlib`.

    >>> for path, fault in scrub_report({"messages": [{"content": "h\ud83d"}], "a\udc00": 1}):
    ...     print(f"{path} at {fault.start}: {fault}")
    messages[0].content at 1: U+D83D cannot be written in utf-8
    ["a\udc00"] (key) at 1: U+DC00 cannot be written in utf-8
    """
    return [(place.path, fault) for place in _Survey(obj).unfit for fault in encode_faults(place.value, UTF_8)]


def check_errors(errors: AnyErrors) -> None:
    """Check the name of a policy that is to leave no surrogates.

    Raises:
        LookupError, ValueError, TypeError: as :func:`scrub`.
    """
    check_policy(errors, UTF_8)
    if errors in _LEAVING_SURROGATES:
        raise ValueError(f"errors={errors!r} is refused here: it leaves what UTF-8 does not have as it is")


def instead_of(surrogate: str, errors: AnyErrors) -> str:
    r"""Return what a policy writes for one unpaired surrogate.

    Raises:
        ConversionError: the policy is strict, or its handler raised what it was called with.
        DecodeError: the handler wrote bytes that are no UTF-8.

    >>> instead_of("\ud83d", "xmlcharrefreplace")
    '&#55357;'
    """
    return (_remembered if errors in _BUILT_IN else _asked)(surrogate, errors)


def _asked(surrogate: str, errors: AnyErrors) -> str:
    return decode(convert(encode(surrogate, "wtf-8"), "wtf-8", UTF_8, errors), UTF_8)


# The built-in policies always write the same; a foreign handler may count what it is called with.
_remembered = lru_cache(maxsize=None)(_asked)


# --- paths ------------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """An object and the steps that lead to it."""

    value: Any
    holder: _Place | None
    show: Callable[[Any], str]
    key: Any

    @property
    def path(self) -> str:
        steps, place = [], self
        while place.holder is not None:
            steps.append(place.show(place.key))
            place = place.holder
        return "".join(reversed(steps)).removeprefix(".") or "$"


class _Short(Repr):
    """Shows keys and elements that are no str: containers only so deep and so wide."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 100

    def repr_instance(self, obj: Any, level: int) -> str:
        if _container(obj) is None:
            return super().repr_instance(obj, level)
        shown = [self.repr1(child, level - 1) for child in islice(_children(obj), self.maxtuple)]
        return f"{type(obj).__name__}({', '.join(shown) if level > 0 else '...'})"


_SHORT = _Short()


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _shown(key: Any) -> str:
    if not isinstance(key, str):
        return _printable(_SHORT.repr(key))
    body = str.replace(key, "\\", r"\\").replace('"', r"\"")
    return f'"{_printable(body)}"'


def _index(key: Any) -> str:
    return f"[{_shown(key)}]"


def _attribute(name: str) -> str:
    return "." + name


def _value(key: Any) -> str:
    return _attribute(key) if isinstance(key, str) and key.isidentifier() else _index(key)


def _key(key: Any) -> str:
    return f"{_value(key)} (key)"


def _element(element: Any) -> str:
    return f"{{{_shown(element)}}}"


# --- the containers: their parts, and how a copy is filled ------------------------------------------------------------

Scrubbed = Callable[[Any], Any]


class _Container(NamedTuple):
    """What is known of a kind of container: its parts, and how a copy is filled; None where a copy is made whole."""

    parts: Callable[[Any], Iterable[Part]]
    fill: Callable[[Any, Any, Scrubbed], None] | None


def _item_parts(items: Any) -> Iterator[Part]:
    return ((_index, index, item) for index, item in enumerate(items))


def _fill_items(new: Any, old: Any, scrubbed: Scrubbed) -> None:
    new.clear()
    new.extend(map(scrubbed, old))


def _tuple_parts(items: Any) -> Iterable[Part]:
    names = getattr(items, "_fields", ())
    if len(names) != len(items):
        return _item_parts(items)
    return ((_attribute, name, item) for name, item in zip(names, items, strict=True))


def _dict_parts(items: Any) -> Iterator[Part]:
    for key, value in items.items():
        yield _key, key, key
        yield _value, key, value


def _fill_dict(new: Any, old: Any, scrubbed: Scrubbed) -> None:
    new.clear()
    for key, value in old.items():
        new[scrubbed(key)] = scrubbed(value)


def _set_parts(elements: Any) -> Iterator[Part]:
    return ((_element, element, element) for element in elements)


def _fill_set(new: Any, old: Any, scrubbed: Scrubbed) -> None:
    new.clear()
    new.update(map(scrubbed, old))


def _field_parts(obj: Any) -> Iterator[Part]:
    # A field that has no value yet is passed over, as None is.
    return ((_attribute, field.name, getattr(obj, field.name, None)) for field in fields(obj))


def _fill_fields(new: Any, old: Any, scrubbed: Scrubbed) -> None:
    for _, name, value in _field_parts(old):
        if scrubbed(value) is not value:
            object.__setattr__(new, name, scrubbed(value))  # frozen dataclasses refuse the plain way


_ITEMS = _Container(_item_parts, _fill_items)
_FIELDS = _Container(_field_parts, _fill_fields)
_CONTAINERS = {
    dict: _Container(_dict_parts, _fill_dict),
    list: _ITEMS,
    tuple: _Container(_tuple_parts, None),
    set: _Container(_set_parts, _fill_set),
    frozenset: _Container(_set_parts, None),
    deque: _ITEMS,
}


def _container(obj: Any) -> _Container | None:
    cls: Any = type(obj)
    return _container_of(cls)


@lru_cache(maxsize=256)
def _container_of(cls: type) -> _Container | None:
    for base, container in _CONTAINERS.items():
        if issubclass(cls, base):
            return container
    return _FIELDS if is_dataclass(cls) else None


# --- what is unfit, and what leads there ------------------------------------------------------------------------------


def _holds_surrogate(text: str) -> bool:
    # The reference spells each code point out, and `re` is the faster one there.
    return _PAIR_OR_UNPAIRED.search(text) is not None if CORE is None else not is_encodable(text, UTF_8)


class _Survey:
    """All that can be reached from an object.

    Attributes:
        unfit: the strs that UTF-8 cannot write, in order.
        containers: each container once, after all that it holds but for what holds itself.
    """

    def __init__(self, obj: object) -> None:
        self.unfit: list[_Place] = []
        self.containers: list[_Place] = []
        root: Part = (_index, None, obj)
        met: set[int] = set()
        stack: list[tuple[_Place | None, Iterator[Part]]] = [(None, iter((root,)))]
        while stack:
            holder, parts = stack[-1]
            for show, key, value in parts:
                if isinstance(value, str):
                    if not str.isascii(value) and _holds_surrogate(value):
                        self.unfit.append(_Place(value, holder, show, key))
                elif (container := _container(value)) is not None and id(value) not in met:
                    met.add(id(value))
                    stack.append((_Place(value, holder, show, key), iter(container.parts(value))))
                    break
            else:
                stack.pop()
                if holder is not None:
                    self.containers.append(holder)

    def changing(self) -> set[int]:
        """Return the identities of the strs that are unfit and of all containers that lead to one."""
        reached = {id(place.value) for place in (*self.unfit, *self.containers)}
        holders = defaultdict(list)
        for place in self.containers:
            for child in _children(place.value):
                if id(child) in reached:
                    holders[id(child)].append(id(place.value))
        changing = {id(place.value) for place in self.unfit}
        pending = list(changing)
        while pending:
            new = [holder for holder in holders[pending.pop()] if holder not in changing]
            changing.update(new)
            pending += new
        return changing


def _parts(obj: Any) -> Iterable[Part]:
    container = _container(obj)
    return () if container is None else container.parts(obj)


def _children(obj: Any) -> Iterator[Any]:
    return (child for _, _, child in _parts(obj))


# --- the copy ---------------------------------------------------------------------------------------------------------


def _copied(survey: _Survey, errors: AnyErrors) -> dict[int, Any]:
    """Return what takes the place of each object that changes, by its identity."""
    changing = survey.changing()
    new: dict[int, Any] = {}
    for place in survey.unfit:
        if id(place.value) not in new:
            new[id(place.value)] = _made(place, _scrubbed_text(place, errors))
    copies = [place for place in survey.containers if id(place.value) in changing]
    new |= {id(place.value): _blank(place) for place in copies if _filled(place.value)}
    # A tuple must wait for the tuples that it holds, also where a cycle leads back to one that is not made yet.
    waiting = defaultdict(list)
    for copied in copies:
        ready = [copied]
        while ready:
            place = ready.pop()
            missing = (id(child) for child in _children(place.value) if id(child) in changing and id(child) not in new)
            blocker = next(missing, None)
            if blocker is not None:
                waiting[blocker].append(place)
                continue
            _finish(place, new)
            ready += waiting.pop(id(place.value), ())
    return new


def _scrubbed_text(place: _Place, errors: AnyErrors) -> str:
    def scrubbed(found: re.Match[str]) -> str:
        if len(found[0]) > 1:
            return chr(joined(*map(ord, found[0])))
        try:
            return instead_of(found[0], errors)
        except ConversionError:
            start, end = found.span()
            reason = f"{REASONS['encode']}, at {place.path}"
            fault = Fault("unrepresentable", UTF_8.name, start, end, b"", ord(found[0]), "text")
            raise EncodeError(UTF_8.name, place.value, start, end, reason, fault) from None

    return _PAIR_OR_UNPAIRED.sub(scrubbed, place.value)


def _filled(obj: Any) -> bool:
    container = _container(obj)
    return container is not None and container.fill is not None


def _finish(place: _Place, new: dict[int, Any]) -> None:
    """Fill the copy of a container, or make it: all that it holds is there."""

    def scrubbed(value: Any) -> Any:
        return new.get(id(value), value)

    _refuse_collisions(place, scrubbed)
    old = place.value
    container = _container(old)
    assert container is not None  # only containers are copied
    if container.fill is None:
        new[id(old)] = _made(place, map(scrubbed, _children(old)))
    else:
        container.fill(new[id(old)], old, scrubbed)


def _refuse_collisions(place: _Place, scrubbed: Scrubbed) -> None:
    firsts: dict[Any, Any] = {}
    for show, _, child in _parts(place.value):
        if show not in (_key, _element):
            continue
        first = firsts.setdefault(scrubbed(child), child)
        if first is not child:
            at = _value if show is _key else show
            paths = [_Place(each, place, at, each).path for each in (first, child)]
            raise ValueError(f"{paths[0]} and {paths[1]} would become one")


def _made(place: _Place, content: Any) -> Any:
    """Return a str, tuple or frozenset with other content, but of the type of the old one and with its attributes."""
    cls: Any = type(place.value)
    try:
        new = cls._make(content) if hasattr(cls, "_make") else cls.__new__(cls, content)
        if hasattr(new, "__dict__"):
            new.__dict__.update(place.value.__dict__)
    except Exception as error:
        raise _not_copied(place) from error
    return new


def _blank(place: _Place) -> Any:
    """Return a copy that is yet to be filled, made without running a constructor."""
    try:
        new = _bare(place.value) if _container(place.value) is _FIELDS else copy.copy(place.value)
    except Exception as error:
        raise _not_copied(place) from error
    if new is place.value:
        raise _not_copied(place)
    return new


def _bare(obj: Any) -> Any:
    """Return a copy of a dataclass. Python's own fails for frozen ones with slots, or with a field without a value."""
    cls: Any = type(obj)
    if cls.__new__ is not object.__new__:
        return copy.copy(obj)
    new = object.__new__(cls)
    if hasattr(obj, "__dict__"):
        new.__dict__.update(obj.__dict__)
    for slot in _slots(cls):
        with suppress(AttributeError):
            slot.__set__(new, slot.__get__(obj))
    return new


def _slots(cls: type) -> Iterator[MemberDescriptorType]:
    for base in cls.__mro__:
        yield from (member for member in vars(base).values() if isinstance(member, MemberDescriptorType))


def _not_copied(place: _Place) -> TypeError:
    return TypeError(f"{place.path}: a {type(place.value).__name__} cannot be copied with other content")


__all__ = ["scrub", "scrub_report"]
