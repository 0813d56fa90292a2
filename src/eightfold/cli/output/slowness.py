"""Reporting that work is slow because there is no compiled core. What to do about it is looked up only then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from eightfold.cli.output.lines import say
from eightfold.files.read.reading import READ

_MUCH = 16 * 1024 * 1024
"""The number of input bytes from which a missing core matters."""


@contextmanager
def core_missed(paths: Sequence[str] | None) -> Iterator[None]:
    """Report once that there is no core if the block reads more than 16 MB: at its beginning, or at its end.

    Args:
        paths: the files to read; None if they are not known.
    """
    before, said = READ.bytes, sum(map(_size, paths or ())) > _MUCH
    if said:
        _say_missing()
    try:
        yield
    finally:
        if not said and READ.bytes - before > _MUCH:
            _say_missing()


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def _say_missing() -> None:
    from eightfold.cli.output.missing_core import missing_core

    if missing := missing_core():
        say(missing)
