"""The forms as data: each row proves itself, no two contradict each other, and a form that does cannot be built.

What rows mean is tested elsewhere; here they are read as the tables that they are.
"""

from __future__ import annotations

import copy
import pickle
from inspect import signature
from itertools import combinations, pairwise
from math import prod
from random import Random
from time import process_time
from typing import Any

import pytest

import eightfold
from eightfold import FaultRow, Form, Row, Variant, fault_row, form, forms
from eightfold.faults import KINDS
from support.byte_classes import classes, representatives

FORMS = forms()
TABLES = (*FORMS, *(variant.form for each in FORMS for variant in each.variants))
SCALAR_VALUES = [(0x0, 0xD7FF), (0xE000, 0x10FFFF)]
CODE_POINTS = [(0x0, 0x10FFFF)]


def table_id(each: Form) -> str:
    return each.name if each in FORMS else f"{each.name}-variant"


every_table = pytest.mark.parametrize("table", TABLES, ids=table_id)


# --- the family -------------------------------------------------------------------------------------------------------

# Which code points each form writes, from the sheets of each specification; the order is that of `forms()`.
HOLDS = {
    "utf-8": SCALAR_VALUES,
    "utf-8-sig": SCALAR_VALUES,
    "generalized-utf-8": CODE_POINTS,
    "utf-8-rfc2044": [(0x0, 0x7FFFFFFF)],
    "wtf-8": CODE_POINTS,
    "cesu-8": SCALAR_VALUES,
    "mutf-8": CODE_POINTS,
    "xtf-8": SCALAR_VALUES,
    "optu-8": [(0x0, 0xFFFD)],
    "corrected-utf-8": [(0x0, 0x7F), (0xA0, 0xD7FF), (0xE000, 0x8421109F)],
    "corrected-utf-8-sig": [(0x0, 0x7F), (0xA0, 0xD7FF), (0xE000, 0x8421109F)],
    "utf-16": SCALAR_VALUES,
    "utf-16-le": SCALAR_VALUES,
    "utf-16-be": SCALAR_VALUES,
    "wtf-16": CODE_POINTS,
    "wtf-16-le": CODE_POINTS,
    "wtf-16-be": CODE_POINTS,
    "optu-16": [(0x0, 0xFFFF)],
    "optu-16-le": [(0x0, 0xFFFF)],
    "optu-16-be": [(0x0, 0xFFFF)],
    "utf-32": SCALAR_VALUES,
    "utf-32-le": SCALAR_VALUES,
    "utf-32-be": SCALAR_VALUES,
}


def merged(rows: tuple[Row, ...]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for first, last in sorted((row.first, row.last) for row in rows):
        if spans and spans[-1][1] + 1 == first:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return spans


def test_the_family_is_these_forms() -> None:
    assert [each.name for each in FORMS] == list(HOLDS)


@pytest.mark.parametrize("name", HOLDS)
def test_the_rows_of_a_form_write_exactly_its_code_points(name: str) -> None:
    assert merged(form(name).rows) == HOLDS[name]


def test_private_use_gives_up_the_places_that_it_maps_to() -> None:
    variant = form("corrected-utf-8").variant("private-use")
    assert variant is not None
    assert merged(variant.form.rows) == [(0x0, 0x10EF7F), (0x10EFA0, 0x10EFFF), (0x10F800, 0x8421109F)]


# --- rows and forms prove themselves ----------------------------------------------------------------------------------


@every_table
def test_the_widths_of_a_row_give_its_number_of_code_points(table: Form) -> None:
    for row in (*table.rows, *table.units, *table.names):
        if row.first is not None and row.last is not None:
            assert prod(high - low + 1 for low, high in row.unit_ranges) == row.last - row.first + 1, row


@every_table
def test_no_two_rows_share_a_code_point_unless_nothing_is_encoded_with_them(table: Form) -> None:
    shared = [
        (one, other)
        for one, other in combinations(table.rows, 2)
        if one.first <= other.last and other.first <= one.last
    ]
    assert bool(shared) == table.decode_only


def begin_alike(one: Row | FaultRow, other: Row | FaultRow) -> bool:
    return all(
        max(low, other_low) <= min(high, other_high)
        for (low, high), (other_low, other_high) in zip(one.unit_ranges, other.unit_ranges, strict=False)
    )


@every_table
def test_no_row_begins_as_another_but_where_the_longest_match_is_declared(table: Form) -> None:
    alike = [(one, other) for one, other in combinations(table.rows, 2) if begin_alike(one, other)]
    assert bool(alike) == table.longest_match
    assert all(len(one.unit_ranges) != len(other.unit_ranges) for one, other in alike)


@every_table
def test_no_two_names_fit_the_same_sequence(table: Form) -> None:
    assert not [(one, other) for one, other in combinations(table.names, 2) if begin_alike(one, other)]


@every_table
def test_every_entry_has_a_source_and_every_name_a_kind(table: Form) -> None:
    assert table.source
    assert [entry for entry in (*table.rows, *table.units, *table.names) if not entry.source] == []
    assert {entry.kind for entry in (*table.units, *table.names)} <= set(KINDS)


@every_table
def test_the_classes_cut_the_values_of_a_unit_without_gap_or_overlap(table: Form) -> None:
    cut = classes(table)
    assert cut[0].start == 0
    assert cut[-1].stop == 1 << table.unit_bits
    assert all(one.stop == other.start for one, other in pairwise(cut))
    assert [int.from_bytes(unit, table.byte_order) for unit in representatives(table)] == [each.start for each in cut]


# --- planted faults ---------------------------------------------------------------------------------------------------

ASCII = Row(0x0, 0x7F, (0x00, 0x7F))
TWO_BYTES = Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF))


