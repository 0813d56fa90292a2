"""`--root`: the folder that the paths of a plan or a log are relative to, and that nothing in it leads out of."""

from __future__ import annotations

from collections.abc import Iterable

from eightfold.cli.options.arguments import CommandParser, file_argument
from eightfold.cli.output.ending import UsageError
from eightfold.files import FileError
from eightfold.files.path_text import shown
from eightfold.files.paths.roots import Root
from eightfold.files.read.reading import STANDARD_INPUT


def add_root(parser: CommandParser, record: str) -> None:
    """Add the option for the root of a record: a plan or a log."""
    parser.add_argument(
        "--root",
        type=file_argument,
        metavar="FOLDER",
        help=f"the folder that paths in the {record} are relative to and must not leave (default: the current one)",
    )


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
    """Return a path quoted for a shell, for a command line that is shown.

    >>> quoted("my plan.jsonl"), quoted("-plan.jsonl")
    ("'my plan.jsonl'", './-plan.jsonl')
    """
    import shlex

    return shlex.quote(shown(f"./{path}" if path.startswith("-") and path != STANDARD_INPUT else path))
