"""The fast engines against the reference over whole inputs: verbs, policies, padding, cuts, and all of Unicode.

That each sequence is read alike is shown in `test_parity_sequences`; here are the loops over them, the UTF-8 path that
passes over whole chunks, the kinds of str that come out, and the way from one piece of a stream to the next.
"""

from __future__ import annotations

import codecs
import random
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eightfold
import eightfold.reference
from eightfold import Form, Row, pieces
from eightfold._engine import CORE
from support.both_engines import outcome, same
from support.byte_classes import neighbours, strings
from support.engines import COMPARED, FAST, REFERENCE

pytestmark = pytest.mark.skipif(not COMPARED, reason="the reference is the engine: there is nothing to compare")
TWINS = REFERENCE.verbs

TAIL = (0x80, 0xBF)
OWN = (
    Form("moved-ascii", [Row(0x00, 0x60, (0x00, 0x60)), Row(0x61, 0x6D, (0x6E, 0x7A)), Row(0x6E, 0x7A, (0x61, 0x6D))]),
    Form(
        "no-supplementary",
        [
            Row(0, 0x7F, (0, 0x7F)),
            Row(0x80, 0x7FF, (0xC2, 0xDF), TAIL),
            Row(0x800, 0xFFF, 0xE0, (0xA0, 0xBF), TAIL),
            Row(0x1000, 0xFFFF, (0xE1, 0xEF), TAIL, TAIL),
        ],
    ),
)
"""Forms as users build them, which part from UTF-8 where no form of the family does."""
FORMS = (*eightfold.forms(), *OWN)
POLICIES = (
    *("strict", "replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace", "namereplace"),
    *("xmlcharrefreplace", "escape", "private-use", "java", "parity-answers", "parity-jumps"),
)
every_form = pytest.mark.parametrize("form", FORMS, ids=str)


def _answers(error: Any) -> tuple[str, int]:
    return f"<{error.start}>", error.end


def _jumps(error: Any) -> tuple[str, int]:
    """Go on one unit before the end where that goes on at all, and swap the object once."""
    if isinstance(error, UnicodeDecodeError) and len(error.object) < 40:
        error.object = error.object + b"a" * 40
    return "?", max(error.start + 1, error.end - 1)


codecs.register_error("parity-answers", _answers)
codecs.register_error("parity-jumps", _jumps)


def sample(every: list[Any], count: int, seed: str) -> list[Any]:
    return random.Random(seed).sample(every, min(count, len(every)))


def inputs(form: Form) -> Iterator[bytes]:
    yield from strings(form, 2)
    yield from neighbours(form)


@every_form
def test_the_verbs_on_short_inputs(form: Form) -> None:
    for data in inputs(form):
        same("faults", data, form)
        same("is_well_formed", data, form)
        same("decode", data, form)
        same("decode_code_points", data, form, "replace")


@pytest.mark.parametrize("policy", POLICIES)
@every_form
def test_every_policy_on_decoding(form: Form, policy: str) -> None:
    for data in sample(list(inputs(form)), 100, form.name):
        same("decode", data, form, policy)
        same("decode_code_points", data, form, policy)


@pytest.mark.parametrize("policy", ["replace", "ignore", "surrogateescape", "backslashreplace"])
@every_form
def test_faults_in_ascii(form: Form, policy: str) -> None:
    """What is nearly ASCII may be written in one pass, in more memory than it needs at the end."""
    for number, data in enumerate(sample(list(inputs(form)), 25, f"nearly {form.name}")):
        far = ((1000 + number, 9),) if number % 5 == 0 else ()
        for before, after in ((0, number), (number, 0), (64 + number, 0), (64 + number, 70), *far):
            text = same("decode", b"a" * before + data + b"b" * after, form, policy)
            if isinstance(text, str) and len(text) > 1:  # CPython keeps one str for each character of Latin-1
                again = "".join(list(text))
                assert (sys.getsizeof(text), hash(text)) == (sys.getsizeof(again), hash(again))


