"""OPTU-16, the counterpart of MirBSD's OPTU-8: each 16-bit unit is the code point of the same value. optu8to16(3)."""

from typing import Any

from eightfold.forms import utf_16
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row

_OPTU = "MirBSD optu8to16(3)"

_FACTS: dict[str, Any] = {
    "rows": (Row(0x0, 0xFFFF, (0x0, 0xFFFF), source=_OPTU),),
    "unit_bits": 16,
    "note": "BMP code points only; a lead and a trail stay two code points. optu-8 cannot hold U+FFFE and U+FFFF.",
    "source": _OPTU,
}

OPTU_16_LE = Form("optu-16-le", **_FACTS, byte_order="little")
OPTU_16_BE = Form("optu-16-be", **_FACTS, byte_order="big")
OPTU_16 = Form("optu-16", **_FACTS, signatures=utf_16.marked(OPTU_16_LE, OPTU_16_BE, utf_16.MARKS))
