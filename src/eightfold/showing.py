"""Faults that are found one by one, and the table that notebooks show of those that come next."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NoReturn, Protocol, SupportsIndex

from eightfold.faults import Fault, code_point_name, hex_bytes
from eightfold.markup import ROWS_SHOWN, Markup, row, table

_HEADER = ("span", "bytes", "code point", "kind", "fault")
_COLUMNS = ("number", "bytes", "point", "kind", "said")


class Peekable(Protocol):
    """An iterator of faults that can be asked for the next ones without taking them."""

    def peek(self, count: int, /) -> Sequence[Fault]:
        """Return the next faults, at most so many; the iterator still yields them."""


class Faults(Iterator[Fault]):
    r"""Faults as they are found. A notebook shows the next ones; the iterator still yields them afterwards.

    >>> from eightfold.faults import Fault
    >>> found = Faults(iter([Fault("invalid-byte", "utf-8", 4, 5, b"\xff")]))
    >>> [fault.start for fault in found.peek(2)], [fault.start for fault in found]
    ([4], [4])
    """

    def __init__(self, found: Iterator[Fault]) -> None:
        self._found = found
        self._ahead = deque[Fault]()

    def __iter__(self) -> Faults:
        """Return the iterator itself."""
        return self

    def __next__(self) -> Fault:
        """Return the next fault."""
        if self._ahead:
            with suppress(IndexError):  # Another thread has taken it.
                return self._ahead.popleft()
        return next(self._found)

    def peek(self, count: SupportsIndex, /) -> list[Fault]:
        """Return the next faults, at most so many; the iterator still yields them.

        Raises:
            ValueError: the count is negative. TypeError: it is not an integer.
        """
        most = operator.index(count)
        if most < 0:
            raise ValueError(f"count must be 0 or more, not {most}")
        while len(self._ahead) < most and (fault := next(self._found, None)) is not None:
            self._ahead.append(fault)
        return list(self._ahead)[:most]

    def _repr_html_(self) -> str:
        return html_of(self)

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        raise TypeError("faults cannot be copied or pickled while they are being found: make a list of them")


def html_of(found: Peekable) -> str:
    """Return the next faults of an iterator as a table, at most :data:`~eightfold.markup.ROWS_SHOWN`."""
    shown = found.peek(ROWS_SHOWN + 1)
    more = f"and more after the first {ROWS_SHOWN}" if len(shown) > ROWS_SHOWN else ""
    caption = f"Faults in {shown[0].form}" if shown else "No faults"
    return table(caption, _HEADER, [_row(fault) for fault in shown[:ROWS_SHOWN]], more)


def _row(fault: Fault) -> Markup:
    ellipsis = " ..." if fault.end - fault.start > len(fault.units) > 0 else ""
    point = "" if fault.code_point is None else code_point_name(fault.code_point)
    span = f"{fault.start}-{fault.end}"
    return row((span, hex_bytes(fault.units) + ellipsis, point, fault.kind, str(fault)), _COLUMNS, "fault")


__all__ = ["Faults", "Peekable", "html_of"]
