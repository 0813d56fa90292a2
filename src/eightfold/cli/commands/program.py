"""The parser of the program itself: its help lists the commands."""

from __future__ import annotations

from eightfold.cli.commands import COMMANDS
from eightfold.cli.options.arguments import CommandParser
from eightfold.forms import forms
from eightfold.version import __version__


def parser() -> CommandParser:
    """Return the parser of the program itself: its help lists the commands."""
    listed = [f"  {name:<10} {summary}" for name, summary in COMMANDS.items()]
    program = CommandParser(
        "",
        "COMMAND [OPTIONS] [PATH ...]",
        "Check, convert, repair and explain text in every UTF-8-shaped encoding.\n\ncommands:\n" + "\n".join(listed),
        [
            ("eightfold check notes.txt", "where is this file not UTF-8, and why?"),
            ("eightfold convert -f utf-16-le -t utf-8 -o out.txt in.txt", "the same text in another form"),
            ("eightfold COMMAND --help", "what a command does, with examples"),
        ],
        "\n" + _forms_listed(),
    )
    program.add_argument(
        "-V", "--version", action="version", version=f"eightfold {__version__}", help="print the version"
    )
    program.add_argument("command", nargs="?", type=_no_command, metavar="COMMAND", help="one of the commands above")
    return program


def _forms_listed() -> str:
    import textwrap

    names = " ".join(each.name for each in forms())
    lines = textwrap.wrap(names, 74, break_on_hyphens=False)
    lines += ["For files, corrected-utf-8 means corrected-utf-8-sig, which begins with its", "magic number."]
    return "\n".join(("forms:", *(f"  {line}" for line in lines)))


def _no_command(name: str) -> str:
    import argparse
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the commands are {', '.join(COMMANDS)}"
    raise argparse.ArgumentTypeError(f"unknown command {name!r}: {hint}")
