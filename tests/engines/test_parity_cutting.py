"""Cutting, measuring and buffers on every engine: the same as by reading everything from the start.

The places between sequences are compared on all strings of one unit of each class that a form's tables tell apart, to
length 3, on its entries with one change, and on long strings of such units, in which the search that looks at the
neighbourhood only must stop in time and not too early. Forms as users may build them are drawn at random.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Callable, Iterator
from itertools import chain
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, Row, cutting, reference
from eightfold.forms import Signature, fault_row
from support.both_engines import outcome
from support.byte_classes import neighbours, representatives, strings
from support.engines import FAST, REFERENCE, VERBS, the_lane
from support.random_forms import random_form, random_input, random_points, signed, text_of

TABLES = [
    table
    for form in eightfold.forms()
    for table in (form, *(variant.form for variant in form.variants))
    if not form.signatures
]
SIGNED = [form for form in eightfold.forms() if form.signatures]
every_table = pytest.mark.parametrize("form", TABLES, ids=lambda form: form.name)
LONG = 60


def stops(form: Form, data: bytes) -> list[int]:
    """Return all offsets between sequences, read from the start."""
    plain, start = reference.opening(form, data) or (form, 0)
    found, at = [0, start], start
    while at < len(data):
        step = reference.sequence_at(plain, data, at)
        assert step is not None
        at = step.end
        found.append(at)
    return sorted(set(found))


def around(found: list[int], offset: int) -> tuple[int, int]:
    return max(at for at in found if at <= offset), min(at for at in found if at >= offset)


def near(data: bytes, offset: int, form: Form) -> tuple[int, int]:
    """Return what the search of the engine without a core finds."""
    find = VERBS["boundary"]
    with the_lane(is_open=True):
        return find(data, offset, form), find(data, offset, form, "right")


def both_sides(data: Any, offset: int, form: Form) -> tuple[int, int]:
    return eightfold.boundary(data, offset, form), eightfold.boundary(data, offset, form, "right")


def difference(form: Form, data: bytes) -> str:
    """Return how some boundary differs from the stops of a reader, or nothing."""
    found = stops(form, data)
    for offset in range(len(data) + 1):
        expected = around(found, offset)
        if both_sides(data, offset, form) != expected:
            return f"{form.name}, {data.hex(' ')}, {offset}: {both_sides(data, offset, form)}, not {expected}"
    return ""


def differences(form: Form, inputs: Iterator[bytes]) -> list[str]:
    return [found for data in inputs if (found := difference(form, data))][:3]


def long_strings(form: Form, chance: Random, count: int) -> Iterator[bytes]:
    """Yield strings of units of the form's classes; most from a few of them, so that long runs occur."""
    units = representatives(form)
    for _ in range(count):
        some = chance.sample(units, min(len(units), chance.choice((1, 2, 3, 8))))
        yield b"".join(chance.choice(some) for _ in range(LONG)) + b"\xdc" * chance.randrange(form.unit_bytes)


@every_table
def test_boundaries_of_short_strings(form: Form) -> None:
    length = 3 if len(representatives(form)) < 24 else 2
    assert differences(form, chain(strings(form, length), neighbours(form))) == []


@every_table
def test_boundaries_of_long_strings(form: Form) -> None:
    assert differences(form, long_strings(form, Random(form.name), 25)) == []


@every_table
def test_the_search_without_a_core_finds_the_same(form: Form) -> None:
    chance = Random(form.name)
    for data in long_strings(form, chance, 12):
        found, offset = stops(form, data), chance.randrange(len(data) + 1)
        assert near(data, offset, form) == around(found, offset)


@pytest.mark.parametrize("form", SIGNED, ids=lambda form: form.name)
def test_a_signature_is_one_piece(form: Form) -> None:
    for signature in form.signatures:
        for text in ("", "a€", "\ufeffa"):
            data = signature.mark + eightfold.encode(text, signature.form)
            assert differences(form, iter([data])) == []


@given(seed=st.integers(0, 2**64))
def test_boundaries_of_forms_of_users(seed: int) -> None:
    chance = Random(seed)
    form = random_form(chance)
    asked = signed(form, chance) if chance.random() < 0.1 else form
    inputs = [random_input(form, chance)[:200] for _ in range(4)] + list(long_strings(form, chance, 3))
    assert differences(asked, iter(inputs)) == []
    for data in inputs:
        offset = chance.randrange(len(data) + 1)
        assert near(data, offset, asked) == around(stops(asked, data), offset)


