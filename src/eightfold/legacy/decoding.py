"""Text in a charset, decoded strictly, sequence by sequence: :mod:`eightfold.legacy.conversion` applies policies.

Python's incremental decoders of ISO 2022 fail on an unfinished escape sequence at the end of a piece, whatever the
policy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from eightfold.faults import UNITS_KEPT, Fault, Kind
from eightfold.legacy.charsets import Charset

_UNFINISHED_ESCAPE = re.compile(rb"\x1b[^@-Z]{0,15}\Z")
_LONGEST_ESCAPE = 16
"""An escape sequence of ISO 2022 that may go on in the next piece; Python looks for its end in 16 bytes."""
_SHORT_PIECE, _LONG_PIECE = 1024, 256 * 1024
"""How much is decoded at once: little after a fault, since an exception copies its piece."""


class Piece(NamedTuple):
    """Text that was decoded.

    Attributes:
        start: where its bytes begin in the input.
        data: the bytes.
        text: the text.
        state: the state of the decoder before them.
    """

    start: int
    data: bytes
    text: str
    state: int

    def span(self, charset: Charset, index: int) -> tuple[int, int]:
        r"""Return where the bytes of a character begin and end in the input.

        >>> from eightfold.legacy import charset
        >>> piece, = CharsetDecoder(charset("shift_jis")).pieces(b"a\x82\xa0b", final=True)
        >>> piece.span(charset("shift_jis"), 1)
        (1, 3)
        """
        low, end = 0, len(self.data)
        while low < end:
            middle = (low + end) // 2
            if len(self._decoded(charset, middle)[0]) > index:
                end = middle
            else:
                low = middle + 1
        _, unfinished = self._decoded(charset, end - 1)
        return self.start + end - 1 - len(unfinished), self.start + end

    def _decoded(self, charset: Charset, end: int) -> tuple[str, bytes]:
        """Return the text of the first bytes, and the bytes of an unfinished sequence at their end."""
        decoder = charset.decoder()
        decoder.setstate((b"", self.state))
        return decoder.decode(self.data[:end]), decoder.getstate()[0]


class CharsetDecoder:
    r"""Decodes a charset piece by piece, into text and faults, which together are all of the input.

    What is held between calls is at most an unfinished sequence.

    >>> from eightfold.legacy import charset
    >>> decoder = CharsetDecoder(charset("shift_jis"))
    >>> [found.text for found in decoder.pieces(b"\x82")]
    []
    >>> for found in decoder.pieces(b"\xa0\x82\x0a\x82", final=True):
    ...     print(ascii(found.text) if isinstance(found, Piece) else f"{found.kind}: {found}")
    '\u3042'
    undefined: shift_jis does not define 82
    '\n'
    truncated: sequence 82 is cut short by the end of the input
    """

    def __init__(self, charset: Charset) -> None:
        self.charset: Charset = charset
        self.offset: int = 0
        """Where the bytes that are held begin in the input."""
        self._decoder = charset.decoder()
        self._held = b""

    def pieces(self, chunk: bytes, *, final: bool = False) -> Iterator[Piece | Fault]:
        """Yield the text and the faults of more bytes, in order."""
        content, at, size = self._held + chunk, 0, _LONG_PIECE
        self._held = b""
        while at < len(content):
            data = content[at : at + size]
            reaches_end = at + size >= len(content)
            try:
                found = self._settled(data, final=final and reaches_end)
            except UnicodeDecodeError as error:
                if error.start:
                    yield self._passed(self._decoded(data[: error.start]))
                yield self._fault(data, error.start, error.end, is_last=final and reaches_end)
                self.offset += error.end - error.start
                at, size = at + error.end, _SHORT_PIECE
                continue
            if found.data:
                yield self._passed(found)
            at, size = at + len(found.data), min(2 * size, _LONG_PIECE)
            if reaches_end:
                break
        self._held = content[at:]

    def _passed(self, found: Piece) -> Piece:
        self.offset += len(found.data)
        return found

    def _settled(self, data: bytes, *, final: bool) -> Piece:
        """Decode as many bytes as possible, but no escape sequence that may go on behind them.

        Raises:
            UnicodeDecodeError: the charset does not define them; the decoder is as before.
        """
        held = (
            None
            if final or not self.charset.has_escapes
            else _UNFINISHED_ESCAPE.search(data, max(0, len(data) - _LONGEST_ESCAPE))
        )
        try:
            return self._decoded(data[: held.start()] if held else data, final=final)
        except UnicodeDecodeError:
            raise
        except UnicodeError:
            # A sequence without an end is before the one that is held; with more behind it, it is a fault.
            return self._decoded(data)

    def _decoded(self, data: bytes, *, final: bool = False) -> Piece:
        _, state = before = self._decoder.getstate()
        try:
            text = self._decoder.decode(data, final)
        except UnicodeError:
            self._decoder.setstate(before)
            raise
        rest, after = self._decoder.getstate()
        self._decoder.setstate((b"", after))
        return Piece(self.offset, data[: len(data) - len(rest)], text, state)

    def _fault(self, data: bytes, start: int, end: int, *, is_last: bool) -> Fault:
        units = data[start:end]
        is_cut = is_last and end == len(data) and self._may_go_on(units)
        kind: Kind = "truncated" if is_cut else "undefined"
        place = self.offset, self.offset + end - start
        return Fault(kind, self.charset.name, *place, units[:UNITS_KEPT], at_end=is_cut)

    def _may_go_on(self, units: bytes) -> bool:
        before = self._decoder.getstate()
        try:
            self._decoder.decode(units)
        except UnicodeError:
            return False
        finally:
            self._decoder.setstate(before)
        return True
