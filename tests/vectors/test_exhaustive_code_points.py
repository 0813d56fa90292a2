"""Every code point, both ways, in the forms that Python does not have, against encoders written here on their own.

The encoders below share nothing with the package: UTF-8-shaped ones go through the Python at hand, the others through
shifts, masks and the offsets of the published table. What Python has is in `test_against_cpython_code_points`.
"""

from array import array
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256
from random import Random
from sys import byteorder

import pytest

from eightfold import (
    ConversionError,
    decode,
    decode_code_points,
    encode,
    encode_code_points,
)
from support.processes import in_processes
from support.vector_files import lines

UNIT_16 = f"utf-16-{byteorder[0]}e"
LEADS, TRAILS = range(0xD800, 0xDC00), range(0xDC00, 0xE000)
ESCAPES = range(0xEF80, 0xF000)


def every_scalar_value() -> str:
    return "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))


def every_surrogate() -> str:
    """Return the trails, then the leads, so that no two of them make a pair."""
    return "".join(map(chr, (*TRAILS, *LEADS)))


def generalized(text: str) -> bytes:
    """Return every code point of a str alone, three bytes for each surrogate, paired or not."""
    return text.encode("utf-8", "surrogatepass")


def sixteen_bit(text: str) -> str:
    """Return a str with one code point for each 16-bit code unit of a text."""
    return "".join(map(chr, array("H", text.encode(UNIT_16, "surrogatepass"))))


def joined(text: str) -> str:
    return text.encode(UNIT_16, "surrogatepass").decode(UNIT_16, "surrogatepass")


def cesu_8(text: str) -> bytes:
    return generalized(sixteen_bit(text))


def mutf_8(text: str) -> bytes:
    return cesu_8(text).replace(b"\0", b"\xc0\x80")


def wtf_8(text: str) -> bytes:
    return generalized(joined(text))


def xtf_8(text: str) -> bytes:
    return b"".join(bytes([ord(each) & 0xFF]) if ord(each) in ESCAPES else each.encode() for each in text)


def optu_8(text: str) -> bytes:
    return b"".join(bytes([ord(each) & 0xFF]) if ord(each) in ESCAPES else generalized(each) for each in text)


# Of text without pairs, these are the code units of UTF-16, whatever they are.
UNITS_LE, UNITS_BE = (partial(str.encode, encoding=f"utf-16-{order}", errors="surrogatepass") for order in ("le", "be"))

ENCODERS: dict[str, Callable[[str], bytes]] = {
    "generalized-utf-8": generalized,
    "wtf-8": wtf_8,
    "cesu-8": cesu_8,
    "mutf-8": mutf_8,
    "xtf-8": xtf_8,
    "optu-8": optu_8,
    "wtf-16-le": UNITS_LE,
    "wtf-16-be": UNITS_BE,
    "optu-16-le": UNITS_LE,
    "optu-16-be": UNITS_BE,
}


def without(text: str, missing: Iterable[int]) -> str:
    return text.translate(dict.fromkeys(missing))


def holdings() -> dict[str, str]:
    """Return for each form all code points that it holds, those apart that a str cannot hold alone."""
    scalars, surrogates = every_scalar_value(), every_surrogate()
    bmp = scalars[: 0x10000 - len(surrogates)]
    return {
        "generalized-utf-8": scalars + surrogates,
        "wtf-8": scalars + surrogates,
        "cesu-8": scalars,
        "mutf-8": scalars + surrogates,
        "xtf-8": without(scalars, ESCAPES),
        "optu-8": without(bmp, (*ESCAPES, 0xFFFE, 0xFFFF)) + surrogates,
        "wtf-16-le": scalars + surrogates,
        "wtf-16-be": scalars + surrogates,
        "optu-16-le": bmp + surrogates,
        "optu-16-be": bmp + surrogates,
    }


def both_ways(name: str) -> tuple[bool, bool]:
    text = holdings()[name]
    data = ENCODERS[name](text)
    return encode(text, name) == data, decode(data, name) == text


def test_all_code_points_both_ways():
    results = in_processes(both_ways, ENCODERS)
    assert dict(zip(ENCODERS, results, strict=True)) == dict.fromkeys(ENCODERS, (True, True))


@pytest.mark.parametrize(("name", "count"), [("cesu-8", 2048), ("xtf-8", 2048), ("optu-8", 0x100000 + 2)])
def test_what_is_not_held_is_refused_one_by_one(name, count):
    everything = every_scalar_value() + every_surrogate()
    missing = without(without(everything, map(ord, holdings()[name])), ESCAPES)
    assert len(missing) == count
    # One `?` for each code point shows that each is refused.
    assert encode(missing, name, "replace") == b"?" * count


@pytest.mark.parametrize("name", ["xtf-8", "optu-8"])
def test_the_escapes_are_the_bytes_80_to_ff(name):
    for byte, point in zip(range(0x80, 0x100), ESCAPES, strict=True):
        assert decode(bytes([byte]), name) == chr(point)
        assert encode(chr(point), name) == bytes([byte])