@pytest.mark.parametrize(
    ("first", "last", "unit_ranges", "says"),
    [
        pytest.param(0x80, 0x7FF, [(0xC2, 0xDE), (0x80, 0xBF)], "1856 values for 1920 code points", id="too few units"),
        pytest.param(0x80, 0x7FF, [(0xC2, 0xDF), (0x80, 0xC0)], "1950 values for 1920 code points", id="too many"),
        pytest.param(0x0, 0x80, [(0x00, 0x7F)], "128 values for 129 code points", id="a code point too many"),
        pytest.param(0x0, 0x0, [], "empty or out of range", id="no units"),
        pytest.param(0x7F, 0x0, [(0x00, 0x7F)], "empty or out of range", id="backwards"),
        pytest.param(-1, 0x7E, [(0x00, 0x7F)], "empty or out of range", id="negative"),
        pytest.param(0x100000000, 0x100000000, [0x00], "empty or out of range", id="above 32 bits"),
        pytest.param(0x0, 0x7F, [(0x7F, 0x00)], "not a range of code units: 7F-0", id="range backwards"),
        pytest.param(0x0, 0x0, [-1], "not a range of code units", id="negative unit"),
    ],
)
def test_a_row_that_contradicts_itself_cannot_be_built(
    first: int, last: int, unit_ranges: list[int | tuple[int, int]], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        Row(first, last, *unit_ranges)


@pytest.mark.parametrize(
    ("other", "longest_match", "says"),
    [
        pytest.param(Row(0x7F, 0x7F, 0xC0, 0xBF), False, "share a code point", id="code point"),
        pytest.param(Row(0x0, 0x0, 0xC0, 0x80), True, "share a code point", id="code point, longest match"),
        pytest.param(Row(0x80, 0x80, 0x7F), False, "begin alike", id="same units"),
        pytest.param(Row(0x80, 0x80, 0x7F), True, "begin alike", id="same units, longest match"),
        pytest.param(Row(0x80, 0xBF, 0x7F, (0x80, 0xBF)), False, "begin alike", id="prefix"),
    ],
)
def test_rows_that_clash_are_both_named(other: Row, longest_match: bool, says: str) -> None:
    for rows in ([ASCII, other], [other, ASCII]):
        with pytest.raises(ValueError, match=says) as raised:
            Form("clashing", rows, longest_match=longest_match)
        assert str(raised.value).startswith("clashing: ")
        assert all(repr(row) in str(raised.value) for row in rows)


def test_a_prefix_is_allowed_where_the_longest_match_is_declared() -> None:
    longer = Row(0x80, 0xBF, 0x7F, (0x80, 0xBF))
    built = Form("longest", [ASCII, longer], longest_match=True)
    assert eightfold.decode(b"\x7f\x7f\x80", built) == "\x7f\x80"


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        pytest.param({"rows": []}, "needs at least one row", id="no rows"),
        pytest.param({"unit_bits": 12}, "8, 16 or 32 bits, not 12", id="unit width"),
        pytest.param({"byte_order": "middle"}, "'little' or 'big', not 'middle'", id="byte order"),
        pytest.param({"rows": [Row(0x0, 0xFF, (0x01, 0x100))]}, "8 bits cannot hold", id="row too wide"),
        pytest.param({"names": [fault_row("invalid-byte", 0x1FF)]}, "8 bits cannot hold", id="name too wide"),
        pytest.param({"units": [fault_row("invalid-byte", 0x1FF)]}, "8 bits cannot hold", id="unit too wide"),
        pytest.param(
            {"units": [fault_row("reserved", 0xFE, run=[(0x80, 0x1FF)])]}, "8 bits cannot hold", id="run too wide"
        ),
    ],
)
def test_a_form_that_contradicts_itself_cannot_be_built(facts: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Form("planted", **{"rows": [ASCII, TWO_BYTES], **facts})


def test_a_fault_row_is_checked_too() -> None:
    with pytest.raises(ValueError, match="unknown kind of fault: 'overlnog'"):
        fault_row("overlnog", 0xC0)
    with pytest.raises(ValueError, match="128 values for 127 code points"):
        fault_row("overlong", (0xC0, 0xC1), (0x80, 0xBF), meant=(0x0, 0x7E))
    with pytest.raises(ValueError, match="not a range of code units"):
        fault_row("overlong", (0xC1, 0xC0))


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOLDS)
def test_a_name_may_be_spelt_in_any_case_with_underscores_or_nothing(name: str) -> None:
    for spelt in (name, name.replace("-", "_"), name.replace("-", "")):
        for cased in (spelt, spelt.upper(), spelt.title()):
            assert form(cased) is form(name)
            assert form(cased).name == name


