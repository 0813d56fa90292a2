r"""Paths of objects in nested data: the steps that lead to an object, in a form that is always short.

A path has at most thirty-two steps, the first and the last sixteen, and the number of steps between them; a step has at
most about two hundred characters. The size of a report therefore depends on the number of findings, not on the depth or
the keys of the data. Surrogates and other unprintable characters are escaped.
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
"""Writes one step of a path, given its key."""


class Place:
    """An object and the steps that lead to it.

    Attributes:
        value: the object.
        holder: the place of the container that holds it; None for the root object.
        show, key: the step from the container to it.
        depth: the number of steps that lead to it.
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
        """The steps as text; ``$`` for the root object."""
        between = self.depth - 2 * END_STEPS
        if between <= 0:
            steps = self._last_steps(self.depth)
        else:
            steps = f"{self._head._last_steps(END_STEPS)}{left_out(between)}{self._last_steps(END_STEPS)}"
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
    """Shows keys and elements other than str, with limits on the depth and width of containers."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = 100

    def repr1(self, x: Any, level: int) -> str:
        try:
            return super().repr1(x, level)
        except Exception:  # a user-defined class may raise anything
            return object.__repr__(x)

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write very long integers.
        return super().repr_int(x, level) if x.bit_length() < 4096 else f"<int of {x.bit_length()} bits>"

    def repr_instance(self, x: Any, level: int) -> str:
        held = _held(x)
        if held is None:
            return super().repr_instance(x, level)
        shown = ", ".join(self.repr1(each, level - 1) for each in islice(held, self.maxtuple)) if level > 0 else "..."
        return f"{type(x).__name__}({shown})"


def _held(obj: Any) -> Iterable[Any] | None:
    """Return the items to show of an object of a user-defined class, whose own repr would show all of them."""
    if isinstance(obj, (tuple, frozenset)):
        return obj
    fields: Any = getattr(type(obj), "__dataclass_fields__", None)
    return None if fields is None else (getattr(obj, name, None) for name in fields)


_SHORT = _Short()


def left_out(count: int) -> str:
    """Return what a long path shows in place of the steps between its ends.

    >>> left_out(1), left_out(2)
    (' ... 1 step ... ', ' ... 2 steps ... ')
    """
    return f" ... {count} {'step' if count == 1 else 'steps'} ... "


def printable(text: str) -> str:
    r"""Return a text with unprintable characters escaped.

    >>> printable("a\ud800\n")
    'a\\ud800\\n'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def shortened(text: str, end: int = END_CHARACTERS) -> str:
    """Return a text; if it is long, replace its middle with the number of omitted characters.

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
    """Write the position of an element in an array of any number of dimensions: in brackets."""
    return f"[{', '.join(map(str, key)) or '()'}]"


def attribute(name: str) -> str:
    """Write the name of an attribute: after a dot."""
    return "." + printable(shortened(name))


def component(key: int) -> str:
    """Write the index of a component of a file's path."""
    return attribute("parts") + index(key)


def value(key: Any) -> str:
    """Write the key of a value: after a dot if it is an identifier, else in brackets."""
    is_plain = issubclass(type(key), str) and len(key) <= 2 * END_CHARACTERS and key.isidentifier()
    return attribute(key) if is_plain else index(key)


def key(key: Any) -> str:
    """Write a step into a key, as opposed to its value."""
    return f"{value(key)} (key)"


def element(each: Any) -> str:
    """Write an element of a set: in braces."""
    return f"{{{_shown(each)}}}"


def itself(_: Any) -> str:
    """Write an empty step, for an object that consists of a single text."""
    return ""


__all__ = [
    *("Place", "attribute", "cell", "component", "element", "index", "itself", "key", "left_out", "printable"),
    *("shortened", "value"),
]
