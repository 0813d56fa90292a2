"""The tables of a form as one table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from eightfold.forms.as_text import Entry, Ranges, Units, points_text, units_text
from eightfold.markup import ROWS_SHOWN, Markup, rest_of, row, table

_HEADER = ("code points", "units", "meaning", "source")
_COLUMNS = ("point", "units", "said", "said")


def html_table(caption: str, form: Units, entries: Sequence[tuple[str, Entry, Ranges]]) -> str:
    """Return entries, at most the first :data:`~eightfold.markup.ROWS_SHOWN`.

    Args:
        caption: what the table shows.
        form: the form that they are of.
        entries: each with its kind, empty for what is well-formed, and the ranges of units that continue it.

    >>> from eightfold.forms import form
    >>> utf_8 = form("utf-8")
    >>> "C2-DF 80-BF" in html_table("utf-8", utf_8, [("", utf_8.rows[1], ())])
    True
    """
    rows = [_row(form, *each) for each in entries[:ROWS_SHOWN]]
    return table(caption, _HEADER, rows, rest_of(len(entries)))


def _row(form: Units, kind: str, entry: Entry, run: Ranges) -> Markup:
    cells = (points_text(entry), units_text(form, entry.unit_ranges, run), kind or "well-formed", entry.source)
    return row(cells, _COLUMNS, "fault" if kind else "sequence")
