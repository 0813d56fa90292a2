"""Cutting to a number of bytes, at an offset and into pieces: the laws, the arguments, and where no cut may fall."""

from __future__ import annotations

import array
import codecs
import os
import tempfile
import time
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, Row, Signature, boundary, decode, encode, split, truncate, truncate_bytes
from eightfold.graphemes import grapheme_end
from eightfold.policy import Errors
from eightfold.reference import is_cut
from support.soups import NAMES, SOUP

POLICIES = ("replace", "ignore", "backslashreplace", "surrogatepass", "strict")
FAMILY = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}\N{ZERO WIDTH JOINER}\N{GIRL}"
FLAG_SOUP = "\U0001f1e9\U0001f1f0ab \r\né\u0301\u200d\U0001f468\U0001f3fd\u0600\u0903\u0915\u094d한ᄒ\ufe0f\x01"


def strided(data: bytes) -> memoryview:
    return memoryview(bytes(byte for each in data for byte in (each, 0)))[::2]


# --- text -------------------------------------------------------------------------------------------------------------


def test_a_column_of_bytes() -> None:
    assert truncate("Ærøskøbing", 10, "utf-8") == "Ærøskøb"
    assert truncate("Ærøskøbing", 255, "utf-8") == "Ærøskøbing"
    assert truncate("日本語", 8, "utf-8") == "日本"
    assert truncate("日本語", 5, "utf-16-le") == "日本"
    assert truncate("", 0, "utf-8") == ""


def test_text_that_fits_is_the_same_object() -> None:
    for text in ("plain ascii", "naïve", "日本語", "😀"):
        assert truncate(text, 1000, "utf-8") is text


def test_a_str_subclass_gives_a_str() -> None:
    kind = type("Text", (str,), {"__getitem__": lambda self, key: "wrong", "__len__": lambda self: 1})
    for limit, expected in ((2, "ab"), (10, "abc")):
        assert truncate(kind("abc"), limit, "utf-8") == expected
        assert type(truncate(kind("abc"), limit, "utf-8")) is str
    assert truncate(kind("ab\u0301c"), 2, "utf-8", graphemes=True) == "a"
    assert truncate(kind("ab\u0301c"), 4, "utf-8", graphemes=True) == "ab\u0301"


def test_halves_of_a_pair_stay_together() -> None:
    text = "a\ud83d\ude00b"
    # Joined: four bytes in WTF-8, six in CESU-8.
    assert [truncate(text, limit, "wtf-8") for limit in (1, 4, 5, 6)] == ["a", "a", text[:3], text]
    assert [truncate(text, limit, "cesu-8") for limit in (4, 6, 7)] == ["a", "a", text[:3]]
    # Not joined, and read back as two.
    assert truncate(text, 4, "generalized-utf-8") == text[:2]
    assert decode(encode(text, "generalized-utf-8"), "generalized-utf-8") == text


def test_halves_that_would_be_read_back_as_one_stay_together() -> None:
    bare = eightfold.form("utf-16-le").rows
    surrogates = Row(0xD800, 0xDFFF, (0xD800, 0xDFFF))
    form = Form("halves", [*bare, surrogates], unit_bits=16, byte_order="little", longest_match=True)
    text = "a\ud83d\ude00b"
    assert decode(encode(text, form), form) == "a😀b"
    assert [truncate(text, limit, form) for limit in (2, 4, 6)] == ["a", "a", text[:3]]
    assert truncate("a\ud83db", 4, form) == "a\ud83d"


def test_a_signature_counts() -> None:
    assert [truncate("ab", limit, "utf-8-sig") for limit in (0, 2, 3, 4, 5)] == ["", "", "", "a", "ab"]
    assert truncate("\ud800", 2, "utf-8-sig") == ""  # No bytes are left for the text.
    assert [truncate("ab", limit, "utf-16") for limit in (1, 2, 3, 4, 6)] == ["", "", "", "a", "ab"]


def test_only_what_is_reached_must_be_encodable() -> None:
    assert truncate("ab\ud800", 2, "utf-8") == "ab"
    assert truncate("a€\ud800", 3, "utf-8") == "a"
    with pytest.raises(eightfold.EncodeError) as raised:
        truncate("ab\ud800\ud801c", 3, "utf-8")
    assert (raised.value.start, raised.value.end) == (2, 4)
    with pytest.raises(eightfold.EncodeError) as expected:
        encode("ab\ud800\ud801c", "utf-8")
    assert raised.value.args == expected.value.args