def test_a_form_is_its_own_name() -> None:
    built = Form("utf-8", [ASCII])
    assert form(built) is built


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("utf-9", "utf-8"),
        ("wtf8x", "wtf-8"),
        ("cesu", "cesu-8"),
        ("mutf-16", "utf-16"),
        ("corrected", "corrected-utf-8"),
    ],
)
def test_an_unknown_name_is_answered_with_those_spelt_nearly_so(name: str, near: str) -> None:
    with pytest.raises(LookupError) as raised:
        form(name)
    assert repr(name) in str(raised.value)
    assert near in str(raised.value).partition("did you mean")[2]


def test_the_message_about_an_unknown_name_is_short() -> None:
    with pytest.raises(LookupError) as raised:
        eightfold.form("utf-9" + "x" * 100_000)
    assert raised.value.args[0] == f"unknown form: 'utf-9{'x' * 95}' ..."


@pytest.mark.parametrize("name", ["", "-", "utf", "utf--8", "utf 8", "u8", "cp65001", "latin-1", "utf-7", "ascii"])
def test_there_are_no_lenient_aliases(name: str) -> None:
    with pytest.raises(LookupError, match="unknown form"):
        form(name)


@pytest.mark.parametrize("name", [None, 8, b"utf-8"])
def test_a_name_that_is_no_str_is_a_type_error(name: object) -> None:
    with pytest.raises(TypeError, match=type(name).__name__):
        form(name)


# --- the two lists of utf8(7) -----------------------------------------------------------------------------------------

# OpenBSD's utf8(7), revision 1.8 of 2020-07-30: "a complete list of bytes that are invalid in all contexts" and "a
# complete list of invalid two-byte combinations of the form 11...... 10...... that consist of two valid bytes".
MANUAL_BYTES = [(0xC0, 0xC1), (0xF5, 0xF7), (0xF8, 0xFF)]
MANUAL_COMBINATIONS = [(0xE080, 0xE09F), (0xEDA0, 0xEDBF), (0xF080, 0xF08F), (0xF490, 0xF4BF)]


