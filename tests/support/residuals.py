"""The automaton of a form by another route than the core's: by derivatives of its rows as regular expressions.

A row is a finite expression, one range after the other. Its derivative by a unit is what remains of it if the unit lies
in the first range, and nothing otherwise. A state is the set of what remains of every row, of every decoding unit and,
if asked for, of every name. No state has a number, no depth is counted, no index is computed.

The product of two automata is explored from their first states on: only pairs that some input reaches, each with the
shortest input that reaches it. There are finitely many, so what holds in each holds for inputs of every length.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from eightfold import Form
from eightfold.forms.rows import Range
from support.byte_classes import classes

Remainder = tuple[str, int, tuple[Range, ...]]
"""What remains of an entry: the table that it is in, its place there, and the ranges that are still to come."""


class Residual(NamedTuple):
    """What remains of every entry, and how long the longest beginning of a row was on the way."""

    remainders: frozenset[Remainder]
    subpart: int
    length: int

    def after(self, unit: int) -> Residual | None:
        """Return the derivative by a unit, or None if nothing remains."""
        left = frozenset(
            (table, place, ranges[1:])
            for table, place, ranges in self.remainders
            if ranges and ranges[0][0] <= unit <= ranges[0][1]
        )
        if not left:
            return None
        in_row = any(table == "rows" for table, _, _ in left)
        return Residual(left, self.length + 1 if in_row else self.subpart, self.length + 1)

    def complete(self, table: str) -> list[int]:
        """Return the places of the entries of a table that are complete."""
        return sorted(place for named, place, ranges in self.remainders if named == table and not ranges)

    def continues(self, *tables: str) -> bool:
        """Return whether an entry of these tables needs more units."""
        return any(table in tables and ranges for table, _, ranges in self.remainders)


def first(form: Form, *tables: str) -> Residual:
    """Return the first state, of the entries of some tables."""
    entries = [
        (table, place, entry.unit_ranges) for table in tables for place, entry in enumerate(getattr(form, table))
    ]
    return Residual(frozenset(entries), 1, 0)


def edges(form: Form) -> list[int]:
    """Return the first and the last unit of each class that some range of the form distinguishes."""
    return sorted({unit for each in classes(form) for unit in (each[0], each[-1])})


def explored(start: Any, units: list[int], after: Callable[[Any, int], Any]) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """Yield every state that can be reached, with the shortest input of these units that reaches it."""
    found, waiting = {start: ()}, deque([start])
    while waiting:
        state = waiting.popleft()
        yield state, found[state]
        for unit in units:
            following = after(state, unit)
            if following is not None and following not in found:
                found[following] = (*found[state], unit)
                waiting.append(following)


def transitions(form: Form, *tables: str) -> Iterator[tuple[int, ...]]:
    """Yield one input for each transition of a form's automaton: the shortest way to a state, and one more unit."""
    units = edges(form)
    for _, way in explored(first(form, *tables), units, lambda state, unit: state.after(unit)):
        yield way
        yield from ((*way, unit) for unit in units)
