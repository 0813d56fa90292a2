"""Encoding and decoding into memory of the caller: what fits, what is left alone, and what is refused."""

from __future__ import annotations

import ctypes
import gc
import mmap
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import decode_code_points, decode_code_points_into, encode, encode_into
from eightfold.buffers import TWINS
from support.soups import NAMES, SOUP

TEXT = st.text(st.sampled_from("a\0é€😀\ud83d\ude00\ufeff"), max_size=40)


@given(TEXT, st.sampled_from(NAMES), st.integers(12, 40))
def test_pieces_are_the_whole(text: str, name: str, size: int) -> None:
    if not eightfold.is_encodable(text, name):
        return
    parts, start = [], 0
    while True:
        buffer = bytearray(b"\xaa" * size)
        read, written = encode_into(text, name, buffer, start)
        assert buffer[written:] == b"\xaa" * (size - written)
        parts.append(bytes(buffer[:written]))
        start += read
        if start == len(text):
            break
        assert read > 0
    assert b"".join(parts) == encode(text, name)


@given(SOUP, st.sampled_from(NAMES), st.integers(1, 9))
def test_code_points_in_pieces_are_the_whole(data: bytes, name: str, count: int) -> None:
    form = eightfold.form(name)
    found, at, asked = array("I"), 0, form
    while at < len(data):
        buffer = array("I", b"\xaa" * 4 * count)
        try:
            read, written = decode_code_points_into(data[at:], asked, buffer)
        except eightfold.DecodeError:
            with pytest.raises(eightfold.DecodeError):
                decode_code_points(data, form)
            break
        assert buffer[written:] == array("I", b"\xaa" * 4 * (count - written))
        found, at = found + buffer[:written], at + read
        marks = [mark for mark in form.signatures if data.startswith(mark.mark)] or form.signatures
        asked = marks[0].form if marks else form
    else:
        assert found == decode_code_points(data, form)


def test_as_the_encoding_standard_has_it() -> None:
    buffer = bytearray(b"....")
    assert encode_into("😀a", "utf-8", buffer) == (1, 4)
    assert encode_into("a😀", "utf-8", buffer) == (1, 1)
    assert buffer == b"a\x9f\x98\x80"
    assert encode_into("€", "utf-8", bytearray(2)) == (0, 0)
    assert encode_into("", "utf-8", bytearray(2)) == (0, 0)
    assert encode_into("ab", "utf-8", bytearray()) == (0, 0)


def test_a_signature_is_written_with_the_first_sequence() -> None:
    buffer = bytearray(8)
    assert encode_into("ab", "utf-8-sig", buffer) == (2, 5)
    assert buffer == b"\xef\xbb\xbfab\0\0\0"
    assert encode_into("ab", "utf-8-sig", buffer, 1) == (1, 1)
    for room in (2, 3):
        assert encode_into("ab", "utf-8-sig", bytearray(room)) == (0, 0)
    assert encode_into("", "utf-8-sig", buffer) == (0, 3)
    assert encode_into("", "utf-8-sig", bytearray(2)) == (0, 0)
    points = array("I", bytes(8))
    assert decode_code_points_into(b"\xef\xbb\xbfabc", "utf-8-sig", points) == (5, 2)
    assert decode_code_points_into(b"\xef\xbb\xbf", "utf-8-sig", points) == (3, 0)
    assert decode_code_points_into(b"\xef\xbb\xbfa", "utf-8-sig", array("I")) == (0, 0)
    assert decode_code_points_into(b"\xfe\xff\0a", "utf-16", points) == (4, 1)


def test_pairs_stay_together() -> None:
    text = "a\ud83d\ude00"
    assert encode_into(text, "wtf-8", bytearray(4)) == (1, 1)
    assert encode_into(text, "wtf-8", bytearray(5)) == (3, 5)
    assert encode_into(text, "generalized-utf-8", bytearray(5)) == (2, 4)


def test_a_fault_is_raised_when_it_comes_first() -> None:
    buffer = bytearray(b"....")
    assert encode_into("ab\ud800c", "utf-8", buffer) == (2, 2)
    with pytest.raises(eightfold.EncodeError) as raised:
        encode_into("ab\ud800c", "utf-8", buffer, 2)
    assert (raised.value.start, raised.value.end, raised.value.object) == (2, 3, "ab\ud800c")
    assert buffer == b"ab.."
    points = array("I", bytes(16))
    assert decode_code_points_into(b"ab\xff", "utf-8", points) == (2, 2)
    with pytest.raises(eightfold.DecodeError) as refused:
        decode_code_points_into(b"\xe2\x82b", "utf-8", points)
    assert (refused.value.start, refused.value.end) == (0, 2)
    assert points == array("I", [0x61, 0x62, 0, 0])


@pytest.mark.parametrize("start", [-1, 4, 1 << 70])
def test_a_start_that_is_not_in_the_text(start: int) -> None:
    with pytest.raises(ValueError, match=f"start must be .*, not {start}$"):
        encode_into("abc", "utf-8", bytearray(4), start)
    assert encode_into("abc", "utf-8", bytearray(4), 3) == (0, 0)


