"""The command line: finds the command and runs it. Each command is one file here, imported when it is used.

A command's module has ``parser() -> CommandParser``, ``Options`` (a dataclass that the parser fills) and
``run(options) -> exit status``; :data:`COMMANDS` names it with its one line of help. Results go to standard output,
messages to standard error. Exit status 0: nothing wrong; 1: faults; 2: wrong use, or a file that could not be read or
written; 130 after Ctrl-C; 141 when the reader of a pipe has gone.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType

from eightfold.cli.options.arguments import CommandParser
from eightfold.cli.output import colour
from eightfold.cli.output.ending import WRONG_USE_OR_FILE, exit_status
from eightfold.forms import forms
from eightfold.version import __version__

COMMANDS: Mapping[str, str] = {
    "check": "find every place at which files are ill-formed",
    "convert": "convert files from one form to another, whole or not at all",
    "repair": "make files UTF-8, by a plan that can be shown, applied and undone",
    "names": "find names of files that are ill-formed, and rename them with a way back",
    "explain": "say what every sequence of a file is, and which rule it breaks",
    "identify": "say which form files are in",
    "table": "show the table of a form, or how all forms compare",
    "doctor": "say which engine is at work, and whether anything is broken",
    "completion": "print what makes a shell complete the command line",
    "manual": "print the manual page",
}
"""Each command with what it does, in one line."""
_KEPT_BYTES = 8 << 20
"""Some times what a piece of a file and its results take."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Args:
        argv: the arguments after the program's name; those of the process by default.

    >>> main(["--version"])  # doctest: +ELLIPSIS
    eightfold ...
    0
    """
    colour.choose("auto")
    if argv is None:
        _settle()
    given = sys.argv[1:] if argv is None else list(argv)
    _print_anything()
    return exit_status(lambda: _run(given), then_exits=argv is None)


def _settle() -> None:
    """Spare a process that does nothing else than this what takes time and is of no use to it."""
    # The C library gives memory back to the system, which clears it anew for the next piece of a file: a large block
    # that was given back tells glibc to keep what is smaller. It is never touched, so it takes no memory itself.
    bytes(_KEPT_BYTES)
    gc.freeze()  # The collector need not go through what was imported, for it stays,
    atexit.register(gc.freeze)  # nor at the end through what is left.


def _print_anything() -> None:
    """A name of a file that the terminal's encoding lacks is shown with escapes, and is no error."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(argv: list[str]) -> int:
    if argv and argv[0] in COMMANDS:
        module = command(argv[0])
        status: int = module.run(module.parser().options(argv[1:], module.Options()))
        return status
    if not argv:
        parser().print_help(sys.stderr)
        return WRONG_USE_OR_FILE
    parser().parse_args(argv)
    return 0


def command(name: str) -> ModuleType:
    """Import the module of a command.

    >>> command("check").parser().prog
    'eightfold check'
    """
    return importlib.import_module(f"eightfold.cli.commands.{name}")


def parser() -> CommandParser:
    """Return the parser of the program itself: its help lists the commands."""
    listed = [f"  {name:<10} {summary}" for name, summary in COMMANDS.items()]
    program = CommandParser(
        "",
        "COMMAND [OPTIONS] [PATH ...]",
        "Text that is not well-formed, and every UTF-8-shaped encoding of it.\n\ncommands:\n" + "\n".join(listed),
        [
            ("eightfold check notes.txt", "where is this file not UTF-8, and why?"),
            ("eightfold convert -f utf-16-le -t utf-8 -o out.txt in.txt", "the same text in another form"),
            ("eightfold COMMAND --help", "what a command does, with examples"),
        ],
        "\n" + _forms_listed(),
    )
    program.add_argument("--version", action="version", version=f"eightfold {__version__}", help="print the version")
    program.add_argument("command", type=_no_command, metavar="COMMAND", help="one of the commands above")
    return program


def _forms_listed() -> str:
    import textwrap

    names = " ".join(each.name for each in forms())
    lines = textwrap.wrap(names, 74, break_on_hyphens=False)
    lines += ["In files corrected-utf-8 begins with its magic number: it stands for the", "form with -sig there."]
    return "\n".join(("forms:", *(f"  {line}" for line in lines)))


def _no_command(name: str) -> str:
    import argparse
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the commands are {', '.join(COMMANDS)}"
    raise argparse.ArgumentTypeError(f"there is no {name!r}: {hint}")
