"""Repair as a plan: its laws for all inputs, forms and policies, held against the verbs and against CPython."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import Form, Row, repair, xtf8
from eightfold.forms import Signature, fault_row
from eightfold.forms.corrected_utf_8 import MAGIC
from eightfold.repair import changes, repairing
from support.byte_classes import strings
from support.random_forms import random_form, random_input

BYTE_FORMS = [form for form in eightfold.forms() if form.unit_bits == 8]
NAMES = [form.name for form in BYTE_FORMS]
POLICIES = list(repair.POLICIES)
TOTAL = ("escape", "replace", "latin-1", "cp1252")
"""The policies with an answer to every fault of UTF-8."""

PIECES = st.sampled_from(
    [
        *(b"a", b"\n", b"\0", "é".encode(), "漢".encode(), "😀".encode(), "\uef80".encode(), b"\xed\xa0\xbd"),
        *(b"\xed\xb8\x80", b"\xe2\x82", b"\xff", b"\xc0\x80", b"\xc1\xbf", b"\xf4\x90\x80\x80", b"\xee\xbe"),
        *(b"\xf9\x80\x80\x80\x80", b"\xfe\x80\x80", b"\xef\xbb\xbf", b"\x81", b"\x93", b"\xe9", MAGIC),
    ]
)
BYTES = st.one_of(st.binary(max_size=24), st.lists(PIECES, max_size=12).map(b"".join))
Answer = tuple[str, Any]


def answer(verb: Callable[..., bytes], *arguments: Any) -> Answer:
    """Return what a call gives, or where and with which fault it stops."""
    try:
        return "result", verb(*arguments)
    except eightfold.ConversionError as error:
        return "stopped", (error.start, error.end, error.fault)


def planned(data: bytes, form: str, errors: str) -> repair.Plan | None:
    """Return the plan, or None where the policy has no answer or is not for the form."""
    try:
        return repair.plan(data, form, errors)
    except eightfold.ConversionError:
        assert errors in ("strict", "pairs") or (errors == "escape" and form == "mutf-8" and b"\0" in data)
    except ValueError:
        assert errors == "pairs"
        assert form not in ("utf-8", "utf-8-sig")
    return None


# --- the plan, applied and undone -------------------------------------------------------------------------------------


@given(BYTES, st.sampled_from(NAMES), st.sampled_from(POLICIES))
def test_applied_it_is_the_one_shot_repair_and_undone_the_original(data: bytes, form: str, errors: str) -> None:
    plan = planned(data, form, errors)
    if plan is None:
        return
    repaired = plan.apply(data)
    assert repaired == repair.repair(data, form, errors)
    assert plan.undo(repaired) == data
    repaired.decode("utf-8")
    assert (plan.original_sha256, plan.result_sha256) == (sha256(data).hexdigest(), sha256(repaired).hexdigest())
    assert (plan.changes == ()) == (repaired == data)


@given(BYTES, st.sampled_from(NAMES), st.sampled_from(POLICIES))
def test_a_plan_comes_back_from_json(data: bytes, form: str, errors: str) -> None:
    plan = planned(data, form, errors)
    if plan is not None:
        text = plan.to_json()
        assert repair.Plan.from_json(text) == repair.Plan.from_json(text.encode()) == plan
        assert text.isascii()


@given(BYTES, st.sampled_from(NAMES), st.sampled_from(POLICIES))
def test_the_changes_are_apart_in_order_and_each_changes_something(data: bytes, form: str, errors: str) -> None:
    plan = planned(data, form, errors)
    if plan is None:
        return
    end = 0
    for change in plan.changes:
        assert change.start >= end
        assert data[change.start : change.end] == change.old != change.new
        assert (change.line, change.column) == place(data, change.start)
        assert change.policy == (errors if change.kind not in ("well-formed", "signature") else "strict")
        end = change.end
    assert plan.lossy_count == sum(change.policy not in ("strict", "escape") for change in plan.changes)


def place(data: bytes, offset: int) -> tuple[int, int]:
    before = data[:offset]
    return before.count(b"\n") + 1, offset - before.rfind(b"\n")


@given(BYTES, st.sampled_from(NAMES), st.sampled_from(TOTAL), st.data())
def test_other_bytes_are_refused(data: bytes, form: str, errors: str, chosen: st.DataObject) -> None:
    plan = planned(data, form, errors)
    if plan is None:
        return
    repaired = plan.apply(data)
    other = chosen.draw(st.one_of(BYTES, st.just(data + b"a"), st.just(data[:-1])))
    if other != data:
        with pytest.raises(repair.PlanError, match="the plan is for other bytes"):
            plan.apply(other)
    if other != repaired:
        with pytest.raises(repair.PlanError, match="the plan is for other bytes"):
            plan.undo(other)


def test_refusing_is_a_value_error() -> None:
    assert issubclass(repair.PlanError, ValueError)


def test_a_plan_that_was_tampered_with_is_refused() -> None:
    plan = repair.plan(b"caf\xe9!", errors="latin-1")
    tampered = repair.Plan.from_json(plan.to_json().replace("C3 A9", "C3 A8"))
    with pytest.raises(repair.PlanError):
        tampered.apply(b"caf\xe9!")
    with pytest.raises(repair.PlanError):
        tampered.undo("cafè!".encode())


def test_a_byte_that_is_an_escape_already_is_well_formed() -> None:
    (change,) = repair.plan(b"\xff", "xtf-8").changes
    assert (change.new, change.kind, change.policy) == (b"\xee\xbf\xbf", "well-formed", "strict")


def test_a_change_behind_the_end_is_refused_even_if_the_digests_are_right() -> None:
    digest = sha256(b"ok").hexdigest()
    plan = repair.Plan(
        "utf-8", "latin-1", digest, digest, (repair.Change(5, b"\xe9", b"e", "truncated", "latin-1", 1, 6),)
    )
    for turned in (plan.apply, plan.undo):
        with pytest.raises(repair.PlanError, match="for other bytes"):
            turned(b"ok")


# --- what is written, held against the verbs --------------------------------------------------------------------------


@given(BYTES, st.sampled_from(NAMES))
def test_strict_and_replace_are_those_of_convert(data: bytes, form: str) -> None:
    for errors in ("strict", "replace"):
        expected = answer(eightfold.convert, data, form, "utf-8", errors)
        assert answer(repair.repair, data, form, errors) == expected


@given(BYTES)
def test_escape_is_that_of_xtf_8(data: bytes) -> None:
    repaired = repair.repair(data)
    assert repaired == repair.repair(data, errors="escape") == xtf8.encode(data, "escape")
    assert xtf8.decode(repaired) == data


@given(BYTES, st.sampled_from([form for form in BYTE_FORMS if not form.signatures]))
def test_what_escape_wrote_can_be_turned_back_without_the_plan(data: bytes, form: eightfold.Form) -> None:
    plan = planned(data, form.name, "escape")
    if plan is not None:
        assert plan.lossy_count == 0
        assert b"".join(unescaped(plan.apply(data).decode(), form)) == data


def unescaped(text: str, form: eightfold.Form) -> Iterator[bytes]:
    for character in text:
        escape = 0xEF80 <= ord(character) <= 0xEFFF
        yield bytes([ord(character) & 0xFF]) if escape else eightfold.encode(character, form)


@given(BYTES, st.sampled_from(["latin-1", "cp1252"]))
def test_a_change_is_a_fault(data: bytes, errors: str) -> None:
    faults = list(eightfold.faults(data, "utf-8"))
    plan = repair.plan(data, errors=errors)
    assert [(each.start, each.end, each.kind) for each in plan.changes] == [
        (fault.start, fault.end, fault.kind) for fault in faults
    ]
    assert [(each.line, each.column) for each in plan.changes] == [eightfold.locate(data, fault) for fault in faults]


# --- and against CPython ----------------------------------------------------------------------------------------------


def read_as(charset: str) -> Callable[[UnicodeError], tuple[str, int]]:
    def handler(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        text = ""
        for byte in error.object[error.start : error.end]:
            one = bytes([byte])
            undefined = charset == "cp1252" and byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
            text += one.decode("latin-1" if undefined else charset)
        return text, error.end

    return handler


codecs.register_error("eightfold-test-latin-1", read_as("latin-1"))
codecs.register_error("eightfold-test-cp1252", read_as("cp1252"))


def cpython(data: bytes, errors: str) -> bytes | None:
    """Return what CPython's own codecs make of it, or None where they raise."""
    try:
        if errors == "pairs":
            units = data.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
            return units.decode("utf-16-le").encode()
        handler = f"eightfold-test-{errors}" if errors in ("latin-1", "cp1252") else errors
        return data.decode("utf-8", handler).encode()
    except UnicodeError:
        return None


