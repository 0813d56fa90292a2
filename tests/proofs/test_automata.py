"""The core's automaton of every form is the one that its rows define: proved by exploring the product of both.

Proved for inputs of every length: which row or unit is complete after any units, which continue, where the maximal
subpart ends, and the value of each sequence. The code that walks the automaton is run on every transition: its answers
are the reference's, for the end of the input and for more to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, NamedTuple

import pytest

import eightfold
from eightfold import Form, reference
from eightfold._engine import CORE
from eightfold.stream import Decoder
from support.needed import needs_core
from support.residuals import Residual, edges, explored, first, transitions

FORMS = {
    name: form
    for each in eightfold.forms()
    if not each.signatures
    for name, form in ((each.name, each), *((f"{each.name}/{one.policy}", one.form) for one in each.variants))
}
"""Every table of the family once; a form with signatures has that of the forms which they announce."""
PLANTED = ("utf-8", "wtf-8", "cesu-8", "corrected-utf-8", "utf-16-le")
"""Forms in which faults are planted: pairs as units and as rows, offsets, a run, wide units."""
MODULUS = 1 << 32


class State(NamedTuple):
    accept: int | None
    subpart: int
    goes_on: bool
    fits_row: bool
    row_goes_on: bool


class Table:
    """The core's automaton as it tells it."""

    def __init__(self, form: Form) -> None:
        assert CORE is not None
        states, self.classes, self.next, self.entries = CORE.automaton(form)
        self.states = [State(*state) for state in states]

    def after(self, state: int, unit: int) -> int | None:
        low, high = 0, len(self.classes)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.classes[middle] <= unit else (low, middle)
        return self.next[state][low]


def units_of_classes(form: Form, table: Table) -> list[int]:
    """Return a unit of each class of either automaton; of bytes all, so that no class is taken on trust."""
    if form.unit_bits == 8:
        return list(range(256))
    return sorted({*edges(form), *table.classes})


def defined(form: Form, residual: Residual) -> State:
    """Return what a state must know, from what remains of the rows and units."""
    rows, units = residual.complete("rows"), residual.complete("units")
    whole = [*rows, *(len(form.rows) + place for place in units)] if residual.length else []
    return State(
        min(whole, default=None),
        residual.subpart,
        residual.continues("rows", "units"),
        any(table == "rows" for table, _, _ in residual.remainders),
        residual.continues("rows"),
    )


def differences(form: Form, table: Table, units: list[int]) -> Iterator[str]:
    """Explore the product, and yield how the two automata differ."""
    found: list[str] = []

    def after(pair: tuple[int, Residual], unit: int) -> tuple[int, Residual] | None:
        state, residual = table.after(pair[0], unit), pair[1].after(unit)
        if (state is None) != (residual is None):
            found.append(f"after {sorted(pair[1].remainders)} the unit {unit:X} goes on in one of them")
        return None if state is None or residual is None else (state, residual)

    for (state, residual), way in explored((0, first(form, "rows", "units")), units, after):
        if table.states[state] != defined(form, residual):
            yield f"{data_of(form, way).hex(' ')}: {table.states[state]}"
        yield from found
        found.clear()
    yield from found
    yield from wrong_values(form, table)


def wrong_values(form: Form, table: Table) -> Iterator[str]:
    """Yield the rows whose values differ somewhere.

    Both are affine in each unit, so they are equal everywhere if they are at the lowest units, and at the lowest with
    any one unit raised by one.
    """
    for row, (base, weights, unit) in zip(form.rows, table.entries, strict=False):
        lowest = [low for low, _ in row.unit_ranges]
        raised = [
            [*lowest[:at], low + 1, *lowest[at + 1 :]] for at, (low, high) in enumerate(row.unit_ranges) if low < high
        ]
        for units in (lowest, *raised):
            value = (base + sum(map(lambda one, weight: one * weight, units, weights))) % MODULUS
            if unit is not None or value != reference.value(row.first, row.unit_ranges, units):
                yield f"{row} has another value at {units}"


def data_of(form: Form, units: tuple[int, ...]) -> bytes:
    return b"".join(unit.to_bytes(form.unit_bytes, form.byte_order) for unit in units)


# --- the table --------------------------------------------------------------------------------------------------------


@needs_core
@pytest.mark.parametrize("name", FORMS)
def test_the_automaton_is_the_one_that_the_rows_define(name: str) -> None:
    form, table = FORMS[name], Table(FORMS[name])
    assert list(differences(form, table, units_of_classes(form, table))) == []


