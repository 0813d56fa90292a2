"""Error policy: every policy on every form and direction, and the protocol of foreign handlers."""

from __future__ import annotations

import codecs
import sys
from array import array
from collections.abc import Callable
from typing import Any

import pytest

import eightfold
from eightfold import policy as policies
from eightfold import wtf8, xtf8
from support.handlers import handler
from support.policy_table import DECODE, ENCODE, POLICIES, PYTHON, REFUSED, STRICT, UNKNOWN

NATIVE = "le" if sys.byteorder == "little" else "be"
MARKED = ("utf-16", "wtf-16", "optu-16", "utf-32")
for marked in MARKED:
    DECODE[marked] = DECODE[f"{marked}-{NATIVE}"]
    ENCODE[marked] = ENCODE[f"{marked}-{NATIVE}"]


def cells(table: dict[str, Any]) -> list[Any]:
    return [
        pytest.param(form, sample, policy, expected, id=f"{form}-{sample!a}-{policy}")
        for form, samples in table.items()
        for sample, row in samples
        for policy, expected in zip(POLICIES, row, strict=True)
    ]


def expect_error(expected: str, strict_error: type[Exception], call: Callable[[], object]) -> bool:
    errors = {STRICT: strict_error, UNKNOWN: LookupError, REFUSED: ValueError, PYTHON: TypeError}
    if expected not in errors:
        return False
    with pytest.raises(errors[expected]) as raised:
        call()
    # An UnicodeError is a ValueError too: refusing must happen before any work is done.
    assert isinstance(raised.value, UnicodeError) == (expected == STRICT)
    return True


def test_the_names_are_those_of_python_s_own_of_surrogates_and_what_forms_declare() -> None:
    declared = {variant.policy for form in eightfold.forms() for variant in form.variants}
    assert {*policies.POLICIES} == {*policies._PYTHONS_OWN, "surrogatepass", "surrogateescape", *declared}


def test_the_table_has_every_form() -> None:
    names = {form.name for form in eightfold.forms()}
    assert set(DECODE) == names
    assert set(ENCODE) == names


@pytest.mark.parametrize(("form", "sample", "policy", "expected"), cells(DECODE))
def test_decoding(form: str, sample: bytes, policy: str, expected: str) -> None:
    data = eightfold.encode("a", form) + sample + eightfold.encode("b", form.removesuffix("-sig"))
    if eightfold.form(form).signatures and not form.endswith("-sig"):
        data = eightfold.encode("a", form) + sample + eightfold.encode("b", f"{form}-{NATIVE}")
    if not expect_error(expected, eightfold.DecodeError, lambda: eightfold.decode(data, form, policy)):
        assert eightfold.decode(data, form, policy) == f"a{expected}b"


@pytest.mark.parametrize(("form", "sample", "policy", "expected"), cells(ENCODE))
def test_encoding(form: str, sample: str, policy: str, expected: bytes | str) -> None:
    text = f"a{sample}b"
    if isinstance(expected, bytes):
        plain = f"{form}-{NATIVE}" if form in MARKED else form.removesuffix("-sig")
        assert eightfold.encode(text, form, policy) == (
            eightfold.encode("a", form) + expected + eightfold.encode("b", plain)
        )
    else:
        assert expect_error(expected, eightfold.EncodeError, lambda: eightfold.encode(text, form, policy))


@pytest.mark.parametrize("form", eightfold.forms(), ids=str)
@pytest.mark.parametrize("policy", ["escape", "private-use", "java", "no such policy", "no\0such", "no \ud800 such"])
def test_an_unknown_policy_is_a_lookup_error_on_clean_input_too(form: eightfold.Form, policy: str) -> None:
    if form.variant(policy):
        assert eightfold.decode(eightfold.encode("clean", form, policy), form, policy) == "clean"
        return
    for call in (
        lambda: eightfold.decode(b"", form, policy),
        lambda: eightfold.encode("", form, policy),
        lambda: eightfold.decode_code_points(b"", form, policy),
        lambda: eightfold.encode_code_points([], form, policy),
        lambda: eightfold.convert(b"", form, "utf-8", policy),
        lambda: eightfold.convert(b"", "utf-8", form, policy),
        lambda: eightfold.Converter(form, "utf-8", policy),
    ):
        with pytest.raises(LookupError):
            call()


