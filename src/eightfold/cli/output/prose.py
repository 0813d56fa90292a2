"""Prose in a terminal: how wide it is, and paragraphs filled to that width."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby

_COLUMNS = 80
_NARROW = 72
"""A line that could have been so long with the next word was ended on purpose: texts are written for 80 columns."""


def columns() -> int:
    """Return the width for results: that of COLUMNS, of the terminal on standard output, or 80.

    Not by `shutil`, whose import takes as long as everything else that help does.
    """
    with suppress(KeyError, ValueError):
        given = int(os.environ["COLUMNS"])
        if given > 0:
            return given
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _COLUMNS  # type: ignore[union-attr]
    return _COLUMNS


def refilled(text: str, width: int) -> str:
    r"""Return a text with its paragraphs filled; lines that begin with two spaces stay as they are.

    >>> print(refilled("Of two short\nlines:\n\n  eightfold check\n\nand more", 40))
    Of two short
    lines:
    <BLANKLINE>
      eightfold check
    <BLANKLINE>
    and more
    """
    return "\n".join(_lines(text, width))


def _lines(text: str, width: int) -> Iterator[str]:
    import textwrap

    for is_prose, lines in groupby(text.splitlines(), lambda line: bool(line) and not line.startswith("  ")):
        for line in _joined(list(lines)) if is_prose else lines:
            if is_prose:
                yield from textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False)
            else:
                yield line


def _joined(lines: list[str]) -> Iterator[str]:
    """Yield lines, joined where one ended only because the next word had no room."""
    joined = last = lines[0]
    for line in lines[1:]:
        if len(last) + 1 + len(line.partition(" ")[0]) <= _NARROW:
            yield joined
            joined = line
        else:
            joined += f" {line}"
        last = line
    yield joined
