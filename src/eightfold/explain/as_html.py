"""An explanation as a table for notebooks, by the building blocks of :mod:`eightfold.markup`.

Each character is isolated in its text direction, so the input cannot change the direction of the text around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eightfold.explain.as_text import HEADER, cells
from eightfold.explain.rows import Explained
from eightfold.markup import ROWS_SHOWN, Markup, element, isolated, joined, rest_of, row, table

_COLUMNS = ("number", "bytes", "bits", "point", "character", "said")
_PAYLOAD = re.compile(r"\[([01]*)\]")


def html_table(rows: Sequence[Explained], form: str) -> str:
    """Return the rows, at most the first :data:`~eightfold.markup.ROWS_SHOWN`, with the payload bits in bold.

    >>> import eightfold
    >>> "0<b>1000001</b>" in html_table(eightfold.explain(b"A", "utf-8"), "utf-8")
    True
    """
    return table(form, HEADER, [_row(each) for each in rows[:ROWS_SHOWN]], rest_of(len(rows)))


def _row(explained: Explained) -> Markup:
    offset, units, bits, point, character, said = cells(explained)
    return row((offset, units, _payload_bold(bits), point, isolated(character), said), _COLUMNS, _kind(explained))


def _payload_bold(bits: str) -> Markup:
    # A pattern with one group splits into text and groups by turns.
    return joined(element("b", part) if at % 2 else part for at, part in enumerate(_PAYLOAD.split(bits)))


def _kind(explained: Explained) -> str:
    if explained.fault is not None:
        return "fault"
    return "signature" if explained.code_point is None else "sequence"
