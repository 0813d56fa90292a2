"""The fast lane where there is no compiled core: what a form shares with a codec of the interpreter goes to that codec.

Stretches only, as long as they are; what stands between them is the reference's, one sequence at a time. Nothing here
decides what anything means: what is shared is derived from rows (:mod:`eightfold.sharing`). The codec goes first. Where
a byte occurs at which it and the form part, the expression says how far it may go.

A codec that stops at a fault copies all that it was given, so it is given a little after each stop, then more.
"""

from __future__ import annotations

from collections.abc import Iterator

from eightfold import reference
from eightfold._engine import ENGINE
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.sharing import sharing_of

on: bool = ENGINE == "python"
"""Whether the lane is open. Closed, each loop is the reference's."""

_LEAST, _MOST, _GROWTH = 1 << 10, 1 << 22, 4
"""How many bytes or code points a codec is given at once, and how much more after each that it took whole."""
_SCANNED = 1 << 15
"""How many at most where nobody wants the text."""


class Reader:
    """Reads stretches of bytes of a form without signatures.

    Args:
        form: the form.
        scans: whether nobody wants the text.
    """

    def __init__(self, form: Form, *, scans: bool = False) -> None:
        self._sharing = sharing_of(form) if on else None
        self._size, self._most = (_LEAST, _SCANNED) if scans else (_MOST, _MOST)

    def stretch(self, data: bytes, start: int) -> tuple[str, int]:
        """Return the text of shared sequences from an offset on, and where they end; nothing where none is there."""
        sharing = self._sharing
        if sharing is None:
            return "", start
        view = memoryview(data)[start : start + self._size]
        try:
            text, length = sharing.decode(view, "strict", False)
            self._size = min(self._size * _GROWTH, self._most)
        except UnicodeDecodeError as error:
            text, length = sharing.decode(view[: error.start], "strict", False)
            self._size = _LEAST
        if sharing.is_whole(data, start, start + length, in_ascii=text.isascii()):
            return text, start + length
        assert sharing.reads is not None  # what is not shared whole has an expression
        self._size = _LEAST
        found = sharing.reads.match(data, start, start + length)
        end = start if found is None else found.end()
        return sharing.decode(view[: end - start], "strict", False)[0], end


class Writer:
    """Writes stretches of a str in a form without signatures."""

    def __init__(self, form: Form) -> None:
        # Nothing is written by rows that need not be one to one.
        self._sharing = sharing_of(form) if on and not form.decode_only else None
        self._size = _MOST

    def stretch(self, text: str, start: int) -> tuple[bytes, int]:
        """Return the bytes of shared code points from an index on, and where they end; nothing where none is there."""
        sharing = self._sharing
        if sharing is None:
            return b"", start
        window = text[start : start + self._size]
        try:
            part, _ = sharing.encode(window, "strict")
            self._size = min(self._size * _GROWTH, _MOST)
        except UnicodeEncodeError as error:
            window = window[: error.start]
            part, _ = sharing.encode(window, "strict")
            self._size = _LEAST
        if sharing.is_whole(part, 0, len(part), in_ascii=window.isascii()):
            return part, start + len(window)
        assert sharing.writes is not None  # what is not shared whole has an expression
        self._size = _LEAST
        found = sharing.writes.match(window)
        end = 0 if found is None else found.end()
        return sharing.encode(window[:end], "strict")[0], start + end


def encoded_length(form: Form, text: str) -> int:
    """Return how many bytes some text of :meth:`Reader.stretch` came from."""
    sharing = sharing_of(form)
    assert sharing is not None  # it was read by a codec
    return len(sharing.encode(text, "strict")[0])


def well_formed_end(form: Form, data: bytes, start: int, *, final: bool = True) -> int:
    """Return where what is ill-formed, or not yet certain, begins: see :func:`reference.well_formed_end`."""
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
    if not on:
        yield from reference.faults(form, data, start)
        return
    at = well_formed_end(form, data, start)
    while at < len(data):
        fault = reference.fault_at(form, data, at)
        assert fault is not None  # with the whole input at hand there is always an answer
        yield fault
        at = well_formed_end(form, data, fault.end)
