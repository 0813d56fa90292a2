"""`explain` from an offset on gives the rows that stepping through from the beginning gives, and steps through few."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eightfold import Explained, Form, Row, explain, form, forms, reference
from eightfold.explain import iter_explained, landing
from eightfold.explain.landing import border_before
from support.command_line import run
from support.peaks import peak

NAMES = [each.name for each in forms()]
PIECES = [
    *(b"a", b"\x00", b"\n", b"\x80", b"\xbf", b"\xc0\x80", b"\xc0\xaf", b"\xc3\xa9", b"\xc3", b"\xe2\x82"),
    *(b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xed\xa0", b"\xef\xbe\x80", b"\xee\xbe\x80", b"\xf0\x9f\x98\x80"),
    *(b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xfe", b"\xff", b"\xfe\x80\x80"),
    *(b"\x3d\xd8\x00\xde", b"\xd8\x3d", b"\xff\xfe", b"\xef\xbb\xbf"),
]
STRETCHES = [b"\x80" * 300, b"\x80" * 200 + b"\xfe", b"a", b"\xfe\x80", b"\xe2", b"\xe2\x80" + b"\x80" * 150]
SHOWN = 3
PAIRS = Form("pairs", [Row(0x41, 0x41, (0x41, 0x41), (0x42, 0x42)), Row(0x42, 0x42, (0x42, 0x42), (0x41, 0x41))])
"""A form whose rows never meet in AB AB AB: from the other byte on it is BA BA."""


def from_start(rows: list[Explained], start: int) -> list[Explained]:
    """Return what is expected, by stepping through from the beginning."""
    return list(islice((row for row in rows if row.end > start), SHOWN))


def from_offset(data: bytes, asked: str | Form, start: int, chunk: int = 1 << 30) -> list[Explained]:
    chunks = (data[at : at + chunk] for at in range(0, len(data), chunk))
    return list(islice(iter_explained(chunks, asked, start), SHOWN))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Borders are looked for every hundred bytes, not every million."""
    monkeypatch.setattr(landing, "ENOUGH", 100)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("chunk", [1 << 30, 7])
def test_every_offset_of_odd_data(name: str, chunk: int) -> None:
    data = b"".join(random.Random(name).choice(PIECES) for _ in range(120))
    rows = explain(data, name)
    for start in range(0, len(data) + 2, 1 if chunk > len(data) else 5):
        assert from_offset(data, name, start, chunk) == from_start(rows, start), start


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("impatient")
def test_offsets_far_in_when_borders_are_looked_for_often(name: str) -> None:
    seeded = random.Random(name)
    for pieces in (
        PIECES,
        PIECES[3:5],
        PIECES[10:13],
        PIECES[-4:-1],
        [b"\x80"],
        [b"\xfe", *[b"\x80"] * 200],
        STRETCHES,
    ):
        data = b"".join(seeded.choice(pieces) for _ in range(100 if pieces is STRETCHES else 300))
        rows = explain(data, name)
        for start in sorted(seeded.sample(range(len(data) + 2), 4)):
            assert from_offset(data, name, start, 7) == from_start(rows, start), start


@given(st.lists(st.sampled_from(PIECES), max_size=200).map(b"".join), st.sampled_from(NAMES), st.integers(0, 600))
def test_any_data_at_any_offset(data: bytes, name: str, start: int) -> None:
    assert from_offset(data, name, start, 50) == from_start(explain(data, name), start)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", range(12))
def test_what_begins_with_a_signature_or_is_shorter_than_one(name: str, length: int) -> None:
    for mark in (signature.mark for each in forms() for signature in each.signatures):
        data = (mark + b"\x00a\x00b")[:length]
        rows = explain(data, name)
        for start in range(length + 2):
            assert from_offset(data, name, start, 1) == from_start(rows, start)


