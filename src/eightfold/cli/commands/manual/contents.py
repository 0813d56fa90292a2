"""What the manual says beside the commands, and how their descriptions fall into blocks, in whichever format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

STATUSES = {
    "0": "Nothing wrong; warnings alone, too, unless `--strict` says otherwise.",
    "1": "Faults in what was read, changes that are only shown, or a broken installation (`doctor`).",
    "2": "Wrong use, or a file that could not be read or written.",
    "130": "Stopped by Ctrl-C.",
    "141": "The reader of standard output has gone.",
}
ENVIRONMENT = {
    "NO_COLOR": "If it is set and not empty there is no colour, unless `--color always` asks for it.",
    "FORCE_COLOR": "If it is set and not empty there is colour in pipes too.",
    "TERM": "A terminal that is `dumb` gets no colour.",
    "COLUMNS": "How wide tables are in colour.",
    "EIGHTFOLD_ENGINE": "`native`, `python` or `reference`: the engine; `eightfold doctor` says which is in use.",
}


class Block(NamedTuple):
    """Some lines of a description: prose, to be filled anew, or, where they are indented, to be left as they are."""

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
