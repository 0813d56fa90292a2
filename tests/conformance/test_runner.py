"""The runner: it needs no package, survives any program, counts what is not asked as such, and escapes what is said."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

KIT = Path(__file__).parents[2] / "conformance"
sys.path.insert(0, str(KIT))

from runner.as_html import html  # noqa: E402
from runner.as_text import text  # noqa: E402
from runner.judging import judge, shown  # noqa: E402
from runner.program import RESTARTS, Broken, Program  # noqa: E402
from runner.scores import entry, score, totals  # noqa: E402
from runner.vectors import read  # noqa: E402

PROGRAM = str(Path(__file__).with_name("programs.py"))
VECTOR = {"id": "x", "form": "utf-8", "op": "decode", "input": "41", "expect": {"code_points": "41"}, "rule": "rows"}
REFUSED = {**VECTOR, "input": "FF", "expect": {"error": [0, 1]}, "rule": "invalid-byte"}


def program(way: str, timeout: float = 20) -> Program:
    return Program([sys.executable, PROGRAM, way], timeout=timeout)


def outcomes(way: str, *vectors: dict[str, Any], timeout: float = 20) -> dict[str, int]:
    with program(way, timeout) as asked:
        return totals(score(asked, vectors or (VECTOR,)))


def run(*arguments: str, isolated: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the kit as a user does, by a Python that has no packages."""
    options = ["-I", "-S"] if isolated else []
    command = [sys.executable, *options, str(KIT / "run.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


# --- programs that answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "outcome"),
    [("right", "passed"), ("lower-case", "passed"), ("wrong", "failed"), ("unsupported", "not asked")],
)
def test_an_answer_is_judged(way: str, outcome: str) -> None:
    assert outcomes(way) == {"passed": 0, "failed": 0, "broken": 0, "not asked": 0, outcome: 1}


def test_an_error_counts_where_it_is_told_where() -> None:
    def judged(answer: dict[str, Any]) -> list[tuple[str, str]]:
        return [(verdict.rule, verdict.outcome) for verdict in judge(REFUSED, answer)]

    assert judged({"error": [0, 1]}) == [("invalid-byte", "passed"), ("position", "passed")]
    assert judged({"error": [0]}) == [("invalid-byte", "passed"), ("position", "passed")]
    assert judged({"error": [1]}) == [("invalid-byte", "passed"), ("position", "failed")]
    assert judged({"error": [0, 2]}) == [("invalid-byte", "passed"), ("position", "failed")]
    assert judged({"error": []}) == [("invalid-byte", "passed"), ("position", "not asked")]
    assert judged({"code_points": "FFFD"}) == [("invalid-byte", "failed")]
    assert judged({"unsupported": True}) == [("invalid-byte", "not asked"), ("position", "not asked")]


def test_faults_may_be_told_in_part() -> None:
    vector = {**VECTOR, "op": "faults", "expect": {"faults": [[0, 2, "overlong", "2F"]]}, "rule": "diagnosis"}

    def outcome(faults: list[Any]) -> str:
        (verdict,) = judge(vector, {"faults": faults})
        return verdict.outcome

    assert outcome([[0, 2, "overlong", "2f"]]) == outcome([[0, 2]]) == outcome([[0, 2, "overlong"]]) == "passed"
    assert outcome([[0, 2, "overlong", None]]) == outcome([[0, 1], [1, 2]]) == outcome([]) == "failed"
    assert outcome([[0, 2, "truncated"]]) == "failed"


NO_ANSWERS = [
    '{"faults": [5]}',
    '{"faults": {}}',
    '{"faults": ""}',
    '{"faults": [[0, 1, "overlong", "+2F"]]}',
    '{"faults": [[0, 1, "overlong", 5]]}',
    '{"error": ["\\u001b[31m", 1]}',
    '{"error": [1, "\\ud800"]}',
    '{"error": {}}',
    '{"code_points": []}',
    '{"code_points": "+41"}',
    '{"code_points": "4_1"}',
    '{"code_points": "0x41"}',
    '{"code_points": "-41"}',
    '{"code_points": "\\u0664\\u0661"}',
    '{"code_points": "41\\n"}',
    '{"code_points": "41  41"}',
    '{"unsupported": false}',
    '{"unsupported": null}',
    '{"unsupported": []}',
    *(
        f'{{"{key}": {"[" * deep}{"]" * deep}}}'
        for key in ("error", "faults", "unsupported")
        for deep in range(50, 951, 50)
    ),
]


@pytest.mark.parametrize("line", NO_ANSWERS, ids=range(len(NO_ANSWERS)))
def test_what_is_no_answer_is_broken_and_can_be_printed(line: str) -> None:
    answer = json.loads(line)
    with pytest.raises(Broken, match="not an answer: ") as broken:
        list(judge(VECTOR, answer))
    assert str(broken.value).isprintable()
    assert len(str(broken.value)) < 300
    for told in (shown(answer), shown({"code_points": "41", **answer}), shown({"faults": [], **answer})):
        assert told.isprintable()


def test_a_program_may_say_what_it_does_not_support() -> None:
    for said in (True, "", "why"):
        assert [verdict.outcome for verdict in judge(VECTOR, {"unsupported": said})] == ["not asked"]


# --- programs that do not ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("garbage", "not an answer in JSON: Segmentation fault <b>"),
        ("list", "not a JSON object"),
        ("empty-object", "not an answer"),
        ("two-answers", "not an answer"),
        ("float", "not an answer"),
        ("negative", "not an answer"),
        ("bool", "not an answer"),
        ("number", "not an answer"),
        ("script", "not an answer"),
        ("huge-number", "not an answer in JSON"),
        ("deep", "not an answer in JSON"),
        ("nan", "not a JSON object"),
        ("not-utf-8", "not an answer in JSON"),
        ("blank", "not an answer in JSON"),
        ("exit", "it ended with status 3"),
        ("die", "last words"),
        ("silent", "it ended with status 0"),
        ("endless-line", "a line without end"),
        ("twice", "more than one line"),
    ],
)
def test_a_program_that_breaks_is_reported(way: str, said: str) -> None:
    with program(way) as asked:
        scores = score(asked, [VECTOR])
    row = scores["utf-8"]["rows"]
    assert row["broken"] == 1
    assert said in row["example"]["got"]
    assert row["example"]["got"].isprintable()
    assert len(row["example"]["got"]) < 300


