"""Locks on folders: who meets whom, wherever in a tree each began, and that nothing of them is left."""

from __future__ import annotations

import errno
import os
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.records.private import private_folder
from eightfold.files.write import locks
from eightfold.files.write.flocks import HAS_LOCKS
from eightfold.files.write.locks import held

pytestmark = pytest.mark.skipif(not HAS_LOCKS, reason="this system has no such locks")


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 0)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a/b/c", "a/d", "e"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "a" / "file").touch()
    (tmp_path / "link").symlink_to("a/b")
    return tmp_path


@pytest.mark.parametrize(
    ("first", "second", "at"),
    [
        ("a", "a", "a"),
        ("a", "a/b/c", "a"),
        ("a/b/c", "a", "a"),
        ("a/b", "link", "a/b"),
        ("a/file", "a/d", "a"),
        ("a/d", "a/file", "a"),
        ("a/gone", "a", "a"),
    ],
)
def test_runs_that_began_above_each_other_meet(first: str, second: str, at: str, tree: Path) -> None:
    with held([str(tree / first)]), pytest.raises(FileError) as caught, held([str(tree / second)]):
        pass
    assert caught.value.path == str(tree / at)
    assert "another run is replacing files in this folder" in caught.value.reason
    with held([str(tree / second)]):
        pass


@pytest.mark.parametrize(("first", "second"), [("a", "e"), ("a/b/c", "a/d"), ("link", "a/d")])
def test_runs_beside_each_other_do_not(first: str, second: str, tree: Path) -> None:
    with held([str(tree / first)]), held([str(tree / second)]):
        pass


def test_a_run_does_not_meet_itself(tree: Path) -> None:
    with held([str(tree / name) for name in ("a/b", "a", "a/b/c", "link", "a/file", "e", "e")]):
        pass
    with held([]), held([]):
        pass


def test_of_many_folders_the_one_is_held_that_they_are_in(tree: Path) -> None:
    folders = [tree / "a" / str(number) for number in range(locks._MOST + 1)]
    for folder in folders:
        folder.mkdir()
    before = len(os.listdir("/dev/fd"))
    with held(map(str, folders)):
        assert len(os.listdir("/dev/fd")) < before + 20
        with pytest.raises(FileError), held([str(tree / "a")]):
            pass
        with held([str(tree / "e")]):
            pass


def test_folders_above_that_do_not_exist_are_not_held(tree: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    with held([f"{tree}/{'gone/' * 500}file"]):
        assert len(os.listdir("/dev/fd")) < before + 20


def test_nothing_is_left(tree: Path) -> None:
    place = private_folder("locks")
    assert place is not None
    # Tests before may have killed a run that held some.
    names, others, open_files = sorted(tree.rglob("*")), set(os.listdir(place)), len(os.listdir("/dev/fd"))
    with held([str(tree)]), pytest.raises(FileError), ExitStack() as second:
        second.enter_context(held([str(tree / "e"), str(tree / "a")]))
    assert sorted(tree.rglob("*")) == names
    assert set(os.listdir(place)) == others
    assert len(os.listdir("/dev/fd")) == open_files


def test_a_run_waits_for_one_that_ends_soon(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE", 60)
    with ExitStack() as first:
        first.enter_context(held([str(tree / "a")]))
        pauses: list[float] = []

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                first.close()

        monkeypatch.setattr(time, "sleep", pause)
        with held([str(tree / "a" / "b")]):
            assert pauses == [locks._PAUSE] * 3


def test_a_folder_that_cannot_be_held_for_want_of_open_files_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, flags: int, mode: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(locks.os, "open", full)
    with pytest.raises(FileError, match="Too many open files"), held([str(tmp_path)]):
        pass