DOUBLE = Form("double", [Row(0, 0x7F, (0, 0x7F)), Row(0x80, 0x407F, (0x80, 0xFF), (0x80, 0xFF))])
RUNS = Form(
    "runs",
    [Row(0, 0x3F, (0, 0x3F)), Row(0x40, 0x43F, (0x40, 0x43), (0x80, 0xFF), 0, (0, 1))],
    units=[fault_row("reserved", (0x50, 0x51), (0x80, 0x8F), run=[(0x50, 0x51), (0, 3)])],
)


@pytest.mark.parametrize(
    ("form", "units"),
    [
        (DOUBLE, b"\x80"),
        (RUNS, b"\x50\x80\x00"),
        (RUNS, b"\x50\x80\x50\x51"),
        (eightfold.form("corrected-utf-8"), b"\xfe\x80"),
        (eightfold.form("corrected-utf-8"), b"\xff\x80\x80"),
        (eightfold.form("wtf-16-be"), b"\xd8\x3d\xde\x00"),
    ],
    ids=lambda given: getattr(given, "name", None) or given.hex(),
)
def test_forms_in_which_a_search_must_go_far_back(form: Form, units: bytes) -> None:
    for start in (b"", b"a" * form.unit_bytes, b"\x50" * form.unit_bytes):
        # Of a bytearray only a part is copied at first, which does not decide.
        data = start + units * (4000 // len(units)) + b"a\x80a"
        found = stops(form, data)
        for offset in (len(data) // 2, len(data) // 2 + 1, len(data) - 4, len(data) - 1, 3):
            assert both_sides(data, offset, form) == around(found, offset)
            assert both_sides(bytearray(data), offset, form) == around(found, offset)
        assert near(data, 400, form) == around(found, 400)


@every_table
def test_what_exports_bytes_is_read_in_parts(form: Form) -> None:
    chance = Random(form.name)
    unit = representatives(form)
    for data in [
        b"".join(chance.choices(unit, k=3000)) + b"\xdc" * chance.randrange(form.unit_bytes) for _ in range(2)
    ]:
        found = stops(form, data)
        for offset in [0, len(data), *chance.sample(range(len(data)), 12)]:
            for exported in (bytearray(data), memoryview(data), memoryview(data * 2)[: len(data)]):
                assert both_sides(exported, offset, form) == around(found, offset)


@pytest.mark.skipif(eightfold.ENGINE == "reference", reason="the reference reads everything")
def test_a_mapped_file_is_not_read_whole() -> None:
    with mmap.mmap(-1, 1 << 26) as memory:
        memory[1 << 25 : (1 << 25) + 3] = "€".encode()
        assert both_sides(memory, (1 << 25) + 1, eightfold.form("utf-8")) == (1 << 25, (1 << 25) + 3)


# --- the other verbs --------------------------------------------------------------------------------------------------


def encode_into(text: str, form: Form, size: int, start: int, *, engine: Any) -> Any:
    buffer = bytearray(b"\xaa" * size)
    return engine("encode_into")(text, form, buffer, start), buffer


def decode_into(data: bytes, form: Form, count: int, *, engine: Any) -> Any:
    buffer = array("I", b"\xaa\xaa\xaa\xaa" * count)
    return engine("decode_code_points_into")(data, form, buffer), buffer


def native(name: str) -> Any:
    return getattr(eightfold, name, getattr(cutting, name, None))


def calls_on_bytes(form: Form, other: Form, data: bytes, chance: Random) -> Iterator[tuple[Callable[..., Any], ...]]:
    limit = chance.randrange(len(data) + 3)
    for name, asked in (
        ("truncate_bytes", (data, limit, form)),
        ("boundary", (data, limit, form)),
        ("boundary", (data, limit, form, "right")),
        ("code_point_count", (data, form)),
        ("converted_length", (data, form, other)),
    ):
        yield lambda engine, name=name, asked=asked: engine(name)(*asked)  # type: ignore[misc]
    count = chance.choice((0, 1, 2, 5, 40, 400))
    yield lambda engine: decode_into(data, form, count, engine=engine)  # type: ignore[misc]
    if not form.signatures:
        at = chance.randrange(len(data) // form.unit_bytes + 1) * form.unit_bytes
        least = chance.randrange(at // form.unit_bytes + 1) * form.unit_bytes
        yield lambda engine: engine("cut_before")(form, data, at, least)  # type: ignore[misc]


def calls_on_text(form: Form, text: str, chance: Random) -> Iterator[tuple[Callable[..., Any], ...]]:
    start = chance.randrange(len(text) + 2)
    for size in (chance.randrange(12), chance.randrange(4 * len(text) + 4)):
        yield lambda engine, size=size: engine("truncate")(text, size, form)  # type: ignore[misc]
        yield lambda engine, size=size: encode_into(text, form, size, start, engine=engine)  # type: ignore[misc]
    yield lambda engine: engine("encoded_length")(text, form)  # type: ignore[misc]


def compared(calls: Iterator[Any]) -> None:
    for call in calls:
        expected = outcome(call, REFERENCE.verbs.__getitem__)
        for engine in FAST:
            if engine.verbs:
                found = outcome(call, engine.verbs.__getitem__)
                assert found == expected, ascii((engine.name, found, expected))


@given(seed=st.integers(0, 2**64))
def test_verbs_on_forms_of_users(seed: int) -> None:
    chance = Random(seed)
    form, other = random_form(chance), random_form(chance)
    asked = signed(form, chance) if chance.random() < 0.1 else form
    other = eightfold.form("utf-8") if other.decode_only else other
    for _ in range(3):
        compared(calls_on_bytes(asked, other, random_input(form, chance)[:300], chance))
    for _ in range(0 if form.decode_only else 3):
        compared(calls_on_text(asked, text_of(random_points(form, chance)), chance))


HALVES = Form(
    "halves",
    [*eightfold.form("utf-16-be").rows, Row(0xD800, 0xDFFF, (0xD800, 0xDFFF))],
    unit_bits=16,
    byte_order="big",
    longest_match=True,
)
"""Halves of a pair are written one by one, and read back as one code point."""
TEXTS = ("", "a", "naïve €😀", "a" * 300 + "é", "€" * 40, "a\ud83d\ude00b", "\udc80\ud83dx\ud83d", "\0\x80\uef80\uffff")


@pytest.mark.parametrize("form", [*eightfold.forms(), HALVES], ids=lambda form: form.name)
def test_verbs_on_the_family(form: Form) -> None:
    chance = Random(form.name)
    for text in TEXTS:
        for _ in range(4 if len(text) > 9 else 12):
            compared(calls_on_text(form, text, chance))
        data = eightfold.encode(text, "generalized-utf-8")
        for each in (data, data.replace(b"\xa9", b"\xff"), eightfold.encode(text, form, "replace")):
            compared(calls_on_bytes(form, chance.choice(eightfold.forms()), each, chance))


@pytest.mark.parametrize("form", eightfold.forms(), ids=lambda form: form.name)
def test_truncating_text_at_every_limit(form: Form) -> None:
    """The beginnings that can be encoded, longest first, are the definition."""
    for text in (
        "aé€😀b\ud83d\ude00c" if eightfold.is_encodable("\ud83d\ude00", form) else "aé€￠b",
        "x" * 40 + "é" * 40,
    ):
        if not eightfold.is_encodable(text, form):
            continue
        whole = eightfold.encode(text, form)
        for limit in range(len(whole) + 2):
            fitting = (text[:end] for end in range(len(text), -1, -1) if not splits(form, text, end))
            expected = next((part for part in fitting if len(eightfold.encode(part, form)) <= limit), "")
            assert eightfold.truncate(text, limit, form) == expected, limit


def splits(form: Form, text: str, end: int) -> bool:
    """Return whether an index is between halves that are read back as one code point, or written as one."""
    if not (0 < end < len(text) and text[end - 1] in "\ud83d" and text[end] in "\ude00"):
        return False
    return len(eightfold.decode(eightfold.encode(text[end - 1 : end + 1], form), form)) == 1


def test_nothing_is_cut_in_a_run_that_has_a_name() -> None:
    form = Form("named", [Row(0x00, 0x20, (0x00, 0x20))], names=[fault_row("overlong", 0xFF, run=((0, 0),))])
    for data, near, cut in ((b"\xff\0\0\0", 3, 0), (b"\xff\0\1\0", 3, 2)):
        assert cutting.cut_before(form, data, near, 0) == cutting.TWINS["cut_before"](form, data, near, 0) == cut


# --- planted faults ---------------------------------------------------------------------------------------------------


def test_a_search_that_ends_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_reach", lambda form: form.unit_bytes)
    data = "€€".encode()
    assert near(data, 5, eightfold.form("utf-8")) != around(stops(eightfold.form("utf-8"), data), 5)


def test_a_form_with_two_signatures_is_opened_once() -> None:
    utf_8 = eightfold.form("utf-8")
    two = Form("two", utf_8.rows, signatures=[Signature(b"\xef\xbb\xbf", utf_8), Signature(b"ab", utf_8)])
    assert differences(two, iter([b"\xef\xbb\xbfab", b"ab\xef\xbb\xbf", b"a"])) == []
