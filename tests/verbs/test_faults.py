"""Faults and the exceptions that carry them: words, spans, both views of the specification's own examples, pickling."""

from __future__ import annotations

import codecs
import copy
import gc
import json
import pickle
import weakref
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import pytest

import eightfold
from eightfold import ConversionError, DecodeError, EncodeError, Fault
from eightfold.faults import KINDS, UNITS_KEPT, EscapedSurrogateFault, Kind, UnexaminedFault, code_point_name

EXAMINED = "was not examined and may hold text"
UNEXAMINED = f"an object {EXAMINED}"

# One fault of each kind, or more where a kind has more than one sentence, and what is said to people.
SENTENCES = [
    (Fault("overlong", "utf-8", 0, 2, b"\xc0\xaf", 0x2F), "overlong form of U+002F (C0 AF)"),
    (Fault("overlong", "utf-8", 0, 2, b"\xe0\x80"), "overlong form of a code point (E0 80)"),
    (
        Fault("surrogate", "utf-8", 0, 3, b"\xed\xa0\x80", 0xD800),
        "surrogate U+D800 (ED A0 80), which utf-8 cannot hold",
    ),
    (Fault("surrogate", "utf-8", 0, 2, b"\xed\xa0"), "surrogate (ED A0), which utf-8 cannot hold"),
    (
        Fault("beyond-unicode", "utf-8", 0, 4, b"\xf4\x90\x80\x80", 0x110000),
        "U+110000 (F4 90 80 80) is beyond U+10FFFF",
    ),
    (
        Fault("too-long", "utf-8", 0, 5, b"\xf8\x80\x80\x80\xaf", 0x2F),
        "five-byte sequence (F8 80 80 80 AF), which utf-8 does not have",
    ),
    (Fault("too-long", "utf-8", 0, 1, b"\xf8"), "incomplete five-byte sequence (F8), which utf-8 does not have"),
    (
        Fault("too-long", "utf-8", 0, 2, b"\xfd\x80"),
        "incomplete six-byte sequence (FD 80), which utf-8 does not have",
    ),
    (
        Fault("too-long", "own", 0, 1, b"\x41"),
        "incomplete five- or six-byte sequence (41), which own does not have",
    ),
    (Fault("invalid-byte", "utf-8", 0, 1, b"\xff"), "byte FF cannot begin a sequence"),
    (
        Fault("unexpected-continuation", "utf-8", 0, 1, b"\x80"),
        "continuation byte 80 where a lead byte is expected",
    ),
    (Fault("truncated", "utf-8", 0, 2, b"\xe2\x82"), "sequence E2 82 is cut short by another byte"),
    (
        Fault("truncated", "utf-8", 0, 2, b"\xe2\x82", at_end=True),
        "sequence E2 82 is cut short by the end of the input",
    ),
    (
        Fault("surrogate-pair", "wtf-8", 0, 6, b"\xed\xa0\x80\xed\xb0\x80", 0x10000),
        "surrogate pair byte sequence (ED A0 80 ED B0 80) for U+10000, which wtf-8 writes as four bytes",
    ),
    (
        Fault("unpaired-surrogate", "cesu-8", 0, 3, b"\xed\xa0\x80", 0xD800),
        "unpaired surrogate U+D800 (ED A0 80)",
    ),
    (
        Fault("four-byte", "cesu-8", 0, 4, b"\xf0\x9f\x92\xa9", 0x1F4A9),
        "four-byte sequence (F0 9F 92 A9) for U+1F4A9, which cesu-8 writes as a surrogate pair",
    ),
    (Fault("raw-nul", "mutf-8", 0, 1, b"\0", 0), "byte 00: mutf-8 writes U+0000 as C0 80"),
    (
        Fault("raw-nul", "corrected-utf-8-sig", 8, 9, b"\0", 0),
        "U+0000 must not occur in a document outside its magic number",
    ),
    (
        Fault("escape-collision", "xtf-8", 0, 3, b"\xee\xbe\x80", 0xEF80),
        "U+EF80 (EE BE 80) collides with the escapes of xtf-8",
    ),
    (Fault("reserved", "corrected-utf-8", 0, 2, b"\xfe\x80"), "sequence FE 80 is reserved for future use"),
    (
        Fault("reserved", "corrected-utf-8", 0, 65, b"\xfe" * 64),
        f"sequence {'FE ' * 64}... is reserved for future use",
    ),
    (
        Fault("unrepresentable", "utf-8-rfc2044", 0, 4, b"\xf4\x90\x80\x80", 0x110000),
        "U+110000 (F4 90 80 80) is above U+10FFFF, which a Python str cannot hold",
    ),
    (Fault("unrepresentable", "utf-8", 1, 2, b"", 0xD800, "text"), "U+D800 cannot be written in utf-8"),
    (
        Fault("unrepresentable", "utf-8", 1, 4, b"", 0xD800, "text"),
        "U+D800 and 2 more cannot be written in utf-8",
    ),
    (Fault("unrepresentable", "utf-8", 0, 3, b"", 0xD800, "target"), "U+D800 cannot be written in utf-8"),
    (Fault("odd-length", "utf-16-le", 2, 3, b"\xd8"), "the input ends inside a code unit (left over: D8)"),
    (
        Fault("control", "corrected-utf-8-sig", 8, 9, b"\x07", 0x07, severity="warning"),
        "control character U+0007 should not be in a document",
    ),
    (
        Fault("line-terminator", "corrected-utf-8-sig", 8, 9, b"\r", 0x0D, severity="warning"),
        "U+000D should not be in a document: lines end in U+000A",
    ),
    (
        Fault("no-final-newline", "corrected-utf-8-sig", 9, 9, severity="warning"),
        "the last character of a document should be U+000A",
    ),
    (
        Fault("no-signature", "corrected-utf-8-sig", 0, 0, severity="warning"),
        "a document should begin with the magic number of corrected-utf-8-sig",
    ),
    (
        Fault("joined-pair", "cesu-8", 0, 2, b"", 0x1F600, "text", "warning"),
        "surrogate pair, which is read back from cesu-8 as one code point, U+1F600",
    ),
    (
        Fault("needless-escape", "xtf-8", 0, 6, b"\xee\xbf\x83\xee\xbe\xa9", 0xE9, severity="warning"),
        "needless escapes (EE BF 83 EE BE A9) for U+00E9, which xtf-8 does not escape",
    ),
    (Fault("unexamined", "utf-8", 0, 0, side="text", severity="warning"), UNEXAMINED),
    (UnexaminedFault(path="a[0]", type="http.client.HTTPResponse"), f"a[0] (http.client.HTTPResponse) {EXAMINED}"),
    (Fault("other-form", "utf-8", 0, 2, b"\xff\xfe"), "the file appears to be in a form other than utf-8"),
    (
        Fault("escaped-surrogate", "utf-8", 0, 6, rb"\ud83d", 0xD83D, severity="warning"),
        r"escape \ud83d of an unpaired surrogate",
    ),
    (
        EscapedSurrogateFault(
            "escaped-surrogate", "utf-16-le", 0, 12, r"\uDE00".encode("utf-16-le"), 0xDE00, json_path="$.a[0]"
        ),
        r"escape \uDE00 of an unpaired surrogate, at $.a[0]",
    ),
    (Fault("undefined", "shift_jis", 0, 1, b"\xff"), "shift_jis does not define FF"),
    (
        Fault("mojibake", "utf-8", 0, 4, b"\xc3\x83\xc2\xa9", severity="warning"),
        "UTF-8 that was read in a legacy charset and encoded again (C3 83 C2 A9)",
    ),
]
every_fault = pytest.mark.parametrize("fault", [fault for fault, _ in SENTENCES], ids=str)


