"""Proof of a conversion: its result is decoded piece by piece and compared with the code points of the source.

Proof of a repair, whose source is ill-formed: the result is UTF-8, and undoing the changes gives the original bytes.

Both sides are read as 32-bit code points, so nothing here depends on how either is written, and code points above
U+10FFFF are compared as well. A policy that keeps everything (`surrogatepass`, `surrogateescape`, one declared by a
form) also applies to reading; under any other, an ill-formed place of the source is a difference.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from eightfold.faults import ConversionError, Fault, code_point_name
from eightfold.files.read.converting import before_fault
from eightfold.forms import Form, Row
from eightfold.forms.utf_8 import UTF_8
from eightfold.reference import LEADS, TRAILS, joined, signed
from eightfold.stream import Checker, Converter

if TYPE_CHECKING:
    from eightfold.repair import Repaired

_POINT_BYTES = 4


@cache
def _as_themselves(last: int) -> Form:
    """Code points up to the last one as themselves, in native byte order."""
    return Form("code-points", [Row(0, last, (0, last))], unit_bits=32, source="array typecode I")


_POINTS_CODEC = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"

_READ_BACK = ("surrogatepass", "surrogateescape")


class DifferenceError(Exception):
    """The first place at which a result does not have the code points of its source.

    Attributes:
        start: the byte offset in the source.
        sentence: what was in the source, and what became of it.
    """

    def __init__(self, start: int, sentence: str) -> None:
        super().__init__(f"at {start}: {sentence}")
        self.start = start
        self.sentence = sentence


class Verifier:
    r"""Compares a source with the result of its conversion, piece by piece; memory does not grow with them.

    Args:
        source, target: the forms.
        errors: the policy of the conversion.

    >>> from eightfold.forms import form
    >>> verifier = Verifier(form("generalized-utf-8"), form("wtf-8"))
    >>> verifier.compare(b"a", b"a")
    >>> verifier.compare(b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x9f\x98\x80", final=True)
    Traceback (most recent call last):
    eightfold.files.write.verifying.DifferenceError: at 1: the surrogate pair U+D83D U+DE00 was joined to U+1F600
    """

    def __init__(self, source: Form, target: Form, errors: str = "strict") -> None:
        self._source = _point_reader(source, errors)
        self._result = _point_reader(target, errors)
        self.count: int = 0
        """The number of code points found to be equal."""

    def compare(self, chunk: bytes, result: bytes, *, final: bool = False) -> None:
        """Compare more of the source with more of the result.

        Raises:
            DifferenceError: their code points differ.
        """
        source_fault = self._source.read(chunk, final=final)
        result_fault = self._result.read(result, final=final)
        self._match()
        if source_fault is not None:
            raise DifferenceError(source_fault.start, f"ill-formed, so it cannot be compared: {source_fault.fault}")
        if result_fault is not None:
            raise DifferenceError(self._source.offset_of(0), f"the result does not decode: {result_fault.fault}")
        if final:
            self._match_ends()

    def _match(self) -> None:
        given, got = self._source.points, self._result.points
        length = min(len(given), len(got))
        if given[:length] != got[:length]:
            before, after = array("I", given), array("I", got)
            at = next(index for index, became in enumerate(after) if before[index] != became)
            raise DifferenceError(self._source.offset_of(at), _change(before, at, after[at]))
        self._source.points, self._result.points = given[length:], got[length:]
        self.count += length // _POINT_BYTES

    def _match_ends(self) -> None:
        given, got = self._source.points, self._result.points
        if given:
            raise DifferenceError(self._source.offset_of(0), f"{_first(given)} is missing from the result")
        if got:
            raise DifferenceError(self._source.offset_of(0), f"the result continues with {_first(got)}")


class Undoing:
    r"""Undoes the changes of a repair, piece by piece, and compares digests; memory does not grow.

    >>> from eightfold.repair import Repairer
    >>> undoing = Undoing()
    >>> undoing.compare(b"caf\xe9", Repairer(errors="latin-1").repair(b"caf\xe9", final=True), final=True)
    """

    def __init__(self) -> None:
        self._given, self._back = sha256(), sha256()
        self._checker = Checker(UTF_8)
        self._restored = 0

    def compare(self, chunk: bytes, repaired: Repaired, *, final: bool = False) -> None:
        """Examine more of the original, and its repair.

        Raises:
            DifferenceError: the result is not UTF-8, or undoing its changes does not give the original.
        """
        self._given.update(chunk)
        for found in self._checker.check(repaired.data, final):
            raise DifferenceError(self._restored, f"the result is not UTF-8: {found.fault}")
        for part in self._undone(repaired):
            self._back.update(part)
            self._restored += len(part)
        if final and self._given.digest() != self._back.digest():
            raise DifferenceError(0, "with its changes undone, the result is not the original")

    def _undone(self, repaired: Repaired) -> Iterator[bytes]:
        at, offset = 0, self._restored
        for change in repaired.changes:
            start = at + change.start - offset
            end = start + len(change.new)
            if repaired.data[start:end] != change.new:
                raise DifferenceError(change.start, "the result does not contain what should be written here")
            yield repaired.data[at:start]
            yield change.old
            at, offset = end, change.end
        yield repaired.data[at:]


def _point_reader(form: Form, errors: str) -> _PointReader | _TextReader:
    return _TextReader(form) if form.is_foreign else _PointReader(form, errors)


class _PointReader:
    """One side of a conversion: the code points of its bytes, as they arrive."""

    def __init__(self, form: Form, errors: str) -> None:
        declared = form.variant(errors) is not None or errors in _READ_BACK
        self._errors = errors if declared else "strict"
        self._form = form
        in_str = all(row.last <= 0x10FFFF for row in signed(form)[0].rows)
        # Reading what a str can hold is much faster.
        self._point_form = _as_themselves(0x10FFFF if in_str else 0xFFFFFFFF)
        self._converter = Converter(form, self._point_form, self._errors)
        self.points = b""
        """The code points that have been read but not yet compared, in four bytes each."""

    def read(self, data: bytes, *, final: bool) -> ConversionError | None:
        """Read the code points of the data, or those before its first fault, which is returned."""
        try:
            self.points += self._converter.convert(data, final)
        except ConversionError as error:
            self.points += before_fault(error, self._converter, data).result
            return error
        return None

    def offset_of(self, index: int) -> int:
        """Return the byte offset of a code point: rows are one to one, so it can be computed from the end backwards."""
        plain, _ = signed(self._form)
        following = Converter(self._point_form, plain, self._errors).convert(self.points[index * _POINT_BYTES :], True)
        _, offset, *_ = self._converter.getstate()
        assert isinstance(offset, int)
        return offset - len(following)


class _TextReader:
    """One end of a conversion that is a legacy charset: the code points of its text, as they come."""

    def __init__(self, form: Form) -> None:
        from eightfold.legacy import CharsetDecoder, Piece, charset

        self._decoder = CharsetDecoder(charset(form.name))
        self._pieces: deque[Piece] = deque()
        self._passed = self._count = 0
        self.points = b""
        """As in :class:`_PointReader`."""

    def read(self, data: bytes, *, final: bool) -> ConversionError | None:
        """Take over the code points of the data, or those before the first fault in it, which is returned."""
        while self._pieces and self._passed + len(self._pieces[0].text) <= self._matched:
            self._passed += len(self._pieces.popleft().text)
        for found in self._decoder.pieces(data, final=final):
            if isinstance(found, Fault):
                return ConversionError(found.form, "code points", found.start, found.end, found)
            self.points += found.text.encode(_POINTS_CODEC)
            self._count += len(found.text)
            self._pieces.append(found)
        return None

    @property
    def _matched(self) -> int:
        return self._count - len(self.points) // _POINT_BYTES

    def offset_of(self, index: int) -> int:
        """Return the byte offset of one of the points."""
        at = self._matched + index - self._passed
        for piece in self._pieces:
            if at < len(piece.text):
                return piece.span(self._decoder.charset, at)[0]
            at -= len(piece.text)
        return self._decoder.offset


def _first(points: bytes) -> str:
    return code_point_name(array("I", points[:_POINT_BYTES])[0])


def _change(given: array[int], at: int, became: int) -> str:
    pair = given[at : at + 2]
    if len(pair) == 2 and pair[0] in LEADS and pair[1] in TRAILS and joined(*pair) == became:
        lead, trail = map(code_point_name, pair)
        return f"the surrogate pair {lead} {trail} was joined to {code_point_name(became)}"
    return f"{code_point_name(given[at])} became {code_point_name(became)}"
