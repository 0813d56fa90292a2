"""The work on one batch of rows, for engines that give it to workers: everything here can be sent by name.

A batch goes in and a batch comes out, and no batch depends on another. So a task that is run twice gives the same rows,
and nothing has to be shuffled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from eightfold.arguments import AnyForm
from eightfold.columns.arguments import policy_argument
from eightfold.columns.arrays import repair
from eightfold.columns.arrow import chunked, compute, pyarrow
from eightfold.columns.reports import audit, schema
from eightfold.forms import form as form_named


class Audit(NamedTuple):
    """An audit, as it is sent to workers.

    Attributes:
        form: the name of a form.
        binary: whether binary columns are audited too.
        keys: columns whose values the report repeats before its own.
    """

    form: str = "utf-8"
    binary: bool = False
    keys: tuple[str, ...] = ()

    def report(self, batch: Any, first_row: int = 0) -> Any:
        r"""Return the faults of a batch as a Table: the keys of their rows, then what an audit says.

        Args:
            batch: a RecordBatch or a Table of pyarrow.
            first_row: the number of its first row.

        >>> batch = pyarrow().table({"id": [7, 8], "name": [b"ok", b"\xff"]})
        >>> Audit(binary=True, keys=("id",)).report(batch).select(["id", "column", "row"]).to_pylist()
        [{'id': 8, 'column': 'name', 'row': 1}]
        """
        found = audit(batch, self.form, binary=self.binary, threads=1)
        rows = found["row"]
        keys = [chunked(batch.column(key)).take(rows) for key in self.keys]
        moved = compute().add(rows, pyarrow().scalar(first_row, rows.type))
        columns = [*keys, found["column"], moved, *found.columns[2:]]
        return pyarrow().Table.from_arrays(columns, schema=self.schema(map(batch.schema.field, self.keys)))

    def schema(self, keys: Iterable[Any]) -> Any:
        """Return the schema of the report, given the fields of the keys.

        >>> Audit().schema([]).names[:2]
        ['column', 'row']
        """
        return pyarrow().schema([*keys, *schema()])

    def reports(self, batches: Iterable[Any]) -> Iterator[Any]:
        r"""Yield the report of each batch; rows count from the first of all.

        >>> batch = pyarrow().record_batch({"name": [b"\xff"]})
        >>> [report["row"].to_pylist() for report in Audit(binary=True).reports([batch, batch])]
        [[0], [1]]
        """
        first_row = 0
        for batch in batches:
            yield self.report(batch, first_row)
            first_row += batch.num_rows


class Repair(NamedTuple):
    """A repair, as it is sent to workers.

    Attributes:
        errors: the policy.
        binary: whether binary columns are repaired too.
    """

    errors: str = "escape"
    binary: bool = False

    def repaired(self, batch: Any) -> Any:
        r"""Return a batch repaired.

        >>> Repair("replace", binary=True).repaired(pyarrow().table({"a": [b"\xff"]}))["a"].to_pylist()
        [b'\xef\xbf\xbd']
        """
        return repair(batch, self.errors, binary=self.binary, threads=1)

    def each(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield each batch repaired.

        >>> next(Repair().each([pyarrow().table({"a": ["ok"]})]))["a"].to_pylist()
        ['ok']
        """
        return map(self.repaired, batches)


def audit_of(form: AnyForm, keys: Sequence[str], names: Sequence[str], *, binary: bool) -> Audit:
    """Return an audit that can be sent.

    Args:
        form: a Form or its name.
        keys: columns that the report repeats.
        names: the columns that there are.
        binary: whether to audit binary columns too.

    Raises:
        LookupError: unknown form.
        ValueError: the form has no name that a worker knows; there is no such column, or the report has one like it.

    >>> audit_of("utf8", ["id"], ["id", "name"], binary=False)
    Audit(form='utf-8', binary=False, keys=('id',))
    """
    found = form_named(form)
    try:
        is_known = form_named(found.name) is found
    except LookupError:
        is_known = False
    if not is_known:
        raise ValueError(f"workers know forms by name, and {found.name} is not one of eightfold's own")
    reported = schema().names
    for key in keys:
        if names.count(key) != 1:
            raise ValueError(f"there must be one column {key!r}, not {names.count(key)}")
        if key.lower() in reported:  # Spark finds columns whatever their case.
            raise ValueError(f"the report has a column {key!r} of its own: rename the key")
    if len(set(keys)) < len(keys):
        raise ValueError("a key is given twice")
    return Audit(found.name, binary, tuple(keys))


def repair_of(errors: str, *, binary: bool) -> Repair:
    """Return a repair that can be sent.

    Raises:
        ValueError: unknown policy. TypeError: the policy is not a str.

    >>> repair_of("windows-1252", binary=False)
    Repair(errors='cp1252', binary=False)
    """
    return Repair(policy_argument(errors), binary)


__all__ = ["Audit", "Repair", "audit_of", "repair_of"]
