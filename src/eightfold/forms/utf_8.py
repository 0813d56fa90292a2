"""UTF-8: RFC 3629 section 4, Unicode Table 3-7, utf8(7). Other forms reuse its rows and fault rows."""

from eightfold.forms.definition import Form, Signature
from eightfold.forms.rows import Row, fault_row

CONTINUATION = (0x80, 0xBF)
_TABLE = "Unicode Table 3-7; RFC 3629 section 4"

ASCII = Row(0x0, 0x7F, (0x00, 0x7F), source=_TABLE)
TWO_BYTES = Row(0x80, 0x7FF, (0xC2, 0xDF), CONTINUATION, source=_TABLE)
THREE_BYTES_BELOW_SURROGATES = (
    Row(0x800, 0xFFF, 0xE0, (0xA0, 0xBF), CONTINUATION, source=_TABLE),
    Row(0x1000, 0xCFFF, (0xE1, 0xEC), CONTINUATION, CONTINUATION, source=_TABLE),
    Row(0xD000, 0xD7FF, 0xED, (0x80, 0x9F), CONTINUATION, source=_TABLE),
)
THREE_BYTES_ABOVE_SURROGATES = (Row(0xE000, 0xFFFF, (0xEE, 0xEF), CONTINUATION, CONTINUATION, source=_TABLE),)
FOUR_BYTES = (
    Row(0x10000, 0x3FFFF, 0xF0, (0x90, 0xBF), CONTINUATION, CONTINUATION, source=_TABLE),
    Row(0x40000, 0xFFFFF, (0xF1, 0xF3), CONTINUATION, CONTINUATION, CONTINUATION, source=_TABLE),
    Row(0x100000, 0x10FFFF, 0xF4, (0x80, 0x8F), CONTINUATION, CONTINUATION, source=_TABLE),
)
ROWS = (ASCII, TWO_BYTES, *THREE_BYTES_BELOW_SURROGATES, *THREE_BYTES_ABOVE_SURROGATES, *FOUR_BYTES)

_MANUAL = "utf8(7)"
OVERLONG_TWO = fault_row("overlong", (0xC0, 0xC1), CONTINUATION, meant=(0x0, 0x7F), source=f"{_MANUAL}, c0-c1")
OVERLONG_THREE = fault_row(
    "overlong", 0xE0, (0x80, 0x9F), CONTINUATION, meant=(0x0, 0x7FF), source=f"{_MANUAL}, e080-e09f"
)
OVERLONG_FOUR = fault_row(
    "overlong", 0xF0, (0x80, 0x8F), CONTINUATION, CONTINUATION, meant=(0x0, 0xFFFF), source=f"{_MANUAL}, f080-f08f"
)
SURROGATE = fault_row(
    "surrogate", 0xED, (0xA0, 0xBF), CONTINUATION, meant=(0xD800, 0xDFFF), source=f"{_MANUAL}, eda0-edbf"
)
BEYOND_UNICODE = (
    fault_row(
        "beyond-unicode",
        *(0xF4, (0x90, 0xBF), CONTINUATION, CONTINUATION),
        meant=(0x110000, 0x13FFFF),
        source=f"{_MANUAL}, f490-f4bf",
    ),
    fault_row(
        "beyond-unicode",
        *((0xF5, 0xF7), CONTINUATION, CONTINUATION, CONTINUATION),
        meant=(0x140000, 0x1FFFFF),
        source=f"{_MANUAL}, f5-f7",
    ),
)
TOO_LONG = (
    fault_row("too-long", (0xF8, 0xFB), *[CONTINUATION] * 4, meant=(0x0, 0x3FFFFFF), source=f"{_MANUAL}, f8-ff"),
    fault_row("too-long", (0xFC, 0xFD), *[CONTINUATION] * 5, meant=(0x0, 0x7FFFFFFF), source=f"{_MANUAL}, f8-ff"),
)
# utf8(7) counts these among the start bytes of "five or more"; RFC 2044's table ends with those of six.
INVALID_BYTE = fault_row("invalid-byte", (0xFE, 0xFF), source="RFC 2044 section 2")
NAMES = (
    *(OVERLONG_TWO, OVERLONG_THREE, OVERLONG_FOUR),
    *(SURROGATE, *BEYOND_UNICODE, *TOO_LONG, INVALID_BYTE),
)

REASONS = {
    "start": "invalid start byte",
    "continuation": "invalid continuation byte",
    "end": "unexpected end of data",
    "encode": "surrogates not allowed",
}

UTF_8 = Form("utf-8", ROWS, names=NAMES, cpython_reasons=REASONS, source="RFC 3629")

UTF_8_SIG = Form(
    "utf-8-sig",
    ROWS,
    names=NAMES,
    cpython_reasons=REASONS,
    # CPython's codec of this name passes the bytes after the mark to its utf-8 codec, so offsets start after the mark.
    signatures=(Signature(b"\xef\xbb\xbf", UTF_8, counted=False),),
    note="UTF-8 with the mark EF BB BF, which is written at the start and skipped there when reading.",
    source="RFC 3629 section 6",
)
