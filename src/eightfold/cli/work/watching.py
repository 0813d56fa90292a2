"""Messages while a command reads: its progress, and that there is no compiled core if the input is large."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from eightfold import ENGINE
from eightfold.cli.options.reading_options import ReadingOptions
from eightfold.files.walk.walking import EVERYTHING, Selection

_LINES_ONLY = ("dumb", "unknown")
"""Terminals that cannot erase text."""


@contextmanager
def watched(options: ReadingOptions, paths: Sequence[str] | None, selection: Selection = EVERYTHING) -> Iterator[None]:
    """Show the progress of reading during the block, if messages go to a terminal.

    Without a compiled core, a line says so if much is read.

    Args:
        options: say whether to show it.
        paths: the files to read; None if they are not known.
        selection: which files in folders are read.
    """
    with _core_missed(paths), nullcontext() if options.no_progress else _progress(paths, selection):
        yield


def _core_missed(paths: Sequence[str] | None) -> AbstractContextManager[None]:
    if ENGINE == "native":
        return nullcontext()
    from eightfold.cli.output.slowness import core_missed

    return core_missed(paths)


def _progress(paths: Sequence[str] | None, selection: Selection) -> AbstractContextManager[None]:
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM", "") in _LINES_ONLY:
        return nullcontext()
    from eightfold.cli.work.progress import progress

    return progress(paths, selection)
