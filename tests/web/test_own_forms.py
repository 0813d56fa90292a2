"""Forms typed as rows: how lines are read, and that no form is too costly to compare."""

from __future__ import annotations

import re
import time

import pytest

from eightfold import Form, form, forms
from eightfold.family import compared
from eightfold.forms.as_text import points_text, units_text
from eightfold.web.api import answer
from eightfold.web.own_forms import MOST_ROWS, MOST_UNITS, form_of, is_comparable

OPTIONS = {"unit_bits": 8, "longest_match": False, "joins_pairs": False}


def typed(rows: str, **options: object) -> Form:
    return form_of({"rows": rows, **OPTIONS, **options})


@pytest.mark.parametrize("each", [form for form in forms() if not form.signatures], ids=lambda each: each.name)
def test_the_rows_of_a_form_can_be_typed_as_they_are_shown(each: Form) -> None:
    lines = [f"{points_text(row)}: {units_text(each, row.unit_ranges)}" for row in each.rows]
    again = typed("\n".join(lines), unit_bits=each.unit_bits, longest_match=each.longest_match)
    assert again.rows == each.rows


def test_spellings_comments_and_blank_lines() -> None:
    rows = "# ASCII\n\n 0x0..0x7f : 00-7F  # one byte\n80: C2 80\r"[:-1]
    assert typed(rows).rows == typed("U+0000-U+007F: 0-7F\nU+0080: C2 80").rows
    assert answer("check", {"own": {"rows": "0-7F:\t00-7F"}})["count"] == 128


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("", "own: a form needs at least one row"),
        ("0-7F", "line 1: a row is CODE POINTS: UNITS, such as U+0080-U+07FF: C2-DF 80-BF"),
        ("0-7F:", "line 1: a row is CODE POINTS: UNITS, such as U+0080-U+07FF: C2-DF 80-BF"),
        ("\n0-7F: xx", "line 2: 'xx' is not a hex number or a range such as 80-7FF"),
        ("0-FFFFFFFFF: 0", "line 1: '0-FFFFFFFFF' is not a hex number or a range such as 80-7FF"),
        ("0: 1-0", "line 1: not a range of code units: 1-0"),
        ("0: 0 0 0 0 0 0 0", f"line 1: a sequence typed here has at most {MOST_UNITS} units"),
        ("0: 1FF", "own: Row(U+0000-U+0000: 1FF) has a value that 8 bits cannot hold"),
        ("\n".join(f"{at:X}: {at:X}" for at in range(MOST_ROWS + 1)), "line 33: a form typed here has at most 32 rows"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(rows: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        typed(rows)


@pytest.mark.parametrize("each", forms(), ids=lambda each: each.name)
def test_every_built_in_form_could_be_compared(each: Form) -> None:
    assert is_comparable(each)


COSTLY = "\n".join(f"{at:X}: {at:X}" for at in range(MOST_ROWS - 1)) + "\n40000000-7FFFFFFF: " + "00-1F " * MOST_UNITS


def test_a_form_whose_rows_combine_in_too_many_ways_is_not_compared() -> None:
    assert not is_comparable(typed(COSTLY, longest_match=True))
    family = answer("family", {"own": {"rows": COSTLY, "longest_match": True}})
    assert "too many ways" in family["problem"]


def test_what_is_compared_takes_little_time() -> None:
    most = [f"{at:X}: {at:X}" for at in range(14)]
    rows = "\n".join([*most, "1000-1FFF: 00-0F 00-0F 00-0F"])
    own = typed(rows, longest_match=True)
    assert is_comparable(own)
    begun = time.process_time()
    assert form("utf-8").name in compared(own).lossless_to
    assert "own" in [each["form"] for each in answer("family", {"own": {"rows": rows, "longest_match": True}})["forms"]]
    assert time.process_time() - begun < 5
