"""JSON text: the core finds escapes and places as the reference does, wherever the text is cut."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from eightfold import jsonescapes, jsonpath
from eightfold._engine import CORE, twins_of
from support.needed import needs_core

pytestmark = needs_core
ESCAPES = (
    *(rb"\ud83d", rb"\uDE00", rb"\uDbFf", rb"\u00e9", rb"\ud8", rb"\u"),
    *(b"\\", rb"\\", rb"\n", b"3", b"c", b"u", b'"'),
)
STRUCTURE = (b"{", b"}", b"[", b"]", b",", b":", b'"a"', rb'"\u00e9":', b'"', b"\\", rb"\n", b"\n")


def test_escapes_are_found_as_the_reference_finds_them() -> None:
    twin = twins_of(jsonescapes.__name__)["unpaired_escapes"]
    for count in range(5):
        for parts in product(ESCAPES, repeat=count):
            text = b"".join(parts)
            for final in (True, False):
                assert CORE.unpaired_escapes(text, final=final) == twin(text, final=final), (text, final)
            assert CORE.unpaired_escapes(text, 1, 1) == twin(text, 1, 1), text


def test_positions_are_those_of_the_reference() -> None:
    twin = twins_of(jsonpath.__name__)["JsonPosition"]
    chance = random.Random(1)
    for _ in range(20_000):
        text = b"".join(chance.choices(STRUCTURE, k=chance.randint(0, 12)))
        cuts = sorted(chance.choices(range(len(text) + 1), k=2))
        ours, theirs = CORE.JsonPosition(), twin()
        for start, end in pairwise([0, *cuts, len(text)]):
            ours.pass_over(text, start, end)
            theirs.pass_over(text, start, end)
            assert ours.way(text[end:]) == theirs.way(text[end:]), (text, start, end)
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
            assert ours.way(rest) == theirs.way(rest)
