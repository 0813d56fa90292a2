"""XTF-8: UTF-8 mixed with binary bytes; its bytes 80-FF map to the private-use code points U+EF80 to U+EFFF."""

from eightfold.forms import utf_8
from eightfold.forms.definition import Form, Variant
from eightfold.forms.rows import Row, fault_row
from eightfold.forms.utf_8 import CONTINUATION

_README = "XTF-8, algorithm"

ESCAPE = Row(0xEF80, 0xEFFF, (0x80, 0xFF), source=_README)
THREE_BYTES_BELOW_ESCAPES = Row(0xE000, 0xEF7F, 0xEE, (0x80, 0xBD), CONTINUATION, source=_README)
COLLISION = fault_row(
    "escape-collision", 0xEE, (0xBE, 0xBF), CONTINUATION, meant=(0xEF80, 0xEFFF), source=f"{_README}, step 2"
)
ROWS = (
    *(utf_8.ASCII, utf_8.TWO_BYTES, *utf_8.THREE_BYTES_BELOW_SURROGATES),
    THREE_BYTES_BELOW_ESCAPES,
    Row(0xF000, 0xFFFF, 0xEF, CONTINUATION, CONTINUATION, source=_README),
    *utf_8.FOUR_BYTES,
    ESCAPE,
)
# No input has this fault, because the escapes take its bytes. `surrogatepass` uses the row to encode surrogates.
NAMES = (utf_8.SURROGATE,)

XTF_8_ESCAPING = Form("xtf-8", ROWS, names=NAMES, longest_match=True, source=_README)

XTF_8 = Form(
    "xtf-8",
    ROWS,
    units=(COLLISION,),
    names=NAMES,
    longest_match=True,
    refuses={"ignore": "XTF-8 never skips ill-formed input (its section Security)"},
    variants=(Variant("escape", XTF_8_ESCAPING),),
    note="Bytes that are not UTF-8 become U+EF80 to U+EFFF. Encoding a str is not injective.",
    source="XTF-8, liweitianux/xtf8",
)
