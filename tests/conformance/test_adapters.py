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
from runner.adapters import Adapter, adapters  # noqa: E402
from runner.as_markdown import literal  # noqa: E402
from runner.judging import judge, shown  # noqa: E402
from runner.program import Program  # noqa: E402
from runner.scores import asked, score, totals  # noqa: E402
from runner.vectors import Vector, manifest, read  # noqa: E402

ADAPTERS = adapters()
BOARD: dict[str, Any] = json.loads((KIT / "scoreboard.json").read_text(encoding="utf-8"))
RECORDED = {each["adapter"]: each for each in BOARD["programs"]}
SECONDS = 120
"""The time for an answer; the machine may be busy."""


@cache
def vectors_by_id() -> dict[str, Vector]:
    return {vector["id"]: vector for vector in read([], [])}


def examples(name: str) -> list[dict[str, Any]]:
    rows = [row for rules in RECORDED[name]["forms"].values() for row in rules.values()]
    return [row["example"] for row in rows if "example" in row]


def some_vectors(name: str) -> list[Vector]:
    """Return the first, a middle and the last vector of each operation of each form that the program has."""
    kinds: dict[tuple[str, str], list[Vector]] = {}
    for vector in vectors_by_id().values():
        if vector["form"] in RECORDED[name]["forms"]:
            kinds.setdefault((vector["form"], vector["op"]), []).append(vector)
    return [found[place] for found in kinds.values() for place in (0, len(found) // 2, -1)]


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_answers_as_recorded(name: str) -> None:
    adapter = ADAPTERS[name]
    if adapter.missing():
        pytest.skip(f"{name}: {adapter.missing()}")
    with Program(adapter.command, timeout=SECONDS, start_timeout=SECONDS) as program:
        scores = score(program, some_vectors(name))
        counts = totals(scores)
        assert counts["broken"] == 0
        assert counts["passed"] > 0
        assert program.name.partition(" (")[0] == RECORDED[name]["name"].partition(" (")[0]
        if program.version == RECORDED[name]["version"]:
            for form, rules in scores.items():
                for rule, row in rules.items():
                    assert row["failed"] <= RECORDED[name]["forms"][form].get(rule, row)["failed"], (form, rule)
            for example in examples(name):
                assert shown(program.ask(asked(vectors_by_id()[example["id"]]))) == example["got"]


@pytest.mark.parametrize(
    "module",
    [answers, mutants, rules, vectors, judging, scores, as_markdown, command_line],
    ids=lambda each: each.__name__,
)
def test_the_examples_in_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    absent = Adapter("mine", "", ("x",), programs=("no-such-program",))
    assert absent.missing() == "no-such-program is not installed"
    unmade = Adapter("mine", "", ("x",), made=str(tmp_path / "none"))
    assert unmade.missing() == "not set up: python conformance/run.py --setup mine"
    tmp_path.joinpath("none").touch()
    assert unmade.missing() == ""


def test_a_setup_that_fails_is_said() -> None:
    script = "import sys; sys.exit('no compiler')"
    failing = Adapter("mine", "", ("x",), setup=((sys.executable, "-c", script),))
    assert "ended with status 1:\nno compiler" in failing.set_up()
    assert "No such file" in Adapter("mine", "", ("x",), setup=(("/no/such/program",),)).set_up()
    assert Adapter("mine", "", ("x",), setup=((sys.executable, "-c", ""),)).set_up() == ""


def test_an_adapter_that_is_not_set_up_is_wrong_use(tmp_path: Path) -> None:
    run = [sys.executable, str(KIT / "run.py"), "--work", str(tmp_path), "--adapter", "npm-wtf-8"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "npm-wtf-8: " in done.stderr


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
    script, transcript = re.findall(r"^```(?:python|text)\n((?:ADAPTER|\$ ).*?)^```$", page, re.MULTILINE | re.DOTALL)[
        :2
    ]
    exec(script, {})
    command, _, printed = transcript.partition("\n")
    assert command == "$ python conformance/run.py --form utf-8 -- python adapter.py"
    run = [sys.executable, str(KIT / "run.py"), "--form", "utf-8", "--", sys.executable, "adapter.py"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300)
    assert done.stdout == f"{printed}\n"
    assert f"for {len(RECORDED)} implementations" in page
    assert len(vectors_by_id()) // 100 * 100 == int(re.findall(r"([\d,]+) vectors", page)[0].replace(",", ""))
