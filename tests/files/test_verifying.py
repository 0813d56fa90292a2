"""The verifier against whole decodings: at every cut it passes what is the same, else names the first place."""

from __future__ import annotations

import re
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eightfold
from eightfold.files.write.verifying import DifferenceError, Undoing, Verifier
from eightfold.reference import signed
from eightfold.repair import Change, Repaired, Repairer

NAMES = [form.name for form in eightfold.forms()]
PIECES = st.sampled_from(
    [
        *(b"a", b"\n", b"\x00", b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xee\xbe\x80", b"\xee\xbf\x83"),
        *(b"\xed\xa0\xbd", b"\xed\xb8\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xee\xbe\xa9", b"\xc0\x80"),
        *(b"\xff", b"\xe2\x82", b"\xf4\x90\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\x3d\xd8\x00\xde"),
    ]
)
DATA = st.lists(PIECES, max_size=8).map(b"".join)


def verdict(data: bytes, result: bytes, source: str, target: str, *, cut: int = 1) -> DifferenceError | None:
    """Return what the verifier says, fed both in pieces of `cut` bytes."""
    verifier = Verifier(eightfold.form(source), eightfold.form(target))
    try:
        for start in range(0, max(len(data), len(result)), cut):
            verifier.compare(data[start : start + cut], result[start : start + cut])
        verifier.compare(b"", b"", final=True)
    except DifferenceError as error:
        return error
    return None


def expected_offset(data: bytes, result: bytes, source: str, target: str) -> int | None:
    """Return the source offset of the first code point that differs, None if all are the same: over whole inputs."""
    given = eightfold.decode_code_points(data, source)
    got = eightfold.decode_code_points(result, target)
    if given == got:
        return None
    same = next((index for index, (one, other) in enumerate(zip(given, got, strict=False)) if one != other), None)
    same = min(len(given), len(got)) if same is None else same
    plain, mark = signed(eightfold.form(source))
    read = len(mark) if data.startswith(mark) else 0
    return read + len(eightfold.encode_code_points(given[:same], plain))


def well_formed(data: bytes, name: str) -> bool:
    return eightfold.is_well_formed(data, name)


@given(DATA, DATA, st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 9))
@example(b"\xed\xa0\xbd\xed\xb8\x80", b"\xf0\x9f\x98\x80", "generalized-utf-8", "wtf-8", 1)
@example(b"", b"a", "utf-8", "utf-8", 1)
@example(b"ab", b"a", "utf-8", "utf-8", 1)
def test_any_two_inputs_are_compared_by_their_code_points(
    data: bytes, result: bytes, source: str, target: str, cut: int
) -> None:
    said = verdict(data, result, source, target, cut=cut)
    if well_formed(data, source) and well_formed(result, target):
        assert (None if said is None else said.start) == expected_offset(data, result, source, target)
    else:
        whole = verdict(data, result, source, target, cut=1000)
        assert said is not None
        assert whole is not None


@given(DATA, st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 9))
@example(b"\xee\xbe\x80", "optu-8", "xtf-8", 1)
def test_a_conversion_passes_if_and_only_if_it_kept_everything(data: bytes, source: str, target: str, cut: int) -> None:
    result = eightfold.convert(data, source, target, "replace")
    # A result need not be well-formed: OPTU-8 holds three escapes whose bytes are, in XTF-8, a collision.
    kept = (
        well_formed(data, source)
        and well_formed(result, target)
        and eightfold.decode_code_points(data, source) == eightfold.decode_code_points(result, target)
    )
    assert (verdict(data, result, source, target, cut=cut) is None) == kept


def sentence(data: bytes, result: bytes, source: str, target: str) -> str:
    said = verdict(data, result, source, target, cut=100)
    assert said is not None
    return str(said)


def test_the_sentences() -> None:
    join = (b"x\xed\xa0\xbd\xed\xb8\x80", b"x\xf0\x9f\x98\x80", "generalized-utf-8", "utf-8")
    assert sentence(*join) == "at 1: the surrogate pair U+D83D U+DE00 was joined to U+1F600"
    assert sentence(b"\xed\xa0\xbdx", b"?x", "wtf-8", "utf-8") == "at 0: U+D83D became U+003F"
    assert sentence(b"ab", b"a", "utf-8", "utf-8") == "at 1: U+0062 is missing from the result"
    assert sentence(b"a", b"ab", "utf-8", "utf-8") == "at 1: the result continues with U+0062"
    assert sentence(b"a\xff", b"a", "utf-8", "utf-8").startswith("at 1: ill-formed, so it cannot be compared: byte FF")
    assert sentence(b"ab", b"a\xff", "utf-8", "utf-8").startswith("at 1: the result does not decode: byte FF")


