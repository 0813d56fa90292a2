"""Converts an offset in JSON text to a path such as `$.messages[3].text`.

The text is read once, from its beginning, without building objects; it need not be valid JSON. A path is as short as
one from `scrub_report`, whatever the text.
"""

from __future__ import annotations

import json
import re
from itertools import islice

from eightfold.scrub import paths

_TOKEN = re.compile(rb'"(?:[^"\\\n]++|\\[^\n])*+"?|,[^"\[\]{}]*+|[\[\]{}]')
"""The tokens that determine a path: a string, which ends with its line at the latest; commas and scalars; a bracket."""
_QUOTE, _COMMA, _ARRAY, _OBJECT = b'",[{'
_OPENED = {_ARRAY: 0, _OBJECT: None}
MOST_TOKENS = 100_000
"""The maximum number of tokens read for a path, so that a hostile text costs at most about a tenth of a second."""

Holder = int | bytes | None
"""A step of the path: the index in an array, or the key as written in an object (None before the first key)."""


def path_at(text: bytes, offset: int, most_tokens: int = MOST_TOKENS) -> str | None:
    r"""Return the path of the value at an offset, or None if finding it takes too many steps.

    A path inside a key ends with `` (key)``, as in `scrub_report`. An offset outside any value gives the path of the
    enclosing container.

    >>> path_at(b'{"messages": [{}, {"text": "cut: \\ud83d"}]}', 33)
    '$.messages[1].text'
    >>> path_at(b'{"a\\udc00": 1}', 3), path_at(b'"\\udc00"', 1)
    ('$["a\\udc00"] (key)', '$')
    """
    way: list[Holder] = []
    count = 0
    for token in islice(_TOKEN.finditer(text), most_tokens + 1):
        if token.start() > offset:
            break
        if (count := count + 1) > most_tokens:
            return None
        written = token[0]
        mark = written[0]
        if mark in _OPENED:
            way.append(_OPENED[mark])
        elif not way:
            continue
        elif mark == _QUOTE:
            if way[-1] is None:
                way[-1] = written
                if offset < token.end():
                    return f"{_path(way)} (key)"
        elif mark == _COMMA:
            index = way[-1]
            way[-1] = index + written.count(b",", 0, offset - token.start() + 1) if isinstance(index, int) else None
        else:
            way.pop()
    return _path(way)


def _path(way: list[Holder]) -> str:
    between = len(way) - 2 * paths.END_STEPS
    if between <= 0:
        return "$" + "".join(map(_shown, way))
    first, last = way[: paths.END_STEPS], way[-paths.END_STEPS :]
    return f"${''.join(map(_shown, first))} ... {between} steps ... {''.join(map(_shown, last))}"


def _shown(holder: Holder) -> str:
    if holder is None:
        return ""
    return paths.index(holder) if isinstance(holder, int) else paths.value(_key(holder))


def _key(written: bytes) -> str:
    text = written.decode("utf-8", "backslashreplace")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text.strip('"')


__all__ = ["MOST_TOKENS", "path_at"]
