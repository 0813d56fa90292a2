"""What other programs make of bytes: CPython here and now, and Java from the record, which the vectors confirm."""

from __future__ import annotations

import sys

import pytest

from eightfold import form
from eightfold.web.peers import java_results, python_results
from support.foreign_programs import SOURCES, answers, needs
from support.java_results import inputs, program, questions, recorded
from support.vector_files import lines


def test_python_is_asked_now() -> None:
    utf_8, wide = python_results(b"\xff\xfe\x00\xd8", form("utf-16-le"))
    assert utf_8["program"].endswith(sys.version.partition(" ")[0])
    assert (utf_8["title"], utf_8["ok"], utf_8["start"], utf_8["end"]) == ("utf-8", False, 0, 1)
    assert (wide["title"], wide["reason"], wide["points"]) == ("utf-16-le", "unexpected end of data", [0xFEFF, 0xFFFD])


def test_the_record_agrees_with_the_vectors() -> None:
    found = recorded()
    assert found["program"] == "Java 17.0.15"
    utf_8, cesu_8, mutf_8 = (
        {line["in"].upper(): line for line in lines(name)}
        for name in ("utf8_decode_consensus", "cesu8_decode", "mutf8_decode")
    )
    count = 0
    for data, line in utf_8.items():
        ours, theirs, stream = found["results"][data]
        assert ours[:2] == [line["ok"], line.get("java17_replace_u16", line["replace_u16"])], data
        if data in cesu_8:
            assert theirs[:2] == [cesu_8[data]["ok"], cesu_8[data]["java17_replace_u16"]], data
        assert stream[0] is mutf_8[data]["ok"], data
        assert stream[1] == mutf_8[data].get("u16", ""), data
        count += 1
    assert count == 1125


@needs("java", 17, flag="-version")
def test_java_still_gives_what_is_recorded() -> None:
    found = recorded()
    if program() != found["program"]:
        pytest.skip(f"this is {program()}, and the record is of {found['program']}")
    some = inputs()[::997]
    given = answers(["java", str(SOURCES / "Text.java")], [each for data in some for each in questions(data)])
    for data in some:
        strict = given[questions(data)[0]]
        assert found["results"][data][0][0] is not strict.startswith("refused"), data
        assert found["results"][data][0][1] == given[questions(data)[1]], data


def test_every_input_is_recorded() -> None:
    assert list(recorded()["results"]) == inputs()


def test_nothing_is_inferred() -> None:
    assert java_results(b"\xed\xa0\xbd and more") == []
    utf_8, cesu_8, stream = java_results(b"\xed\xa0\xbd")
    assert (utf_8["ok"], utf_8["points"], utf_8["reason"]) == (False, [0xFFFD], "malformed input at byte 0")
    assert [(each["ok"], each["points"]) for each in (cesu_8, stream)] == [(True, [0xD83D])] * 2