@pytest.mark.parametrize("policy", ["replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace"])
@pytest.mark.parametrize("form", ["utf-8", "wtf-8", "cesu-8", "corrected-utf-8", "xtf-8", "utf-16-le"])
def test_any_number_of_faults_in_ascii(form: str, policy: str) -> None:
    """A few faults in a short text are answered as they are met, more of them in blocks."""
    for length in (16, 64, 1024, 1025, 1500):
        for faults in (0, 1, 2, 15, 31, 32, 33, 34, length // 3):
            data = bytearray(b"a" * length)
            for place in random.Random(faults).sample(range(length), min(faults, length)):
                data[place] = 0x80 + place % 0x80
            # By the short way where there is one, and by the general one.
            assert same("decode", bytes(data), form, policy) == outcome(eightfold.decode, data, form, policy)


def texts(form: Form) -> Iterator[str]:
    edges = {0, 0x41, 0x7F, 0x80, 0xFF, 0x100, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDC80, 0xDFFF, 0xE000, 0xFFFF, 0x10000}
    edges.update(edge for row in form.rows for edge in (row.first, row.last))
    points = sorted(edge for edge in edges if edge <= 0x10FFFF)
    yield from map(chr, points)
    yield from (chr(one) + chr(other) for one in points for other in points)
    surrogates = "\ud83d\ude00"
    yield from (f"{chr(one)}{chosen}a" for one in points for chosen in (surrogates, surrogates[::-1], surrogates * 2))


@pytest.mark.parametrize("policy", POLICIES)
@every_form
def test_every_policy_on_encoding(form: Form, policy: str) -> None:
    every = list(texts(form))
    for text in every if policy == "strict" else sample(every, 100, form.name):
        same("encode", text, form, policy)
        same("is_encodable", text, form)
        same("encode_faults", text, form)
        same("encode_code_points", list(map(ord, text)), form, policy)


LONG = Form("long", [Row(0, 0x7F, (0, 0x7F)), Row(0x80, 0xFF, 0xC0, *[0x80] * 40, (0x80, 0xFF))])


@pytest.mark.parametrize(
    "policy", ["strict", "replace", "ignore", "surrogateescape", "surrogatepass", "backslashreplace"]
)
@pytest.mark.parametrize("form", ["utf-8", "cesu-8", "utf-8-rfc2044", "utf-32-le", LONG], ids=str)
def test_texts_about_as_long_as_the_room_of_short_ones(form: str | Form, policy: str) -> None:
    """What is short enough is written to memory of its own first: 8 KiB, whatever a code point takes."""
    for most, more in product((4, 6, 10, 40, 42, 420), (-1, 0, 1)):
        for character in ("a", "\x80", "\udc80", "\ud800", "\U0001f600"):
            expected, count = outcome(TWINS["encode"], character, form, policy), 8192 // most + more
            if isinstance(expected, bytes):
                for encode in (each.verbs["encode"] for each in FAST if each.verbs):
                    assert encode(character * count, form, policy) == expected * count
            else:
                same("encode", character * count, form, policy)


@pytest.mark.parametrize("policy", POLICIES)
@every_form
def test_conversions(form: Form, policy: str) -> None:
    every = list(inputs(form))
    for target in FORMS:
        for data in sample(every, 8, f"{form.name} {target.name} {policy}"):
            same("convert", data, form, target, policy)


@every_form
def test_conversions_of_ascii(form: Form) -> None:
    """Text of ASCII alone is written as it stands, unless a form has other bytes for it or more stands at its end."""
    for text in ("a" * 130, "a" * 130 + "é", "a\0" * 65):
        if eightfold.is_encodable(text, form):
            data = TWINS["encode"](text, form)
            for target in FORMS:
                same("convert", data, form, target, "strict")


def cases(form: Form) -> list[bytes]:
    """Return one case for each end of a row and for each row of faults, whole and cut short."""
    found = []
    for entry in (*form.rows, *form.units, *form.names):
        for pick in (0, 1):
            units = [bounds[pick].to_bytes(form.unit_bytes, form.byte_order) for bounds in entry.unit_ranges]
            found.extend([b"".join(units), b"".join(units[:-1])])
    return sorted(set(found))


@every_form
def test_padding_changes_nothing_but_the_place(form: Form) -> None:
    plain = form.signatures[0].form if form.signatures else form
    pad = TWINS["encode"]("a", plain)
    for case in cases(plain):
        expected = outcome(TWINS["decode"], pad + case + pad * 8, plain, "backslashreplace")
        at_end = outcome(TWINS["decode"], pad + case, plain, "backslashreplace")
        for count in range(129):
            before = "a" * count
            for after, answer in ((8, expected), (8 + count, expected), (0, at_end)):
                found = outcome(eightfold.decode, pad * (count + 1) + case + pad * after, plain, "backslashreplace")
                if isinstance(answer, str):
                    assert found == before + answer + "a" * (after - 8), (case, count, after)
                else:
                    assert found[0] is answer[0]
                    assert found[2]["start"] == answer[2]["start"] + count * len(pad)
                    assert found[2]["end"] == answer[2]["end"] + count * len(pad)


def in_two_pieces(engine: Any, form: Form, policy: str, data: bytes, cut: int) -> tuple[Any, ...]:
    chosen = 1 if form.signatures else 0
    head, held, in_run = engine(form, policy, data[:cut], 0, chosen, False, False)
    return head, held, in_run, engine(form, policy, held + data[cut:], 0, chosen, in_run, True)


@pytest.mark.parametrize("policy", ["replace", "surrogatepass", "parity-answers"])
@every_form
def test_every_cut(form: Form, policy: str) -> None:
    """A stream gives the same text and holds back the same bytes after each piece."""
    if form.variant(policy) or policy in form.refuses:
        policy = "replace"
    plain = form.signatures[0].form if form.signatures else form
    pad = TWINS["encode"]("a", plain)
    for case in cases(plain):
        data = pad * 2 + case + pad
        for cut in range(len(data) + 1):
            expected = outcome(in_two_pieces, REFERENCE.passes["decoded_piece"], form, policy, data, cut)
            for engine in FAST:
                found = outcome(in_two_pieces, engine.passes["decoded_piece"], form, policy, data, cut)
                assert found == expected, ascii((engine.name, data, cut))


UTF_8, SIGNED = eightfold.form("utf-8"), eightfold.form("utf-8-sig")


@pytest.mark.skipif(CORE is None, reason="only the core has a short way")
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("decoded_piece", (UTF_8, "strict", b"caf\xc3", 0, 0, False, False)),
        ("decoded_piece", (UTF_8, "strict", b"caf\xc3", 0, 0, False, True)),
        ("decoded_piece", (UTF_8, "replace", b"caf\xc3", 0, 0, False, True)),
        ("decoded_piece", (UTF_8, "strict", b"\xc3caf", 1, 0, False, True)),
        ("decoded_piece", (UTF_8, "strict", bytearray(b"caf"), 0, 0, False, False)),
        ("decoded_piece", (UTF_8, "strict", b"caf", 0, 0, 0, 1)),
        ("decoded_piece", (UTF_8, 3, b"caf", 0, 0, False, False)),
        ("decoded_piece", (SIGNED, "strict", b"\xef\xbb\xbfcaf\xc3", 3, 1, False, False)),
        ("decoded_piece", (eightfold.form("corrected-utf-8"), "replace", b"\x80\x80a", 0, 0, True, False)),
        ("encoded_piece", (UTF_8, "strict", "café")),
        ("encoded_piece", (UTF_8, "ignore", "caf\ud800")),
        ("encoded_piece", (UTF_8, "strict", "caf\ud800")),
        ("encoded_piece", (UTF_8, "strict", b"caf")),
        ("encoded_piece", (SIGNED, "strict", "café")),
    ],
)
def test_the_short_way_of_a_piece_takes_what_the_general_one_takes(name: str, given: tuple[object, ...]) -> None:
    assert outcome(getattr(pieces, name), *given) == outcome(getattr(CORE, name), *given)


