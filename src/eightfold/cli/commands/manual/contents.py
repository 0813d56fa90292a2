"""What the manual says beside the commands, and how their descriptions fall into blocks, in whichever format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

STATUSES = {
    "0": "No faults. Warnings alone do not count, unless `--strict` is given.",
    "1": "Faults in the input, changes that are only shown, or a broken installation (`doctor`).",
    "2": "Wrong use, or a file that could not be read or written.",
    "130": "Stopped by Ctrl-C.",
    "141": "The reader of standard output has gone.",
}
ENVIRONMENT = {
    "NO_COLOR": "If set and not empty, disables colour, unless `--color always` is given.",
    "FORCE_COLOR": "If set and not empty, enables colour in pipes too; `NO_COLOR` and `--color never` prevail.",
    "TERM": "If `dumb` or `unknown`, disables colour, unless `FORCE_COLOR` or `--color always` enables it.",
    "COLUMNS": "The width of help and of coloured tables.",
    "EIGHTFOLD_ENGINE": "The engine: `native`, `python` or `reference`; `eightfold doctor` reports which is in use.",
    "EIGHTFOLD_SIMD": "The most that the compiled core uses of the processor: `portable`, `avx2` or `avx512` on "
    "x86-64, `portable` or `neon` on AArch64; by default, all that there is. Any other name is "
    "an error, except with another engine.",
    "XDG_STATE_HOME": "The folder in which `eightfold/` holds locks and the key of journals (default: "
    "`~/.local/state`). On Windows it is `LOCALAPPDATA`.",
}


class Block(NamedTuple):
    """Some lines of a description: prose to be refilled, or indented lines to be kept as they are."""

    verbatim: bool
    text: str


def blocks(text: str) -> Iterator[Block]:
    r"""Yield the blocks of a description.

    >>> [(block.verbatim, block.text) for block in blocks("Two\nlines:\n\n  PATH\n")]
    [(False, 'Two lines:'), (True, 'PATH')]
    """
    for (verbatim, blank), lines in groupby(text.splitlines(), lambda line: (line.startswith("  "), not line)):
        if not blank:
            given = list(lines)
            yield Block(verbatim, "\n".join(line[2:] for line in given) if verbatim else " ".join(given))
