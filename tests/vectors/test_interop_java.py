"""Java's charsets and data streams against CESU-8, MUTF-8, UTF-8 and UTF-16, asked while the tests run."""

import io
from itertools import product

import pytest

from eightfold import decode, encode, form
from eightfold.mutf8 import read_utf, write_utf
from support.byte_classes import neighbours, strings
from support.foreign_programs import CODE_UNITS, CUT_CODE_UNITS, SOURCES, answers, needs
from support.outcomes import Raised, outcome

pytestmark = needs("java", 17, flag="-version")

BYTES = [
    *(data for name in ("cesu-8", "mutf-8", "utf-8") for data in neighbours(form(name))),
    *strings(form("mutf-8"), 3),
]
LARGEST = 0xFFFF
LONG_TEXTS = [("A" * LARGEST).encode("utf-16-be"), ("\0" + "A" * LARGEST).encode("utf-16-be")]


def with_length(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


# Also strings whose length says more than there is.
STREAMS = [*map(with_length, BYTES), b"", b"\0", b"\0\x01", b"\0\x02A", b"\xff\xffA"]


@pytest.fixture(scope="module")
def java() -> dict[str, str]:
    """Return Java's answer to `OPERATION CHARSET HEX`."""
    cases = [
        *product(("decode", "decode-replacing"), ("CESU-8", "UTF-8"), BYTES),
        *product(("decode",), ("UTF-16BE",), CUT_CODE_UNITS),
        *product(("encode", "encode-replacing"), ("CESU-8", "UTF-8", "UTF-16BE"), CODE_UNITS),
        *product(("read-utf",), "-", STREAMS),
        *product(("write-utf",), "-", [*CODE_UNITS, *LONG_TEXTS]),
    ]
    return answers(
        ["java", str(SOURCES / "Text.java")],
        (f"{operation} {charset} {data.hex()}" for operation, charset, data in cases),
    )


def text_of(units: bytes) -> str:
    return units.decode("utf-16-be", "surrogatepass")


def units_or_place(value: object) -> str:
    """Return a value as Java answers: 16-bit code units, or where the first error is."""
    if isinstance(value, Raised):
        return f"refused:{value.start}"
    return str(value).encode("utf-16-be", "surrogatepass").hex()


def test_cesu_8_verdicts_values_and_places(java):
    # Java's decoder takes unpaired surrogates.
    for data in BYTES:
        ours = outcome(decode, data, "cesu-8", "surrogatepass")
        assert java[f"decode CESU-8 {data.hex()}"] == units_or_place(ours), data.hex()


def test_cesu_8_replaced(java):
    # Every unit of ours is one U+FFFD of Java's, but for unpaired surrogates, which pass there.
    for data in BYTES:
        text = text_of(bytes.fromhex(java[f"decode-replacing CESU-8 {data.hex()}"]))
        strict = decode(data, "cesu-8", "replace")
        ours = text.translate(dict.fromkeys(range(0xD800, 0xE000), 0xFFFD))
        assert ours == strict, data.hex()


def test_cesu_8_encoded(java):
    for units in CODE_UNITS:
        text = text_of(units)
        ours = outcome(encode, text, "cesu-8", "strict")
        theirs = java[f"encode CESU-8 {units.hex()}"]
        if isinstance(ours, Raised):
            assert theirs == f"refused:{len(text[: ours.start].encode('utf-16-be', 'surrogatepass')) // 2}"
        else:
            assert theirs == ours.hex()
        assert java[f"encode-replacing CESU-8 {units.hex()}"] == encode(text, "cesu-8", "replace").hex()


def test_utf_8_verdicts_values_and_places(java):
    for data in BYTES:
        ours = outcome(decode, data, "utf-8", "strict")
        assert java[f"decode UTF-8 {data.hex()}"] == units_or_place(ours), data.hex()


def test_utf_8_encoded(java):
    for units in CODE_UNITS:
        text = text_of(units)
        ours = outcome(encode, text, "utf-8", "strict")
        theirs = java[f"encode UTF-8 {units.hex()}"]
        assert theirs.startswith("refused") if isinstance(ours, Raised) else theirs == ours.hex()
        assert java[f"encode-replacing UTF-8 {units.hex()}"] == encode(text, "utf-8", "replace").hex()


def test_utf_16(java):
    for data in CUT_CODE_UNITS:
        ours = outcome(decode, data, "utf-16-be", "strict")
        assert java[f"decode UTF-16BE {data.hex()}"] == units_or_place(ours), data.hex()


def test_read_utf(java):
    for data in STREAMS:
        theirs = java[f"read-utf - {data.hex()}"]
        stream = io.BytesIO(data)
        try:
            ours = read_utf(stream, errors="java").encode("utf-16-be", "surrogatepass").hex()
            assert stream.read() == b""
        except UnicodeDecodeError:
            ours = "refused:UTFDataFormatException"
        except EOFError:
            ours = "refused:EOFException"
        assert theirs == ours, data.hex()


def test_write_utf(java):
    for units in CODE_UNITS:
        stream = io.BytesIO()
        write_utf(stream, text_of(units))
        assert java[f"write-utf - {units.hex()}"] == stream.getvalue().hex()
        assert stream.getvalue()[2:] == encode(text_of(units), "mutf-8")


def test_the_longest_string_that_write_utf_takes(java):
    longest, too_long = LONG_TEXTS
    stream = io.BytesIO()
    write_utf(stream, text_of(longest))
    assert java[f"write-utf - {longest.hex()}"] == stream.getvalue().hex()
    assert java[f"write-utf - {too_long.hex()}"] == "refused:UTFDataFormatException"
    with pytest.raises(ValueError):
        write_utf(io.BytesIO(), text_of(too_long))
