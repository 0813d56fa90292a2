"""Differences against a slow twin that has both texts at hand: every cut gives the same rows, hunks are in order."""

from __future__ import annotations

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.files.write import difference
from eightfold.files.write.difference import Difference, DiffLine
from support.peaks import peak

LINES = st.lists(st.sampled_from([b"a\n", b"caf\xe9\n", b"\xff", b"b", "漢\n".encode(), b"\n"]), max_size=40)


def rows_of(
    data: bytes, result: bytes, source: str = "utf-8", target: str = "utf-8", cut: int = 1000
) -> list[DiffLine]:
    difference = Difference(eightfold.form(source), eightfold.form(target))
    found: list[DiffLine] = []
    for start in range(0, max(len(data), len(result)), cut):
        found += difference.rows(data[start : start + cut], result[start : start + cut])
    return [*found, *difference.rows(b"", b"", final=True)]


def seen(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return re.sub(r"\\x([0-9a-f]{2})", lambda match: f"\\x{match[1].upper()}", text)


def sides(rows: list[DiffLine]) -> tuple[dict[int, str], dict[int, str]]:
    """Return what the hunks say of each numbered line, on both sides."""
    old: dict[int, str] = {}
    new: dict[int, str] = {}
    at = [0, 0]
    for sign, text, end in rows:
        if sign == "@":
            spans = re.fullmatch(r"@ -(\d+),(\d+) \+(\d+),(\d+) @@", text)
            assert spans is not None
            assert int(spans[1]) > max(old, default=0), "hunks are in order and do not overlap"
            at = [int(spans[1]), int(spans[3])]
            assert end == int(spans[1]) + int(spans[2]), "a hunk knows the line behind it"
        if sign in "- ":
            old[at[0]] = text
            at[0] += 1
        if sign in "+ ":
            new[at[1]] = text
            at[1] += 1
    return old, new


@given(LINES, st.integers(1, 7), st.integers(1, 4))
def test_what_differs_is_shown_with_what_is_around_it(parts: list[bytes], cut: int, hunk_lines: int) -> None:
    data = b"".join(parts)
    result = eightfold.convert(data, "utf-8", "utf-8", "replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(difference, "HUNK_LINES", hunk_lines)
        rows = rows_of(data, result)
        assert rows_of(data, result, cut=cut) == rows
    given_lines, result_lines = data.splitlines(), result.split(b"\n")
    given_lines = data.split(b"\n")
    differ = {
        number for number, pair in enumerate(zip(given_lines, result_lines, strict=True), 1) if len(set(pair)) > 1
    }
    count = len(given_lines) - (not given_lines[-1])
    context = {line for number in differ for line in range(number - 3, number + 4) if 1 <= line <= count}
    old, new = sides(rows)
    assert set(old) == set(new) == context
    assert old == {number: seen(given_lines[number - 1]) for number in context}
    assert new == {number: seen(result_lines[number - 1]) for number in context}


@given(LINES, st.integers(1, 5), st.sampled_from(["utf-16", "utf-16-be", "utf-32-le", "utf-8-sig", "wtf-8"]))
def test_lines_end_where_they_do_in_the_form(parts: list[bytes], cut: int, name: str) -> None:
    text = b"".join(parts).decode("utf-8", "replace") + "\u0a0a\n\u0a05"
    data = eightfold.encode(text, name)
    rows = rows_of(data, text.encode(), name, cut=cut)
    assert rows == rows_of(data, text.encode(), name)
    _, new = sides(rows)
    lines = text.split("\n")
    assert new == {number: lines[number - 1] for number in new}
    if name.startswith("utf-16"):  # Every line is other bytes, an empty one by its line feed.
        assert set(new) == set(range(1, len(lines) + 1))


def test_the_last_line_says_that_it_has_no_end() -> None:
    assert [sign + text for sign, text, _ in rows_of(b"a\n\xff", b"a\n?")] == [
        *("@@ -1,2 +1,2 @@", " a", "-\\xFF", "\\ No line feed at the end of the file"),
        *("+?", "\\ No line feed at the end of the file"),
    ]


def test_a_long_line_is_compared_to_its_end_and_shown_by_its_size() -> None:
    long = b"x" * (difference.LINE_BYTES + 1)
    assert rows_of(long, long) == []
    texts = [text for sign, text, _ in rows_of(long + b"a", long + b"b", cut=999) if sign in "-+"]
    assert texts == [f"({len(long) + 1} bytes, too long to show)"] * 2


@pytest.mark.parametrize("chunk", [b"\xff" * 10_000, b"\xff\n" * 100], ids=["one line", "many lines"])
def test_memory_does_not_grow(chunk: bytes) -> None:
    result = chunk.replace(b"\xff", b"?")

    def compare(count: int) -> None:
        difference = Difference(eightfold.form("utf-8"), eightfold.form("utf-8"))
        for _ in range(count):
            for _ in difference.rows(chunk, result):
                pass

    limit = peak(partial(compare, 50)) + 30_000
    assert peak(partial(compare, 300), limit=limit) < limit
