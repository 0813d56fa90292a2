"""The law of the two views: faults tile exactly the bytes of the ill-formed decoding units, each covering whole units.

So every ill-formed input has exactly one name, and what a person is told never disagrees with what a handler is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

import eightfold
from eightfold import Fault, Form, forms, reference
from eightfold.faults import KINDS
from support.byte_classes import neighbours, representatives, strings

SIGNED = [each for each in forms() if each.signatures]
PLAIN = [each for each in forms() if not each.signatures]
VARIANTS = [variant.form for each in PLAIN for variant in each.variants]
every_table = pytest.mark.parametrize("form", [*PLAIN, *VARIANTS], ids=lambda form: form.name)

Span = tuple[int, int]


def inputs(form: Form) -> Iterator[bytes]:
    yield from strings(form, 3)
    yield from neighbours(form)


def ill_formed_units(form: Form, data: bytes) -> list[Span]:
    spans, at = [], 0
    while at < len(data):
        step = reference.sequence_at(form, data, at)
        assert step is not None
        assert at < step.end <= len(data)
        if step.code_point is None:
            spans.append((at, step.end))
        at = step.end
    return spans


def breach(units: list[Span], faults: list[Fault]) -> str:
    """Return how faults break the law over these units, or nothing."""
    starts, ends = {start for start, _ in units}, {end for _, end in units}
    if any(fault.start not in starts or fault.end not in ends for fault in faults):
        return "a fault that does not cover whole units"
    if [at for start, end in units for at in range(start, end)] != [
        at for fault in faults for at in range(fault.start, fault.end)
    ]:
        return "bytes of ill-formed units in no fault, in two, or bytes of well-formed sequences in one"
    return ""


@every_table
def test_faults_tile_the_ill_formed_units(form: Form) -> None:
    for data in inputs(form):
        assert breach(ill_formed_units(form, data), list(reference.faults(form, data))) == "", data


@every_table
def test_a_fault_says_what_stands_in_its_span(form: Form) -> None:
    for data in inputs(form):
        for fault in reference.faults(form, data):
            assert fault.units == data[fault.start : fault.end], data
            assert (fault.kind in KINDS, fault.form, fault.side) == (True, form.name, "source"), data


@every_table
def test_the_order_of_a_forms_tables_does_not_matter(form: Form) -> None:
    turned = Form(
        form.name,
        form.rows[::-1],
        unit_bits=form.unit_bits,
        units=form.units[::-1],
        names=form.names[::-1],
        longest_match=form.longest_match,
        byte_order=form.byte_order,
        decode_only=form.decode_only,
    )
    for data in inputs(form):
        assert list(reference.faults(turned, data)) == list(reference.faults(form, data)), data


@pytest.mark.parametrize("form", PLAIN, ids=lambda form: form.name)
def test_is_well_formed_says_whether_there_is_an_ill_formed_unit(form: Form) -> None:
    for data in inputs(form):
        assert eightfold.is_well_formed(data, form) == (not ill_formed_units(form, data)), data


@pytest.mark.parametrize("form", SIGNED, ids=lambda form: form.name)
def test_after_a_signature_the_faults_are_those_of_the_form_it_announces(form: Form) -> None:
    for mark, announced, _ in form.signatures:
        for data in strings(announced, 2):
            expected = [fault.renamed(form.name).moved(len(mark)) for fault in reference.faults(announced, data)]
            assert list(eightfold.faults(mark + data, form)) == expected, data


@pytest.mark.parametrize("form", SIGNED, ids=lambda form: form.name)
def test_without_a_signature_the_faults_are_those_of_the_first_form(form: Form) -> None:
    first = form.signatures[0].form
    for data in strings(first, 2):
        assert not any(data.startswith(mark) for mark, _, _ in form.signatures)
        expected = [fault.renamed(form.name) for fault in reference.faults(first, data)]
        assert list(eightfold.faults(data, form)) == expected, data


@pytest.mark.parametrize("name", ["wtf-8", "cesu-8", "mutf-8"])
def test_the_law_holds_around_surrogates_in_a_row(name: str) -> None:
    form = eightfold.form(name)
    alphabet = [b"\xed", b"\x80", b"\xa0", b"\xb0", b"A"]
    for length in range(7):
        for data in map(b"".join, product(alphabet, repeat=length)):
            assert breach(ill_formed_units(form, data), list(reference.faults(form, data))) == "", data


@pytest.mark.parametrize("name", ["optu-8", "wtf-16-le", "wtf-16-be", "optu-16-le", "optu-16-be"])
def test_forms_in_which_whole_units_are_never_at_fault(name: str) -> None:
    form = eightfold.form(name)
    for units in product(representatives(form), repeat=3):
        assert eightfold.is_well_formed(b"".join(units), form)


@pytest.mark.parametrize(
    ("spans", "says"),
    [
        pytest.param([(1, 2)], "in no fault", id="a byte dropped"),
        pytest.param([(0, 2), (1, 2)], "in two", id="a byte told twice"),
        pytest.param([(0, 1), (2, 3)], "whole units", id="half a unit"),
        pytest.param([(0, 2), (2, 4), (4, 5)], "whole units", id="a well-formed byte"),
        pytest.param([(0, 5)], "whole units", id="a span over what is well-formed"),
    ],
)
def test_a_broken_law_is_seen(spans: list[Span], says: str) -> None:
    units = [(0, 1), (1, 2), (2, 4)]
    faults = [Fault("truncated", "utf-8", start, end) for start, end in spans]
    assert says in breach(units, faults)
    assert breach(units, [Fault("truncated", "utf-8", 0, 2), Fault("truncated", "utf-8", 2, 4)]) == ""