def values(ranges: list[tuple[int, int]]) -> set[int]:
    return {value for low, high in ranges for value in range(low, high + 1)}


def fits(sequence: tuple[int, ...], row: Row) -> bool:
    return all(low <= byte <= high for byte, (low, high) in zip(sequence, row.unit_ranges, strict=False))


def test_the_bytes_that_no_row_has_are_those_of_the_manual() -> None:
    in_rows = values([each for row in form("utf-8").rows for each in row.unit_ranges])
    assert set(range(256)) - in_rows == values(MANUAL_BYTES)


def test_the_combinations_that_no_row_begins_with_are_those_of_the_manual() -> None:
    longer = [row for row in form("utf-8").rows if len(row.unit_ranges) > 1]
    leads = values([row.unit_ranges[0] for row in longer])
    continuations = values([each for row in longer for each in row.unit_ranges[1:]])
    combinations_of_valid_bytes = {(lead, continuation) for lead in leads for continuation in continuations}
    invalid = {pair for pair in combinations_of_valid_bytes if not any(fits(pair, row) for row in longer)}
    assert {lead * 256 + continuation for lead, continuation in invalid} == values(MANUAL_COMBINATIONS)


def test_the_names_of_utf_8_begin_with_the_two_lists_and_nothing_else() -> None:
    named_bytes, named_pairs = set(), set()
    in_rows = values([each for row in form("utf-8").rows for each in row.unit_ranges])
    for name in form("utf-8").names:
        for byte in values([name.unit_ranges[0]]):
            if byte in in_rows:
                named_pairs |= {byte * 256 + second for second in values([name.unit_ranges[1]])}
            else:
                named_bytes.add(byte)
    assert named_bytes == values(MANUAL_BYTES)
    assert named_pairs == values(MANUAL_COMBINATIONS)


def test_a_run_is_decided_when_it_has_begun() -> None:
    run = fault_row("invalid-byte", (0xED, 0xED), (0xA0, 0xAF), run=((0x80, 0xBF),))
    pair = Row(0x10000, 0x103FF, (0xED, 0xED), (0xA0, 0xA0), (0x80, 0xBF), (0x80, 0x8F))
    ascii_row, surrogate = Row(0, 0x7F, (0, 0x7F)), fault_row("surrogate", 0xED, 0xA5, 0x80)
    for rows, units in (([pair], []), ([ascii_row], [surrogate])):
        Form("apart", rows, units=units)
        with pytest.raises(ValueError, match=r"has a run, so .* cannot begin as it does"):
            Form("undecided", rows, units=[*units, run])


def test_tables_in_which_one_sequence_stands_twice_are_refused() -> None:
    ascii_row = Row(0, 0x7F, (0x00, 0x7F))
    with pytest.raises(ValueError, match="hold the same sequence"):
        Form("x", [ascii_row], units=[fault_row("reserved", (0x70, 0x80))])
    twice = [fault_row("reserved", 0xFF), fault_row("invalid-byte", (0xFE, 0xFF))]
    for tables in ({"units": twice}, {"names": twice}):
        with pytest.raises(ValueError, match="hold the same sequence"):
            Form("x", [ascii_row], **tables)


def alike(one: Row, other: Row) -> bool:
    pairs = zip(one.unit_ranges, other.unit_ranges, strict=False)
    return all(low <= other_high and other_low <= high for (low, high), (other_low, other_high) in pairs)


def drawn_rows(draw: Random) -> list[Row]:
    rows: list[Row] = []
    for _ in range(draw.randint(1, 9)):
        ends = [sorted((draw.randrange(12), draw.randrange(12))) for _ in range(draw.randint(1, 4))]
        ranges = [(low, high if draw.random() < 0.3 else low) for low, high in ends]
        first = rows[-1].last + 1 if rows else 0
        rows.append(Row(first, first + prod(high - low + 1 for low, high in ranges) - 1, *ranges))
    return rows


