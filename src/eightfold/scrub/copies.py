"""Copies the objects that lead to text with surrogates, and nothing else: all other parts stay the same objects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, TypeVar, get_args

from eightfold.arguments import AnyErrors
from eightfold.faults import ConversionError, EncodeError, Fault
from eightfold.forms.utf_8 import REASONS, UTF_8
from eightfold.policy import Errors
from eightfold.reference import joined
from eightfold.scrub import paths
from eightfold.scrub.choice import kind_of
from eightfold.scrub.kinds import CollisionError
from eightfold.scrub.paths import Place
from eightfold.scrub.standard import remade_text
from eightfold.scrub.survey import PAIR_OR_UNPAIRED, Survey
from eightfold.text import convert, decode, encode

_Made = TypeVar("_Made")
_Pending = tuple[Place, Iterator[Any]]
"""A container to be copied, and those of its children that were not looked at yet."""
_BUILT_IN = frozenset(get_args(Errors))


def instead_of(surrogate: str, errors: AnyErrors) -> str:
    r"""Return the replacement of a policy for one unpaired surrogate.

    Raises:
        ConversionError: the policy is strict, or its handler re-raised the error.
        DecodeError: the handler wrote bytes that are not UTF-8.

    >>> instead_of("\ud83d", "xmlcharrefreplace")
    '&#55357;'
    """
    return (_remembered if errors in _BUILT_IN else _asked)(surrogate, errors)


def _asked(surrogate: str, errors: AnyErrors) -> str:
    return decode(convert(encode(surrogate, "wtf-8"), "wtf-8", UTF_8, errors), UTF_8)


# A built-in policy always gives the same result; a foreign handler may depend on earlier calls.
_remembered = lru_cache(maxsize=None)(_asked)


def scrubbed_text(place: Place, errors: AnyErrors) -> str:
    """Return the text at a place with pairs joined and a policy applied to each remaining surrogate.

    Raises:
        EncodeError: the policy is strict.
    """

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

    return PAIR_OR_UNPAIRED.sub(scrubbed, place.value)


def scrubbed_copy(survey: Survey, errors: AnyErrors) -> dict[int, Any]:
    """Return the replacement of each object that changes, by the object's identity.

    Raises:
        EncodeError, ValueError, TypeError: as for :func:`eightfold.scrub`.
    """
    return _Copies(survey, errors).made


class _Copies:
    """Creates the replacements: first the strs, then empty copies, then all other objects when their parts exist."""

    def __init__(self, survey: Survey, errors: AnyErrors) -> None:
        self._survey = survey
        self._changing = survey.changing()
        self.made: dict[int, Any] = {}
        for place in survey.unfit:
            if id(place.value) not in self.made:
                self.made[id(place.value)] = _attempted(place, partial(remade_text, text=scrubbed_text(place, errors)))
        copies = [place for place in survey.containers if id(place.value) in self._changing]
        for place in copies:
            blank = kind_of(place.value).blank
            if blank is not None:
                self.made[id(place.value)] = _blank(place, blank)
        self._finish_all(copies)

    def _finish_all(self, copies: list[Place]) -> None:
        """Finish each copy after its parts; a tuple must wait for its parts even if a cycle leads back to it.

        Raises:
            TypeError: an immutable container holds itself, and no container of the cycle can be filled later.
        """
        waiting: dict[int, list[_Pending]] = defaultdict(list)
        for copied in copies:
            ready = [(copied, self._survey.children(copied.value))]
            while ready:
                place, children = ready.pop()
                blocker = self._missing(children)
                if blocker is not None:
                    waiting[blocker].append((place, children))
                    continue
                self._finish(place)
                ready += waiting.pop(id(place.value), ())
        for pending in waiting.values():
            raise _not_copied(pending[0][0])

    def _missing(self, children: Iterator[Any]) -> int | None:
        """Return the first of these children that has no copy yet; a later call goes on behind it."""
        return next((id(child) for child in children if self._is_missing(id(child))), None)

    def _is_missing(self, identity: int) -> bool:
        return identity in self._changing and identity not in self.made

    def _scrubbed(self, value: Any) -> Any:
        return self.made.get(id(value), value)

    def _finish(self, place: Place) -> None:
        """Fill or create the copy of a container, all of whose parts exist."""
        old, kind = place.value, kind_of(place.value)
        parts = self._survey.parts(old)
        _attempted(place, self._refuse_collisions)
        if kind.fill is not None:
            fill, new = kind.fill, self.made[id(old)]
            _attempted(place, lambda _: fill(new, parts, self._scrubbed))
        elif kind.make is not None:
            make = kind.make
            self.made[id(old)] = _attempted(place, lambda old: make(old, parts, self._scrubbed))
        else:
            raise _not_copied(place)

    def _refuse_collisions(self, container: Any) -> None:
        firsts: dict[Any, Any] = {}
        for show, _, child in self._survey.parts(container):
            if show in (paths.key, paths.element):
                first = firsts.setdefault(self._scrubbed(child), child)
                if first is not child and first != child:
                    at = paths.value if show is paths.key else show
                    raise CollisionError(at, first, child)


def _attempted(place: Place, do: Callable[[Any], _Made]) -> _Made:
    """Call a function that runs code of the object's class, and convert its exceptions."""
    try:
        return do(place.value)
    except CollisionError as error:
        raise _collision(place, error) from None
    except Exception as error:
        raise _not_copied(place) from error


def _blank(place: Place, blank: Callable[[Any], Any]) -> Any:
    new = _attempted(place, blank)
    if new is place.value or type(new) is not type(place.value):
        raise _not_copied(place)
    return new


def _collision(place: Place, error: CollisionError) -> ValueError:
    first, second = (Place(key, place, error.show, key).path for key in error.keys)
    return ValueError(f"{first} and {second} would become equal")


def _not_copied(place: Place) -> TypeError:
    name = paths.printable(paths.shortened(type(place.value).__name__))
    return TypeError(f"{place.path}: a {name} cannot be copied with other content")


__all__ = ["instead_of", "scrubbed_copy", "scrubbed_text"]
