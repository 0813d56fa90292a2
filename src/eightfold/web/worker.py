"""A process that answers questions within a time limit: work that exceeds it ends with the process.

Threads cannot be stopped, so the limit needs a process. There is one, which answers one question after another.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from eightfold.files.parallel.processes import begun, starting
from eightfold.web.api import WrongRequestError
from eightfold.web.api import answer as answer_question

Answering = Callable[[str, Any], dict[str, Any]]
SECONDS = 10.0
_SECONDS_BETWEEN_KILLS = 0.05


class TookTooLongError(Exception):
    """A question was not answered in time."""


class Worker:
    """Answers questions in a process of its own.

    Args:
        answering: a function of a module, which the process imports.
        seconds: how long an answer may take, including the wait for questions before it.
    """

    def __init__(self, answering: Answering = answer_question, seconds: float = SECONDS) -> None:
        self._answering = answering
        self._seconds = seconds
        self._turn = threading.Lock()
        self._is_closed = False
        self._process: Any = None
        self._pipe: Connection | None = None

    def answer(self, name: str, request: Any) -> dict[str, Any]:
        """Answer a question.

        Raises:
            TookTooLongError: there is no answer within the time limit, or before the worker is closed.
            WrongRequestError: the request is nested too deeply for the process to be told.
            Exception: the function raised it.
        """
        deadline = time.monotonic() + self._seconds
        if not self._turn.acquire(timeout=self._seconds):
            raise TookTooLongError
        try:
            if self._is_closed:
                raise TookTooLongError
            pipe = self._pipe if self._process is not None and self._process.is_alive() else self._start()
            return self._asked(pipe or self._start(), (name, request), deadline)
        finally:
            self._turn.release()

    def _asked(self, pipe: Connection, question: tuple[str, Any], deadline: float) -> dict[str, Any]:
        try:
            pipe.send(question)
            if pipe.poll(max(0.0, deadline - time.monotonic())):
                found = pipe.recv()
                if isinstance(found, Exception):
                    raise found
                given: dict[str, Any] = found
                return given
        except RecursionError:  # While pickling: nothing has been sent.
            raise WrongRequestError("the request is nested too deeply") from None
        except (EOFError, OSError) as error:
            self._end()
            raise TookTooLongError from error
        self._end()
        raise TookTooLongError

    def _start(self) -> Connection:
        self._end()
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self._answering), daemon=True)
        with starting():
            process.start()
        self._process = process
        theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def start(self) -> None:
        """Start the process before the first question, so that nobody waits for it."""
        with self._turn:
            self._start()

    def close(self) -> None:
        """End the process, and with it the wait of everyone who has asked."""
        self._is_closed = True
        while not self._turn.acquire(timeout=_SECONDS_BETWEEN_KILLS):
            if process := self._process:
                process.kill()
        try:
            self._end()
        finally:
            self._turn.release()


def _serve(pipe: Connection, answering: Answering) -> None:
    begun()
    while True:
        try:
            name, request = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            found: Any = answering(name, request)
        except Exception as error:
            found = error
        pipe.send(found)


__all__ = ["Answering", "TookTooLongError", "Worker"]