def test_a_declared_policy_is_taken_by_convert_at_either_end() -> None:
    assert eightfold.convert(b"\xff\xee\xbe\x80", "xtf-8", "utf-8", "escape") == "\uefff\uefee\uefbe\uef80".encode()
    assert eightfold.convert("\uefff".encode(), "utf-8", "xtf-8", "escape") == b"\xff"
    assert eightfold.convert(b"\xc2\x85", "utf-8", "corrected-utf-8", "private-use") == b"\xf3\xbd\xbb\xa5"
    assert eightfold.convert(b"\x00", "mutf-8", "utf-8", "java") == b"\x00"
    assert eightfold.convert(b"\x00", "utf-8", "mutf-8", "java") == b"\xc0\x80"
    with pytest.raises(eightfold.ConversionError):
        eightfold.convert(b"\xff", "mutf-8", "utf-8", "java")


@pytest.mark.parametrize("ends", [("xtf-8", "utf-8"), ("utf-8", "xtf-8")])
def test_ignore_is_refused_at_either_end_before_any_work(ends: tuple[str, str]) -> None:
    for call in (lambda: eightfold.convert(b"", *ends, "ignore"), lambda: eightfold.Converter(*ends, "ignore")):
        with pytest.raises(ValueError, match="refuses") as raised:
            call()
        assert not isinstance(raised.value, UnicodeError)


def test_verbs_that_have_no_other_policy_refuse_a_form_that_refuses_strict() -> None:
    form = eightfold.Form("lenient", [eightfold.Row(0, 0x7F, (0, 0x7F))], refuses={"strict": "it must not stop"})
    for call in (
        lambda: eightfold.truncate("", 1, form),
        lambda: eightfold.encoded_length("", form),
        lambda: eightfold.converted_length(b"", form, "utf-8"),
        lambda: eightfold.encode_into("", form, bytearray(1)),
        lambda: eightfold.decode_code_points_into(b"", form, array("I", [0])),
    ):
        with pytest.raises(ValueError, match="lenient refuses errors='strict': it must not stop"):
            call()


@pytest.mark.parametrize("name", ["java", "private-use", "escape"])
def test_a_policy_of_another_form_is_unknown_even_if_a_handler_has_its_name(name: str) -> None:
    eightfold.register_codecs()
    eightfold.unregister_codecs()  # Before Python 3.14 the handlers stay.
    for call in (lambda: eightfold.encode("", "utf-8", name), lambda: eightfold.decode(b"", "utf-8", name)):
        with pytest.raises(LookupError, match=f"the policy '{name}' is not one that utf-8 declares"):
            call()


def test_policies_of_one_direction_apply_to_their_end_of_convert_only() -> None:
    assert eightfold.convert("é".encode(), "utf-8", "optu-8", "xmlcharrefreplace") == "é".encode()
    assert eightfold.convert("😀".encode(), "utf-8", "optu-8", "xmlcharrefreplace") == b"&#128512;"
    assert eightfold.convert("😀".encode(), "utf-8", "optu-8", "namereplace") == rb"\N{GRINNING FACE}"
    with pytest.raises(eightfold.ConversionError):
        eightfold.convert(b"\xff", "utf-8", "optu-8", "xmlcharrefreplace")


@pytest.mark.parametrize("form", ["utf-8", "mutf-8", "utf-16-le"])
def test_a_str_replacement_is_encoded_by_the_form_itself(form: str) -> None:
    with handler(lambda error: ("\0é", error.end)) as name:
        sample = {"utf-8": "\ud800", "mutf-8": None, "utf-16-le": "\ud800"}[form]
        if sample is None:
            # MUTF-8 has a place for every code point of a str; what a conversion cannot hold goes the same way.
            with pytest.raises(eightfold.ConversionError):
                eightfold.convert(b"\xf4\x90\x80\x80", "utf-8-rfc2044", form, name)
            return
        # As CPython: only ASCII for the forms that it has.
        with pytest.raises(eightfold.EncodeError) as raised:
            eightfold.encode(f"a{sample}", form, name)
        assert (raised.value.start, raised.value.end) == (1, 2)
    with handler(lambda error: ("\0é", error.end)) as name:
        assert eightfold.encode("\ud800", "cesu-8", name) == b"\0\xc3\xa9"
        assert eightfold.encode("\x80", "corrected-utf-8", name) == b"\0\xc1\x89"