def test_every_surrogate_pair_is_joined():
    pairs = "".join(chr(lead) + chr(trail) for lead in LEADS for trail in TRAILS)
    assert encode(pairs, "wtf-8") == wtf_8(pairs)


@pytest.mark.parametrize("name", ["cesu-8", "mutf-8", "generalized-utf-8", "optu-8"])
def test_every_lead_and_every_trail_in_a_pair(name):
    pairs = [(lead, trail) for lead in LEADS for trail in (0xDC00, 0xDC7F, 0xDFFF)]
    pairs += [(lead, trail) for lead in (0xD800, 0xD87F, 0xDBFF) for trail in TRAILS]
    text = "".join(chr(lead) + chr(trail) for lead, trail in pairs)
    assert encode(text, name) == ENCODERS[name](text)


@pytest.mark.parametrize("line", [line for line in lines("exhaustive") if line["kind"] == "concat_digest"])
def test_digest_of_all_scalar_values(line):
    name = "cesu-8" if "CESU-8" in line["what"] else "utf-8"
    assert sha256(encode(every_scalar_value(), name)).hexdigest() == line["sha256"]


def rfc2044(point: int) -> bytes:
    """Return the six-byte original by shift and mask: RFC 2044 section 2."""
    if point < 0x80:
        return bytes([point])
    count = next(count for count in range(2, 7) if point < 1 << (5 * count + 1))
    continuation = [0x80 | point >> 6 * left & 0x3F for left in reversed(range(count - 1))]
    lead = (0xFF00 >> count & 0xFF) | point >> 6 * (count - 1)
    return bytes([lead, *continuation])


# First and last code point of each line of the table, with what is taken from a code point to leave its payload bits.
CORRECTED_TABLE = (
    *((0x0, 0x7F, 0), (0xA0, 0x89F, 160), (0x8A0, 0xD7FF, 2208), (0xE000, 0x1109F, 4256)),
    *((0x110A0, 0x21109F, 69792), (0x2110A0, 0x421109F, 2166944), (0x42110A0, 0x8421109F, 69275808)),
)
PAYLOAD_BITS = {1: 7, 2: 11, 3: 16, 4: 21, 5: 26, 6: 31}
SEQUENCE_LENGTHS = (1, 2, 3, 3, 4, 5, 6)


def corrected(point: int) -> bytes | None:
    """Return a code point by the offsets of the published table, None where it has no line."""
    for (first, last, offset), length in zip(CORRECTED_TABLE, SEQUENCE_LENGTHS, strict=True):
        if first <= point <= last:
            bits = point - offset
            assert bits >> PAYLOAD_BITS[length] == 0
            if length == 1:
                return bytes([bits])
            tail = [0x80 | bits >> 6 * left & 0x3F for left in reversed(range(length - 1))]
            return bytes([(0xFF00 >> length & 0xFF) | bits >> 6 * (length - 1), *tail])
    return None


def samples(last: int) -> list[int]:
    """Return all code points to U+10FFFF at the borders, and others of every magnitude above."""
    random = Random(2044)
    borders = [1 << bits for bits in range(33)]
    borders += [border for first, end, _ in CORRECTED_TABLE for border in (first, end)]
    near = {border + step for border in borders for step in range(-70, 71)}
    spread = {random.randrange(1 << bits) for bits in range(8, 33) for _ in range(2000)}
    return sorted(point for point in near | spread if 0 <= point <= last)


def rfc2044_or_none(point: int) -> bytes | None:
    return rfc2044(point) if point <= 0x7FFFFFFF else None


EIGHTH = 0x110000 // 8
FAR = {"utf-8-rfc2044": rfc2044_or_none, "corrected-utf-8": corrected}


def far_both_ways(name: str, start: int) -> tuple[bool, bool]:
    """Compare an eighth of the code points of a str."""
    points = [point for point in range(start, start + EIGHTH) if FAR[name](point) is not None]
    data = b"".join(FAR[name](point) or b"" for point in points)
    return encode_code_points(points, name) == data, list(decode_code_points(data, name)) == points


@pytest.mark.parametrize("name", FAR)
def test_all_code_points_of_a_str(name):
    starts = range(0, 0x110000, EIGHTH)
    assert in_processes(far_both_ways, [name] * 8, starts) == [(True, True)] * 8


@pytest.mark.parametrize("name", FAR)
def test_borders_and_random_points_of_the_whole_range(name):
    points = samples(0xFFFFFFFF)
    held = [point for point in points if FAR[name](point) is not None]
    refused = [point for point in points if FAR[name](point) is None]
    data = b"".join(FAR[name](point) or b"" for point in held)
    assert encode_code_points(held, name) == data
    assert decode_code_points(data, name) == array("I", held)
    assert len(held) > 40_000
    for point in refused:
        with pytest.raises(ConversionError):
            encode_code_points([point], name)
    assert len(refused) > 1000
