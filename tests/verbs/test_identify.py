"""Which form bytes are in: the order of the candidates, signatures, evidence, and whether they come back."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eightfold
from eightfold.evidence import PLAIN, byte_bits
from eightfold.forms.corrected_utf_8 import MAGIC
from eightfold.identify import FAULTS_COUNTED, MARKS, Identifier, plain_text
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
        # XTF-8 and OPTU-8 take any bytes, which is no reason to think of them.
        (b"caf\xe9!", "utf-8"),
        (b"caf\xe9  \xee\xbe\x80", "utf-8"),
        (b"plain text" * 50 + b"\xff", "utf-8"),
        ("\u00e9".encode() * 1000, "utf-8"),
        ("\u00e9".encode() * 1000 + b"\xff\xff", "utf-8"),
        ("\u2500".encode() * 1000, "utf-8"),
        (("zw\u00f6lf " * 20).encode() + b"\xff\xfe", "utf-8"),
        # Beside damage, one more sequence that only a wider form has may be damage too.
        ("\U0001f600".encode() * 100 + b"\xff" + b"\xf9\x80\x80\x80\x80", "utf-8"),
        ("\U0001f600".encode() * 100 + b"\xff" + b"\xed\xa0\x80", "utf-8"),
        ("\U0001f600".encode() * 100 + b"\xff" + b"\xed\xa0\x80" * 3, "wtf-8"),
    ],
)
def test_the_best_candidate(data: bytes, best: str) -> None:
    assert eightfold.identify(data)[0].form == best


def test_a_signature_comes_before_everything_and_then_evidence() -> None:
    found = eightfold.identify(b"\xef\xbb\xbf\xff\xff\xff")
    assert (found[0].form, found[0].well_formed, found[0].fault_count) == ("utf-8-sig", False, 3)
    rest = [each.evidence for each in found[1:] if each.form != "corrected-utf-8"]
    assert rest == sorted(rest, reverse=True)


def test_every_form_is_a_candidate() -> None:
    every = {found.form for mark in (b"", *MARKS) for found in eightfold.identify(mark + b"a\x00\x00\x00\xff\xfe\xc0")}
    assert every == {form.name for form in eightfold.forms()}


def test_forms_that_read_the_input_alike_come_the_narrowest_first() -> None:
    names = [each.form for each in eightfold.identify("zw\u00f6lf".encode())]
    assert names[:6] == ["utf-8", "cesu-8", "mutf-8", "wtf-8", "generalized-utf-8", "utf-8-rfc2044"]


def test_an_odd_length_is_a_fault_of_wide_forms_and_no_refusal() -> None:
    found = {each.form: each for each in eightfold.identify(b"abc")}
    assert (found["utf-16-le"].fault_count, found["utf-32-be"].fault_count) == (1, 1)
    text = "cut inside a unit".encode("utf-16-le")
    assert [eightfold.identify(text[:end])[0].form for end in (-1, None)] == ["utf-16-le", "utf-16-le"]


def test_corrected_utf_8_without_its_mark_comes_last_unless_nothing_else_fits() -> None:
    corrected = eightfold.encode("d\u00e9j\u00e0 vu, na\u00efve", "corrected-utf-8")
    assert eightfold.identify(corrected)[0].form == "corrected-utf-8"
    assert eightfold.identify(("d\u00e9j\u00e0 vu" * 5).encode() + b"\xc1\xa9")[0].form != "corrected-utf-8"


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
        assert (found.fault_count, found.well_formed) == (min(len(faults), FAULTS_COUNTED), not faults)
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


@pytest.mark.parametrize("cut", [0, 1, 500, 2_500])
def test_faults_are_counted_up_to_a_bound_wherever_the_input_is_cut(cut: int) -> None:
    data = b"\xff\xfe\xff" * FAULTS_COUNTED
    identifier = Identifier()
    identifier.feed(data[:cut])
    identifier.feed(data[cut:])
    found = identifier.finish()
    counts = {each.form: each.fault_count for each in found}
    assert counts["utf-8"] == counts["cesu-8"] == FAULTS_COUNTED
    assert counts["xtf-8"] == 0
    assert found == eightfold.identify(data)


def test_what_has_too_many_faults_is_looked_at_no_further(monkeypatch: pytest.MonkeyPatch) -> None:
    faults: Counter[str] = Counter()
    check = Checker.check

    def counted(checker: Checker, chunk: bytes, final: bool = False) -> list[Located]:
        found = check(checker, chunk, final)
        faults[checker.form.name] += len(found)
        return found

    monkeypatch.setattr(Checker, "check", counted)
    identifier = Identifier()
    identifier.feed(b"\xff" * 262_144)
    identifier.finish()
    # However long the input, and however much comes at once.
    assert faults["utf-8"] <= FAULTS_COUNTED + 1024
    assert max(faults.values()) <= FAULTS_COUNTED + 1024


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
        (b"plain\0text", "utf-8", True),
        (b"file\0name\0list\0", "utf-8", True),
        (b"file\x01name\x01list\x01", "utf-8", False),
        (b"p\0l\0a\0i\0n\0", "utf-8", False),
        (b"p\0l\0a\0i\0n\0", "utf-16-le", True),
        (b"p\0l\0a\0i\0n\0", "utf-16-be", False),
        (b"\xff\xfe" + "\u8a9e".encode("utf-16-le"), "utf-16", True),
        (b"na\xefve text, even length!", "utf-16-le", False),
        (b"na\xefve text, even length!", "wtf-16-be", False),
        ("\u8a9e\u6f22\n".encode("utf-16-le"), "utf-16-be", False),
        (("\u8a9e\u6f22\u9054" * 7 + "\n").encode("utf-16-le"), "utf-16-le", True),
        (("\u8a9e\u6f22\u9054" * 7 + "\n").encode("utf-16-le"), "utf-16-be", False),
        (("\u8a9e\u6f22\u9054" * 7 + "\n").encode("utf-16-be"), "utf-16-be", True),
        ("\u8a9e \0\u6f22".encode("utf-16-le"), "utf-16-le", False),
        ("caf\u00e9".encode("utf-16-le"), "utf-16-le", True),
        ("caf\u00e9".encode("utf-16-le"), "utf-16-be", False),
        (b"\x3d\xd8a\0\n\0 \0b\0", "wtf-16-le", True),
        (eightfold.encode("Кот спит. \ud83d " * 20, "wtf-16-le"), "wtf-16-le", True),
        ("\U0001f600\n".encode("utf-32-be"), "utf-32-be", True),
        ("\U0001f600\u8a9e".encode("utf-32-be"), "utf-32-be", True),
        ("\U0001f600\u8a9e".encode("utf-32-be"), "utf-32-le", False),
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


PLAIN_TEXTS = st.text(st.one_of(st.sampled_from([*map(chr, PLAIN)]), st.characters(min_codepoint=0x80, codec="utf-8")))


@given(PLAIN_TEXTS.map(str.encode), st.integers(1, 2000))
def test_the_best_candidate_for_plain_text_is_known_without_the_others(text: bytes, times: int) -> None:
    for data in (text, text * times):
        identifier = Identifier()
        identifier.feed(data)
        best = identifier.finish()[0]
        assert plain_text(data) == best
        assert identifier.tells(best)


@pytest.mark.parametrize("data", [b"\xe9 ", b"text \xff\n", b"\xed\xa0\xbd"])
def test_faults_that_are_not_counted_are_evidence_too(data: bytes) -> None:
    few, many = (eightfold.identify(data * (FAULTS_COUNTED * times // 10)) for times in (9, 100))
    evidence = {found.form: found.evidence for found in few}
    assert [found.evidence for found in many] == pytest.approx([evidence[found.form] for found in many], abs=0.05)


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_the_sample_begins_a_little_before_what_is_beyond_ascii(size: int) -> None:
    data, identifier = b"x" * 200 + b"caf\xe9 noir", Identifier()
    for start in range(0, len(data), size):
        identifier.feed(data[start : start + size])
    assert identifier.sample == data[203 - 64 :]


@given(
    st.binary() | st.text().map(str.encode) | st.sampled_from(["utf-16", "utf-8-sig", "utf-32-le"]).map("a\0é".encode)
)
def test_what_is_not_plain_text_has_no_candidate_without_the_others(data: bytes) -> None:
    found = plain_text(data)
    assert found is None or found == eightfold.identify(data)[0]


@pytest.mark.parametrize("data", [b"\0", b"a\x01", b"\x7f", b"\xff", b"\xef\xbb\xbfa", b"\xc2", b"\xff\xfea\0"])
def test_plain_text_has_neither_marks_nor_faults_nor_unlikely_controls(data: bytes) -> None:
    assert plain_text(data) is None


def test_no_form_of_bytes_gains_more_by_a_byte_than_utf_8() -> None:
    of_bytes = [each for each in eightfold.forms() if each.unit_bytes == 1 and each.name != "corrected-utf-8"]
    assert max(map(byte_bits, of_bytes)) == byte_bits(eightfold.form("utf-8"))


def test_next_to_no_evidence_is_written_without_a_sign() -> None:
    found = [str(each.evidence) for each in eightfold.identify(b"\xff" * 100_000)]
    assert "0.0" in found
    assert "-0.0" not in found
