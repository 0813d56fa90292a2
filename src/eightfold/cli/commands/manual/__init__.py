"""`eightfold manual`: the manual page, and the page of the docs on the command line, made from the parsers.

What both have is here; how it is written down is in the files `as_roff` and `as_markdown`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from eightfold.cli.options.arguments import CommandParser, OneOf
from eightfold.cli.output.ending import NOTHING_WRONG
from eightfold.cli.output.lines import put

FORMATS = ("roff", "markdown")
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


@dataclass
class Options:
    """What `manual` is asked for."""

    output_format: str = "roff"


class Block(NamedTuple):
    """Some lines of a description: prose, to be filled anew, or, where they are indented, to be left as they are."""

    verbatim: bool
    text: str


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "manual",
        "[OPTIONS]",
        "Print the manual page, for man. It says what `--help` says of every command, and\n"
        "is made from the same words.",
        [
            ("eightfold manual | man -l -", "read it (GNU/Linux)"),
            ("eightfold manual > ~/.local/share/man/man1/eightfold.1", "keep it, for `man eightfold`"),
            ("eightfold manual --output-format markdown > cli.md", "the same as a page of documentation"),
        ],
    )
    command.add_argument(
        "--output-format", type=OneOf(FORMATS), metavar="FORMAT", help=f"{' or '.join(FORMATS)} (default: roff)"
    )
    return command


def run(options: Options) -> int:
    """Print the manual; return the exit status."""
    if options.output_format == "markdown":
        from eightfold.cli.commands.manual.as_markdown import page
    else:
        from eightfold.cli.commands.manual.as_roff import page
    put(page(), end="")
    return NOTHING_WRONG


def blocks(text: str) -> Iterator[Block]:
    r"""Yield the blocks of a description.

    >>> [(block.verbatim, block.text) for block in blocks("Two\nlines:\n\n  PATH\n")]
    [(False, 'Two lines:'), (True, 'PATH')]
    """
    for (verbatim, blank), lines in groupby(text.splitlines(), lambda line: (line.startswith("  "), not line)):
        if not blank:
            given = list(lines)
            yield Block(verbatim, "\n".join(line[2:] for line in given) if verbatim else " ".join(given))