def test_the_kinds_are_those_of_the_vocabulary() -> None:
    assert list(KINDS) == [
        *("overlong", "surrogate", "beyond-unicode", "too-long", "invalid-byte", "unexpected-continuation"),
        *("truncated", "surrogate-pair", "unpaired-surrogate", "four-byte", "raw-nul", "escape-collision"),
        *("reserved", "unrepresentable", "odd-length"),
        *("control", "line-terminator", "no-final-newline", "no-signature"),
        *("joined-pair", "needless-escape"),
        "unexamined",
        "other-form",
        *("escaped-surrogate", "undefined", "mojibake"),
    ]
    assert get_args(Kind) == tuple(KINDS)
    assert all(KINDS.values())


def test_a_fault_of_a_kind_that_is_not_known_here_can_be_shown() -> None:
    fault = Fault("of-later", "utf-8", 2, 4, b"\xed\xa0")  # type: ignore[arg-type]
    assert str(fault) == "fault of the unknown kind 'of-later' (ED A0)"
    assert fault.as_dict()["sentence"] == str(fault)


def test_every_kind_has_its_sentence_here() -> None:
    assert {fault.kind for fault, _ in SENTENCES} == set(KINDS)


@pytest.mark.parametrize(("fault", "sentence"), SENTENCES, ids=[sentence for _, sentence in SENTENCES])
def test_a_fault_is_one_sentence(fault: Fault, sentence: str) -> None:
    assert str(fault) == sentence


