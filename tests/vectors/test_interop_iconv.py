"""The iconv of glibc against UTF-8, UTF-16 and UTF-32, asked through the C library while the tests run."""

import ctypes
import ctypes.util
import errno
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import permutations, product
from typing import NamedTuple

import pytest

from eightfold import convert, decode, faults, form
from support.byte_classes import neighbours, strings
from support.outcomes import Raised, outcome

pytestmark = pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="the C library is not glibc, whose iconv is compared with"
)

NAMES = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}
ROOM_PER_BYTE = 4
FAILED = ctypes.c_size_t(-1).value
UNITS = {
    16: (0x0, 0x41, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFEFF, 0xFFFE, 0xFFFF),
    32: (0x0, 0x41, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, 0x7FFFFFFF, 0xFFFFFFFF),
}


class Converted(NamedTuple):
    """What iconv wrote, how many bytes it read, and why it stopped there, 0 where it did not."""

    written: bytes
    read: int
    errno: int


class Iconv:
    """One conversion descriptor."""

    def __init__(self, source: str, target: str) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._library.iconv_open.restype = ctypes.c_void_p
        self._library.iconv.restype = ctypes.c_size_t
        self._descriptor = ctypes.c_void_p(self._library.iconv_open(NAMES[target].encode(), NAMES[source].encode()))
        assert self._descriptor.value != FAILED

    def convert(self, data: bytes) -> Converted:
        self._library.iconv(self._descriptor, None, None, None, None)  # back to the initial state
        room = ROOM_PER_BYTE * len(data) + ROOM_PER_BYTE
        buffer = ctypes.create_string_buffer(room)
        source, target = ctypes.c_char_p(data), ctypes.cast(buffer, ctypes.c_char_p)
        unread, free = ctypes.c_size_t(len(data)), ctypes.c_size_t(room)
        ctypes.set_errno(0)
        result = self._library.iconv(
            *(self._descriptor, ctypes.byref(source), ctypes.byref(unread), ctypes.byref(target), ctypes.byref(free))
        )
        stopped = ctypes.get_errno() if result == FAILED else 0
        return Converted(buffer.raw[: room - free.value], len(data) - unread.value, stopped)

    def close(self) -> None:
        self._library.iconv_close(self._descriptor)


@contextmanager
def iconv(source: str, target: str) -> Iterator[Iconv]:
    descriptor = Iconv(source, target)
    try:
        yield descriptor
    finally:
        descriptor.close()


def inputs(name: str) -> Iterator[bytes]:
    if name == "utf-8":
        yield from strings(form(name), 3)
        yield from neighbours(form(name))
        return
    asked = form(name)
    for count in range(4):
        for units in product(UNITS[asked.unit_bits], repeat=count):
            yield b"".join(unit.to_bytes(asked.unit_bytes, asked.byte_order) for unit in units)


def well_formed_part(data: bytes, source: str) -> bytes:
    first = outcome(decode, data, source, "strict")
    return data[: first.start] if isinstance(first, Raised) else data


# From UTF-8 to UTF-8 glibc lets F4 90 80 80 through: it is the other targets that refuse what is beyond U+10FFFF.
@pytest.mark.parametrize(("source", "target"), list(permutations(NAMES, 2)))
def test_value_and_place_of_the_first_error(source, target):
    with iconv(source, target) as descriptor:
        for data in inputs(source):
            converted, ours = descriptor.convert(data), well_formed_part(data, source)
            assert converted.read == len(ours), (data.hex(), converted)
            assert converted.written == convert(ours, source, target), data.hex()
            assert (converted.errno == 0) == (ours == data), (data.hex(), converted)


def test_glibc_waits_for_more_where_a_sequence_is_cut_short_by_the_end():
    count = 0
    with iconv("utf-8", "utf-32-le") as descriptor:
        for data in inputs("utf-8"):
            fault = next(faults(data, "utf-8"), None)
            # What is ill-formed whatever follows, glibc may still wait for when nothing does.
            if fault is not None and (fault.kind == "truncated" or fault.end < len(data)):
                count += 1
                waits = descriptor.convert(data).errno == errno.EINVAL
                assert waits == (fault.kind == "truncated" and fault.at_end), (data.hex(), fault)
    assert count > 3000


def test_scalar_values_between_all_forms():
    text = "".join(map(chr, (*range(0, 0xD800, 31), *range(0xD7F0, 0xD800), *range(0xE000, 0x110000, 61), 0x10FFFF)))
    for source, target in product(NAMES, NAMES):
        data = text.encode(source)
        with iconv(source, target) as descriptor:
            assert descriptor.convert(data) == (convert(data, source, target), len(data), 0)
