"""Where user-perceived characters end (extended grapheme clusters, Unicode Standard Annex 29), by the library `regex`.

Nothing of encodings lives here. The library is imported when it is first needed: the extra ``graphemes``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from eightfold.arguments import exactly
from eightfold.extras import needed_by


def grapheme_end(text: str, end: int) -> int:
    r"""Return the last end of a grapheme of a str at or before an index.

    At most the first ``end`` + 1 code points are looked at, and the library segments only what follows the last place
    where a grapheme certainly ends: between two ASCII characters, or between two flags.

    Args:
        text: any str.
        end: an index, in code points.

    Raises:
        ModuleNotFoundError: the library is not installed; the message says how to install it.

    >>> grapheme_end("e\N{COMBINING ACUTE ACCENT}!", 1), grapheme_end("e\N{COMBINING ACUTE ACCENT}!", 2)
    (0, 2)
    """
    text = exactly(text)  # An instance of a subclass may have a length and items of its own.
    if end >= len(text):
        return len(text)
    last = start = _certain_end(text, end)
    # Whether a grapheme ends at an index depends on what precedes it and on one code point that follows.
    for grapheme in _grapheme().finditer(text, start, end + 1):
        if grapheme.end() > end:
            break
        last = grapheme.end()
    return last


def _certain_end(text: str, end: int) -> int:
    """Return the last index before ``end`` between two ASCII characters other than CR and LF, or two flags; else 0.

    Flags are pairs of regional indicators, counted from where their run begins (rules GB12 and GB13). The library
    counts them again for each, in quadratic time, so a run must not be left to it.
    """
    at = end - 1
    while at > 0:
        two = text[at - 1 : at + 1]
        if two.isascii() and two != "\r\n":
            return at
        if _is_regional(two[0]) and _is_regional(two[1]):
            begin = at - 1
            while begin and _is_regional(text[begin - 1]):
                begin -= 1
            if at - begin > 1:
                return at - (at - begin) % 2
        at -= 1
    return 0


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


@lru_cache
def _grapheme() -> Any:
    with needed_by("graphemes=True", "regex", "graphemes"):
        import regex  # type: ignore[import-untyped,unused-ignore]
    return regex.compile(r"\X")


__all__ = ["grapheme_end"]
