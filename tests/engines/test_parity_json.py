"""JSON text: the core finds escapes and places as the reference does, wherever the text is cut."""

from __future__ import annotations

import json
import random
from itertools import pairwise, product

import pytest

import eightfold
from eightfold import jsonescapes, jsonpath
from eightfold._engine import CORE, twins_of
from eightfold.files.read import escapes
from support.needed import needs_core

pytestmark = needs_core
ESCAPES = (
    *(rb"\ud83d", rb"\uDE00", rb"\uDbFf", rb"\u00e9", rb"\ud8", rb"\u"),
    *(b"\\", rb"\\", rb"\n", b"3", b"c", b"u", b'"'),
)
STRUCTURE = (b"{", b"}", b"[", b"]", b",", b":", b'"a"', rb'"\u00e9":', b'"', b"\\", rb"\n", b"\n")
KEYS = (
    *("a", "_9", "9a", "", "a b", "a-b", "class", "é", "a" * 64, "a" * 65, "a" * 121, "\ud800"),
    *('a"', "a\\", "$", " a"),
)


def test_escapes_are_found_as_the_reference_finds_them() -> None:
    twin = twins_of(jsonescapes.__name__)["unpaired_escapes"]
    for count in range(5):
        for parts in product(ESCAPES, repeat=count):
            text = b"".join(parts)
            for final in (True, False):
                assert CORE.unpaired_escapes(text, final=final) == twin(text, final=final), (text, final)
            assert CORE.unpaired_escapes(text, 1, 1) == twin(text, 1, 1), text


def test_a_lead_waits_for_whatever_may_become_its_trail() -> None:
    twin = twins_of(jsonescapes.__name__)["unpaired_escapes"]
    digits = "0123456789abcdefABCDEFg"
    for count in range(4):
        for begun in product(digits, repeat=count):
            text = rf"\ud83d\u{''.join(begun)}".encode()
            assert CORE.unpaired_escapes(text, final=False) == twin(text, final=False), text


def test_positions_are_those_of_the_reference() -> None:
    twin = twins_of(jsonpath.__name__)["JsonPosition"]
    chance = random.Random(1)
    for lines in [False, True] * 10_000:
        text = b"".join(chance.choices(STRUCTURE, k=chance.randint(0, 12)))
        cuts = sorted(chance.choices(range(len(text) + 1), k=2))
        ours, theirs = CORE.JsonPosition(lines=lines), twin(lines=lines)
        for start, end in pairwise([0, *cuts, len(text)]):
            ours.pass_over(text, start, end)
            theirs.pass_over(text, start, end)
            assert ours.path(text[end:]) == theirs.path(text[end:]), (text, start, end)
            assert (ours.in_string, ours.tokens) == (theirs.in_string, theirs.tokens), (text, start, end)


BOUNDS = {
    "deeper than is kept": b"[" * 2000 + b"]" * 990 + b"1,",
    "many steps": b'{"k": ' * 40,
    "in a key behind many steps": b'{"k": ' * 32 + b'{"',
    "a long key": b'{"' + b"k" * 3000 + b'": [',
    "the longest key": b'{"' + b"k" * 1022 + b'"',
    "a key cut in an escape": b'{"' + b"k" * 1021 + b"\\",
    "a key cut in a letter": b'{"' + "é".encode() * 512,
}


@pytest.mark.parametrize("text", BOUNDS.values(), ids=BOUNDS.keys())
def test_bounds_are_those_of_the_reference(text: bytes) -> None:
    twin = twins_of(jsonpath.__name__)["JsonPosition"]
    for cut in {0, 1, len(text) // 2, len(text) - 1}:
        ours, theirs = CORE.JsonPosition(), twin()
        for position in (ours, theirs):
            position.pass_over(text[:cut])
            position.pass_over(text[cut:])
        for rest in (b"", b'z": 1', b"z" * 5000):
            assert ours.path(rest) == theirs.path(rest)


@pytest.mark.parametrize("key", KEYS)
def test_a_step_is_shown_as_the_reference_shows_it(key: str) -> None:
    for written in (json.dumps(key), json.dumps(key, ensure_ascii=False), f'"{key}"'):
        text = b'{"before": [1, {' + written.encode("utf-8", "surrogatepass") + b": "
        ours, theirs = CORE.JsonPosition(), twins_of(jsonpath.__name__)["JsonPosition"]()
        for position in (ours, theirs):
            position.pass_over(text)
        assert ours.path(b"") == theirs.path(b"")
        if key.isidentifier() and len(key) <= 120:
            assert ours.path(b"") == f"$.before[1].{key}"


def test_the_paths_of_some_offsets_are_those_of_each() -> None:
    chance = random.Random(2)
    for lines in [False, True] * 1_000:
        text = b"".join(chance.choices(STRUCTURE, k=20))
        offsets = sorted(chance.choices(range(len(text) + 1), k=4))
        found = [
            position.paths(text, 0, offsets, lambda offset: text[offset:])
            for position in (CORE.JsonPosition(lines=lines), twins_of(jsonpath.__name__)["JsonPosition"](lines=lines))
        ]
        assert found[0] == found[1], (text, offsets)


@pytest.mark.parametrize("form", ["utf-8", "utf-16-le", "utf-32-be", "cesu-8"])
@pytest.mark.parametrize("start", [("utf-8", 0, 1, 1), ("utf-8-sig", 3, 1, 4), ("utf-16", 1000, 7, 12)])
def test_located_escapes_are_those_of_the_reference(form: str, start: escapes.Start) -> None:
    text = '["\\ud83d", é\n "\\uDE00\\ud83d"\n\n, "\\ud83d\\ude00 \\udbff"]'
    asked = eightfold.form(form)
    data = text.encode(form if form != "cesu-8" else "utf-8")
    found, _ = jsonescapes.unpaired_escapes(escapes.narrowed(asked, data))
    assert len(found) == 4
    for severity in ("warning", "error"):
        ours, theirs = (
            made(asked, data, severity, start)
            for made in (CORE.EscapesLocated, twins_of(escapes.__name__)["EscapesLocated"])
        )
        for batch in (found[:1], found[1:3], found[3:]):
            paths = [f"$[{at}]" for at, _, _ in batch]
            assert ours.of(batch, paths) == theirs.of(batch, paths)


def test_what_the_core_is_not_given_it_does_not_read() -> None:
    for at in (-1, 7, 8, 2**62):
        with pytest.raises((ValueError, OverflowError)):
            CORE.EscapesLocated(eightfold.form("utf-8"), rb'["\ud83d"]', "error", ("utf-8", 0, 1, 1)).of(
                [(3, 0xD83D, False), (at, 0xD83D, False)], ["$", "$"]
            )
