"""How `check` reports: one file per output format, imported when it is asked for.

What there is to report is in `findings`, and what all formats share in `report`.
"""

from __future__ import annotations

from eightfold.cli.output.reports.report import Report

FORMATS = ("text", "json", "jsonl", "github", "sarif", "gitlab", "html")
TABLES = ("text", "json", "jsonl")
"""Those that can place a fault in a column and a row, where there are no lines."""


def report_as(name: str, *, statistics: bool) -> Report:
    """Return the report of an output format.

    >>> report_as("text", statistics=False).__class__.__name__
    'TextReport'
    """
    if name == "text":
        from eightfold.cli.output.reports.as_text import TextReport

        return TextReport(statistics=statistics)
    from importlib import import_module

    made: Report = import_module(f"eightfold.cli.output.reports.as_{name}").REPORT()
    return made
