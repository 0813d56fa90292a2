"""A form that a user builds from UTF-8's facts is UTF-8: in values, in places of error, under every policy."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import prod

import pytest

import eightfold
from eightfold import Fault, Form, Row, form
from support import outcomes
from support.byte_classes import strings

UTF_8 = form("utf-8")
POLICIES = (
    *("strict", "replace", "ignore", "backslashreplace", "xmlcharrefreplace", "namereplace"),
    *("surrogateescape", "surrogatepass"),
)


def copied(row: Row) -> Row:
    return Row(row.first, row.last, *row.unit_ranges)


def halves(row: Row) -> list[Row]:
    """Return two rows that say the same as one, cut in its first range, or the row itself where that is one value."""
    (low, high), *rest = row.unit_ranges
    if low == high:
        return [copied(row)]
    middle = (low + high) // 2
    cut = row.first + (middle - low + 1) * prod(last - first + 1 for first, last in rest)
    return [Row(row.first, cut - 1, (low, middle), *rest), Row(cut, row.last, (middle + 1, high), *rest)]


BUILT = Form("built", [copied(row) for row in UTF_8.rows], names=UTF_8.names)
CUT_UP = Form("built", [half for row in reversed(UTF_8.rows) for half in halves(row)], names=UTF_8.names[::-1])
built_forms = pytest.mark.parametrize("built", [BUILT, CUT_UP], ids=["the same rows", "other rows that say the same"])


def unnamed(error: Exception) -> object:
    """Return what was raised, less the words and the name of the form."""
    if isinstance(error, (eightfold.DecodeError, eightfold.EncodeError)):
        return type(error), error.start, error.end, error.fault and error.fault.renamed("utf-8")
    if isinstance(error, TypeError):
        return TypeError, str(error)
    raise error


outcome = partial(outcomes.outcome, shown=unnamed)


def diagnosis(data: bytes, built: Form) -> list[Fault]:
    return [fault.renamed("utf-8") for fault in eightfold.faults(data, built)]


def test_it_agrees_on_every_string_of_up_to_two_bytes() -> None:
    for length in range(3):
        for data in map(bytes, product(range(256), repeat=length)):
            assert outcome(eightfold.decode, data, BUILT) == outcome(eightfold.decode, data, UTF_8), data
            assert diagnosis(data, BUILT) == diagnosis(data, UTF_8), data


@built_forms
@pytest.mark.parametrize("policy", POLICIES)
def test_it_decodes_alike_under_every_policy(built: Form, policy: str) -> None:
    for data in strings(UTF_8, 3):
        assert outcome(eightfold.decode, data, built, policy) == outcome(eightfold.decode, data, UTF_8, policy), data


@built_forms
def test_it_has_the_same_faults(built: Form) -> None:
    for data in strings(UTF_8, 3):
        assert diagnosis(data, built) == diagnosis(data, UTF_8), data


def boundary_points() -> list[int]:
    rows = (*form("utf-8-rfc2044").rows, *form("utf-16-le").rows)
    edges = {edge for row in rows for edge in (row.first, row.last)} | {0xDBFF, 0xDC00, 0xDC80, 0xDCFF}
    points = {point for edge in edges for point in (edge - 1, edge, edge + 1)}
    return [point for point in sorted(points) if 0 <= point <= 0x10FFFF]


@built_forms
@pytest.mark.parametrize("policy", POLICIES)
def test_it_encodes_alike_under_every_policy(built: Form, policy: str) -> None:
    points = boundary_points()
    assert {0x0, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0x10FFFF} <= set(points)
    characters = [chr(point) for point in points]
    for text in ("", *characters, *map("".join, product(characters, repeat=2))):
        assert outcome(eightfold.encode, text, built, policy) == outcome(eightfold.encode, text, UTF_8, policy), text


def test_a_wrong_row_is_seen() -> None:
    rows = [row for row in UTF_8.rows if row.first != 0xD000]
    planted = Form("built", [*rows, Row(0xD000, 0xD7BF, 0xED, (0x80, 0x9E), (0x80, 0xBF))], names=UTF_8.names)
    differing = [
        data for data in map(bytes, product(range(256), repeat=2)) if diagnosis(data, planted) != diagnosis(data, UTF_8)
    ]
    assert differing == [b"\xed\x9f"]
