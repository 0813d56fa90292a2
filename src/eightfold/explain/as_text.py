"""An explanation as aligned text, safe for a terminal: an unprintable character appears only by its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from eightfold.explain.characters import columns, shown_character
from eightfold.explain.rows import Explained
from eightfold.faults import code_point_name, hex_bytes

HEADER = ("offset", "bytes", "bits", "code point", "", "name")
_BYTES_SHOWN = 8
_ROWS_ALIGNED = 1000


def text_lines(rows: Iterable[Explained]) -> Iterator[str]:
    """Yield a header and a line for each row.

    Rows are aligned in batches of a thousand, so an endless input is printed as it arrives; columns only grow.

    >>> import eightfold
    >>> list(text_lines(eightfold.explain(b"A", "utf-8")))[1]
    '     0  41     0[1000001]  U+0041      A  LATIN CAPITAL LETTER A'
    """
    lines, widths = [HEADER], (0,) * len(HEADER)
    remaining = iter(rows)
    while batch := list(islice(remaining, _ROWS_ALIGNED)):
        lines += map(cells, batch)
        widths = tuple(max(column) for column in zip(widths, *(map(columns, line) for line in lines), strict=True))
        yield from (_aligned(line, widths) for line in lines)
        lines = []


def cells(row: Explained) -> tuple[str, str, str, str, str, str]:
    r"""Return the cells of a row, in the order of :data:`HEADER`.

    >>> import eightfold
    >>> cells(eightfold.explain("\n", "utf-8")[0])
    ('0', '0A', '0[0001010]', 'U+000A', '', '<control-000A> LINE FEED')
    """
    point = row.code_point
    return (
        str(row.offset),
        hex_bytes(row.units[:_BYTES_SHOWN]) + " ..." * (len(row.units) > _BYTES_SHOWN),
        row.bits if len(row.units) <= _BYTES_SHOWN else "",
        "" if point is None else code_point_name(point),
        "" if point is None else shown_character(point),
        " ".join(filter(None, (row.name, _fault_told(row)))),
    )


def _fault_told(row: Explained) -> str:
    if row.fault is None:
        return ""
    if row.fault.start < row.offset:
        return f"{row.fault.kind}: as the row before"
    source = f" [{row.source}]" if row.source else ""
    return f"{row.fault.kind}: {row.fault}{source}"


def _aligned(line: tuple[str, ...], widths: tuple[int, ...]) -> str:
    offset, *others = line
    padded = (each + " " * (width - columns(each)) for each, width in zip(others, widths[1:], strict=True))
    return "  ".join((offset.rjust(widths[0]), *padded)).rstrip()