@every_form
def test_every_cut_of_a_check_and_a_conversion(form: Form) -> None:
    plain = form.signatures[0].form if form.signatures else form
    pad = TWINS["encode"]("\n", plain)
    for case in cases(plain):
        data = pad + case + pad
        expected = [fault.start for fault in TWINS["faults"](data, plain)]
        whole = TWINS["convert"](data, plain, "wtf-8", "replace") if "replace" not in plain.refuses else b""
        for cut in range(len(data) + 1):
            checker = eightfold.Checker(plain)
            found = checker.check(data[:cut]) + checker.check(data[cut:], final=True)
            assert [each.fault.start for each in found] == expected, (data, cut)
            converter = eightfold.Converter(plain, "wtf-8", "replace")
            assert converter.convert(data[:cut]) + converter.convert(data[cut:], final=True) == whole, (data, cut)


ALPHABETS = (
    st.characters(max_codepoint=0x7F),
    st.characters(max_codepoint=0x7FF),
    st.characters(),
    st.characters(min_codepoint=0xD7F0, max_codepoint=0xE00F, categories=("Cs", "Co", "Lo", "Cn")),
    st.characters(min_codepoint=0xEF70, max_codepoint=0xF010),
    st.sampled_from("\0aé漢😀\ud83d\ude00\uef80\uffff\x85"),
)
long_texts = st.lists(st.one_of(*(st.text(alphabet, max_size=100) for alphabet in ALPHABETS)), max_size=6).map("".join)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(text=long_texts, junk=st.binary(max_size=5), at=st.integers(0, 600), policy=st.sampled_from(POLICIES))
@every_form
def test_long_inputs(form: Form, text: str, junk: bytes, at: int, policy: str) -> None:
    same("encode", text, form)
    written = same("encode", text, form, policy)
    data = written if isinstance(written, bytes) else text.encode("utf-8", "surrogatepass")
    dirty = data[:at] + junk + data[at:]
    for given_bytes in (data, dirty):
        decoded = same("decode", given_bytes, form, policy)
        same("faults", given_bytes, form)
        same("convert", given_bytes, form, "wtf-8", policy)
        if isinstance(decoded, str):
            assert_kind_is_exact(decoded)


