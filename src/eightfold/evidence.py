"""How strongly bytes suggest a form, in bits, compared with random bytes; derived from rows and Unicode's blocks.

In a form of bytes each sequence beyond ASCII is evidence, since chance seldom produces one: of all strings of `n` bytes
80-FF, a share of ``(growth / 128) ** n`` is well-formed, where the growth follows from the rows. In UTF-8 a byte of
such a sequence is worth a bit; in a form in which any bytes are well-formed it is worth nothing.

In forms of 16 and 32 bits nearly everything is well-formed, so the code points count: those of a text come from few
areas of Unicode, and hardly any of them is unassigned, private or a control. How often each area occurs is learnt from
the text itself, with Perks's prior (1947): all areas together share one observation. Within an area all are alike.

Not here: which forms to choose from, and how many faults the bytes have in them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from math import lgamma, log, log2
from unicodedata import category

from eightfold.forms import Form
from eightfold.reference import SURROGATES
from eightfold.text import decode_code_points


def _runs(values: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive values."""
    for _, members in groupby(enumerate(sorted(values)), lambda placed: placed[1] - placed[0]):
        run = [value for _, value in members]
        yield run[0], run[-1]


FAULT_BITS = 10.0
"""The cost of a fault: in damaged text, about one byte in a thousand is wrong."""
_NUL_BITS = 4.0
"""The cost of a NUL between bytes of ASCII: some lists of words end so."""
_HALF_PAIR_BITS = 8.0
"""The cost of half a surrogate pair, if it is not a fault: it is likelier than damage."""
_POINTS_FOR_A_MARK, _POINTS_FOR_AN_UNLIKELY = 200, 50
"""Text has at least one of :data:`_MARKS` in so many code points, and at most one unlikely one in so many."""
_FEW = 3
"""So many unlikely code points, one in as many, do not suggest other data: a wrong byte and a cut end cause them."""
_MARKS = ((0x9, 0xA), (0x20, 0x7E), (0x2010, 0x2027), (0x3000, 0x3011), (0xFF01, 0xFF1F))
"""White space, common punctuation, and all of ASCII."""
_MUCH = 1.5
"""The number of bits in a byte if the areas alone are evidence enough, as for pairs of emoji."""
_OF_ONE_SCRIPT = 3.0
"""The minimum number of bits in a byte of 16-bit units, in text of one small script."""
_REPLACED = 0xFFFD
_UNLIKELY = ("Cc", "Cn", "Co")
"""The general categories of code points that text hardly has: controls, unassigned and private ones."""
_LAYOUT = frozenset(b"\b\t\n\f\r\x1b")
"""The controls that text has; manual pages for a terminal overstrike with backspaces."""
PLAIN = bytes(sorted({*range(0x20, 0x7F), *_LAYOUT}))
"""Printable ASCII, and the controls that text has."""
UNLIKELY_BYTES = tuple(_runs(set(range(0x80)).difference(PLAIN)))
"""The ranges of all other ASCII bytes."""
_ASCII = bytes(range(0x80))
_PLAIN_BITS = log2(256 / len(PLAIN))
_POINTS_KNOWN = 1 << 16
"""The number of code points whose worth is remembered."""

# The areas of Unicode that hold a script, or a few that occur together, by their first code points.
_AREAS = (
    *(0x0, 0x80, 0x250, 0x370, 0x400, 0x530, 0x590, 0x600, 0x700, 0x900, 0x980, 0xA00, 0xA80, 0xB00, 0xB80, 0xC00),
    *(0xC80, 0xD00, 0xD80, 0xE00, 0xE80, 0xF00, 0x1000, 0x10A0, 0x1100, 0x1200, 0x1400, 0x1780, 0x1800, 0x1E00),
    *(0x1F00, 0x2000, 0x2070, 0x2C00, 0x3000, 0x3040, 0x3100, 0x3400, 0x4E00, 0xA000, 0xAC00, 0xD7B0, 0xE000),
    *(0xF900, 0xFB00, 0xFE00, 0xFF00, 0x10000, 0x1F000, 0x1FB00, 0x20000, 0x30000, 0xE0000, 0x110000),
)


@cache
def byte_bits(form: Form) -> int:
    """Return the worth of a byte in a well-formed sequence beyond ASCII, in a form of bytes.

    It is rounded to whole bits, so forms that read a text alike are worth the same, and their faults decide.

    >>> from eightfold.forms import form
    >>> byte_bits(form("utf-8")), byte_bits(form("cesu-8")), byte_bits(form("xtf-8"))
    (1, 1, 0)
    """
    counts: Counter[int] = Counter()
    for row in form.rows:
        count = 1
        for low, high in row.unit_ranges:
            count *= max(0, high - max(low, 0x80) + 1)
        counts[len(row.unit_ranges)] += count
    return max(0, round(log2(0x80 / _growth(counts))))


def _growth(counts: Counter[int]) -> float:
    """Return the factor by which each further byte multiplies the strings of sequences, counted here by their length.

    It is the root of ``sum(count / growth**length) == 1``: Shannon (1948), section 1.
    """
    low, high = 1.0, 512.0
    while high - low > 0.01:
        middle = (low + high) / 2
        too_low = sum(count * middle**-length for length, count in counts.items()) > 1
        low, high = (middle, high) if too_low else (low, middle)
    return high


