"""`eightfold manual`: the manual page, and the page of the docs on the command line, made from the parsers.

What both have is in `contents`; how it is written down, in `as_roff` and `as_markdown`.
"""

from __future__ import annotations

from dataclasses import dataclass

from eightfold.cli.options.arguments import CommandParser, add_output_format
from eightfold.cli.output.ending import NOTHING_WRONG
from eightfold.cli.output.lines import put

FORMATS = ("roff", "markdown")


@dataclass
class Options:
    """The options of `manual`."""

    output_format: str = "roff"


def parser() -> CommandParser:
    """Return the parser of the command."""
    command = CommandParser(
        "manual",
        "[OPTIONS]",
        "Print the manual page, for man. It has the same contents as the `--help` of\nevery command.",
        [
            ("eightfold manual | man -l -", "read it (GNU/Linux)"),
            ("eightfold manual > ~/.local/share/man/man1/eightfold.1", "install it for `man eightfold`"),
            ("eightfold manual --output-format markdown > cli.md", "print it as a Markdown page"),
        ],
    )
    add_output_format(command, FORMATS)
    return command


def run(options: Options) -> int:
    """Print the manual; return the exit status."""
    if options.output_format == "markdown":
        from eightfold.cli.commands.manual.as_markdown import page
    else:
        from eightfold.cli.commands.manual.as_roff import page
    put(page(), end="")
    return NOTHING_WRONG
