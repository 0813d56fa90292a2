"""What a lossy policy loses in a conversion: how many faults of the source, and how many code points the target lacks.

A converter applies its policy without counting. So its source is scanned once more, which is faster than the
conversion; and only if the target lacks code points that the source can have, what is well-formed is tried without a
policy.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import NamedTuple

from eightfold.cutting import boundary
from eightfold.faults import ConversionError, Fault
from eightfold.files.read.converting import Conversion, ConvertedPiece
from eightfold.forms import Form
from eightfold.points import points_of, points_without
from eightfold.reference import LEADS, signed
from eightfold.stream import Checker, Converter, Decoder, Encoder
from eightfold.text import convert, decode_code_points

_LOSSY = ("replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace")
_UNLOST = "backslashreplace"
"""The policy for faults where only what is well-formed counts: it writes ASCII, which no target lacks."""
_CHECKED_BYTES = 16 * 1024
"""How much is checked at once: each of its faults is an object."""
_TRIED = 4096
"""How much is tried at once: the next try begins behind each code point that the target lacks."""


class Lost(NamedTuple):
    """What was lost so far.

    Attributes:
        faults: how many faults of the source, as `check` counts them.
        code_points: how many code points that the target cannot write.
    """

    faults: int = 0
    code_points: int = 0

    def __bool__(self) -> bool:
        return any(self)


class Losses:
    r"""Counts what a conversion loses, piece by piece.

    Args:
        conversion: its ends and its policy.

    >>> from eightfold.forms import form
    >>> losses = Losses(Conversion(form("wtf-8"), form("utf-8"), "replace"))
    >>> losses.take(ConvertedPiece(b"caf\xe9, \xed\xa0\xbd", b"", True))
    >>> losses.lost
    Lost(faults=1, code_points=1)
    """

    def __init__(self, conversion: Conversion) -> None:
        self.lost: Lost = Lost()
        self._faults: Callable[[bytes, bool], int] | None = None
        self._lacking: Callable[[bytes, bool], int] | None = None
        if conversion.errors in _LOSSY:
            self._faults, self._lacking = _foreign(conversion) if conversion.is_foreign else _in_family(conversion)

    def take(self, piece: ConvertedPiece) -> None:
        """Count what is lost of the next piece."""
        if self._faults is None:
            return
        faults = self._faults(piece.chunk, piece.final)
        lacking = 0 if self._lacking is None else self._lacking(piece.chunk, piece.final)
        self.lost = Lost(self.lost.faults + faults, self.lost.code_points + lacking)


_Counting = Callable[[bytes, bool], int]


def _in_family(conversion: Conversion) -> tuple[_Counting, _Counting | None]:
    source, target = conversion.source, signed(conversion.target)[0]
    lacking = points_without(points_of(signed(source)[0].rows), points_of(target.rows))
    return _faults_of(source), _Lacking(source, target) if lacking else None


def _faults_of(source: Form) -> _Counting:
    checker = Checker(source)

    def count(chunk: bytes, final: bool) -> int:
        parts = [chunk[at : at + _CHECKED_BYTES] for at in range(0, len(chunk), _CHECKED_BYTES)] or [b""]
        return sum(len(checker.check(part, final and part is parts[-1])) for part in parts)

    return count


class _Lacking:
    """Counts the code points of a source that a target lacks, both in the family."""

    def __init__(self, source: Form, target: Form) -> None:
        self._plain, _ = signed(source)
        self._target = target
        self._clean = Converter(source, self._plain, _UNLOST)
        self._held = b""

    def __call__(self, chunk: bytes, final: bool) -> int:
        data, at, count = self._held + self._clean.convert(chunk, final), 0, 0
        while (end := self._end(data, at, final=final)) > at:
            try:
                convert(data[at:end], self._plain, self._target)
                at = end
            except ConversionError as error:
                count, at = count + 1, at + error.end
        self._held = data[at:]
        return count

    def _end(self, data: bytes, at: int, *, final: bool) -> int:
        """Return where to end a try: between sequences, and before a lead that the target may join to what follows."""
        # Clean text has no runs, so any sequence ends within the bytes behind the offset.
        end = at + boundary(data[at : at + 2 * _TRIED], _TRIED, self._plain)
        if end == at or not self._target.joins_pairs or (final and end == len(data)):
            return end
        last = at + boundary(data[at:end], end - at - 1, self._plain)
        return last if decode_code_points(data[last:end], self._plain)[0] in LEADS else end


def _foreign(conversion: Conversion) -> tuple[_Counting, _Counting | None]:
    reader = _ForeignReader(conversion.source, conversion.target)
    return reader.faults, reader.lacking


class _ForeignReader:
    """Counts what is lost where an end is a legacy charset: all of it becomes text first."""

    def __init__(self, source: Form, target: Form) -> None:
        self._texts = _texts_of(source)
        self._encoder = _encoder(target)
        self._text = ""

    def faults(self, chunk: bytes, final: bool) -> int:
        count, texts = self._texts(chunk, final)
        self._text = "".join(texts)
        return count

    def lacking(self, chunk: bytes, final: bool) -> int:
        text = self._text
        return sum(self._lacking_in(text[at : at + _TRIED]) for at in range(0, len(text), _TRIED))

    def _lacking_in(self, part: str) -> int:
        count = 0
        while part:
            try:
                self._encoder.encode(part)
                break
            except UnicodeEncodeError as error:
                count += error.end - error.start
                part = error.object[error.end :]
                self._encoder.reset()
        return count


def _encoder(target: Form) -> codecs.IncrementalEncoder:
    """Return an encoder, which holds what may be the first of two code points that a charset writes as one."""
    if not target.is_foreign:
        return Encoder(target)
    from eightfold.legacy import charset

    return codecs.getincrementalencoder(charset(target.name).codec)()


def _texts_of(source: Form) -> Callable[[bytes, bool], tuple[int, list[str]]]:
    if not source.is_foreign:
        count, decoder = _faults_of(source), Decoder(source, _UNLOST)
        return lambda chunk, final: (count(chunk, final), [decoder.decode(chunk, final)])
    from eightfold.legacy import CharsetDecoder, charset

    charset_decoder = CharsetDecoder(charset(source.name))

    def read(chunk: bytes, final: bool) -> tuple[int, list[str]]:
        found = list(charset_decoder.pieces(chunk, final=final))
        texts = [each.text for each in found if not isinstance(each, Fault)]
        return len(found) - len(texts), texts

    return read
