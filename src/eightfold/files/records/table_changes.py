"""The changes of a table in a plan: of a value, and of a text beside the values, such as the name of a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from eightfold.faults import hex_bytes
from eightfold.repair.changes import PlanError, read_as_plan

_BEFORE_ALL = (-1, 0, 0)
_NUMBERS = ("group", "leaf", "at")


@dataclass(frozen=True, slots=True)
class ValueChange:
    r"""One value that a repair changes.

    Attributes:
        column: the path of the column, as a report shows it.
        group: the row group of Parquet, or the record batch of Arrow IPC, from 0.
        row: the row in it, from 0, that shows the value first; None if none does, as with an entry of a dictionary.
        leaf, at: which array of text inside the table holds the value, and where in that array; both from 0.
        old, new: the bytes of the value before and after.

    >>> ValueChange("name", 0, 3, 1, 3, b"\xe9", b"\xc3\xa9").as_dict()["new"]
    'C3 A9'
    """

    column: str
    group: int
    row: int | None
    leaf: int
    at: int
    old: bytes
    new: bytes

    @property
    def order(self) -> tuple[int, int, int]:
        """What the changes of a table are sorted by."""
        return self.group, self.leaf, self.at

    def as_dict(self) -> dict[str, Any]:
        """Return the change as a JSON-ready dict, with bytes in hex."""
        return {**asdict(self), "old": hex_bytes(self.old), "new": hex_bytes(self.new)}


@dataclass(frozen=True, slots=True)
class TextChange:
    r"""One text beside the values that a repair changes.

    Attributes:
        place: where it is: ``column name 3``, ``metadata key 0`` or ``metadata value 0``.
        old, new: its bytes before and after.

    >>> TextChange("column name 3", b"\xe9", b"?").as_dict()
    {'place': 'column name 3', 'old': 'E9', 'new': '3F'}
    """

    place: str
    old: bytes
    new: bytes

    @property
    def order(self) -> tuple[int, int, int]:
        """What the changes of a table are sorted by: texts come before values."""
        return _BEFORE_ALL

    def as_dict(self) -> dict[str, Any]:
        """Return the change as a JSON-ready dict, with bytes in hex."""
        return {"place": self.place, "old": hex_bytes(self.old), "new": hex_bytes(self.new)}


TableChange: TypeAlias = "ValueChange | TextChange"


def table_change(values: Any) -> TableChange:
    """Return the change with the values from its `as_dict`.

    Raises:
        PlanError: the values are not those of a change.

    >>> table_change({"place": "column name 3", "old": "E9", "new": "3F"}).new
    b'?'
    """
    return read_as_plan(_change, values)


def _change(values: Any) -> TableChange:
    old, new = bytes.fromhex(values["old"]), bytes.fromhex(values["new"])
    if "place" in values:
        if not isinstance(values["place"], str):
            raise ValueError("a place is not a text")
        return TextChange(values["place"], old, new)
    numbers, row = [values[name] for name in _NUMBERS], values["row"]
    positions = numbers if row is None else [*numbers, row]
    if any(type(number) is not int or not 0 <= number < 1 << 63 for number in positions):
        raise ValueError("a position is not a non-negative integer")
    if not isinstance(values["column"], str):
        raise ValueError("a column is not a text")
    group, leaf, at = numbers
    return ValueChange(values["column"], group, row, leaf, at, old, new)


def tables_in_order(changes: Iterable[TableChange]) -> Iterator[TableChange]:
    """Yield changes unchanged, and check their order: first texts, then values by row group, array and place.

    Raises:
        PlanError: a change does not come after the previous one.
    """
    last = _BEFORE_ALL
    for change in changes:
        is_text = isinstance(change, TextChange)
        if change.order < last or (change.order == last and not is_text):
            raise PlanError("this is not a plan: its changes are not in order")
        last = change.order
        yield change


__all__ = ["TableChange", "TextChange", "ValueChange", "table_change", "tables_in_order"]
