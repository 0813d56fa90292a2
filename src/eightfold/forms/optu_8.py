"""OPTU-8, from MirBSD: the UTF-8 of the BMP; every other byte maps to a unit U+EF80 to U+EFFF. optu8to16(3)."""

from eightfold.forms import generalized_utf_8, utf_8, xtf_8
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row
from eightfold.forms.utf_8 import CONTINUATION

_OPTU = "MirBSD optu8to16(3)"

OPTU_8 = Form(
    "optu-8",
    (
        *(utf_8.ASCII, utf_8.TWO_BYTES, *utf_8.THREE_BYTES_BELOW_SURROGATES),
        *(generalized_utf_8.SURROGATES, xtf_8.THREE_BYTES_BELOW_ESCAPES),
        Row(0xF000, 0xFFBF, 0xEF, (0x80, 0xBE), CONTINUATION, source=_OPTU),
        Row(0xFFC0, 0xFFFD, 0xEF, 0xBF, (0x80, 0xBD), source=_OPTU),
        xtf_8.ESCAPE,
    ),
    longest_match=True,
    note="Every byte string is well-formed; BMP code points only, without U+FFFE and U+FFFF. Encoding a str is not "
    "injective: U+EFC3 U+EFA9 writes C3 A9, which reads as U+00E9.",
    source=_OPTU,
)
