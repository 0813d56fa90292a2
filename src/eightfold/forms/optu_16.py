"""OPTU-16, what MirBSD's OPTU-8 stands for: 16-bit units, each the code point of its number. optu8to16(3)."""

from typing import Any

from eightfold.forms import utf_16
from eightfold.forms.definition import Form, Row

_OPTU = "MirBSD optu8to16(3)"

_FACTS: dict[str, Any] = {
    "rows": (Row(0x0, 0xFFFF, (0x0, 0xFFFF), source=_OPTU),),
    "unit_bits": 16,
    "note": "Code points of the BMP only; a lead and a trail stay two code points. optu-8 holds no U+FFFE and U+FFFF.",
    "source": _OPTU,
}

OPTU_16_LE = Form("optu-16-le", **_FACTS, byte_order="little")
OPTU_16_BE = Form("optu-16-be", **_FACTS, byte_order="big")
OPTU_16 = Form("optu-16", **_FACTS, signatures=utf_16.marked(OPTU_16_LE, OPTU_16_BE, utf_16.MARKS))
