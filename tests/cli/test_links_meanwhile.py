"""Somebody who may write to a tree puts links into it while a run works there: nothing outside is read or written."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eightfold.cli import main
from eightfold.cli.commands import check, identify
from eightfold.cli.commands.convert import one
from eightfold.cli.commands.repair import making
from eightfold.cli.work import checking, replacing
from eightfold.cli.work.jobs import Job
from eightfold.files.paths import roots
from eightfold.files.paths.entries import Entry
from eightfold.files.records.journals import Journals
from eightfold.files.write import writing
from support.clones import Captured
from support.trees import files_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
SECRET = b"secret caf\xe9\n"
CONVERT = "convert -j 1 -f latin-1 -t utf-8"
REPAIR = "repair --errors latin-1 --lossy"
WRITING: tuple[tuple[Any, str], ...] = ((Job, "opened"), (replacing, "sink"), (Entry, "replace"))
IN_PLACE: tuple[tuple[Any, str], ...] = (*WRITING, (writing, "take_over"))
JOURNALED: tuple[tuple[Any, str], ...] = tuple((Journals, name) for name in ("has", "add", "sync", "end"))
LINES = {
    f"{CONVERT} --in-place": (*IN_PLACE, *JOURNALED, (one, "before")),
    f"{CONVERT} --in-place --backup .old": (*IN_PLACE, *JOURNALED, (one, "before")),
    f"{CONVERT} -o ../out": WRITING,
    f"{CONVERT} --diff": ((Job, "opened"),),
    f"{REPAIR} --in-place": (*IN_PLACE, (making, "before")),
    f"{REPAIR} --in-place -f cesu-8": (*IN_PLACE, *JOURNALED, (making, "before")),
    f"{REPAIR} -o ../out": WRITING,
}
"""Command lines, and functions on their way; links appear when one of these is called."""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, data in (("tree/d/f", b"caf\xe9\n"), ("outside/f", SECRET)):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path / "tree"


def folder_becomes_a_link(tree: Path) -> None:
    (tree / "d").rename(tree / ".." / "gone")
    (tree / "d").symlink_to("../outside")


def file_becomes_a_link(tree: Path) -> None:
    (tree / "d" / "f").rename(tree / ".." / "gone")
    (tree / "d" / "f").symlink_to("../../outside/f")


@pytest.mark.parametrize("swap", [folder_becomes_a_link, file_becomes_a_link])
@pytest.mark.parametrize(
    ("line", "stage"),
    [
        pytest.param(line, stage, id=f"{line.split()[0]} {line.split(' -')[-1]}, {stage[1]}")
        for line, stages in LINES.items()
        for stage in stages
    ],
)
def test_no_link_that_appears_during_a_run_is_followed(
    line: str,
    stage: tuple[Any, str],
    swap: Callable[[Path], None],
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    owner, name = stage
    reached, swapped = getattr(owner, name), 0

    def swapping(*given: Any, **options: Any) -> Any:
        nonlocal swapped
        swapped += 1
        if swapped == 1:
            swap(tree)
        return reached(*given, **options)

    monkeypatch.setattr(owner, name, swapping)
    status = main([*line.split(), "."])
    assert swapped
    assert files_in(tree.parent / "outside") == {"f": SECRET}
    made = [path for path in tree.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    assert [path.name for path in made if b"secret" in path.read_bytes()] == ["f"]
    told = capsys.readouterr().err
    assert status in (0, 2)
    assert "Traceback" not in told
    assert status == 0 or "not followed" in told or "No such file" in told or "changed it" in told, told


def file_becomes_a_pipe(tree: Path) -> None:
    (tree / "d" / "f").unlink()
    os.mkfifo(tree / "d" / "f")


@pytest.mark.parametrize("swap", [folder_becomes_a_link, file_becomes_a_link, file_becomes_a_pipe])
@pytest.mark.parametrize("by_core", [True, False], ids=["core", "python"])
@pytest.mark.parametrize(
    ("owner", "line"), [(checking, "check -j 1 --context"), (identify, "identify")], ids=["check", "identify"]
)
def test_nothing_that_comes_in_the_place_of_a_file_is_read(
    owner: Any, line: str, by_core: bool, swap: Callable[[Path], None], tree: Path, monkeypatch: Any, capsys: Captured
) -> None:
    opened = owner.opened

    def swapping(file: Any, **options: Any) -> Any:
        swap(tree)
        return opened(file, **options)

    monkeypatch.setattr(owner, "opened", swapping)
    if not by_core:
        for module in (check, identify):
            monkeypatch.setattr(module, "can_walk", lambda: False)
    assert main([*line.split(), "."]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "a symbolic link, which is not followed" in told.err or "d/f: not a regular file" in told.err


@pytest.mark.parametrize("swap", [folder_becomes_a_link, file_becomes_a_link])
@pytest.mark.parametrize("line", LINES)
def test_without_descriptors_of_folders_each_step_is_looked_at(
    line: str, swap: Callable[[Path], None], tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    opened = Job.opened

    def swapping(job: Job, *, twice: bool) -> Any:
        swap(tree)
        return opened(job, twice=twice)

    monkeypatch.setattr(roots, "BY_DESCRIPTOR", False)
    monkeypatch.setattr(Job, "opened", swapping)
    assert main([*line.split(), "."]) == 2
    assert "a symbolic link, which is not followed" in capsys.readouterr().err
    assert files_in(tree.parent / "outside") == {"f": SECRET}


@pytest.mark.parametrize("line", [line for line in LINES if "--diff" not in line])
def test_a_link_that_goes_while_it_is_resolved_is_an_error(
    line: str, tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    realpath = os.path.realpath

    def refused(path: str) -> str:
        if path == "./d":
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return realpath(path)

    monkeypatch.setattr(os.path, "realpath", refused)
    assert main([*line.split(), "."]) == 2
    assert "d/f: Invalid argument" in capsys.readouterr().err
    assert (tree / "d" / "f").read_bytes() == b"caf\xe9\n"