def agrees_with_cpython(data: bytes, errors: str) -> bool:
    kind, value = answer(repair.repair, data, "utf-8", errors)
    return (value if kind == "result" else None) == cpython(data, errors)


@given(BYTES, st.sampled_from(["strict", "replace", "pairs", "latin-1", "cp1252"]))
def test_of_utf_8_it_makes_what_cpython_makes(data: bytes, errors: str) -> None:
    assert agrees_with_cpython(data, errors)


@pytest.mark.parametrize("errors", ["strict", "replace", "pairs", "latin-1", "cp1252"])
def test_of_all_short_boundary_strings_it_makes_what_cpython_makes(errors: str) -> None:
    cases = list(strings(eightfold.form("utf-8"), 3))
    assert len(cases) > 5000
    assert [data for data in cases if not agrees_with_cpython(data, errors)] == []


@given(BYTES, st.sampled_from(TOTAL))
def test_the_plan_is_empty_just_where_the_input_is_utf_8(data: bytes, errors: str) -> None:
    text = data.decode("utf-8", "replace")
    valid = text.encode() == data
    if errors == "escape":
        valid = valid and not any(0xEF80 <= ord(character) <= 0xEFFF for character in text)
    assert (repair.plan(data, errors=errors).changes == ()) == valid


# --- piece by piece ---------------------------------------------------------------------------------------------------


