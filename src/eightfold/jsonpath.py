"""Converts a place in JSON text to a path such as `$.messages[3].text`.

The text is read once, from its beginning, without building objects; it need not be valid JSON. A path is as short as
one from `scrub_report`, whatever the text, and what is kept of the text does not grow with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from eightfold._engine import bind, compare
from eightfold.arguments import size_of
from eightfold.scrub import paths

MOST_TOKENS = 100_000
"""The maximum number of tokens read for a path, so that a hostile text costs at most about a tenth of a second."""
DEEPEST = 1024
"""How many containers around a place are known; a path through more of them ends with their number."""
KEY_BYTES = 1024
"""How long a key can be; of a longer one its beginning is shown, and an ellipsis."""
compare(DEEPEST=DEEPEST, KEY_BYTES=KEY_BYTES)
_CUT_KEY_BYTES = 100
_ELLIPSIS = "…".encode()
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_PIECE_BYTES = 64 * 1024

_STRUCTURE = re.compile(rb'["\[\]{},]')
_IN_STRING = re.compile(rb'(?:[^"\\\n]++|\\[^\n])*+')
"""The inside of a string, which ends with its line at the latest."""
_QUOTE, _LINE_FEED = b'"\n'
_OPENED = {b"[": 0, b"{": None}

Holder = int | bytes | None
"""A step of the path: the index in an array, or the key as written in an object (None before the first key)."""


def path_at(text: bytes, offset: int, most_tokens: int = MOST_TOKENS) -> str | None:
    r"""Return the path of the value at an offset, or None if finding it takes too many steps.

    A path inside a key ends with ``(key)`` after a space, as in `scrub_report`. An offset outside any value gives the
    path of the enclosing container; one behind the text that of its end.

    Raises:
        ValueError: the offset is negative.

    >>> path_at(b'{"messages": [{}, {"text": "cut: \\ud83d"}]}', 33)
    '$.messages[1].text'
    >>> path_at(b'{"a\\udc00": 1}', 3), path_at(b'"\\udc00"', 1)
    ('$["a\\udc00"] (key)', '$')
    """
    position, offset = JsonPosition(), min(size_of(offset, "offset"), len(text))
    for start in range(0, offset, _PIECE_BYTES):
        position.pass_over(text, start, min(start + _PIECE_BYTES, offset))
        if position.tokens > most_tokens:
            return None
    if not position.in_string:
        # What opens or separates at the offset counts, and the quote of a key is part of the key.
        position.pass_over(text, offset, offset + 1)
        offset += 1
    return None if position.tokens > most_tokens else position.path(text[offset : offset + KEY_BYTES])


@bind
class JsonPosition:
    r"""A position in JSON text that advances piece by piece: the keys and indices that lead to it.

    Args:
        lines: whether each line is a text of its own.

    Attributes:
        in_string: whether the position is inside a string.
        tokens: the number of strings, brackets and commas so far.

    >>> position = JsonPosition()
    >>> position.pass_over(b'{"messages": [{}, {"text": "cut: ')
    >>> position.path(b"")
    '$.messages[1].text'
    """

    def __init__(self, *, lines: bool = False) -> None:
        self._lines = lines
        self._begin()

    def _begin(self) -> None:
        self.in_string: bool = False
        self.tokens: int = 0
        self._way: list[Holder] = []
        self._beyond = 0
        self._escaped = False
        self._key: bytes | None = None

    def pass_over(self, text: bytes, start: int = 0, end: int | None = None) -> None:
        """Advance over the next bytes of the text: all of these, or those between two offsets."""
        at, end = start, len(text) if end is None else min(end, len(text))
        line = text.rfind(b"\n", at, end) + 1 if self._lines else 0
        if line:
            self._begin()
            at = line
        while at < end:
            at = self._string(text, at, end) if self.in_string else self._structure(text, at, end)

    def paths(self, text: bytes, start: int, offsets: Iterable[int], rest: Callable[[int], bytes]) -> list[str]:
        """Advance over the next bytes of the text; return the path of each of some offsets, in order.

        Args:
            text: holds these bytes.
            start: where they begin.
            offsets: where to stop.
            rest: returns what follows an offset, for :meth:`path`; called in keys only.
        """
        found = []
        for offset in offsets:
            self.pass_over(text, start, offset)
            found.append(self.path(rest(offset) if self._key is not None else b""))
            start = offset
        return found

    def path(self, rest: bytes) -> str:
        """Return the path to the position.

        Args:
            rest: the bytes after it, at least :data:`KEY_BYTES` if there are so many, to show a key to its end.

        >>> position = JsonPosition()
        >>> position.pass_over(b'{"cut')
        >>> position.path(b' short": 1}'), position.path(b"")
        ('$["cut short"] (key)', '$["cut…"] (key)')
        """
        first, between, last, in_key = self._ends(rest)
        path = f"${_steps(first)}"
        if between:
            path = f"{path}{paths.left_out(between)}{_steps(last)}".rstrip()
        return f"{path} (key)" if in_key else path

    def _structure(self, text: bytes, at: int, end: int) -> int:
        """Pass over what is outside strings, to the first quote at most."""
        for token in _STRUCTURE.finditer(text, at, end):
            self.tokens += 1
            mark = token[0]
            if mark == b'"':
                self.in_string = True
                self._key = mark if self._way and self._way[-1] is None and not self._beyond else None
                return token.end()
            if mark in _OPENED:
                self._open(_OPENED[mark])
            elif mark == b",":
                self._go_on()
            else:
                self._close()
        return end

    def _open(self, holder: Holder) -> None:
        if len(self._way) < DEEPEST:
            self._way.append(holder)
        else:
            self._beyond += 1

    def _close(self) -> None:
        if self._beyond:
            self._beyond -= 1
        elif self._way:
            self._way.pop()

    def _go_on(self) -> None:
        if self._way and not self._beyond:
            index = self._way[-1]
            self._way[-1] = index + 1 if isinstance(index, int) else None

    def _string(self, text: bytes, at: int, end: int) -> int:
        stop, is_ended, self._escaped = _string_end(text, at, end, escaped=self._escaped)
        if self._key is not None:
            self._key = _kept(self._key + text[at : min(stop, at + KEY_BYTES + 1)])
        if is_ended:
            if self._key is not None:
                self._way[-1] = _shortened(self._key)
            self.in_string, self._key = False, None
        return stop

    def _ends(self, rest: bytes) -> tuple[list[Holder], int, list[Holder], bool]:
        """Return the first steps, the number of those not listed, the last steps, and whether it is in the last key."""
        way, in_key = self._way, self._key is not None
        if self._key is not None:
            way = [*way[:-1], self._whole_key(self._key, rest[:KEY_BYTES])]
        between = len(way) - 2 * paths.END_STEPS
        if self._beyond:
            return way[: paths.END_STEPS], len(way) - paths.END_STEPS + self._beyond, [], False
        if between > 0:
            return way[: paths.END_STEPS], between, way[-paths.END_STEPS :], in_key
        return list(way), 0, [], in_key

    def _whole_key(self, key: bytes, rest: bytes) -> bytes:
        stop, is_ended, _ = _string_end(rest, 0, len(rest), escaped=self._escaped)
        key = _kept(key + rest[:stop])
        return _shortened(key) if is_ended or len(key) > KEY_BYTES else key + _ELLIPSIS


def _string_end(text: bytes, at: int, end: int, *, escaped: bool) -> tuple[int, bool, bool]:
    """Return how far a string reaches, whether it ends there, and whether its last byte there escapes the next one."""
    if escaped and at < end and text[at] != _LINE_FEED:
        at += 1
    while True:
        inside = _IN_STRING.match(text, at, end)
        assert inside is not None  # it matches nothing, too
        at = inside.end()
        if at == end:
            return at, False, False
        if text[at] == _QUOTE:
            return at + 1, True, False
        if text[at] == _LINE_FEED:
            return at, True, False
        at += 1
        if at == end:
            return at, False, True


def _kept(key: bytes) -> bytes:
    """Return a key, or as much of it as shows that it is too long."""
    return key[: KEY_BYTES + 1]


def _shortened(key: bytes) -> bytes:
    return key if len(key) <= KEY_BYTES else key[:_CUT_KEY_BYTES].rstrip(_BEYOND_ASCII) + _ELLIPSIS


def _steps(way: list[Holder]) -> str:
    # An index needs none of what `paths` does for keys of any type.
    return "".join([f"[{each}]" if isinstance(each, int) else shown_key(each) for each in way if each is not None])


@lru_cache(maxsize=4096)
def shown_key(written: bytes) -> str:
    """Return the step that a key is, given as it is written.

    >>> shown_key(b'"text"'), shown_key(b'"two words"')
    ('.text', '["two words"]')
    """
    return paths.value(_key(written))


def _key(written: bytes) -> str:
    text = written.decode("utf-8", "backslashreplace")
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text.strip('"')


__all__ = ["MOST_TOKENS", "JsonPosition", "path_at", "shown_key"]
