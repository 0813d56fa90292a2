"""The report of an audit: every fault of a table's text, as a table."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from types import SimpleNamespace
from typing import Any, NamedTuple

from eightfold._engine import choose
from eightfold.arguments import AnyForm, limit_of
from eightfold.columns import values
from eightfold.columns.arguments import thread_count
from eightfold.columns.arrow import chunks_of, compute, pyarrow, table_of
from eightfold.columns.nested import Leaf, blaming_column, leaves
from eightfold.columns.steps import shown_name
from eightfold.columns.values import BrokenColumnError, Findings, numbers
from eightfold.faults import KINDS, Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named


def audit(
    table: Any,
    form: AnyForm = "utf-8",
    *,
    binary: bool = True,
    limit: int | None = None,
    threads: int | None = None,
) -> Any:
    r"""Return the faults of all text in a table, as a pyarrow Table with a row for each fault.

    Its columns are ``column`` (the path: ``name``, ``person.name``, ``tags[2]``; names of more than 1,024 characters
    are cut), ``row`` (from 0), ``start`` and ``end`` (offsets in bytes of the value), ``kind``, ``code_point`` (null if
    there is none), ``bytes`` (at most 64 of them) and ``at_end`` (whether the end of the value cut a sequence short, as
    limits of bytes do). Faults are in the order of columns, then of rows. A value that several rows share, in a
    dictionary or a run, is reported once, at the first row that shows it. What a null hides is not reported. Values of
    a carrier are audited in its own form.

    Args:
        table: anything with the Arrow PyCapsule interface: a table, a record batch, a stream or a single array.
        form: a Form or its name.
        binary: whether to audit binary columns too; False if they hold images, keys or hashes.
        limit: the maximum number of faults; None for all.
        threads: the maximum number of threads; None for as many as the machine has.

    Raises:
        BrokenColumnError: buffers contradict each other; the message names column and row. It is a ValueError.
        ModuleNotFoundError: pyarrow is not installed. LookupError: unknown form.
        ValueError: ``limit`` or ``threads`` is out of range; or a str in a pandas frame has a surrogate, which Arrow
            cannot hold: use :mod:`eightfold.columns.pandas`.
        TypeError: ``table`` is something else, or a column of lists of views that holds text, or of objects that Ray
            has pickled.

    >>> import pyarrow
    >>> table = pyarrow.table({"id": [1, 2], "name": [b"caf\xc3\xa9", b"caf\xe9"]})
    >>> audit(table).select(["column", "row", "start", "kind", "bytes"]).to_pylist()
    [{'column': 'name', 'row': 1, 'start': 3, 'kind': 'truncated', 'bytes': b'\xe9'}]
    """
    pa, asked, count = pyarrow(), form_named(form), thread_count(threads)
    found, left = [], limit_of(limit)
    for given in _leaves(table_of(table), binary=binary):
        batch = given.report(asked, left, count)
        if batch is not None:
            found.append(batch)
            left = None if left is None else left - batch.num_rows
    return pa.concat_tables(found) if found else schema().empty_table()


def schema() -> Any:
    """Return the schema of a report.

    >>> schema().names
    ['column', 'row', 'start', 'end', 'kind', 'code_point', 'bytes', 'at_end']
    """
    pa = pyarrow()
    return pa.schema(
        [
            pa.field("column", pa.string(), nullable=False),
            pa.field("row", pa.int64(), nullable=False),
            pa.field("start", pa.int64(), nullable=False),
            pa.field("end", pa.int64(), nullable=False),
            pa.field("kind", pa.string(), nullable=False),
            pa.field("code_point", pa.uint32()),
            pa.field("bytes", pa.binary(), nullable=False),
            pa.field("at_end", pa.bool_(), nullable=False),
        ]
    )


class Placed(NamedTuple):
    r"""A fault of a report, with its place.

    Attributes:
        column: the path.
        row: the row, from 0.
        fault: the fault; its offsets count bytes of the value.

    >>> import pyarrow
    >>> print(next(faults_of(audit(pyarrow.table({"name": [b"caf\xe9!"]})))).fault)
    sequence E9 is cut short by another byte
    """

    column: str
    row: int
    fault: Fault


def faults_of(report: Any, form: AnyForm = "utf-8") -> Iterator[Placed]:
    r"""Yield the faults of a report, which give a sentence each.

    Args:
        report: what :func:`audit` returned.
        form: the form that was audited.

    Raises:
        LookupError: unknown form. TypeError: the report is not a table of pyarrow.

    >>> import pyarrow
    >>> [(placed.column, placed.row, str(placed.fault)) for placed in faults_of(audit(pyarrow.table({"a": [b"\xff"]})))]
    [('a', 0, 'byte FF cannot begin a sequence')]
    """
    name = form_named(form).name
    if not hasattr(report, "to_pylist"):
        raise TypeError(f"report must be a table that audit returned, not {type(report).__name__}")
    for each in report.to_pylist():
        span = (each["start"], each["end"], each["bytes"], each["code_point"])
        yield Placed(each["column"], each["row"], Fault(each["kind"], name, *span, at_end=each["at_end"]))


# --- from buffers to a report -----------------------------------------------------------------------------------------


_MOST_BYTES = 1 << 30


class _Given(NamedTuple):
    """An array of text of a column, and where its chunk begins."""

    name: str
    first_row: int
    leaf: Leaf

    def report(self, form: Form, limit: int | None, threads: int) -> Any:
        """Return the faults as a Table, or None if there are none."""
        # A dictionary has its own order: its first faults need not be those of the first rows.
        keeps_order = self.leaf.way is None or self.leaf.way.keeps_order
        found, batch = self._found(form, limit if keeps_order else None, threads)
        if keeps_order and batch is not None and batch.num_rows < found == limit:
            # No row shows some of these, so there may be others.
            batch = self._found(form, None, threads)[1]
        return batch.slice(0, limit) if batch is not None and batch.num_rows else None

    def _found(self, form: Form, limit: int | None, threads: int) -> tuple[int, Any]:
        """Return the number of faults, at most the limit, and those that a row shows as a Table, or None."""
        try:
            findings = faults_in(self.leaf, form, limit, threads)
        except BrokenColumnError as error:
            raise named(error, self.name, self.first_row, self.leaf) from None
        if not findings.kinds:
            return 0, None
        batch = _batch(findings, self.name, self.first_row)
        return len(findings.kinds), batch if self.leaf.way is None else self._mapped(batch, findings)

    def _mapped(self, batch: Any, findings: Findings) -> Any:
        """Return the report by the outermost rows, with their paths and without what no row shows."""
        pa = pyarrow()
        shown = [self.leaf.shown(row) for row in numbers(findings.rows)]
        places = [(at, place) for at, place in enumerate(shown) if place is not None]
        places.sort(key=lambda each: each[1].row)  # A dictionary has its own order.
        paths = pa.array([f"{self.name}{place.step}" for _, place in places], pa.string())
        rows = pa.array([self.first_row + place.row for _, place in places], pa.int64())
        kept = batch.take(pa.array([at for at, _ in places], pa.int64()))
        return pa.Table.from_arrays([paths, rows, *kept.columns[2:]], schema=schema())


def _leaves(table: Any, *, binary: bool) -> Iterator[_Given]:
    """Yield the arrays of text of all columns: for each array inside a column, chunk by chunk."""
    for name, column in zip(table.names, table.columns, strict=True):
        shown = shown_name(name) if name or table.given is not None else ""
        by_chunk, first_row = [], 0
        for chunk in chunks_of(column):
            by_chunk.append([_Given(shown, first_row, leaf) for leaf in leaves_of(chunk, shown, first_row, binary)])
            first_row += len(chunk)
        for same in zip_longest(*by_chunk):
            yield from filter(None, same)


def leaves_of(array: Any, name: str, first_row: int, binary: bool) -> list[Leaf]:
    """Return the arrays of text that an array holds; errors name the column.

    >>> len(leaves_of(pyarrow().array(["a"]), "name", 0, True))
    1
    """
    with blaming_column(name, first_row):
        return list(leaves(array, binary=binary))


def named(error: BrokenColumnError, name: str, first_row: int, leaf: Leaf) -> BrokenColumnError:
    """Return an error of an array inside a column, with the path and the row of the column.

    >>> str(named(BrokenColumnError(1, "wrong"), "a", 10, next(leaves(pyarrow().array(["a"])))))
    'column a, row 11: wrong'
    """
    place = leaf.shown(error.row)
    if place is None:
        return BrokenColumnError(error.row, error.what, name)
    return BrokenColumnError(first_row + place.row, error.what, f"{name}{place.step}")


def faults_in(leaf: Leaf, form: Form, limit: int | None, threads: int) -> Findings:
    """Return the faults of an array of text.

    >>> from eightfold.forms.utf_8 import UTF_8
    >>> faults_in(next(leaves(pyarrow().array(["a"]))), UTF_8, None, 1).kinds
    b''
    """
    read = leaf.form or form
    return Findings(*engine_for(read).column_faults(leaf.column, read, limit, threads=threads))


_TWINS = choose(SimpleNamespace(**values.TWINS), values)
"""The functions of `values` for forms with signatures, which differ from value to value: as written in Python."""


def engine_for(*forms: Form) -> Any:
    """Return the module, or what stands for it, whose functions do the work on columns of forms.

    >>> from eightfold.forms.utf_8 import UTF_8
    >>> engine_for(UTF_8).__name__
    'eightfold.columns.values'
    """
    return _TWINS if any(form.signatures for form in forms) else values


def _batch(findings: Findings, name: str, first_row: int) -> Any:
    pa, count = pyarrow(), len(findings.kinds)

    def array(type: Any, *buffers: Any) -> Any:
        return pa.Array.from_buffers(type, count, [None, *map(pa.py_buffer, buffers)])

    rows = array(pa.int64(), findings.rows)
    code_points = array(pa.uint32(), findings.code_points)
    missing = pa.scalar(values.NO_CODE_POINT, pa.uint32())
    units = array(pa.large_binary(), findings.unit_ends, findings.units)
    return pa.Table.from_arrays(
        [
            _repeated(name, count),
            compute().add(rows, first_row) if first_row else rows,
            array(pa.int64(), findings.starts),
            array(pa.int64(), findings.ends),
            pa.array(list(KINDS)).take(array(pa.uint8(), findings.kinds)),
            compute().if_else(compute().equal(code_points, missing), pa.scalar(None, pa.uint32()), code_points),
            units.cast(pa.binary()),
            array(pa.uint8(), findings.at_end).cast(pa.bool_()),
        ],
        schema=schema(),
    )


def _repeated(name: str, count: int) -> Any:
    """Return a name so many times, in chunks that the offsets of strings can count."""
    pa, most = pyarrow(), _MOST_BYTES // max(1, len(name.encode()))
    chunks = [pa.repeat(pa.scalar(name, pa.string()), min(most, count - at)) for at in range(0, count, most)]
    return pa.chunked_array(chunks, pa.string())


__all__ = ["Placed", "audit", "engine_for", "faults_in", "faults_of", "leaves_of", "named", "schema"]
