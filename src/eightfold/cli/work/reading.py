"""How a command reads its files: the options of all commands that do, and whether somebody is shown how far it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass

from eightfold import ENGINE
from eightfold.cli.options.arguments import CommandParser
from eightfold.files.walk.walking import EVERYTHING, Selection

_LINES_ONLY = ("dumb", "unknown")
"""Terminals on which nothing can be taken away again."""


@dataclass
class Reading:
    """What the options of :func:`add_reading` say; the options of a command that has them inherit these.

    Attributes:
        form_is_given: whether there was a `-f`: without it a file that looks like another form is not read as UTF-8.
    """

    form_is_given: bool = False
    no_compression: bool = False
    no_progress: bool = False

    @property
    def unpack(self) -> bool:
        """Whether of compressed files what is in them is read."""
        return not self.no_compression


def add_reading(parser: CommandParser) -> None:
    """Take how files are read."""
    parser.add_argument(
        "--no-compression",
        action="store_true",
        help="take files whose names end in .gz, .bz2, .xz or .zst for the bytes that they are; else what is in them "
        "counts",
    )
    parser.add_argument(
        "--no-progress",
        action="store_true",
        help="do not show on a terminal how far reading has come, as rich does from the first second on",
    )


@contextmanager
def watched(options: Reading, paths: Sequence[str] | None, selection: Selection = EVERYTHING) -> Iterator[None]:
    """Show in the block how far reading has come, where there is a terminal for messages.

    Without a compiled core, a line says so if much is read.

    Args:
        options: say whether that is wanted.
        paths: what is read; None where that is not known.
        selection: what is taken of folders.
    """
    with _core_missed(paths), nullcontext() if options.no_progress else _progress(paths, selection):
        yield


def _core_missed(paths: Sequence[str] | None) -> AbstractContextManager[None]:
    if ENGINE == "native":
        return nullcontext()
    from eightfold.cli.output.missing_core import core_missed

    return core_missed(paths)


def _progress(paths: Sequence[str] | None, selection: Selection) -> AbstractContextManager[None]:
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM", "") in _LINES_ONLY:
        return nullcontext()
    from eightfold.cli.work.progress import progress

    return progress(paths, selection)