@pytest.mark.parametrize(
    "function", [lambda limit: truncate("a", limit, "utf-8"), lambda n: boundary(b"a", n, "utf-8")]
)
def test_numbers_of_the_wrong_kind(function: Any) -> None:
    with pytest.raises(ValueError, match="must be 0 or more, not -1"):
        function(-1)
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError):
            function(wrong)
    assert function(1 << 100) == function(1)
    assert function(True) == function(1)


def test_other_wrong_arguments() -> None:
    with pytest.raises(LookupError):
        truncate("a", 1, "utf-9")
    with pytest.raises(TypeError):
        truncate(b"a", 1, "utf-8")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        truncate_bytes("a", 1, "utf-8")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="side must be 'left' or 'right', not 'up'"):
        boundary(b"a", 0, "utf-8", "up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit must be 0 or more"):
        truncate_bytes(b"a", -1, "utf-8")
    with pytest.raises(ValueError, match="size must be 1 or more, not 0"):
        split(b"a", 0, "utf-8")


# --- graphemes --------------------------------------------------------------------------------------------------------


def test_graphemes_stay_whole() -> None:
    flags = "🇩🇰🇸🇪"
    assert truncate(flags, 12, "utf-8", graphemes=True) == "🇩🇰"
    assert truncate(flags, 12, "utf-8") == flags[:3]
    assert truncate(f"a{FAMILY}b", 18, "utf-8", graphemes=True) == "a"
    assert truncate(f"a{FAMILY}b", 19, "utf-8", graphemes=True) == f"a{FAMILY}"
    assert truncate("a\r\nb", 2, "utf-8", graphemes=True) == "a"
    assert truncate("한국어", 6, "utf-8", graphemes=True) == "한국"


def test_a_grapheme_that_does_not_fit_leaves_nothing() -> None:
    assert truncate(FAMILY, 17, "utf-8", graphemes=True) == ""
    assert truncate("e" + "\N{COMBINING ACUTE ACCENT}" * 1000, 255, "utf-8", graphemes=True) == ""


def test_only_what_can_fit_is_segmented() -> None:
    """A single grapheme of 20 million code points would take seconds."""
    assert truncate("ab" + "\N{COMBINING ACUTE ACCENT}" * 20_000_000, 255, "utf-8", graphemes=True) == "a"


@given(
    st.text(
        st.sampled_from("ab \r\né\u0301\u200d\U0001f468\U0001f469\U0001f1e9\ud83d\ude00한ᄒ\u0903क\u094d"), max_size=40
    )
)
def test_graphemes_are_those_of_the_whole_text(text: str) -> None:
    import regex  # type: ignore[import-untyped,unused-ignore]

    ends = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    data = encode(text, "generalized-utf-8")
    for limit in range(len(data) + 1):
        plain = len(truncate(text, limit, "generalized-utf-8"))
        kept = truncate(text, limit, "generalized-utf-8", graphemes=True)
        assert kept == text[: max(end for end in ends if end <= plain)]


@given(
    st.lists(
        st.tuples(st.sampled_from(FLAG_SOUP), st.integers(1, 7)).map(lambda each: each[0] * each[1]), max_size=12
    ).map("".join)
)
def test_runs_of_regional_indicators_end_as_the_library_says(text: str) -> None:
    import regex  # type: ignore[import-untyped,unused-ignore]

    ends = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    found = [grapheme_end(text, end) for end in range(len(text) + 1)]
    assert found == [max(each for each in ends if each <= end) for end in range(len(text) + 1)]


@pytest.mark.parametrize("after", ["", "é", "\u0301", "\u200d", "\U0001f1e6\u0301" * 1000])
def test_many_flags_take_linear_time(after: str) -> None:
    """A run of 400,000 regional indicators would take the library minutes."""
    text = "é" + "\U0001f1e9" * 400_000 + after + "é"
    begun = time.process_time()
    assert grapheme_end(text, 400_000) == 399_999
    assert grapheme_end(text, 399_999) == 399_999
    assert grapheme_end(text, len(text) - 1) == len(text) - 1
    assert time.process_time() - begun < 10


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from eightfold import graphemes

    graphemes._grapheme.cache_clear()
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(ModuleNotFoundError, match=r"^graphemes=True needs regex: pip install 'regex") as caught:
        truncate("naïve", 2, "utf-8", graphemes=True)
    assert caught.value.name == "regex"
    assert truncate("naïve", 2, "utf-8") == "na"


# --- bytes ------------------------------------------------------------------------------------------------------------