@pytest.mark.parametrize("way", ["hang", "hang-with-child", "closes-output"])
def test_a_program_that_hangs_is_ended(way: str) -> None:
    begun = time.monotonic()
    assert outcomes(way, timeout=1)["broken"] == 1
    assert time.monotonic() - begun < 120


def test_a_descendant_that_keeps_the_complaints_open_is_not_waited_for() -> None:
    begun = time.monotonic()
    with program("leaves-descendant") as asked:
        scores = score(asked, [VECTOR])
    assert time.monotonic() - begun < 20
    assert scores["utf-8"]["rows"]["example"]["got"] == "it ended with status 3: last words"


def test_a_program_that_answers_too_much_is_started_again() -> None:
    with program("twice") as asked:
        assert totals(score(asked, [VECTOR] * 4))["broken"] == asked.starts == 4
    counts = outcomes("endless-lines", *[VECTOR] * 200)  # Some of its lines may come in time.
    assert counts["passed"] + counts["broken"] == 200


def test_complaints_do_not_block_a_program() -> None:
    assert outcomes("endless-complaints", VECTOR, VECTOR)["passed"] == 2


def test_a_program_that_always_breaks_is_given_up() -> None:
    with program("exit") as asked:
        scores = score(asked, [VECTOR] * (RESTARTS + 30))
        assert asked.starts == RESTARTS + 1
    assert scores["utf-8"]["rows"]["broken"] == RESTARTS + 30


def test_a_program_that_is_not_there() -> None:
    with Program(["/no/such/program"]) as asked, pytest.raises(Broken, match="does not start"):
        asked.ask({"op": "decode"})
    with Program(["\0"]) as asked, pytest.raises(Broken, match="does not start"):
        asked.ask({"op": "decode"})


# --- the scoreboard ---------------------------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The names of all elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.add(tag)


def board_of(way: str, *vectors: dict[str, Any]) -> dict[str, Any]:
    with program(way) as asked:
        return {"vectors": "1", "rules": {}, "programs": [entry("mine", asked, score(asked, vectors))]}


def test_what_a_program_says_is_escaped() -> None:
    board = board_of("script", VECTOR)
    page, plain = html(board), text(board)
    assert not Elements(page).names & {"script", "b"}
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page + plain
    page.encode(), plain.encode()


def test_the_shortest_example_is_shown() -> None:
    longer = {**VECTOR, "id": "y", "input": "4141"}
    row = board_of("wrong", longer, VECTOR)["programs"][0]["forms"]["utf-8"]["rows"]
    assert row == {
        "passed": 0,
        "failed": 2,
        "broken": 0,
        "not asked": 0,
        "example": {"id": "x", "asked": "decode 41", "expected": "41", "got": "42"},
    }


def test_a_rule_that_is_not_asked_is_not_shown_as_kept() -> None:
    board = board_of("unsupported", VECTOR)
    assert "ok " not in text(board)
    assert "passed" not in html(board).partition("<tbody>")[2]
    assert "0 passed, 0 failed, 0 broken, 1 not asked" in text(board)


# --- the command ------------------------------------------------------------------------------------------------------


def test_it_needs_no_package_and_tests_a_program() -> None:
    done = run("--form", "optu-16-le", "--", sys.executable, PROGRAM, "unsupported")
    assert (done.returncode, done.stderr) == (0, "")
    assert "0 passed, 0 failed, 0 broken, 3" in done.stdout
    done = run(
        "--form", "optu-16-le", "--op", "decode", "--output-format", "json", "--", sys.executable, PROGRAM, "wrong"
    )
    assert done.returncode == 1
    board = json.loads(done.stdout)
    assert board["vectors"] == json.loads((KIT / "vectors" / "manifest.json").read_text())["version"]
    assert totals(board["programs"][0]["forms"])["failed"] == len(read(["optu-16-le"], ["decode"]))


def test_it_writes_a_page_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "board.html"
    command = (sys.executable, PROGRAM, "unsupported")
    done = run("--form", "optu-16-be", "--output-format", "html", "-o", str(target), "--", *command)
    assert done.returncode == 0
    assert target.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    done = run("--form", "optu-16-be", "-o", str(tmp_path), "--", *command)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name an adapter, or a program of your own after --"),
        (("--adapter", "none"), "there is no adapter 'none'"),
        (("--adapter", "python-codecs", "--form", "utf-9"), "no vectors for the form 'utf-9'"),
        (("--adapter", "python-codecs", "--", "x"), "name an adapter, or a program"),
        (("--adapter", "python-codecs", "--timeout", "nan"), "--timeout"),
        (("--adapter", "python-codecs", "--op", "guess"), "--op"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_the_list_of_adapters() -> None:
    done = run("--list")
    assert done.returncode == 0
    names = [each["name"] for each in json.loads((KIT / "adapters" / "adapters.json").read_text(encoding="utf-8"))]
    assert [line.split()[0] for line in done.stdout.splitlines()] == names