@pytest.mark.parametrize(
    ("code_point", "shown"),
    [(0x0, "U+0000"), (0xFFFD, "U+FFFD"), (0x10000, "U+10000"), (0x10FFFF, "U+10FFFF"), (0x8421109F, "U+8421109F")],
)
def test_a_code_point_has_four_to_eight_digits(code_point: int, shown: str) -> None:
    assert code_point_name(code_point) == shown


# --- both views of the specification's own examples -------------------------------------------------------------------

# The bytes, the decoding units that are ill-formed, and the faults: kind, start, end, code point.
Told = tuple[str, int, int, "int | None"]
VIEWS: list[tuple[str, str, list[tuple[int, int]], list[Told]]] = [
    ("utf-8", "ED A0 80", [(0, 1), (1, 2), (2, 3)], [("surrogate", 0, 3, 0xD800)]),
    ("utf-8", "ED BF BF", [(0, 1), (1, 2), (2, 3)], [("surrogate", 0, 3, 0xDFFF)]),
    ("utf-8", "F0 9F 92", [(0, 3)], [("truncated", 0, 3, None)]),
    ("utf-8", "F4 90 80 80", [(0, 1), (1, 2), (2, 3), (3, 4)], [("beyond-unicode", 0, 4, 0x110000)]),
    ("utf-8", "F5 80 80 80", [(0, 1), (1, 2), (2, 3), (3, 4)], [("beyond-unicode", 0, 4, 0x140000)]),
    ("utf-8", "E2 82 41", [(0, 2)], [("truncated", 0, 2, None)]),
    ("utf-8", "E2 82", [(0, 2)], [("truncated", 0, 2, None)]),
    ("utf-8", "C3", [(0, 1)], [("truncated", 0, 1, None)]),
    ("utf-8", "C0 AF", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x2F)]),
    ("utf-8", "C1 81", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x41)]),
    ("utf-8", "C0", [(0, 1)], [("overlong", 0, 1, None)]),
    ("utf-8", "E0 9F BF", [(0, 1), (1, 2), (2, 3)], [("overlong", 0, 3, 0x7FF)]),
    ("utf-8", "F0 8F BF BF", [(0, 1), (1, 2), (2, 3), (3, 4)], [("overlong", 0, 4, 0xFFFF)]),
    ("utf-8", "F8 80 80 80 AF", [(at, at + 1) for at in range(5)], [("too-long", 0, 5, 0x2F)]),
    ("utf-8", "FC 80 80 80 80 AF", [(at, at + 1) for at in range(6)], [("too-long", 0, 6, 0x2F)]),
    ("utf-8", "F8 88 80 80 80", [(at, at + 1) for at in range(5)], [("too-long", 0, 5, 0x200000)]),
    (
        *("utf-8", "F8 80 80 80 AF 80", [(at, at + 1) for at in range(6)]),
        [("too-long", 0, 5, 0x2F), ("unexpected-continuation", 5, 6, None)],
    ),
    ("utf-8", "E0 80 41", [(0, 1), (1, 2)], [("overlong", 0, 2, None)]),
    ("utf-8", "E0 41", [(0, 1)], [("truncated", 0, 1, None)]),
    ("utf-8", "F8", [(0, 1)], [("too-long", 0, 1, None)]),
    ("utf-8", "F8 41", [(0, 1)], [("too-long", 0, 1, None)]),
    ("utf-8", "ED A0", [(0, 1), (1, 2)], [("surrogate", 0, 2, None)]),
    ("utf-8", "ED", [(0, 1)], [("truncated", 0, 1, None)]),
    ("utf-8", "F4 90", [(0, 1), (1, 2)], [("beyond-unicode", 0, 2, None)]),
    ("utf-8", "F5", [(0, 1)], [("beyond-unicode", 0, 1, None)]),
    ("utf-8", "FE FF", [(0, 1), (1, 2)], [("invalid-byte", 0, 1, None), ("invalid-byte", 1, 2, None)]),
    (
        *("utf-8", "80 BF", [(0, 1), (1, 2)]),
        [("unexpected-continuation", 0, 1, None), ("unexpected-continuation", 1, 2, None)],
    ),
    ("utf-8", "41 E2 82 C3 A9", [(1, 3)], [("truncated", 1, 3, None)]),
    (
        *("utf-8", "ED A0 80 ED B0 80", [(at, at + 1) for at in range(6)]),
        [("surrogate", 0, 3, 0xD800), ("surrogate", 3, 6, 0xDC00)],
    ),
    ("utf-8-sig", "EF BB BF 41 ED A0 80", [(4, 5), (5, 6), (6, 7)], [("surrogate", 4, 7, 0xD800)]),
    ("generalized-utf-8", "ED A0 80", [], []),
    ("generalized-utf-8", "ED A0 80 ED B0 80", [], []),
    ("generalized-utf-8", "ED A4 F4", [(0, 2), (2, 3)], [("truncated", 0, 2, None), ("truncated", 2, 3, None)]),
    ("generalized-utf-8", "C0 AF", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x2F)]),
    ("utf-8-rfc2044", "F8 87 BF BF BF", [(at, at + 1) for at in range(5)], [("overlong", 0, 5, 0x1FFFFF)]),
    ("utf-8-rfc2044", "FC 83 BF BF BF BF", [(at, at + 1) for at in range(6)], [("overlong", 0, 6, 0x3FFFFFF)]),
    ("utf-8-rfc2044", "F8 88 80 80", [(0, 4)], [("truncated", 0, 4, None)]),
    ("utf-8-rfc2044", "FE", [(0, 1)], [("invalid-byte", 0, 1, None)]),
    ("wtf-8", "ED A0 80", [], []),
    ("wtf-8", "ED B0 80 ED A0 80", [], []),
    ("wtf-8", "ED A0 80 ED B0 80", [(0, 6)], [("surrogate-pair", 0, 6, 0x10000)]),
    ("wtf-8", "ED AF BF ED BF BF", [(0, 6)], [("surrogate-pair", 0, 6, 0x10FFFF)]),
    ("wtf-8", "ED A0 80 ED B0 41", [(3, 5)], [("truncated", 3, 5, None)]),
    ("wtf-8", "ED A0 80 ED A0 80 ED B0 80", [(3, 9)], [("surrogate-pair", 3, 9, 0x10000)]),
    ("cesu-8", "ED A0 80 ED B0 80", [], []),
    ("cesu-8", "ED A0 80", [(0, 3)], [("unpaired-surrogate", 0, 3, 0xD800)]),
    ("cesu-8", "ED B0 80", [(0, 3)], [("unpaired-surrogate", 0, 3, 0xDC00)]),
    ("cesu-8", "ED A0 80 ED 9F BF", [(0, 3)], [("unpaired-surrogate", 0, 3, 0xD800)]),
    (
        *("cesu-8", "ED A0 80 ED B0 41", [(0, 3), (3, 5)]),
        [("unpaired-surrogate", 0, 3, 0xD800), ("truncated", 3, 5, None)],
    ),
    (
        *("cesu-8", "ED A0 80 ED A0 80 ED B0 80", [(0, 3)]),
        [("unpaired-surrogate", 0, 3, 0xD800)],
    ),
    ("cesu-8", "ED A0 41", [(0, 2)], [("truncated", 0, 2, None)]),
    ("cesu-8", "ED A0", [(0, 2)], [("truncated", 0, 2, None)]),
    ("cesu-8", "F0 9F 92 A9", [(at, at + 1) for at in range(4)], [("four-byte", 0, 4, 0x1F4A9)]),
    ("cesu-8", "F0", [(0, 1)], [("four-byte", 0, 1, None)]),
    ("cesu-8", "F0 80 80 80", [(at, at + 1) for at in range(4)], [("four-byte", 0, 4, 0x0)]),
    ("cesu-8", "F7 BF BF BF", [(at, at + 1) for at in range(4)], [("four-byte", 0, 4, 0x1FFFFF)]),
    ("cesu-8", "C0 80", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x0)]),
    ("mutf-8", "C0 80", [], []),
    ("mutf-8", "ED A0 80", [], []),
    ("mutf-8", "ED A0 80 ED B0 80", [], []),
    ("mutf-8", "00", [(0, 1)], [("raw-nul", 0, 1, 0x0)]),
    ("mutf-8", "C0 81", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x1)]),
    ("mutf-8", "C1 BF", [(0, 1), (1, 2)], [("overlong", 0, 2, 0x7F)]),
    ("mutf-8", "E0 80 80", [(0, 1), (1, 2), (2, 3)], [("overlong", 0, 3, 0x0)]),
    ("mutf-8", "F4 90 80 80", [(at, at + 1) for at in range(4)], [("four-byte", 0, 4, 0x110000)]),
    ("xtf-8", "C0 AF FF 80 ED A0 80", [], []),
    ("xtf-8", "EE BE 80", [(0, 3)], [("escape-collision", 0, 3, 0xEF80)]),
    ("xtf-8", "EE BF BF", [(0, 3)], [("escape-collision", 0, 3, 0xEFFF)]),
    ("xtf-8", "EE BE 41", [], []),
    ("xtf-8", "EE BD BF", [], []),
    ("optu-8", "EE BE 80 C0 80 EF BF BE FF", [], []),
    ("corrected-utf-8", "C0 AF ED B2 AE EF B7 9D", [], []),
    ("corrected-utf-8", "80", [(0, 1)], [("unexpected-continuation", 0, 1, None)]),
    ("corrected-utf-8", "C3 41", [(0, 1)], [("truncated", 0, 1, None)]),
    ("corrected-utf-8", "FD BF BF BF BF", [(0, 5)], [("truncated", 0, 5, None)]),
    ("corrected-utf-8", "FE 80 FF BF 41", [(0, 4)], [("reserved", 0, 4, None)]),
    ("corrected-utf-8", "FF", [(0, 1)], [("reserved", 0, 1, None)]),
    ("corrected-utf-8", "FE C0 80", [(0, 1)], [("reserved", 0, 1, None)]),
    ("corrected-utf-8-sig", "EF B7 9D ED B2 AE 00 0A FE 80", [(8, 10)], [("reserved", 8, 10, None)]),
    ("utf-16-le", "00 D8 00 DC", [], []),
    ("utf-16-le", "00 D8", [(0, 2)], [("truncated", 0, 2, None)]),
    ("utf-16-le", "00 D8 00", [(0, 3)], [("truncated", 0, 3, None)]),
    ("utf-16-le", "00 D8 41 00", [(0, 2)], [("unpaired-surrogate", 0, 2, 0xD800)]),
    ("utf-16-be", "D8 00 D8 00 DC 00", [(0, 2)], [("unpaired-surrogate", 0, 2, 0xD800)]),
    ("utf-16-be", "DC 00", [(0, 2)], [("unpaired-surrogate", 0, 2, 0xDC00)]),
    ("utf-16-be", "00 41 D8", [(2, 3)], [("odd-length", 2, 3, None)]),
    ("utf-16", "FE FF DC 00", [(2, 4)], [("unpaired-surrogate", 2, 4, 0xDC00)]),
    ("wtf-16-le", "00 D8", [], []),
    ("wtf-16-le", "00 D8 00", [(2, 3)], [("odd-length", 2, 3, None)]),
    ("wtf-16", "FE FF DC 00 41", [(4, 5)], [("odd-length", 4, 5, None)]),
    ("utf-32-be", "00 00 D8 00", [(0, 4)], [("surrogate", 0, 4, 0xD800)]),
    ("utf-32-be", "00 11 00 00", [(0, 4)], [("beyond-unicode", 0, 4, 0x110000)]),
    ("utf-32-le", "FF FF FF FF", [(0, 4)], [("beyond-unicode", 0, 4, 0xFFFFFFFF)]),
    ("utf-32-le", "41 00 00 00 41 00 00", [(4, 7)], [("odd-length", 4, 7, None)]),
]
every_view = pytest.mark.parametrize(("form", "given", "units", "told"), VIEWS, ids=[f"{v[0]}: {v[1]}" for v in VIEWS])