def test_a_bytes_replacement_is_written_as_it_is() -> None:
    with handler(lambda error: (b"\xff", error.end)) as name:
        assert eightfold.encode("a\ud800", "utf-8", name) == b"a\xff"
        assert eightfold.encode("a\ud800", "cesu-8", name) == b"a\xff"
        with pytest.raises(eightfold.EncodeError):
            eightfold.encode("a\ud800", "utf-16-le", name)


def test_a_replacement_is_never_joined_with_its_neighbours() -> None:
    # Joined, the lead before and the trail that the handler gives would be one supplementary code point.
    with handler(lambda error: ("\udc00", error.end)) as name, pytest.raises(eightfold.EncodeError):
        eightfold.encode("\ud800x\ud800", "cesu-8", name)


def test_decoding_goes_on_in_the_object_that_the_handler_leaves() -> None:
    def swap(error: UnicodeDecodeError) -> tuple[str, int]:
        error.object = b"0123456789"
        return "<>", 7

    with handler(swap) as name:
        assert eightfold.decode(b"ab\xffcd", "utf-8", name) == "ab<>789"
        assert eightfold.decode(b"ab\xffcd", "wtf-8", name) == "ab<>789"

    def spoil(error: UnicodeDecodeError) -> tuple[str, int]:
        error.object = "text"  # type: ignore[assignment]
        return "", 0

    with handler(spoil) as name, pytest.raises(TypeError, match="must be bytes"):
        eightfold.decode(b"ab\xffcd", "utf-8", name)


@pytest.mark.parametrize("step_back", [0, 1])
def test_a_handler_that_never_goes_on_ends_in_a_runtime_error(step_back: int) -> None:
    calls = 0

    def stay(error: Any) -> tuple[str, int]:
        nonlocal calls
        calls += 1
        return "", error.start - step_back

    with handler(stay) as name:
        for call in (
            lambda: eightfold.decode(b"aa\xff", "utf-8", name),
            lambda: eightfold.encode("aa\ud800", "utf-8", name),
            lambda: eightfold.convert(b"aa\xff", "utf-8", "wtf-16", name),
        ):
            calls = 0
            with pytest.raises(RuntimeError, match="makes no progress"):
                call()
            assert calls == 1000


def test_a_handler_that_stays_for_999_answers_is_let_be() -> None:
    answers = iter([0] * 999 + [1])
    with handler(lambda error: ("", next(answers))) as name:
        assert eightfold.decode(b"\xffb", "utf-8", name) == "b"


def test_convert_calls_a_handler_for_either_end() -> None:
    seen: list[Any] = []

    def record(error: Any) -> tuple[str, int]:
        seen.append((type(error), error.object, error.start, error.end))
        return "?", error.end

    with handler(record) as name:
        assert eightfold.convert(b"a\xff\xed\xa0\x80", "wtf-8", "utf-8", name) == b"a??"
    assert seen == [
        (eightfold.DecodeError, b"a\xff\xed\xa0\x80", 1, 2),
        (eightfold.EncodeError, "\ud800", 0, 1),
    ]


