"""The entries of a form's tables as text: their code points, and the ranges of their units."""

from __future__ import annotations

from typing import Protocol

from eightfold.faults import code_point_name

Ranges = tuple[tuple[int, int], ...]


class Entry(Protocol):
    """A row, or a fault row."""

    @property
    def first(self) -> int | None:
        """The first code point, if the entry has any."""

    @property
    def last(self) -> int | None:
        """The last one."""

    @property
    def unit_ranges(self) -> Ranges:
        """The range of each unit."""

    @property
    def source(self) -> str:
        """The document that the entry comes from."""


class Units(Protocol):
    """What has units, such as a form."""

    @property
    def unit_bits(self) -> int:
        """The width of a unit."""


def units_text(form: Units, ranges: Ranges, run: Ranges = ()) -> str:
    """Return the ranges of an entry's units as text.

    >>> from eightfold.forms import form
    >>> units_text(form("utf-8"), ((0xC2, 0xDF), (0x80, 0xBF)))
    'C2-DF 80-BF'
    """
    digits = form.unit_bits // 4
    shown = [f"{low:0{digits}X}" if low == high else f"{low:0{digits}X}-{high:0{digits}X}" for low, high in ranges]
    return " ".join([*shown, f"then any {units_text(form, run)}"] if run else shown)


def points_text(entry: Entry) -> str:
    """Return the code points of an entry as text; empty if it has none.

    >>> from eightfold.forms import form
    >>> points_text(form("utf-8").rows[1])
    'U+0080-U+07FF'
    """
    if entry.first is None or entry.last is None:
        return ""
    first, last = code_point_name(entry.first), code_point_name(entry.last)
    return first if first == last else f"{first}-{last}"
