"""The lines that commands write: results on standard output, messages on standard error."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress

from eightfold.cli.output.colour import Part, Styled, painted
from eightfold.files.path_text import shown


class OutputError(Exception):
    """Results cannot be written, for another reason than that their reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"{shown(_output)}: {error.strerror or error}")


_LONGEST_MESSAGE = 64 * 1024
"""The number of characters of a message that are shown; no path is that long."""
_ORIGINS_NAMED = 3
_output = "standard output"


@contextmanager
def results_in(path: str) -> Iterator[None]:
    """Let all results of the block go to a file, which is there when the block ends without an exception.

    Raises:
        FileError: it cannot be written.
    """
    global _output
    from io import TextIOWrapper

    from eightfold.files.parallel.signals import signals_held
    from eightfold.files.write.writing import replacing

    before, _output, stdout = _output, path, sys.stdout
    try:
        with replacing(path) as file:
            with signals_held():  # What nobody has yet would be closed with the file in it.
                text = TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
            with redirect_stdout(text):
                yield
            text.detach()
    finally:
        # A signal may have ended the redirection before it was undone.
        _output, sys.stdout = before, stdout


def put(*parts: Part, end: str = "\n") -> None:
    """Print a result, the parts of one line, on standard output.

    Raises:
        BrokenPipeError: its reader has gone. OutputError: it cannot be written for another reason.
    """
    if sys.stdout is None:
        raise OutputError(OSError(errno.EBADF, "it is closed"))
    text = parts[0] if len(parts) == 1 and isinstance(parts[0], str) else painted(sys.stdout, parts)
    try:
        sys.stdout.write(text + end)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error) from error


def say(*sentence: Part) -> None:
    """Print a message of the program, one line, on standard error."""
    point("eightfold: ", *sentence)


def point(*line: Part) -> None:
    """Print a line about a place in a file, which begins with that place, on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):  # There is no one left to report to.
            print(painted(sys.stderr, map(_fit, line)), file=sys.stderr)


def _fit(part: Part) -> Part:
    """Return a part of a message, limited in length and without characters that a terminal acts on."""
    if isinstance(part, Styled):
        return part._replace(text=shown(part.text, _LONGEST_MESSAGE))
    return shown(part, _LONGEST_MESSAGE)


def placed(path: str, place: tuple[int, int] | None) -> tuple[Part, ...]:
    """Return what a line about a place in a file begins with, as editors and compilers have it.

    Args:
        path: the file.
        place: line and column; None where they are not known.

    >>> from eightfold.cli.output.colour import painted
    >>> painted(None, placed("notes.txt", (3, 7)))
    'notes.txt:3:7: '
    """
    position = () if place is None else (":", Styled(f"{place[0]}:{place[1]}", "place"))
    return (Styled(shown(path), "path"), *position, ": ")


def counted(count: int, noun: str) -> str:
    """Return a number and its noun.

    >>> counted(1, "fault"), counted(2, "fault")
    ('1 fault', '2 faults')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def excluded_by(excluded: dict[str, int]) -> str:
    """Return how much configurations have excluded, and which did; empty if nothing.

    >>> excluded_by({"eightfold.toml": 2, "vendor/eightfold.toml": 1})
    '3 excluded (eightfold.toml, vendor/eightfold.toml)'
    """
    if not excluded:
        return ""
    names = [shown(origin) for origin in list(excluded)[:_ORIGINS_NAMED]] + ["…"] * (len(excluded) > _ORIGINS_NAMED)
    return f"{sum(excluded.values())} excluded ({', '.join(names)})"
