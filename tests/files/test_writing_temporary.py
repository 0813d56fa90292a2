"""Temporary files: whose they are is known by their locks; what killed runs left is removed, what is at work is not."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from eightfold.files import FileError
from eightfold.files.paths.addresses import is_temporary
from eightfold.files.paths.entries import Entry
from eightfold.files.write import temporary
from eightfold.files.write.temporary import PLACES, temporary_beside
from eightfold.files.write.writing import replacing
from support.command_line import ENVIRONMENT, MORE_THAN_A_PIPE_HOLDS, PATIENCE, command, run

fcntl = pytest.importorskip("fcntl")


def places(target: Path) -> list[Path]:
    return [Path(place.path) for place in temporary._places(Entry(str(target)))]


def others_in(folder: Path, *known: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path not in known)


def test_strays_are_removed_by_the_next_write(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    for place in places(target):
        place.write_bytes(b"half writ")
    with replacing(str(target)) as file:
        file.write(b"whole")
    assert target.read_bytes() == b"whole"
    assert others_in(tmp_path, target) == []


def test_strays_of_other_targets_and_files_of_others_are_left(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    strangers = [tmp_path / ".file.txt.tmp", tmp_path / ".file.txt.swp", *places(tmp_path / "other.txt")[:1]]
    for stranger in strangers:
        stranger.write_bytes(b"not ours")
    with replacing(str(target)) as file:
        file.write(b"whole")
    assert {stranger.read_bytes() for stranger in strangers} == {b"not ours"}


def test_a_path_that_leaves_no_room_for_the_name_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(OSError, match=r"name a folder above it instead, or a shorter path$"),
        temporary_beside(Entry("./" * 2_040 + "a"), 0o600),
    ):
        pass


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_what_is_no_file_is_no_stray(kind: str, tmp_path: Path) -> None:
    target, goal = tmp_path / "file.txt", tmp_path / "goal"
    goal.write_bytes(b"precious")
    place = places(target)[0]
    {"pipe": lambda: os.mkfifo(place), "link": lambda: place.symlink_to(goal), "folder": place.mkdir}[kind]()
    with replacing(str(target)) as file:
        file.write(b"whole")
    assert (target.read_bytes(), goal.read_bytes()) == (b"whole", b"precious")
    assert os.path.lexists(place)


def test_writers_of_one_target_have_places_of_their_own_and_then_there_is_none(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    with ExitStack() as stack:
        files = [stack.enter_context(temporary_beside(Entry(str(target)), 0o600)) for _ in range(PLACES)]
        assert len({file.name for file in files}) == PLACES
        with pytest.raises(FileError, match="8 runs are writing to it at the same time"), replacing(str(target)):
            pytest.fail("there was a place")
        assert all(os.path.exists(file.name) for file in files)
    assert others_in(tmp_path) == []


def test_the_file_of_a_process_at_work_is_not_touched_and_that_of_a_killed_one_goes(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    line = command("convert", "-t", "utf-8", "-o", str(target))
    with subprocess.Popen(line, stdin=subprocess.PIPE, env=ENVIRONMENT) as writer:
        assert writer.stdin is not None
        writer.stdin.write(MORE_THAN_A_PIPE_HOLDS)
        writer.stdin.flush()
        [theirs] = others_in(tmp_path)
        assert run("convert", "-t", "utf-8", "-o", str(target), input=b"ours").returncode == 0
        assert others_in(tmp_path, target) == [theirs]
        writer.send_signal(signal.SIGKILL)
        writer.wait(timeout=PATIENCE)
    assert others_in(tmp_path, target) == [theirs]
    assert run("convert", "-t", "utf-8", "-o", str(target), input=b"again").returncode == 0
    assert others_in(tmp_path, target) == []
    assert target.read_bytes() == b"again"


def test_a_stray_is_not_taken_for_a_file_of_its_folder(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    target.write_bytes(b"a")
    stray = places(target)[3]
    stray.write_bytes(b"\xff")
    assert run("convert", "-t", "utf-16-le", "--in-place", str(tmp_path)).returncode == 0
    assert target.read_bytes() == b"a\x00"
    assert others_in(tmp_path, target) == []


def test_without_locks_nothing_is_a_stray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refusing)
    target = tmp_path / "file.txt"
    stray = places(target)[0]
    stray.write_bytes(b"may be at work")
    with replacing(str(target)) as file:
        file.write(b"whole")
    assert (target.read_bytes(), stray.read_bytes()) == (b"whole", b"may be at work")


def test_who_loses_the_file_before_it_is_locked_takes_another_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file.txt"
    lock, taken = temporary.locked, []

    def cleared_before(descriptor: int) -> bool | None:
        if not taken:
            taken.append(os.unlink(places(target)[0]))
        return lock(descriptor)

    monkeypatch.setattr(temporary, "locked", cleared_before)
    with temporary_beside(Entry(str(target)), 0o600) as file:
        assert file.name == str(places(target)[1])


def test_a_name_that_another_run_has_by_now_is_not_removed(tmp_path: Path) -> None:
    target = tmp_path / "file.txt"
    with temporary_beside(Entry(str(target)), 0o600) as file:
        os.replace(file.name, target)
        Path(file.name).write_bytes(b"another run's")
    assert Path(file.name).read_bytes() == b"another run's"


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "😀" * 63, "caf\udce9"])
def test_any_name_has_places_that_fit_and_are_known(name: str, tmp_path: Path) -> None:
    with temporary_beside(Entry(str(tmp_path / name)), 0o600) as file:
        assert is_temporary(file.name)
    assert not is_temporary(str(tmp_path / name))


def test_long_names_that_begin_alike_do_not_share_places(tmp_path: Path) -> None:
    assert not set(places(tmp_path / ("x" * 100 + "1"))) & set(places(tmp_path / ("x" * 100 + "2")))


@pytest.mark.parametrize("moment", ["locked", "_is_at"])
def test_who_is_stopped_when_the_file_was_just_made_leaves_none(
    moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    act = getattr(temporary, moment)

    def stopped(*arguments: object, **options: object) -> object:
        monkeypatch.setattr(temporary, moment, act)
        signal.raise_signal(signal.SIGINT)
        return act(*arguments, **options)

    monkeypatch.setattr(temporary, moment, stopped)
    with pytest.raises(KeyboardInterrupt), temporary_beside(Entry(str(tmp_path / "target")), 0o600):
        raise AssertionError("the block is not reached")
    assert list(tmp_path.iterdir()) == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
