"""Forms that a caller builds to break something: each is an error that says why, and none outlives its users."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import eightfold
from eightfold import FaultRow, Form, Row, Signature, Variant, fault_row, forms

ASCII = Row(0, 0x7F, (0, 0x7F))


class Small:
    """An integer that is not an int, as those of NumPy are not."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        return self.value == other

    def __hash__(self) -> int:
        return hash(self.value)


natively = pytest.mark.skipif(eightfold.ENGINE != "native", reason="the limit is the compiled core's")


# --- a form is immutable -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rows", "signatures", "unit_bits", "derived", "anything"])
def test_a_form_cannot_be_changed(name: str) -> None:
    built = Form("one", [ASCII])
    with pytest.raises(AttributeError, match="is immutable"):
        setattr(built, name, ())
    with pytest.raises(AttributeError, match="is immutable"):
        delattr(built, name)


def test_the_mappings_of_a_form_are_its_own() -> None:
    refuses = {"ignore": "not here"}
    built = Form("one", [ASCII], refuses=refuses)
    refuses["strict"] = "nor here"
    assert dict(built.refuses) == {"ignore": "not here"}
    with pytest.raises(TypeError):
        built.refuses["strict"] = ""  # type: ignore[index]


def test_a_row_cannot_be_changed_and_is_copied_and_pickled() -> None:
    row = Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF), source="here")
    with pytest.raises(AttributeError, match="is immutable"):
        row.first = 0
    for again in (copy.copy(row), copy.deepcopy(row), pickle.loads(pickle.dumps(row))):
        assert again == row
        assert again.source == "here"


def test_rows_are_equal_if_they_write_the_same_code_points_alike_whatever_their_source() -> None:
    row = Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF), source="here")
    elsewhere = Row(0x80, 0x7FF, (0xC2, 0xDF), (0x80, 0xBF), source="there")
    assert (row == elsewhere, hash(row) == hash(elsewhere)) == (True, True)
    assert row != Row(0x800, 0xF7F, (0xC2, 0xDF), (0x80, 0xBF))
    assert row != Row(0x80, 0x7FF, (0xC0, 0xDD), (0x80, 0xBF))
    assert row != (0x80, 0x7FF, ((0xC2, 0xDF), (0x80, 0xBF)))


# --- what announces what ----------------------------------------------------------------------------------------------


def test_a_form_with_signatures_is_announced_by_no_other() -> None:
    marked = Form("marked", [ASCII], signatures=[Signature(b"\x01", Form("plain", [ASCII]))])
    with pytest.raises(ValueError, match=r"outer: marked has signatures of its own"):
        Form("outer", [ASCII], signatures=[Signature(b"\x02", marked)])
    with pytest.raises(ValueError, match=r"outer: marked has signatures of its own"):
        Form("outer", [ASCII], variants=[Variant("java", marked)])


@pytest.mark.parametrize("data", [b"plain", b"\x02\xff"])
def test_what_an_announced_form_refuses_is_refused_before_any_work(data: bytes) -> None:
    outer = Form("outer", [ASCII], signatures=[Signature(b"\x02", eightfold.form("xtf-8"))], refuses={"strict": "no"})
    for built in (outer, pickle.loads(pickle.dumps(outer))):
        with pytest.raises(ValueError, match="outer refuses errors='ignore': XTF-8 never skips"):
            eightfold.decode(data, built, "ignore")
        with pytest.raises(ValueError, match="outer refuses errors='ignore': XTF-8 never skips"):
            eightfold.Converter(built, "utf-8", "ignore")
        with pytest.raises(ValueError, match="outer refuses errors='strict': no"):
            eightfold.decode(data, built)


@natively
def test_a_form_made_to_announce_itself_does_not_end_the_process() -> None:
    marked = Form("marked", [ASCII], signatures=[Signature(b"\x01", Form("plain", [ASCII]))])
    vars(marked)["signatures"] = (Signature(b"\x01", marked),)
    with pytest.raises(ValueError, match="announces has no signatures itself"):
        eightfold.decode(b"a", marked)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_sequence_has_at_most_255_units() -> None:
    longest = Form("long", [ASCII, Row(0x80, 0x80, *[0x80] * 255)])
    assert eightfold.decode(b"\x80" * 255 + b"a", longest) == "\x80a"
    assert eightfold.tally(b"\x80" * 254, longest) == {"truncated": 1}
    with pytest.raises(ValueError, match="at most 255 code units, not 256"):
        Row(0x80, 0x80, *[0x80] * 256)
    with pytest.raises(ValueError, match="at most 255 code units, not 300"):
        fault_row("overlong", *[0x80] * 300)


