"""What a question to the API may contain: each kind of parameter checks a value and describes itself as JSON Schema.

The check and the description are written side by side, and a fuzzer compares them: what the schema accepts, the check
accepts, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Schema = dict[str, Any]
_HEX = re.compile(r"([0-9A-F]{2})*", re.ASCII)
_LINES = re.compile(r"[ -~\t\n]*", re.ASCII)


class WrongRequestError(ValueError):
    """A question that is not one of those that the API describes; the message names the parameter and the rule."""


class Parameter(Protocol):
    """A kind of parameter."""

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""

    def read(self, given: Any, name: str) -> Any:
        """Return the value that was given, checked.

        Raises:
            WrongRequestError: the value does not fit the schema.
        """


@dataclass(frozen=True)
class Whole:
    """An integer within bounds.

    >>> Whole(0, 9).read(7.0, "skip")
    7
    """

    low: int
    high: int

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}

    def read(self, given: Any, name: str) -> int:
        """Return the integer. JSON has one kind of number, so 7.0 is an integer too."""
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        if not isinstance(given, int) or isinstance(given, bool) or not self.low <= given <= self.high:
            raise WrongRequestError(f"{name}: not an integer from {self.low} to {self.high}")
        return given


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "boolean"}

    def read(self, given: Any, name: str) -> bool:
        """Return the flag."""
        if not isinstance(given, bool):
            raise WrongRequestError(f"{name}: not true or false")
        return given


@dataclass(frozen=True)
class Octets:
    """Bytes, as pairs of upper-case hex digits without anything between them.

    >>> Octets(4).read("EDA080", "bytes").hex()
    'eda080'
    """

    most: int

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "string", "maxLength": 2 * self.most, "pattern": f"^{_HEX.pattern}$"}

    def read(self, given: Any, name: str) -> bytes:
        """Return the bytes."""
        if not isinstance(given, str) or len(given) > 2 * self.most or not _HEX.fullmatch(given):
            raise WrongRequestError(f"{name}: not at most {self.most} bytes in upper-case hex digits")
        return bytes.fromhex(given)


@dataclass(frozen=True)
class Points:
    """Text as a list of code points: JSON strings with unpaired surrogates do not survive every encoder."""

    low: int
    high: int
    most: int

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "array", "maxItems": self.most, "items": Whole(self.low, self.high).schema()}

    def read(self, given: Any, name: str) -> list[int]:
        """Return the code points."""
        if not isinstance(given, list) or len(given) > self.most:
            raise WrongRequestError(f"{name}: not a list of at most {self.most} code points")
        one = Whole(self.low, self.high)
        return [one.read(each, name) for each in given]


@dataclass(frozen=True)
class OneOf:
    """One of some words."""

    words: Sequence[str]

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "string", "enum": list(self.words)}

    def read(self, given: Any, name: str) -> str:
        """Return the word."""
        if not isinstance(given, str) or given not in self.words:
            raise WrongRequestError(f"{name}: not one of {', '.join(self.words)}")
        return given


@dataclass(frozen=True)
class Lines:
    """Lines of printable ASCII and tabs."""

    most: int

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {"type": "string", "maxLength": self.most, "pattern": f"^{_LINES.pattern}$"}

    def read(self, given: Any, name: str) -> str:
        """Return the lines."""
        if not isinstance(given, str) or len(given) > self.most or not _LINES.fullmatch(given):
            raise WrongRequestError(f"{name}: not at most {self.most} printable ASCII characters, tabs and line feeds")
        return given


@dataclass(frozen=True)
class Fields:
    """An object: parameters by name, of which some may be left out, and no others.

    >>> Fields({"limit": Whole(0, 9)}, {"limit": 5}).read({}, "the request")
    {'limit': 5}
    """

    parameters: Mapping[str, Parameter]
    defaults: Mapping[str, Any]

    def schema(self) -> Schema:
        """Return the JSON Schema of its values."""
        return {
            "type": "object",
            "properties": {name: each.schema() for name, each in self.parameters.items()},
            "required": [name for name in self.parameters if name not in self.defaults],
            "additionalProperties": False,
        }

    def read(self, given: Any, name: str) -> dict[str, Any]:
        """Return the values of all parameters."""
        if not isinstance(given, dict):
            raise WrongRequestError(f"{name}: not an object")
        if unknown := given.keys() - self.parameters.keys():
            raise WrongRequestError(f"{name}: {len(unknown)} unknown; known are {', '.join(self.parameters) or 'none'}")
        if missing := self.parameters.keys() - given.keys() - self.defaults.keys():
            raise WrongRequestError(f"{name}: {', '.join(sorted(missing))} missing")
        read = {each: parameter.read(given[each], each) for each, parameter in self.parameters.items() if each in given}
        return {**self.defaults, **read}


__all__ = ["Fields", "Flag", "Lines", "Octets", "OneOf", "Parameter", "Points", "Schema", "Whole", "WrongRequestError"]
