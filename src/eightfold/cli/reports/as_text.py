"""`check` for people and for editors: ``PATH:LINE:COLUMN: kind: sentence``, and a summary on standard error."""

from __future__ import annotations

from typing import cast

from eightfold.cli.lines import counted, put, say
from eightfold.cli.reports import Checked, Summary, Tally
from eightfold.faults import KINDS, Kind
from eightfold.files.names import shown
from eightfold.stream import Located


class TextReport:
    """A line for each fault; see :class:`eightfold.cli.reports.Report`."""

    def __init__(self, *, statistics: bool) -> None:
        self._statistics = statistics

    def begin(self) -> None:
        """Nothing comes before the first fault."""

    def begin_file(self, path: str, form: str) -> None:
        """A file without faults has no line."""

    def fault(self, path: str, found: Located) -> None:
        """Write the line of a fault."""
        put(fault_line(path, found.line, found.column, found.fault.kind, str(found.fault)))

    def end_file(self, checked: Checked) -> None:
        """Say what is not in the lines."""
        if checked.hidden:
            say(f"{shown(checked.path)}: {counted(checked.hidden, 'more fault')} not shown (--max-faults)")

    def end(self, summary: Summary) -> None:
        """Write the statistics, and say what the files came to."""
        if self._statistics:
            put_statistics(summary.tally)
        say(_summary(summary))


def fault_line(path: str, line: int, column: int, kind: str, sentence: str) -> str:
    """Return the line that points at a fault, as editors and compilers have it.

    >>> fault_line("notes.txt", 3, 7, "truncated", "sequence E2 82 is cut short by another sequence")
    'notes.txt:3:7: truncated: sequence E2 82 is cut short by another sequence'
    """
    return f"{shown(path)}:{line}:{column}: {kind}: {sentence}"


def put_statistics(tally: Tally) -> None:
    """Write how many faults there are of each kind, the most frequent first."""
    for kind, count in sorted(tally.kinds.items(), key=lambda item: (-item[1], item[0])):
        put(f"{count:8} {kind}: {KINDS[cast(Kind, kind)]}")


def _summary(summary: Summary) -> str:
    found = _found(summary.tally)
    ill_formed = summary.files - summary.well_formed - summary.unreadable
    parts = [
        f"{counted(summary.files, 'file')} checked",
        *([f"{ill_formed} ill-formed"] if ill_formed else []),
        *([f"{summary.unreadable} unreadable"] if summary.unreadable else []),
    ]
    return f"{', '.join(parts)}: {found}"


def _found(tally: Tally) -> str:
    if not tally.faults:
        return "no faults"
    found = [counted(tally.errors, "error")] if tally.errors else []
    return " and ".join([*found, *([counted(tally.warnings, "warning")] if tally.warnings else [])])
