"""Node's Buffer, TextDecoder, TextEncoder and String against UTF-8, UTF-16 and WTF-16, asked while the tests run."""

from itertools import product

import pytest

from eightfold import convert, decode, encode, encode_code_points, form, is_well_formed
from support.byte_classes import neighbours, strings
from support.foreign_programs import CODE_UNITS, CUT_CODE_UNITS, SOURCES, answers, needs
from support.outcomes import Raised, outcome

pytestmark = needs("node", 20)

BYTES = [*strings(form("utf-8"), 3), *neighbours(form("utf-8")), b"\xef\xbb\xbf", b"\xef\xbb\xbfA\xef\xbb\xbf\xff"]

OF_BYTES = ("is-utf-8", "utf-8-fatal", "utf-8-replacing", "utf-8-sig", "buffer-to-string")
OF_UTF_16 = ("utf-16-fatal", "utf-16-replacing")
OF_UNITS = ("is-well-formed", "to-well-formed", "buffer-from-string", "text-encoder", "code-points")


@pytest.fixture(scope="module")
def node() -> dict[str, str]:
    """Return Node's answer to `OPERATION HEX`."""
    cases = [*product(OF_BYTES, BYTES), *product(OF_UTF_16, CUT_CODE_UNITS), *product(OF_UNITS, CODE_UNITS)]
    return answers(["node", str(SOURCES / "text.mjs")], (f"{operation} {data.hex()}" for operation, data in cases))


def units(text: object) -> str:
    """Return the 16-bit code units of a value in hex, as Node answers."""
    return "refused" if isinstance(text, Raised) else str(text).encode("utf-16-be", "surrogatepass").hex()


def test_utf_8_verdicts_and_values(node):
    for data in BYTES:
        assert node[f"is-utf-8 {data.hex()}"] == str(is_well_formed(data, "utf-8")).lower()
        assert node[f"utf-8-fatal {data.hex()}"] == units(outcome(decode, data, "utf-8", "strict")), data.hex()


def test_utf_8_replaced(node):
    for data in BYTES:
        expected = units(decode(data, "utf-8", "replace"))
        assert node[f"utf-8-replacing {data.hex()}"] == expected, data.hex()
        assert node[f"buffer-to-string {data.hex()}"] == expected, data.hex()
        assert node[f"utf-8-sig {data.hex()}"] == units(decode(data, "utf-8-sig", "replace")), data.hex()


def test_utf_16(node):
    for data in CUT_CODE_UNITS:
        assert node[f"utf-16-fatal {data.hex()}"] == units(outcome(decode, data, "utf-16-le", "strict")), data.hex()
        assert node[f"utf-16-replacing {data.hex()}"] == units(decode(data, "utf-16-le", "replace")), data.hex()


def test_well_formed_strings(node):
    for data in CODE_UNITS:
        assert node[f"is-well-formed {data.hex()}"] == str(is_well_formed(data, "utf-16-be")).lower()
        assert node[f"to-well-formed {data.hex()}"] == convert(data, "wtf-16-be", "utf-16-be", "replace").hex()


def test_strings_as_utf_8(node):
    for data in CODE_UNITS:
        expected = convert(data, "wtf-16-be", "utf-8", "replace").hex()
        assert node[f"buffer-from-string {data.hex()}"] == expected
        assert node[f"text-encoder {data.hex()}"] == expected


def test_code_points_of_wtf_16(node):
    for data in CODE_UNITS:
        points = [int(point, 16) for point in node[f"code-points {data.hex()}"].split(".") if point]
        text = "".join(map(chr, points))
        assert decode(data, "wtf-16-be") == text
        assert encode_code_points(points, "wtf-16-be") == encode(text, "wtf-16-be") == data
        assert encode(text, "wtf-8") == convert(data, "wtf-16-be", "wtf-8")