def units_at_fault(data: bytes, form: str) -> list[tuple[int, int]]:
    """Return the spans that a foreign error handler is called with."""
    spans: list[tuple[int, int]] = []

    def note(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, DecodeError)
        spans.append((error.start, error.end))
        return "", error.end

    codecs.register_error("eightfold-test-note", note)
    eightfold.decode(data, form, "eightfold-test-note")
    return spans


@every_view
def test_the_diagnosis(form: str, given: str, units: list[tuple[int, int]], told: list[Told]) -> None:
    data = bytes.fromhex(given)
    assert [(f.kind, f.start, f.end, f.code_point) for f in eightfold.faults(data, form)] == told
    assert eightfold.is_well_formed(data, form) == (not told)


@every_view
def test_the_decoding_units(form: str, given: str, units: list[tuple[int, int]], told: list[Told]) -> None:
    data = bytes.fromhex(given)
    mark = 3 if form == "utf-8-sig" else 0  # whose exceptions do not count it, as CPython's
    assert units_at_fault(data, form) == [(start - mark, end - mark) for start, end in units]


@every_view
def test_the_exception_is_the_first_unit_and_carries_the_fault_around_it(
    form: str, given: str, units: list[tuple[int, int]], told: list[Told]
) -> None:
    data = bytes.fromhex(given)
    if not told:
        eightfold.decode(data, form)
        return
    with pytest.raises(DecodeError) as raised:
        eightfold.decode(data, form)
    error, mark = raised.value, 3 if form == "utf-8-sig" else 0
    assert (error.start, error.end) == (units[0][0] - mark, units[0][1] - mark)
    assert (error.encoding, error.object) == (form, data[mark:])
    assert error.fault is not None
    assert (error.fault.kind, error.fault.start + mark, error.fault.end + mark, error.fault.code_point) == told[0]