@given(st.lists(BYTES, max_size=5), st.sampled_from(NAMES), st.sampled_from(POLICIES))
def test_the_pieces_add_up_to_the_whole(chunks: list[bytes], form: str, errors: str) -> None:
    whole = planned(b"".join(chunks), form, errors)
    if whole is not None:
        assert repair.plan_chunks(iter(chunks), form, errors) == whole
    elif errors != "pairs":
        with pytest.raises(eightfold.ConversionError):
            repair.plan_chunks(iter(chunks), form, errors)


@pytest.mark.parametrize("errors", TOTAL)
@pytest.mark.parametrize("form", NAMES)
def test_every_byte_may_come_alone(form: str, errors: str) -> None:
    mark = MAGIC if form.startswith("corrected") else b"\xef\xbb\xbf"
    text, faults = "é漢😀\uef80".encode(), b"\xed\xa0\xbd\xed\xb8\x80\xe2\x82\n\xed\xa0\xc0\x80\xf0\x9f\xff\xfe\x80\xf4"
    data = mark + text + faults
    plan = repair.plan(data, form, errors)
    assert repair.plan_chunks((data[at : at + 1] for at in range(len(data))), form, errors) == plan
    repaired = plan.apply(data)
    assert b"".join(plan.apply_chunks(data[at : at + 1] for at in range(len(data)))) == repaired
    assert b"".join(plan.undo_chunks(repaired[at : at + 1] for at in range(len(repaired)))) == data


def test_a_signature_stands_once_at_the_start_wherever_the_chunks_begin() -> None:
    mark = b"\xef\xbb\xbf"
    plan = repair.plan_chunks([mark[:1], mark[1:] + b"a", mark + b"b"], "utf-8-sig")
    assert plan == repair.plan(mark + b"a" + mark + b"b", "utf-8-sig")
    assert [change.start for change in plan.changes] == [0]


