"""What scrubbing must know of a kind of container: its parts, and how a copy with other parts is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from eightfold.scrub.paths import Step

Part = tuple[Step, Any, Any]
"""A part of a container: how its step in a path is written, what by, and the part itself."""
Scrubbed = Callable[[Any], Any]
"""Returns what takes the place of a part: the part itself where it is fit."""


class Kind(NamedTuple):
    """A kind of container. A copy is made empty and filled later, or whole once all of its parts are there.

    Attributes:
        parts: returns the parts of an object.
        blank: returns a copy that is yet to be filled, without running a constructor.
        fill: fills it, from the parts of the old one.
        make: makes a copy whole, from the old one and its parts.
        fleeting: whether asking again for the parts returns other objects, so that they must be kept.
        choose: returns the kind of one object, where the class alone does not tell.
    """

    parts: Callable[[Any], Iterable[Part]] = lambda obj: ()
    blank: Callable[[Any], Any] | None = None
    fill: Callable[[Any, Iterable[Part], Scrubbed], None] | None = None
    make: Callable[[Any, Iterable[Part], Scrubbed], Any] | None = None
    fleeting: bool = False
    choose: Callable[[Any], Kind] | None = None


TEXTLESS = Kind()
"""What holds no text."""
UNKNOWN = Kind()
"""What may hold text, where nothing is known of how to look for it."""


class CollisionError(Exception):
    """Two parts that must stay different would become one.

    Attributes:
        show: how their steps are written.
        keys: the keys of the two.
    """

    def __init__(self, show: Step, first: Any, second: Any) -> None:
        super().__init__(show, first, second)
        self.show = show
        self.keys: tuple[Any, Any] = (first, second)


def by_key(parts: Iterable[Part], scrubbed: Scrubbed) -> dict[Any, Any]:
    """Return what takes the place of each part, by its key.

    >>> by_key([(str, "name", "a")], str.upper)
    {'name': 'A'}
    """
    return {key: scrubbed(value) for _, key, value in parts}


__all__ = ["CollisionError", "Kind", "Part", "Scrubbed", "TEXTLESS", "UNKNOWN", "by_key"]
