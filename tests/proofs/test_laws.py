"""Laws between forms, for strings of every length: inclusion, escapes that come back, conversion by way of code points.

A string is read as a stream is: the state is what the core holds back. It is never longer than the longest sequence, so
there are finitely many states, and the product of two forms can be explored.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import eightfold
from eightfold import Form, Row, reference
from eightfold._engine import CORE
from proofs.test_automata import FORMS, data_of
from support.needed import needs_core
from support.residuals import edges, explored, transitions

Reading = bytes | None
"""What is held back, or None if the string cannot become well-formed any more."""


def after(form: Form, held: Reading, unit: bytes) -> Reading:
    """Return what the core holds back after one more unit."""
    assert CORE is not None
    if held is None:
        return None
    data, at = held + unit, 0
    while at < len(data):
        step = CORE.sequence_at(form, data, at, final=False)
        if step is None:
            break
        if step[1] is None:
            return None
        at = step[0]
    return data[at:]


def outside(inner: Form, outer: Form) -> list[bytes]:
    """Return the shortest well-formed strings of one form that another does not read as the same code points.

    One for each pair of states.
    """
    found = []
    units = sorted({*edges(inner), *edges(outer)})

    def follow(pair: tuple[Reading, Reading], unit: int) -> tuple[Reading, Reading] | None:
        byte = bytes([unit])
        state = after(inner, pair[0], byte)
        return None if state is None else (state, after(outer, pair[1], byte))

    for (held, _), way in explored((b"", b""), units, follow):
        data = bytes(way)
        if reference.well_formed_end(inner, held or b"", 0) == len(held or b""):
            theirs = eightfold.is_well_formed(data, outer) and eightfold.decode_code_points(data, outer)
            if theirs != eightfold.decode_code_points(data, inner):
                found.append(data)
    return found


def holds(other: Row, row: Row) -> bool:
    """Return whether a row reads every sequence of another as the same code point.

    Values are affine in each unit: they agree everywhere if they do at the lowest units and with each one raised.
    """
    if len(other.unit_ranges) != len(row.unit_ranges):
        return False
    pairs = zip(other.unit_ranges, row.unit_ranges, strict=True)
    if not all(wide[0] <= low and high <= wide[1] for wide, (low, high) in pairs):
        return False
    lowest = [low for low, _ in row.unit_ranges]
    raised = [
        [*lowest[:at], unit + 1, *lowest[at + 1 :]] for at, unit in enumerate(lowest) if unit < row.unit_ranges[at][1]
    ]
    read = [
        [reference.value(each.first, each.unit_ranges, units) for units in (lowest, *raised)] for each in (other, row)
    ]
    return read[0] == read[1]


@needs_core
@pytest.mark.parametrize(
    ("inner", "outer"), [("utf-8", "wtf-8"), ("wtf-8", "generalized-utf-8"), ("generalized-utf-8", "utf-8-rfc2044")]
)
def test_one_form_is_a_part_of_another(inner: str, outer: str) -> None:
    assert outside(FORMS[inner], FORMS[outer]) == []
    for row in FORMS[inner].rows:
        assert any(holds(other, row) for other in FORMS[outer].rows), row


@needs_core
@pytest.mark.parametrize(
    ("inner", "outer", "example"),
    [
        ("wtf-8", "utf-8", "EDA080"),
        ("generalized-utf-8", "wtf-8", "EDA080EDB080"),
        ("utf-8", "cesu-8", "F0908080"),
        ("utf-8", "xtf-8", "EEBE80"),
        ("utf-8", "mutf-8", "00"),
    ],
)
def test_and_not_the_other_way_round(inner: str, outer: str, example: str) -> None:
    assert bytes.fromhex(example) in outside(FORMS[inner], FORMS[outer])


@needs_core
@pytest.mark.parametrize("name", ["xtf-8/escape", "optu-8"])
def test_every_byte_string_is_well_formed_where_bytes_are_escaped(name: str) -> None:
    """No state rejects a unit or the end of the input, so decoding is total."""
    form = FORMS[name]
    for held, _ in explored(b"", edges(form), lambda held, unit: after(form, held, bytes([unit]))):
        assert all(after(form, held, bytes([unit])) is not None for unit in edges(form))
        assert reference.well_formed_end(form, held, 0) == len(held)


@pytest.mark.parametrize("name", [name for name, form in FORMS.items() if not form.decode_only])
def test_what_a_row_reads_it_writes(name: str) -> None:
    """So a string that is well-formed comes back from its code points, unless encoding joins them.

    Rows share no code point, and each has as many code points as sequences; its value is a mixed-radix number, whose
    digits are unique.
    """
    form = FORMS[name]
    spans = sorted((row.first, row.last) for row in form.rows)
    assert all(last < following for (_, last), (following, _) in pairwise(spans))
    for row in form.rows:
        count = 1
        for low, high in row.unit_ranges:
            count *= high - low + 1
        assert count == row.last - row.first + 1
        for point in {row.first, row.last, (row.first + row.last) // 2}:
            assert reference.value(row.first, row.unit_ranges, reference.units_of(row, point)) == point


@pytest.mark.parametrize("name", ["xtf-8/escape", "optu-8"])
def test_escapes_come_back_on_every_transition(name: str) -> None:
    form, _, policy = name.partition("/")
    for units in transitions(FORMS[name], "rows", "units"):
        data = data_of(FORMS[name], units)
        assert eightfold.encode(eightfold.decode(data, form, policy or "strict"), form, policy or "strict") == data


def by_way_of_code_points(data: bytes, source: Form, target: Form) -> Any:
    try:
        return eightfold.encode_code_points(eightfold.decode_code_points(data, source), target)
    except UnicodeError:
        return None


@pytest.mark.parametrize("name", [name for name in FORMS if "/" not in name])
def test_conversion_is_decoding_and_encoding_on_every_transition(name: str) -> None:
    source = FORMS[name]
    targets = [form for other, form in FORMS.items() if "/" not in other]
    for units in transitions(source, "rows", "units"):
        data = data_of(source, units)
        for target in targets:
            try:
                converted = eightfold.convert(data, source, target)
            except eightfold.ConversionError:
                converted = None
            assert converted == by_way_of_code_points(data, source, target), (data.hex(" "), target)
