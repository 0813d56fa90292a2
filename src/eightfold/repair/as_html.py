"""The changes of a plan as a table for notebooks."""

from __future__ import annotations

from collections.abc import Sequence

from eightfold.markup import ROWS_SHOWN, Markup, rest_of, row, table
from eightfold.repair.changes import Change

_HEADER = ("line", "column", "change", "loss")
_COLUMNS = ("number", "number", "change", "said")


def html_table(caption: str, changes: Sequence[Change]) -> str:
    r"""Return the changes, at most the first :data:`~eightfold.markup.ROWS_SHOWN`.

    >>> from eightfold.repair import plan
    >>> "E9 -&gt; EE BF A9" in html_table("1 change", plan(b"caf\xe9").changes)
    True
    """
    return table(caption, _HEADER, [_row(change) for change in changes[:ROWS_SHOWN]], rest_of(len(changes)))


def _row(change: Change) -> Markup:
    loss = "needs the plan to be undone" if change.lossy else "none"
    return row((str(change.line), str(change.column), str(change), loss), _COLUMNS)
