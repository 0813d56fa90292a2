"""Progress: a line at the bottom of the terminal while files are read, from the first second on.

It is drawn on standard error where that is a terminal, and nowhere else, by rich where that is installed; without it
there is none, as there is no colour: a plain install writes plain lines. It looks at what :data:`READ` counts, so that
nothing that reads knows of it. Results and messages that go to a terminal go above it; the bytes of a file that go to a
terminal end it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from threading import Event, RLock, Thread
from time import monotonic
from typing import Any, TextIO, cast

from eightfold.cli.output.colour import can_draw, is_on
from eightfold.cli.output.lines import counted
from eightfold.cli.work.inputs import files_of
from eightfold.files.paths.addresses import is_remote
from eightfold.files.read.reading import READ, STANDARD_INPUT
from eightfold.files.walk.walking import Selection

AFTER_SECONDS = 1.0
_EVERY_SECONDS = 0.1
_WALKING_SECONDS = 0.03
"""How much of that time may be spent on measuring how much there is to read."""
_ERASE = "\r\x1b[2K"


@contextmanager
def progress(paths: Sequence[str] | None, selection: Selection) -> Iterator[None]:
    """Show the progress of reading on standard error, which is a terminal, while the block runs.

    Args:
        paths: the files to read; None if they are not known.
        selection: which files in folders are read.
    """
    line = _ProgressLine(sys.stderr)
    ended = Event()
    drawing = Thread(target=_draw, args=(line, ended, _Total(paths, selection)), daemon=True)
    with ExitStack() as stack:
        stack.enter_context(redirect_stderr(_above(sys.stderr, line)))
        if sys.stdout is not None and sys.stdout.isatty():
            stack.enter_context(redirect_stdout(_above(sys.stdout, line)))
        stack.callback(line.end)
        stack.callback(drawing.join)
        stack.callback(ended.set)
        drawing.start()
        yield


class _ProgressLine:
    """The line, and whether it can be seen."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal
        self._lock = RLock()
        self._shown = self._ended = False
        self._amid = False

    @property
    def columns(self) -> int:
        """Its maximum length in characters."""
        with suppress(OSError):
            return max(1, os.get_terminal_size(self.terminal.fileno()).columns - 1)
        return 79

    def draw(self, text: str) -> None:
        """Show it, unless other output has begun a line."""
        with self._lock:
            if not (self._amid or self._ended):
                self._put(_ERASE + text)
                self._shown = True

    @contextmanager
    def away(self, text: str) -> Iterator[None]:
        """Hide it while text is written to the terminal."""
        with self._lock:
            self._erase()
            yield
            self._amid = not text.endswith("\n") if text else self._amid

    def end(self) -> None:
        """Remove it for good."""
        with self._lock:
            self._erase()
            self._ended = True

    def _erase(self) -> None:
        if self._shown:
            self._put(_ERASE)
            self._shown = False

    def _put(self, text: str) -> None:
        with suppress(OSError):  # There is no one left to show it to.
            self.terminal.write(text)
            self.terminal.flush()


class _Above:
    """A stream to the terminal: what is written to it goes above the line."""

    def __init__(self, stream: TextIO, line: _ProgressLine) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        with self._line.away(text):
            return self._stream.write(text)

    @property
    def buffer(self) -> Any:
        """The stream of bytes, which may be anything, so the line ends."""
        self._line.end()
        return self._stream.buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _above(stream: TextIO, line: _ProgressLine) -> TextIO:
    return cast(TextIO, _Above(stream, line))


class _Total:
    """How much there is to read, measured little by little."""

    def __init__(self, paths: Sequence[str] | None, selection: Selection) -> None:
        self._files = iter(()) if paths is None else files_of(paths, lambda error: None, selection)
        self._known = paths is not None
        self._whole = False
        self.files = 0
        self.bytes = 0

    def measure(self, seconds: float) -> None:
        """Measure more files, for this long."""
        until = monotonic() + seconds
        while not self._whole and monotonic() < until:
            path = next(self._files, None)
            self._whole = path is None
            if path is not None:
                self._add(path)

    def _add(self, path: str) -> None:
        self.files += 1
        if path == STANDARD_INPUT or is_remote(path):
            self._known = False
            return
        with suppress(OSError):  # Reading it will report the error.
            self.bytes += os.stat(path).st_size

    @property
    def is_known(self) -> bool:
        """Whether all files are counted and all sizes are known."""
        return self._known and self._whole


def _draw(line: _ProgressLine, ended: Event, total: _Total) -> None:
    if ended.wait(AFTER_SECONDS) or not can_draw():
        return
    rendered = _rendering(line, total)
    while not ended.wait(_EVERY_SECONDS):
        total.measure(_WALKING_SECONDS)
        line.draw(rendered())


def _rendering(line: _ProgressLine, total: _Total) -> Callable[[], str]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    colours: Any = "standard" if is_on(line.terminal) else None
    console = Console(file=line.terminal, force_terminal=True, color_system=colours, legacy_windows=False)
    bar, size, files = BarColumn(20), DownloadColumn(), TextColumn("{task.description}")
    shown = Progress(
        bar, TaskProgressColumn(), size, TransferSpeedColumn(), files, TimeRemainingColumn(), console=console
    )
    task = shown.add_task("", total=None)

    def rendered() -> str:
        of = f"/{total.files}" if total.is_known else ""
        wanted = max(total.bytes, READ.bytes) if total.is_known else None
        shown.update(task, total=wanted, completed=READ.bytes, description=_files(READ.files, of))
        console.width = line.columns
        with console.capture() as captured:
            console.print(shown.get_renderable(), end="")
        return captured.get().partition("\n")[0]

    return rendered


def _files(count: int, of: str) -> str:
    return counted(count, "file").replace(" ", f"{of} ")
