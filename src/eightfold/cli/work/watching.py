"""Messages while a command reads: its progress, and that there is no compiled core if the input is large."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from eightfold import ENGINE
from eightfold.cli.options.reading_options import ReadingOptions
from eightfold.cli.output.colour import LINES_ONLY
from eightfold.cli.output.lines import say
from eightfold.files.read.reading import STANDARD_INPUT
from eightfold.files.walk.walking import EVERYTHING, Selection


@contextmanager
def watched(options: ReadingOptions, paths: Sequence[str] | None, selection: Selection = EVERYTHING) -> Iterator[None]:
    """Show the progress of reading during the block, if messages go to a terminal.

    Without a compiled core, a line says so if much is read; and if someone is to type what is read, one says that.

    Args:
        options: say whether to show it.
        paths: the files to read; None if they are not known.
        selection: which files in folders are read.
    """
    if paths is not None and (not paths or STANDARD_INPUT in paths):
        _say_what_is_awaited()
    unseen = nullcontext() if options.no_progress else _progress(paths, selection.uncounted())
    with _core_missed(paths), unseen:
        yield


def _say_what_is_awaited() -> None:
    """Say that a command waits for the user, if standard input is a terminal."""
    if sys.stdin is not None and sys.stdin.isatty():
        end = "Ctrl-Z and Enter" if os.name == "nt" else "Ctrl-D"
        say(f"reading standard input; end it with {end} (--help shows what else can be read)")


def _core_missed(paths: Sequence[str] | None) -> AbstractContextManager[None]:
    if ENGINE == "native":
        return nullcontext()
    from eightfold.cli.output.slowness import core_missed

    return core_missed(paths)


def _progress(paths: Sequence[str] | None, selection: Selection) -> AbstractContextManager[None]:
    if sys.stderr is None or not sys.stderr.isatty() or os.environ.get("TERM", "") in LINES_ONLY:
        return nullcontext()
    from eightfold.cli.work.progress import progress

    return progress(paths, selection)