@given(SOUP, st.sampled_from(NAMES), st.integers(0, 200))
def test_truncated_bytes_decode_to_a_beginning(data: bytes, name: str, limit: int) -> None:
    part = truncate_bytes(data, limit, name)
    assert data.startswith(part)
    assert len(part) <= limit
    assert len(part) == boundary(data, limit, name)
    policy = "surrogateescape" if name in ("xtf-8",) else "ignore"
    assert decode(data, name, policy).startswith(decode(part, name, policy))


def test_truncated_bytes_of_a_fault_of_several_units() -> None:
    assert truncate_bytes(b"a\xe2\x82b", 2, "utf-8") == b"a"  # one unit of two bytes
    assert truncate_bytes(b"a\xc0\xafb", 2, "utf-8") == b"a\xc0"  # one fault, two units
    assert truncate_bytes(b"a\xed\xa0\x80", 3, "cesu-8") == b"a"
    assert truncate_bytes(b"a\xff\x80\x80b", 3, "corrected-utf-8") == b"a"


def test_bytes_that_fit_are_the_same_object() -> None:
    data = "naïve".encode()
    assert truncate_bytes(data, 6, "utf-8") is data
    assert truncate_bytes(data, 100, "utf-8") is data
    assert type(truncate_bytes(bytearray(data), 100, "utf-8")) is bytes


@pytest.mark.parametrize(
    "exporter",
    [bytes, bytearray, memoryview, lambda data: array.array("B", data), strided, type("Bytes", (bytes,), {})],
    ids=["bytes", "bytearray", "memoryview", "array", "strided", "subclass"],
)
def test_what_can_be_cut(exporter: Any) -> None:
    data = "a€b€c".encode()
    assert truncate_bytes(exporter(data), 3, "utf-8") == b"a"
    assert boundary(exporter(data), 3, "utf-8", "right") == 4
    assert [bytes(piece) for piece in split(exporter(data), 3, "utf-8")] == [
        b"a",
        "€".encode(),
        b"b",
        "€c".encode()[:3],
        b"c",
    ]
    for nothing in (exporter(b""), memoryview(array.array("I"))):
        assert truncate_bytes(nothing, 3, "utf-8") == b""
        assert boundary(nothing, 3, "utf-8") == 0
        assert list(split(nothing, 3, "utf-8")) == []
    wide = array.array("H", [0x61, 0xD83D, 0xDE00])
    assert boundary(wide, 4, "utf-16" if wide.tobytes()[0] else "utf-16-be") == 2


# --- pieces -----------------------------------------------------------------------------------------------------------


def text_of_pieces(pieces: list[memoryview], name: str, policy: Errors | str) -> Any:
    return "".join(decode(piece, name, policy) for piece in pieces)


def announced(data: bytes, name: str) -> str:
    """Return the form in which the pieces after the first are to be decoded."""
    form = eightfold.form(name)
    found = (mark.form.name for mark in form.signatures if data.startswith(mark.mark))
    return next(found, form.signatures[0].form.name if form.signatures else name)


def same_under(data: bytes, name: str, size: int, policy: str) -> None:
    pieces = list(split(data, size, name))
    assert b"".join(pieces) == data
    try:
        expected = decode(data, name, policy)
    except eightfold.DecodeError:
        with pytest.raises(eightfold.DecodeError):
            text_of_pieces(pieces[:1], name, policy) + text_of_pieces(pieces[1:], announced(data, name), policy)
        return
    rest = text_of_pieces(pieces[1:], announced(data, name), policy)
    assert text_of_pieces(pieces[:1], name, policy) + rest == expected


@given(SOUP, st.sampled_from(NAMES), st.integers(1, 40))
def test_pieces_decode_to_what_the_whole_does(data: bytes, name: str, size: int) -> None:
    form = eightfold.form(name)
    variants = [each.policy for plain in (form, *(mark.form for mark in form.signatures)) for each in plain.variants]
    for policy in {*POLICIES, *variants}:
        if policy not in form.refuses:
            same_under(data, name, size, policy)


