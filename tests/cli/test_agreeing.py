"""Where two forms agree: a conversion leaves a clean file as it is that has nothing of what parts them."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given

import eightfold
from eightfold.cli.work.agreeing import examination_of, parting
from eightfold.cli.work.guessing import has_any
from eightfold.files.read.converting import Conversion, check_policy
from eightfold.files.walk.trees import Examination, can_examine
from eightfold.forms import form, forms
from eightfold.policy import POLICIES
from support.soups import SOUP

OF_BYTES = [each for each in forms() if can_examine(each)]
PAIRS = list(product(OF_BYTES, repeat=2))


def is_possible(conversion: Conversion) -> bool:
    try:
        check_policy(conversion)
    except (LookupError, ValueError):
        return False
    return True


@cache
def examination(conversion: Conversion) -> Examination | None:
    return examination_of(conversion, is_given=True, binary=True, unpack=True)


def left_alone(data: bytes, conversion: Conversion) -> bool:
    found = examination(conversion)
    if found is None or not eightfold.is_well_formed(data, conversion.source) or has_any(data, found.suspects):
        return False
    assert eightfold.convert(data, *conversion) == data
    return True


@given(SOUP)
def test_what_is_left_alone_would_be_its_own_result(data: bytes) -> None:
    for source, target in PAIRS:
        left_alone(data, Conversion(source, target, "strict"))


@pytest.mark.parametrize("errors", POLICIES)
def test_so_it_is_whatever_the_policy(errors: str) -> None:
    ends = [point for row in form("generalized-utf-8").rows for point in (row.first, row.last)]
    texts = [bytes([each]) * 2 for each in range(0x80)]
    for source, target in PAIRS:
        conversion = Conversion(source, target, errors)
        if is_possible(conversion):
            ways = (chr(point) * 2 for point in (*ends, 0xEF80, 0xEFFF))
            encoded = [eightfold.encode(text, source) for text in ways if eightfold.is_encodable(text, source)]
            count = sum(left_alone(data, conversion) for data in (*texts, *encoded))
            assert count >= 0x80 or examination(conversion) is None


@pytest.mark.parametrize(
    ("source", "target", "apart"),
    [
        ("utf-8", "utf-8", []),
        ("wtf-8", "utf-8", ["\ud800"]),
        ("wtf-8", "generalized-utf-8", ["\ud800"]),
        ("cesu-8", "utf-8", ["\U0001f600"]),
        ("utf-8", "cesu-8", ["\U0001f600"]),
    ],
)
def test_only_what_parts_two_forms_needs_more(source: str, target: str, apart: list[str]) -> None:
    series = parting(form(source), form(target))
    for text in ("plain", "\x7f\x80", "\u07ff\u0800", "\ud7ff\ue000\uffff", "\U0001f600", "\ud800"):
        if eightfold.is_encodable(text, source):
            data = eightfold.encode(text, source)
            assert (bool(series) and has_any(data, series)) == (text in apart)


@pytest.mark.parametrize(
    ("target", "errors"),
    [("mutf-8", "strict"), ("utf-16", "strict"), ("utf-8-sig", "strict"), ("latin-1", "strict"), ("xtf-8", "escape")],
)
def test_where_it_cannot_be_said_each_file_is_converted(target: str, errors: str) -> None:
    from eightfold.cli.options.arguments import end_named

    conversion = Conversion(form("utf-8"), end_named(target), errors)
    assert examination(conversion) is None
