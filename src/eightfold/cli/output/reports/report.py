"""A report: it hears what a check comes to, file by file. A format of `check` is one that writes it."""

from __future__ import annotations

from eightfold.cli.output.lines import say
from eightfold.cli.output.reports.findings import Checked, Context, Summary
from eightfold.stream import Located


class Report:
    """Hears what a check comes to, and counts it. What of it is written, formats say.

    Attributes:
        summary: what all files came to so far.
    """

    def __init__(self) -> None:
        self.summary: Summary = Summary()

    def begin(self) -> None:
        """Begin the report."""

    def begin_file(self, path: str, form: str) -> None:
        """Begin a file; the form is empty if it could not be read."""

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Report a fault of the file; the context is there if it was asked for."""

    def end_file(self, checked: Checked) -> None:
        """End the file, and count it."""
        self.summary.add(checked)
        self.put_verdict(checked)

    def put_verdict(self, checked: Checked) -> None:
        """Write what the file came to."""

    def skip_binary(self, path: str) -> None:
        """Count a binary file, which is not checked."""
        self.summary.binary += 1

    def tell(self, sentence: str) -> None:
        """Give the user a message."""
        say(sentence)

    def end(self) -> None:
        """End the report, with the summary."""
