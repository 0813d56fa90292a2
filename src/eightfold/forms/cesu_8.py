"""CESU-8: UTF-8 of UTF-16's code units, pairs only. Unicode Technical Report 26; WTF-8 section 2.1."""

from eightfold.forms import utf_8
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row, fault_row
from eightfold.forms.utf_8 import CONTINUATION

_REPORT = "UTR 26 section 2"
_UNIT = "UTR 26 section 3, definition 2"

PAIR = Row(
    *(0x10000, 0x10FFFF),
    *(0xED, (0xA0, 0xAF), CONTINUATION, 0xED, (0xB0, 0xBF), CONTINUATION),
    source=_REPORT,
)
BASIC = (
    *(utf_8.ASCII, utf_8.TWO_BYTES),
    *utf_8.THREE_BYTES_BELOW_SURROGATES,
    *utf_8.THREE_BYTES_ABOVE_SURROGATES,
)
FOUR_BYTE = fault_row(
    "four-byte", (0xF0, 0xF7), CONTINUATION, CONTINUATION, CONTINUATION, meant=(0x0, 0x1FFFFF), source=_REPORT
)

CESU_8 = Form(
    "cesu-8",
    (*BASIC, PAIR),
    # A surrogate byte sequence is a decoding unit, so that it never absorbs the lead byte of the next sequence.
    units=(
        fault_row("unpaired-surrogate", 0xED, (0xA0, 0xBF), CONTINUATION, meant=(0xD800, 0xDFFF), source=_UNIT),
        fault_row("truncated", 0xED, (0xA0, 0xBF), source=_UNIT),
    ),
    names=(utf_8.OVERLONG_TWO, utf_8.OVERLONG_THREE, FOUR_BYTE, *utf_8.TOO_LONG, utf_8.INVALID_BYTE),
    joins_pairs=True,
    note="Supplementary code points take six bytes; for use inside systems that need the sort order of UTF-16.",
    source="UTR 26",
)
