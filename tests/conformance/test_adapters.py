"""The adapters, where the program is there; the recorded scoreboard and its page; the pages that describe both."""

from __future__ import annotations

import doctest
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KIT = ROOT / "conformance"
sys.path[:0] = [str(KIT), str(KIT / "adapters")]

import command_line  # noqa: E402
import eightfold_verbs  # noqa: E402
import record  # noqa: E402
from generator import answers, mutants, rules, vectors  # noqa: E402
from runner import as_markdown, judging, scores  # noqa: E402
from runner.adapters import adapters  # noqa: E402
from runner.as_markdown import literal  # noqa: E402
from runner.judging import judge, shown  # noqa: E402
from runner.program import Program  # noqa: E402
from runner.scores import asked, score, totals  # noqa: E402
from runner.vectors import Vector, manifest, read  # noqa: E402

ADAPTERS = adapters()
BOARD: dict[str, Any] = json.loads((KIT / "scoreboard.json").read_text(encoding="utf-8"))
RECORDED = {each["adapter"]: each for each in BOARD["programs"]}
TRIED = 3
"""Vectors of each operation and form that a test puts to an adapter."""


@cache
def vectors_by_id() -> dict[str, Vector]:
    return {vector["id"]: vector for vector in read([], [])}


def examples(name: str) -> list[dict[str, Any]]:
    rows = [row for rules in RECORDED[name]["forms"].values() for row in rules.values()]
    return [row["example"] for row in rows if "example" in row]


def some_vectors(name: str) -> list[Vector]:
    """Return a few vectors of each operation of each form that the program has, and one that it has not."""
    chosen, counts = [], dict[tuple[str, str], int]()
    for vector in vectors_by_id().values():
        kind = vector["form"], vector["op"]
        counts[kind] = counts.get(kind, 0) + 1
        if vector["form"] in RECORDED[name]["forms"] and counts[kind] <= TRIED:
            chosen.append(vector)
    return [*chosen, next(vector for vector in vectors_by_id().values() if vector["op"] == "faults")]


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_answers_as_recorded(name: str) -> None:
    adapter = ADAPTERS[name]
    if adapter.missing():
        pytest.skip(f"{name}: {adapter.missing()}")
    with Program(adapter.command) as program:
        counts = totals(score(program, some_vectors(name)))
        assert counts["broken"] == 0
        assert counts["passed"] > 0
        assert program.name.partition(" (")[0] == RECORDED[name]["name"].partition(" (")[0]
        if program.version == RECORDED[name]["version"]:
            for example in examples(name):
                assert shown(program.ask(asked(vectors_by_id()[example["id"]]))) == example["got"]


@pytest.mark.parametrize(
    "module",
    [answers, mutants, rules, vectors, judging, scores, as_markdown, command_line],
    ids=lambda each: each.__name__,
)
def test_the_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


# --- the record -------------------------------------------------------------------------------------------------------


def test_every_adapter_is_recorded_and_has_a_note() -> None:
    notes = json.loads((KIT / "notes.json").read_text(encoding="utf-8"))
    assert list(RECORDED) == list(ADAPTERS) == list(notes)
    assert len(RECORDED) - 1 >= 12
    assert all(each["note"] == notes[name] for name, each in RECORDED.items())
    assert BOARD["vectors"] == manifest()["version"]


def test_what_was_recorded_is_of_these_vectors() -> None:
    for name, each in RECORDED.items():
        assert totals(each["forms"])["broken"] == 0
        for example in examples(name):
            assert shown(vectors_by_id()[example["id"]]["expect"]) == example["expected"]
    assert totals(RECORDED["eightfold"]["forms"])["failed"] == 0


def test_every_vector_of_the_unicode_forms_is_confirmed() -> None:
    for form, counts in BOARD["confirmed"].items():
        listed = [vector for vector in vectors_by_id().values() if vector["form"] == form and vector["op"] != "faults"]
        assert counts["vectors"] == len(listed)
        if form in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
            assert counts["confirmed"] == counts["vectors"]


def test_the_page_is_what_was_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["record.py", "--check"])
    assert record.main() == 0
    changed = tmp_path / "scoreboard.json"
    changed.write_text(json.dumps({**BOARD, "vectors": "9.9.9"}), encoding="utf-8")
    monkeypatch.setattr(record, "BOARD", changed)
    assert record.main() == 1
    assert "run record.py" in capsys.readouterr().err


def test_each_broken_rule_links_to_what_it_says() -> None:
    page = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(\.\./conformance/RULES\.md#([a-z-]+)\)", page))
    titles = set(re.findall(r"^## ([a-z-]+)$", (KIT / "RULES.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert linked
    assert linked <= titles
    assert all(literal(example["got"]) in page for name in RECORDED for example in examples(name))


def test_what_is_recorded_leaves_out_what_was_not_asked() -> None:
    board = record.board_of([ADAPTERS["python-codecs"]], read(["utf-8", "optu-8"], ["decode"]))
    (program,) = board["programs"]
    assert list(program["forms"]) == ["utf-8"]
    assert program["not asked"] >= board["confirmed"]["optu-8"]["vectors"]
    assert board["confirmed"]["optu-8"]["confirmed"] == 0
    assert board["confirmed"]["utf-8"]["confirmed"] == board["confirmed"]["utf-8"]["vectors"]


# --- the pages --------------------------------------------------------------------------------------------------------


def test_the_protocol_s_examples_are_right() -> None:
    page = (KIT / "PROTOCOL.md").read_text(encoding="utf-8")
    pairs = re.findall(r"^(\{.*\})\n    (\{.*\})$", page, re.MULTILINE)
    assert len(pairs) == 9
    for question, answer in ((json.loads(one), json.loads(other)) for one, other in pairs[1:]):
        if "unsupported" in answer:
            continue
        vector = {**question, "expect": answer, "rule": "example"}
        verdicts = list(judge(vector, eightfold_verbs.answer(question)))
        assert {verdict.outcome for verdict in verdicts} == {"passed"}, (question, verdicts)


def test_the_how_to_s_adapter_prints_what_the_how_to_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "how-to" / "conformance.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    script, transcript = re.findall(r"^```(?:python|text)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[:2]
    exec(script, {})
    command, _, printed = transcript.partition("\n")
    assert command == "$ python conformance/run.py --form utf-8 -- python adapter.py"
    run = [sys.executable, str(KIT / "run.py"), "--form", "utf-8", "--", sys.executable, "adapter.py"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{printed}\n"
    assert f"for {len(RECORDED)} implementations" in page
    assert len(vectors_by_id()) // 100 * 100 == int(re.findall(r"([\d,]+) vectors", page)[0].replace(",", ""))
