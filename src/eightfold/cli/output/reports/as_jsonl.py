"""`check` as JSON Lines: an object a line, each with its `type`, for programs that read while it runs.

``fault`` and ``file`` are as in the JSON of :mod:`eightfold.cli.output.reports.as_json`, each with its path; the faults
of a file come before it, and ``summary`` comes last.
"""

from __future__ import annotations

import json
from typing import Any

from eightfold.cli.output.lines import put
from eightfold.cli.output.reports.as_json import cell_values, fault_values, file_values, summary_values
from eightfold.cli.output.reports.findings import Cell, Checked, Context
from eightfold.cli.output.reports.report import Report
from eightfold.files.path_text import reported
from eightfold.stream import Located
from eightfold.version import __version__


class JsonLinesReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`. Stable from 1.0."""

    lists_all: bool = True

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write a fault."""
        _put("fault", {"path": reported(path), **fault_values(found, context)})

    def cell(self, path: str, found: Cell) -> None:
        """Write a fault of a table."""
        _put("fault", {"path": reported(path), **cell_values(found)})

    def put_verdict(self, checked: Checked) -> None:
        """Write the verdict on a file."""
        _put("file", file_values(checked))

    def end(self) -> None:
        """Write the summary."""
        _put("summary", {"version": __version__, **summary_values(self.summary)})


def _put(kind: str, values: dict[str, Any]) -> None:
    put(json.dumps({"type": kind, **values}))


REPORT = JsonLinesReport
