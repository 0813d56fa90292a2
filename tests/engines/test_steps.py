"""Long calls work in steps, between which they look for signals. No step shows in a result."""

from __future__ import annotations

import pytest

import eightfold
from eightfold import Form

STEP = 1 << 18
"""See `STEP` in rust/python/src/heard.rs."""
UNITS = ["a", "é", "中", "😀", "a中", "😀é", "\0"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("form", eightfold.forms(), ids=lambda form: form.name)
def test_a_unit_at_the_end_of_a_step_is_not_cut(form: Form, unit: str) -> None:
    if form.signatures:
        form = form.signatures[0].form
    if not eightfold.is_encodable(unit, form):
        pytest.skip("the form lacks it")
    one = eightfold.encode(unit, form)
    for pad in range(7):
        count = STEP // len(one) + 2
        text = "a" * pad + unit * count
        data = eightfold.encode("a", form) * pad + one * count
        assert eightfold.encode(text, form) == data
        assert eightfold.decode(data, form) == text
        assert eightfold.is_well_formed(data, form)
        assert eightfold.convert(data, form, "utf-8") == text.encode()


@pytest.mark.parametrize("form", eightfold.forms(), ids=lambda form: form.name)
@pytest.mark.parametrize("policy", ["replace", "surrogateescape", "ignore"])
def test_a_fault_at_the_end_of_a_step_is_one_fault(form: Form, policy: str) -> None:
    if policy in form.refuses:
        pytest.skip("the form refuses the policy")
    fault, text = b"\xed\xa0\xff\xfe", eightfold.encode("\u20ac\u4e2d", form)
    for pad in range(9):
        head, tail = text * ((STEP - pad) // len(text)), text * 5
        expected = eightfold.decode(head, form) + eightfold.decode(fault + tail, form, policy)
        assert eightfold.decode(head + fault + tail, form, policy) == expected
