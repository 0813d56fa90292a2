"""The fast lane of the engine `python`: what it gives to the interpreter's codecs, and that this changes nothing.

Whole inputs are compared in `test_parity_loops`, where every engine is; here is what only the lane has: what is derived
from the rows, the windows in which a codec is given its input, and what the lane is for: that the reference is seldom
asked.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest

import eightfold
from eightfold import Form, Row, lane, reference
from eightfold.forms import forms
from eightfold.sharing import Parting, Sharing, shared_sequences, sharing_of
from support.both_engines import outcome
from support.engines import COMPARED, PYTHON, REFERENCE

TAIL = (0x80, 0xBF)
UTF_8 = eightfold.form("utf-8")
PLAIN = [form for form in forms() if not form.signatures]
OWN = (
    Form("its utf-8", UTF_8.rows),
    Form("third byte", [Row(0, 0x7F, (0, 0x7F)), Row(0x800, 0x80F, 0xE0, 0xA0, (0x80, 0x8F))]),
    Form("moved", [Row(0, 0x60, (0, 0x60)), Row(0x61, 0x6D, (0x6E, 0x7A)), Row(0x6E, 0x7A, (0x61, 0x6D))]),
    # ASCII, but that 1B and two letters are one code point.
    Form(
        "escapes",
        [Row(0, 0x7F, (0, 0x7F)), Row(0x1000, 0x12A3, 0x1B, (0x41, 0x5A), (0x41, 0x5A)), *UTF_8.rows[1:2]],
        longest_match=True,
    ),
    # The same ranges of bytes as UTF-8's, but for another number of values for each.
    Form(
        "shifted", [Row(0, 0x7F, (0, 0x7F)), Row(0x100, 0x87F, (0xC2, 0xDF), TAIL), Row(0x80, 0xFF, 0xE0, (0x80, 0xFF))]
    ),
    Form("letters", [Row(0x20, 0x7E, (0x20, 0x7E)), Row(0xE000, 0xF123, (0xE000, 0xF123))], unit_bits=16),
    Form(
        "big letters",
        [Row(0x20, 0x7E, (0x20, 0x7E)), Row(0x10001, 0x10FFFE, (0x10001, 0x10FFFE))],
        unit_bits=32,
        byte_order="big",
    ),
)
every_form = pytest.mark.parametrize("form", [*PLAIN, *OWN], ids=lambda form: form.name)
needs_lane = pytest.mark.skipif(not COMPARED, reason="the reference alone is asked for")


# --- what is derived --------------------------------------------------------------------------------------------------

FOUR_BYTE = [b"\xf0", b"\xf1", b"\xf2", b"\xf3", b"\xf4"]


def parting(form: Form) -> list[bytes]:
    sharing = sharing_of(form)
    assert sharing is not None
    assert sharing.parting is not None
    both = (*sharing.parting.below_80, *sharing.parting.others)
    return [each if isinstance(each, bytes) else each.pattern for each in both]


@pytest.mark.parametrize("name", ["utf-8", "wtf-8", "generalized-utf-8", "utf-8-rfc2044", "utf-16-be", "wtf-16-le"])
def test_all_that_a_codec_reads_is_shared_where_its_rows_are_the_forms(name: str) -> None:
    sharing = sharing_of(eightfold.form(name))
    assert sharing is not None
    assert (sharing.reads, sharing.writes, sharing.parting) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cesu-8", FOUR_BYTE),
        ("mutf-8", [b"\0", *FOUR_BYTE]),
        ("xtf-8", [rb"\xee[\xbe\xbf]"]),
        ("optu-8", [rb"\xee[\xbe\xbf]", rb"\xef[\xbf]", *FOUR_BYTE]),
        ("corrected-utf-8", [bytes([byte]) for byte in range(0xC2, 0xF5)]),
    ],
)
def test_the_bytes_at_which_a_form_parts_from_a_codec(name: str, expected: list[bytes]) -> None:
    assert parting(eightfold.form(name)) == expected


def test_forms_of_ones_own_share_what_their_rows_say() -> None:
    its_utf_8, third_byte, moved, escapes, shifted, letters, big_letters = map(sharing_of, OWN)
    assert its_utf_8 is not None
    assert its_utf_8.reads is None
    assert third_byte is not None
    assert parting(OWN[1])[-21:][:3] == [
        rb"\xe0[" + b"".join(rb"\x%02x" % each for each in range(0xA0, 0xC0)) + b"]",
        b"\xe1",
        b"\xe2",
    ]
    assert parting(OWN[2])[:3] == [b"a", b"b", b"c"]
    assert parting(OWN[3])[0] == b"\x1b"
    assert shared_sequences(OWN[4], UTF_8) == [((0, 0x7F),)]
    for partly in (moved, escapes, shifted, letters, big_letters):
        assert partly is not None
        assert partly.reads is not None


def test_a_form_that_shares_nothing_has_no_lane() -> None:
    assert sharing_of(Form("none", [Row(0x80, 0xFF, (0x00, 0x7F))])) is None
    assert sharing_of(Form("beyond", [Row(0x110000, 0x110001, (0x10, 0x11))], unit_bits=32)) is None


@every_form
def test_shared_sequences_are_read_alike_whatever_follows(form: Form) -> None:
    """The corners of each run of shared sequences, before each unit that could change how they are read."""
    codec = next(each for each in PLAIN if each.cpython_reasons and _is_like(each, form))
    units = {edge for entry in form.sequences for span in entry.unit_ranges for edge in span}
    for box in shared_sequences(form, codec):
        for corner in (0, 1):
            whole = b"".join(span[corner].to_bytes(form.unit_bytes, form.byte_order) for span in box)
            expected = eightfold.decode(whole, codec)
            for unit in units:
                data = whole + unit.to_bytes(form.unit_bytes, form.byte_order) * 2
                for final in (True, False):
                    step = reference.sequence_at(form, data, 0, final=final)
                    assert step == (len(whole), ord(expected)), data


def _is_like(codec: Form, form: Form) -> bool:
    return (codec.unit_bits, codec.byte_order) == (form.unit_bits, form.byte_order)


# --- the windows ------------------------------------------------------------------------------------------------------

LEAST, MOST = 16, 128
STRANGERS = (
    *(b"\xff", b"\x80", b"\xc0\x80", b"\xe2\x82", b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x9f\x98\x80"),
    *(b"\0", b"\x1bAB", b"\xee\xbe\x80", b"\xef\xbf\xbf", b"\xe0\xa0\x90", b"\xfe\x80\x80", b"\0\xd8\0", b"\xd8\0\0"),
)


def dirty(form: Form) -> Iterator[bytes]:
    """Yield long stretches of one script, as the form and as UTF-8 writes them, with strangers about each border."""
    draw = random.Random(form.name)
    for filler in ("a", "é", "漢", "😀", "\uf100"):
        for data in {REFERENCE.verbs["encode"](filler, form, "replace") or filler.encode(), filler.encode()}:
            for border in (LEAST, LEAST * (1 + lane._GROWTH), MOST):
                before = data * (border // len(data) - draw.randrange(3)) + b"a" * draw.randrange(3)
                after = data * draw.randrange(3, 40)
                yield (
                    before + draw.choice(STRANGERS) + after + draw.choice(STRANGERS) + data * 3 + draw.choice(STRANGERS)
                )


def difference(form: Form) -> str:
    """Return how the lane differs from the reference on long inputs, or nothing."""
    for data in dirty(form):
        for name, given in (
            ("decode", (data, form, "backslashreplace")),
            ("decode", (data, form, "surrogateescape")),
            ("decode", (data, form, "surrogatepass")),
            ("decode", (data, form)),
            ("faults", (data, form)),
            ("is_well_formed", (data, form)),
            ("convert", (data, form, "cesu-8", "backslashreplace")),
            ("convert", (data, "wtf-8", form, "backslashreplace")),
        ):
            found, expected = (outcome(engine.verbs[name], *given) for engine in (PYTHON, REFERENCE))
            if found != expected:
                return ascii((name, given[1:], found, expected))
        text = data.decode("utf-8", "surrogateescape")
        for policy in ("strict", "backslashreplace"):
            found, expected = (outcome(engine.verbs["encode"], text, form, policy) for engine in (PYTHON, REFERENCE))
            if bool(found != expected):
                return ascii(("encode", form, policy, found, expected))
    return ""


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the reference go over less until there is a border."""
    monkeypatch.setattr(lane, "_LEAST", LEAST)
    monkeypatch.setattr(lane, "_MOST", MOST)


