"""The lines that commands write: results on standard output, messages on standard error."""

from __future__ import annotations

import sys
from contextlib import suppress


class OutputError(Exception):
    """Standard output cannot be written, for another reason than that its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output: {error.strerror or error}")


def put(text: str, end: str = "\n") -> None:
    """Print a result on standard output.

    Raises:
        BrokenPipeError: its reader has gone. OutputError: it cannot be written for another reason.
    """
    try:
        print(text, end=end)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error) from error


def say(sentence: str) -> None:
    """Print a message of the program, one line, on standard error."""
    point(f"eightfold: {sentence}")


def point(line: str) -> None:
    """Print a line about a place in a file, which begins with that place, on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):  # Nobody is left to be told.
            print(line, file=sys.stderr)


def counted(count: int, noun: str) -> str:
    """Return a number and its noun.

    >>> counted(1, "fault"), counted(2, "fault")
    ('1 fault', '2 faults')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
