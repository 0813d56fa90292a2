"""Surrogate pairs that a target joins are reported: `encode_faults(warnings=True)` and the counts of a Converter."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import pytest

import eightfold
from eightfold import Fault, Form, convert, encode_faults, forms
from eightfold.pieces import TWINS as PASSES
from eightfold.stream import Converter, converter
from eightfold.text import TWINS

PAIR = "\ud83d\ude00"
GENERALIZED = b"\xed\xa0\xbd\xed\xb8\x80"
JOINED = 0x1F600
# WTF-8 section 4.1, and the forms that write UTF-16's units in bytes. WTF-8 itself joins by its section 6.1.
REPORTING = {"wtf-16", "wtf-16-le", "wtf-16-be", "cesu-8", "mutf-8"}
LEADS, TRAILS, OTHERS = ["\ud800", "\udbff"], ["\udc00", "\udfff"], ["a", "é", "\ud7ff", "\U0001f600"]


def spans(text: str, form: str | Form, **options: Any) -> list[tuple[str, int, int]]:
    return [(fault.kind, fault.start, fault.end) for fault in encode_faults(text, form, **options)]


def joined_in(text: str) -> list[int]:
    """Return where leads stand that are directly followed by a trail."""
    return [at for at in range(len(text) - 1) if text[at] in LEADS and text[at + 1] in TRAILS]


# --- a str ------------------------------------------------------------------------------------------------------------


def test_the_warning_says_what_is_read_back() -> None:
    assert list(encode_faults("a" + PAIR, "wtf-16-le", warnings=True)) == [
        Fault("joined-pair", "wtf-16-le", 1, 3, b"", JOINED, "text", "warning")
    ]
    (fault,) = encode_faults(PAIR, "utf-16", warnings=True, limit=1)
    assert (fault.kind, fault.severity) == ("unrepresentable", "error")  # strict UTF-16 has no surrogates to join


@pytest.mark.parametrize("form", forms(), ids=str)
def test_where_a_definition_prescribes_no_joining_it_is_reported(form: Form) -> None:
    warned = [fault for fault in encode_faults(PAIR, form, warnings=True) if fault.severity == "warning"]
    assert bool(warned) == (form.name in REPORTING)
    if form.joins_pairs:
        assert eightfold.decode(eightfold.encode(PAIR, form), form) == "\U0001f600"
        assert bool(warned) != form.prescribes_joining


@pytest.mark.parametrize("form", forms(), ids=str)
def test_without_the_argument_there_are_errors_only(form: Form) -> None:
    assert eightfold.is_encodable(PAIR, form) == (spans(PAIR, form) == [])
    for text in map("".join, product(LEADS + TRAILS + OTHERS, repeat=3)):
        warned = list(encode_faults(text, form, warnings=True))
        assert [fault for fault in warned if fault.severity == "error"] == list(encode_faults(text, form))


@pytest.mark.parametrize("name", sorted(REPORTING))
def test_every_pair_of_every_short_text_is_found(name: str) -> None:
    for length in range(5):
        for text in map("".join, product(LEADS + TRAILS + OTHERS[:2], repeat=length)):
            warned = [fault for fault in encode_faults(text, name, warnings=True) if fault.severity == "warning"]
            assert [(fault.start, fault.end) for fault in warned] == [(at, at + 2) for at in joined_in(text)], text


@pytest.mark.parametrize("form", forms(), ids=str)
def test_core_and_reference_warn_alike(form: Form) -> None:
    for text in map("".join, product(LEADS + TRAILS + OTHERS, repeat=4)):
        expected = list(TWINS["encode_faults"](text, form, warnings=True))
        assert list(encode_faults(text, form, warnings=True)) == expected
    limited = list(encode_faults(PAIR * 9, form, 3, warnings=True))
    assert limited == list(encode_faults(PAIR * 9, form, warnings=True))[:3]


def test_a_form_of_ones_own_is_asked_what_it_prescribes() -> None:
    rows = eightfold.form("wtf-8").rows
    for prescribes in (False, True):
        own = Form("own", rows, joins_pairs=True, prescribes_joining=prescribes)
        assert bool(spans(PAIR, own, warnings=True)) != prescribes
    # What is joined to a code point that the form lacks is an error: there is no pair to warn of.
    short = Form("short", [row for row in rows if row.last <= 0xFFFF], joins_pairs=True)
    assert spans("a" + PAIR + "b", short, warnings=True) == [("unrepresentable", 1, 3)]
    assert list(TWINS["encode_faults"](PAIR, short, warnings=True)) == list(encode_faults(PAIR, short, warnings=True))


# --- a conversion -----------------------------------------------------------------------------------------------------


def converted(source: str, target: str, *pieces: bytes, errors: str = "strict") -> tuple[bytes, int, Fault | None]:
    converter = Converter(source, target, errors)
    parts = [converter.convert(piece) for piece in pieces] + [converter.convert(b"", final=True)]
    return b"".join(parts), converter.joined_pairs, converter.first_joined_pair


@pytest.mark.parametrize("target", sorted(REPORTING - {"wtf-16"}))
@pytest.mark.parametrize("source", ["generalized-utf-8", "utf-8-rfc2044", "optu-8", "optu-16-le"])
def test_a_converter_counts_at_every_cut(source: str, target: str) -> None:
    text = f"é{PAIR}\ud83d{PAIR}b\ude00\ud83d"
    if target == "cesu-8":
        text = f"é{PAIR}{PAIR}b"
    data = eightfold.encode(text, source)
    start = len(eightfold.encode("é", source))
    length = len(eightfold.encode(PAIR, source))
    whole = convert(data, source, target)
    expected = Fault("joined-pair", target, start, start + length, b"", JOINED, "target", "warning")
    for cut in range(len(data) + 1):
        assert converted(source, target, data[:cut], data[cut:]) == (whole, 2, expected)
    assert converted(source, target, *(data[at : at + 1] for at in range(len(data)))) == (whole, 2, expected)


@pytest.mark.parametrize(
    ("source", "target", "errors", "data", "count"),
    [
        ("generalized-utf-8", "wtf-8", "strict", GENERALIZED, 0),
        ("generalized-utf-8", "utf-8-rfc2044", "strict", GENERALIZED, 0),
        ("generalized-utf-8", "optu-16-le", "strict", GENERALIZED, 0),
        ("generalized-utf-8", "utf-16-le", "surrogatepass", GENERALIZED, 1),
        ("generalized-utf-8", "utf-32-le", "surrogatepass", GENERALIZED, 0),
        ("generalized-utf-8", "utf-16-le", "replace", GENERALIZED, 0),
        ("utf-8", "utf-16-be", "surrogatepass", GENERALIZED, 1),
        ("utf-8", "cesu-8", "surrogatepass", GENERALIZED, 1),
        ("utf-32-be", "wtf-16-be", "surrogatepass", b"\0\0\xd8\x3d\0\0\xde\0", 1),
        ("wtf-8", "wtf-16-le", "surrogatepass", GENERALIZED, 1),
        ("wtf-8", "wtf-16-le", "ignore", b"\xed\xa0\xbd\xff\xed\xb8\x80", 1),
        ("generalized-utf-8", "mutf-8", "surrogateescape", b"\xed\xa0\xbd\xff", 1),
        ("corrected-utf-8", "mutf-8", "private-use", eightfold.encode(PAIR, "corrected-utf-8", "private-use"), 1),
        ("cesu-8", "wtf-16-le", "strict", GENERALIZED, 0),
        ("mutf-8", "wtf-16-le", "strict", GENERALIZED, 0),
        ("wtf-16-be", "cesu-8", "strict", b"\xd8\x3d\xde\0", 0),
        ("wtf-8", "mutf-8", "strict", "😀".encode(), 0),
    ],
)
def test_what_is_joined_is_counted(source: str, target: str, errors: str, data: bytes, count: int) -> None:
    result, joined_pairs, first = converted(source, target, data, errors=errors)
    assert result == convert(data, source, target, errors)
    assert joined_pairs == count
    assert (first is None) == (count == 0)
    if count:
        # The proof: what was two code points in the source is one in the target.
        assert eightfold.decode_code_points(result, target).tolist() == [first.code_point if first else None]


def test_a_long_input_is_counted_whole() -> None:
    text = ("x" * 5000 + PAIR) * 40 + PAIR * 9000 + "漢" * 3000
    data = eightfold.encode(text, "generalized-utf-8")
    for target in ("wtf-16-be", "mutf-8", "cesu-8"):
        result, count, first = converted("generalized-utf-8", target, data)
        assert bool(result == convert(data, "generalized-utf-8", target))
        assert count == 9040
        assert first is not None
        assert (first.start, first.end) == (5000, 5006)


def test_a_reset_counts_anew_and_a_failed_call_does_not_count() -> None:
    converter = Converter("generalized-utf-8", "wtf-16-le")
    with pytest.raises(eightfold.ConversionError):
        converter.convert(GENERALIZED + b"\xff")
    assert (converter.joined_pairs, converter.first_joined_pair) == (0, None)
    converter.convert(GENERALIZED)
    assert converter.joined_pairs == 1
    converter.reset()
    assert (converter.joined_pairs, converter.first_joined_pair) == (0, None)


_AS_CPYTHON = {"optu-16-be": "utf-16-be", "utf-32-le": "utf-32-le"}
SOUP = ("\ud83d", "\ude00", PAIR, "a", "é", "漢", "\U0001f600", "x" * 60, "語" * 40)
CONVERSIONS = [
    *product(("generalized-utf-8", "optu-8", "optu-16-be"), ("wtf-16-le", "mutf-8"), ("strict",)),
    *product(("generalized-utf-8", "utf-32-le"), ("utf-16-be", "cesu-8"), ("surrogatepass", "ignore", "replace")),
    ("wtf-8", "wtf-16-be", "surrogatepass"),
    ("generalized-utf-8", "wtf-16-be", "surrogateescape"),
]


@pytest.mark.parametrize(("source", "target", "errors"), CONVERSIONS)
def test_core_and_reference_count_alike(source: str, target: str, errors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(f"{source} {target} {errors}")
    unit = eightfold.form(source).unit_bytes
    for length in (3, 30, 300):
        pieces = ["".join(random.choices(SOUP, k=length)).replace("\U0001f600", "") for _ in range(4)]
        data = [piece.encode(_AS_CPYTHON.get(source, "utf-8"), "surrogatepass") for piece in pieces]
        if errors not in ("strict", "surrogatepass"):
            data.insert(2, b"\xff" * unit)
        found = []
        for engine in (converter.converted_piece, PASSES["converted_piece"]):
            monkeypatch.setattr(converter, "converted_piece", engine)
            found.append(converted(source, target, *data, errors=errors))
        assert bool(found[0] == found[1])
        assert found[0][1] == found[1][1]