@needs_lane
@pytest.mark.usefixtures("small_windows")
@every_form
def test_strangers_about_the_borders_of_windows(form: Form) -> None:
    assert difference(form) == ""


# --- planted faults ---------------------------------------------------------------------------------------------------


def _wider(sharing: Sharing) -> Sharing:
    """All that the codec reads and writes."""
    return sharing._replace(reads=None)


def _without_one(sharing: Sharing) -> Sharing:
    assert sharing.parting is not None
    return sharing._replace(parting=Parting(sharing.parting.below_80, sharing.parting.others[1:]))


def _writes_more(sharing: Sharing) -> Sharing:
    return sharing._replace(writes=re.compile("[\0-\U0010ffff]*+"))


def _reads_more(sharing: Sharing) -> Sharing:
    return sharing._replace(reads=re.compile(rb"(?:[\x00-\xff])*+", re.DOTALL))


@needs_lane
@pytest.mark.usefixtures("small_windows")
@pytest.mark.parametrize("plant", [_wider, _without_one, _writes_more, _reads_more])
@pytest.mark.parametrize("name", ["cesu-8", "optu-8"])
def test_what_is_derived_wrongly_is_found(name: str, plant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    form = eightfold.form(name)
    sharing = sharing_of(form)
    assert sharing is not None
    monkeypatch.setitem(form.derived, "sharing", plant(sharing))
    assert difference(form) != ""


# --- what the lane is for ---------------------------------------------------------------------------------------------


class Calls:
    """Counts the calls of a function, and how much it was given."""

    def __init__(self, function: Any) -> None:
        self._function = function
        self.count = self.given = 0

    def __call__(self, *given: Any, **named: Any) -> Any:
        self.count += 1
        self.given += max((len(each) for each in given if isinstance(each, (bytes, str, memoryview))), default=0)
        return self._function(*given, **named)


@needs_lane
@pytest.mark.parametrize(
    "name", ["utf-8", "wtf-8", "generalized-utf-8", "cesu-8", "mutf-8", "xtf-8", "optu-8", "utf-16-le"]
)
@pytest.mark.parametrize("filler", ["plain ", "façade ", "привет ", "漢字 "])
def test_the_reference_is_seldom_asked_about_clean_text(
    name: str, filler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = filler * 20_000
    data = PYTHON.verbs["encode"](text, name)
    calls = Calls(reference.sequence_at), Calls(reference.encoded)
    monkeypatch.setattr(reference, "sequence_at", calls[0])
    for module in (reference, eightfold.run):
        monkeypatch.setattr(module, "encoded", calls[1])
    assert PYTHON.verbs["decode"](data, name) == text
    assert PYTHON.verbs["is_well_formed"](data, name)
    assert PYTHON.verbs["encode"](text, name) == data
    assert PYTHON.verbs["convert"](data, name, "wtf-8") == text.encode()
    assert sum(each.count for each in calls) < 20


@needs_lane
@pytest.mark.parametrize("name", ["utf-8", "cesu-8", "xtf-8"])
def test_codecs_are_given_so_many_times_what_there_is_whatever_the_faults(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A codec that stops copies all it was given: whole inputs again and again would take time without end."""
    form = eightfold.form(name)
    sharing = sharing_of(form)
    assert sharing is not None
    for distance in (100, 1000, 10_000):
        data = ("é" * distance).encode() + b"\xff\xf0\x9f\x98\x80"
        data *= 1_000_000 // len(data)
        calls = Calls(sharing.decode)
        monkeypatch.setitem(form.derived, "sharing", sharing._replace(decode=calls))
        PYTHON.verbs["decode"](data, form, "replace")
        PYTHON.verbs["faults"](data, form)
        stops = data.count(b"\xff") * 8 * lane._LEAST
        assert calls.given < 2 * (3 * len(data) * lane._GROWTH + stops)
