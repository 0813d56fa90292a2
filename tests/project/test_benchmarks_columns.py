"""The benchmark of columns measures what it says: both sides do the same work, and the goals are those of the table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import columns, columns_growth, record
from eightfold import cli

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'eightfold[bench]'")


def test_columns_have_one_bad_value_in_so_many() -> None:
    given = columns.columns_of("cyrillic", 20, 1200)
    assert [len(array) for array in given] == [1200, 1200]
    different = [at for at in range(1200) if given.clean[at] != given.dirty[at]]
    assert different == [0, 500, 1000]


def test_both_sides_do_the_same() -> None:
    given = columns.columns_of("latin", 20, 600)
    found = columns.sides(given, 1)
    assert set(columns.GOALS) <= set(found)
    audited, cast = (side() for side in found["audit clean, pyarrow cast"])
    assert (audited.num_rows, len(cast)) == (0, 600)
    ours, theirs = (side() for side in found["repair dirty, Python loop"])
    assert ours["c"].to_pylist() == [value.encode() for value in theirs.to_pylist()]
    assert found["audit dirty, audit clean"][0]().num_rows == 2
    status, folder = found["repair Parquet, pyarrow copy"][0]()
    assert status == 0
    assert found["repair Parquet, pyarrow copy"][1]() is None
    (copied, given, repaired) = sorted(folder.iterdir())
    assert cli.main(["check", str(repaired)]) == 0
    assert cli.main(["check", str(copied)]) == cli.main(["check", str(given)]) == 1


def test_it_runs_and_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{record.ARROW}.json"
    given = [
        "--texts",
        "ascii",
        "--short",
        "600",
        "--long",
        "3",
        "--rounds",
        "2",
        "--threads",
        "1",
        "--json",
        str(path),
    ]
    assert columns.main(given) == 0
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| audit clean, pyarrow")]
    record.write_tables(tmp_path)
    assert len(printed) == 2
    assert all(line in path.with_suffix(".md").read_text() for line in printed)
    assert columns.lines(json.loads(path.read_text()))[-1].startswith("|")


def test_goals() -> None:
    fast = columns.Cell("audit clean, pyarrow cast", "latin", 1, 1.0, ((1.0, 3.5), (1.0, 4.0), (1.0, 2.0)))
    assert (fast.ratio, fast.meets) == (3.5, True)
    assert fast._replace(rounds=((1.0, 2.9),)).meets is False
    assert fast._replace(text="ascii", rounds=((1.0, 1.3),)).meets is True
    dirty = columns.Cell("audit dirty, audit clean", "latin", 1, 1.0, ((1.9, 1.0),))
    assert dirty.meets is True
    assert dirty._replace(rounds=((2.1, 1.0),)).meets is False
    assert fast._replace(row="audit clean, polars cast").meets is None


def test_growth() -> None:
    for work in columns_growth.WORK:
        point = columns_growth.measured(work, "latin", 1000)
        assert point.nanoseconds > 0
        assert point.column == pytest.approx(0.03, rel=0.5)
        assert point.line.count("|") == columns_growth.HEADING.splitlines()[0].count("|")
    dirty = columns_growth.column("latin", 200_000, dirty=True)
    assert len(dirty) == 200_000
    assert [at for at in range(1000) if dirty[at].as_py().find(b"\xff") >= 0] == [0, 500]
