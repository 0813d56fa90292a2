"""Generalized UTF-8: every code point as itself, surrogates paired or not. WTF-8 section 5."""

from eightfold.forms import utf_8
from eightfold.forms.definition import Form
from eightfold.forms.rows import Row

SURROGATES = Row(0xD800, 0xDFFF, 0xED, (0xA0, 0xBF), utf_8.CONTINUATION, source="WTF-8 section 3.3")
ROWS = (
    *(utf_8.ASCII, utf_8.TWO_BYTES, *utf_8.THREE_BYTES_BELOW_SURROGATES),
    *(SURROGATES, *utf_8.THREE_BYTES_ABOVE_SURROGATES, *utf_8.FOUR_BYTES),
)
NAMES = tuple(name for name in utf_8.NAMES if name is not utf_8.SURROGATE)

GENERALIZED_UTF_8 = Form(
    "generalized-utf-8",
    ROWS,
    names=NAMES,
    note="Holds surrogates, paired or not; not an interchange format.",
    source="WTF-8 section 5",
)