def test_a_join_across_a_border_is_found_where_it_begins() -> None:
    data, result = b"ab\xed\xa0\xbd\xed\xb8\x80", b"ab\xf0\x9f\x98\x80"
    starts = {(said.start, said.sentence) for said in (converted_in_two(data, cut) for cut in range(len(data) + 1))}
    assert starts == {(2, "the surrogate pair U+D83D U+DE00 was joined to U+1F600")}
    assert result == eightfold.convert(data, "generalized-utf-8", "wtf-8")


def converted_in_two(data: bytes, cut: int) -> DifferenceError:
    verifier = Verifier(eightfold.form("generalized-utf-8"), eightfold.form("wtf-8"))
    converter = eightfold.Converter("generalized-utf-8", "wtf-8")
    try:
        for piece, final in ((data[:cut], False), (data[cut:], True)):
            verifier.compare(piece, converter.convert(piece, final), final=final)
    except DifferenceError as error:
        return error
    pytest.fail("no difference")


def test_code_points_above_unicode_are_compared() -> None:
    points = array("I", [0x110000, 0x7FFFFFFF])
    data = eightfold.encode_code_points(points, "utf-8-rfc2044")
    result = eightfold.convert(data, "utf-8-rfc2044", "corrected-utf-8-sig")
    assert verdict(data, result, "utf-8-rfc2044", "corrected-utf-8-sig") is None
    changed = result[:-1] + bytes([result[-1] ^ 1])
    said = verdict(data, changed, "utf-8-rfc2044", "corrected-utf-8-sig")
    assert said is not None
    assert said.sentence == "U+7FFFFFFF became U+7FFFFFFE"


KEEPING = [
    ("surrogatepass", "utf-8", "wtf-8", b"\xed\xa0\xbd!"),
    ("surrogateescape", "utf-8", "wtf-8", b"a\xff"),
    ("surrogateescape", "utf-8", "utf-8", b"a\xff"),
    ("escape", "xtf-8", "utf-8", b"\xff\xee\xbe\x80"),
    ("private-use", "utf-8", "corrected-utf-8-sig", b"\xc2\x80"),
    ("private-use", "corrected-utf-8", "wtf-8", b"\xf3\xbd\xbd\xa0"),
    ("java", "mutf-8", "utf-8", b"\x00\xc1\xbf"),
]


@pytest.mark.parametrize(("errors", "source", "target", "data"), KEEPING)
def test_a_policy_that_keeps_everything_passes(errors: str, source: str, target: str, data: bytes) -> None:
    result = eightfold.convert(data, source, target, errors)
    verifier = Verifier(eightfold.form(source), eightfold.form(target), errors)
    verifier.compare(data, result, final=True)
    assert verifier.count > 0


# --- repairs ----------------------------------------------------------------------------------------------------------


@given(DATA, st.sampled_from(["escape", "replace", "latin-1"]), st.integers(1, 9))
def test_the_changes_of_a_repair_are_undone_at_every_cut(data: bytes, errors: str, cut: int) -> None:
    repairer, undoing = Repairer(errors=errors), Undoing()
    for start in range(0, len(data), cut):
        piece = data[start : start + cut]
        undoing.compare(piece, repairer.repair(piece))
    undoing.compare(b"", repairer.repair(b"", final=True), final=True)


def change(start: int, old: bytes, new: bytes) -> Change:
    return Change(start, old, new, "invalid-byte", "latin-1", 1, start + 1)


@pytest.mark.parametrize(
    ("data", "repaired", "start", "sentence"),
    [
        (b"a\xff", Repaired(b"a\xff", ()), 2, "the result is not UTF-8: byte FF cannot begin a sequence"),
        (b"a\xc3", Repaired(b"a\xc3", ()), 2, "the result is not UTF-8: sequence C3 is cut short by the end"),
        (b"a\xff", Repaired(b"a?", (change(3, b"\xff", b"!"),)), 3, "the result does not contain what should be"),
        (b"a\xff", Repaired(b"a?", (change(3, b"\xfe", b"?"),)), 0, "with its changes undone, the result is not the"),
        (b"a\xff", Repaired(b"a", ()), 0, "with its changes undone, the result is not the original"),
    ],
)
def test_a_repair_that_cannot_be_undone(data: bytes, repaired: Repaired, start: int, sentence: str) -> None:
    undoing = Undoing()
    undoing.compare(b"ok", Repaired(b"ok", ()))
    with pytest.raises(DifferenceError, match=re.escape(sentence)) as caught:
        undoing.compare(data, repaired, final=True)
    assert caught.value.start == start
