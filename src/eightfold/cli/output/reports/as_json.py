"""`check` as one JSON object, written as it goes, so that memory grows neither with a file nor with its faults.

A file's verdict is known last, so it comes after its faults. Every fault has a line of its own. What a fault, a file
and the summary are in JSON is here for all formats that are JSON; it is stable from 1.0.
"""

from __future__ import annotations

import json
from typing import Any

from eightfold.cli.output.lines import put
from eightfold.cli.output.reports.findings import Cell, Checked, Context, Summary, Tally
from eightfold.cli.output.reports.report import Report
from eightfold.files.path_text import reported
from eightfold.stream import Located
from eightfold.version import __version__


class JsonReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`."""

    lists_all: bool = True

    def __init__(self) -> None:
        super().__init__()
        self._files = 0
        self._faults = 0

    def begin(self) -> None:
        """Open the object."""
        put(f'{{"version": {json.dumps(__version__)}, "files": [', end="")

    def begin_file(self, path: str, form: str) -> None:
        """Open the object of a file."""
        separator = "," if self._files else ""
        self._files, self._faults = self._files + 1, 0
        put(f'{separator}\n{json.dumps(_file(path, form))[:-1]}, "faults": [', end="")

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write a fault."""
        self._put(fault_values(found, context))

    def cell(self, path: str, found: Cell) -> None:
        """Write a fault of a table."""
        self._put(cell_values(found))

    def _put(self, values: dict[str, Any]) -> None:
        separator = "," if self._faults else ""
        self._faults += 1
        put(f"{separator}\n  {json.dumps(values)}", end="")

    def put_verdict(self, checked: Checked) -> None:
        """Close the object of a file, with its verdict."""
        put(f"], {json.dumps(_verdict(checked))[1:]}", end="")

    def end(self) -> None:
        """Close the object, with the summary."""
        put(f'\n], "summary": {json.dumps(summary_values(self.summary))}}}')


def fault_values(found: Located, context: Context | None) -> dict[str, Any]:
    """Return a fault as JSON values."""
    values = {**found.fault.as_dict(), "line": found.line, "column": found.column}
    return values if context is None else {**values, "context": context._asdict()}


def cell_values(found: Cell) -> dict[str, Any]:
    """Return a fault of a table as JSON values: it has no line, and its offsets are those in the value."""
    cell = {"column": found.column, "row": found.row}
    return {**found.fault.as_dict(), "line": None, "column": None, "cell": cell}


def file_values(checked: Checked) -> dict[str, Any]:
    """Return a file as JSON values, without its faults."""
    return {**_file(checked.path, checked.form), **_verdict(checked)}


def summary_values(summary: Summary) -> dict[str, Any]:
    """Return the summary of all files as JSON values."""
    return {
        "files": summary.files,
        "well_formed": summary.well_formed,
        "unreadable": summary.unreadable,
        "binary": summary.binary,
        "excluded": sum(summary.excluded.values()),
        **_counts(summary.tally),
        "forms": {name: _kinds(tally) for name, tally in sorted(summary.forms.items())},
    }


def _file(path: str, form: str) -> dict[str, Any]:
    return {"path": reported(path), "form": form or None}


def _verdict(checked: Checked) -> dict[str, Any]:
    error = {"error": checked.error} if checked.error else {}
    looks_like = {"looks_like": checked.looks_like} if checked.looks_like else {}
    return {"well_formed": checked.well_formed, **_counts(checked.tally), **error, **looks_like}


def _counts(tally: Tally) -> dict[str, Any]:
    return {"errors": tally.errors, "warnings": tally.warnings, "kinds": _kinds(tally)}


def _kinds(tally: Tally) -> dict[str, int]:
    return dict(sorted(tally.kinds.items()))


REPORT = JsonReport
