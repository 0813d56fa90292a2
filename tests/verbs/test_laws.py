"""Laws that hold for all inputs of a form: round trips, concatenation, order, and convert as decode and encode."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold

FORMS = eightfold.forms()
NAMES = [form.name for form in FORMS]
ANY_TEXT = st.text(st.characters(codec=None, min_codepoint=0, max_codepoint=0x10FFFF, categories=None), max_size=20)
SURROGATE_HEAVY = st.text("\ud800\ud83d\udbff\udc00\ude00\udfff\0aé漢😀\uef80\x80", max_size=12)
TEXT = st.one_of(ANY_TEXT, SURROGATE_HEAVY)
NEAR_UTF_8 = st.lists(
    st.sampled_from([b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xe2\x82", b"\xff", b"\xc0\x80", b"\xf0\x9f\x98\x80", b"a"])
).map(b"".join)
BYTES = st.one_of(st.binary(max_size=24), NEAR_UTF_8)


def joined(text: str) -> str:
    """Return a str whose surrogate pairs are supplementary code points, by CPython's own UTF-16."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


@given(TEXT, st.sampled_from(NAMES))
def test_what_can_be_encoded_decodes_to_the_same_code_points(text: str, name: str) -> None:
    if not eightfold.is_encodable(text, name):
        with pytest.raises(eightfold.EncodeError):
            eightfold.encode(text, name)
        return
    back = eightfold.decode(eightfold.encode(text, name), name, "escape" if name == "xtf-8" else "strict")
    if name in ("xtf-8", "optu-8"):
        # Not one to one from str: escapes that stand together may be the bytes of a sequence. From bytes it is.
        assert eightfold.encode(back, name) == eightfold.encode(text, name)
    else:
        assert back == (joined(text) if eightfold.form(name).joins_pairs else text)


@given(BYTES, st.sampled_from(NAMES))
def test_well_formed_bytes_come_back(data: bytes, name: str) -> None:
    form = eightfold.form(name)
    if not eightfold.is_well_formed(data, name):
        with pytest.raises(eightfold.DecodeError):
            eightfold.decode(data, name)
        return
    points = eightfold.decode_code_points(data, name)
    marks = [signature.mark for signature in form.signatures]
    if not marks or data.startswith(marks[0]):
        assert eightfold.encode_code_points(points, name) == data


@given(BYTES, st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(["strict", "surrogatepass", "ignore"]))
def test_convert_is_decode_and_encode(data: bytes, source: str, target: str, policy: str) -> None:
    if policy == "ignore" and "xtf-8" in (source, target):
        return
    if any(point > 0x10FFFF for point in eightfold.decode_code_points(data, source, "replace")):
        return
    try:
        expected = eightfold.encode(eightfold.decode(data, source, policy), target, policy)
    except UnicodeError:
        with pytest.raises(eightfold.ConversionError):
            eightfold.convert(data, source, target, policy)
    else:
        assert eightfold.convert(data, source, target, policy) == expected


@given(BYTES, st.sampled_from(NAMES))
def test_convert_replaces_at_either_end_with_the_replacement_character(data: bytes, name: str) -> None:
    text = eightfold.decode_code_points(data, name, "replace")
    expected = "".join("\ufffd" if 0xD800 <= point < 0xE000 or point > 0x10FFFF else chr(point) for point in text)
    assert eightfold.convert(data, name, "utf-8", "replace") == expected.encode()


@given(TEXT, TEXT, st.sampled_from(["generalized-utf-8", "mutf-8", "optu-8", "optu-16-be", "utf-32-le", "wtf-16-be"]))
def test_joining_bytes_is_joining_texts_where_nothing_is_joined(one: str, other: str, name: str) -> None:
    if eightfold.is_encodable(one + other, name):
        assert eightfold.encode(one, name) + eightfold.encode(other, name) == eightfold.encode(one + other, name)


@given(TEXT, TEXT)
def test_the_order_of_bytes_is_the_order_of_code_points(one: str, other: str) -> None:
    for name in ("wtf-8", "generalized-utf-8", "utf-8-rfc2044", "corrected-utf-8"):
        if eightfold.is_encodable(one + other, name):
            texts = (joined(one), joined(other)) if name == "wtf-8" else (one, other)
            keys = [eightfold.encode(text, name) for text in texts]
            assert (keys[0] < keys[1]) == (texts[0] < texts[1])


@given(TEXT, TEXT)
def test_cesu_8_has_the_order_of_utf_16(one: str, other: str) -> None:
    if eightfold.is_encodable(one, "cesu-8") and eightfold.is_encodable(other, "cesu-8"):
        units = [text.encode("utf-16-be", "surrogatepass") for text in (one, other)]
        keys = [eightfold.encode(text, "cesu-8") for text in (one, other)]
        assert (keys[0] < keys[1]) == (units[0] < units[1])


@given(BYTES)
def test_wtf_16_to_wtf_8_and_back_is_lossless(data: bytes) -> None:
    units = data[: len(data) // 2 * 2]
    assert eightfold.convert(eightfold.convert(units, "wtf-16-le", "wtf-8"), "wtf-8", "wtf-16-le") == units


@given(BYTES, st.sampled_from(NAMES))
def test_the_views_of_errors_tile_the_same_bytes(data: bytes, name: str) -> None:
    faults = list(eightfold.faults(data, name))
    covered = [offset for fault in faults for offset in range(fault.start, fault.end)]
    assert covered == sorted(set(covered))
    units: list[int] = []

    def record(error: UnicodeDecodeError) -> tuple[str, int]:
        units.extend(range(error.start, error.end))
        return "", error.end

    codecs.register_error("eightfold-units", record)
    eightfold.decode_code_points(data, "wtf-8" if name == "utf-8-sig" else name, "eightfold-units")
    if name != "utf-8-sig":
        assert units == covered
    assert eightfold.is_well_formed(data, name) == (not faults)
    assert list(eightfold.faults(data, name, limit=2)) == faults[:2]


@given(TEXT, st.sampled_from(NAMES))
def test_encode_faults_are_the_units_that_a_handler_gets(text: str, name: str) -> None:
    spans = []

    def record(error: UnicodeEncodeError) -> tuple[str, int]:
        assert error.fault.start == error.start  # type: ignore[attr-defined]
        spans.append((error.start, error.end))
        return "", error.end

    codecs.register_error("eightfold-spans", record)
    eightfold.encode(text, name, "eightfold-spans")
    assert [(fault.start, fault.end) for fault in eightfold.encode_faults(text, name)] == spans
    assert eightfold.is_encodable(text, name) == (not spans)
