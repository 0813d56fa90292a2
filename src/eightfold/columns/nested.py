"""Columns inside columns: which arrays of text an array holds, and which of its rows shows a value of one of them.

Only what a row shows counts: what stands behind a null list or struct, before the first or after the last element of a
slice, or in a dictionary that no row refers to, is in no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from eightfold.columns.arrow import column_of, is_text, pyarrow, type_name, types_in
from eightfold.columns.carriers import carried_form
from eightfold.columns.steps import Shown, Step, children
from eightfold.columns.unsupported import UnsupportedTypeError, is_pickled, refuse_pickled
from eightfold.columns.values import BrokenColumnError, Column
from eightfold.forms import Form

_DEEPEST = 200
"""How many levels of types inside each other are read: each takes several calls, of which Python allows 1,000."""


@contextmanager
def blaming_column(name: str, first_row: int) -> Iterator[None]:
    """Name the column, and count its rows, in errors about an array of it that the block reads.

    Args:
        name: the column.
        first_row: the number of the first row of the array.

    Raises:
        BrokenColumnError: the array is broken. UnsupportedTypeError: a type that holds text and is not known here.
    """
    try:
        yield
    except BrokenColumnError as error:
        if error.column is not None:  # of an array inside, which is named
            raise
        raise BrokenColumnError(first_row + error.row, error.what, name) from None
    except UnsupportedTypeError as error:
        raise UnsupportedTypeError(error.type, name) from None
    except pyarrow().ArrowInvalid as error:  # an array that was not checked before it came here
        raise BrokenColumnError(first_row, str(error), name) from None


class Way:
    """How the rows of the outermost array show those of an inner one: by a step to its outer array, and the way beyond.

    >>> [(_, step)] = children(pyarrow().array([["a"], ["b", "c"]]))
    >>> Way(step).shown(2)
    Shown(row=1, step='[1]')
    """

    def __init__(self, step: Step, beyond: Way | None = None) -> None:
        self._step, self._beyond = step, beyond
        self.keeps_order: bool = step.keeps_order and (beyond is None or beyond.keeps_order)
        self._known: dict[int, Shown | None] = {}

    def shown(self, row: int) -> Shown | None:
        """Return the first of the outermost rows that show a value, with the path to it; None if there is none."""
        if row not in self._known:
            found = self._first(range(row, row + 1))
            self._known[row] = None if found is None else found[1]
        return self._known[row]

    def first(self, rows: range) -> tuple[int, Shown] | None:
        """Return which of some rows is shown first, and where; None if none is."""
        if len(rows) > 1:
            return self._first(rows)
        shown = self.shown(rows.start)
        return None if shown is None else (rows.start, shown)

    def _first(self, rows: range) -> tuple[int, Shown] | None:
        first, beyond = None, self._beyond
        for outer in self._step.outer(rows):
            found = (outer.start, Shown(outer.start, "")) if beyond is None else beyond.first(outer)
            if found is not None and (first is None or found[1].row < first[1].row):
                inner = self._step.inner(found[0], rows)
                first = inner.row, Shown(found[1].row, found[1].step + inner.step)
            if first is not None and (beyond is None or beyond.keeps_order):
                break
        return first

    def marked(self, marks: bytearray) -> bytearray:
        """Return a byte for each outermost row: 1 if it shows a value that is marked with 1, else 0."""
        marks = self._step.marked(marks)
        return marks if self._beyond is None else self._beyond.marked(marks)


def shown_by(way: Way | None, row: int) -> Shown | None:
    """Return where a value is shown first, as :meth:`Way.shown`; without a way, in its own row.

    >>> shown_by(None, 3)
    Shown(row=3, step='')
    """
    return Shown(row, "") if way is None else way.shown(row)


class Leaf(NamedTuple):
    """An array of text or of binary values inside another.

    Attributes:
        array: the array.
        column: its buffers.
        form: the form that a carrier carries, or None.
        way: how the outermost array shows this one; None if it is the outermost.
    """

    array: Any
    column: Column
    form: Form | None
    way: Way | None

    def shown(self, row: int) -> Shown | None:
        """Return where a value is shown first, with the whole path behind the name of the column; None if nowhere."""
        return shown_by(self.way, row)

    def marked(self, rows: Iterable[int]) -> bytearray:
        """Return a byte for each outermost row: 1 if it shows one of some values, else 0."""
        marks = bytearray(self.column.length)
        for row in rows:
            marks[row] = 1
        return marks if self.way is None else self.way.marked(marks)


def leaves(array: Any, way: Way | None = None, form: Form | None = None, *, binary: bool = True) -> Iterator[Leaf]:
    """Yield the arrays of text, and of binary values if wanted, that an array holds or is.

    An array whose type has no bytes for a value is left out: nothing can be found in it.

    Raises:
        BrokenColumnError: the offsets of a list or a reference to a value lead nowhere.
        UnsupportedTypeError: a type that holds text and is not known here.

    >>> array = pyarrow().array([{"a": "x", "b": 1}])
    >>> [leaf.shown(0) for leaf in leaves(array)]
    [Shown(row=0, step='.a')]
    """
    if type_name(array.type):
        column = column_of(array)
        if (binary or form is not None or is_text(array.type)) and not column.is_of_no_bytes:
            yield Leaf(array, column, form, way)
        return
    if way is None:
        check_depth(array.type)
    if not holds_text(array.type, binary=binary):
        return
    refuse_pickled(array.type)
    if isinstance(array, pyarrow().ExtensionArray):
        yield from leaves(array.storage, way, carried_form(array.type), binary=False)
        return
    for child, step in children(array):
        yield from leaves(child, Way(step, way), binary=binary)


def check_depth(type: Any) -> None:
    """Check that a type is not nested so deeply that Python might refuse the calls that read its arrays.

    Raises:
        UnsupportedTypeError: it is.

    >>> check_depth(pyarrow().list_(pyarrow().string()))
    """
    level = [type]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in types_in(each)]
        if not level:
            return
    raise UnsupportedTypeError(f"types that are nested more than {_DEEPEST} levels deep")


def holds_text(type: Any, *, binary: bool = True) -> bool:
    """Return whether arrays of a type hold text, or binary values if wanted.

    >>> pa = pyarrow()
    >>> holds_text(pa.list_(pa.string())), holds_text(pa.list_(pa.int8()))
    (True, False)
    """
    if type_name(type):
        return binary or is_text(type)
    if is_pickled(type):
        return True  # perhaps; it is refused
    if isinstance(type, pyarrow().BaseExtensionType):
        binary = carried_form(type) is not None  # what binary storage means is up to the type; of carriers it is text
    return any(holds_text(inner, binary=binary) for inner in types_in(type))


__all__ = ["Leaf", "Way", "blaming_column", "check_depth", "holds_text", "leaves", "shown_by"]
