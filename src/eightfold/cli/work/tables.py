"""The check of one file that holds a table: every fault of its strings, with column and row."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from eightfold.cli.output.reports.findings import Cell
from eightfold.columns.nested import holds_text
from eightfold.columns.parts import blaming_part
from eightfold.columns.reports import audit, faults_of
from eightfold.columns.schemas import NAME, Text
from eightfold.columns.table_files import TableReader
from eightfold.forms import Form
from eightfold.forms.utf_8 import UTF_8
from eightfold.text import faults

_SHOWN_BYTES = 40


def cells_in(path: str, reader: TableReader) -> Iterator[Cell]:
    """Yield the faults of a table: of its names and metadata, of its strings, part by part, and of its statistics.

    Statistics are reported only where the strings of their column and row group are well-formed: otherwise they repeat
    one.

    Raises:
        FileError: a part is malformed.
    """
    for found in _found_in(path, reader, UTF_8):
        if isinstance(found, Cell):
            yield found
        else:
            yield from found.cells(UTF_8)


def first_cells_in(path: str, reader: TableReader, form: Form, most: int | None) -> Iterator[Cell | Counter[str]]:
    """Yield the first faults of a table, then how many more there are of each kind: see `cells_in`.

    Args:
        path, reader, form: the table.
        most: the maximum number of faults to yield; None for all.

    Raises:
        FileError: a part is malformed; the faults before that have been yielded or counted.
    """
    left = sys.maxsize if most is None else most
    for found in _found_in(path, reader, form):
        if not isinstance(found, Cell):
            yield from found.cells(form, left)
            if found.report.num_rows > left:
                yield found.kinds(left)
            left -= min(left, found.report.num_rows)
        elif left:
            yield found
            left -= 1
        else:
            yield Counter((found.fault.kind,))


class _Column(NamedTuple):
    """What an audit reports of a column of a part, and the first row of the part."""

    report: Any
    first_row: int

    def cells(self, form: Form, most: int | None = None) -> Iterator[Cell]:
        """Yield the faults, at most so many."""
        for batch in self.report.slice(0, most).to_batches(max_chunksize=1 << 12):
            for found in faults_of(batch, form):
                yield Cell(found.fault, found.column, self.first_row + found.row)

    def kinds(self, start: int) -> Counter[str]:
        """Return how many faults there are of each kind behind the first ones."""
        counted = self.report["kind"].slice(start).value_counts()
        return Counter({each["values"]: each["counts"] for each in counted.to_pylist()})


def _found_in(path: str, reader: TableReader, form: Form) -> Iterator[Cell | _Column]:
    yield from _cells_of(reader.texts(), form)
    ill_formed: set[tuple[int, int]] = set()
    for part in reader.parts():
        yield from _cells_of(part.texts, form)
        for at in _text_columns(part.data.schema):
            with blaming_part(path, "table", f"rows from {part.first_row}"):
                report = audit(part.data.select([at]), form, binary=False)
            if report.num_rows:
                ill_formed.add((at, part.number))
                yield _Column(report, part.first_row)

    for bound in reader.statistics():
        if (bound.top, bound.group) not in ill_formed:
            place = f"statistics of {bound.path}, row group {bound.group}, {bound.name}"
            yield from (Cell(fault, place, None) for fault in faults(bound.data, form))


def _cells_of(texts: Iterable[Text], form: Form) -> Iterator[Cell]:
    for text in texts:
        place = f"{text.place} {shown_bytes(text.data)}" if NAME in text.place else text.place
        yield from (Cell(fault, place, None) for fault in faults(text.data, form))


def _text_columns(schema: Any) -> list[int]:
    """Return the numbers of the columns that hold strings; those of one name are apart by it."""
    return [at for at in range(len(schema)) if holds_text(schema.field(at).type, binary=False)]


def shown_bytes(data: bytes) -> str:
    r"""Return the beginning of a text in one line, with its ill-formed bytes escaped.

    >>> shown_bytes(b"caf\xe9")
    '"caf\\\\xe9"'
    """
    return json.dumps(data[:_SHOWN_BYTES].decode("utf-8", "backslashreplace"))


__all__ = ["cells_in", "first_cells_in", "shown_bytes"]
