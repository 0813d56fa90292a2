"""The compiled core against the reference, sequence by sequence: value, end, kind and span of faults, and hold-back.

Exhaustive over strings of one unit of each class that a form's tables tell apart, to length 4; and, as long as more
input could change the answer of either engine, beyond: what is certain does not change with what follows, which the
shorter strings show. A whole input is a row of such sequences; the loops over them are in `test_parity_loops`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import eightfold
from eightfold import Fault, FaultRow, Form, Row, reference
from eightfold._engine import CORE
from support.byte_classes import neighbours, representatives

pytestmark = pytest.mark.skipif(CORE is None, reason="the reference is the engine: there is nothing to compare")

LENGTH = 4
LONGEST = 8
BY_TABLE = {
    name: form
    for form in eightfold.forms()
    if not form.signatures
    for name, form in (
        (form.name, form),
        *((f"{form.name}/{each.policy}", each.form) for each in form.variants),
    )
}
"""Every table of the family once; a form with signatures has that of the forms which they announce."""


Answer = tuple[tuple[int, int | None] | None, Fault | None]
"""A sequence, and the fault that begins with it where it is ill-formed or not certain yet."""


def _answer(engine: Any, form: Form, data: bytes, *, final: bool) -> Answer:
    step = engine.sequence_at(form, data, 0, final=final)
    return step, engine.fault_at(form, data, 0, final=final) if step is None or step[1] is None else None


def difference(form: Form, data: bytes, certain: Answer | None = None) -> str:
    """Return how the engines differ at the start of bytes, or nothing.

    ``certain`` is what the reference says whatever follows a part of these bytes: only if the core says otherwise, the
    reference is asked again.
    """
    for final in (True, False):
        found = _answer(CORE, form, data, final=final)
        if found != certain and found != (expected := _answer(reference, form, data, final=final)):
            return f"{data.hex(' ')}, final={final}: {found!r}, not {expected!r}"
    return ""


def certain_answer(form: Form, data: bytes) -> Answer | None:
    """Return the reference's answer where no more input can change it, or None."""
    step, fault = _answer(reference, form, data, final=False)
    undecided = step is None or (step[1] is None and fault is None)
    return None if undecided else (step, fault)


def differences(form: Form, inputs: Iterable[bytes]) -> Iterator[str]:
    return (found for data in inputs if data and (found := difference(form, data)))


def short_strings(form: Form, length: int, start: bytes = b"", certain: Answer | None = None) -> Iterator[str]:
    """Yield the differences at strings of up to so many representatives, each also with parts of a unit left over."""
    for unit in representatives(form):
        data = start + unit
        known = certain or certain_answer(form, data)
        for leftover in range(form.unit_bytes):
            yield difference(form, data + b"\xdc" * leftover, known)
        if length > 1:
            yield from short_strings(form, length - 1, data, known)


def longer_strings(form: Form) -> Iterator[bytes]:
    """Yield strings beyond the exhaustive length whose every shorter part leaves the answer open."""
    units = representatives(form)
    level = list(units)
    # A sequence without a fixed length leaves the answer open for ever.
    for length in range(1, LONGEST if form.run_unit is None else LENGTH + 1):
        level = [data + unit for data in level if certain_answer(form, data) is None for unit in units]
        if length >= LENGTH:
            yield from level


@pytest.mark.parametrize("name", BY_TABLE)
def test_every_short_string(name: str) -> None:
    form = BY_TABLE[name]
    assert next(filter(None, short_strings(form, LENGTH)), "") == ""
    assert next(differences(form, (b"\xdc" * part for part in range(1, form.unit_bytes))), "") == ""


@pytest.mark.parametrize("name", BY_TABLE)
def test_every_longer_string_that_is_not_decided_earlier(name: str) -> None:
    form = BY_TABLE[name]
    assert next(differences(form, longer_strings(form)), "") == ""


@pytest.mark.parametrize("name", BY_TABLE)
def test_what_is_one_change_away_from_an_entry(name: str) -> None:
    form = BY_TABLE[name]
    assert next(differences(form, neighbours(form)), "") == ""


# --- planted faults ---------------------------------------------------------------------------------------------------


def planted(form: Form, **changed: object) -> Form:
    """Return a copy of a form whose core is compiled from other tables than the reference reads."""
    facts = {
        "rows": form.rows,
        "units": form.units,
        "names": form.names,
        "unit_bits": form.unit_bits,
        "longest_match": True,
        "decode_only": True,
        "byte_order": form.byte_order,
    }
    copy, wrong = Form(form.name, **facts), Form(form.name, **{**facts, **changed})  # type: ignore[arg-type]
    assert CORE is not None
    CORE.sequence_at(wrong, b"a", 0)
    copy.derived["native"] = wrong.derived["native"]
    return copy


def test_a_copy_without_a_fault_is_green() -> None:
    form = planted(eightfold.form("utf-8"))
    assert list(filter(None, short_strings(form, 3))) == []


def _moved(row: Row) -> Row:
    return Row(row.first + 1, row.last + 1, *row.unit_ranges)


def _without_last(entries: tuple[Row | FaultRow, ...]) -> tuple[Row | FaultRow, ...]:
    return entries[:-1]


@pytest.mark.parametrize(
    ("name", "table", "change"),
    [
        ("utf-8", "rows", lambda rows: (*rows[:-1], _moved(rows[-1]))),
        ("utf-8", "rows", _without_last),
        ("utf-8", "names", lambda names: names[1:]),
        ("utf-8", "rows", lambda rows: (*rows[:4], Row(0xD000, 0xDFFF, 0xED, (0x80, 0xBF), (0x80, 0xBF)), *rows[5:])),
        ("wtf-8", "units", _without_last),
        ("cesu-8", "units", _without_last),
        ("corrected-utf-8", "units", lambda units: (units[0]._replace(run=((0x80, 0xBF),)),)),
        ("utf-16-le", "rows", _without_last),
        ("utf-32-be", "names", _without_last),
    ],
)
def test_a_wrong_table_is_red(name: str, table: str, change: object) -> None:
    form = eightfold.form(name)
    wrong = planted(form, **{table: change(getattr(form, table))})  # type: ignore[operator]
    assert next(filter(None, short_strings(wrong, 4)), "") != ""