@pytest.mark.parametrize(
    ("form", "given", "says"),
    [
        ("utf-8", "F0 9F 92", "the end of the input"),
        ("utf-8", "E2 82 41", "another byte"),
        ("cesu-8", "ED A0", "the end of the input"),
        ("cesu-8", "ED A0 41", "another byte"),
        ("utf-16-le", "00 D8", "the end of the input"),
        ("utf-16-le", "00 D8 00", "the end of the input"),
    ],
)
def test_truncated_says_what_cut_the_sequence_short(form: str, given: str, says: str) -> None:
    (fault,) = eightfold.faults(bytes.fromhex(given), form)
    assert says in str(fault)


def test_what_is_reserved_is_never_called_invalid() -> None:
    (fault,) = eightfold.faults(b"\xfe\x80", "corrected-utf-8")
    assert "reserved for future use" in str(fault)
    assert "invalid" not in f"{fault} {fault.kind} {KINDS[fault.kind]}"


def test_a_long_run_keeps_its_first_bytes_and_its_exact_span() -> None:
    data = b"A" + b"\xfe\x80" * 1000 + b"B"
    (fault,) = eightfold.faults(data, "corrected-utf-8")
    assert (fault.start, fault.end, fault.units) == (1, 2001, data[1 : 1 + UNITS_KEPT])