@needs_core
@pytest.mark.parametrize("name", FORMS)
def test_every_state_of_the_core_is_reached(name: str) -> None:
    form, table = FORMS[name], Table(FORMS[name])
    units = units_of_classes(form, table)
    assert len(list(explored(0, units, table.after))) == len(table.states)


@needs_core
@pytest.mark.parametrize("name", PLANTED)
def test_each_fault_planted_in_the_table_is_found(name: str) -> None:
    form, sound = FORMS[name], Table(FORMS[name])
    units = edges(form)

    def found(change: Any) -> bool:
        table = deepcopy(sound)
        change(table)
        return any(differences(form, table, units))

    for place in range(len(form.sequences)):
        assert found(lambda table, place=place: lose_entry(table, place)), form.sequences[place]
    for place in range(len(form.rows)):
        assert found(lambda table, place=place: shift_value(table, place)), form.rows[place]
    for state in range(1, len(sound.states)):
        assert found(lambda table, state=state: shift_span(table, state))
        assert found(lambda table, state=state: cut_off(table, state))
    if sound.entries[0][0] != sound.entries[1][0]:
        assert found(swap_offsets)
    assert found(lambda table: add_transition(table))


def lose_entry(table: Table, place: int) -> None:
    """A row or a unit is missing: no state accepts it."""
    table.states = [each._replace(accept=None) if each.accept == place else each for each in table.states]


def shift_value(table: Table, place: int) -> None:
    base, weights, unit = table.entries[place]
    table.entries[place] = base + 1, weights, unit


def shift_span(table: Table, state: int) -> None:
    table.states[state] = table.states[state]._replace(subpart=table.states[state].subpart + 1)


def cut_off(table: Table, state: int) -> None:
    """No unit leads to a state any more."""
    table.next = [[None if each == state else each for each in row] for row in table.next]


def swap_offsets(table: Table) -> None:
    (one, first_weights, _), (other, second_weights, _) = table.entries[:2]
    table.entries[:2] = [(other, first_weights, None), (one, second_weights, None)]


def add_transition(table: Table) -> None:
    """Some unit that ends a sequence goes on."""
    final = next(place for place, each in enumerate(table.states) if place and not each.goes_on)
    table.next[final][0] = final


# --- the code that walks it -------------------------------------------------------------------------------------------


def wrong_answers(asked: Form, defining: Form, ways: Iterable[tuple[int, ...]]) -> Iterator[str]:
    """Yield the inputs at which the core says of one form what the reference does not say of another."""
    assert CORE is not None
    for units in ways:
        for rest in range(asked.unit_bytes):
            data = data_of(asked, units) + b"\xdc" * rest
            for final in (True, False):
                step = CORE.sequence_at(asked, data, 0, final=final)
                if step != reference.sequence_at(defining, data, 0, final=final):
                    yield f"{data.hex(' ')}, final={final}: {step}"
                elif step is None or step[1] is None:
                    fault = CORE.fault_at(asked, data, 0, final=final)
                    if fault != reference.fault_at(defining, data, 0, final=final):
                        yield f"{data.hex(' ')}, final={final}: {fault}"


@needs_core
@pytest.mark.parametrize("name", FORMS)
def test_on_every_transition_the_core_answers_as_the_reference(name: str) -> None:
    """Sequence, value, span, what is held back; and the kind and the span of the fault, on transitions of names too."""
    form = FORMS[name]
    assert list(wrong_answers(form, form, transitions(form, "rows", "units", "names"))) == []


@needs_core
@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_planted_in_the_tables_is_found_on_some_transition(name: str) -> None:
    form = FORMS[name]
    ways = list(transitions(form, "rows", "units", "names"))
    for table in ("rows", "units", "names"):
        entries = getattr(form, table)
        for entry in entries:
            if table == "names" and entry.kind == "invalid-byte":
                continue  # A byte that begins nothing has that name anyway.
            kept = [each for each in entries if each is not entry]
            tables = {"rows": form.rows, "units": form.units, "names": form.names, table: kept}
            other = Form(
                name,
                tables["rows"],
                units=tables["units"],
                names=tables["names"],
                unit_bits=form.unit_bits,
                longest_match=form.longest_match,
                byte_order=form.byte_order,
            )
            assert any(wrong_answers(form, other, ways)), entry


@needs_core
@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form.run_unit is None])
def test_on_every_transition_a_stream_holds_back_what_is_undecided(name: str) -> None:
    form = FORMS[name]
    for units in transitions(form, "rows", "units"):
        data, at = data_of(form, units), 0
        while at < len(data) and (step := reference.sequence_at(form, data, at, final=False)):
            at = step.end
        decoder = Decoder(form, "replace")
        decoder.decode(data)
        assert len(decoder.getstate()[0]) == len(data) - at, data.hex(" ")
