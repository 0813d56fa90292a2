"""Worker processes: each takes its share of the batches in turn; their results are read in the order of the batches.

Processes rather than threads: most work on a small file is done in Python, which runs one thread at a time. Each
process has one pipe, so it ends when this one does, for whatever reason. It waits until its results are read, so memory
does not grow.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from eightfold.files import FileError
from eightfold.files.parallel.signals import signals_held

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

Send = Callable[[Any], None]
BatchWork = Callable[[Any], None]
_SAFE_PATH = "PYTHONSAFEPATH"


ENDED = "a worker process ended too early"


class WorkerError(FileError):
    """A worker process has ended too early; the message is for commands that take ``-j``."""


class Workers:
    """Worker processes.

    Args:
        count: the number of processes.
        start: called once in each process with the settings and a function that sends part of a result; returns the
            function that is called with each batch. It must be importable by name.
        settings: passed to ``start``.

    Raises:
        FileError: the system has no more processes or open files for them; those that were started are ended.
    """

    def __init__(self, count: int, start: Callable[[Any, Send], BatchWork], settings: object) -> None:
        self._workers: list[tuple[SpawnProcess, Connection]] = []
        self._given = 0
        try:
            for _ in range(count):
                self._add(start, settings)
        except OSError as error:
            self.end()
            raise FileError("-j", f"{error.strerror or error}: try a smaller number") from error

    def _add(self, start: Callable[[Any, Send], BatchWork], settings: object) -> None:
        # Forking is not safe in a process with threads, and the caller may have some.
        from multiprocessing import get_context

        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, start, settings), daemon=True)
        with theirs, starting():
            process.start()
        self._workers.append((process, ours))

    def give(self, batch: object) -> Iterator[Any]:
        """Give a batch to the next process, and return the parts of its result as they arrive.

        The results must be taken in the order in which the batches were given.

        Raises:
            WorkerError: while a part is read: the process has ended, and the rest is unknown.
        """
        _, pipe = self._workers[self._given % len(self._workers)]
        self._given += 1
        with suppress(OSError):  # It has ended, as taking the result will say.
            pipe.send(batch)
        return _parts(pipe)

    def end(self) -> None:
        """Stop the processes, whatever they are doing."""
        with signals_held():  # A second signal must not interrupt the cleanup.
            for process, pipe in self._workers:
                pipe.close()
                process.kill()  # One that is starting hears nothing else.
            for process, _ in self._workers:
                process.join()


def _parts(pipe: Connection) -> Iterator[Any]:
    try:
        while (part := pipe.recv()) is not None:
            yield part
    except (EOFError, OSError):
        raise WorkerError("-j", f"{ENDED}; try -j 1") from None


@contextmanager
def starting() -> Iterator[None]:
    """Start a process that takes no module from the current folder, with the signals held back that stop a program.

    A half-started Python would print a traceback, and so would one that does not learn its task. It calls
    :func:`begun`.
    """
    # multiprocessing runs `python -c`, which would import multiprocessing.py of the tree that we are to check.
    given = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = given or "1"
    try:
        _start_tracker()
        with signals_held():
            yield
    finally:
        if given is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = given


def _start_tracker() -> None:
    """Start the resource tracker before signals are held back, because its start lets Ctrl-C through."""
    if sys.platform != "win32":
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()


def begun() -> None:
    """Let the signals come that were held back while this process started, but for Ctrl-C.

    That reaches the whole process group, and the process that started this one ends it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})


def _serve(pipe: Connection, start: Callable[[Any, Send], BatchWork], settings: object) -> None:
    begun()
    work = start(settings, pipe.send)
    with suppress(EOFError, OSError):
        while True:
            work(pipe.recv())
            pipe.send(None)
