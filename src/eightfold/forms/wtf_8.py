"""WTF-8: generalized UTF-8 in which a surrogate pair byte sequence is ill-formed. WTF-8 section 6."""

from eightfold.forms import generalized_utf_8
from eightfold.forms.definition import Form
from eightfold.forms.rows import fault_row
from eightfold.forms.utf_8 import CONTINUATION

PAIR = fault_row(
    "surrogate-pair",
    *(0xED, (0xA0, 0xAF), CONTINUATION, 0xED, (0xB0, 0xBF), CONTINUATION),
    meant=(0x10000, 0x10FFFF),
    source="WTF-8 section 3.3",
)

WTF_8 = Form(
    "wtf-8",
    generalized_utf_8.ROWS,
    units=(PAIR,),
    names=generalized_utf_8.NAMES,
    joins_pairs=True,
    prescribes_joining=True,  # section 6.1
    note="Only for use inside a program: convert to UTF-8 at its boundary (WTF-8 section 1).",
    source="WTF-8 section 6",
)
