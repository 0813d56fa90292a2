"""The command line: finds the command and runs it. The commands are in :mod:`eightfold.cli.commands`.

Results go to standard output, messages to standard error. Exit status 0: nothing wrong; 1: faults; 2: wrong use, a file
that could not be read or written, or not enough memory; 130 after Ctrl-C; 143 and 129 after the signals SIGTERM and
SIGHUP; 141 when the reader of a pipe has gone.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Sequence

from eightfold.cli.commands import COMMANDS, command
from eightfold.cli.output import colour
from eightfold.cli.output.ending import WRONG_USE_OR_FILE, exit_status

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
    """Skip work that only a longer-lived process would need."""
    # The C library returns memory to the system, which clears it again for the next piece of a file. A large block
    # that was freed makes glibc keep smaller ones. It is never touched, so it uses no memory itself.
    bytes(_KEPT_BYTES)
    gc.freeze()  # The collector can skip imported objects, which stay,
    atexit.register(gc.freeze)  # and at exit everything that is left.


def _print_anything() -> None:
    """Show escapes for characters that the terminal's encoding lacks, rather than fail."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(argv: list[str]) -> int:
    if argv[:1] == ["--"]:  # It ends the options before the command, of which there are none.
        argv = argv[1:]
    if argv and argv[0] in COMMANDS:
        module = command(argv[0])
        status: int = module.run(module.parser().options(argv[1:], module.Options()))
        return status
    from argparse import Namespace

    from eightfold.cli.commands.program import parser

    if not argv:
        parser().print_help(sys.stderr)
        return WRONG_USE_OR_FILE
    parser().options(argv, Namespace())
    return 0