def test_chunks_are_bytes_like_objects() -> None:
    made = repair.plan_chunks([b"caf", memoryview(b"\xe9")])
    assert b"".join(made.apply_chunks([bytearray(b"caf"), b"\xe9"])) == repair.plan(b"caf\xe9").apply(b"caf\xe9")
    for wrong, name in ((b"caf", "int"), (["caf"], "str")):
        for verb in (repair.plan_chunks, made.apply_chunks, made.undo_chunks):
            with pytest.raises(TypeError, match=f"^a bytes-like object is required, not {name}"):
                list(verb(wrong))


def test_no_chunks_are_no_bytes() -> None:
    plan = repair.plan_chunks([b"\xef\xbb\xbf"], "utf-8-sig")
    assert b"".join(plan.undo_chunks([])) == b"\xef\xbb\xbf"
    assert repair.plan_chunks([]) == repair.plan(b"")


def test_other_bytes_are_refused_as_soon_as_they_are_met() -> None:
    chunks = iter([b"a", b"\xfe", b"never taken"])
    with pytest.raises(repair.PlanError):
        list(repair.plan(b"a\xff", errors="replace").apply_chunks(chunks))
    assert list(chunks) == [b"never taken"]


def test_a_repairer_that_raises_is_as_before_the_call() -> None:
    repairer = repair.Repairer(errors="pairs")
    assert repairer.repair(b"a\n\xed\xa0") == (b"a\n", ())
    with pytest.raises(eightfold.ConversionError) as caught:
        repairer.repair(b"\xbd\xed\xb8\x80\n\xff")
    assert (caught.value.start, caught.value.end, caught.value.fault.start) == (9, 10, 9)
    data, changes = repairer.repair(b"\xbd\xed\xb8\x80", final=True)
    assert data == "😀".encode()
    assert [(change.line, change.column, change.start) for change in changes] == [(2, 1, 2)]


def test_the_policies_of_a_repairer_stay() -> None:
    repairer = repair.Repairer(errors="replace", escapes="replace")
    for name in ("errors", "escapes"):
        with pytest.raises(AttributeError):
            setattr(repairer, name, "xml")
    assert repairer.repair(b"\xff", final=True).data == "\ufffd".encode()


# --- single cases -----------------------------------------------------------------------------------------------------


def test_a_plan_can_be_read_by_people() -> None:
    data = b"caf\xe9\n" + "\uef80 ".encode() + b"\xed\xa0\x80"
    assert str(repair.plan(data)) == (
        "3 changes from utf-8 to UTF-8, errors='escape', 0 lossy\n"
        "1:4: truncated: E9 -> EE BF A9 (U+EFE9)\n"
        "2:1: escape-collision: EE BE 80 -> EE BF AE EE BE BE EE BE 80 (U+EFEE U+EFBE U+EF80)\n"
        "2:5: surrogate: ED A0 80 -> EE BF AD EE BE A0 EE BE 80 (U+EFED U+EFA0 U+EF80)"
    )
    assert str(repair.plan(b"")) == "0 changes from utf-8 to UTF-8, errors='escape', 0 lossy"


