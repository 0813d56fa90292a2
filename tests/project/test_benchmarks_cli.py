"""The command line is measured on what it says, side by side with programs that do the same. No time is asserted."""

from __future__ import annotations

import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import eightfold
from benchmarks import cli, contests, peers, programs, record, results
from benchmarks.contests import (
    CLEAN,
    CLEAN_JSON,
    COUNTED,
    ESCAPED,
    FAULTY,
    ONE_FAULT_IN,
    OURS,
    PYTHON,
    Contest,
    Scale,
)
from benchmarks.programs import Program
from benchmarks.row import MIB, Cell
from benchmarks.timing import Spread
from support.needed import needs_program

SMALL = Scale(sizes=(MIB // 4,), files=20)

pytestmark = pytest.mark.skipif(
    not Path(OURS).exists() or eightfold.ENGINE == "reference",
    reason="eightfold is not installed as a script beside this Python, or is the reference, which is slow",
)


def python(name: str, program: str, *, status: int = 0) -> Program:
    return Program(name, (sys.executable, "-c", program), statuses=(status,))


def planted_cell(row: str, against: str, size: int, ours: float, theirs: float) -> Cell:
    spreads = (Spread(value, value / 2, value * 2) for value in (theirs / ours, ours, theirs))
    return Cell(row, against, "any", size, size, *spreads)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["utf-8", "utf-16-le", "cesu-8"])
def test_files_are_well_formed_and_as_large_as_they_say(form: str, tmp_path: Path) -> None:
    length = contests.written(tmp_path / "file", form, MIB)
    data = (tmp_path / "file").read_bytes()
    assert len(data) == length
    assert eightfold.is_well_formed(data, form)
    assert 0.99 * MIB < len(eightfold.convert(data, form, "utf-8")) <= MIB
    assert (form == "cesu-8") == (data.count(b"\xed\xa0") > 1000)


def test_larger_files_repeat_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "BLOCK_BYTES", 1 << 16)
    contests.written(tmp_path / "file", "utf-8", 1 << 18)
    data = (tmp_path / "file").read_bytes()
    block = data[: len(data) // 4]
    assert data == block * 4
    assert 0.99 * (1 << 16) < len(block) <= 1 << 16


def test_faults_are_one_in_a_thousand_bytes(tmp_path: Path) -> None:
    contests.written(tmp_path / "file", "utf-8", MIB, faulty=True)
    data = (tmp_path / "file").read_bytes()
    found = list(eightfold.faults(data, "utf-8"))
    assert abs(len(found) - len(data) / ONE_FAULT_IN) < 10
    assert len({fault.kind for fault in found}) > 4
    gaps = {after.start - before.end for before, after in pairwise(found)}
    assert gaps <= set(range(ONE_FAULT_IN, ONE_FAULT_IN + 4))


def test_a_tree_has_as_many_files(tmp_path: Path) -> None:
    length = contests.tree(tmp_path, 120)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) == length
    assert len({path.read_bytes() for path in files}) == 120
    assert max(sum(path.parent == folder for path in files) for folder in tmp_path.rglob("*")) == 100


# --- programs ---------------------------------------------------------------------------------------------------------


def test_a_program_that_fails_is_no_measurement() -> None:
    assert programs.seconds(python("fails", "raise SystemExit(1)", status=1)) > 0
    with pytest.raises(ValueError, match="exit status 1"):
        programs.seconds(python("fails", "raise SystemExit(1)"))


def test_programs_keep_what_python_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    shown = python("shows", "import sys; print(sys.dont_write_bytecode)")
    assert programs.output_of(shown) == b"False\n"


def test_time_is_that_of_the_whole_process() -> None:
    assert programs.seconds(python("sleeps", "import time; time.sleep(0.2)")) > 0.2


def test_rounds_begin_with_another_program_and_the_first_is_not_counted(tmp_path: Path) -> None:
    note = "open({path!r}, 'a').write({name!r})"
    three = [python(name, note.format(path=str(tmp_path / "notes"), name=name)) for name in "abc"]
    taken = programs.race(three, 3)
    assert (tmp_path / "notes").read_text() == "abcbcacababc"
    assert len(taken) == 3
    assert all(set(each) == set(three) for each in taken)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no word on which core")
def test_a_program_has_one_core_unless_it_may_have_more() -> None:
    counted = python("cores", "import os; print(len(os.sched_getaffinity(0)))")
    every = len(os.sched_getaffinity(0))
    for program, cores in ((counted, 1), (counted._replace(cores=True), every)):
        with programs.on_cores(program):
            assert int(programs.output_of(program)) == cores
    assert len(os.sched_getaffinity(0)) == every


# --- contests ---------------------------------------------------------------------------------------------------------


@needs_program("uconv")
def test_every_contest_runs_and_what_is_to_be_the_same_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "rounds_for", lambda byte_count, quick: 1)
    rows = set()
    for contest in contests.contests(tmp_path, SMALL):
        assert contest.same_output == ("convert" in contest.ours[0].name)
        for cell in cli.measured(contest, None, quick=True):
            rows.add(cell.row)
            assert 0 < cell.times.low <= cell.times.median <= cell.times.high
    assert {row for row, _, _ in cli.GOALS} <= rows
    assert len(rows) == 25


