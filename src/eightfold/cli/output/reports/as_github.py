"""`check` as commands of a GitHub workflow: each fault becomes an annotation of its line.

Source: GitHub Docs, Workflow commands for GitHub Actions (setting an error, a warning and a notice message).
"""

from __future__ import annotations

import os
import re

from eightfold.cli.output.lines import counted, put
from eightfold.cli.output.reports.findings import Checked, Context
from eightfold.cli.output.reports.report import Report, sentence_of
from eightfold.files.path_text import reported, with_escapes
from eightfold.stream import Located

_IN_MESSAGES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What a terminal acts on: controls, ends of lines and directions. A name with any of them is shown with escapes."""


class GithubReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`."""

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write the annotation of a fault; the workflow shows the line itself."""
        place = {"line": str(found.line), "col": str(found.column)}
        put(annotation(found.fault.severity, str(found.fault), file=_file(path), **place, title=found.fault.kind))

    def put_verdict(self, checked: Checked) -> None:
        """Annotate a file that could not be read; for other files, report how many faults are not shown."""
        if checked.error:
            put(annotation("error", checked.error, file=_file(checked.path), title="unreadable"))
        if checked.hidden:
            put(annotation("notice", counted(checked.hidden, "more fault"), file=_file(checked.path)))
        if checked.remedy:
            put(annotation("notice", checked.remedy, file=_file(checked.path)))

    def end(self) -> None:
        """Print the summary."""
        summary = self.summary
        put(annotation("notice" if summary.read else "warning", sentence_of(summary), title="eightfold"))


def annotation(command: str, message: str, **properties: str) -> str:
    """Return a workflow command.

    >>> annotation("error", "50% of it", file="a,b.txt", line="3")
    '::error file=a%2Cb.txt,line=3::50%25 of it'
    """
    given = ",".join(f"{name}={value.translate(_IN_PROPERTIES)}" for name, value in properties.items())
    return f"::{command} {given}::{message.translate(_IN_MESSAGES)}"


def _file(path: str) -> str:
    # A workflow knows files by their paths from the root of the repository, without a dot before them.
    file = reported(os.path.normpath(path))
    return with_escapes(file) if _CONTROLS.search(file) else file


REPORT = GithubReport