class ByteCounts:
    r"""Counts of the bytes of an input, read piece by piece.

    Attributes:
        length: the number of bytes.
        beyond: the number of bytes beyond ASCII.
        plain: the number of bytes in :data:`PLAIN`.
        nuls: the number of zeros.

    >>> counts = ByteCounts()
    >>> counts.add(b"a\x00\xff")
    >>> counts.length, counts.beyond, counts.plain
    (3, 1, 1)
    """

    def __init__(self) -> None:
        self.length: int = 0
        self.beyond: int = 0
        self.plain: int = 0
        self.nuls: int = 0

    def add(self, data: bytes) -> None:
        """Count more bytes."""
        self.length += len(data)
        self.beyond += 0 if data.isascii() else len(data.translate(None, _ASCII))
        self.plain += len(data) - len(data.translate(None, PLAIN))
        self.nuls += data.count(0)

    @property
    def controls(self) -> int:
        """The number of controls that text hardly has, other than NUL."""
        return self.length - self.beyond - self.plain - self.nuls

    def ascii_bits(self) -> float:
        """Return the worth of the ASCII bytes in a form of bytes."""
        return self.plain * _PLAIN_BITS - self.nuls * _NUL_BITS - self.controls * FAULT_BITS

    def are_halves(self, bits: float) -> bool:
        """Return whether ASCII bytes are more likely halves of wider units, which have so many bits of evidence.

        Each byte of Devanagari in UTF-16 is an ASCII byte, and every other one a tab; only the controls among the rest
        distinguish such text from a table of mostly empty fields.
        """
        return not self.beyond and self.controls > 0 and bits > _OF_ONE_SCRIPT * self.length

    def beyond_bits(self, form: Form, faults: float, faulty: float) -> float:
        """Return the worth of the bytes beyond ASCII in a form of bytes.

        A byte that would be well-formed whatever its value says no more for the form than a fault does.

        Args:
            form: the form.
            faults: the number of faults in that form.
            faulty: the number of bytes in these faults.
        """
        worth = byte_bits(form)
        return max(0.0, self.beyond - faulty) * worth - (faults if worth else self.beyond) * FAULT_BITS


def text_bits(form: Form, sample: bytes) -> float:
    """Return the worth of the code points of a sample in a form of 16 or 32 bits.

    Its faults cost nothing here. Other text read in this form lacks ASCII and common punctuation, and other data has
    many unlikely code points: these are worth nothing, however often their areas occur.
    """
    points = Counter(decode_code_points(sample, form, "replace"))
    unlikely = points.pop(_REPLACED, 0)
    bits = 8.0 * (len(sample) - unlikely * form.unit_bytes)
    areas: Counter[int] = Counter()
    marks = 0
    for point, count in points.items():
        cost, area, is_mark = _worth(point)
        if area:
            areas[area] += count
            marks += count * is_mark
            bits -= count * cost
        else:
            bits -= count * (8 * form.unit_bytes + cost)
            unlikely += count if point not in SURROGATES else 0
    likely = sum(areas.values())
    bits -= _learnt_bits(areas.values(), len(_AREAS))
    has_marks = marks * _POINTS_FOR_A_MARK >= likely or bits > _MUCH * len(sample)
    is_text = has_marks and unlikely <= max(min(_FEW, likely // _FEW), likely // _POINTS_FOR_AN_UNLIKELY)
    return bits if is_text else min(bits, 0.0)


@lru_cache(_POINTS_KNOWN)
def _worth(point: int) -> tuple[float, int, bool]:
    """Return what a code point costs; the number of its area, 0 if text hardly has it; and whether it is a mark."""
    if cost := _unlikely_bits(point):
        return cost, 0, False
    area = bisect_right(_AREAS, point)
    return _width_bits(area), area, _is_mark(point)


def _is_mark(point: int) -> bool:
    return any(low <= point <= high for low, high in _MARKS)


def _width_bits(area: int) -> float:
    return log2(_AREAS[area] - _AREAS[area - 1])


def _unlikely_bits(point: int) -> float:
    """Return the cost of a code point that text hardly has, or 0 for any other."""
    if point in SURROGATES:
        return _HALF_PAIR_BITS
    return FAULT_BITS if category(chr(point)) in _UNLIKELY and point not in _LAYOUT else 0.0


def _learnt_bits(counts: Iterable[int], kinds: int) -> float:
    """Return the bits needed to say which of some kinds each of a series is, if nothing is known beforehand."""
    found, each = list(counts), 1 / kinds
    nats = lgamma(1 + sum(found)) - sum(lgamma(each + count) - lgamma(each) for count in found)
    return nats / log(2)


_NO_WESTERN_WORD = (
    r"(?:(?![\0-\x7F])\w){4}"  # so many letters beyond ASCII in a row
    r"|[a-z][\xC0-\xD6\xD8-\xDE]"  # a capital inside a word
    r"|[A-Za-z](?![\u2019\u2013\u2014\u2026\xAD\xB7])[^\w\s\0-\x7F][A-Za-z]"  # a sign inside a word
    r"|\xFF"  # a letter that hardly any word has, and the byte that is most often not text
)


def legacy_charset(sample: bytes) -> str:
    r"""Return the name of the legacy charset that bytes beyond ASCII read as, or an empty str.

    Only the charset of Western Europe is known; Latin-1 text is a subset of it, except for controls.

    Args:
        sample: the bytes; without any beyond ASCII, there is no such charset.

    >>> legacy_charset(b"caf\xe9 \x96 na\xefve"), legacy_charset(b"\xcf\xf0\xe8\xe2\xe5\xf2"), legacy_charset(b"plain")
    ('windows-1252', '', '')
    """
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    counts = ByteCounts()
    counts.add(sample)
    letters = sum(each.isascii() and each.isalpha() for each in text)
    fits = counts.beyond and counts.plain + counts.beyond == counts.length and letters >= 2 * counts.beyond
    return "windows-1252" if fits and not re.search(_NO_WESTERN_WORD, text) else ""
