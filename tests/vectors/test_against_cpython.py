"""Short strings, every policy, both directions: value, and start, end and reason of every error, against CPython.

The strings are exhaustive over the classes of units that the tables tell apart (`byte_classes`), and over all bytes up
to length two. All code points are in `test_against_cpython_code_points`.
"""

from collections.abc import Iterator
from itertools import product

import pytest

from eightfold import decode, encode, form, is_encodable, is_well_formed
from support.byte_classes import strings
from support.outcomes import RECORDING, Codec, Raised, outcome, recorded
from support.processes import EVERYTHING, in_processes

CODECS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
POLICIES = (
    RECORDING,
    *("strict", "replace", "ignore", "surrogateescape", "surrogatepass"),
    *("backslashreplace", "xmlcharrefreplace", "namereplace"),
)
# What the other policies give follows from the units that these show: they get the longest strings only at leisure.
DECIDING = (RECORDING, "strict", "surrogateescape", "surrogatepass")
# Around each place where a table of UTF-8, UTF-16 or UTF-32 begins or ends, the marks, and the escapes of PEP 383.
CHARACTERS = (
    "\0A\x7f\x80\u07ff\u0800\ud7ff\ue000\ufeff\uffff\U00010000\U0010ffff"
    "\ud800\udbff\udc00\udc7f\udc80\udcff\udd00\udfff"
)
UNITS_16 = (0x0, 0x41, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF)
UNITS_32 = (
    *(0x0, 0x41, 0xD7FF, 0xD800, 0xDC80, 0xDFFF, 0xE000, 0xFEFF, 0xFFFF, 0x10000, 0x10FFFF),
    *(0x110000, 0xFFFE0000, 0xFFFFFFFF),
)
LEFTOVER_BYTES = (0x00, 0xDC)
MARKS = (b"", b"\xef\xbb", b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf")

Compared = tuple[int, list[str]]


def all_up_to_two_bytes() -> Iterator[bytes]:
    return (bytes(each) for length in range(3) for each in product(range(256), repeat=length))


def boundary_strings(codec: str, errors: str) -> Iterator[bytes]:
    """Yield what is exhaustive for the codec's tables: strings of classes, marks, units at borders, parts of units."""
    if codec == "utf-8":
        yield from strings(form(codec), 4 if EVERYTHING or errors in DECIDING else 3)
    elif codec == "utf-8-sig":
        yield from (mark + each for mark in MARKS for each in strings(form(codec), 2))
    else:
        yield from wide_strings(*(16, UNITS_16) if "16" in codec else (32, UNITS_32))


def wide_strings(bits: int, units: tuple[int, ...]) -> Iterator[bytes]:
    width = bits // 8
    tails = [bytes(each) for length in range(width) for each in product(LEFTOVER_BYTES, repeat=length)]
    for order in ("little", "big"):
        for count in range(4 if bits == 16 else 3):
            for each in product(units, repeat=count):
                whole = b"".join(unit.to_bytes(width, order) for unit in each)
                yield from (whole + tail for tail in tails)


def texts() -> Iterator[str]:
    return ("".join(each) for length in range(4) for each in product(CHARACTERS, repeat=length))


def seen(codec: Codec, subject: object, encoding: str, errors: str) -> object:
    """Return all that can be observed: under the recording handler every unit of error, else what came out."""
    return recorded(codec, subject, encoding) if errors == RECORDING else outcome(codec, subject, encoding, errors)


def decoding(codec: str, errors: str) -> Compared:
    return disagreements(
        (seen(decode, data, codec, errors), seen(bytes.decode, data, codec, errors), data)
        for data in boundary_strings(codec, errors)
    )


def encoding(codec: str, errors: str) -> Compared:
    return disagreements(
        (seen(encode, text, codec, errors), seen(str.encode, text, codec, errors), text) for text in texts()
    )


def short_decoding(codec: str, errors: str) -> Compared:
    return disagreements(
        (seen(decode, data, codec, errors), seen(bytes.decode, data, codec, errors), data)
        for data in all_up_to_two_bytes()
    )


def verdicts(codec: str) -> Compared:
    return disagreements(
        (
            is_well_formed(data, codec),
            not isinstance(outcome(bytes.decode, data, codec, "strict"), Raised),
            data,
        )
        for data in boundary_strings(codec, "strict")
    )


def generalized(data: bytes) -> tuple[bool, str | None]:
    value = outcome(decode, data, "generalized-utf-8", "strict")
    return is_well_formed(data, "generalized-utf-8"), None if isinstance(value, Raised) else value


def with_surrogatepass(data: bytes) -> tuple[bool, str | None]:
    value = outcome(bytes.decode, data, "utf-8", "surrogatepass")
    return (False, None) if isinstance(value, Raised) else (True, value)


def disagreements(cases: Iterator[tuple[object, object, object]]) -> Compared:
    """Return how many cases there were, and the first ones in which ours is not theirs."""
    count = 0
    wrong: list[str] = []
    for ours, theirs, subject in cases:
        count += 1
        if ours != theirs and len(wrong) < 5:
            wrong.append(f"{subject!r}: ours {ours!r}, theirs {theirs!r}")
    return count, wrong


def test_decoding_with_every_policy():
    given = list(product(CODECS, POLICIES))
    results = in_processes(decoding, *zip(*given, strict=True))
    expected = {(codec, errors): (sum(1 for _ in boundary_strings(codec, errors)), []) for codec, errors in given}
    assert dict(zip(given, results, strict=True)) == expected


@pytest.mark.parametrize("codec", CODECS)
def test_verdicts(codec):
    count = sum(1 for _ in boundary_strings(codec, "strict"))
    assert verdicts(codec) == (count, [])


def test_encoding_with_every_policy():
    given = list(product(CODECS, POLICIES))
    results = in_processes(encoding, *zip(*given, strict=True))
    count = sum(1 for _ in texts())
    assert dict(zip(given, results, strict=True)) == dict.fromkeys(given, (count, []))


@pytest.mark.parametrize("codec", CODECS)
def test_what_can_be_encoded(codec):
    for text in texts():
        assert is_encodable(text, codec) == (not isinstance(outcome(str.encode, text, codec, "strict"), Raised))


def test_generalized_utf_8_is_utf_8_with_surrogatepass():
    subjects = [*strings(form("generalized-utf-8"), 4), *all_up_to_two_bytes()]
    cases = ((generalized(data), with_surrogatepass(data), data) for data in subjects)
    assert disagreements(cases) == (len(subjects), [])
    for text in texts():
        assert encode(text, "generalized-utf-8") == text.encode("utf-8", "surrogatepass")


def test_all_strings_of_up_to_two_bytes():
    cases = list(product(CODECS, ("strict", RECORDING)))
    results = in_processes(short_decoding, *zip(*cases, strict=True))
    assert dict(zip(cases, results, strict=True)) == dict.fromkeys(cases, (1 + 256 + 65536, []))
