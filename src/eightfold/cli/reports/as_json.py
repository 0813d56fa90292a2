"""`check` as one JSON object, written as it goes, so that memory grows neither with a file nor with its faults.

A file's verdict is known last, so it comes after its faults. Every fault has a line of its own.
"""

from __future__ import annotations

import json
from typing import Any

from eightfold.cli.lines import put
from eightfold.cli.reports import Checked, Summary, Tally
from eightfold.files.names import shown
from eightfold.stream import Located
from eightfold.version import __version__


class JsonReport:
    """See :class:`eightfold.cli.reports.Report`. Stable from 1.0."""

    def __init__(self) -> None:
        self._files = 0
        self._faults = 0

    def begin(self) -> None:
        """Open the object."""
        put(f'{{"version": {json.dumps(__version__)}, "files": [', end="")

    def begin_file(self, path: str, form: str) -> None:
        """Open the object of a file."""
        separator = "," if self._files else ""
        self._files, self._faults = self._files + 1, 0
        put(
            f'{separator}\n{{"path": {json.dumps(shown(path))}, "form": {json.dumps(form or None)}, "faults": [', end=""
        )

    def fault(self, path: str, found: Located) -> None:
        """Write a fault."""
        separator = "," if self._faults else ""
        self._faults += 1
        values = {**found.fault.as_dict(), "line": found.line, "column": found.column}
        put(f"{separator}\n  {json.dumps(values)}", end="")

    def end_file(self, checked: Checked) -> None:
        """Close the object of a file, with its verdict."""
        verdict: dict[str, Any] = {"well_formed": checked.well_formed, **_counts(checked.tally)}
        if checked.error:
            verdict["error"] = checked.error
        put(f"], {json.dumps(verdict)[1:]}", end="")

    def end(self, summary: Summary) -> None:
        """Close the object, with the summary."""
        values = {
            "files": summary.files,
            "well_formed": summary.well_formed,
            "unreadable": summary.unreadable,
            **_counts(summary.tally),
            "kinds": dict(sorted(summary.tally.kinds.items())),
        }
        put(f'\n], "summary": {json.dumps(values)}}}')


def _counts(tally: Tally) -> dict[str, int]:
    return {"errors": tally.errors, "warnings": tally.warnings}
