"""Which form bytes are in: the order of the candidates, signatures, and whether they come back."""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold import ENGINE
from eightfold.forms.corrected_utf_8 import MAGIC
from eightfold.identify import FAULTS_COUNTED, Identifier
from eightfold.stream import Checker, Located


@pytest.mark.parametrize(
    ("data", "best"),
    [
        (b"", "utf-8"),
        (b"plain", "utf-8"),
        ("zwölf 😀".encode(), "utf-8"),
        (b"\xef\xbb\xbfa", "utf-8-sig"),
        (b"\xed\xa0\xbd\xed\xb8\x80", "cesu-8"),
        (b"a\xc0\x80b", "mutf-8"),
        # A lone surrogate is one of MUTF-8's code units; beside a four-byte sequence only WTF-8 holds it.
        (b"\xed\xa0\xbd", "mutf-8"),
        (b"\xed\xa0\xbd\xf0\x9f\x98\x80", "wtf-8"),
        (b"\xed\xa0\xbd\xed\xb8\x80\xf0\x9f\x98\x80", "generalized-utf-8"),
        (b"\xf9\x80\x80\x80\x80", "utf-8-rfc2044"),
        (b"\xc0\xaf!", "corrected-utf-8"),
        (MAGIC, "corrected-utf-8-sig"),
        (MAGIC + b"text\n", "corrected-utf-8-sig"),
        (b"\xff\xfea\x00", "utf-16"),
        (b"\xfe\xff\x00a", "utf-16"),
        (b"\xff\xfe\x00\xd8", "wtf-16"),
        (b"\xff\xfe\x00\x00a\x00\x00\x00", "utf-32"),
        (b"\xff\xfe\x00\x00a\x00", "utf-16"),
        (b"\xe9\x00", "utf-16-le"),
        (b"caf\xe9!", "xtf-8"),
        (b"caf\xe9  \xee\xbe\x80", "optu-8"),
    ],
)
def test_the_best_candidate(data: bytes, best: str) -> None:
    assert eightfold.identify(data)[0].form == best


def test_a_signature_comes_before_everything_and_ill_formed_ones_by_number_of_faults() -> None:
    found = eightfold.identify(b"\xef\xbb\xbf\xff\xff\xff")
    assert (found[0].form, found[0].well_formed, found[0].fault_count) == ("utf-8-sig", False, 3)
    rest = found[1:]
    assert [each.well_formed for each in rest] == sorted((each.well_formed for each in rest), reverse=True)
    ill_formed = [each.fault_count for each in rest if not each.well_formed]
    assert ill_formed == sorted(ill_formed)


def test_a_wide_form_counts_only_where_the_length_fits() -> None:
    names = {each.form for each in eightfold.identify(b"abc")}
    assert not [name for name in names if "16" in name or "32" in name]
    assert "utf-16-le" in {each.form for each in eightfold.identify(b"ab")}
    assert "utf-32-le" not in {each.form for each in eightfold.identify(b"ab")}


BYTES = st.one_of(
    st.binary(max_size=24),
    st.tuples(st.sampled_from([b"\xff\xfe", b"\xfe\xff", MAGIC, b"\xef\xbb\xbf", b"\0\0\xfe\xff"]), st.binary()).map(
        b"".join
    ),
)


@given(BYTES)
def test_each_candidate_says_what_is_so(data: bytes) -> None:
    for found in eightfold.identify(data):
        faults = list(eightfold.faults(data, found.form))
        assert (found.fault_count, found.well_formed) == (len(faults), not faults)
        assert data.startswith(found.signature)
        try:
            points = eightfold.decode_code_points(data, found.form)
            back = eightfold.encode_code_points(points, found.form)
        except UnicodeError:
            back = None
        assert found.lossless == (back == data)


@given(BYTES, st.integers(0, 30))
def test_identifying_in_pieces(data: bytes, cut: int) -> None:
    identifier = Identifier()
    identifier.feed(data[:cut])
    identifier.feed(data[cut:])
    assert identifier.finish() == eightfold.identify(data)


