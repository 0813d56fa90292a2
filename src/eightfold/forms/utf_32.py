"""UTF-32 in its three schemes. Unicode 3.9, D90."""

from typing import Any

from eightfold.forms.definition import Form
from eightfold.forms.rows import Row, fault_row
from eightfold.forms.utf_16 import marked

_TABLE = "Unicode 3.9, D90"

_FACTS: dict[str, Any] = {
    "rows": (
        Row(0x0, 0xD7FF, (0x0, 0xD7FF), source=_TABLE),
        Row(0xE000, 0x10FFFF, (0xE000, 0x10FFFF), source=_TABLE),
    ),
    "unit_bits": 32,
    "names": (
        fault_row("surrogate", (0xD800, 0xDFFF), meant=(0xD800, 0xDFFF), source=_TABLE),
        fault_row("beyond-unicode", (0x110000, 0xFFFFFFFF), meant=(0x110000, 0xFFFFFFFF), source=_TABLE),
    ),
    "cpython_reasons": {
        "surrogate": "code point in surrogate code point range(0xd800, 0xe000)",
        "beyond-unicode": "code point not in range(0x110000)",
        "odd-length": "truncated data",
        "encode": "surrogates not allowed",
    },
}

UTF_32_LE = Form("utf-32-le", **_FACTS, byte_order="little", source="Unicode 3.10, D100")
UTF_32_BE = Form("utf-32-be", **_FACTS, byte_order="big", source="Unicode 3.10, D99")
UTF_32 = Form(
    "utf-32",
    **_FACTS,
    signatures=marked(UTF_32_LE, UTF_32_BE, {"little": b"\xff\xfe\0\0", "big": b"\0\0\xfe\xff"}),
    note="Reading honours a byte order mark and assumes native order without one; writing uses native order with a "
    "mark.",
    source="Unicode 3.10, D101",
)
