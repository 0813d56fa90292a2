"""`check` as one page for people: where faults lie in each file, kinds by file, and the worst lines.

The page is written at the end, from what :mod:`eightfold.cli.output.reports.page.gathering` keeps, which is bounded.
"""

from __future__ import annotations

from eightfold.cli.output.lines import put, say
from eightfold.cli.output.reports.findings import Checked, Context
from eightfold.cli.output.reports.page.gathering import Gathered
from eightfold.cli.output.reports.report import Report, say_remedy, sentence_of
from eightfold.stream import Located


class HtmlReport(Report):
    """See :class:`eightfold.cli.output.reports.report.Report`."""

    def __init__(self) -> None:
        super().__init__()
        self._gathered = Gathered()

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Count a fault where it lies."""
        self._gathered.add(path, found, context)

    def put_verdict(self, checked: Checked) -> None:
        """End a file; say what it looks like."""
        self._gathered.end_file(checked)
        say_remedy(checked)

    def end(self) -> None:
        """Write the page, and the summary as a message."""
        from eightfold.cli.output.reports.page.document import document

        put(document(self.summary, self._gathered))
        say(sentence_of(self.summary))


REPORT = HtmlReport