def test_a_value_that_a_str_cannot_hold_is_one_unit() -> None:
    data = b"A\xf8\x88\x80\x80\x80"
    assert eightfold.is_well_formed(data, "utf-8-rfc2044")
    with pytest.raises(DecodeError) as raised:
        eightfold.decode(data, "utf-8-rfc2044")
    assert (raised.value.start, raised.value.end) == (1, 6)
    assert raised.value.fault == Fault("unrepresentable", "utf-8-rfc2044", 1, 6, data[1:], 0x200000)


@pytest.mark.parametrize(
    ("form", "text", "spans"),
    [
        ("utf-8", "a\ud800\udc00b", [(1, 3)]),
        ("utf-16-le", "a\ud800\udc00b", [(1, 2), (2, 3)]),
        ("utf-32-be", "a\ud800\udc00b", [(1, 2), (2, 3)]),
        ("corrected-utf-8", "a\x80\x9f\ud800b\x85", [(1, 4), (5, 6)]),
        ("cesu-8", "\ud800\udc00\ud800b", [(2, 3)]),
        ("optu-8", "\N{PILE OF POO}\ufffe", [(0, 2)]),
        ("wtf-8", "\ud800", []),
        ("mutf-8", "\ud800", []),
    ],
)
def test_faults_of_a_str_count_code_points(form: str, text: str, spans: list[tuple[int, int]]) -> None:
    faults = list(eightfold.encode_faults(text, form))
    assert [(fault.start, fault.end) for fault in faults] == spans
    for fault in faults:
        assert (fault.kind, fault.side, fault.form, fault.units) == ("unrepresentable", "text", form, b"")
        assert fault.code_point == ord(text[fault.start])


