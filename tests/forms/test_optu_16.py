"""OPTU-16: 16-bit units that are never joined, so that every OPTU-8 string goes there and comes back."""

from __future__ import annotations

import sys
from itertools import product

import pytest

import eightfold
from eightfold import convert, decode, encode
from support.byte_classes import neighbours, strings

# One unit from each side of every border that OPTU-8 and the surrogates draw.
CLASS_UNITS = (
    *(0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF),
    *(0xE000, 0xEF7F, 0xEF80, 0xEFFF, 0xF000, 0xFFFD),
)
PLAIN = ("optu-16-le", "optu-16-be")
NATIVE = PLAIN[sys.byteorder == "big"]


def strings_of_class_units() -> list[str]:
    return ["".join(map(chr, units)) for count in (1, 2, 3) for units in product(CLASS_UNITS, repeat=count)]


def comes_back(data: bytes, through: str) -> bool:
    return convert(convert(data, "optu-8", through), through, "optu-8") == data


@pytest.mark.parametrize("through", PLAIN)
def test_every_string_of_class_units_comes_back(through: str) -> None:
    texts = strings_of_class_units()
    assert len(texts) == 3615
    assert [text for text in texts if not comes_back(encode(text, "optu-8"), through)] == []


def test_wtf_16_would_join_the_pairs_of_some() -> None:
    lost = []
    for text in strings_of_class_units():
        try:
            came_back = comes_back(encode(text, "optu-8"), "wtf-16-le")
        except eightfold.ConversionError as error:  # OPTU-8 has no supplementary code point
            assert error.fault.code_point is not None
            came_back = error.fault.code_point <= 0xFFFF
        if not came_back:
            lost.append(text)
    assert len(lost) == 124


@pytest.mark.parametrize("through", PLAIN)
def test_every_byte_string_comes_back(through: str) -> None:
    optu_8 = eightfold.form("optu-8")
    for data in (*strings(optu_8, 3), *neighbours(optu_8)):
        assert comes_back(data, through), data.hex(" ")


@pytest.mark.parametrize(("name", "order"), [("optu-16-le", "little"), ("optu-16-be", "big")])
def test_every_unit_is_the_code_point_of_its_number(name: str, order: str) -> None:
    text = "".join(map(chr, range(0x10000)))
    data = b"".join(unit.to_bytes(2, order) for unit in range(0x10000))  # type: ignore[arg-type]
    assert bool(decode(data, name) == text)
    assert bool(encode(text, name) == data)


def test_a_pair_is_two_code_points_both_ways() -> None:
    assert decode(b"\x3d\xd8\x00\xde", "optu-16-le") == "\ud83d\ude00"
    assert encode("\ud83d\ude00", "optu-16-le") == b"\x3d\xd8\x00\xde"
    assert list(eightfold.decode_code_points(b"\xd8\x3d\xde\x00", "optu-16-be")) == [0xD83D, 0xDE00]
    assert convert(b"\xd8\x3d\xde\x00", "optu-16-be", "optu-8") == b"\xed\xa0\xbd\xed\xb8\x80"


@pytest.mark.parametrize("name", PLAIN)
def test_supplementary_code_points_cannot_be_written(name: str) -> None:
    with pytest.raises(eightfold.EncodeError) as raised:
        encode("a\U0001f600\U0001f600", name)
    assert (raised.value.start, raised.value.end) == (1, 2)
    with pytest.raises(eightfold.ConversionError) as converting:
        convert(b"a\xf0\x9f\x98\x80", "utf-8", name)
    assert (converting.value.start, converting.value.end, converting.value.fault.kind) == (1, 5, "unrepresentable")


@pytest.mark.parametrize("name", PLAIN)
def test_only_an_odd_byte_at_the_end_is_a_fault(name: str) -> None:
    form = eightfold.form(name)
    for data in strings(form, 3):
        found = [(fault.kind, fault.start, fault.end) for fault in eightfold.faults(data, form)]
        assert found == ([("odd-length", len(data) - 1, len(data))] if len(data) % 2 else [])


def test_a_mark_is_honoured_and_written_as_utf_16_does() -> None:
    assert decode(b"\xff\xfe\x3d\xd8", "optu-16") == decode(b"\xfe\xff\xd8\x3d", "optu-16") == "\ud83d"
    assert encode("\ud83d", "optu-16") == encode("", "utf-16") + encode("\ud83d", NATIVE)
    assert decode(encode("a", NATIVE), "optu-16") == "a"
    # Without the mark's help U+FEFF is text, as in the schemes of UTF-16.
    assert decode(b"\xff\xfe", "optu-16-le") == "\ufeff"
