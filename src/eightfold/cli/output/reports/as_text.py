"""`check` for people and for editors: ``PATH:LINE:COLUMN: kind: sentence``, and a summary on standard error."""

from __future__ import annotations

import sys
from typing import cast

from eightfold.cli.output.colour import Part, Styled, is_on, painted
from eightfold.cli.output.lines import counted, excluded_by, placed, put, say
from eightfold.cli.output.reports.findings import Cell, Checked, Context, Summary, Tally
from eightfold.cli.output.reports.report import Report, say_remedy
from eightfold.faults import KINDS, Kind
from eightfold.files.path_text import shown
from eightfold.stream import Located

_INDENT = "    "


class TextReport(Report):
    """A line for each fault; see :class:`eightfold.cli.output.reports.report.Report`."""

    def __init__(self, *, statistics: bool) -> None:
        super().__init__()
        self._statistics = statistics
        self._in_colour = False
        self._path = ""

    def begin(self) -> None:
        """Nothing comes before the first fault; whether there is colour is asked once, and not for each of millions."""
        self._in_colour = is_on(sys.stdout)

    def begin_file(self, path: str, form: str) -> None:
        """A file without faults has no line."""
        self._path = ""

    def _shown(self, path: str) -> str:
        """Return what the lines of a file begin with, which is made once for all of them."""
        self._path = self._path or self._styled(shown(path), "path")
        return self._path

    def _styled(self, text: str, role: str) -> str:
        return painted(sys.stdout, [Styled(text, role)]) if self._in_colour else text

    def fault(self, path: str, found: Located, context: Context | None) -> None:
        """Write the line of a fault, and under it the line of the file with its bytes marked."""
        fault, line, column = found
        place, kind = f"{line}:{column}", str(fault.kind)
        if self._in_colour:
            place, kind = self._styled(place, "place"), self._styled(kind, fault.severity)
        put(f"{self._path or self._shown(path)}:{place}: {kind}: {fault}")
        if context is not None:
            put_context(context, fault.severity)

    def cell(self, path: str, found: Cell) -> None:
        """Write the line of a fault of a table."""
        fault = found.fault
        place = self._styled(shown(found.place), "place")
        put(f"{self._shown(path)}: {place}: {self._styled(fault.kind, fault.severity)}: {fault}")

    def put_verdict(self, checked: Checked) -> None:
        """Write the statistics of the file, or report how many faults are not shown."""
        if self._statistics and checked.tally.faults:
            put(*placed(checked.path, None), f"{checked.form}: ", _kinds(checked.tally))
        elif checked.hidden:
            say(f"{shown(checked.path)}: {counted(checked.hidden, 'more fault')} not shown (--max-faults)")
        say_remedy(checked)

    def end(self) -> None:
        """Write the statistics and the summary."""
        if self._statistics:
            put_statistics(self.summary)
        say(*_summary(self.summary))


def put_context(context: Context, role: str) -> None:
    """Write a line of a file, and what marks bytes in it."""
    from eightfold.explain.characters import columns

    mark = "^" * max(1, columns(context.units))
    put(_INDENT, context.before, Styled(context.units, role), context.after)
    put(_INDENT, " " * columns(context.before), Styled(mark, role))


def put_statistics(summary: Summary) -> None:
    """Write the number of faults of each kind, by form if there are several, and in total."""
    if len(summary.forms) > 1:
        for name, tally in sorted(summary.forms.items()):
            put(Styled(name, "form"), ": ", _kinds(tally))
    for kind, count in summary.tally.sorted_kinds():
        put(f"{count:8} ", Styled(kind, "title"), f": {KINDS[cast(Kind, kind)]}")


def _kinds(tally: Tally) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in tally.sorted_kinds())


def _summary(summary: Summary) -> tuple[Part, ...]:
    ill_formed = summary.files - summary.well_formed - summary.unreadable
    parts = [
        f"{counted(summary.files, 'file')} checked",
        *([f"{counted(summary.binary, 'binary file')} skipped (--binary)"] if summary.binary else []),
        *([excluded_by(summary.excluded)] if summary.excluded else []),
        *([f"{ill_formed} ill-formed"] if ill_formed else []),
        *([f"{summary.unreadable} unreadable"] if summary.unreadable else []),
    ]
    return f"{', '.join(parts)}: ", _found(summary)


def _found(summary: Summary) -> Styled:
    tally = summary.tally
    if not summary.read:
        return Styled("nothing was read", "warning")
    if not tally.faults:
        return (
            Styled("no faults in the files that were read", "warning")
            if summary.unreadable
            else Styled("no faults", "good")
        )
    found = [counted(tally.errors, "error")] if tally.errors else []
    all_found = " and ".join([*found, *([counted(tally.warnings, "warning")] if tally.warnings else [])])
    return Styled(all_found, "error" if tally.errors else "warning")