def test_a_fault_of_the_target_counts_bytes_of_the_source() -> None:
    with pytest.raises(ConversionError) as raised:
        eightfold.convert(b"ab\xed\xa0\x80", "wtf-8", "utf-8")
    error = raised.value
    assert (error.source, error.target, error.start, error.end) == ("wtf-8", "utf-8", 2, 5)
    assert error.fault == Fault("unrepresentable", "utf-8", 2, 5, b"", 0xD800, "target")


def test_a_fault_of_the_source_may_be_wider_than_the_unit() -> None:
    with pytest.raises(ConversionError) as raised:
        eightfold.convert(b"ab\xed\xa0\x80", "utf-8", "utf-16-le")
    assert (raised.value.start, raised.value.end) == (2, 3)
    assert raised.value.fault == Fault("surrogate", "utf-8", 2, 5, b"\xed\xa0\x80", 0xD800)


# --- values that travel -----------------------------------------------------------------------------------------------


@every_fault
def test_a_fault_pickles_copies_and_hashes(fault: Fault) -> None:
    twins = [copy.copy(fault), copy.deepcopy(fault)]
    twins += [pickle.loads(pickle.dumps(fault, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for twin in twins:
        assert twin == fault
        assert hash(twin) == hash(fault)
        assert str(twin) == str(fault)


@every_fault
def test_a_fault_is_ready_for_json(fault: Fault) -> None:
    told = json.loads(json.dumps(fault.as_dict(), allow_nan=False))
    assert list(told) == [*(field.name for field in fields(type(fault))), "sentence"]
    assert bytes.fromhex(told.pop("units")) == fault.units
    assert told.pop("sentence") == str(fault)
    assert told == {name: getattr(fault, name) for name in told}


def test_a_fault_cannot_be_changed() -> None:
    fault = Fault("invalid-byte", "utf-8", 4, 5, b"\xff")
    with pytest.raises(FrozenInstanceError):
        fault.start = 0
    assert fault.moved(10) == Fault("invalid-byte", "utf-8", 14, 15, b"\xff")
    assert fault.renamed("utf-8-sig") == Fault("invalid-byte", "utf-8-sig", 4, 5, b"\xff")


@pytest.mark.parametrize(
    "made",
    [
        Fault("invalid-byte", "utf-8", 4, 5, b"\xff"),
        eightfold.scrub_report(iter(()))[0][1],
        eightfold.explain(b"a", "utf-8")[0],
        eightfold.repair.plan(b"\xff"),
        eightfold.repair.plan(b"\xff").changes[0],
        eightfold.wtf8.Wtf8(b"a"),
    ],
    ids=lambda made: type(made).__name__,
)
@pytest.mark.parametrize("name", ["start", "form", "no_field"])
def test_what_is_immutable_has_no_attribute_set_or_deleted(made: object, name: str) -> None:
    kind = type(made).__name__
    with pytest.raises(FrozenInstanceError, match=f"^{kind} is immutable: '{name}' cannot be set$"):
        setattr(made, name, 0)
    with pytest.raises(FrozenInstanceError, match=f"^{kind} is immutable: '{name}' cannot be deleted$"):
        delattr(made, name)


def raised_by(verb: Callable[..., object], *arguments: object) -> UnicodeError:
    with pytest.raises(UnicodeError) as raised:
        verb(*arguments)
    return raised.value


ERRORS = {
    "decode": raised_by(eightfold.decode, b"a\xed\xa0\x80", "utf-8"),
    "encode": raised_by(eightfold.encode, "a\ud800", "utf-8"),
    "convert, source": raised_by(eightfold.convert, b"ab\xed\xa0\x80", "utf-8", "cesu-8"),
    "convert, target": raised_by(eightfold.convert, b"ab\xed\xa0\x80", "wtf-8", "utf-8"),
    "encode code points": raised_by(eightfold.encode_code_points, [0x41, 0x110000], "utf-8"),
    "without a fault": DecodeError("utf-8", b"\xff", 0, 1, "of another's making"),
}


def told_by(error: UnicodeError) -> tuple[Any, ...]:
    shown = ("encoding", "object", "start", "end", "reason", "source", "target", "fault")
    return type(error), str(error), *(getattr(error, name, None) for name in shown)


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_an_exception_pickles_and_copies(error: UnicodeError) -> None:
    twins = [copy.copy(error), copy.deepcopy(error)]
    twins += [pickle.loads(pickle.dumps(error, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for twin in twins:
        assert twin is not error
        assert told_by(twin) == told_by(error)


def test_the_exceptions_are_pythons_own() -> None:
    assert issubclass(DecodeError, UnicodeDecodeError)
    assert issubclass(EncodeError, UnicodeEncodeError)
    assert issubclass(ConversionError, UnicodeError)
    assert str(ERRORS["encode"]) == str(raised_by(str.encode, "a\ud800", "utf-8"))
    assert str(ERRORS["decode"]) == str(raised_by(bytes.decode, b"a\xed\xa0\x80", "utf-8"))


def test_notes_and_attributes_survive_pickling_and_copying() -> None:
    for error in (
        eightfold.DecodeError("utf-8", b"\xff", 0, 1, "reason"),
        eightfold.EncodeError("utf-8", "\ud800", 0, 1, "reason"),
        eightfold.ConversionError("utf-8", "wtf-8", 0, 1, eightfold.Fault("invalid-byte", "utf-8", 0, 1, b"\xff")),
    ):
        error.seen_in = "line 3"  # type: ignore[union-attr]
        for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
            assert twin.seen_in == "line 3"
            assert str(twin) == str(error)
            assert twin.fault == error.fault


class BytesOfTheirOwn(bytearray):
    found: Iterator[Fault]


class TextOfItsOwn(str):
    found: Iterator[Fault]


def test_what_keeps_an_iterator_over_its_own_faults_is_freed() -> None:
    data, text = BytesOfTheirOwn(b"\xff" * (1 << 19)), TextOfItsOwn("\ud800")
    data.found, text.found = eightfold.faults(data, "utf-8"), eightfold.encode_faults(text, "utf-8")
    assert next(data.found).start == next(text.found).start == 0
    left = (weakref.ref(data), weakref.ref(text))
    del data, text
    gc.collect()
    assert [each() for each in left] == [None, None]
