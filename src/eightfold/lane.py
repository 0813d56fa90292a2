"""The fast lane without a compiled core: text that a form shares with a codec of the interpreter goes to that codec.

The codec processes stretches of shared sequences; the reference processes everything between them, one sequence at a
time. This file does not define any meaning: :mod:`eightfold.sharing` derives from the rows what is shared. The codec
goes first. If the input has a byte on which codec and form differ, a regular expression finds how far the codec may go.

A codec that stops at a fault copies all of its input, so it gets a small input after each stop, then larger ones.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from eightfold import reference
from eightfold._engine import ENGINE
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.sharing import sharing_of

on: bool = ENGINE == "python"
"""Whether the lane is active. If not, the reference does all the work."""

_STRICT = "eightfold.strict"
"""The handler `strict` under a name of our own: a program may register another one under the usual name."""
codecs.register_error(_STRICT, codecs.strict_errors)

_LEAST, _MOST, _GROWTH = 1 << 10, 1 << 22, 4
"""The number of bytes or code points for one call of a codec, and its growth after each call without a fault."""
_SCANNED = 1 << 15
"""The maximum for a scan, which discards the text."""


class Reader:
    """Reads stretches of bytes of a form without signatures.

    Args:
        form: the form.
        scans: whether the caller discards the text.
    """

    def __init__(self, form: Form, *, scans: bool = False) -> None:
        self._sharing = sharing_of(form) if on else None
        self._size, self._most = (_LEAST, _SCANNED) if scans else (_MOST, _MOST)

    def stretch(self, data: bytes, start: int) -> tuple[str, int]:
        """Return the text of shared sequences from an offset on, which may be empty, and where they end."""
        sharing = self._sharing
        if sharing is None:
            return "", start
        view = memoryview(data)[start : start + self._size]
        try:
            text, length = sharing.decode(view, _STRICT, False)
            self._size = min(self._size * _GROWTH, self._most)
        except UnicodeDecodeError as error:
            text, length = sharing.decode(view[: error.start], _STRICT, False)
            self._size = _LEAST
        if sharing.is_whole(data, start, start + length, in_ascii=text.isascii()):
            return text, start + length
        assert sharing.reads is not None  # what is not shared whole has an expression
        self._size = _LEAST
        found = sharing.reads.match(data, start, start + length)
        end = start if found is None else found.end()
        return sharing.decode(view[: end - start], _STRICT, False)[0], end


class Writer:
    """Writes stretches of a str in a form without signatures."""

    def __init__(self, form: Form) -> None:
        # Rows that need not be one to one are never used for writing.
        self._sharing = sharing_of(form) if on and not form.decode_only else None
        self._size = _MOST

    def stretch(self, text: str, start: int) -> tuple[bytes, int]:
        """Return the bytes of shared code points from an index on, which may be empty, and where they end."""
        sharing = self._sharing
        if sharing is None:
            return b"", start
        window = text[start : start + self._size]
        try:
            part, _ = sharing.encode(window, _STRICT)
            self._size = min(self._size * _GROWTH, _MOST)
        except UnicodeEncodeError as error:
            window = window[: error.start]
            part, _ = sharing.encode(window, _STRICT)
            self._size = _LEAST
        if sharing.is_whole(part, 0, len(part), in_ascii=window.isascii()):
            return part, start + len(window)
        assert sharing.writes is not None  # what is not shared whole has an expression
        self._size = _LEAST
        found = sharing.writes.match(window)
        end = 0 if found is None else found.end()
        return sharing.encode(window[:end], _STRICT)[0], start + end


def encoded_length(form: Form, text: str) -> int:
    """Return the number of bytes that gave a text returned by :meth:`Reader.stretch`."""
    sharing = sharing_of(form)
    assert sharing is not None  # it was read by a codec
    return len(sharing.encode(text, _STRICT)[0])


def well_formed_end(form: Form, data: bytes, start: int, *, final: bool = True) -> int:
    """Return where ill-formed or undecided input begins: see :func:`reference.well_formed_end`."""
    if not on:
        return reference.well_formed_end(form, data, start, final=final)
    reader, at = Reader(form, scans=True), start
    while at < len(data):
        at = reader.stretch(data, at)[1]
        step = reference.sequence_at(form, data, at, final=final) if at < len(data) else None
        if step is None or step.code_point is None:
            break
        at = step.end
    return at


def faults(form: Form, data: bytes, start: int = 0) -> Iterator[Fault]:
    """Yield every fault of the bytes from ``start`` on, in order: see :func:`reference.faults`."""
    at = well_formed_end(form, data, start)
    while at < len(data):
        fault = reference.fault_at(form, data, at)
        assert fault is not None  # complete input always gives a result
        yield fault
        at = well_formed_end(form, data, fault.end)