@given(SOUP, st.sampled_from(NAMES), st.sampled_from((1, 40, 4000, 4096, 5000)))
def test_bytes_and_bytearrays_are_cut_alike(data: bytes, name: str, size: int) -> None:
    data *= 1 + (10_000 // (len(data) + 1) if eightfold.ENGINE == "native" else 0)
    assert [*map(bytes, split(data, size, name))] == [*map(bytes, split(bytearray(data), size, name))]


def test_no_boundary_is_inside_a_signature() -> None:
    data, places = b"\xef\xbb\xbfab", (0, 1, 2, 3, 4)
    assert [boundary(data, at, "utf-8-sig") for at in places] == [0, 0, 0, 3, 4]
    assert [boundary(data, at, "utf-8-sig", "right") for at in places] == [0, 3, 3, 3, 4]


def test_units_are_counted_from_the_end_of_a_signature() -> None:
    plain = eightfold.form("utf-16-be")
    form = Form("marked", plain.rows, unit_bits=16, byte_order="big", signatures=(Signature(b"\xff", plain),))
    data = b"\xff" + encode("ab€" * 3000, plain)
    for kind in (bytes, bytearray):
        assert {len(piece) % 2 for piece in split(kind(data), 100, form)} == {0, 1}
        assert max(len(piece) for piece in split(kind(data), 100, form)) <= 101


@pytest.mark.parametrize("name", NAMES)
def test_pieces_are_about_as_long_as_asked(name: str) -> None:
    count = 2000 if eightfold.ENGINE == "native" else 300
    text = "漢字 ab€ " * count if eightfold.is_encodable("漢", name) else "ab " * count
    data = encode(text, name)
    for size in (16, 1000, 5000):
        lengths = [len(piece) for piece in split(data, size, name)]
        mark = len(encode("", name))
        assert max(lengths) <= size + mark
        assert min(lengths[:-1], default=size) >= size - 8
        same_under(data, name, size, "strict")


def test_a_piece_is_not_cut_before_what_looks_like_a_signature() -> None:
    data = codecs.BOM_UTF8 + ("ab\ufeff" * 500).encode()
    pieces = list(split(data, 10, "utf-8-sig"))
    assert len(pieces) > 100
    assert "".join(decode(piece, "utf-8-sig") for piece in pieces) == "ab\ufeff" * 500


def test_a_signature_without_a_mark_is_no_place_that_is_not_cut() -> None:
    plain = eightfold.form("utf-8")
    form = eightfold.Form("unmarked", plain.rows, signatures=[eightfold.Signature(b"", plain)])
    assert [bytes(piece) for piece in split("naïve €".encode(), 4, form)] == ["naï".encode(), b"ve ", "€".encode()]


@given(SOUP, st.sampled_from([name for name in NAMES if not eightfold.form(name).signatures]), st.integers(1, 9))
def test_a_piece_that_is_too_long_ends_at_the_first_place(data: bytes, name: str, size: int) -> None:
    plain = eightfold.form(name)
    forms = [plain, *(variant.form for variant in plain.variants)]
    start = 0
    for piece in split(data, size, name):
        within = range(start + max(size, plain.unit_bytes) + 1, start + len(piece))
        assert not any(all(is_cut(each, data, at) for each in forms) for at in within if not at % plain.unit_bytes)
        start += len(piece)


def test_many_sequences_that_are_too_long_are_pieces_each() -> None:
    assert [bytes(piece) for piece in split("€abc".encode(), 1, "utf-8")] == ["€".encode(), b"a", b"b", b"c"]
    assert {len(piece) for piece in split("€".encode() * 5000, 2, "utf-8")} == {3}


def test_ill_formed_bytes_make_long_pieces() -> None:
    data = b"a" + b"\x80" * 20_000 + b"bc"
    assert [len(piece) for piece in split(data, 1000, "utf-8")] == [20_001, 2]


@pytest.mark.parametrize("name", ["wtf-8", "cesu-8", "mutf-8"])
def test_characters_that_begin_with_a_byte_that_elsewhere_continues_make_long_pieces(name: str) -> None:
    laughter = "하" * 1000  # U+D558, ED 95 98: a pair of surrogates has ED within.
    assert [len(piece) for piece in split(encode(laughter + "가" + laughter, name), 100, name)] == [3000, 3003]
    assert max(len(piece) for piece in split(laughter.encode(), 100, "utf-8")) == 99


def test_pieces_are_made_one_by_one() -> None:
    with tempfile.TemporaryFile() as file:
        import mmap

        os.truncate(file.fileno(), 1 << 30)
        with mmap.mmap(file.fileno(), 0) as memory:
            pieces = split(memory, 1 << 20, "utf-8")
            assert len(next(pieces)) == 1 << 20
            del pieces


def test_pieces_of_random_text_in_parallel() -> None:
    from concurrent.futures import ThreadPoolExecutor

    chance = Random(7)
    text = "".join(chance.choice("a\né€😀\0") for _ in range(60_000 if eightfold.ENGINE == "native" else 6000))
    for name in ("utf-8", "mutf-8", "utf-16-be", "utf-32-le"):
        data = encode(text, name)
        with ThreadPoolExecutor(2) as pool:
            assert "".join(pool.map(lambda piece: decode(piece, name), split(data, 999, name))) == text
