"""Finding faults piece by piece, with line and column."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from eightfold import reference
from eightfold._engine import bind
from eightfold.arguments import AnyForm, Data, bytes_of
from eightfold.faults import Fault
from eightfold.forms import Form
from eightfold.forms import form as form_named
from eightfold.pieces import fault_at, well_formed_end
from eightfold.stream.opening import Opening
from eightfold.stream.turns import Copied, in_turn
from eightfold.text import LinePosition


class Located(NamedTuple):
    """A fault and the line and column at which it starts, both counted from 1; the column counts bytes."""

    fault: Fault
    line: int
    column: int


Position = tuple[int, int, int]
"""An offset into the whole input, with its line and column."""


@bind
def checked_piece(
    form: Form, name: str, data: bytes, start: int, position: Position, final: bool
) -> tuple[list[Located], int, Position]:
    """Check a piece of a stream, up to where more input could change the result.

    Args:
        form: a form without signatures.
        name: the form that the caller gave, which the faults report.
        data: the held bytes, then the piece.
        start: the byte offset in the data at which the check begins.
        position: where ``start`` is in the whole input.
        final: whether this is the end of the stream.

    Returns:
        The faults, the byte offset in the data where the check ended, and where this is in the whole input.
    """
    found: list[Located] = []
    offset, place = position[0] - start, LinePosition(form, *position[1:])
    at = passed = start
    while (at := well_formed_end(form, data, at, final=final)) < len(data):
        fault = fault_at(form, data, at, final=final)
        if fault is None:
            break
        place.pass_over(data[passed:at])
        passed, at = at, fault.end
        found.append(Located(fault.moved(offset).renamed(name), place.line, place.column))
    place.pass_over(data[passed:at])
    return found, at, (offset + at, place.line, place.column)


@in_turn("check", "__getstate__")
class Checker(Copied):
    r"""Finds the faults of bytes piece by piece: those of :func:`eightfold.faults` for the whole, with line and column.

    Args:
        form: a Form or its name.

    Raises:
        LookupError: unknown form.

    >>> checker = Checker("utf-8")
    >>> checker.check(b"one\ntwo \xe2\x82"), [str(found.fault) for found in checker.check(b"", final=True)]
    ([], ['sequence E2 82 is cut short by the end of the input'])
    """

    def __init__(self, form: AnyForm) -> None:
        self.form: Form = form_named(form)
        self._opening = Opening(self.form)
        self._held = b""
        self._position: Position = (0, 1, 1)
        self._run: Located | None = None

    def __repr__(self) -> str:
        return f"<Checker {self.form.name}, at byte {self._position[0]}>"

    def check(self, chunk: Data, final: bool = False) -> list[Located]:
        r"""Return the faults that later bytes cannot change, with offsets into the whole input.

        Args:
            chunk: the next bytes of the input.
            final: whether these are the last. Use another Checker for another input: offsets and lines go on.

        >>> checker = Checker("utf-8")
        >>> checker.check(b"one\n\xc3")
        []
        >>> [(each.fault.kind, each.fault.start, each.line, each.column) for each in checker.check(b"!", final=True)]
        [('truncated', 4, 2, 1)]
        """
        content = self._held + bytes_of(chunk)
        opened = self._opening.after(content, final=final)
        if opened is None:
            self._held = content
            return []
        opening, at = opened
        plain = opening.plain
        assert plain is not None  # it has just opened
        ended, run = [], self._run
        if run is not None:
            run, at = _continued(run, plain, content)
            if len(content) - at >= plain.unit_bytes or final:
                ended, run = [run], None
        position = _passed_over(content[:at], plain, self._position)
        found, end, position = checked_piece(plain, self.form.name, content, at, position, final)
        if reference.begins_run(plain, content, end):
            run, start = self._run_at(end, plain, content, position), end
            end += run.fault.end - run.fault.start
            position = _passed_over(content[start:end], plain, position)
        self._opening, self._held, self._position, self._run = opening, content[end:], position, run
        return ended + found

    def _run_at(self, start: int, plain: Form, content: bytes, position: Position) -> Located:
        """Return the fault of a sequence without a fixed length as far as it has come."""
        offset, line, column = position
        fault = fault_at(plain, content, start)
        assert fault is not None  # the call treats the input as complete
        return Located(fault.moved(offset - start).renamed(self.form.name), line, column)


def _continued(run: Located, plain: Form, content: bytes) -> tuple[Located, int]:
    """Return the fault of a sequence without a fixed length with what continues it, and where that ends."""
    begun = run.fault
    whole = fault_at(plain, begun.units + content, 0)
    assert whole is not None  # the call treats the input as complete
    end = whole.end - len(begun.units)
    return run._replace(fault=replace(whole, form=begun.form, start=begun.start, end=begun.end + end)), end


def _passed_over(data: bytes, plain: Form, position: Position) -> Position:
    """Return the position behind whole code units."""
    offset, line, column = position
    place = LinePosition(plain, line, column)
    place.pass_over(data)
    return offset + len(data), place.line, place.column
