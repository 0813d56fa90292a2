"""Processes that work on batches, each its share in turn, while their results are taken in the order of the batches.

Processes and no threads: what is done for a small file is done by Python, of which one thread runs at a time. Each
process has one pipe, so it ends when we do, however we end; and it waits with its results until they are taken, so
that memory grows with neither.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from eightfold.files import FileError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Send = Callable[[Any], None]
BatchWork = Callable[[Any], None]


class Workers:
    """Processes that work.

    Args:
        count: how many.
        start: called once in each process with the settings, and with what sends a part of a result; returns what is
            called with each batch. It must be importable by its name.
        settings: what the work needs to know.
    """

    def __init__(self, count: int, start: Callable[[Any, Send], BatchWork], settings: object) -> None:
        # Forking is not safe where there are threads, and we cannot know whose there are.
        from multiprocessing import get_context

        context = get_context("spawn")
        self._workers = []
        self._given = 0
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, start, settings), daemon=True)
            with _interrupts_held():
                process.start()
            theirs.close()
            self._workers.append((process, ours))

    def give(self, batch: object) -> Iterator[Any]:
        """Give a batch to the next process, and return the parts of its result, as they come.

        The results must be taken in the order in which the batches were given.

        Raises:
            FileError: while a part is taken: the process has ended, and the rest is not known.
        """
        _, pipe = self._workers[self._given % len(self._workers)]
        self._given += 1
        with suppress(OSError):  # It has ended, as taking the result will say.
            pipe.send(batch)
        return _parts(pipe)

    def end(self) -> None:
        """Let the processes end, whatever they are at."""
        for process, pipe in self._workers:
            pipe.close()
            process.terminate()
        for process, _ in self._workers:
            process.join()


def _parts(pipe: Connection) -> Iterator[Any]:
    try:
        while (part := pipe.recv()) is not None:
            yield part
    except (EOFError, OSError):
        raise FileError("-j", "a worker process ended too early; try -j 1") from None


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Have a process start with Ctrl-C held back, as it is not for it, nor to be reported by a Python half started."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, start: Callable[[Any, Send], BatchWork], settings: object) -> None:
    # Ctrl-C is for the whole group of processes; who has started us ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work = start(settings, pipe.send)
    with suppress(EOFError, OSError):
        while True:
            work(pipe.recv())
            pipe.send(None)
