"""The six-byte UTF-8 of RFC 2044: code points 0 to 0x7FFFFFFF, surrogates as themselves."""

from eightfold.forms import generalized_utf_8, utf_8
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row, fault_row

_TABLE = "RFC 2044 section 2"
_C = utf_8.CONTINUATION

ROWS = (
    *(utf_8.ASCII, utf_8.TWO_BYTES, *utf_8.THREE_BYTES_BELOW_SURROGATES),
    *(generalized_utf_8.SURROGATES, *utf_8.THREE_BYTES_ABOVE_SURROGATES),
    Row(0x10000, 0x3FFFF, 0xF0, (0x90, 0xBF), _C, _C, source=_TABLE),
    Row(0x40000, 0x1FFFFF, (0xF1, 0xF7), _C, _C, _C, source=_TABLE),
    Row(0x200000, 0xFFFFFF, 0xF8, (0x88, 0xBF), _C, _C, _C, source=_TABLE),
    Row(0x1000000, 0x3FFFFFF, (0xF9, 0xFB), _C, _C, _C, _C, source=_TABLE),
    Row(0x4000000, 0x3FFFFFFF, 0xFC, (0x84, 0xBF), _C, _C, _C, _C, source=_TABLE),
    Row(0x40000000, 0x7FFFFFFF, 0xFD, _C, _C, _C, _C, _C, source=_TABLE),
)
NAMES = (
    *(utf_8.OVERLONG_TWO, utf_8.OVERLONG_THREE, utf_8.OVERLONG_FOUR),
    fault_row("overlong", 0xF8, (0x80, 0x87), _C, _C, _C, meant=(0x0, 0x1FFFFF), source=_TABLE),
    fault_row("overlong", 0xFC, (0x80, 0x83), _C, _C, _C, _C, meant=(0x0, 0x3FFFFFF), source=_TABLE),
    utf_8.INVALID_BYTE,
)

UTF_8_RFC2044 = Form(
    "utf-8-rfc2044",
    ROWS,
    names=NAMES,
    note="Reaches U+7FFFFFFF; code points above U+10FFFF only through code point arrays.",
    source="RFC 2044",
)
