"""`check` as JSON Lines: an object a line, each with its `type`, for programs that read while it runs.

``fault`` and ``file`` are as in the JSON of :mod:`eightfold.cli.output.reports.as_json`, each with its path; the faults
of a file come before it, and ``summary`` comes last.
"""

from __future__ import annotations

import json
from typing import Any

from eightfold.cli.output.lines import put
from eightfold.cli.output.reports import Checked, Context, Summary
from eightfold.cli.output.reports.as_json import fault_values, file_values, summary_values
from eightfold.files.names import shown
from eightfold.stream import Located
from eightfold.version import __version__


class JsonLinesReport:
    """See :class:`eightfold.cli.output.reports.Report`. Stable from 1.0."""

    def begin(self) -> None:
        """Nothing comes before the first line."""

    def begin_file(self, path: str, form: str) -> None:
        """A file has its line in the end, when its verdict is known."""

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write a fault."""
        _put("fault", {"path": shown(path), **fault_values(found, context)})

    def end_file(self, checked: Checked) -> None:
        """Write the verdict on a file."""
        _put("file", file_values(checked))

    def end(self, summary: Summary) -> None:
        """Write the summary."""
        _put("summary", {"version": __version__, **summary_values(summary)})


def _put(kind: str, values: dict[str, Any]) -> None:
    put(json.dumps({"type": kind, **values}))


REPORT = JsonLinesReport
