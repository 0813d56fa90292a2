r"""Removes surrogates, which UTF-8 cannot write, from nested data, and reports where they are.

These objects are examined: str, dict (including keys), list, tuple, set, frozenset, `collections.deque`, named tuples,
dataclasses, and subclasses of these (OrderedDict, defaultdict, Counter, ...); every other `collections.abc.Mapping`,
`UserList`, `UserString`, `types.SimpleNamespace`, enumeration members (values and names), `pathlib` paths and regular
expressions; pydantic 2 and attrs models; NumPy arrays of objects and of text; pandas and polars series, indexes and
frames. None of these packages is imported.

Objects that cannot be examined and may hold text are reported: objects of other classes, iterators, exceptions. Scalars
hold no text: numbers, bytes, dates, functions and classes. Attributes of a str, a list or a dict are not examined, and
neither are attributes of a dataclass that are not fields. For JSON text, use `jsontext`.

A subclass of a dict, list, tuple or set is examined by what it stores, which may differ from what its methods return: a
dict of lists may return one item of each. If it iterates over more or fewer objects, or over other keys, it cannot be
examined. Neither can a mapping of another class that holds more than its items, such as several values for a key; the
class makes a mapping of the items for comparison, and if it cannot, the items are taken to be all.

The work has three steps. None is recursive, so depth is unlimited. A survey finds the strs with surrogates. Only the
containers that lead to one are copied; all others stay the same objects. A mutable copy is created before it is filled,
so cycles keep their shape.

Source: RFC 3629 section 3, which excludes surrogates; a pair split into two code points is joined as in WTF-8 section
6.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeVar

from eightfold.arguments import AnyErrors
from eightfold.faults import Fault, UnexaminedFault
from eightfold.forms.utf_8 import UTF_8
from eightfold.policy import check_policy
from eightfold.scrub.copies import scrubbed_copy
from eightfold.scrub.paths import Place, printable, shortened
from eightfold.scrub.survey import Survey
from eightfold.text import encode_faults

T = TypeVar("T")
Unknown = Literal["warn", "error", "ignore"]

_UNKNOWN = ("warn", "error", "ignore")
_LEAVING_SURROGATES = ("surrogatepass", "surrogateescape")


def scrub(obj: T, errors: AnyErrors = "replace", *, unknown: Unknown = "warn") -> T:
    r"""Return nested data without surrogates, ready for JSON, Arrow, databases and anything else that writes UTF-8.

    A surrogate pair that was split into two code points is joined; then the policy is applied to each remaining
    surrogate. Types are preserved. Parts that need no change, or the whole object, are returned as the same objects.
    Shared objects stay shared, cycles stay cycles, and the input is never changed.

    Args:
        obj: any object; :mod:`eightfold.scrub` lists the types that are examined.
        errors: ``replace`` (U+FFFD), ``ignore``, ``backslashreplace``, ``xmlcharrefreplace``, ``namereplace``,
            ``strict``, or a handler known to :func:`codecs.lookup_error`, which is called as by
            :func:`eightfold.convert`: with an EncodeError whose object is that one character.
        unknown: how to treat objects that cannot be examined and may hold text: ``warn`` (one UnicodeWarning),
            ``error`` or ``ignore``. They are never changed.

    Raises:
        EncodeError: a str has an unpaired surrogate, and the policy is strict. Offsets count code points of the error's
            object, the str; the reason gives the path.
        ValueError: two keys of a dict, two elements of a set, or two labels of an index would become equal; the message
            gives both paths. Or the policy is ``surrogatepass`` or ``surrogateescape``, which keep surrogates.
        TypeError: an object leads to text with surrogates and cannot be copied, such as an enumeration member, an
            object that SQLAlchemy maps with relationships, or a `pathlib` path whose components would become others
            (``ignore`` leaves an empty one); or an object cannot be examined, and ``unknown`` is ``error``. The message
            gives the path.
        LookupError: unknown policy, or one that utf-8 does not declare (``escape``).

    >>> scrub({"messages": [{"content": "h\ud83d\ude00 \ud83d"}, "fine"]})
    {'messages': [{'content': 'h😀 �'}, 'fine']}
    """
    check_errors(errors)
    if unknown not in _UNKNOWN:
        raise ValueError(f"unknown={unknown!r} is not one of {', '.join(_UNKNOWN)}")
    survey = Survey(obj)
    if survey.unexamined and unknown != "ignore":
        _say(survey, unknown)
    scrubbed: T = scrubbed_copy(survey, errors).get(id(obj), obj) if survey.unfit else obj
    return scrubbed


def scrub_report(obj: object) -> list[tuple[str, Fault]]:
    r"""Report where nested data contain surrogates or could not be examined.

    Args:
        obj: any object, as for :func:`scrub`.

    Returns:
        Pairs of a path and a fault, in order; an empty list if everything was examined and UTF-8 can write it. The
        faults of a str are those of :func:`eightfold.encode_faults`, so offsets count its code points. An object that
        cannot be examined and may hold text is a fault of kind ``unexamined``, a warning with an empty span. An object
        that occurs more than once is reported once.

        A path looks like ``messages[3].content``: an index in brackets; a field, or a key that is an identifier, after
        a dot; any other key in brackets and, if it is a str, in double quotes (``["a b"]``); an element of a set in
        braces (``{"a b"}``). A path to a key, rather than its value, ends with ``(key)`` after a space.
        The object itself is ``$``. Surrogates in a path are escaped, so a path can always be printed. Long keys and
        elements are shortened, and a path of more than 32 steps gives only the number of the middle ones:
        ``a[0] ... 7968 steps ... [0].z``.

    >>> for path, fault in scrub_report({"messages": [{"content": "h\ud83d"}], "a\udc00": 1}):
    ...     print(f"{path} at {fault.start}: {fault}")
    messages[0].content at 1: U+D83D cannot be written in utf-8
    ["a\udc00"] (key) at 1: U+DC00 cannot be written in utf-8
    >>> for path, fault in scrub_report({"lines": iter(["h\ud83d"])}):
    ...     print(f"{fault.severity}: {fault}")
    warning: lines (list_iterator) was not examined and may hold text
    """
    return list(_found(Survey(obj)))


def _found(survey: Survey) -> Iterator[tuple[str, Fault]]:
    for place in survey.noted:
        path = place.path
        if issubclass(type(place.value), str):  # not isinstance, which a proxy object can deceive
            yield from ((path, fault) for fault in encode_faults(place.value, UTF_8))
        else:
            yield path, _unexamined(place)


def _unexamined(place: Place) -> UnexaminedFault:
    return UnexaminedFault(path=place.path, type=_type_name(type(place.value)))


def _type_name(cls: type) -> str:
    module = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return printable(shortened(f"{module}{cls.__qualname__}"))


def _say(survey: Survey, unknown: Unknown) -> None:
    """Warn about unexamined objects, or raise a TypeError."""
    others = len(survey.unexamined) - 1
    more = f", and {others} more" if others else ""
    said = f"{_unexamined(survey.unexamined[0])}{more}"
    if unknown == "error":
        raise TypeError(said)
    import warnings

    warnings.warn(f"{said}: scrub_report lists what was not examined", UnicodeWarning, stacklevel=3)


def check_errors(errors: AnyErrors) -> None:
    """Check the name of a policy, which must not leave surrogates.

    Raises:
        LookupError, ValueError, TypeError: as for :func:`scrub`.
    """
    check_policy(errors, UTF_8)
    if errors in _LEAVING_SURROGATES:
        raise ValueError(f"errors={errors!r} is refused here: it would keep surrogates")


__all__ = ["scrub", "scrub_report"]