def test_the_position_must_be_1_for_a_code_point_that_the_target_lacks() -> None:
    for position in (0, 2):
        with handler(lambda error, position=position: ("?", position)) as name, pytest.raises(IndexError):
            eightfold.convert(b"\xed\xa0\x80", "wtf-8", "utf-8", name)
    with handler(lambda error: ("?", 1)) as name:
        assert eightfold.convert(b"\xed\xa0\x80", "wtf-8", "utf-8", name) == b"?"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("replace", b"a\xef\xbf\xbdb"),
        ("ignore", b"ab"),
        ("backslashreplace", rb"a\U00110000b"),
        ("strict", None),
        ("surrogateescape", None),
        ("surrogatepass", None),
        ("xmlcharrefreplace", None),
        ("namereplace", None),
    ],
)
def test_above_unicode_convert_knows_four_policies(policy: str, expected: bytes | None) -> None:
    data = b"a\xf4\x90\x80\x80b"
    if expected is not None:
        assert eightfold.convert(data, "utf-8-rfc2044", "utf-8", policy) == expected
        return
    with pytest.raises(eightfold.ConversionError) as raised:
        eightfold.convert(data, "utf-8-rfc2044", "utf-8", policy)
    assert (raised.value.start, raised.value.end, raised.value.fault.kind) == (1, 5, "unrepresentable")


def test_errors_must_be_a_str() -> None:
    with pytest.raises(TypeError, match="errors must be a str"):
        eightfold.decode(b"", "utf-8", None)
    for offering in (wtf8.to_utf8, xtf8.decode):
        with pytest.raises(TypeError, match="errors must be a str, not int"):
            offering(b"", 5)


def test_the_decoding_unit_and_the_fault_that_contains_it() -> None:
    with pytest.raises(eightfold.DecodeError) as raised:
        eightfold.decode(b"\xed\xa0\x80", "utf-8")
    error = raised.value
    assert (error.start, error.end, error.reason) == (0, 1, "invalid continuation byte")
    assert error.fault is not None
    assert (error.fault.start, error.fault.end, error.fault.kind) == (0, 3, "surrogate")


def test_elsewhere_the_reason_is_the_sentence() -> None:
    with pytest.raises(eightfold.DecodeError) as raised:
        eightfold.decode(b"\xed\xa0\x80", "cesu-8")
    assert raised.value.reason == str(raised.value.fault) == "unpaired surrogate U+D800 (ED A0 80)"


@pytest.mark.parametrize(
    ("form", "data", "span", "kind"),
    [
        ("utf-8", b"a\xed\xa0\x80b", (1, 4), "surrogate"),
        ("utf-8", b"\xf4\x90\x80\x80", (0, 4), "beyond-unicode"),
        ("utf-8", b"\xc0\xa9", (0, 2), "overlong"),
        ("cesu-8", b"\xf0\x9f\x98\x80", (0, 4), "four-byte"),
    ],
)
def test_every_unit_of_a_fault_says_which_fault_it_is_of(
    form: str, data: bytes, span: tuple[int, int], kind: str
) -> None:
    seen: list[Any] = []

    def record(error: Any) -> tuple[str, int]:
        seen.append((error.start, error.fault.start, error.fault.end, error.fault.kind))
        return "", error.end

    with handler(record) as name:
        eightfold.decode(data, form, name)
        eightfold.convert(data, form, "utf-16", name)
    units = [(start, *span, kind) for start in range(*span)]
    assert seen == units * 2


@pytest.mark.parametrize("policy", ["xmlcharrefreplace", "namereplace"])
@pytest.mark.parametrize("form", ["utf-8", "utf-16-le"])
def test_a_run_that_is_asked_about_in_parts_is_written_as_cpython_writes_it(form: str, policy: str) -> None:
    text = "a" + "\ud800" * 140_000 + "é" + "\udc00\ud83d\ude00" * 30_000
    try:
        expected = text.encode(form, policy)
    except UnicodeEncodeError as error:
        with pytest.raises(UnicodeEncodeError) as raised:
            eightfold.encode(text, form, policy)
        assert (raised.value.start, raised.value.end) == (error.start, error.end)
    else:
        assert eightfold.encode(text, form, policy) == expected


def test_a_handler_of_ones_own_is_asked_about_all_of_a_run() -> None:
    spans = []

    def answer(error: UnicodeEncodeError) -> tuple[str, int]:
        spans.append((error.start, error.end))
        return "?", error.end

    codecs.register_error("policy-spans", answer)
    assert eightfold.encode("a" + "\ud800" * 140_000, "utf-8", "policy-spans") == b"a?"
    assert spans == [(1, 140_001)]
