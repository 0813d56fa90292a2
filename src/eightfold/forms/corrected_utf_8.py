"""Corrected UTF-8: offsets make every sequence the only encoding of its code point. Weinberg, 2022."""

from eightfold.forms.definition import Form, Signature, Variant
from eightfold.forms.rows import Row, fault_row
from eightfold.forms.utf_8 import CONTINUATION

_C = CONTINUATION
_TABLE = "Corrected UTF-8, Putting it all together"
_PRIVATE_USE = "Corrected UTF-8, Not encoding C1 controls or surrogates"

MAGIC = b"\xef\xb7\x9d\xed\xb2\xae\x00\n"

_UP_TO_THREE_BYTES = (
    Row(0x0, 0x7F, (0x00, 0x7F), source=_TABLE),
    Row(0xA0, 0x89F, (0xC0, 0xDF), _C, source=_TABLE),
    # The gap for the surrogates, at EC BD A0, falls inside the range of a second byte, so two rows become five.
    Row(0x8A0, 0xC89F, (0xE0, 0xEB), _C, _C, source=_TABLE),
    Row(0xC8A0, 0xD7DF, 0xEC, (0x80, 0xBC), _C, source=_TABLE),
    Row(0xD7E0, 0xD7FF, 0xEC, 0xBD, (0x80, 0x9F), source=_TABLE),
    Row(0xE000, 0xE01F, 0xEC, 0xBD, (0xA0, 0xBF), source=_TABLE),
    Row(0xE020, 0xE09F, 0xEC, (0xBE, 0xBF), _C, source=_TABLE),
    Row(0xE0A0, 0x1109F, (0xED, 0xEF), _C, _C, source=_TABLE),
)
_FOUR_BYTES = (Row(0x110A0, 0x21109F, (0xF0, 0xF7), _C, _C, _C, source=_TABLE),)
_FIVE_AND_SIX_BYTES = (
    Row(0x2110A0, 0x421109F, (0xF8, 0xFB), _C, _C, _C, _C, source=_TABLE),
    Row(0x42110A0, 0x8421109F, (0xFC, 0xFD), _C, _C, _C, _C, _C, source=_TABLE),
)
ROWS = (*_UP_TO_THREE_BYTES, *_FOUR_BYTES, *_FIVE_AND_SIX_BYTES)

RESERVED = fault_row(
    "reserved",
    (0xFE, 0xFF),
    run=(_C, (0xFE, 0xFF)),
    source="Corrected UTF-8, Removing the artificial upper limit",
)

# The four-byte row, split where code points are mapped: U+10EF80-U+10EF9F for the C1 controls U+0080-U+009F,
# U+10F000-U+10F7FF for the surrogates. The code points whose sequences are reused have no encoding.
_FOUR_BYTES_PRIVATE_USE = (
    Row(0x110A0, 0xD109F, (0xF0, 0xF2), _C, _C, _C, source=_TABLE),
    Row(0xD10A0, 0x10E09F, 0xF3, (0x80, 0xBC), _C, _C, source=_TABLE),
    Row(0x10E0A0, 0x10EF5F, 0xF3, 0xBD, (0x80, 0xBA), _C, source=_TABLE),
    Row(0x10EF60, 0x10EF7F, 0xF3, 0xBD, 0xBB, (0x80, 0x9F), source=_TABLE),
    Row(0x80, 0x9F, 0xF3, 0xBD, 0xBB, (0xA0, 0xBF), source=_PRIVATE_USE),
    Row(0x10EFA0, 0x10EFDF, 0xF3, 0xBD, 0xBC, _C, source=_TABLE),
    Row(0x10EFE0, 0x10EFFF, 0xF3, 0xBD, 0xBD, (0x80, 0x9F), source=_TABLE),
    Row(0xD800, 0xD81F, 0xF3, 0xBD, 0xBD, (0xA0, 0xBF), source=_PRIVATE_USE),
    Row(0xD820, 0xD89F, 0xF3, 0xBD, (0xBE, 0xBF), _C, source=_PRIVATE_USE),
    Row(0xD8A0, 0xDFDF, 0xF3, 0xBE, (0x80, 0x9C), _C, source=_PRIVATE_USE),
    Row(0xDFE0, 0xDFFF, 0xF3, 0xBE, 0x9D, (0x80, 0x9F), source=_PRIVATE_USE),
    Row(0x10F800, 0x10F81F, 0xF3, 0xBE, 0x9D, (0xA0, 0xBF), source=_TABLE),
    Row(0x10F820, 0x11009F, 0xF3, 0xBE, (0x9E, 0xBF), _C, source=_TABLE),
    Row(0x1100A0, 0x11109F, 0xF3, 0xBF, _C, _C, source=_TABLE),
    Row(0x1110A0, 0x21109F, (0xF4, 0xF7), _C, _C, _C, source=_TABLE),
)

PRIVATE_USE = Form(
    "corrected-utf-8",
    (*_UP_TO_THREE_BYTES, *_FOUR_BYTES_PRIVATE_USE, *_FIVE_AND_SIX_BYTES),
    units=(RESERVED,),
    source=_PRIVATE_USE,
)

CORRECTED_UTF_8 = Form(
    "corrected-utf-8",
    ROWS,
    units=(RESERVED,),
    variants=(Variant("private-use", PRIVATE_USE),),
    note="C1 controls and surrogates have no encoding; code point arrays reach U+8421109F. In Python the magic number "
    "of documents is neither written nor skipped; the command line always uses corrected-utf-8-sig. A reserved "
    "sequence has no limit: a stream holds all of it for an error handler registered in Python, and only then.",
    source="Corrected UTF-8",
)

CORRECTED_UTF_8_SIG = Form(
    "corrected-utf-8-sig",
    ROWS,
    units=(RESERVED,),
    signatures=(Signature(MAGIC, CORRECTED_UTF_8),),
    variants=(Variant("private-use", PRIVATE_USE),),
    note="Corrected UTF-8 with its magic number, which is written at the start and skipped there when reading.",
    source="Corrected UTF-8, Putting it all together",
)
