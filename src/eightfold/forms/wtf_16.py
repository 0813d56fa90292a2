"""WTF-16, potentially ill-formed UTF-16: any sequence of 16-bit code units. WTF-8 section 4."""

from typing import Any

from eightfold.forms import utf_16
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row

_FACTS: dict[str, Any] = {
    "rows": (Row(0x0, 0xFFFF, (0x0, 0xFFFF), source="WTF-8 section 4.2"), utf_16.PAIR),
    "unit_bits": 16,
    "longest_match": True,
    "joins_pairs": True,
}

WTF_16_LE = Form("wtf-16-le", **_FACTS, byte_order="little", source="WTF-8 section 4")
WTF_16_BE = Form("wtf-16-be", **_FACTS, byte_order="big", source="WTF-8 section 4")
WTF_16 = Form(
    "wtf-16",
    **_FACTS,
    signatures=utf_16.marked(WTF_16_LE, WTF_16_BE, utf_16.MARKS),
    note="UTF-16 as Windows and JavaScript use it: surrogates need not be paired.",
    source="WTF-8 section 4",
)
