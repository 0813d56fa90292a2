"""What `identify` can say beyond evidence: guesses at legacy charsets, by charset-normalizer, and mojibake, by ftfy."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from eightfold.files.walk.trees import Series
from eightfold.legacy import charset

_MOST = 5
"""How many guesses are reported."""
_FIRST, _TRAIL = ((0xC3, 0xC3), (0x82, 0xB4)), (0x80, 0xBF)
MOJIBAKE: tuple[Series, ...] = (
    (*_FIRST, (0xC2, 0xC2), _TRAIL),
    (*_FIRST, (0xC5, 0xC6), _TRAIL),
    (*_FIRST, (0xCB, 0xCB), _TRAIL),
    (*_FIRST, (0xE2, 0xE2), (0x80, 0x84)),
)
"""How mojibake through windows-1252 begins: without it ftfy, which takes time to import, is not asked."""
SHIFTS: tuple[Series, ...] = (((0x1B, 0x1B), (0x24, 0x24)), ((0x1B, 0x1B), (0x28, 0x28)), ((0x7E, 0x7E), (0x7B, 0x7B)))
"""What charsets of seven bits shift with: ``ESC $``, ``ESC (`` and ``~{``."""


class Guess(NamedTuple):
    """A legacy charset that bytes may be in.

    Attributes:
        charset: its name.
        alike: other charsets that read them as the same text.
        language: the language that the text seems to be in, or empty.
        mess: how much of the text is unlikely, 0 to 1.
        coherence: how much its letters are like those of the language, 0 to 1.
    """

    charset: str
    alike: tuple[str, ...]
    language: str
    mess: float
    coherence: float

    def __str__(self) -> str:
        language = f" ({self.language})" if self.language else ""
        alike = f", or {', '.join(self.alike)}, which read it alike" if self.alike else ""
        return f"{self.charset}{language}{alike}"


def has_any(content: bytes, series: tuple[Series, ...]) -> bool:
    r"""Return whether bytes lie in the ranges of one of these.

    >>> has_any(b"in \x1b$B", SHIFTS), has_any(b"in $", SHIFTS)
    (True, False)
    """
    return bool(series) and _expression(series).search(content) is not None


@cache
def _expression(series: tuple[Series, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(b"".join(b"[\\x%02x-\\x%02x]" % each for each in ranges) for ranges in series))


def guesses(sample: bytes, reads_as: str) -> list[Guess]:
    """Return the legacy charsets that a sample may be in, the likeliest first. Needs the extra legacy.

    Args:
        sample: the bytes.
        reads_as: the charset that there is evidence for, which comes first; or empty.
    """
    from charset_normalizer import from_bytes

    end = sample.rfind(b"\n") + 1
    whole_lines = sample[:end] if 2 * end > len(sample) else sample
    found: dict[str, Guess] = {}
    for each in from_bytes(whole_lines, enable_fallback=False):
        names = _names([each.encoding, *each.could_be_from_charset])
        if names and _name(each.encoding):
            language = "" if each.language == "Unknown" else each.language
            found.setdefault(names[0], Guess(names[0], names[1:], language, each.chaos, each.coherence))
    return sorted(found.values(), key=lambda each: reads_as not in (each.charset, *each.alike))[:_MOST]


def _names(codecs: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(_name, codecs))))


def _name(codec: str) -> str:
    try:
        return charset(codec).name
    except LookupError:
        return ""


def mojibake_places(sample: bytes) -> int:
    """Return how many places of a sample are mojibake; 0 if there is no ftfy to judge."""
    if not has_any(sample, MOJIBAKE):
        return 0
    try:
        from eightfold.mojibake import MojibakeFinder

        return len(MojibakeFinder().find(sample.decode("utf-8", "ignore").encode(), final=True))
    except ImportError:
        return 0