def assert_kind_is_exact(text: str) -> None:
    interpreters = "".join(list(text))
    assert text == interpreters
    assert hash(text) == hash(interpreters)
    assert sys.getsizeof(text) == sys.getsizeof(interpreters)


@pytest.mark.parametrize("policy", ["strict", "replace"])
@every_form
def test_chunks_and_their_borders(form: Form, policy: str) -> None:
    """Long runs of one script with a stranger near each border of the core's chunks (8,192 and 16,384 bytes)."""
    for filler in ("a", "é", "漢", "😀"):
        if not eightfold.is_encodable(filler, form):
            continue
        for length in (8192, 16384):
            unit = len(TWINS["encode"](filler, form.signatures[0].form if form.signatures else form))
            for shift in (-2, -1, 0, 1):
                count = length // unit + shift
                for stranger in ("", "\0", "é", "\ud800", "😀", "\uef80"):
                    text = filler * count + stranger + filler * 40
                    expected = (
                        TWINS["encode"](stranger, form, policy) if eightfold.is_encodable(stranger, form) else b""
                    )
                    if not expected:
                        continue
                    data = eightfold.encode(text, form, policy)
                    decoded = eightfold.decode(data, form, policy)
                    if form.name not in ("xtf-8", "optu-8"):
                        assert decoded == text
                    assert_kind_is_exact(decoded)


def blocks(form: Form) -> list[int]:
    """Return where 1,024 code points begin: of a form of a user's all, else those in which a row begins or ends, the
    surrogates, and one in eight more.
    """
    if form in OWN:
        return list(range(0, 0x110000, 0x400))
    edges = {edge + step for row in form.rows for edge in (row.first, row.last) for step in (-1, 0, 1)}
    near = {edge // 0x400 for edge in edges if 0 <= edge < 0x110000}
    return sorted(block * 0x400 for block in {*near, *range(0xD800 // 0x400, 0xE400 // 0x400), *range(0, 0x440, 8)})


@every_form
def test_code_points_both_ways(form: Form) -> None:
    """Of the family each is in `test_exhaustive_code_points` or `test_against_cpython_code_points`."""
    plain = form.signatures[0].form if form.signatures else form
    write = eightfold.reference.encoded
    for start in blocks(plain):
        points = range(start, start + 0x400)
        parts = {point: part for point in points if (part := write(plain, point)) is not None}
        text = "".join(map(chr, parts))
        # Leads are followed by leads and trails by trails here: nothing is a pair.
        data = b"".join(parts.values())
        assert eightfold.encode(text, plain) == data, hex(start)
        assert len(parts) == 0x400 or not eightfold.is_encodable("".join(map(chr, points)), plain)
        if plain.name not in ("xtf-8", "optu-8") or start != 0xEC00:
            # A comparison that fails shows its operands, and not every reporter can print a surrogate.
            assert bool(eightfold.decode(data, plain) == text), hex(start)
    if plain.cpython_reasons:
        every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
        assert eightfold.encode(every, plain) == every.encode(plain.name)
        assert eightfold.decode(every.encode(plain.name), plain) == every


@pytest.mark.parametrize("name", ["utf-8-rfc2044", "corrected-utf-8"])
def test_code_points_beyond_unicode(name: str) -> None:
    form = eightfold.form(name)
    chance = random.Random(1)
    edges = [edge + step for row in form.rows for edge in (row.first, row.last) for step in (-1, 0, 1)]
    points = [*edges, *(chance.randrange(form.rows[-1].last + 1) for _ in range(2000))]
    same("encode_code_points", [max(0, point) for point in points], form, "ignore")
    same("encode_code_points", [max(0, point) for point in points], form, "replace")
    data = eightfold.encode_code_points(points, form, "ignore")
    same("decode_code_points", data, form)
    same("decode", data, form, "replace")
    for point in points:
        same("encode_code_points", [97, point, 98], form)
