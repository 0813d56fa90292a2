"""Where user-perceived characters end (extended grapheme clusters, Unicode Standard Annex 29), by the library `regex`.

Nothing of encodings lives here. The library is imported when it is first needed: the extra ``graphemes``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def grapheme_end(text: str, end: int) -> int:
    r"""Return the last end of a grapheme of a str at or before an index.

    At most the first ``end`` + 1 code points are looked at, and of those only what follows the last place between two
    ASCII characters, where a grapheme ends in any case.

    Args:
        text: any str.
        end: an index, in code points.

    Raises:
        ImportError: the library is not installed.

    >>> grapheme_end("e\N{COMBINING ACUTE ACCENT}!", 1), grapheme_end("e\N{COMBINING ACUTE ACCENT}!", 2)
    (0, 2)
    """
    if end >= len(text):
        return len(text)
    text = str.__getitem__(text, slice(None))  # An instance of a subclass may have items of its own.
    last = start = _certain_end(text, end)
    # Whether a grapheme ends at an index depends on what precedes it and on one code point that follows.
    for grapheme in _grapheme().finditer(text, start, end + 1):
        if grapheme.end() > end:
            break
        last = grapheme.end()
    return last


def _certain_end(text: str, end: int) -> int:
    """Return the last index before ``end`` between two ASCII characters other than CR and LF; 0 if there is none."""
    for at in range(end - 1, 0, -1):
        if text[at - 1 : at + 1].isascii() and text[at - 1 : at + 1] != "\r\n":
            return at
    return 0


@lru_cache
def _grapheme() -> Any:
    try:
        import regex  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        raise ImportError("graphemes=True needs the library regex: pip install 'regex>=2024.4.16,<2028'") from None
    return regex.compile(r"\X")


__all__ = ["grapheme_end"]
