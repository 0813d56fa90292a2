"""Lengths of results that are not built are those of the results, and so are the exceptions."""

from __future__ import annotations

import tracemalloc
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import code_point_count, convert, converted_length, decode_code_points, encode, encoded_length
from support.outcomes import everything
from support.soups import NAMES, SOUP

TEXT = st.text(st.sampled_from("a\0\x7f\x80é€\uffff😀\ud83d\ude00\udc80\uef80\ufeff"), max_size=60)
NAME = st.sampled_from(NAMES)
CHUNK = 1 << 16 if eightfold.ENGINE == "native" else 1 << 9
"""The most bytes that are measured at a time; the other engines are slow, and have no such pieces."""


def same(measure: Any, build: Any, *given: Any) -> None:
    """Compare a length, or the exception."""
    results = []
    for call in (measure, lambda *given: len(build(*given))):
        try:
            results.append(call(*given))
        except Exception as error:
            results.append(everything(error))
    assert results[0] == results[1]


@given(TEXT, NAME)
def test_encoded_length(text: str, name: str) -> None:
    same(encoded_length, encode, text, name)


@given(st.text(st.sampled_from("a\0\x7f"), max_size=300), NAME)
def test_encoded_length_of_ascii(text: str, name: str) -> None:
    same(encoded_length, encode, text, name)


@given(SOUP, NAME, NAME)
def test_converted_length(data: bytes, source: str, target: str) -> None:
    same(converted_length, convert, data, source, target)


@given(SOUP, NAME)
def test_code_point_count(data: bytes, name: str) -> None:
    same(code_point_count, decode_code_points, data, name)


@pytest.mark.parametrize("name", NAMES)
def test_long_texts(name: str) -> None:
    """Texts longer than the pieces that are measured at a time, with something in the middle that is written."""
    chance = Random(name)
    for letters in ("a", "aé", "€", "a€😀", "😀"):
        text = "".join(chance.choices(letters, k=CHUNK // 2 + 7))
        half = len(text) // 2
        for middle in ("", "\ud83d\ude00", "\ud83d", "\udc80\0"):
            mixed = text[:half] + middle + text[half:]
            same(encoded_length, encode, mixed, name)
            data = encode(mixed, "generalized-utf-8")
            same(converted_length, convert, data, "generalized-utf-8", name)
            same(code_point_count, decode_code_points, data, name)
        if eightfold.is_encodable(text, name):
            data = encode(text, name)
            for target in ("utf-8", "utf-16", "cesu-8", "mutf-8", "wtf-16-be", "corrected-utf-8"):
                same(converted_length, convert, data, name, target)
            assert code_point_count(data, name) == len(text)


def test_halves_of_a_pair_meet_at_every_place() -> None:
    for before in (*range(8), *range(CHUNK // 8 - 12, CHUNK // 8 + 4), *range(CHUNK - 6, CHUNK + 4)):
        data = b"a" * before + b"\xed\xa0\xbd\xed\xb8\x80" + "€".encode() * 5
        for source in ("generalized-utf-8", "cesu-8"):
            for target in ("wtf-8", "cesu-8", "wtf-16-le", "utf-8"):
                same(converted_length, convert, data, source, target)


def test_no_result_is_built() -> None:
    text = "naïve €" * (200_000 if eightfold.ENGINE == "native" else 2000)
    data = text.encode()
    for few in ("", "naïve €"):
        encoded_length(few, "utf-16-le")
        converted_length(few.encode(), "utf-8", "cesu-8")
        code_point_count(few.encode(), "utf-8")
    tracemalloc.start()
    try:
        encoded_length(text, "utf-16-le")
        if eightfold.ENGINE == "native":
            converted_length(data, "utf-8", "cesu-8")
            code_point_count(data, "utf-8")
        assert tracemalloc.get_traced_memory()[1] < len(data) * (1 if eightfold.ENGINE == "native" else 100)
    finally:
        tracemalloc.stop()


def test_what_is_wrong() -> None:
    for wrong in (lambda: encoded_length(b"a", "utf-8"), lambda: code_point_count("a", "utf-8")):  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(LookupError):
        converted_length(b"a", "utf-8", "utf-9")
    assert code_point_count(memoryview(b"a\xc3b\xa9")[::2], "utf-8") == 2
