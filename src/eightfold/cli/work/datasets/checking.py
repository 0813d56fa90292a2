"""The check of a dataset: what a worker finds in a piece, and the report of all pieces file by file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from eightfold.cli.options.arguments import end_named
from eightfold.cli.output.reports.findings import Cell, Checked, Context
from eightfold.cli.output.reports.report import Report
from eightfold.cli.work.checking import FileCheck, Task
from eightfold.cli.work.datasets.pieces import Piece, opened, span_of
from eightfold.files import FileError
from eightfold.files.read.scanning import first_faults_in, moved
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.stream import Located

MOST_FAULTS = 1000
"""How many faults of a file are reported by default; all are counted."""


class PieceChecked(NamedTuple):
    """What a worker found in a piece.

    Attributes:
        piece: the piece.
        checked: the verdict and the counts.
        found: the faults to report; places in a piece of text are relative to it.
        said: messages.
        is_binary: whether it is a binary file, which is not checked.
        end: line and column of the end of a piece of text, if it begins at 1:1.
    """

    piece: Piece
    checked: Checked
    found: tuple[Located | Cell, ...] = ()
    said: tuple[str, ...] = ()
    is_binary: bool = False
    end: tuple[int, int] = (1, 1)


@dataclass(frozen=True)
class Checking:
    """The work of a worker: called with a piece.

    Attributes:
        task: the options; at most so many faults of each piece are returned.
    """

    task: Task

    def __call__(self, piece: Piece) -> PieceChecked:
        """Check a piece."""
        collected = _Collected(piece)
        if piece.kind or not piece.is_whole:
            self._check(piece, collected)
        else:
            FileCheck(self.task, collected).check(_as_found(piece))
        return collected.result()

    def _check(self, piece: Piece, collected: _Collected) -> None:
        form, checked = end_named(self.task.form or UTF_8.name), Checked(piece.path)
        found = _in_table(piece, form, self.task) if piece.kind else collected.in_span(piece, form, self.task)
        try:
            for each in found:
                checked.form = form.name  # it could be opened
                if isinstance(each, Counter):
                    checked.hide(each)
                else:
                    checked.tally.count(each)
                    collected.found.append(each)
            checked.form, checked.size = form.name, piece.bytes
        except FileError as error:
            collected.tell(str(error))
            checked.error = error.reason
        collected.end_file(checked)


def _as_found(piece: Piece) -> Any:
    from eightfold.files.walk.walking import Found

    return Found(piece.path, piece.inside.encode("utf-8", "surrogateescape"), True)


def _in_table(piece: Piece, form: Form, task: Task) -> Iterator[Cell | Counter[str]]:
    from eightfold.cli.work.tables import first_cells_in
    from eightfold.columns.table_files import reading

    task.check_table(piece.path, piece.kind, form)
    with opened(piece.path) as file, reading(piece.path, piece.kind, file) as reader:
        yield from first_cells_in(piece.path, reader, form, task.max_faults)


class _Collected(Report):
    """Keeps what a check reports, to be sent."""

    def __init__(self, piece: Piece) -> None:
        super().__init__()
        self._piece = piece
        self._checked = Checked(piece.path)
        self._said: list[str] = []
        self._is_binary = False
        self._end = (1, 1)
        self.found: list[Located | Cell] = []

    def in_span(self, piece: Piece, form: Form, task: Task) -> Iterator[Located | Counter[str]]:
        """Yield the faults of a piece of text, and the counts of those beyond the limit."""
        most = sys.maxsize if task.max_faults is None else task.max_faults
        with span_of(piece) as (source, span):
            yield from first_faults_in(source, form, most)
            self._end = (span.line, span.column)

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        self.found.append(found)

    def cell(self, path: str, found: Cell) -> None:
        self.found.append(found)

    def end_file(self, checked: Checked) -> None:
        self._checked = checked

    def skip_binary(self, path: str) -> None:
        self._is_binary = True

    def tell(self, sentence: str) -> None:
        self._said.append(sentence)

    def result(self) -> PieceChecked:
        """Return it."""
        found, said = tuple(self.found), tuple(self._said)
        return PieceChecked(self._piece, self._checked, found, said, self._is_binary, self._end)


def report_on(results: Iterable[PieceChecked], report: Report, most: int | None) -> None:
    """Report the results of all pieces, file by file.

    Args:
        results: in the order of the pieces.
        report: receives them.
        most: the maximum number of faults of a file to report.
    """
    for _, same in groupby(results, key=attrgetter("piece.path")):
        _report_file(same, report, most)


def _report_file(results: Iterable[PieceChecked], report: Report, most: int | None) -> None:
    whole, shown, (line, column) = Checked(""), 0, (1, 1)
    for result in results:
        piece, checked = result.piece, result.checked
        if result.is_binary:
            report.skip_binary(piece.path)
            return
        if not piece.number:
            whole.path, whole.form = checked.path, checked.form
            report.begin_file(checked.path, checked.form)
        for sentence in result.said:
            report.tell(sentence)
        for each in result.found[: None if most is None else most - shown]:
            _report(each, piece, report, line, column)
            shown += 1
        whole.tally.add(checked.tally)
        whole.size += checked.size
        whole.error, whole.looks_like = whole.error or checked.error, whole.looks_like or checked.looks_like
        line, column = line + result.end[0] - 1, result.end[1] + (column - 1 if result.end[0] == 1 else 0)
    whole.hidden = whole.tally.faults - shown
    if whole.error:
        whole.size = 0
    report.end_file(whole)


def _report(found: Located | Cell, piece: Piece, report: Report, line: int, column: int) -> None:
    if isinstance(found, Cell):
        report.cell(piece.path, found)
    elif piece.number:
        report.fault(piece.path, moved(found, found.fault.form, piece.start, line, column), None)
    else:
        report.fault(piece.path, found, None)


__all__ = ["MOST_FAULTS", "Checking", "PieceChecked", "report_on"]