def test_the_units_of_all_sequences_are_bounded() -> None:
    rows = [Row(0x100 + lead, 0x100 + lead, lead, *[lead] * 254) for lead in range(258)]
    with pytest.raises(ValueError, match="large: its sequences have at most 8192 units in all, not 65790"):
        Form("large", rows, unit_bits=16)
    run = fault_row("reserved", 0xFE, run=[(0x80, 0xBF)] * 8192)
    for tables in ({"units": [run]}, {"names": [run]}):
        with pytest.raises(ValueError, match="large: its sequences have at most 8192 units in all, not 8194"):
            Form("large", [ASCII], **tables)


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (FaultRow("overlong", ()), ValueError),
        (FaultRow("overlong", ((0x80, 0x7F),)), ValueError),
        (FaultRow("overlong", ((0xC0, 0xC1),), run=((5, 3),)), ValueError),
        (FaultRow("overlong", ((0xC0, 0xC1),), first=-2, last=-1), ValueError),
        (FaultRow("overlong", ((0xC0, 0xC1),), first=0, last=5), ValueError),
        (FaultRow("overlong", ([0xC0, 0xC1],)), TypeError),  # type: ignore[arg-type]
        (FaultRow("overlong", ("ab",)), TypeError),  # type: ignore[arg-type]
        (FaultRow("no-such-kind", ((0xC0, 0xC1),)), ValueError),  # type: ignore[arg-type]
    ],
)
def test_fault_rows_made_by_hand_are_checked_with_the_form(row: FaultRow, error: type[Exception]) -> None:
    for tables in ({"units": [row]}, {"names": [row]}):
        with pytest.raises(error):
            Form("odd", [ASCII], **tables)


PLAIN = Form("plain", [ASCII])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"rows": 5}, "not a sequence of Row: 5"),
        ({"rows": [fault_row("reserved", 0x80)]}, "each row must be a Row, not FaultRow("),
        ({"units": [ASCII]}, "each unit must be a FaultRow, not Row("),
        ({"units": None}, "not a sequence of FaultRow: None"),
        ({"names": [None]}, "each name must be a FaultRow, not None"),
        ({"aliases": "abc"}, "not a sequence of str: 'abc'"),
        ({"aliases": [b"a"]}, "each alias must be a str, not b'a'"),
        ({"unit_bits": 8.0}, "Form.unit_bits must be of type int, not 8.0"),
        ({"byte_order": None}, "Form.byte_order must be of type str, not None"),
        ({"longest_match": 1}, "Form.longest_match must be of type bool, not 1"),
        ({"decode_only": "no"}, "Form.decode_only must be of type bool, not 'no'"),
        ({"note": b""}, "Form.note must be of type str, not b''"),
        ({"signatures": [Signature(b"a", "utf-8")]}, "Signature.form must be of type Form, not 'utf-8'"),
        ({"signatures": [Signature("a", PLAIN)]}, "Signature.mark must be of type bytes, not 'a'"),
        ({"signatures": [Signature(memoryview(b"a"), PLAIN)]}, "Signature.mark must be of type bytes, not <memory at"),
        ({"signatures": [Signature(b"a", PLAIN, 0)]}, "Signature.counted must be of type bool, not 0"),
        ({"variants": [Variant("java", "utf-8")]}, "Variant.form must be of type Form, not 'utf-8'"),
        ({"variants": [Variant(None, PLAIN)]}, "Variant.policy must be of type str, not None"),
        ({"refuses": ["ignore"]}, "refuses must be of type Mapping, not ['ignore']"),
        ({"refuses": {"ignore": None}}, "each value of refuses must be a str, not None"),
        ({"cpython_reasons": {None: "a"}}, "each key of cpython_reasons must be a str, not None"),
    ],
)
def test_an_argument_of_the_wrong_type_is_refused_when_the_form_is_built(arguments: Any, says: str) -> None:
    with pytest.raises(TypeError) as raised:
        Form("odd", **{"rows": [ASCII], **arguments})
    assert str(raised.value).startswith(f"odd: {says}")


