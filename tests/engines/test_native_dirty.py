"""Long text with faults throughout, which the core decodes in one pass, against CPython, with str of the same kind."""

from __future__ import annotations

import sys
from random import Random

import pytest

import eightfold
from eightfold import Form

FAULTS = (
    b"\xe9",
    b"\xff",
    b"\x80",
    b"\xc0\xaf",
    b"\xe2\x82",
    b"\xed\xa0\xbd",
    b"\xf0\x9f\x92",
    b"\xf4\x90\x80\x80",
    b"\xf8",
)
LETTERS = ("a", "é", "жук ", "中", "\ufffd", "😀", "a page of plain text, which is copied. ")


def drawn(random: Random, letters: tuple[str, ...], size: int) -> bytes:
    """Return text with a fault behind each few letters."""
    parts: list[bytes] = []
    while size > 0:
        parts += [random.choice(letters).encode() * random.randrange(6), random.choice(FAULTS)]
        size -= len(parts[-1]) + len(parts[-2])
    return b"".join(parts)


def text_of(seed: int) -> bytes:
    """Return dirty text of some letters, and perhaps other text behind it: clean, of other letters, or cut."""
    random = Random(seed)
    letters = tuple(random.sample(LETTERS, random.randrange(1, 4)))
    behind = [random.choice(LETTERS).encode() * random.randrange(20_000), drawn(random, LETTERS, 3000)]
    data = drawn(random, letters, random.choice((600, 5000, 9000, 70_000))) + b"".join(random.sample(behind, 2))
    return data[: len(data) - random.randrange(4)]


def check(found: str, expected: str) -> None:
    assert found == expected
    assert sys.getsizeof(found) == sys.getsizeof(expected)


@pytest.mark.parametrize("seed", range(60))
def test_dirty_text_is_what_it_is_to_cpython(seed: int) -> None:
    data = text_of(seed)
    for errors in ("replace", "ignore", "surrogateescape", "backslashreplace"):
        check(eightfold.decode(data, "utf-8", errors), data.decode("utf-8", errors))


@pytest.mark.parametrize("seed", range(60))
def test_dirty_text_of_xtf_8_is_its_escapes(seed: int) -> None:
    data = text_of(seed)
    expected = "".join(
        chr(ord(char) - 0xDC00 + 0xEF00) if "\udc80" <= char <= "\udcff" else char
        for char in data.decode("utf-8", "surrogateescape")
    )
    check(eightfold.decode(data, "xtf-8"), expected)
    assert eightfold.encode(expected, "xtf-8") == data


@pytest.mark.parametrize(
    ("errors", "answer"), [("ignore", ""), ("backslashreplace", r"\xee\xbe\x80"), ("replace", "\ufffd")]
)
def test_answers_next_to_escapes_are_as_narrow_as_they_may_be(errors: str, answer: str) -> None:
    """A form of one's own may have escapes and faults: its policies answer these."""
    xtf8 = eightfold.form("xtf-8")
    form = Form("mine", xtf8.rows, units=xtf8.units, longest_match=True)
    for ascii_before in (200, 9000):
        data = b"a" * ascii_before + b"\xee\xbe\x80" + b"a" * 300
        check(eightfold.decode(data, form, errors), "a" * ascii_before + answer + "a" * 300)
        check(
            eightfold.decode(data + b"\xff" * 16, form, errors), "a" * ascii_before + answer + "a" * 300 + "\uefff" * 16
        )
