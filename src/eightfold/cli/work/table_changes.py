"""The changes of a plan on a table: checked when it is repaired again, and undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eightfold.columns.differences import changes_between, is_same
from eightfold.columns.parts import Part
from eightfold.columns.putting import with_values
from eightfold.files.read.tables import PARQUET
from eightfold.files.records.table_changes import TableChange, TextChange, ValueChange
from eightfold.files.write.verifying import DifferenceError
from eightfold.repair import PlanError

_OTHER_CHANGES = "the plan has other changes than the repair: make a new one"


class Planned:
    """The changes of a table, taken in the order in which its file is read.

    Args:
        changes: the changes of a plan, or of a draft.

    >>> planned = Planned([TextChange("column name 1", b"x", b"?"), ValueChange("a", 1, 0, 0, 0, b"x", b"?")])
    >>> len(planned.texts()), len(planned.of_group(0)), len(planned.of_group(1))
    (1, 0, 1)
    """

    def __init__(self, changes: Iterable[TableChange]) -> None:
        self._changes = iter(changes)
        self._next = next(self._changes, None)

    def texts(self) -> list[TextChange]:
        """Return the changes of texts beside the values, which come first."""
        found = []
        while isinstance(self._next, TextChange):
            found.append(self._next)
            self._next = next(self._changes, None)
        return found

    def of_group(self, number: int) -> list[ValueChange]:
        """Return the changes of the next row group or record batch."""
        found = []
        while isinstance(self._next, ValueChange) and self._next.group == number:
            found.append(self._next)
            self._next = next(self._changes, None)
        return found

    def end(self) -> None:
        """Check that all were taken.

        Raises:
            PlanError: there are more.
        """
        if self._next is not None:
            raise PlanError(_OTHER_CHANGES)


def changes_in(part: Part, repaired: Any, kind: str) -> Iterator[ValueChange]:
    """Yield the changes that made some rows of a table what they are now."""
    return changes_between(part.data, repaired, part.number, by_row=kind == PARQUET)


def undone(part: Part, planned: Planned, kind: str) -> Any:
    """Return some rows of a result as they were in the original.

    Raises:
        PlanError: the changes are not those of the rows.
    """
    return with_values(part.data, planned.of_group(part.number), old=True, by_row=kind == PARQUET)


def redone(part: Part, planned: Planned, kind: str) -> Any:
    """Return some rows of an undone result as they were in the result.

    A repair would not do: it changes entries of a dictionary that no row shows, which undoing has left as they were.

    Raises:
        PlanError: the changes are not those of the rows.
    """
    return with_values(part.data, planned.of_group(part.number), old=False, by_row=kind == PARQUET)


def check_changes(part: Part, repaired: Any, planned: Planned, kind: str) -> None:
    """Check that a repair changed what a plan says, and nothing else.

    Raises:
        PlanError: it did not.
    """
    if list(changes_in(part, repaired, kind)) != planned.of_group(part.number):
        raise PlanError(_OTHER_CHANGES)


def check_undone(originals: Iterator[Part], data: Any) -> None:
    """Check that the next rows of an original come back.

    Raises:
        DifferenceError: they do not.
    """
    part = next(originals, None)
    if part is None or not is_same(part.data, data):
        raise DifferenceError(0, "with its changes undone, the result is not the original")
