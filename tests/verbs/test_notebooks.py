"""What notebooks show: tables of explanations, faults, candidates, plans and forms, in which all text stays text."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, Row, repair, text
from eightfold.markup import ROWS_SHOWN, Markup, element, joined
from eightfold.repair import Change, Plan
from support.html_cells import Cells

TAGS = {"style", "table", "caption", "thead", "tbody", "tr", "th", "td", "b", "bdi", "p"}
HOSTILE = "<script>alert(1)</script>\"'&\u202e\ud83d\n"
FORM = Form(HOSTILE, [Row(0, 0x7F, (0, 0x7F), source=HOSTILE)], note=HOSTILE, source=HOSTILE)
CHANGE = Change(0, b"\xff", HOSTILE.encode("utf-8", "replace"), HOSTILE, "replace", 1, 1)
FINDERS = [eightfold.faults, text.TWINS["faults"]]
ENCODE_FINDERS = [
    partial(faults, "\ud800", "utf-8") for faults in (eightfold.encode_faults, text.TWINS["encode_faults"])
]


def page_of(shown: Any) -> str:
    page: str = shown._repr_html_()
    assert page.isascii()
    assert Cells(page).tags <= TAGS
    return page


def cells_of(shown: Any) -> list[list[str]]:
    return Cells(page_of(shown)).rows[1:]


@pytest.mark.parametrize(
    "shown",
    [
        FORM,
        eightfold.faults(b"\xff", FORM),
        eightfold.explain(b"<\xff", FORM),
        eightfold.encode_faults("\ud800", FORM),
        Plan(HOSTILE, HOSTILE, "", "", (CHANGE,)),
        eightfold.identify(b"<b>\xff</b>"),
    ],
    ids=["form", "faults", "explanation", "encode_faults", "plan", "candidates"],
)
def test_text_of_others_never_becomes_a_tag(shown: Any) -> None:
    page = page_of(shown)
    assert "<script" not in page
    assert "\u202e" not in page


@given(st.text(), st.text())
def test_an_element_holds_its_text_and_nothing_else(content: str, value: str) -> None:
    page = Cells(f"<table><tr>{element('td', content, title=value)}</tr></table>")
    visible = "".join(each if each.isprintable() else each.encode("unicode-escape").decode() for each in content)
    assert page.rows == [[visible]]
    assert page.tags == {"table", "tr", "td"}


def test_what_is_joined_to_markup_is_text_again() -> None:
    assert isinstance(element("b"), Markup)
    assert joined([element("b", "x") + "<"]) == "&lt;b&gt;x&lt;/b&gt;&lt;"
    assert joined(["a", "b"], "<") == "a&lt;b"


@pytest.mark.parametrize("faults", FINDERS)
def test_faults_that_are_shown_are_still_yielded(faults: Callable[..., Any]) -> None:
    data = b"a\xff\xc0\xaf\xed\xa0\x80" * 3
    expected = list(eightfold.faults(data, "utf-8"))
    found = faults(data, "utf-8")
    first = next(found)
    shown = cells_of(found)
    assert "Faults in utf-8" in page_of(found)
    assert [first, *found] == expected
    assert [row[0] for row in shown] == [f"{fault.start}-{fault.end}" for fault in expected[1:]]
    assert [row[-1] for row in shown] == [str(fault) for fault in expected[1:]]
    assert "No faults" in page_of(found)


@pytest.mark.parametrize("faults", FINDERS)
def test_no_more_faults_are_seen_ahead_than_are_asked_for(faults: Callable[..., Any]) -> None:
    found = faults(b"\xff" * 5, "utf-8")
    assert [len(found.peek(count)) for count in (3, 1, 0, 9)] == [3, 1, 0, 5]
    assert len(list(found)) == 5


@pytest.mark.parametrize("faults", FINDERS)
def test_a_limit_holds_for_what_is_shown(faults: Callable[..., Any]) -> None:
    found = faults(b"\xff" * 9, "utf-8", 3)
    assert len(cells_of(found)) == 3
    assert len(list(found)) == 3


@pytest.mark.parametrize("encode_faults", [eightfold.encode_faults, text.TWINS["encode_faults"]])
def test_faults_of_text_are_shown_too(encode_faults: Callable[..., Any]) -> None:
    found = encode_faults("a\ud800b\ud801", "utf-8")
    assert [row[1:3] for row in cells_of(found)] == [["", "U+D800"], ["", "U+D801"]]
    assert len(list(found)) == 2


@pytest.mark.parametrize("faults", FINDERS)
def test_bytes_of_a_long_fault_that_are_left_out_are_said_to_be(faults: Callable[..., Any]) -> None:
    shown = [cells_of(faults(b"\xff" * length, "corrected-utf-8"))[0] for length in (64, 65)]
    assert [row[0] for row in shown] == ["0-64", "0-65"]
    assert [row[1] for row in shown] == [" ".join(["FF"] * 64), " ".join(["FF"] * 64) + " ..."]


@pytest.mark.parametrize("faults", FINDERS)
def test_faults_are_peeked_at_by_any_number_that_is_not_negative(faults: Callable[..., Any]) -> None:
    found = faults(b"\xff" * 3, "utf-8")
    assert [len(found.peek(count)) for count in (0, True, 2, 2**64)] == [0, 1, 2, 3]
    for count in (-1, -(2**64)):
        with pytest.raises(ValueError, match=f"count must be 0 or more, not {count}"):
            found.peek(count)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        found.peek(1.0)
    assert len(list(found)) == 3


@pytest.mark.parametrize("make", [partial(faults, b"\xff", "utf-8") for faults in FINDERS] + ENCODE_FINDERS)
def test_what_finds_faults_has_weak_references_and_no_copies(make: Callable[[], Any]) -> None:
    found = make()
    assert weakref.ref(found)() is found
    for refused in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled while they are being found: make a list"):
            refused(found)
    assert len(list(found)) == 1


@pytest.mark.parametrize("faults", FINDERS)
def test_a_long_list_of_faults_is_cut_and_says_so(faults: Callable[..., Any]) -> None:
    assert " more " not in page_of(faults(b"\xff" * ROWS_SHOWN, "utf-8"))
    data = b"\xff" * (ROWS_SHOWN + 1)
    found = faults(data, "utf-8")
    assert len(cells_of(found)) == ROWS_SHOWN
    assert f"and more after the first {ROWS_SHOWN}" in page_of(found)
    assert [fault.start for fault in islice(found, len(data))] == [*range(len(data))]


def test_candidates_are_in_their_order() -> None:
    found = eightfold.identify(b"\xff\xfeA\x00")
    assert [row[0] for row in cells_of(found)] == [each.form for each in found]
    assert cells_of(found)[0][:5] == ["utf-16", "yes", "0", "FF FE", "yes"]
    assert "1000 or more" in [row[2] for row in cells_of(eightfold.identify(b"\xff" * 9000))]


def test_a_plan_shows_every_change_and_what_it_loses() -> None:
    plan = repair.plan(b"caf\xe9\n\xff", errors="replace")
    assert cells_of(plan) == [
        ["1", "4", "truncated: E9 -> EF BF BD (U+FFFD)", "needs the plan to be undone"],
        ["2", "1", "invalid-byte: FF -> EF BF BD (U+FFFD)", "needs the plan to be undone"],
    ]
    assert "2 changes from utf-8 to UTF-8" in page_of(plan)
    assert "and 1 more" in page_of(repair.plan(b"\xff" * (ROWS_SHOWN + 1)))
    assert " more<" not in page_of(repair.plan(b"\xff" * ROWS_SHOWN))


@pytest.mark.parametrize("each", eightfold.forms(), ids=lambda each: each.name)
def test_a_form_shows_every_entry_of_its_tables(each: Form) -> None:
    rows = cells_of(each)
    assert len(rows) == len(each.rows) + len(each.units) + len(each.names)
    assert [row[3] for row in rows] == [entry.source for entry in (*each.rows, *each.units, *each.names)]
    kinds = ["well-formed"] * len(each.rows) + [entry.kind for entry in (*each.units, *each.names)]
    assert [row[2] for row in rows] == kinds
