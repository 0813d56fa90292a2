"""Every code point, both ways, against the codecs of the Python at hand."""

from itertools import product

import pytest

from eightfold import decode, encode
from support.outcomes import outcome
from support.processes import EVERYTHING, in_processes

ONE_OF_EACH_WIDTH = ("utf-8", "utf-16-le", "utf-32-le")
OTHER_SCHEMES = ("utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-32-be")
# A signature and a byte order change how bytes become units, not which units are well-formed: a part shows it.
STRIDE = 1 if EVERYTHING else 17
SURROGATES = [chr(point) for point in range(0xD800, 0xE000)]


def scalar_values() -> str:
    return "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF)


def code_points() -> str:
    """Return all code points, trails before leads, so that no two of them make a pair."""
    scalars = scalar_values()
    return scalars[:0xD800] + "".join(reversed(SURROGATES)) + scalars[0xD800:]


def agree(codec: str, errors: str) -> bool:
    text = scalar_values() if errors == "strict" else code_points()
    if codec in OTHER_SCHEMES:
        text = text[::STRIDE]
    data = text.encode(codec, errors)
    return encode(text, codec, errors) == data and decode(data, codec, errors) == text


def test_all_code_points_both_ways():
    cases = list(product(ONE_OF_EACH_WIDTH + OTHER_SCHEMES, ("strict", "surrogatepass")))
    results = in_processes(agree, *zip(*cases, strict=True))
    assert dict(zip(cases, results, strict=True)) == dict.fromkeys(cases, True)


@pytest.mark.parametrize("errors", ["surrogateescape", "replace", "surrogatepass"])
def test_each_code_point_beside_a_surrogate_in_a_short_text(errors):
    """Blocks of short text are written with what stands for their surrogates: what is around these stays."""
    for point in (*range(0x1_0000), *range(0x1_0000, 0x11_0000, STRIDE * 64)):
        text = f"{chr(point)}seven b\udc80{chr(point)}more than a block"
        assert outcome(encode, text, "utf-8", errors) == outcome(str.encode, text, "utf-8", errors), hex(point)


@pytest.mark.parametrize("codec", ONE_OF_EACH_WIDTH + OTHER_SCHEMES)
def test_each_surrogate_alone_is_refused_alike(codec):
    for surrogate in SURROGATES:
        assert outcome(encode, surrogate, codec, "strict") == outcome(str.encode, surrogate, codec, "strict")
        data = surrogate.encode(codec, "surrogatepass")
        assert outcome(decode, data, codec, "strict") == outcome(bytes.decode, data, codec, "strict")


def test_they_are_all():
    assert len(code_points()) == len(set(code_points())) == 1_114_112
    assert len(scalar_values()) == 1_112_064
