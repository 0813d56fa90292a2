"""Modified UTF-8: class files, `java.io.DataInput`, dex-like formats, NBT. JVMS section 4.4.7."""

from eightfold.forms import cesu_8, generalized_utf_8, utf_8
from eightfold.forms.definition import Form, Variant
from eightfold.forms.rows import Row, fault_row
from eightfold.forms.utf_8 import CONTINUATION

_JVMS = "JVMS 4.4.7"
_READ_UTF = "java.io.DataInput.readUTF"

ROWS = (
    Row(0x0, 0x0, 0xC0, 0x80, source=_JVMS),
    Row(0x1, 0x7F, (0x01, 0x7F), source=_JVMS),
    *(utf_8.TWO_BYTES, *utf_8.THREE_BYTES_BELOW_SURROGATES),
    *(generalized_utf_8.SURROGATES, *utf_8.THREE_BYTES_ABOVE_SURROGATES),
    cesu_8.PAIR,
)
_LATER_NAMES = (cesu_8.FOUR_BYTE, *utf_8.TOO_LONG, utf_8.INVALID_BYTE)
NAMES = (
    fault_row("raw-nul", 0x00, meant=(0x0, 0x0), source=_JVMS),
    fault_row("overlong", 0xC0, (0x81, 0xBF), meant=(0x1, 0x3F), source=_JVMS),
    fault_row("overlong", 0xC1, CONTINUATION, meant=(0x40, 0x7F), source=_JVMS),
    *(utf_8.OVERLONG_THREE, *_LATER_NAMES),
)

JAVA = Form(
    "mutf-8",
    (
        Row(0x0, 0x7F, (0x00, 0x7F), source=_READ_UTF),
        Row(0x0, 0x7FF, (0xC0, 0xDF), CONTINUATION, source=_READ_UTF),
        Row(0x0, 0xFFFF, (0xE0, 0xEF), CONTINUATION, CONTINUATION, source=_READ_UTF),
        cesu_8.PAIR,
    ),
    names=_LATER_NAMES,
    longest_match=True,
    decode_only=True,
    source=_READ_UTF,
)

MUTF_8 = Form(
    "mutf-8",
    ROWS,
    names=NAMES,
    longest_match=True,
    joins_pairs=True,
    variants=(Variant("java", JAVA, encodes=False),),
    note="The form of Java class files: U+0000 is C0 80, supplementary code points take six bytes. Under "
    "errors='java' decoding also accepts raw NULs and overlong forms, so its result need not give the bytes back.",
    source="JVMS 4.4.7",
)
