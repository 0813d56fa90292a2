r"""Nested data made fit for writers of UTF-8, which have no bytes for surrogates: what is unfit, where, and the cure.

What is looked into: str, dict (keys too), list, tuple, set, frozenset, `collections.deque`, named tuples, dataclasses,
and what inherits from them (OrderedDict, defaultdict, Counter, ...); every other `collections.abc.Mapping`, `UserList`,
`UserString`, `types.SimpleNamespace`, members of enumerations (their values and names), `pathlib` paths and regular
expressions; models of pydantic 2 and of attrs; NumPy's arrays of objects and of text; series, indexes and frames of
pandas and polars. None of these packages is imported.

What cannot be looked into and may hold text is reported: objects of other classes, iterators, exceptions. Scalars hold
none: numbers, bytes, dates, functions and classes. Attributes of a str, a list or a dict are not part of it, and
neither are those of a dataclass that are not fields. Text that holds JSON is the business of `jsontext`.

The work has three steps, none of them recursive, so that depth is no limit: a survey finds the strs that are unfit; of
the containers only those that lead to one are copied, so that all others stay the very same objects; and a copy that
can be changed is there before it is filled, so that cycles keep their shape.

Source: RFC 3629 section 3, whose UTF-8 has no surrogates; a pair that was split into two code points is joined as in
WTF-8 section 6.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeVar

from eightfold.faults import Fault, UnexaminedFault
from eightfold.forms.utf_8 import UTF_8
from eightfold.policy import check_policy
from eightfold.scrub.copies import scrubbed_copy
from eightfold.scrub.paths import Place, printable, shortened
from eightfold.scrub.survey import Survey
from eightfold.text import AnyErrors, encode_faults

T = TypeVar("T")
Unknown = Literal["warn", "error", "ignore"]

_UNKNOWN = ("warn", "error", "ignore")
_LEAVING_SURROGATES = ("surrogatepass", "surrogateescape")


def scrub(obj: T, errors: AnyErrors = "replace", *, unknown: Unknown = "warn") -> T:
    r"""Return nested data without surrogates, fit for JSON, Arrow, databases and whatever else writes UTF-8.

    A surrogate pair that was split into two code points is joined; then the policy is applied to each surrogate that is
    left. Types are kept. What was fit comes back as the very same object: the whole, or any part of it. Objects that
    are shared, or that hold themselves, are so in the result too; the input is never changed.

    Args:
        obj: any object; what is looked into is said at the head of :mod:`eightfold.scrub`.
        errors: ``replace`` (U+FFFD), ``ignore``, ``backslashreplace``, ``xmlcharrefreplace``, ``namereplace``,
            ``strict``, or a handler known to :func:`codecs.lookup_error`, which is called as by
            :func:`eightfold.convert`: with an EncodeError whose object is that one character.
        unknown: what to do about objects that cannot be looked into and may hold text: ``warn`` (one UnicodeWarning),
            ``error`` or ``ignore``. They stay as they are.

    Raises:
        EncodeError: there is an unpaired surrogate, and the policy is strict. Offsets count code points of its object,
            the str; the reason names the path.
        ValueError: two keys of a dict, two elements of a set, or two labels of an index would become one; both paths
            are named. Or the policy is ``surrogatepass`` or ``surrogateescape``, which leave what is unfit as it is.
        TypeError: an object leads to unfit text and cannot be copied, such as a member of an enumeration; or one cannot
            be looked into, and ``unknown`` is ``error``. The path is named.
        LookupError: no such policy, or one that utf-8 does not have (``escape``).

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
    r"""Return where nested data are unfit for UTF-8, or could not be examined; nothing where all is read and fit.

    Args:
        obj: any object, as for :func:`scrub`.

    Returns:
        Pairs of a path and a fault, in order; the faults of a str are those of :func:`eightfold.encode_faults`, so
        offsets count its code points. What cannot be looked into and may hold text is a fault of kind ``unexamined``,
        a warning whose span is empty. An object that is met again is not reported again.

        A path is written ``messages[3].content``: an index in brackets, a field or a key that is an identifier after a
        dot, any other key in brackets and, if it is a str, in double quotes (``["a b"]``), an element of a set in
        braces (``{"a b"}``). What is in a key and not in its value has `` (key)`` after the key. The object itself is
        ``$``. Surrogates in a path are written as escapes, so that a path can always be printed. Keys and elements are
        shortened, and of more than 32 steps the middle ones are counted: ``a[0] ... 7968 steps ... [0].z``.

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
        if issubclass(type(place.value), str):  # a proxy may say that it is one
            yield from ((path, fault) for fault in encode_faults(place.value, UTF_8))
        else:
            yield path, _unexamined(place)


def _unexamined(place: Place) -> UnexaminedFault:
    return UnexaminedFault(path=place.path, type=_type_name(type(place.value)))


def _type_name(cls: type) -> str:
    module = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
    return printable(shortened(f"{module}{cls.__qualname__}"))


def _say(survey: Survey, unknown: Unknown) -> None:
    """Warn of what was not examined, or refuse it."""
    others = len(survey.unexamined) - 1
    more = f", and {others} more" if others else ""
    said = f"{_unexamined(survey.unexamined[0])}{more}"
    if unknown == "error":
        raise TypeError(said)
    import warnings

    warnings.warn(f"{said}: scrub_report lists what was not examined", UnicodeWarning, stacklevel=3)


def check_errors(errors: AnyErrors) -> None:
    """Check the name of a policy that is to leave no surrogates.

    Raises:
        LookupError, ValueError, TypeError: as :func:`scrub`.
    """
    check_policy(errors, UTF_8)
    if errors in _LEAVING_SURROGATES:
        raise ValueError(f"errors={errors!r} is refused here: it leaves what UTF-8 does not have as it is")


__all__ = ["scrub", "scrub_report"]