def test_the_tree_that_is_converted_in_place_stays_as_it_is(tmp_path: Path) -> None:
    """Otherwise the first round would time a conversion, and the others none."""
    left = next(each for each in contests.contests(tmp_path, SMALL) if each.ours[0].name == contests.TREE_LEFT)
    length = left.make()
    before = {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.txt")}
    assert sum(path.stat().st_size for path in before) == length
    assert programs.output_of(left.ours[0]) == b""
    assert left.make() == length  # What is there is not written again.
    assert {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in tmp_path.rglob("*.txt")} == before


def test_every_goal_is_measured(tmp_path: Path) -> None:
    assert cli.JUDGED in Scale().sizes
    told = {
        (mine.name, other.name)
        for contest in contests.contests(tmp_path, SMALL)
        for mine in contest.ours
        for other in contest.others
    }
    assert {(row, against) for row, against, _ in cli.GOALS} <= told
    assert not list(tmp_path.iterdir())  # Files are made only where something is measured on them.


def test_programs_that_differ_are_refused() -> None:
    contest = Contest(0, int, (python("a", "print(1)"),), (python("b", "print(2)"),), same_output=True)
    with pytest.raises(ValueError, match="a: not all write the same"):
        list(cli.measured(contest, None, quick=True))


def test_a_program_that_is_absent_is_skipped_with_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    contest = Contest(0, int, (python("a", "1"),), (Program("b", ("no-such-program",)), python("c", "2")))
    assert [cell.against for cell in cli.measured(contest, None, quick=True)] == ["c"]
    assert capsys.readouterr().err == "a: skipped, no-such-program is not installed\n"


# --- goals, and what is printed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "against", "ours", "theirs", "is_met"),
    [
        (CLEAN, "isutf8", 1.0, 1.0, True),
        (CLEAN, "isutf8", 1.01, 1.0, False),
        ("convert utf-16-le to utf-8", "iconv", 1.0, 1.5, True),
        ("convert utf-8 to utf-16-le", "iconv", 1.0, 1.49, False),
        ("convert cesu-8 to utf-8", "uconv", 1.0, 3.0, True),
        (COUNTED, CLEAN, 2.0, 1.0, True),
        (COUNTED, CLEAN, 2.1, 1.0, False),
        (ESCAPED, CLEAN_JSON, 8.0, 1.0, True),
        (ESCAPED, CLEAN_JSON, 8.1, 1.0, False),
        (FAULTY, CLEAN, 8.0, 1.0, True),
        (FAULTY, CLEAN, 8.1, 1.0, False),
    ],
)
def test_goals_are_those_that_were_set(row: str, against: str, ours: float, theirs: float, is_met: bool) -> None:
    cell = planted_cell(row, against, 256 * MIB, ours, theirs)
    assert cli.missed([cell]) == ([] if is_met else [cell])
    assert cli.line_of(cell).endswith("missed") is not is_met


@pytest.mark.parametrize("row", ["version", "check, one small file"])
def test_a_start_may_take_so_much_more_than_nothing(row: str) -> None:
    met, short = planted_cell(row, PYTHON, 0, 0.0699, 0.01), planted_cell(row, PYTHON, 0, 0.0701, 0.01)
    assert cli.missed([met, short]) == [short]


def test_the_command_measures_prints_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.json"
    assert cli.main(["--quick", "--only", "version", "--json", str(path)]) == 0
    (cell,) = results.read(path).cells
    assert (cell.row, cell.against) == ("version", PYTHON)
    heading, line, *_ = capsys.readouterr().out.splitlines()
    assert heading == cli.HEADING
    assert line.startswith(f"{'version':28} {PYTHON:25} ")
    assert line.index("[") == heading.index("[")
    for ours, status in ((0.05, 0), (0.09, 1)):
        planted = planted_cell("version", PYTHON, 0, ours, 0.01)
        results.write(results.Results(peers.machine(), (planted,)), path)
        assert cli.main(["--read", str(path)]) == 0
        assert cli.main(["--read", str(path), "--check"]) == status
    assert "missed: version, against python -c pass: 60 ms over" in capsys.readouterr().out


def test_the_page_has_the_cells_with_a_goal_and_the_table_has_all(tmp_path: Path) -> None:
    cells = (
        planted_cell(CLEAN, "isutf8", 256 * MIB, 1.0, 1.5),
        planted_cell(FAULTY, CLEAN, 256 * MIB, 9.0, 1.0),
        planted_cell("version", PYTHON, 0, 0.05, 0.01),
        planted_cell(CLEAN, "iconv", MIB, 1.0, 2.0),
    )
    results.write(results.Results(peers.machine(), cells), tmp_path / "cli.json")
    written = record.page("before\n<!-- programs -->\nout of date\n<!-- end of programs -->\nafter\n", tmp_path)
    assert "out of date" not in written
    assert record.page(written, tmp_path) == written
    record.write_tables(tmp_path)
    table = (tmp_path / "cli.md").read_text(encoding="utf-8")
    for text in (written, table):
        assert "\n3 goals: 2 met, 1 missed.\n" in text
        assert "| check, valid | isutf8 | 256 | 1.000 | 1.500 | 1.50 | 0.75 | 3.00 | 1 times | yes |" in text
        assert "| check, valid | 256 | 9.000 | 1.000 | 0.11 | 0.06 | 0.22 | 0.125 times | **no** |" in text
        assert "| version | python -c pass |  | 0.050 | 0.010 | 0.20 | 0.10 | 0.40 | 60 ms over | yes |" in text
    without_goal = "| check, valid | iconv | 1 | 1.000 | 2.000 | 2.00 | 1.00 | 4.00 |  |  |"
    assert without_goal in table
    assert without_goal not in written