FOREIGN = (ctypes.c_uint32 * 2)()
"""Items in a format that says the order of their bytes."""


def test_a_buffer_of_ctypes_is_cast_first() -> None:
    text, points = ctypes.create_string_buffer(4), (ctypes.c_uint32 * 2)()
    assert encode_into("a€", "utf-8", memoryview(text).cast("B")) == (2, 4)
    assert text.raw == "a€".encode()
    assert decode_code_points_into(text, "utf-8", memoryview(points).cast("B").cast("I")) == (4, 2)
    assert list(points) == [0x61, 0x20AC]


@pytest.mark.parametrize("wrong", [b"1234", "1234", memoryview(bytearray(8))[::2], None, memoryview(b"1234"), FOREIGN])
def test_what_cannot_be_written_to(wrong: Any) -> None:
    for call in (lambda: encode_into("a", "utf-8", wrong), lambda: decode_code_points_into(b"a", "utf-8", wrong)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("call", [encode_into, TWINS["encode_into"]])
def test_an_empty_buffer_may_have_no_gaps_either(call: Any) -> None:
    assert call("a", "utf-8", bytearray()) == call("a", "utf-8", memoryview(bytearray(4))[4:]) == (0, 0)
    with pytest.raises(TypeError, match="contiguous"):
        call("a", "utf-8", memoryview(bytearray())[::2])


def test_references_to_objects_are_not_written_over() -> None:
    numpy = pytest.importorskip("numpy", reason="no other array of objects says that its items are of this machine")
    objects = numpy.array([None, "one", ()], dtype=object)
    for call in (encode_into, TWINS["encode_into"]):
        with pytest.raises(TypeError, match="items in a native format"):
            call("abcdefg", "utf-8", objects)
    assert objects.tolist() == [None, "one", ()]


@pytest.mark.parametrize("wrong", [bytearray(8), array("H", bytes(8)), array("f", bytes(8)), array("Q", bytes(8))])
def test_items_that_hold_no_code_point(wrong: Any) -> None:
    with pytest.raises(TypeError, match="4-byte integers"):
        decode_code_points_into(b"a", "utf-8", wrong)


def test_what_can_be_written_to() -> None:
    wide = array("H", bytes(4))
    assert encode_into("abc", "utf-8", wide) == (3, 3)
    assert wide.tobytes() == b"abc\0"
    with mmap.mmap(-1, 4) as memory:
        assert encode_into("abc", "utf-8", memory) == (3, 3)
        assert memory[:] == b"abc\0"
    part = bytearray(b"......")
    assert encode_into("€€", "utf-8", memoryview(part)[1:5]) == (1, 3)
    assert part == b".\xe2\x82\xac.."
    signed = array("i", bytes(8))
    assert decode_code_points_into("a😀".encode(), "utf-8", signed) == (5, 2)
    assert list(signed) == [0x61, 0x1F600]
    assert (ctypes.c_uint32 * 2).from_buffer(signed)[1] == 0x1F600
    unaligned = bytearray(9)
    assert decode_code_points_into("a😀".encode(), "utf-8", memoryview(unaligned)[1:].cast("I")) == (5, 2)
    assert unaligned[1:] == signed.tobytes()
    column, single = memoryview(bytearray(8)).cast("I", (2, 1)), memoryview(bytearray(4)).cast("I", ())
    assert decode_code_points_into("a😀".encode(), "utf-8", column) == (5, 2)
    assert column.tobytes() == signed.tobytes()
    assert decode_code_points_into("a😀".encode(), "utf-8", single) == (1, 1)
    assert encode_into("ab", "utf-8", single) == (2, 2)
    assert single.tobytes() == b"ab\0\0"


def test_the_data_may_lie_in_the_buffer() -> None:
    memory = array("I", b"abcdefgh")
    assert decode_code_points_into(memory, "utf-8", memory) == (2, 2)
    assert list(memory) == [0x61, 0x62]
    memory = array("I", b"12345678" + b"abcdefgh")
    view = memoryview(memory)
    assert decode_code_points_into(view[2:], "utf-8", view) == (4, 4)
    assert list(memory) == list(b"abcd")


def test_values_beyond_unicode() -> None:
    points = array("I", bytes(8))
    assert decode_code_points_into(b"\xfd\xbf\xbf\xbf\xbf\xbfa", "utf-8-rfc2044", points) == (7, 2)
    assert points[0] == 0x7FFFFFFF


def test_a_buffer_is_let_go() -> None:
    """No export is left behind, neither by a success nor by a failure."""
    buffer, points = bytearray(4), array("I", bytes(8))
    encode_into("abc", "utf-8", buffer)
    with pytest.raises(eightfold.EncodeError):
        encode_into("\ud800", "utf-8", buffer)
    decode_code_points_into(b"a", "utf-8", points)
    with pytest.raises(eightfold.DecodeError):
        decode_code_points_into(b"\xff", "utf-8", points)
    gc.collect()
    buffer.append(1)
    points.append(1)


def test_long_texts() -> None:
    for letters in ("a", "é", "€", "😀", "aé€😀"):
        text = letters * ((200_000 if eightfold.ENGINE == "native" else 2000) // len(letters))
        buffer = bytearray(len(text.encode()) + 3)
        assert encode_into(text, "utf-8", buffer) == (len(text), len(text.encode()))
        assert buffer == text.encode() + b"\0\0\0"
        points = array("I", bytes(4 * len(text)))
        assert decode_code_points_into(text.encode(), "utf-8", points) == (len(text.encode()), len(text))
        assert points == array("I", map(ord, text))


MADE = 1 << 12 if eightfold.ENGINE == "native" else 1 << 9
"""How many code points are made before they are copied; the other engines are slow, and have no such pieces."""


@pytest.mark.parametrize("before", range(MADE - 3, MADE + 4))
@pytest.mark.parametrize("name", ["cesu-8", "wtf-8", "utf-16-le", "utf-32-be", "xtf-8"])
def test_sequences_around_the_end_of_a_piece(name: str, before: int) -> None:
    for letters in ("a", "\xe9", "\u20ac", "\U0001f600", "\U0001f600a"):
        text = (letters * before)[:before] + "\U0001f600\u20ac\xe9a"
        data = encode(text, name)
        points = array("I", bytes(4 * len(text)))
        assert decode_code_points_into(data, name, points) == (len(data), len(text))
        assert points == array("I", map(ord, text))
        short = array("I", bytes(4 * (before + 1)))
        assert decode_code_points_into(data, name, short) == (len(encode(text[: before + 1], name)), before + 1)
        assert short == points[: before + 1]


@pytest.mark.parametrize("before", range(MADE - 3, MADE + 2))
@pytest.mark.parametrize("name", ["cesu-8", "wtf-8", "utf-8", "utf-16", "generalized-utf-8"])
def test_text_around_the_end_of_a_piece(name: str, before: int) -> None:
    pair = "\U0001f600" if name.startswith("utf") else "\ud83d\ude00"
    for text in ("a" * before + pair + "b" * 10, "a" * before + pair, "a" * (before + 2)):
        data = encode(text, name)
        for room in (len(data) - 1, len(data), len(data) + 9):
            buffer = bytearray(room)
            count, size = encode_into(text, name, buffer)
            assert (count == len(text)) == (room >= len(data))
            assert bytes(buffer[:size]) == data[:size]
            assert not any(buffer[size:])
            assert data[size:] == encode(text[count:], name, "strict")[2 if name == "utf-16" else 0 :]


@pytest.mark.parametrize("before", range(MADE - 2, MADE + 3))
def test_a_fault_around_the_end_of_a_piece(before: int) -> None:
    points = array("I", b"\xaa" * 4 * (before + 2))
    assert decode_code_points_into(b"a" * before + b"\xffa", "utf-8", points) == (before, before)
    assert points == array("I", [*b"a" * before, 0xAAAAAAAA, 0xAAAAAAAA])


@pytest.mark.parametrize("name", ["utf-8", "mutf-8", "utf-8-sig", "utf-16-be"])
def test_ascii_around_the_ends_of_blocks(name: str) -> None:
    """ASCII is taken 64 bytes at a time, where the form has it and as far as there is room."""
    for before in (*range(60, 69), *range(126, 132), 200):
        text = "a" * before + "\xe9" + "b" * 130
        data = encode(text, name)
        for room in (0, 1, 63, 64, 65, before, before + 1, before + 65, len(text), len(text) + 3):
            points = array("I", b"\xaa" * 4 * room)
            read, count = decode_code_points_into(data, name, points)
            assert count == min(room, len(text))
            assert read == (len(encode(text[:count], name)) if count else 0)
            assert points == array("I", [*map(ord, text[:count]), *[0xAAAAAAAA] * (room - count)])


def test_a_fault_in_ascii() -> None:
    for before in (0, 1, 63, 64, 65, 127, 128, 129):
        points = array("I", b"\xaa" * 4 * 300)
        if before:
            assert decode_code_points_into(b"a" * before + b"\xff" + b"b" * 200, "utf-8", points) == (before, before)
        else:
            with pytest.raises(eightfold.DecodeError):
                decode_code_points_into(b"\xff" + b"b" * 200, "utf-8", points)
        assert points == array("I", [*b"a" * before, *[0xAAAAAAAA] * (300 - before)])


def test_forms_that_lack_a_character_of_ascii() -> None:
    """A NUL of two bytes, and rows in which ASCII means something else."""
    points = array("I", bytes(4 * 200))
    assert decode_code_points_into(b"a" * 64 + b"\xc0\x80" + b"b" * 64, "mutf-8", points) == (130, 129)
    assert points[63:66] == array("I", [0x61, 0, 0x62])
    assert decode_code_points_into(b"a" * 64 + b"\0" + b"b" * 64, "mutf-8", points) == (64, 64)
    shifted = eightfold.Form("shifted", [eightfold.Row(0x100, 0x17F, (0, 0x7F))])
    assert decode_code_points_into(b"a" * 130, shifted, points) == (130, 130)
    assert set(points[:130]) == {0x161}
