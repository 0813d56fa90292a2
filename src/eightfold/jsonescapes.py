r"""Finds the escapes of unpaired surrogates in JSON text, and writes what replaces them.

An escape is recognised by itself, wherever it stands: ``\uD83D`` behind an even number of backslashes, in a string or
not, with hex digits in upper or lower case. In valid JSON that is always inside a string; in text that is not, such as
a log with JSON in it, nothing is missed because a quote is out of place. ``\uD83D\uDE00`` is a pair.

Source: RFC 8259 section 7.
"""

from __future__ import annotations

import json
import re

from eightfold._engine import bind
from eightfold.arguments import AnyErrors
from eightfold.policy import REPLACEMENT
from eightfold.reference import LEADS, SURROGATES, TRAILS
from eightfold.scrub.copies import instead_of

Unpaired = tuple[int, int, bool]
"""An escape: its offset, its code point, and whether it follows an escape with too few digits, without a gap."""

ESCAPE_BYTES = 6
ALPHABET = rb"\u0123456789ABCDEFabcdef"
"""The bytes that an escape consists of."""


def _first_digits(surrogates: range) -> str:
    # Leads and trails are whole blocks of 0x100 code points, so the first two hex digits identify them.
    blocks = "|".join(f"{block:02x}" for block in range(surrogates.start >> 8, surrogates.stop >> 8))
    return f"(?i:{blocks})"


_HEX_DIGIT = "[0-9A-Fa-f]"
_LEAD, _TRAIL = (rf"\\u{_first_digits(half)}{_HEX_DIGIT}{{2}}" for half in (LEADS, TRAILS))
PAIR, UNPAIRED = f"{_LEAD}{_TRAIL}", f"{_LEAD}|{_TRAIL}"
CUT_SHORT = rf"\\u{_HEX_DIGIT}{{0,3}}(?!{_HEX_DIGIT})"
"""Regular expressions of escapes; the first that matches is what an escape is."""
SURROGATE_BEGUN = re.compile(rf"\\u{_first_digits(SURROGATES)}".encode())
_ESCAPE = re.compile(rf"{PAIR}|\\u{_HEX_DIGIT}{{4}}".encode())
_EVERY_ESCAPE = re.compile(rf"{PAIR}|(?P<unpaired>{UNPAIRED})|(?P<cut_short>{CUT_SHORT})|\\.?".encode(), re.DOTALL)
_SOME_PAIR = rf"\u{LEADS.start:04x}\u{TRAILS.start:04x}".encode()
_REPLACEMENT = json.dumps(REPLACEMENT)[1:-1].encode()


@bind
def unpaired_escapes(
    text: bytes, start: int = 0, limit: int | None = None, *, final: bool = True
) -> tuple[list[Unpaired], int]:
    r"""Return the escapes of unpaired surrogates in text from an offset on, and where to go on.

    Args:
        text: bytes in which ASCII is ASCII. They need not be well-formed, nor JSON.
        start: an offset behind a whole escape, or outside any.
        limit: the maximum number of escapes.
        final: whether the text ends here: otherwise the offset is where more bytes could change something.

    >>> unpaired_escapes(rb'"\ud83d\ude00 \uD83D \\ud83d \ude')
    ([(14, 55357, False)], 33)
    >>> unpaired_escapes(rb'"\ud83d\u', final=False)
    ([], 1)
    """
    found: list[Unpaired] = []
    if final and SURROGATE_BEGUN.search(text, start) is None:
        return found, len(text)
    cut_short_start, cut_short_end = -1, -1
    for escape in _EVERY_ESCAPE.finditer(text, start):
        at = escape.start()
        adjacent = at == cut_short_end
        if not final and is_undecided(text, at):
            return found, cut_short_start if adjacent else at
        if escape["unpaired"]:
            found.append((at, int(escape[0][2:], 16), adjacent))
            if len(found) == limit:
                return found, escape.end()
        elif escape["cut_short"]:
            cut_short_start, cut_short_end = escape.span()
    return found, len(text)


def is_undecided(text: bytes, at: int) -> bool:
    r"""Return whether the text ends before the meaning of an escape that begins at an offset is certain.

    >>> is_undecided(b"\\ud83d", 0), is_undecided(b"\\ude00", 0)
    (True, False)
    """
    there = text[at : at + len(_SOME_PAIR)]
    could_be = _ESCAPE.match(there + _SOME_PAIR[len(there) :])
    return could_be is not None and could_be.end() > len(there)


def replacement(code_point: int, errors: AnyErrors, *, after_cut_short: bool = False) -> bytes:
    r"""Return what a policy writes for an escape, itself made of escapes.

    Args:
        code_point: the surrogate.
        errors: a policy of :func:`eightfold.jsontext.scrub`.
        after_cut_short: whether it follows an escape with too few digits, which the rest must not complete.

    Raises:
        ConversionError: the policy has no replacement.

    >>> replacement(0xD83D, "replace"), replacement(0xD83D, "backslashreplace"), replacement(0xD83D, "ignore")
    (b'\\ufffd', b'\\\\ud83d', b'')
    """
    written = json.dumps(instead_of(chr(code_point), errors))[1:-1].encode()
    return written or (_REPLACEMENT if after_cut_short else b"")


__all__ = [
    "ALPHABET",
    "CUT_SHORT",
    "ESCAPE_BYTES",
    "PAIR",
    "SURROGATE_BEGUN",
    "UNPAIRED",
    "Unpaired",
    "is_undecided",
    "replacement",
    "unpaired_escapes",
]
