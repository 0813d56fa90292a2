"""What is shown while a command reads: how far it is, and that there is no compiled core if much is read without."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from eightfold import ENGINE
from eightfold.cli.options.reading_options import ReadingOptions
from eightfold.files.walk.walking import EVERYTHING, Selection

_LINES_ONLY = ("dumb", "unknown")
"""Terminals on which nothing can be taken away again."""


@contextmanager
def watched(options: ReadingOptions, paths: Sequence[str] | None, selection: Selection = EVERYTHING) -> Iterator[None]:
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
