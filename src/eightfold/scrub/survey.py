"""Walks everything reachable from an object, and notes the strs with surrogates and the objects it cannot examine."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from eightfold._engine import choose
from eightfold.forms.utf_8 import UTF_8
from eightfold.reference import LEADS, SURROGATES, TRAILS
from eightfold.scrub import paths
from eightfold.scrub.choice import kind_of
from eightfold.scrub.kinds import TEXTLESS, UNKNOWN, Kind, Part
from eightfold.scrub.paths import Place
from eightfold.text import is_encodable


def _any_of(code_points: range) -> str:
    return f"[{chr(code_points[0])}-{chr(code_points[-1])}]"


PAIR_OR_UNPAIRED = re.compile(f"{_any_of(SURROGATES)}(?:(?<={_any_of(LEADS)}){_any_of(TRAILS)})?")
"""Matches a pair or an unpaired surrogate. It begins with one character class, which `re` finds many times faster than
an alternation."""


# The reference engine handles each code point in Python, so `re` is faster there.
_holds_surrogate: Callable[[str], bool] = choose(
    lambda text: not is_encodable(text, UTF_8), lambda text: PAIR_OR_UNPAIRED.search(text) is not None
)


class Survey:
    """A survey of everything reachable from an object.

    Attributes:
        noted: the strs with surrogates and the objects that cannot be examined, in order.
        unfit, unexamined: the same, in two separate lists.
        containers: each container once, after its parts (except in cycles).
    """

    def __init__(self, obj: object) -> None:
        self.noted: list[Place] = []
        self.unfit: list[Place] = []
        self.unexamined: list[Place] = []
        self.containers: list[Place] = []
        self._kept: dict[int, tuple[Part, ...]] = {}
        self._met: set[int] = set()
        self._walk(obj)

    def parts(self, container: Any) -> Iterable[Part]:
        """Return the parts of a container; each call returns the same objects."""
        kept = self._kept.get(id(container))
        return kind_of(container).parts(container) if kept is None else kept

    def children(self, container: Any) -> Iterator[Any]:
        """Yield the objects that a container holds."""
        return (child for _, _, child in self.parts(container))

    def changing(self) -> set[int]:
        """Return the identities of the strs with surrogates and of all containers that lead to one."""
        reached = {id(place.value) for place in (*self.unfit, *self.containers)}
        holders = defaultdict(list)
        for place in self.containers:
            for child in self.children(place.value):
                if id(child) in reached:
                    holders[id(child)].append(id(place.value))
        changing = {id(place.value) for place in self.unfit}
        pending = list(changing)
        while pending:
            new = [holder for holder in holders[pending.pop()] if holder not in changing]
            changing.update(new)
            pending += new
        return changing

    def _walk(self, obj: object) -> None:
        root: Part = (paths.itself, None, obj)
        stack: list[tuple[Place | None, Iterator[Part]]] = [(None, iter((root,)))]
        while stack:
            holder, parts = stack[-1]
            for show, key, value in parts:
                cls: type = type(value)
                if cls is str or issubclass(cls, str):
                    if not str.isascii(value) and _holds_surrogate(value):
                        self._note(self.unfit, Place(value, holder, show, key))
                elif (kind := kind_of(value)) is not TEXTLESS and id(value) not in self._met:
                    self._met.add(id(value))
                    place = Place(value, holder, show, key)
                    held = self._held(place, kind)
                    if held is not None:
                        stack.append((place, iter(held)))
                        break
            else:
                stack.pop()
                if holder is not None:
                    self.containers.append(holder)

    def _held(self, place: Place, kind: Kind) -> Iterable[Part] | None:
        """Return the parts of a container, or None if it cannot be examined, which is noted."""
        try:
            parts = kind.parts(place.value)
            if kind.fleeting:
                parts = self._kept[id(place.value)] = tuple(parts)
        except Exception:  # a user-defined class may raise anything
            kind = UNKNOWN
        if kind is UNKNOWN:
            self._note(self.unexamined, place)
            return None
        return parts

    def _note(self, places: list[Place], place: Place) -> None:
        places.append(place)
        self.noted.append(place)


__all__ = ["PAIR_OR_UNPAIRED", "Survey"]
