"""A report receives the results of a check, file by file. Each output format of `check` is a report."""

from __future__ import annotations

from eightfold.cli.output.lines import counted, excluded_by, say
from eightfold.cli.output.reports.findings import Cell, Checked, Context, Summary
from eightfold.files.path_text import shown
from eightfold.stream import Located


class Report:
    """Receives the results of a check and counts them. Output formats decide what is written.

    Attributes:
        summary: what all files came to so far.
        lists_all: whether it writes something for each file, even without faults.
    """

    lists_all: bool = False

    def __init__(self) -> None:
        self.summary: Summary = Summary()

    def begin(self) -> None:
        """Begin the report."""

    def begin_file(self, path: str, form: str) -> None:
        """Begin a file; the form is empty if it could not be read."""

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Report a fault of the file; the context is there if it was asked for."""

    def cell(self, path: str, found: Cell) -> None:
        """Report a fault of a table; only formats of :data:`eightfold.cli.output.reports.TABLES` can."""

    def end_file(self, checked: Checked) -> None:
        """End the file, and count it."""
        self.summary.add(checked)
        self.put_verdict(checked)

    def put_verdict(self, checked: Checked) -> None:
        """Write the result for the file."""

    def skip_binary(self, path: str) -> None:
        """Count a binary file, which is not checked."""
        self.summary.binary += 1

    def tell(self, sentence: str) -> None:
        """Show a message to the user."""
        say(sentence)

    def end(self) -> None:
        """End the report, with the summary."""


def say_remedy(checked: Checked) -> None:
    """Say what a file looks like, if it does."""
    if checked.remedy:
        say(f"{shown(checked.path)}: {checked.remedy}")


def sentence_of(summary: Summary) -> str:
    """Return the summary of a check as one sentence.

    >>> sentence_of(Summary(files=2))
    '2 files checked, nothing was read'
    """
    excluded = [excluded_by(summary.excluded)] if summary.excluded else []
    unreadable = [f"{summary.unreadable} unreadable"] if summary.unreadable else []
    kinds = [f"{count} {kind}" for kind, count in summary.tally.sorted_kinds()]
    found = kinds if summary.read else ["nothing was read"]
    return ", ".join([f"{counted(summary.files, 'file')} checked", *excluded, *unreadable, *found])
