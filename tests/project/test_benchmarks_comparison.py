"""What changed between two versions is found: planted falls, rises, goals and peers, in one run and in several."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import comparison, record, results
from benchmarks.peers import CPYTHON, OURS
from benchmarks.results import Results
from benchmarks.row import MIB, Cell
from benchmarks.timing import Spread

MACHINE = {"instruction_set": "avx512", "versions": {"CPython": "3.11.7", "eightfold": "0.1.0"}}


def cell(median: float, row: str = "decode", against: str = CPYTHON, text: str = "cyrillic") -> Cell:
    """Return a cell that says how many times as fast; its seconds are those of a machine twice as slow each time."""
    seconds = Spread(median * 2, median, median * 3)
    return Cell(row, against, text, MIB, MIB, Spread(median, median / 2, median * 2), seconds, seconds)


def run(*cells: Cell, **machine: object) -> Results:
    return Results({**MACHINE, **machine}, cells)


def changes(old: list[Results], new: list[Results]) -> tuple[list[float], list[float]]:
    """Return the ratios, by their medians before, of what fell and of what rose."""
    found = comparison.compare(old, new).changes
    return [each.before for each in found if each.has_fallen], [each.before for each in found if each.has_risen]


# --- one run ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (7.59, ([8], [])),
        (7.61, ([], [])),
        (8.0, ([], [])),
        (8.42, ([], [])),
        (8.43, ([], [8])),
    ],
)
def test_a_cell_falls_below_and_rises_above(after: float, expected: object) -> None:
    assert changes([run(cell(8))], [run(cell(after))]) == expected


def test_goals_are_lost_and_won() -> None:
    old = run(cell(5.1), cell(4.9, text="greek"), cell(5.1, text="emoji"), cell(0.1, row="utf-16-le decode"))
    new = run(cell(4.9), cell(5.1, text="greek"), cell(5.2, text="emoji"), cell(9, row="utf-16-le decode"))
    found = comparison.compare([old], [new]).changes
    assert [each.goal for each in found] == ["lost", "won", None, None]


def test_cells_that_one_side_lacks_are_counted_and_not_compared() -> None:
    found = comparison.compare([run(cell(1), cell(2, text="greek"))], [run(cell(1), cell(1, row="encode"))])
    assert ([each.before for each in found.changes], found.only_old, found.only_new) == ([1], 1, 1)


def test_instruction_sets_are_compared_each_with_itself() -> None:
    old, new = [run(cell(8)), run(cell(4), instruction_set="avx2")], [run(cell(8), instruction_set="avx2")]
    found = comparison.compare(old, new)
    assert [(each.key.column, each.ratios) for each in found.changes] == [("avx2", (2.0,))]
    assert found.only_old == 1


# --- against ourselves ------------------------------------------------------------------------------------------------


def against_ours(utf_8: float, cesu_8: float) -> Results:
    return run(cell(utf_8), cell(cesu_8, row="cesu-8 decode", against=OURS))


def test_a_faster_utf_8_does_not_make_its_neighbours_fall() -> None:
    assert changes([against_ours(4, 1)], [against_ours(8, 0.5)]) == ([], [4])


def test_a_slower_neighbour_falls_though_utf_8_falls_with_it() -> None:
    assert changes([against_ours(4, 1)], [against_ours(2, 1)]) == ([4, 4], [])
    assert changes([against_ours(4, 1)], [against_ours(4, 0.9)]) == ([4], [])


def test_a_neighbour_without_its_utf_8_is_not_compared() -> None:
    alone = run(cell(1, row="cesu-8 decode", against=OURS))
    assert comparison.compare([alone], [alone]) == comparison.Comparison([], 0, 0, left_out=1)
    assert comparison.compare([alone], [against_ours(4, 1)]) == comparison.Comparison([], 0, 2, left_out=1)
    with_another = run(cell(1, text="greek"), *alone.cells)
    lines = list(comparison.lines(comparison.compare([with_another], [with_another])))
    assert lines[0].startswith("1 cells compared")
    assert lines[1].startswith("1 left out: both sides are ours")


def test_commands_against_commands_are_compared_by_the_program_that_those_met() -> None:
    def commands(checked: float, counted: float) -> Results:
        return run(cell(checked, row="check", against="isutf8"), cell(counted, row="tally", against="check"))

    assert changes([commands(2, 1)], [commands(4, 0.5)]) == ([], [2])
    assert changes([commands(2, 1)], [commands(2, 0.5)]) == ([2], [])


def test_runs_that_lead_to_different_peers_are_not_compared() -> None:
    old = run(cell(2, row="check", against="isutf8"), cell(1, row="tally", against="check"))
    new = run(cell(2, row="check", against="iconv"), cell(1, row="tally", against="check"))
    assert comparison.compare([old], [new]) == comparison.Comparison([], 2, 2, left_out=0)


# --- several runs -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("new", "has_fallen"),
    [((7, 7, 9), True), ((7, 9, 9), False), ((9, 7, 7), True), ((7, 9), False), ((7, 7), True), ((7, 7, 9, 9), False)],
)
def test_a_cell_has_fallen_where_most_runs_have(new: tuple[float, ...], has_fallen: bool) -> None:
    old = [run(cell(ratio)) for ratio in (1, 8, 20)]  # The median counts.
    fallen, _ = changes(old, [run(cell(ratio)) for ratio in new])
    assert fallen == ([8] if has_fallen else [])


def test_a_goal_is_lost_where_most_runs_miss_it() -> None:
    old = [run(cell(ratio)) for ratio in (5.1, 5.1, 4.9)]
    for new, goal in (((5.1, 4.9, 4.9), "lost"), ((5.1, 5.1, 4.9), None)):
        (change,) = comparison.compare(old, [run(cell(ratio)) for ratio in new]).changes
        assert change.goal == goal


# --- the command ------------------------------------------------------------------------------------------------------


def kept(path: Path, *cells: Cell, **machine: object) -> str:
    path.parent.mkdir(exist_ok=True)
    results.write(run(*cells, **machine), path)
    return str(path)


def test_the_command_says_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = kept(tmp_path / "old.json", cell(5.1), cell(3, row="encode"), cell(2, row="xtf-8 encode, 1 in 10"))
    new = kept(tmp_path / "new.json", cell(4.08), cell(6.3, row="encode"), cell(4, row="xtf-8 encode, 1 in 10"))
    assert record.main(["--compare", old, new]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "3 cells compared; 0 only before, 0 only after"
    assert lines[1] == "fell below 0.95 of before: 1"
    assert lines[2].split() == ["avx512", "decode", "CPython", "cyrillic", "1048576", "5.1", "->", "4.08", "0.80"]
    assert lines[3] == "rose above 1.05 of before: 2"
    assert lines[6:] == [
        "goals lost: 1",
        lines[2],
        "goals won: 1",
        lines[5],
        "geometric mean of after / before: 1.498",
        "  decode         0.800 of 1",
        "  encode         2.049 of 2",
    ]


def test_the_exit_status_is_0_where_nothing_fell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = kept(tmp_path / "old.json", cell(5)), kept(tmp_path / "new.json", cell(4.9))
    assert record.main(["--compare", old, new]) == 0
    assert "fell below 0.95 of before: 0\n" in capsys.readouterr().out


def test_runs_come_from_files_given_again_or_from_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at, (before, after) in enumerate([(5, 4), (5.1, 4), (4.9, 5)]):
        kept(tmp_path / "old" / f"{at}.json", cell(before))
        kept(tmp_path / "new" / f"{at}.json", cell(after))
    (tmp_path / "old" / "scaling.json").write_text('{"machine": {}, "size": {}}')
    assert record.main(["--compare", str(tmp_path / "old"), str(tmp_path / "new")]) == 1
    of_folders = capsys.readouterr().out
    assert "fell below 0.95 of before in 2 of 3 runs: 1\n" in of_folders
    assert "5 -> 4        0.80 0.80 1.00\n" in of_folders
    pairs = [["--compare", *(str(tmp_path / side / f"{at}.json") for side in ("old", "new"))] for at in range(3)]
    assert record.main([argument for pair in pairs for argument in pair]) == 1
    assert capsys.readouterr().out == of_folders


def test_what_cannot_be_compared_has_exit_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here, other = kept(tmp_path / "a.json", cell(1)), kept(tmp_path / "b.json", cell(1, row="encode"))
    (tmp_path / "scaling.json").write_text('{"machine": {}, "size": {}}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "empty").mkdir()
    for name in ("absent.json", "scaling.json", "broken.json", "empty"):
        assert record.main(["--compare", here, str(tmp_path / name)]) == 2
        told = capsys.readouterr().err
        assert told.startswith("cannot compare: ")
        assert name in told
    assert record.main(["--compare", here, other]) == 2
    assert capsys.readouterr().err == "cannot compare: the runs have no cell in common that leads to a peer\n"


def test_peers_of_other_versions_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    versions = {"CPython": "3.12.1", "eightfold": "0.2.0"}
    old, new = kept(tmp_path / "a.json", cell(1)), kept(tmp_path / "b.json", cell(1), versions=versions)
    assert record.main(["--compare", old, new]) == 0
    assert capsys.readouterr().err == "warning: CPython has several versions: 3.11.7, 3.12.1; its ratios say little\n"


@pytest.mark.parametrize(
    ("row", "verb"),
    [
        ("decode", "decode"),
        ("xtf-8 encode, 1 in 10", "encode"),
        ("stream decode, 64 at once", "decode"),
        ("convert utf-8 to utf-16-le", "convert"),
        ("utf-8 faults, 1 in 10", "faults"),
        ("lane: utf-8 is_well_formed", "is_well_formed"),
        ("check --statistics, faulty", "check"),
        ("version", "version"),
    ],
)
def test_means_are_by_verb(row: str, verb: str) -> None:
    assert comparison.verb_of(row) == verb