@pytest.mark.parametrize(("errors", "lossy"), [(each, each in TOTAL[1:]) for each in TOTAL] + [("pairs", True)])
def test_what_could_stand_for_other_bytes_is_lossy(errors: str, lossy: bool) -> None:
    plan = repair.plan(b"\xed\xa0\xbd\xed\xb8\x80", errors=errors)
    assert plan.lossy_count == (len(plan.changes) if lossy else 0)
    assert [change.lossy for change in plan.changes] == [lossy] * len(plan.changes)
    assert repair.plan(b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8", "replace").lossy_count == 0


def test_long_changes_are_shown_by_their_beginning() -> None:
    plan = repair.plan(b"\xfe" * 20, "corrected-utf-8", "replace")
    assert str(plan.changes[0]) == f"reserved:{' FE' * 16} ... -> EF BF BD (U+FFFD)"
    plan = repair.plan(b"\xfe" * 20, "corrected-utf-8", "escape")
    assert str(plan.changes[0]).endswith("EE ...")


def test_a_signature_is_taken_away_and_comes_back() -> None:
    data = b"\xef\xbb\xbfcaf\xe9"
    plan = repair.plan(data, "utf-8-sig", "latin-1")
    assert [str(change) for change in plan.changes] == [
        "signature: EF BB BF -> nothing",
        "truncated: E9 -> C3 A9 (U+00E9)",
    ]
    assert plan.apply(data) == "café".encode()
    assert plan.undo("café".encode()) == data
    assert (plan.form, plan.lossy_count) == ("utf-8-sig", 1)
    assert repair.plan(data[:3], "utf-8-sig").undo(b"") == data[:3]
    assert repair.plan(MAGIC, "corrected-utf-8-sig").apply(MAGIC) == b""
    assert repair.repair(data[:5], "utf-8") == data[:5], "in plain utf-8 it is text"


@pytest.mark.parametrize(
    ("form", "data", "shown"),
    [
        ("cesu-8", b"\xed\xa0\xbd\xed\xb8\x80", ["well-formed: ED A0 BD ED B8 80 -> F0 9F 98 80 (U+1F600)"]),
        ("mutf-8", b"\xc0\x80", ["well-formed: C0 80 -> 00 (U+0000)"]),
        ("mutf-8", b"\xed\xa0\xbd", ["unrepresentable: ED A0 BD -> EF BF BD (U+FFFD)"]),
        ("wtf-8", b"\xed\xa0\xbd", ["unrepresentable: ED A0 BD -> EF BF BD (U+FFFD)"]),
        ("wtf-8", b"\xed\xa0\xbd\xed\xb8\x80", ["surrogate-pair: ED A0 BD ED B8 80 -> EF BF BD (U+FFFD)"]),
        ("cesu-8", b"\xf0\x9f", ["four-byte: F0 9F -> EF BF BD EF BF BD (U+FFFD U+FFFD)"]),
        ("corrected-utf-8", b"\xc3\x89!", ["well-formed: C3 89 -> C5 A9 (U+0169)"]),
        ("utf-8-rfc2044", b"\xf9\x80\x80\x80\x80", ["unrepresentable: F9 80 80 80 80 -> EF BF BD (U+FFFD)"]),
        ("xtf-8", b"\xe9", ["well-formed: E9 -> EE BF A9 (U+EFE9)"]),
        ("optu-8", b"\xe9", ["well-formed: E9 -> EE BF A9 (U+EFE9)"]),
    ],
)
def test_other_forms_become_utf_8(form: str, data: bytes, shown: list[str]) -> None:
    assert [str(change) for change in repair.plan(data, form, "replace").changes] == shown


def test_the_raw_nul_of_mutf_8_has_no_escape() -> None:
    with pytest.raises(eightfold.ConversionError) as caught:
        repair.plan(b"ab\0", "mutf-8", "escape")
    assert (caught.value.start, caught.value.fault.kind) == (2, "raw-nul")
    assert repair.repair(b"ab\0", "mutf-8", "latin-1") == b"ab\0"


def test_a_form_of_ones_own_is_read_by_its_rows() -> None:
    row, other = eightfold.Row(0, 0x7F, (0, 0x7F)), eightfold.Row(0xE000, 0xE07F, 0x81, (0, 0x7F))
    form = eightfold.Form("own", [row, other])
    plan = repair.plan(b"a\x81\x41\x82", form, "latin-1")
    assert plan.apply(b"a\x81\x41\x82") == "a\ue041\x82".encode()
    assert plan.form == "own"


def test_windows_1252_is_that_of_browsers() -> None:
    repaired = repair.repair(b"\x93x\x94 \x81\x8d\x8f\x90\x9d \xe9", errors="cp1252")
    assert repaired.decode() == "“x” \x81\x8d\x8f\x90\x9d é"


def test_a_long_change_is_shown_without_names_and_names_are_not_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "code_point_name", None)
    change = repair.Change(0, b"\xff" * 17, b"a" * 17, "invalid-byte", "replace", 1, 1)
    assert str(change) == f"invalid-byte: {'FF ' * 16}... -> {'61 ' * 16}..."


