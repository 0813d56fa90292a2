"""The kinds of containers for scrubbing: how to list their parts, and how to copy them with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from eightfold.scrub.paths import Step

Part = tuple[Step, Any, Any]
"""A part of a container: the function that writes its step in a path, the key of the step, and the part itself."""
Scrubbed = Callable[[Any], Any]
"""Returns the replacement of a part, or the part itself if it needs no change."""


class Kind(NamedTuple):
    """A kind of container. A copy is created empty and filled later, or created complete when all its parts exist.

    Attributes:
        parts: returns the parts of an object; raises any exception if the object cannot be examined.
        blank: returns a copy to be filled later, without running a constructor.
        fill: fills this copy, given the parts of the original.
        make: creates a complete copy, given the original and its parts.
        fleeting: whether each call of `parts` returns new objects, so that the first result must be kept.
        choose: returns the kind of a particular object, if the class alone does not determine it.
    """

    parts: Callable[[Any], Iterable[Part]] = lambda obj: ()
    blank: Callable[[Any], Any] | None = None
    fill: Callable[[Any, Iterable[Part], Scrubbed], None] | None = None
    make: Callable[[Any, Iterable[Part], Scrubbed], Any] | None = None
    fleeting: bool = False
    choose: Callable[[Any], Kind] | None = None


TEXTLESS = Kind()
"""Objects that hold no text."""
UNKNOWN = Kind()
"""Objects that may hold text but cannot be examined."""


class CollisionError(Exception):
    """Raised when two parts that must stay different would become equal.

    Attributes:
        show: the function that writes their steps.
        keys: the keys of the two parts.
    """

    def __init__(self, show: Step, first: Any, second: Any) -> None:
        super().__init__(show, first, second)
        self.show = show
        self.keys: tuple[Any, Any] = (first, second)


def by_key(parts: Iterable[Part], scrubbed: Scrubbed) -> dict[Any, Any]:
    """Return the replacement of each part, by its key.

    >>> by_key([(str, "name", "a")], str.upper)
    {'name': 'A'}
    """
    return {key: scrubbed(value) for _, key, value in parts}


__all__ = ["CollisionError", "Kind", "Part", "Scrubbed", "TEXTLESS", "UNKNOWN", "by_key"]
