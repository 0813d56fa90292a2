"""The outcome of a call: its value or exception, in a form that can be compared, and the arguments of error handlers.

The same functions observe CPython (`codecs.decode`, `codecs.encode`) and this package (`eightfold.decode`,
`eightfold.encode`): both take the input, the name of the encoding and the policy.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Codec = Callable[[Any, str, str], Any]
Shown = Callable[[Exception], Any]

RECORDING = "outcomes-recording"
_told: list[Raised] = []


class Raised(NamedTuple):
    """The attributes of an exception; one that is not a UnicodeError has only a kind."""

    kind: str
    object: Any = None
    start: int = -1
    end: int = -1
    reason: str = ""

    @property
    def unit(self) -> tuple[int, int, str]:
        return self.start, self.end, self.reason


class Recorded(NamedTuple):
    """The value under a handler that writes `?` or U+FFFD and goes on, and the handler's argument each time."""

    value: Any
    told: tuple[Raised, ...]

    @property
    def units(self) -> list[tuple[int, int, str]]:
        return [each.unit for each in self.told]


def attributes(error: Exception) -> Raised:
    """Return the attributes that CPython's exceptions also have; a call may raise nothing else."""
    if not isinstance(error, (UnicodeError, TypeError)):
        raise error
    for kind in (UnicodeDecodeError, UnicodeEncodeError):
        if isinstance(error, kind):
            return Raised(kind.__name__, error.object, error.start, error.end, error.reason)
    return Raised(type(error).__name__)


def everything(error: Exception) -> tuple[Any, ...]:
    """Return all attributes of an exception that a verb may raise."""
    if not isinstance(error, (LookupError, ValueError, TypeError, RuntimeError)):
        raise error
    facts = ("encoding", "object", "start", "end", "reason", "source", "target", "fault")
    said = {name: getattr(error, name, None) for name in facts}
    return type(error), str(error), error.args, said, vars(error)


def outcome(call: Callable[..., Any], *given: Any, shown: Shown = attributes) -> Any:
    """Return the value of a call, or `shown` of its exception; `shown` raises an unexpected one again."""
    try:
        result = call(*given)
    except Exception as error:
        return shown(error)
    return list(result) if isinstance(result, Iterator) else result


def recorded(codec: Codec, subject: Any, encoding: str) -> Recorded:
    """Return the value under the recording handler and every unit of error, in order."""
    _told.clear()
    value = codec(subject, encoding, RECORDING)
    return Recorded(value, tuple(_told))


def _record(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, (UnicodeDecodeError, UnicodeEncodeError))
    _told.append(attributes(error))
    return "?" if isinstance(error, UnicodeEncodeError) else "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error(RECORDING, _record)
