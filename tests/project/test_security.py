"""The table of attacks names tests that exist, and every test of hostile callers is in it."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
TABLE = PAGE.split("<!-- attacks -->")[1].split("<!-- end of attacks -->")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")] for line in TABLE.splitlines() if line.startswith("| ")
][2:]
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", TABLE)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
ON_THE_TESTS_THEMSELVES = {
    "test_a_lost_byte_is_found",
    "test_a_wrong_answer_is_found",
    "test_the_makefile_runs_each_target",
}
"""These show that another test is not blind."""


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_each_row_has_a_promise_a_test_that_exists_and_says_how_often() -> None:
    assert len(ROWS) > 20
    for attack, promise, tests, often, result in ROWS:
        assert attack
        assert promise
        assert result, attack
        assert "::test_" in tests, attack
        assert often.startswith(("always", "on demand", "three verbs")), attack
    missing = [f"{path}::{name}" for path, name in NAMED if name not in names_of_tests(ROOT / path)]
    assert missing == []


def listed(variable: str) -> set[str]:
    """Return the files that a variable of the Makefile lists, without those of other variables."""
    found = re.search(rf"^{variable} := (.*(?:\\\n.*)*)", MAKEFILE, re.MULTILINE)
    assert found is not None
    patterns = re.findall(r"tests/[\w/*]+\.py", found[1])
    return {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}


def test_what_is_always_run_is_run_by_one_of_the_two_commands_that_the_page_names() -> None:
    assert "*always* is each run of `make test` or `make test-parity`;" in PAGE
    assert re.search(r"^test: .*\n(?:\t.*\n)*\t.*,\$\(addprefix --ignore=,\$\(APART\)\)\)$", MAKEFILE, re.MULTILINE)
    assert re.search(r"^test-parity: .*\n.* \$\(PARITY\)$", MAKEFILE, re.MULTILINE)
    in_neither = listed("APART") - listed("PARITY")
    assert in_neither
    for attack, _, tests, often, _ in ROWS:
        if "always" in often:
            paths = re.findall(r"`([\w/]+\.py)::", tests)
            assert [path for path in paths if path in in_neither or not path.startswith("tests/")] == [], attack


def test_every_test_of_hostile_callers_is_in_the_table() -> None:
    there = {name for path in (ROOT / "tests" / "hostile").glob("test_*.py") for name in names_of_tests(path)}
    assert there - {name for _, name in NAMED} == ON_THE_TESTS_THEMSELVES


def test_commands_that_the_page_names_exist() -> None:
    for target in re.findall(r"`make ([a-z-]+)", PAGE):
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), target


def test_what_the_sanitizer_cannot_live_with_is_named_with_a_reason_and_exists() -> None:
    script = (ROOT / ".ci" / "test-sanitized").read_text(encoding="utf-8")
    left_out = re.search(r"left_out=\(\n(.+?)\n    \)", script, re.DOTALL)
    assert left_out is not None
    lines = [line.strip() for line in left_out[1].splitlines()]
    assert all(reason.startswith("# ") for reason in lines[::2])
    for test in lines[1::2]:
        path, name = test.strip('"').split("::")
        assert name.partition("[")[0] in names_of_tests(ROOT / path)


def test_every_target_of_random_input_is_run_and_has_a_corpus() -> None:
    folder = ROOT / "rust" / "fuzz"
    run = re.search(r"^FUZZED := (.+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert run is not None
    built = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))["bin"]
    assert sorted(run[1].split()) == sorted(each["name"] for each in built)
    assert sorted(run[1].split()) == sorted(path.name for path in (folder / "corpus").iterdir() if any(path.iterdir()))


def test_random_input_is_tried_on_each_change() -> None:
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make fuzz-python MIN=0 SEC=" in run
    assert "make fuzz MIN=0 SEC=" in run
    assert "the core was given no random input" in run