@pytest.mark.parametrize("chunk", [64, 4096, 1 << 30])
def test_sequences_without_a_fixed_length(chunk: int) -> None:
    data = b"ab" + b"\xfe" + b"\x80" * 300_000 + b"c\xfe" + b"\x80" * 200_000 + b"d"
    rows = explain(data, "corrected-utf-8")
    assert len(rows) == 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landing, "ENOUGH", 10_000)
        for start in (0, 2, 3, 50_000, 300_002, 300_003, 300_004, 300_005, 450_000, len(data) - 1, len(data)):
            assert from_offset(data, "corrected-utf-8", start, chunk) == from_start(rows, start), start
            assert from_offset(data[:-1], "corrected-utf-8", start, chunk) == from_start(
                explain(data[:-1], "corrected-utf-8"), start
            )


@pytest.mark.usefixtures("impatient")
def test_a_form_in_which_no_offset_tells_where_a_row_begins() -> None:
    data = b"AB" * 2000 + b"B" + b"AB" * 2000
    rows = explain(data, PAIRS)
    for start in (1, 500, 501, 3999, 4000, 4001, 4002, 6001, len(data) - 1, len(data)):
        assert from_offset(data, PAIRS, start, 64) == from_start(rows, start)


@pytest.mark.parametrize("name", NAMES)
def test_a_border_is_one_and_close(name: str) -> None:
    asked = form(name)
    plain = asked.signatures[0].form if asked.signatures else asked
    data = b"".join(random.Random(name).choice(PIECES) for _ in range(400))
    borders = {0, *(row.end for row in explain(data, plain))}
    for offset in range(0, len(data), 7):
        found = border_before(plain, data, offset)
        assert found in borders
        assert len([border for border in borders if found < border <= offset]) <= 2


# --- how much is stepped through --------------------------------------------------------------------------------------

LONG = 3_000_000
REPEATED = {
    "text": "Große Мир 漢字 😀\n".encode(),
    "pairs": b"\xed\xa0\xbd\xed\xb8\x80",
    "continuations": b"\x80",
    "faults": b"a\xff\xc3\xe2\x82b\xc0\xaf\xf8\x88\x80",
    "leads of UTF-16": b"\x3d\xd8",
    "a reserved run": b"\xfe" + b"\x80" * LONG,
}


@pytest.mark.parametrize("name", ["utf-8", "wtf-8", "cesu-8", "xtf-8", "corrected-utf-8", "utf-16", "utf-32-le"])
@pytest.mark.parametrize("content", REPEATED)
def test_few_sequences_are_stepped_through(name: str, content: str, monkeypatch: pytest.MonkeyPatch) -> None:
    repeated = REPEATED[content]
    data = (repeated * (LONG // len(repeated) + 1))[:LONG]
    steps = 0
    real = reference.sequence_at

    def counted(*given: Any, **named: Any) -> Any:
        nonlocal steps
        steps += 1
        return real(*given, **named)

    monkeypatch.setattr(reference, "sequence_at", counted)
    for chunk in (65536, 1 << 30):
        shown = from_offset(data, name, LONG - 9, chunk)
        assert shown[0].end > LONG - 9
        assert shown[0].offset <= LONG - 9
    assert steps < 10_000


def test_memory_does_not_grow_with_what_is_passed_over() -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(200):
            yield b"\xc3\xa9" * 50_000

    def passed() -> None:
        assert next(iter_explained(chunks(), "utf-8", 200 * 100_000 - 2)).offset == 200 * 100_000 - 2

    assert peak(passed, limit=8_000_000) < 8_000_000


@pytest.mark.parametrize("limit", ["1", "3"])
def test_the_command_finds_the_same_in_a_file_a_pipe_and_what_is_compressed(limit: str, tmp_path: Path) -> None:
    data = "né 漢😀\n".encode() * 100_000 + b"\xff\xc3\xa9"
    (tmp_path / "plain.txt").write_bytes(data)
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(data, 1))
    arguments = ("explain", "--offset", str(len(data) - 4), "--limit", limit)
    told = [
        run(*arguments, "plain.txt", cwd=tmp_path),
        run(*arguments, "packed.txt.gz", cwd=tmp_path),
        run(*arguments, input=data),
    ]
    assert {done.returncode for done in told} == {int(limit == "3")}
    assert len({done.stdout for done in told}) == 1
    assert told[0].stdout.decode().splitlines()[1].split()[:2] == [str(len(data) - 4), "0A"]
