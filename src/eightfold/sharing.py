"""What a form shares with a codec of the interpreter, derived from the rows of both; no form is named here.

A sequence is *shared* if both read it as the same code point whatever follows it: it lies in a row of each, has the
same value, and does not begin a longer entry of the form. From the shared sequences come the expressions that match
runs of them, in bytes and in a str, and the bytes at which the two *part*: text that the codec reads and that has none
of these is shared as a whole.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple, TypeAlias

from eightfold.forms import Form, Row, forms
from eightfold.forms.definition import derived
from eightfold.forms.rows import Range
from eightfold.points import Points, points_within
from eightfold.reference import value

Box = tuple[Range, ...]
"""The sequences whose units lie in these ranges, one for each unit."""

_MOST_RANGES = 1000
"""The maximum number of ranges of code points in an expression: with more it is slower than what it avoids."""


Search: TypeAlias = "bytes | re.Pattern[bytes]"


class Parting(NamedTuple):
    """The bytes at which a form and a codec of 8-bit units part.

    Attributes:
        below_80: those below 80, the only ones in ASCII: a byte, or an expression for a first byte and its second.
        others: those from 80 up.
    """

    below_80: tuple[Search, ...]
    others: tuple[Search, ...]

    def occurs(self, data: bytes, start: int, end: int, *, in_ascii: bool) -> bool:
        """Return whether one of them occurs in a part of the data."""
        searched = self.below_80 if in_ascii else chain(self.below_80, self.others)
        return any(
            data.find(each, start, end) >= 0 if isinstance(each, bytes) else each.search(data, start, end) is not None
            for each in searched
        )


class Sharing(NamedTuple):
    """A codec of the interpreter, and what a form shares with it.

    Attributes:
        decode, encode: the codec's functions, as :mod:`codecs` documents them; they return how far they came.
        reads: matches the longest run of shared sequences; None if the form reads everything that the codec reads.
        writes: matches the longest run of shared code points; None if the form writes everything that the codec writes.
        parting: what to search for; None if only the expression can decide.
    """

    decode: Callable[[Any, str, bool], tuple[str, int]]
    encode: Callable[[str, str], tuple[bytes, int]]
    reads: re.Pattern[bytes] | None
    writes: re.Pattern[str] | None
    parting: Parting | None

    def is_whole(self, data: bytes, start: int, end: int, *, in_ascii: bool) -> bool:
        """Return whether text that the codec has read or written is shared as a whole; False if this is not known."""
        if self.reads is None:
            return True
        return self.parting is not None and not self.parting.occurs(data, start, end, in_ascii=in_ascii)


def sharing_of(form: Form) -> Sharing | None:
    r"""Return the codec with which a form shares most, and what they share, or None if they share nothing.

    >>> from eightfold.forms import form
    >>> sharing_of(form("cesu-8")).parting.others
    (b'\xf0', b'\xf1', b'\xf2', b'\xf3', b'\xf4')
    >>> sharing_of(form("utf-8")).reads is None
    True
    """
    return _sharing(form)


@derived("sharing")
def _sharing(form: Form) -> Sharing | None:
    # A form that has CPython's reasons for its faults is one that CPython has a codec for.
    offered = [each for each in forms() if each.cpython_reasons and not each.signatures]
    alike = [each for each in offered if (each.unit_bits, each.byte_order) == (form.unit_bits, form.byte_order)]
    shared = {each.name: shared_sequences(form, each) for each in alike}
    name = max(shared, key=lambda each: _count(shared[each]), default=None)
    if name is None or not shared[name]:
        return None
    codec = next(each for each in alike if each.name == name)
    whole = [row.unit_ranges for row in codec.rows]
    function = name.replace("-", "_")
    decode, encode = getattr(codecs, f"{function}_decode"), getattr(codecs, f"{function}_encode")
    if _count(shared[name]) == _count(whole):
        return Sharing(decode, encode, None, None, None)
    parting = _parting(shared[name], whole) if form.unit_bits == 8 else None
    return Sharing(decode, encode, _stretch(form, shared[name]), _class(_points(form, shared[name])), parting)


def shared_sequences(form: Form, codec: Form) -> list[Box]:
    """Return the sequences that two forms read alike, whatever follows; no two overlap.

    >>> from eightfold.forms import form
    >>> shared_sequences(form("corrected-utf-8"), form("utf-8"))
    [((0, 127),)]
    """
    found = [
        box
        for row in form.rows
        for other in codec.rows
        if (box := common_ranges(row, other)) and values_agree(row, other, box)
    ]
    for entry in form.sequences:
        found = [part for box in found for part in _outside(box, entry.unit_ranges)]
    return found


def common_ranges(one: Row, other: Row) -> Box:
    """Return the ranges of the sequences common to two rows; empty if there are none."""
    if len(one.unit_ranges) != len(other.unit_ranges):
        return ()
    common = tuple(
        (max(low, other_low), min(high, other_high))
        for (low, high), (other_low, other_high) in zip(one.unit_ranges, other.unit_ranges, strict=True)
    )
    return () if any(low > high for low, high in common) else common


def values_agree(one: Row, other: Row, common: Box) -> bool:
    """Return whether two rows give the same code points for the sequences that they have in common."""
    # A value is a sum over the units, so two that agree at one corner and along each edge from it agree everywhere.
    lowest = [low for low, _ in common]
    corners = [lowest, *([*lowest[:at], high, *lowest[at + 1 :]] for at, (_, high) in enumerate(common))]
    return all(value(one.first, one.unit_ranges, at) == value(other.first, other.unit_ranges, at) for at in corners)


def _outside(box: Box, longer: Box) -> list[Box]:
    """Return what remains of some sequences without those that begin a longer entry."""
    if len(longer) <= len(box):
        return [box]
    left, inside = [], list(box)
    for at, ((low, high), (first, last)) in enumerate(zip(box, longer, strict=False)):
        beside = ((low, min(high, first - 1)), (max(low, last + 1), high))
        left += [(*inside[:at], each, *box[at + 1 :]) for each in beside if each[0] <= each[1]]
        inside[at] = max(low, first), min(high, last)
        if inside[at][0] > inside[at][1]:
            break
    return left


def _count(boxes: Sequence[Box], *begins: int) -> int:
    """Return the number of sequences, or of those that begin with some units."""
    return sum(
        prod(high - low + 1 for low, high in box[len(begins) :])
        for box in boxes
        if len(box) >= len(begins) and all(low <= unit <= high for unit, (low, high) in zip(begins, box, strict=False))
    )


def _parting(shared: Sequence[Box], whole: Sequence[Box]) -> Parting:
    """Return the first bytes, or first two, of the sequences that only the codec reads in this way."""
    firsts = [byte for byte in range(256) if _count(shared, byte) < _count(whole, byte)]
    searched = {byte: _search(byte, shared, whole) for byte in firsts}
    return Parting(
        tuple(search for byte, search in searched.items() if byte < 0x80),
        tuple(search for byte, search in searched.items() if byte >= 0x80),
    )


def _search(first: int, shared: Sequence[Box], whole: Sequence[Box]) -> Search:
    if not _count(shared, first):
        return bytes([first])
    seconds = [byte for byte in range(256) if _count(shared, first, byte) < _count(whole, first, byte)]
    return re.compile(b"%b[%b]" % (_byte((first, first)), b"".join(_byte((each, each)) for each in seconds)))


def _stretch(form: Form, shared: Sequence[Box]) -> re.Pattern[bytes]:
    """Return the expression that matches as many shared sequences as possible, without backtracking."""
    parts = []
    for box in shared:
        units = [[_in_order(form, each) for each in _byte_boxes(*span, form.unit_bytes)] for span in box]
        shown = [b"|".join(b"".join(map(_byte, each)) for each in unit) for unit in units]
        parts.append(b"(?:" + b"".join(b"(?:%b)" % each if b"|" in each else each for each in shown) + b")++")
    return re.compile(b"(?:" + b"|".join(parts) + b")*+", re.DOTALL)


def _in_order(form: Form, big_endian: Box) -> Box:
    return big_endian if form.byte_order == "big" else big_endian[::-1]


def _byte_boxes(low: int, high: int, width: int) -> Iterator[Box]:
    """Yield the bytes, the most significant first, of the units of a range."""
    if width == 1:
        yield ((low, high),)
        return
    size = 256 ** (width - 1)
    first, last = low // size, high // size
    whole = [(0, 255)] * (width - 1)
    if first == last:
        yield from (((first, first), *rest) for rest in _byte_boxes(low % size, high % size, width - 1))
        return
    if low % size:
        yield from (((first, first), *rest) for rest in _byte_boxes(low % size, size - 1, width - 1))
        first += 1
    if high % size != size - 1:
        yield from (((last, last), *rest) for rest in _byte_boxes(0, high % size, width - 1))
        last -= 1
    if first <= last:
        yield ((first, last), *whole)


def _byte(span: Range) -> bytes:
    low, high = span
    return b"\\x%02x" % low if low == high else b"[\\x%02x-\\x%02x]" % span


def _points(form: Form, shared: Sequence[Box]) -> Points:
    rows = [(row, box) for box in shared for row in form.rows if len(row.unit_ranges) == len(box)]
    return tuple(chain.from_iterable(points_within(row, box) for row, box in rows if _lies_in(box, row.unit_ranges)))


def _lies_in(box: Box, other: Box) -> bool:
    return all(low >= first and high <= last for (low, high), (first, last) in zip(box, other, strict=True))


def _class(points: Points) -> re.Pattern[str]:
    """Return the expression that matches as many of these code points as possible; none if there are too many."""
    few = points if len(points) <= _MOST_RANGES else ()
    shown = "".join(f"\\U{each.start:08x}-\\U{each.stop - 1:08x}" for each in few)
    return re.compile(f"[{shown}]*+" if shown else "")
