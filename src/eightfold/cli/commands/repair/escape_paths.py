"""The JSON paths of the escapes that `repair` would replace, as `check` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eightfold.faults import ESCAPED_SURROGATE
from eightfold.files.read.escapes import Paths
from eightfold.files.read.reading import Source
from eightfold.forms import Form
from eightfold.reference import signed
from eightfold.repair import Change


class EscapePaths:
    """Adds the paths to the changes of a file, piece by piece.

    Args:
        source: the file.
        form: the form that it is in.
        lines: whether each line is a text of its own.
    """

    def __init__(self, source: Source, form: Form, *, lines: bool) -> None:
        self._paths = Paths(source, signed(form)[0], 0, lines=lines)
        self._held = b""
        self._start = 0

    def added(self, chunk: bytes, changes: Sequence[Change], settled: int) -> tuple[Change, ...]:
        """Return changes with their paths.

        Args:
            chunk: the next bytes of the file.
            changes: the next changes, in these bytes and in those before them.
            settled: the offset before which there are no more.

        Raises:
            FileError: the file cannot be read again.
        """
        content = self._held + chunk
        starts = [each.start - self._start for each in changes if each.kind == ESCAPED_SURROGATE]
        paths = iter(self._paths.of(content, starts) if starts else ())
        added = tuple(_with_path(changes, paths))
        end = settled - self._start
        self._paths.leave(content[:end])
        self._held, self._start = content[end:], settled
        return added


def _with_path(changes: Sequence[Change], paths: Iterator[str]) -> Iterator[Change]:
    for each in changes:
        yield replace(each, json_path=next(paths)) if each.kind == ESCAPED_SURROGATE else each
