"""What a codec made of an input: its value, or the attributes of what it raised, and what an error handler was told.

The same functions observe CPython (`codecs.decode`, `codecs.encode`) and this package (`eightfold.decode`,
`eightfold.encode`): both take the input, the name of the encoding and the policy.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any, NamedTuple

Codec = Callable[[Any, str, str], Any]

RECORDING = "outcomes-recording"
_told: list[Raised] = []


class Raised(NamedTuple):
    """The attributes of an exception; one that is no UnicodeError has but a kind."""

    kind: str
    object: Any = None
    start: int = -1
    end: int = -1
    reason: str = ""

    @property
    def unit(self) -> tuple[int, int, str]:
        return self.start, self.end, self.reason


class Recorded(NamedTuple):
    """The value under a handler that writes `?` or U+FFFD and goes on, and what the handler was told each time."""

    value: Any
    told: tuple[Raised, ...]

    @property
    def units(self) -> list[tuple[int, int, str]]:
        return [each.unit for each in self.told]


def _raised(error: Exception) -> Raised:
    for kind in (UnicodeDecodeError, UnicodeEncodeError):
        if isinstance(error, kind):
            return Raised(kind.__name__, error.object, error.start, error.end, error.reason)
    return Raised(type(error).__name__)


def outcome(codec: Codec, subject: Any, encoding: str, errors: str) -> Any:
    """Return the value, or the attributes of what was raised."""
    try:
        return codec(subject, encoding, errors)
    except (UnicodeError, TypeError) as error:
        return _raised(error)


def recorded(codec: Codec, subject: Any, encoding: str) -> Recorded:
    """Return the value under the recording handler and every unit of error, in order."""
    _told.clear()
    value = codec(subject, encoding, RECORDING)
    return Recorded(value, tuple(_told))


def _record(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, (UnicodeDecodeError, UnicodeEncodeError))
    _told.append(_raised(error))
    return "?" if isinstance(error, UnicodeEncodeError) else "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error(RECORDING, _record)
