"""One row of an explanation: a sequence, its meaning, and the rule that it follows or breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from eightfold.faults import Fault, hex_bytes, immutable


@immutable
@dataclass(frozen=True, slots=True)
class Explained:
    r"""One sequence of an input, explained.

    Attributes:
        offset, end: the span, end exclusive: byte offsets into the input, or code point indices if the input is a str.
        units: the bytes of the sequence, at most 64 of them; if the input is a str, the bytes that the form writes.
        bits: the same in binary, unit by unit, with the payload bits in brackets; empty for a signature.
        code_point: the code point; None for a signature and for ill-formed bytes.
        name: the Unicode name of the code point, or its label in angle brackets; for a signature, the form that it
            announces; empty for ill-formed bytes.
        source: the document with the rule that the sequence follows or breaks.
        fault: the fault at this place, or the one that contains the code point of a str; None if there is no fault.

    >>> import eightfold
    >>> row = eightfold.explain("\N{GRINNING FACE}", "cesu-8")[0]
    >>> row.name, row.units.hex(" "), row.as_dict()["bits"]
    ('GRINNING FACE', 'ed a0 bd ed b8 80', '11101101 1010[0000] 10[111101] 11101101 1011[1000] 10[000000]')
    """

    offset: int
    end: int
    units: bytes
    bits: str
    code_point: int | None
    name: str
    source: str
    fault: Fault | None = None

    def as_dict(self) -> dict[str, Any]:
        r"""Return the row as a JSON-ready dict: bytes in hex, and the fault as :meth:`Fault.as_dict` gives it.

        >>> from eightfold import explain
        >>> row = explain(b"\xff", "utf-8")[0].as_dict()
        >>> row["units"], row["fault"]["kind"]
        ('FF', 'invalid-byte')
        """
        return {
            "offset": self.offset,
            "end": self.end,
            "units": hex_bytes(self.units),
            "bits": self.bits,
            "code_point": self.code_point,
            "name": self.name,
            "source": self.source,
            "fault": None if self.fault is None else self.fault.as_dict(),
        }
