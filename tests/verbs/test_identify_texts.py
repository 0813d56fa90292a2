"""Real text in twelve scripts, whole and damaged, cut at every length and in every form: a right form comes first.

A form is right if it decodes the undamaged bytes to the same text. By default some of the lengths are tried, others for
each script; ``EIGHTFOLD_EXHAUSTIVE=1`` tries them all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

import eightfold
from eightfold import ENGINE, Form, forms
from eightfold.evidence import legacy_charset
from eightfold.identify import FAULTS_COUNTED, Identifier

TEXTS = {path.stem: path.read_text("utf-8") for path in sorted((Path(__file__).parent / "texts").glob("*.txt"))}
LENGTHS = range(40, 401)
EXHAUSTIVE = bool(os.environ.get("EIGHTFOLD_EXHAUSTIVE"))
STRIDE = 1 if EXHAUSTIVE else 90
DAMAGES = ("none", "one bad byte", "one in 1000")
ASKED = 0.99
# Corrected UTF-8 without its magic number reads as UTF-8: nobody can tell them apart.
FORMS = [each for each in forms() if each.name != "corrected-utf-8"]


class Case(NamedTuple):
    script: str
    form: str
    damage: str
    length: int
    data: bytes
    right: frozenset[str]


def damaged(data: bytes, damage: str, chance: Random) -> bytes:
    wrong = bytearray(data)
    if damage == "one bad byte":
        wrong[chance.randrange(len(wrong))] = chance.randrange(0x80, 0x100)
    elif damage == "one in 1000":
        for at in range(len(wrong)):
            if chance.random() < 0.001:
                wrong[at] = chance.randrange(0x80, 0x100)
    return bytes(wrong)


def reading(data: bytes, text: str) -> frozenset[str]:
    """Return the forms that decode bytes to a text."""
    able = (each for each in forms() if eightfold.is_well_formed(data, each))
    return frozenset(each.name for each in able if eightfold.decode(data, each, "replace") == text)


def written(text: str, form: Form) -> bytes:
    try:
        return eightfold.encode(text, form)
    except eightfold.EncodeError:  # OPTU-8 has code points of the BMP alone.
        return b""


def cases() -> Iterator[Case]:
    for script, text in TEXTS.items():
        for form in FORMS:
            data = written(text, form)
            right = reading(data, text)
            for damage in DAMAGES:
                # The same bytes of several forms are damaged alike, so that they need be identified only once.
                first = LENGTHS.start + Random(f"{script} {damage}").randrange(STRIDE)
                for length in range(first, LENGTHS.stop, STRIDE):
                    cut = data[:length]
                    chance = Random(f"{script} {damage} {length}")
                    if cut:
                        yield Case(script, form.name, damage, length, damaged(cut, damage, chance), right)


@cache
def best(data: bytes) -> str:
    return eightfold.identify(data)[0].form


@cache
def tried() -> list[tuple[Case, bool]]:
    return [(case, best(case.data) in case.right) for case in cases()]


def share(found: list[bool]) -> float:
    return sum(found) / len(found)


def test_there_are_twelve_scripts_and_every_length() -> None:
    assert len(TEXTS) == 12
    assert all(len(written(text, form)) >= LENGTHS.stop for text in TEXTS.values() for form in FORMS[:1])
    assert len({case.form for case, _ in tried()}) == len(FORMS)
    if EXHAUSTIVE:
        assert {case.length for case, _ in tried()} == set(LENGTHS)


def test_a_right_form_comes_first_in_99_of_100() -> None:
    assert share([right for _, right in tried()]) >= ASKED


@pytest.mark.parametrize("damage", DAMAGES)
def test_so_it_does_whatever_the_damage(damage: str) -> None:
    assert share([right for case, right in tried() if case.damage == damage]) >= ASKED


@pytest.mark.parametrize("script", TEXTS)
def test_so_it_does_in_each_script(script: str) -> None:
    assert share([right for case, right in tried() if case.script == script]) >= ASKED - 0.01


@pytest.mark.parametrize("form", [each.name for each in FORMS])
def test_so_it_does_in_each_form(form: str) -> None:
    assert share([right for case, right in tried() if case.form == form]) >= ASKED - 0.04  # a mark may be damaged


def test_undamaged_text_is_always_identified_and_told() -> None:
    for case, right in tried():
        if case.damage == "none":
            assert right, case


# --- long text --------------------------------------------------------------------------------------------------------

LONG = 700_006 if ENGINE == "native" else 7_006


@pytest.mark.parametrize("script", TEXTS)
@pytest.mark.parametrize("longer", [0, 1])
@pytest.mark.parametrize("bad", [b"\xff", b"\xe9", b"\x80"])
def test_a_bad_byte_leaves_long_text_utf_8(script: str, longer: int, bad: bytes) -> None:
    if ENGINE != "native" and script not in ("latin", "chinese"):
        pytest.skip("the reference takes seconds for each")
    text = TEXTS[script].encode()
    times = LONG // len(text)
    data = text * (times // 2) + bad + text * times
    found = eightfold.identify(data[: LONG + longer])[0]
    assert (found.form, found.reads_as) == ("utf-8", "")
    assert 1 <= found.fault_count <= 4  # the end may cut a sequence


def test_ascii_with_a_bad_byte_is_utf_8_before_any_form_that_takes_every_byte() -> None:
    for length in (60, 61, 10_000, 10_001):
        data = (b"plain words " * 1000)[:length] + b"\xff"
        names = [found.form for found in eightfold.identify(data)]
        assert names[0] == "utf-8"
        assert names.index("xtf-8") > names.index("wtf-8")


def test_one_in_1000_is_bad_in_all_of_a_long_text() -> None:
    chance = Random(7)
    for script in ("latin", "cyrillic", "chinese"):
        text = TEXTS[script].encode()
        data = damaged((text * (LONG // len(text)))[:LONG], "one in 1000", chance)
        identifier = Identifier()
        identifier.feed(data)
        found = identifier.finish()[0]
        assert (found.form, identifier.tells(found)) == ("utf-8", True)
        assert 0 < found.fault_count <= FAULTS_COUNTED


# --- text of the charset that is not of the family --------------------------------------------------------------------

WESTERN = {
    "french": "Le fromage est délicieux, à Genève comme ailleurs; où êtes-vous né? Ça va très bien, merci.",
    "german": "Grüße aus Köln: schöne Straßen, Äpfel und über dreißig Brücken.",
    "spanish": "¿Dónde está el niño? Mañana comerá en la montaña, señor.",
    "swedish": "På ön växer små blå blommor, och ån är full av fisk.",
    "portuguese": "Não há razão: a ação começa amanhã às três.",
    "quotes": "He said \u201cnever\u201d \u2013 it\u2019s \u20ac5 \u2013 and left\u2026",
}


@pytest.mark.parametrize("name", WESTERN)
@pytest.mark.parametrize("longer", ["", " "])
def test_text_of_windows_1252_is_named(name: str, longer: str) -> None:
    found = eightfold.identify((WESTERN[name] + longer).encode("cp1252"))
    assert found[0].reads_as == "windows-1252"
    assert not found[0].well_formed


@pytest.mark.parametrize(
    "data",
    [b"the caf\xc9s here", b"some text and \xff here", b"a caf\xe9 with \x01 inside", b"one a\xa3b here", b"plain"],
)
def test_what_no_western_text_has_is_not_called_western(data: bytes) -> None:
    assert legacy_charset(data) == ""


@pytest.mark.parametrize("beyond", [1, 2, 5])
def test_a_charset_needs_two_letters_of_ascii_for_each_byte_beyond(beyond: int) -> None:
    ends = b" \xe9" * beyond
    assert legacy_charset(b"a" * (2 * beyond) + ends) == "windows-1252"
    assert legacy_charset(b"a" * (2 * beyond - 1) + ends) == ""


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Привет, мир: как дела сегодня?", "cp1251"),
        ("Привет, мир: как дела сегодня?", "koi8-r"),
        ("火星は太陽系の惑星である。", "shift_jis"),
        ("火星是太陽系的行星。", "gbk"),
        ("Καλημέρα κόσμε, τι κάνεις;", "cp1253"),
    ],
)
def test_text_of_other_charsets_is_not_called_western(text: str, charset: str) -> None:
    assert eightfold.identify(text.encode(charset))[0].reads_as == ""


def test_it_is_not_named_where_a_form_of_the_family_fits() -> None:
    for text in WESTERN.values():
        assert {found.reads_as for found in eightfold.identify(text.encode())} == {""}
    assert eightfold.identify(b"plain")[0].reads_as == ""
    assert eightfold.identify(bytes(range(256)))[0].reads_as == ""


IN_BYTES_OF_ASCII = (
    "नमस्ते दुनिया, आप कैसे हैं? ",
    "ਸਤਿ ਸ੍ਰੀ ਅਕਾਲ ਦੁਨੀਆ, ਤੁਸੀਂ ਕਿਵੇਂ ਹੋ? ",
    "నమస్కారం ప్రపంచం, మీరు ఎలా ఉన్నారు? ",
    "നമസ്കാരം ലോകം, സുഖമാണോ? ",
)


@pytest.mark.parametrize("form", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", IN_BYTES_OF_ASCII)
def test_scripts_whose_bytes_are_all_ascii_are_utf_16(text: str, form: str) -> None:
    data = eightfold.encode(text * 12, form)
    assert data.isascii()
    assert {eightfold.identify(data[:length])[0].form for length in range(40, len(data), 7)} == {form}


@pytest.mark.parametrize(
    "rows", ["\t\t\t\t\t\t\t\n", "name\tvalue\t\x0c\x01\n", "N\x08NA\x08AM\x08ME\x08E\n ls - list\n"]
)
def test_ascii_with_tabs_and_controls_is_not_utf_16(rows: str) -> None:
    assert eightfold.identify((rows * 100).encode())[0].form == "utf-8"