# --- large inputs, and evidence ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [1, 100_000, FAULTS_COUNTED * 4])
def test_faults_are_counted_up_to_a_bound_wherever_the_input_is_cut(cut: int) -> None:
    data = b"\xff\xfe\xff" * (FAULTS_COUNTED // 3 + 1) if ENGINE == "native" else b"\xff" * 300
    bound = FAULTS_COUNTED if ENGINE == "native" else 150
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["eightfold.identify"], "FAULTS_COUNTED", bound)
        identifier = Identifier()
        if cut > 1:
            identifier.feed(data[:cut])
        identifier.feed(data[cut if cut > 1 else 0 :])
        counts = {each.form: each.fault_count for each in identifier.finish()}
    assert counts["utf-8"] == counts["cesu-8"] == bound
    assert counts["xtf-8"] == 0


def test_what_has_too_many_faults_is_looked_at_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: Counter[str] = Counter()
    check = Checker.check

    def counted(checker: Checker, chunk: bytes, final: bool = False) -> list[Located]:
        seen[checker.form.name] += len(chunk)
        return check(checker, chunk, final)

    monkeypatch.setattr(Checker, "check", counted)
    monkeypatch.setattr(sys.modules["eightfold.identify"], "FAULTS_COUNTED", 10)
    identifier = Identifier()
    for _ in range(10):
        identifier.feed(b"\xff" * 6)
    identifier.finish()
    assert seen["xtf-8"] == 60
    assert seen["utf-8"] == 12


@pytest.mark.parametrize(
    ("data", "name", "telling"),
    [
        (b"plain", "utf-8", True),
        (b"", "utf-8", True),
        ("caf\u00e9".encode(), "utf-8", True),
        ("caf\u00e9".encode(), "xtf-8", False),
        (b"caf\xe9!", "xtf-8", False),
        (b"caf\xe9!", "optu-8", False),
        (b"caf\xe9!", "utf-8", False),
        (b"\xff\xfe" + "\u8a9e".encode("utf-16-le"), "utf-16", True),
        (b"na\xefve text, even length!", "utf-16-le", False),
        (b"na\xefve text, even length!", "wtf-16-be", False),
        ("\u8a9e\u6f22\n".encode("utf-16-le"), "utf-16-le", True),
        ("\u8a9e\u6f22\n".encode("utf-16-le"), "utf-16-be", False),
        ("\u8a9e \u6f22".encode("utf-16-be"), "utf-16-be", True),
        ("\u8a9e\u6f22".encode("utf-16-le"), "utf-16-le", False),
        (("\u8a9e " + "\u6f22" * 198).encode("utf-16-le"), "utf-16-le", True),
        (("\u8a9e " + "\u6f22" * 199).encode("utf-16-le"), "utf-16-le", False),
        ("\u8a9e \0\u6f22".encode("utf-16-le"), "utf-16-le", False),
        ("caf\u00e9".encode("utf-16-le"), "utf-16-le", True),
        ("caf\u00e9".encode("utf-16-le"), "utf-16-be", False),
        ("\u8a9e\u6f22\u8a9eA".encode("utf-16-le"), "utf-16-le", True),
        ("\u8a9e\u6f22\u8a9e\u6f22A".encode("utf-16-le"), "utf-16-le", False),
        ("\u8a9e \t\0\u6f22".encode("utf-16-le"), "utf-16-le", True),
        (b"\x3d\xd8a\0\n\0", "wtf-16-le", True),
        ("\U0001f600\n".encode("utf-32-be"), "utf-32-be", True),
        ("\U0001f600!".encode("utf-32-be"), "utf-32-be", True),
        ("\U0001f600\u8a9e".encode("utf-32-be"), "utf-32-be", False),
    ],
)
def test_there_is_evidence_or_not(data: bytes, name: str, telling: bool) -> None:
    identifier = Identifier()
    identifier.feed(data)
    candidates = {each.form: each for each in identifier.finish()}
    assert identifier.tells(candidates[name]) is telling


def test_random_bytes_are_not_taken_for_text() -> None:
    data = Random(3).randbytes(200_000)
    identifier = Identifier()
    identifier.feed(data)
    assert [each.form for each in identifier.finish() if identifier.tells(each)] == []
