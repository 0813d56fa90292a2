"""How the program ends: its exit statuses, and quietly when its reader has gone or someone stops it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from eightfold.cli.output.lines import OutputError, say
from eightfold.files import FileError

NOTHING_WRONG = 0
FAULTS = 1
WRONG_USE_OR_FILE = 2
_INTERRUPTED = 130
_READER_GONE = 141
"""What a shell reports of a program that a broken pipe (signal 13) has ended; `set -o pipefail` expects it."""

_STOPPING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


_PATIENCE = 1.0
"""For how many seconds a program that was stopped waits until its last results are read."""


class UsageError(Exception):
    """The command line asks for what cannot be done; the message says so in one line."""


class _Stopped(SystemExit):
    """A signal ends the program."""

    def __init__(self, number: int) -> None:
        self.status = 128 + number
        super().__init__(self.status)


class _UnreadError(Exception):
    """What standard output still holds is not read in time."""


_undisturbed = False


def end_undisturbed() -> None:
    """Let no signal end the command from now on: all is done, and its exit status must say so."""
    global _undisturbed
    if threading.current_thread() is threading.main_thread():
        _undisturbed = True
        for number in (signal.SIGINT, *_STOPPING):
            signal.signal(number, signal.SIG_IGN)


def exit_status(run: Callable[[], int], *, then_exits: bool = False) -> int:
    """Run a command and return its exit status, whatever ends it; only our own defects leave a traceback.

    Args:
        run: the command.
        then_exits: whether the process ends next.
    """
    try:
        with _cleaning_up_when_stopped(then_exits):
            status = run()
            _flush()
            return status
    except (KeyboardInterrupt, _Stopped) as stop:
        with _hurrying():
            _leave_output()
        return stop.status if isinstance(stop, _Stopped) else _INTERRUPTED
    except SystemExit as stop:
        status = _status_after_help(stop.code if isinstance(stop.code, int) else NOTHING_WRONG)
    except BrokenPipeError:
        status = _READER_GONE
    except (UsageError, FileError, OutputError) as error:
        say(str(error))
        status = WRONG_USE_OR_FILE
    except FileNotFoundError:
        if _has_current_folder():
            raise
        say("the current folder was removed: change to another one")
        status = WRONG_USE_OR_FILE
    except MemoryError:
        say("not enough memory")
        status = WRONG_USE_OR_FILE
    _leave_output()
    return status


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _status_after_help(status: int) -> int:
    """Return the exit status of help or a version that was printed, once it is seen to be written."""
    try:
        _flush()
    except BrokenPipeError:
        return _READER_GONE
    except OutputError as error:
        say(str(error))
        return WRONG_USE_OR_FILE
    return status


def _flush() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error) from error


def _leave_output() -> None:
    """Flush what standard output still holds, or if that fails let it go nowhere: Python would complain at exit."""
    try:
        _flush()
    except (OutputError, BrokenPipeError, KeyboardInterrupt, _UnreadError):
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())


@contextmanager
def _hurrying() -> Iterator[None]:
    """Raise :class:`_UnreadError` if the block takes long: the reader of a full pipe may never continue."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _give_up)
    # Again and again: an alarm that comes just before a call begins to wait does not end it.
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _give_up(number: int, frame: FrameType | None) -> NoReturn:
    raise _UnreadError


@contextmanager
def _cleaning_up_when_stopped(then_exits: bool) -> Iterator[None]:
    """Make a signal that ends the program unwind it first, so that temporary files are removed."""
    global _undisturbed
    _undisturbed = False
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_STOPPING)}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, _stop)
        elif handler is signal.default_int_handler:
            signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None and not (_undisturbed and then_exits):
                signal.signal(number, handler)


def _stop(number: int, frame: FrameType | None) -> None:
    if not _is_stopping():
        raise _Stopped(number)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if not _is_stopping():
        raise KeyboardInterrupt


def _is_stopping() -> bool:
    """Return whether the program is cleaning up after a signal, which a second one must not interrupt.

    `timeout` sends two: one to the process and one to its group.
    """
    error = sys.exception()
    while error is not None and not isinstance(error, (_Stopped, KeyboardInterrupt)):
        error = error.__context__
    return error is not None
