"""`--root`: the folder that the paths of a plan or a log are relative to, and that nothing in it leads out of."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

from eightfold.cli.options.arguments import CommandParser, place_argument
from eightfold.cli.output.ending import UsageError
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.roots import Root
from eightfold.files.read.reading import STANDARD_INPUT


def add_root(parser: CommandParser, record: str) -> None:
    """Add the option for the root of a record: a plan or a log."""
    parser.add_argument(
        "--root",
        type=root_argument,
        metavar="FOLDER",
        help=f"the folder that paths in the {record} are relative to and must not leave (default: the current one)",
    )


def root_argument(given: str) -> str:
    """Return the path of a root, which may not exist.

    Raises:
        argparse.ArgumentTypeError: it is empty, or leads to something that is not a folder.
    """
    path = place_argument(given)
    if os.path.exists(path) and not os.path.isdir(path):
        raise argparse.ArgumentTypeError(f"{shown(path)} is not a folder: --root names one that contains the files")
    return path


def inside(root: Root, paths: Iterable[str]) -> dict[str, str]:
    """Return the paths that were given, each with its path from the root on; standard input is itself.

    Raises:
        UsageError: one lies elsewhere.
    """
    try:
        return {path: path if path == STANDARD_INPUT else root.relative(path) for path in paths}
    except FileError as error:
        raise UsageError(str(error)) from error


def root_option(root: Root) -> str:
    """Return what a command line needs to find the root again, with a space before it."""
    return f" --root {quoted(root.path)}" if root.path else ""


def quoted(path: str) -> str:
    r"""Return a path quoted for a shell, for a command line that is shown.

    What is not printable is given as bytes in octal, in quotes that bash, zsh, ksh and POSIX 2024 know.

    >>> print(quoted("my plan.jsonl"), quoted("-plan.jsonl"), quoted("caf\udce9's.jsonl"))
    'my plan.jsonl' ./-plan.jsonl $'caf\351\'s.jsonl'
    """
    import shlex

    named = f"./{path}" if path.startswith("-") and path != STANDARD_INPUT else path
    if named.isprintable():
        return shlex.quote(named)
    return f"$'{''.join(map(_in_quotes, named))}'"


def _in_quotes(character: str) -> str:
    if character in "'\\":
        return f"\\{character}"
    return character if character.isprintable() else "".join(f"\\{byte:03o}" for byte in os.fsencode(character))
