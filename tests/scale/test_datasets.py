"""Datasets on Spark and Ray: the same faults and the same bytes as by processes here, and a whole result or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eightfold import cli
from eightfold.cli.work.datasets import pieces as cutting
from eightfold.cli.work.datasets.pieces import pieces_of
from eightfold.cli.work.datasets.repairing import Repairing, repaired_into
from eightfold.cli.work.datasets.runners import RUNNERS, results
from eightfold.files import FileError
from eightfold.forms.utf_8 import UTF_8
from support.datasets import dataset
from support.trees import files_in
from support.workers import DyingWork

pytest.importorskip("pyarrow", reason="pyarrow is not installed: make test-scale")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(params=["spark", "ray"])
def runner(request: pytest.FixtureRequest) -> str:
    request.getfixturevalue(request.param)
    return str(request.param)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "PIECE_BYTES", 20)


def checked(capsys: Any, runner: str, folder: Path) -> Any:
    cli.main(["check", "--output-format", "json", "--runner", runner, str(folder)])
    return json.loads(capsys.readouterr().out)


def test_an_engine_finds_and_writes_what_processes_here_do(runner: str, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    assert len(pieces_of([str(tmp_path / "in")], UTF_8, unpack=True)) > len(files_in(tmp_path / "in")) - 2
    found = checked(capsys, "local", tmp_path / "in")
    assert found["summary"]["errors"] > 0
    assert checked(capsys, runner, tmp_path / "in") == found
    for name in ("local", runner):
        assert cli.main(["repair", "--runner", name, str(tmp_path / "in"), "-o", str(tmp_path / name)]) == 0
    assert files_in(tmp_path / runner) == files_in(tmp_path / "local")


def test_what_cannot_be_repaired_leaves_nothing(runner: str, tmp_path: Path, capsys: Any) -> None:
    dataset(tmp_path / "in")
    given = ["repair", "--runner", runner, "--errors", "strict", str(tmp_path / "in"), "-o", str(tmp_path / "out")]
    assert cli.main(given) == 1
    assert "out is not written" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"in"}


def repaired(runner: str, folder: Path, output: Path, wrapped: Any) -> int:
    pieces = pieces_of([str(folder)], UTF_8, unpack=True)

    def run(work: Any, given: Any) -> Any:
        return results(runner, wrapped(work), given, 1)

    def work(target: Any) -> Repairing:
        return Repairing(target, "utf-8", False, "escape", True)

    return sum(result.changes for result in repaired_into(str(output), pieces, work, run, lossy=False))


def test_a_killed_worker_changes_nothing(runner: str, tmp_path: Path, once: Path) -> None:
    assert set(RUNNERS) == {"local", "spark", "ray"}
    dataset(tmp_path / "in")
    count = repaired("local", tmp_path / "in", tmp_path / "whole", lambda work: work)
    dying = repaired(runner, tmp_path / "in", tmp_path / "out", lambda work: DyingWork(work, once))
    assert once.exists()
    assert dying == count
    assert files_in(tmp_path / "out") == files_in(tmp_path / "whole")


def test_a_worker_that_always_dies_leaves_nothing(runner: str, tmp_path: Path) -> None:
    dataset(tmp_path / "in")
    with pytest.raises(FileError, match="the job failed"):
        repaired(runner, tmp_path / "in", tmp_path / "out", lambda work: DyingWork(work, None))
    assert {path.name for path in tmp_path.iterdir()} == {"in"}
