"""U+0000 in a result that is a Corrected UTF-8 document, which must not contain it: `convert` reports where it is."""

from __future__ import annotations

from eightfold.files.read.converting import Conversion, ConvertedPiece
from eightfold.policy import reading
from eightfold.reference import signed, units_of

RULE = "U+0000 must not be in a Corrected UTF-8 document"


class Nuls:
    """Finds U+0000 in the pieces of one conversion, in order.

    Attributes:
        count: how many were found so far, without the one in a magic number.
        offset: where in the source the first one is, in bytes; None before there is one, or where a handler made it.
    """

    def __init__(self, conversion: Conversion) -> None:
        self.count: int = 0
        self.offset: int | None = None
        plain, self._opening = signed(conversion.source)
        self._unit = plain.unit_bytes
        rows = reading(plain, conversion.errors, plain.name, converting=True).form.rows
        units = [units_of(row, 0) for row in rows if row.first == 0]
        self._written = [b"".join(unit.to_bytes(self._unit, plain.byte_order) for unit in each) for each in units]
        _, self._mark = signed(conversion.target)
        self._passed = 0
        self._head = self._before = b""

    def take(self, piece: ConvertedPiece) -> None:
        """Count those in the next piece."""
        marked = 0
        if self._mark and piece.result:
            marked, self._mark = self._mark.count(0), b""
        found = piece.result.count(0) - marked
        self._head += piece.chunk[: len(self._opening) - len(self._head)]
        content = self._before + piece.chunk
        if found and not self.count:
            self.offset = self._first(content, self._passed - len(self._before))
        self.count += found
        self._passed += len(piece.chunk)
        # A U+0000 may begin here and end in the next piece.
        kept = max(map(len, self._written), default=1) - 1
        self._before = content[max(len(content) - kept, 0) :]

    def _first(self, content: bytes, start: int) -> int | None:
        places = (self._aligned(content, start, nul) for nul in self._written)
        return min((start + at for at in places if at >= 0), default=None)

    def _aligned(self, content: bytes, start: int, nul: bytes) -> int:
        at = content.find(nul, max(0, len(self._opening) - start) if self._head == self._opening else 0)
        while at >= 0 and (start + at) % self._unit:
            at = content.find(nul, at + 1)
        return at
