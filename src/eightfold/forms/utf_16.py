"""UTF-16 in its three schemes. Unicode 3.9, D91; RFC 2781."""

import sys
from typing import Any

from eightfold.forms.definition import Form, Signature
from eightfold.forms.rows import Row, fault_row

_TABLE = "Unicode Table 3-5"

PAIR = Row(0x10000, 0x10FFFF, (0xD800, 0xDBFF), (0xDC00, 0xDFFF), source=_TABLE)
MARKS = {"little": b"\xff\xfe", "big": b"\xfe\xff"}


def marked(little: Form, big: Form, marks: dict[str, bytes]) -> tuple[Signature, Signature]:
    """Return the byte order marks of two schemes. The native order comes first, because encoding writes the first."""
    schemes = (Signature(marks["little"], little), Signature(marks["big"], big))
    return schemes if sys.byteorder == "little" else (schemes[1], schemes[0])


_FACTS: dict[str, Any] = {
    "rows": (
        Row(0x0, 0xD7FF, (0x0, 0xD7FF), source=_TABLE),
        Row(0xE000, 0xFFFF, (0xE000, 0xFFFF), source=_TABLE),
        PAIR,
    ),
    "unit_bits": 16,
    "names": (fault_row("unpaired-surrogate", (0xD800, 0xDFFF), meant=(0xD800, 0xDFFF), source="Unicode 3.9, D91"),),
    "cpython_reasons": {
        "start": "illegal encoding",
        "continuation": "illegal UTF-16 surrogate",
        "end": "unexpected end of data",
        "odd-length": "truncated data",
        "encode": "surrogates not allowed",
    },
}

UTF_16_LE = Form("utf-16-le", **_FACTS, byte_order="little", source="Unicode 3.10, D97")
UTF_16_BE = Form("utf-16-be", **_FACTS, byte_order="big", source="Unicode 3.10, D96")
UTF_16 = Form(
    "utf-16",
    **_FACTS,
    signatures=marked(UTF_16_LE, UTF_16_BE, MARKS),
    note="Reading honours a byte order mark and assumes native order without one; writing uses native order with a "
    "mark.",
    source="Unicode 3.10, D98",
)
