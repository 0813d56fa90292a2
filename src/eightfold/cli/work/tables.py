"""The check of one file that holds a table: every fault of its strings, with column and row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from eightfold.cli.output.reports.findings import Cell
from eightfold.columns.nested import holds_text
from eightfold.columns.parts import blaming_part
from eightfold.columns.reports import audit, faults_of
from eightfold.columns.schemas import NAME, Text
from eightfold.columns.table_files import TableReader
from eightfold.forms import Form
from eightfold.text import faults

_SHOWN_BYTES = 40


def cells_in(path: str, reader: TableReader, form: Form) -> Iterator[Cell]:
    """Yield the faults of a table: of its names and metadata, of its strings, part by part, and of its statistics.

    Statistics are reported only where the strings of their column and row group are well-formed: otherwise they repeat
    one.

    Raises:
        FileError: a part is malformed.
    """
    yield from _cells_of(reader.texts(), form)
    ill_formed: set[tuple[int, int]] = set()
    for part in reader.parts():
        yield from _cells_of(part.texts, form)
        for at in _text_columns(part.data.schema):
            with blaming_part(path, "table", f"rows from {part.first_row}"):
                report = audit(part.data.select([at]), form, binary=False)
            if report.num_rows:
                ill_formed.add((at, part.number))
            for batch in report.to_batches(max_chunksize=1 << 12):
                for found in faults_of(batch, form):
                    yield Cell(found.fault, found.column, part.first_row + found.row)

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


__all__ = ["cells_in", "shown_bytes"]
