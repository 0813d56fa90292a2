"""The check of one file that holds a table: every fault of its strings, with column and row."""

from __future__ import annotations

from collections.abc import Iterator

from eightfold.cli.output.reports.findings import Cell
from eightfold.columns.reports import audit, faults_of
from eightfold.columns.table_files import TableReader, blaming_part
from eightfold.forms import Form


def cells_in(path: str, reader: TableReader, form: Form) -> Iterator[Cell]:
    """Yield the faults of the strings of a table, part by part.

    Raises:
        FileError: a part is malformed.
    """
    for part in reader.parts():
        with blaming_part(path, "table", f"rows from {part.first_row}"):
            report = audit(part.data, form, binary=False)
        for batch in report.to_batches(max_chunksize=1 << 12):
            for found in faults_of(batch, form):
                yield Cell(found.fault, found.column, part.first_row + found.row)


__all__ = ["cells_in"]