@pytest.mark.parametrize("data", [bytearray(b"\xe9"), memoryview(b"\xe9"), memoryview(b"\xe9!")[::2]])
def test_any_bytes_like_object_will_do(data: bytearray | memoryview) -> None:
    plan = repair.plan(data, errors="latin-1")
    assert plan.apply(data) == "é".encode()
    assert plan.undo(bytearray("é".encode())) == b"\xe9"


# --- wrong use --------------------------------------------------------------------------------------------------------


def test_only_the_policies_of_repair_are_taken() -> None:
    for errors in ("ignore", "surrogateescape", "xmlcharrefreplace", "no-such"):
        with pytest.raises(ValueError, match="errors must be one of escape, strict, replace, pairs, latin-1, cp1252"):
            repair.plan(b"", errors=errors)


def test_a_policy_is_a_str() -> None:
    for errors in (5, None, [], b"escape"):
        for refused in (repair.plan, repair.repair):
            with pytest.raises(TypeError, match=f"errors must be a str, not {type(errors).__name__}"):
                refused(b"x", errors=errors)  # type: ignore[operator]


@pytest.mark.parametrize("form", [form.name for form in eightfold.forms() if form.unit_bits > 8])
def test_wider_units_are_for_convert(form: str) -> None:
    with pytest.raises(ValueError, match="repair reads 8-bit forms"):
        repair.plan(b"", form)


def test_pairs_are_for_utf_8() -> None:
    assert repair.repair(b"\xef\xbb\xbf\xed\xa0\xbd\xed\xb8\x80", "utf-8-sig", "pairs") == "😀".encode()
    for form in set(NAMES) - {"utf-8", "utf-8-sig"}:
        with pytest.raises(ValueError, match=f"for CESU-8 inside utf-8; use another policy for {form}"):
            repair.plan(b"", form, "pairs")


def test_an_unknown_form_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="utf-8"):
        repair.plan(b"", "utf-9")


PLAN = repair.plan(b"a\xffb\xff", errors="replace").as_dict() | {"version": 1}
CHANGE = PLAN["changes"][0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", r"this is not a plan: not JSON \(Expecting value"),
        (b"\xff\xff", "this is not a plan: "),
        ("[" * 100_000, "values are nested too deeply"),
        ("[]", "not a JSON object with a version"),
        ("{}", "not a JSON object with a version"),
        ('["version"]', "not a JSON object with a version"),
        ("1", "not a JSON object with a version"),
        (json.dumps({**PLAN, "version": 2}), "version 2, but this eightfold reads version 1"),
        (json.dumps({**PLAN, "version": True}), "version true, but this eightfold reads version 1"),
        (json.dumps({**PLAN, "version": 1.0}), "version 1.0, but this eightfold reads version 1"),
        (json.dumps({key: value for key, value in PLAN.items() if key != "form"}), "it has no 'form'"),
        (json.dumps({**PLAN, "form": 8}), "must be strings"),
        (json.dumps({**PLAN, "changes": 8}), "not iterable"),
        (json.dumps({**PLAN, "changes": [8]}), "this is not a plan"),
        (json.dumps({**PLAN, "changes": PLAN["changes"][::-1]}), "overlap, or are not in order"),
        (json.dumps({**PLAN, "changes": [CHANGE, CHANGE]}), "overlap, or are not in order"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "start": "1"}]}), "a position is not a non-negative integer"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "start": True}]}), "a position is not a non-negative integer"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "start": -1}]}), "a position is not a non-negative integer"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "end": 9}]}), "the change at 1 does not end at 9"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "old": "no hex"}]}), "this is not a plan"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "old": 5}]}), "this is not a plan"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "new": "FF"}]}), "does not write UTF-8"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "policy": "own"}]}), "no known kind and policy"),
        (json.dumps({**PLAN, "changes": [{**CHANGE, "kind": None}]}), "no known kind and policy"),
    ],
)
def test_what_is_no_plan_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(repair.PlanError, match=reason):
        repair.Plan.from_json(text)


