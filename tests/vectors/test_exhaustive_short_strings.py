"""All strings of one byte, of two, and of three from E0 00 00 to EF FF FF: verdicts and outputs of other programs.

The verdicts are compared string by string. Of the outputs there is one digest for each set.
"""

import base64
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import product

import pytest

from eightfold import decode, is_well_formed, xtf8
from support.outcomes import Raised, outcome
from support.processes import in_processes
from support.vector_files import Line, lines

NAME = "exhaustive"
SETS = {
    "A": (range(0x100),),
    "B": (range(0x100), range(0x100)),
    "C": (range(0xE0, 0xF0), range(0x100), range(0x100)),
}
SURROGATES = {chr(point).encode("utf-8", "surrogatepass") for point in range(0xD800, 0xE000)}
# Java reads a surrogate that is cut short as one error, the maximal subpart as two.
JAVA_TAKES_AS_ONE = {bytes([0xED, byte]) for byte in range(0xA0, 0xC0)}

VERDICTS: dict[str, Callable[[bytes], bool]] = {
    "utf-8 strict": lambda data: is_well_formed(data, "utf-8"),
    "generalized utf-8": lambda data: is_well_formed(data, "generalized-utf-8"),
    # Java takes unpaired surrogates, the definition does not.
    "cesu-8": lambda data: is_well_formed(data, "cesu-8") or data in SURROGATES,
    "mutf-8 (readUTF, lenient)": lambda data: not isinstance(outcome(decode, data, "mutf-8", "java"), Raised),
}


def _units(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _read_utf(data: bytes) -> bytes:
    value = outcome(decode, data, "mutf-8", "java")
    return b"" if isinstance(value, Raised) else _units(value)


def _java_utf8(data: bytes) -> bytes:
    return (
        "\N{REPLACEMENT CHARACTER}".encode() if data in JAVA_TAKES_AS_ONE else _utf8(decode(data, "utf-8", "replace"))
    )


OUTPUTS: dict[str, Callable[[bytes], bytes]] = {
    'java17 new String(bytes,"CESU-8"), UTF-16BE units': lambda data: _units(decode(data, "cesu-8", "replace")),
    "java17 new String(bytes,UTF-8) re-encoded UTF-8 (differs from maximal-subpart practice only for ED A0..BF)": (
        _java_utf8
    ),
    "java17 readUTF value as UTF-16BE units; empty when it throws": _read_utf,
    "UTF-8 decode with U+FFFD per maximal subpart, result re-encoded UTF-8: cpython311 replace = node20 TextDecoder": (
        lambda data: _utf8(decode(data, "utf-8", "replace"))
    ),
    "cpython311 surrogateescape, re-encoded with surrogatepass": (
        lambda data: _utf8(decode(data, "utf-8", "surrogateescape"))
    ),
    "MirBSD optu8to16 (HEAD, end-of-input flushed with n==0), UTF-16BE units": (
        lambda data: _units(decode(data, "optu-8"))
    ),
    "xtf8_encode replace of (string + 41), including the final 41": lambda data: xtf8.encode(data + b"A"),
    "xtf8_decode replace of (string + 41), including the final 41": lambda data: xtf8.decode(data + b"A"),
}


def strings(name: str) -> Iterator[bytes]:
    return map(bytes, product(*SETS[name]))


def of_kind(kind: str) -> list[Line]:
    return [line for line in lines(NAME) if line["kind"] == kind]


def bitmap_of(line: Line) -> bytes:
    """Return one bit for each string of the line's set, the most significant first: whether it is well-formed."""
    verdicts = [VERDICTS[line["encoding"]](data) for data in strings(line["set"])]
    return int("".join("01"[verdict] for verdict in verdicts), 2).to_bytes(len(verdicts) // 8, "big")


def test_verdict_of_every_string():
    bitmaps = of_kind("verdict_bitmap")
    for line, ours in zip(bitmaps, in_processes(bitmap_of, bitmaps), strict=True):
        label = f"{line['encoding']}, set {line['set']}"
        theirs = zlib.decompress(base64.b64decode(line["b64_zlib"]))
        assert (8 * len(ours), int.from_bytes(ours, "big").bit_count()) == (line["n"], line["accepted"]), label
        assert sha256(theirs).hexdigest() == line["sha256"], label
        assert ours == theirs, label


@pytest.mark.parametrize("line", of_kind("output_digest"), ids=lambda line: f"{line['set']} {line['what'][:24]}")
def test_output_of_every_string(line):
    digest = sha256()
    for data in strings(line["set"]):
        output = OUTPUTS[line["what"]](data)
        digest.update(len(output).to_bytes(2, "big") + output)
    assert digest.hexdigest() == line["sha256"]


def test_every_line_is_compared():
    kinds = Counter(line["kind"] for line in lines(NAME))
    assert kinds == {"verdict_bitmap": 12, "output_digest": 16, "concat_digest": 2}