@pytest.mark.parametrize(
    ("row", "error", "says"),
    [
        (FaultRow("overlong", ((0x80, 0x80),), 5, None), ValueError, "both given, or neither"),
        (FaultRow("overlong", ((0x80, 0x80),), None, 5), ValueError, "both given, or neither"),
        (FaultRow("overlong", ((0x80, 0x81),), 1.0, 2.0), TypeError, "must be integers, not 1.0"),  # type: ignore[arg-type]
        (FaultRow("overlong", [(0x80, 0x80)]), TypeError, "not pairs of integers"),  # type: ignore[arg-type]
        (FaultRow("overlong", None), TypeError, "not pairs of integers"),  # type: ignore[arg-type]
        (FaultRow("overlong", ((Small(128), 0x80),)), TypeError, "not pairs of integers"),  # type: ignore[arg-type]
        (FaultRow("overlong", ((0x80, 0x80),), Small(5), 5), TypeError, "must be integers"),  # type: ignore[arg-type]
        (FaultRow([], ((0x80, 0x80),)), TypeError, "kind of a fault row must be of type str"),  # type: ignore[arg-type]
        (FaultRow("overlong", ((0x80, 0x80),), source=None), TypeError, "must be of type str"),  # type: ignore[arg-type]
    ],
)
def test_a_fault_row_that_is_wrong_is_refused_with_the_name_of_the_form(
    row: FaultRow, error: type[Exception], says: str
) -> None:
    for tables in ({"units": [row]}, {"names": [row]}):
        with pytest.raises(error, match=rf"^odd: .*{says}"):
            Form("odd", [ASCII], **tables)


def test_integers_of_any_kind_make_rows_of_ints() -> None:
    """Those of NumPy, for instance, which overflow in the sums of a reference."""
    one, last = Small(1), Small(255)
    for row in (Row(one, last, (one, last)), Row(1, 255, range(1, 256)), Row(one, last, [one, last])):
        assert (row.first, row.last, row.unit_ranges) == (1, 255, ((1, 255),))
        assert {type(each) for each in (row.first, row.last, *row.unit_ranges[0])} == {int}
    assert Row(one, one, last) == Row(1, 1, 255)
    named = fault_row("overlong", last, meant=(one, one), run=[(one, last)])
    assert named == fault_row("overlong", 255, meant=(1, 1), run=[(1, 255)])
    assert {type(each) for each in (named.first, named.last, *named.run[0])} == {int}
    built = Form("own", [Row(one, last, (one, last))], unit_bits=Small(8))  # type: ignore[arg-type]
    assert (built.unit_bits, eightfold.encode("\xff", built)) == (8, b"\xff")


@pytest.mark.parametrize("wrong", [1.0, "1", None])
def test_what_is_no_integer_makes_no_row(wrong: Any) -> None:
    for build in (
        lambda: Row(wrong, 1, 1),
        lambda: Row(1, wrong, 1),
        lambda: Row(1, 1, (wrong, 1)),
        lambda: Row(1, 1, (1, wrong)),
        lambda: Row(1, 1, wrong),
        lambda: fault_row("overlong", 1, meant=(wrong, 1)),
        lambda: fault_row("overlong", 1, run=[(1, wrong)]),
    ):
        with pytest.raises(TypeError, match="must be"):
            build()


def test_a_range_of_units_has_a_value_and_no_gap() -> None:
    for wrong in (range(0), range(0, 3, 2), range(2, 0, -1)):
        with pytest.raises(ValueError, match="at least one value and leaves none out, unlike range"):
            Row(0, 1, wrong)
        with pytest.raises(ValueError, match="at least one value and leaves none out, unlike range"):
            fault_row("overlong", wrong)
    assert Row(0, 2, range(3)) == Row(0, 2, (0, 2))
    assert Row(0, 0, range(5, 6, 2)) == Row(0, 0, 5)


