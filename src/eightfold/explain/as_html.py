"""An explanation as a table for notebooks: self-contained, without scripts, legible on light and dark pages.

All text is escaped, and each character is isolated in its text direction (``bdi``), so the input can neither affect the
page nor change the direction of the text around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from eightfold.explain.as_text import HEADER, cells
from eightfold.explain.rows import Explained

ROWS_SHOWN = 500

_STYLE = """
.eightfold-explained { border-collapse: collapse; color: inherit; font-size: 13px; }
.eightfold-explained caption { caption-side: top; text-align: left; padding: 4px 8px; font-weight: bold; }
.eightfold-explained th, .eightfold-explained td { padding: 3px 10px; text-align: left; white-space: nowrap; }
.eightfold-explained th { border-bottom: 1px solid rgba(128, 128, 128, 0.6); }
.eightfold-explained td { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
.eightfold-explained td.offset { text-align: right; }
.eightfold-explained td.said { white-space: normal; font-family: inherit; }
.eightfold-explained td b { color: #2a86d9; font-weight: bold; }
.eightfold-explained tr.fault td { background: rgba(220, 50, 40, 0.16); }
.eightfold-explained tr.signature td { background: rgba(128, 128, 128, 0.16); }
"""
_CLASSES = ("offset", "bytes", "bits", "point", "character", "said")


def html_table(rows: Sequence[Explained], form: str) -> str:
    """Return the rows, at most the first :data:`ROWS_SHOWN`, as an HTML table with the payload bits in bold.

    >>> import eightfold
    >>> "0<b>1000001</b>" in html_table(eightfold.explain(b"A", "utf-8"), "utf-8")
    True
    """
    header = "".join(f"<th>{escape(title)}</th>" for title in HEADER)
    body = "\n".join(map(_row, rows[:ROWS_SHOWN]))
    return (
        f"<style>{_STYLE}</style>\n"
        f'<table class="eightfold-explained">\n<caption>{escape(form)}</caption>\n'
        f"<thead><tr>{header}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>{_rest(len(rows) - ROWS_SHOWN)}"
    )


def _row(row: Explained) -> str:
    offset, units, bits, point, character, said = map(escape, cells(row))
    shown = (offset, units, _payload_bold(bits), point, f"<bdi>{character}</bdi>", said)
    columns = "".join(f'<td class="{column}">{cell}</td>' for column, cell in zip(_CLASSES, shown, strict=True))
    return f'<tr class="{_kind(row)}">{columns}</tr>'


def _payload_bold(bits: str) -> str:
    return bits.replace("[", "<b>").replace("]", "</b>")


def _kind(row: Explained) -> str:
    if row.fault is not None:
        return "fault"
    return "signature" if row.code_point is None else "sequence"


def _rest(count: int) -> str:
    return f"\n<p>and {count} more</p>" if count > 0 else ""
