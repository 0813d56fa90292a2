r"""Finds mojibake in UTF-8: text that was UTF-8, was read in a legacy charset, and was encoded as UTF-8 again.

:mod:`ftfy` judges whether a line holds mojibake, and what it was. Here each place is proved: a character that was meant
is encoded in UTF-8 and read in a legacy charset, once or several times, and the result must be exactly what is there.
So a place is only reported if the change can be understood, and nothing else that ftfy mends (quotes, widths, controls,
lost no-break spaces) is touched.

Lines are judged one by one; a line longer than :data:`LINE_BYTES` in parts that end with an ASCII character, if there
is one. Needs the extra mojibake; it is imported when used.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import NamedTuple

from eightfold.extras import needed_by
from eightfold.faults import UNITS_KEPT, Fault, Kind, Severity, code_point_name, immutable
from eightfold.forms.utf_8 import UTF_8
from eightfold.stream.turns import Copied
from eightfold.text import LinePosition

LINE_BYTES = 16 * 1024
"""A longer line is judged in parts."""
_SLACK_BYTES = 16
"""More than a fault of UTF-8 has; so far behind a cut, all faults before it are known."""
_TWO_BEYOND_ASCII = re.compile(rb"[\xC2-\xF4][\x80-\xBF]+[\xC2-\xF4]")
"""Two characters beyond ASCII in a row, since UTF-8 has at least two bytes beyond ASCII in a row."""
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_LAYERS = 3
"""How many times over text may be mojibake of one charset."""
_CHARACTERS_SHOWN = 8

Span = tuple[int, int]


class Mojibake(NamedTuple):
    """One place.

    Attributes:
        start: its offset in the input, in bytes.
        old, new: the bytes that are there, and the UTF-8 of what was meant.
        line, column: the place, both from 1; the column counts bytes.
    """

    start: int
    old: bytes
    new: bytes
    line: int
    column: int

    @property
    def fault(self) -> MojibakeFault:
        """The place as a fault, which is a warning."""
        end = self.start + len(self.old)
        return MojibakeFault(start=self.start, end=end, units=self.old[:UNITS_KEPT], meant=self.new.decode())


@immutable
@dataclass(frozen=True, slots=True)
class MojibakeFault(Fault):
    r"""A place where UTF-8 was read in a legacy charset and encoded again.

    Attributes:
        meant: the text that it was.

    >>> str(MojibakeFault(start=3, end=7, units=b"\xc3\x83\xc2\xa9", meant="\xe9"))
    'UTF-8 that was read in a legacy charset and encoded again (C3 83 C2 A9), for U+00E9'
    """

    kind: Kind = "mojibake"
    form: str = UTF_8.name
    start: int = 0
    end: int = 0
    severity: Severity = "warning"
    meant: str = ""

    def __str__(self) -> str:
        shown = " ".join(code_point_name(ord(each)) for each in self.meant[:_CHARACTERS_SHOWN])
        more = " ..." * (len(self.meant) > _CHARACTERS_SHOWN)
        return f"{Fault.__str__(self)}, for {shown}{more}"


class MojibakeFinder(Copied):
    r"""Finds mojibake piece by piece; what is held is at most a line, or a part of a long one.

    >>> finder = MojibakeFinder()
    >>> for found in finder.find("caf\xc3\xa9 cr\xe8me\nd\xe9j\xc3\xa0 \xe2\u20ac\u201d\n".encode(), final=True):
    ...     print(found.line, found.column, found.new.decode("utf-8").encode("ascii", "backslashreplace"))
    1 4 b'\\xe9'
    2 5 b'\\xe0'
    2 10 b'\\u2014'
    """

    def __init__(self) -> None:
        _need_ftfy()  # Missing extras show at once.
        self.settled: int = 0
        """The offset before which everything has been found."""
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._ill_formed: list[Span] = []
        self._position = LinePosition(UTF_8)

    def find(self, chunk: bytes, ill_formed: Iterable[Span] = (), final: bool = False) -> list[Mojibake]:
        """Return the places in more bytes, as far as they are certain.

        Args:
            chunk: the bytes.
            ill_formed: the spans in the input that are not UTF-8, in order, as far as they are known by now.
            final: whether these are the last bytes.
        """
        self._ill_formed += ill_formed
        self._held.append(chunk)
        self._held_bytes += len(chunk)
        # A small piece of a long line is not worth a look at what is held: all pieces together would take long.
        if not final and b"\n" not in chunk and self._held_bytes < LINE_BYTES + _SLACK_BYTES:
            return []
        content = b"".join(self._held)
        end = len(content) if final else self._end(content)
        places = list(self._places(content, end)) if end else []
        self._held, self._held_bytes = [content[end:]], len(content) - end
        self.settled += end
        del self._ill_formed[: self._first_behind(self.settled)]
        return places

    def _end(self, content: bytes) -> int:
        """Return the end of the last whole line, or part of a line."""
        end = content.rfind(b"\n") + 1
        while len(content) - end >= LINE_BYTES + _SLACK_BYTES:
            end = self._end_of_part(content, end)
        return end

    def _end_of_part(self, content: bytes, start: int) -> int:
        """Return where the part ends with which the line at an offset begins."""
        end = start + len(content[start : start + LINE_BYTES].rstrip(_BEYOND_ASCII))
        if end > start:
            return end
        end = start + LINE_BYTES
        near = (at for at in range(end, end - 4, -1) if not 0x80 <= content[at] < 0xC0)
        end = next(near, end)
        offset = self.settled + end
        first = self._first_behind(offset)
        behind = self._ill_formed[first : first + 1]
        return next((last for first, last in behind if first < offset), offset) - self.settled

    def _first_behind(self, offset: int) -> int:
        """Return the index of the first span that ends behind an offset."""
        return bisect_right(self._ill_formed, offset, key=itemgetter(1))

    def _places(self, content: bytes, end: int) -> Iterator[Mojibake]:
        """Yield the places before an offset; what is behind it decides how the last line is divided."""
        passed = at = 0
        while found := _TWO_BEYOND_ASCII.search(content, at, end):
            start, at = self._part(content, at, found.start())
            for begin, old, new in self._mended(content, start, at):
                self._position.pass_over(content[passed:begin])
                passed = begin
                yield Mojibake(self.settled + begin, old, new, self._position.line, self._position.column)
        self._position.pass_over(content[passed:end])

    def _part(self, content: bytes, behind: int, at: int) -> Span:
        """Return where the line of an offset begins and ends, or its part of a long one.

        Args:
            content, at: the bytes, and the offset.
            behind: where a line or a part ends before the offset; only what is behind it is examined.
        """
        start = content.rfind(b"\n", behind, at) + 1 or behind
        while True:
            beyond = start + LINE_BYTES + 1
            line_end = content.find(b"\n", at, beyond)
            if line_end < 0:
                line_end = min(beyond, len(content))
            if line_end - start <= LINE_BYTES:
                return start, line_end
            end = self._end_of_part(content, start)
            if end > at:
                return start, end
            start = end

    def _mended(self, content: bytes, start: int, end: int) -> Iterator[tuple[int, bytes, bytes]]:
        """Yield what is mended in a line: where it begins, the old bytes and the new."""
        for begin, stop in self._stretches(start, end):
            try:
                text = content[begin:stop].decode()
            except UnicodeDecodeError:  # A caller that does not know all spans.
                continue
            at, passed = begin, 0
            for first, last, meant in mended(text):
                at += len(text[passed:first].encode())
                old = text[first:last].encode()
                passed = last
                yield at, old, meant.encode()
                at += len(old)

    def _stretches(self, start: int, end: int) -> Iterator[Span]:
        """Yield the parts between the spans that are not UTF-8."""
        for at in range(self._first_behind(self.settled + start), len(self._ill_formed)):
            first, last = (each - self.settled for each in self._ill_formed[at])
            if first >= end:
                break
            if start < first:
                yield start, first
            start = max(start, last)
        if start < end:
            yield start, end


def _need_ftfy() -> None:
    with needed_by("mojibake", "ftfy", "mojibake"):
        import ftfy  # noqa: F401


def mended(text: str) -> Iterator[tuple[int, int, str]]:
    r"""Yield where in a line of text mojibake begins and ends, and what was meant.

    >>> [(start, end, ascii(meant)) for start, end, meant in mended("na\xc3\xafve \xc3\xa9\xc3\xa8!")]
    [(2, 4, "'\\xef'"), (7, 11, "'\\xe9\\xe8'")]
    >>> list(mended("na\xefve"))
    []
    """
    if not _lead_and_continuation().search(text):
        return
    from ftfy import TextFixerConfig, fix_encoding
    from ftfy.badness import is_bad

    if not is_bad(text):  # The first thing that ftfy does; everything before it costs as much again.
        return
    settings = TextFixerConfig(restore_byte_a0=False, replace_lossy_sequences=False, fix_c1_controls=False)
    meant = fix_encoding(text, settings)
    if meant == text:
        return
    for is_proved, group in groupby(_aligned(text, meant), attrgetter("is_proved")):
        if is_proved:
            run = list(group)
            yield run[0].start, run[-1].end, "".join(each.meant for each in run)


class _Aligned(NamedTuple):
    """A character that was meant, where in a text stands what it became, and whether that is mojibake for certain."""

    start: int
    end: int
    meant: str
    is_proved: bool


def _aligned(text: str, meant: str) -> Iterator[_Aligned]:
    """Yield the characters that were meant, up to the first that nothing in the text stands for."""
    at = 0
    for each in meant:
        spelled, is_proved = _spelled(text, at, each)
        if not spelled and text.startswith(" ", at):  # It stands for a no-break space: see below.
            yield _Aligned(at, at + 1, "", is_proved=False)
            at += 1
            spelled, is_proved = _spelled(text, at, each)
        if not spelled:
            return
        yield _Aligned(at, at + len(spelled), each, is_proved)
        at += len(spelled)


@cache
def _lead_and_continuation() -> re.Pattern[str]:
    """Match the two characters with which mojibake begins, in some legacy charset or other."""
    from ftfy.chardata import CHARMAP_ENCODINGS

    leads, continuations = (
        {bytes([byte]).decode(charset, "ignore") for charset in CHARMAP_ENCODINGS for byte in range(first, last + 1)}
        for first, last in ((0xC2, 0xF4), (0x80, 0xBF))
    )
    return re.compile(f"[{re.escape(''.join(sorted(leads)))}][{re.escape(''.join(sorted(continuations)))}]")


def _spelled(text: str, at: int, meant: str) -> tuple[str, bool]:
    """Return the characters of a text that stand for one that was meant, none if none do; and if they are mojibake."""
    if not meant.isascii():
        for spelled in _spellings(meant).get(text[at : at + 2], ()):
            if text.startswith(spelled, at):
                return spelled, True
            # ftfy mends it too where a no-break space became a space; that is not certain enough, so it stays.
            lossy = spelled.replace("\xa0", " ")
            if text.startswith(lossy, at):
                return lossy.rstrip(" "), False
    return meant if text.startswith(meant, at) else "", False


@lru_cache(maxsize=4096)
def _spellings(meant: str) -> dict[str, list[str]]:
    """Return what a character becomes if its UTF-8 is read in a legacy charset and encoded again.

    By the first two characters, also with a space for a no-break space; the longest first.
    """
    from ftfy.chardata import CHARMAP_ENCODINGS

    found = {other for charset in CHARMAP_ENCODINGS for other in _layers(meant, charset)}
    beginnings: dict[str, list[str]] = {}
    for spelled in sorted(found, key=lambda each: (-len(each), each)):
        for begin in dict.fromkeys((spelled[:2], spelled[:2].replace("\xa0", " "))):
            beginnings.setdefault(begin, []).append(spelled)
    return beginnings


def _layers(text: str, charset: str) -> Iterator[str]:
    with suppress(UnicodeError):
        for _ in range(_LAYERS):
            text = text.encode().decode(charset)
            yield text