@pytest.mark.parametrize("longest_match", [True, False])
@pytest.mark.parametrize("seed", range(100))
def test_the_first_two_rows_that_clash_are_named_and_no_others(seed: int, longest_match: bool) -> None:
    rows = drawn_rows(Random(seed))
    clashes = [
        f"planted: {one} and {other} begin alike"
        for one, other in combinations(rows, 2)
        if alike(one, other) and (not longest_match or len(one.unit_ranges) == len(other.unit_ranges))
    ]
    said = []
    try:
        Form("planted", rows, longest_match=longest_match)
    except ValueError as error:
        said = [str(error)]
    assert said == clashes[:1]


def test_rows_are_not_compared_pair_by_pair() -> None:
    def seconds(count: int) -> float:
        rows = [Row(at, at, at >> 8, at & 255) for at in range(count)]
        start = process_time()
        Form("f", rows)
        return process_time() - start

    few, many = (min(seconds(count) for _ in range(5)) for count in (128, 1024))
    assert many < 24 * few


def test_what_is_no_row_is_a_type_error() -> None:
    for wrong in ((1, 2, 3), "ab", 1.5, (0, 1.0)):
        with pytest.raises(TypeError):
            Row(0, 1, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Row(0.0, 0x7F, (0x00, 0x7F))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="each row must be a Row"):
        Form("x", [(0, 0x7F, (0, 0x7F))])  # type: ignore[list-item]


def test_what_is_no_name_signature_or_variant_is_refused() -> None:
    rows = [Row(0, 0x7F, (0, 0x7F))]
    for name, error in ((5, TypeError), (None, TypeError), (b"x", TypeError), ("", ValueError)):
        with pytest.raises(error, match="name"):
            Form(name, rows)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="each signature must be a Signature, not 5"):
        Form("x", rows, signatures=[5])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"each variant must be a Variant, not \('a', "):
        Form("x", rows, variants=[("a", eightfold.form("utf-8"))])  # type: ignore[list-item]


def test_strict_means_the_rows_of_the_form_itself() -> None:
    with pytest.raises(ValueError, match="another policy than 'strict'"):
        Form("x", [Row(0, 0x7F, (0, 0x7F))], variants=[Variant("strict", eightfold.form("utf-8"))])


# --- copies -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("each", FORMS, ids=table_id)
def test_a_form_of_the_family_is_itself_again(each: Form, protocol: int) -> None:
    eightfold.decode(b"", each)  # What an engine has derived goes nowhere.
    assert pickle.loads(pickle.dumps(each, protocol)) is each
    assert copy.copy(each) is each
    assert copy.deepcopy([each])[0] is each


@every_table
def test_a_form_of_one_s_own_is_pickled_by_its_tables(table: Form) -> None:
    own = Form(**{**arguments_of(table), "name": "own", "variants": table.variants})
    again = pickle.loads(pickle.dumps(own))
    assert again is not own
    assert arguments_of(again) == arguments_of(own)
    data = b"a\xff\xed\xa0\x80\0\0\0"
    assert list(eightfold.faults(data, again)) == list(eightfold.faults(data, own))
    assert copy.deepcopy(own) is own


class Own(Form):
    """A form whose constructor takes other arguments."""

    def __init__(self, owner: str) -> None:
        super().__init__("own", [ASCII], names=[fault_row("reserved", 0xFF)], refuses={"ignore": "not here"})
        vars(self).update(owner=owner)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_form_of_a_subclass_keeps_its_class_and_attributes(protocol: int) -> None:
    own = Own("me")
    assert eightfold.tally(b"a\xff", own) == {"reserved": 1}
    again = pickle.loads(pickle.dumps(own, protocol))
    assert (type(again), vars(again)["owner"]) == (Own, "me")
    assert arguments_of(again) == arguments_of(own)
    assert eightfold.tally(b"a\xff", again) == {"reserved": 1}
    assert copy.copy(own) is own


def arguments_of(form: Form) -> dict[str, Any]:
    """Return what a form was built of; a form of its own inside it as what that was built of."""
    variants = [(each.policy, arguments_of(each.form), each.encodes) for each in form.variants]
    return {**{name: getattr(form, name) for name in signature(Form).parameters}, "variants": variants}


def test_what_holds_a_form_is_pickled_too() -> None:
    variant = form("mutf-8").variants[0]
    again = pickle.loads(pickle.dumps(variant))
    assert (again.policy, arguments_of(again.form)) == (variant.policy, arguments_of(variant.form))