@pytest.mark.parametrize("version", ["x" * 1_000_000, 10**4000, [0] * 1_000_000, {"a" * 1_000_000: 1}])
def test_an_unknown_version_is_not_repeated_whole(version: object) -> None:
    with pytest.raises(repair.PlanError, match=r"this plan has version .*, but this eightfold reads") as caught:
        repair.Plan.from_json(json.dumps({"version": version}))
    assert len(str(caught.value)) < 100


def test_utf_8_is_not_walked_sequence_by_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[int] = []
    sequence_at = repairing.sequence_at

    def noted(form: eightfold.Form, data: bytes, start: int, *, final: bool = True) -> object:
        met.append(start)
        return sequence_at(form, data, start, final=final)

    clean = "caf\u00e9 \ufffd \U0001f600\n".encode() * 1000
    monkeypatch.setattr(repairing, "well_formed_end", lambda form, data, start, *, final: data.find(b"\xff", start))
    monkeypatch.setattr(repairing, "sequence_at", noted)
    made = repair.Repairer().repair(clean + b"\xff" + clean + b"\xff")
    assert len(made.changes) == 2
    assert set(met) == {len(clean), 2 * len(clean) + 1}


def test_a_run_in_many_pieces_is_looked_at_again_only_when_it_has_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    sequence_at = repairing.sequence_at

    def counted(form: eightfold.Form, data: bytes, start: int, *, final: bool = True) -> object:
        nonlocal seen
        seen += len(data)
        return sequence_at(form, data, start, final=final)

    monkeypatch.setattr(repairing, "sequence_at", counted)
    repairer, pieces = repair.Repairer("corrected-utf-8", "replace"), 300
    made = [repairer.repair(b"\xfe" * 1000) for _ in range(pieces)]
    made.append(repairer.repair(b"!", final=True))
    assert b"".join(each.data for each in made) == b"\xef\xbf\xbd!"
    assert [change.old for each in made for change in each.changes] == [b"\xfe" * 1000 * pieces]
    assert seen <= 5 * 1000 * pieces


def test_what_follows_a_long_run_is_repaired_once_that_much_has_come() -> None:
    repairer = repair.Repairer("corrected-utf-8", "replace")
    made = [repairer.repair(piece).data for piece in (b"\xfe" * 5000, *[b"a" * 1000] * 6)]
    assert b"".join(made).startswith(b"\xef\xbf\xbdaaa")


@pytest.mark.parametrize(("name", "policy"), [("windows-1252", "cp1252"), ("1252", "cp1252"), ("L1", "latin-1")])
def test_a_charset_has_all_names_that_python_has_for_it(name: str, policy: str) -> None:
    data = bytes(range(256))
    made = repair.plan(data, errors=name)
    assert made == repair.plan(data, errors=policy)
    assert made.errors == policy
    assert {change.policy for change in made.changes} == {policy}


@pytest.mark.parametrize("name", ["cp437", "utf-8", "", "nul\0", "\ud800", "windows_1251", "rot13"])
def test_no_other_name_is_a_policy(name: str) -> None:
    with pytest.raises(ValueError, match="errors must be one of escape, strict, replace, pairs, latin-1, cp1252 here"):
        repair.plan(b"", errors=name)


# --- escapes in forms of one's own ------------------------------------------------------------------------------------