def test_other_arguments_of_rows_are_checked_too() -> None:
    with pytest.raises(TypeError, match="the source of a row must be of type str, not 5"):
        Row(0, 0x7F, (0, 0x7F), source=5)  # type: ignore[arg-type]
    for wrong in (0, (1, 2, 3), "ab"):
        with pytest.raises(TypeError, match=r"the intended code points must be \(first, last\), not"):
            fault_row("overlong", 0x80, meant=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the ranges of a run must be a sequence, not 3"):
        fault_row("overlong", 0x80, run=3)  # type: ignore[arg-type]


def test_no_variant_and_no_signature_is_out_of_reach() -> None:
    with pytest.raises(ValueError, match="a: two variants are for the same policy: x, x"):
        Form("a", [ASCII], variants=[Variant("x", PLAIN), Variant("x", eightfold.form("utf-8"))])
    for marks in ((b"a", b"a"), (b"a", b"ab"), (b"", b"a")):
        with pytest.raises(ValueError, match=f"a: the mark {marks[1]!r} begins with an earlier one"):
            Form("a", [ASCII], signatures=[Signature(mark, PLAIN) for mark in marks])
    longest_first = Form("a", [ASCII], signatures=[Signature(b"ab", PLAIN), Signature(b"a", PLAIN)])
    assert [eightfold.decode(data, longest_first) for data in (b"abc", b"acb")] == ["c", "cb"]


@pytest.mark.parametrize("threads", [2**31, 2**62, 2**64, 2**100])
def test_any_number_of_threads_is_taken(threads: int) -> None:
    # From 8 MiB on threads are at work in the core.
    data = "é".encode() * (5 << 20 if eightfold.ENGINE == "native" else 50)
    assert eightfold.is_well_formed(data, "utf-8", threads=threads)
    assert eightfold.tally(data + b"\xff", "utf-8", threads=threads) == {"invalid-byte": 1}
    assert next(eightfold.faults(data + b"\xff", "utf-8", threads=threads)).start == len(data)
    assert eightfold.convert(data, "utf-8", "utf-16-le", threads=threads) == data.decode().encode("utf-16-le")


@pytest.mark.parametrize("threads", [2.5, "2"])
def test_what_is_no_number_of_threads_is_a_type_error(threads: Any) -> None:
    with pytest.raises(TypeError):
        eightfold.is_well_formed(b"a", "utf-8", threads=threads)


@pytest.mark.parametrize("limit", [0, 1, 2, 2**62])
def test_a_limit_is_any_number(limit: int) -> None:
    assert len(list(eightfold.faults(b"\xff\xff\xff", "utf-8", limit))) == min(limit, 3)
    assert len(list(eightfold.encode_faults("\ud800a\ud800a\ud800", "utf-8", limit))) == min(limit, 3)


# --- a form goes when its last user does ------------------------------------------------------------------------------

USES: list[Callable[[Form], object]] = [
    lambda built: eightfold.decode(b"abc\xff", built, "replace"),
    lambda built: eightfold.decode(b"abc", built, "surrogatepass"),
    lambda built: eightfold.encode("abc", built, "backslashreplace"),
    lambda built: eightfold.convert(b"abc", built, "utf-8", "surrogateescape"),
    lambda built: eightfold.convert(b"abc", "utf-8", built),
    lambda built: eightfold.tally(b"\xff" * 9, built),
    lambda built: list(eightfold.faults(b"\xff", built)),
    lambda built: next(eightfold.encode_faults("ab\ud800", built), None),
    lambda built: eightfold.Converter(built, "utf-8").convert(b"ab", final=True),
    lambda built: eightfold.Checker(built).check(b"ab\xff", final=True),
]


def test_a_form_that_a_user_built_is_freed() -> None:
    def used() -> weakref.ref[Form]:
        plain = Form("plain", [ASCII])
        built = Form("own", [ASCII], signatures=[Signature(b"\x01", plain)])
        for use in USES:
            use(plain)
            use(built)
        return weakref.ref(built)

    left = [used() for _ in range(300)]
    gc.collect()
    assert not any(ref() for ref in left)


def test_the_collector_leaves_what_is_in_use() -> None:
    built = Form("own", [ASCII])
    found = eightfold.encode_faults("a\ud800b\ud801c", built)
    assert next(found).start == 1
    del built
    gc.collect()
    gc.freeze()  # Nothing that is there already has to be looked at again below.
    assert next(found).form == "own"
    for each in forms():
        gc.collect()
        assert eightfold.is_well_formed(b"", each)
