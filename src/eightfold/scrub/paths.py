r"""Where something stands in nested data: the steps that lead to it, written so that a path is always short.

A path has at most thirty-two steps, the first and the last sixteen, with the number of those between; a step has at
most some two hundred characters. So a report grows with what it reports, not with the depth or the keys of the data.
Surrogates and whatever cannot be printed are written as escapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from reprlib import Repr
from typing import Any

END_STEPS = 16
"""How many steps a long path keeps at each of its ends."""
END_CHARACTERS = 60
"""How many characters a long text keeps at each of its ends."""
_END_OF_REPR = 100

Step = Callable[[Any], str]
"""Writes one step of a path: what is held by its key."""


class Place:
    """An object and the steps that lead to it.

    Attributes:
        value: the object.
        holder: the place of the container that holds it; None for the object that was given.
        show, key: its step from there.
        depth: how many steps lead to it.
    """

    __slots__ = ("_head", "_step", "depth", "holder", "key", "show", "value")

    def __init__(self, value: Any, holder: Place | None, show: Step, key: Any) -> None:
        self.value: Any = value
        self.holder: Place | None = holder
        self.show: Step = show
        self.key: Any = key
        self.depth: int = 0 if holder is None else holder.depth + 1
        self._head: Place = self if holder is None or self.depth <= END_STEPS else holder._head
        self._step: str | None = None

    @property
    def path(self) -> str:
        """The steps as one text; ``$`` for the object that was given."""
        between = self.depth - 2 * END_STEPS
        if between <= 0:
            steps = self._last_steps(self.depth)
        else:
            steps = f"{self._head._last_steps(END_STEPS)} ... {between} steps ... {self._last_steps(END_STEPS)}"
        return steps.removeprefix(".") or "$"

    def _last_steps(self, count: int) -> str:
        steps: list[str] = []
        place = self
        while len(steps) < count and place.holder is not None:
            steps.append(place._shown_step())
            place = place.holder
        return "".join(reversed(steps))

    def _shown_step(self) -> str:
        if self._step is None:
            self._step = self.show(self.key)
        return self._step


class _Short(Repr):
    """Shows keys and elements that are not a str: containers only so deep and so wide."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 100

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write very long integers.
        return super().repr_int(x, level) if x.bit_length() < 4096 else f"<int of {x.bit_length()} bits>"

    def repr_instance(self, x: Any, level: int) -> str:
        held = _held(x)
        if held is None:
            return super().repr_instance(x, level)
        shown = [self.repr1(each, level - 1) for each in islice(held, self.maxtuple)]
        return f"{type(x).__name__}({', '.join(shown) if level > 0 else '...'})"


def _held(obj: Any) -> Iterable[Any] | None:
    """Return what is shown of an object of a class of one's own, which would show all of it."""
    if isinstance(obj, (tuple, frozenset)):
        return obj
    fields: Any = getattr(type(obj), "__dataclass_fields__", None)
    return None if fields is None else (getattr(obj, name, None) for name in fields)


_SHORT = _Short()


def printable(text: str) -> str:
    r"""Return a text with escapes for whatever cannot be printed.

    >>> printable("a\ud800\n")
    'a\\ud800\\n'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def shortened(text: str, end: int = END_CHARACTERS) -> str:
    """Return a text without its middle where it is long, with the number of characters that are left out.

    >>> shortened("a" * 500 + "b" * 500, end=3)
    'aaa...(994 characters)...bbb'
    """
    left_out = len(text) - 2 * end
    return text if left_out <= 0 else f"{text[:end]}...({left_out} characters)...{text[-end:]}"


def _shown(key: Any) -> str:
    if not issubclass(type(key), str):
        return printable(shortened(_SHORT.repr(key), _END_OF_REPR))
    body = shortened(str.__str__(key)).replace("\\", r"\\").replace('"', r"\"")
    return f'"{printable(body)}"'


def index(key: Any) -> str:
    """Write an index, or a key of any type: in brackets."""
    return f"[{_shown(key)}]"


def cell(key: tuple[int, ...]) -> str:
    """Write where an element of an array of any number of dimensions stands: in brackets."""
    return f"[{', '.join(map(str, key)) or '()'}]"


def attribute(name: str) -> str:
    """Write the name of an attribute: after a dot."""
    return "." + printable(shortened(name))


def value(key: Any) -> str:
    """Write the key of a value: after a dot where it is an identifier, else in brackets."""
    is_plain = issubclass(type(key), str) and len(key) <= 2 * END_CHARACTERS and key.isidentifier()
    return attribute(key) if is_plain else index(key)


def key(key: Any) -> str:
    """Write that what follows is in a key, not in its value."""
    return f"{value(key)} (key)"


def element(each: Any) -> str:
    """Write an element of a set: in braces."""
    return f"{{{_shown(each)}}}"


def itself(_: Any) -> str:
    """Write no step: an object that stands for the text that it is made of."""
    return ""


__all__ = ["Place", "attribute", "cell", "element", "index", "itself", "key", "printable", "shortened", "value"]