ESCAPE_IN_JSON = rb'{"cut": "\ud83d"}'
UPPER, LOWER, DIGITS = (0x41, 0x5A), (0x61, 0x7A), (0x30, 0x39)
ASCII_ROW = Row(0, 0x7F, (0, 0x7F))
NOT_AS_ASCII = [
    Form("trail", [ASCII_ROW, Row(0x3000, 0x300F, (0xF0, 0xFF), 0x5C)]),
    Form("lead", [ASCII_ROW, Row(0x3000, 0x300F, 0x64, (0xF0, 0xFF))], longest_match=True),
    Form(
        "swapped",
        [Row(0, 0x40, (0, 0x40)), Row(*UPPER, LOWER), Row(0x5B, 0x60, (0x5B, 0x60)), Row(*LOWER, UPPER)],
    ),
    Form("moved", [Row(0, 0x7F, (0x80, 0xFF))]),
    Form("digits", [Row(*DIGITS, DIGITS)]),
    Form("also", [ASCII_ROW, Row(0x5C, 0x5C, 0x80)], decode_only=True),
    Form("unit", [ASCII_ROW], units=[fault_row("invalid-byte", 0xF0, 0x5C)]),
    Form("run", [ASCII_ROW], units=[fault_row("invalid-byte", 0xF0, run=[(0x30, 0x40)])]),
]


@pytest.mark.parametrize("form", NOT_AS_ASCII, ids=lambda form: form.name)
def test_escapes_are_not_looked_for_where_their_bytes_mean_something_else(form: Form) -> None:
    signed = Form("signed", [ASCII_ROW], signatures=[Signature(b"\xfe", form)])
    for each in (form, signed):
        with pytest.raises(ValueError, match=rf"escapes needs a form .*: convert {form.name} to utf-8 first"):
            repair.plan(ESCAPE_IN_JSON, each, "replace", escapes="replace")
        repair.plan(ESCAPE_IN_JSON, each, "replace")


@pytest.mark.parametrize("name", NAMES)
def test_escapes_are_found_in_every_form_of_the_family(name: str) -> None:
    data = eightfold.encode(ESCAPE_IN_JSON.decode(), name)
    made = repair.plan(data, name, escapes="replace")
    assert made.apply(data).endswith(rb'{"cut": "\ufffd"}')


def test_a_form_may_differ_from_ascii_beside_the_characters_of_escapes() -> None:
    rows = [Row(0, 0x23, (0, 0x23)), Row(0xA4, 0xA4, 0x24), Row(0x25, 0x7F, (0x25, 0x7F)), Row(0x24, 0x24, 0x80, 0x24)]
    made = repair.plan(rb"$\ud83d$", Form("currency", rows), escapes="replace")
    assert made.apply(rb"$\ud83d$").decode() == r"¤\ufffd¤"


@given(st.randoms(use_true_random=False))
def test_escapes_are_found_in_what_a_form_of_one_s_own_decodes(chance: Random) -> None:
    form = random_form(chance)
    parts = [random_input(form, chance)[:40], rb"\ud83d", rb"\ud83d\ude00", rb"\\", rb"\ud8", b"3d", b"\xf0", b"\\"]
    data = b"".join(chance.choices(parts, k=6))
    try:
        made = repair.plan(data, form, "replace", escapes="replace")
    except ValueError:
        return
    in_two_steps = repair.repair(repair.repair(data, form, "replace"), "utf-8", "replace", escapes="replace")
    assert made.apply(data) == in_two_steps


def test_a_signature_is_not_an_escape() -> None:
    form = Form("marked", [ASCII_ROW], signatures=[Signature(rb"\ud83d", Form("plain", [ASCII_ROW]))])
    data = rb"\ud83d\ud83d"
    for size in range(1, len(data)):
        pieces = [data[at : at + size] for at in range(0, len(data), size)]
        made = repair.plan_chunks(pieces, form, escapes="replace")
        assert made.apply(data) == rb"\ufffd"


def test_an_escape_waits_for_the_fault_before_it() -> None:
    named = fault_row("invalid-byte", 0xF0, *rb"\ude00", 0x41)
    form, data = Form("named", [ASCII_ROW], names=[named]), b'"\xf0\\ude00"'
    whole = repair.plan(data, form, "replace", escapes="replace")
    assert [change.kind for change in whole.changes] == ["invalid-byte", "escaped-surrogate"]
    for cut in range(len(data)):
        assert repair.plan_chunks([data[:cut], data[cut:]], form, "replace", escapes="replace") == whole
